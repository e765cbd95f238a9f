# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the exceptions and warnings: one class per status code, each also the fitting builtin.
"""Exceptions and warnings of iree_cy.

Every failure that comes out of the runtime is a `StatusError`. Its subclass says which status code
it has and is at the same time the builtin that Python programs already catch (`ValueError`,
`LookupError`, `TimeoutError` ...).
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable, Sequence
from typing import ClassVar

__all__ = [
    "Aborted",
    "AlreadyExists",
    "Cancelled",
    "DataLoss",
    "DeadlineExceeded",
    "Deferred",
    "DeviceWarning",
    "DuplicateDriverWarning",
    "FailedPrecondition",
    "Incompatible",
    "Internal",
    "InvalidArgument",
    "NotFound",
    "OutOfRange",
    "PermissionDenied",
    "ResourceExhausted",
    "StatusCode",
    "StatusError",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "Unknown",
    "make_error",
]

# The first line of an error is read in a terminal or a log: it has this much room.
MAX_LINE = 200


class StatusCode(enum.IntEnum):
    """The status codes of the C API, with their numbers."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16
    DEFERRED = 17
    INCOMPATIBLE = 18


class StatusError(RuntimeError):
    """A call of the runtime that failed.

    Parameters
    ----------
    message
        What was asked, what is there, what to do. Its first line is what `str()` begins with, cut
        to 200 characters; `message` keeps all of it.
    annotations
        Further lines of context, innermost first. They become notes where Python has them.
    location
        Where the failure arose (``"file:line"``), when that is known.

    Attributes
    ----------
    code : StatusCode
        The status code.
    message : str
        The whole message.
    annotations : tuple of str
    location : str or None
    skipped : tuple of (str, Exception)
        For a preference list of which nothing could be used: why each item was skipped.
    """

    code: StatusCode = StatusCode.UNKNOWN
    default_code: ClassVar[StatusCode] = StatusCode.UNKNOWN

    def __init__(
        self,
        message: str = "",
        *,
        annotations: Iterable[str] = (),
        location: str | None = None,
    ) -> None:
        text = clip_first_line(message)
        super().__init__(text)
        self.code = type(self).default_code
        self.message = message
        self.annotations = tuple(annotations)
        self.location = location
        self.skipped: tuple[tuple[str, Exception], ...] = ()
        if text != message:
            _add_note(self, escape(message))
        for annotation in self.annotations:
            _add_note(self, escape(annotation))
        if location is not None:
            _add_note(self, f"at {location}")


class Cancelled(StatusError):
    """The operation was cancelled."""

    code = default_code = StatusCode.CANCELLED


class Unknown(StatusError):
    """A failure without a fitting code."""

    code = default_code = StatusCode.UNKNOWN


class InvalidArgument(StatusError, ValueError):
    """An argument that cannot be right."""

    code = default_code = StatusCode.INVALID_ARGUMENT


class DeadlineExceeded(StatusError, TimeoutError):
    """The time limit passed first."""

    code = default_code = StatusCode.DEADLINE_EXCEEDED


class NotFound(StatusError, LookupError, ValueError):
    """What was asked for is not there."""

    code = default_code = StatusCode.NOT_FOUND


class AlreadyExists(StatusError, ValueError):
    """The name or place is taken."""

    code = default_code = StatusCode.ALREADY_EXISTS


class PermissionDenied(StatusError, PermissionError):
    """The object or the system does not allow it."""

    code = default_code = StatusCode.PERMISSION_DENIED


class ResourceExhausted(StatusError, MemoryError):
    """Memory, or another resource or limit, is used up."""

    code = default_code = StatusCode.RESOURCE_EXHAUSTED


class FailedPrecondition(StatusError):
    """The state of the object does not allow the call."""

    code = default_code = StatusCode.FAILED_PRECONDITION


class Aborted(StatusError):
    """The operation was given up."""

    code = default_code = StatusCode.ABORTED


class OutOfRange(StatusError, IndexError, ValueError):
    """An offset, index or size outside of what is there."""

    code = default_code = StatusCode.OUT_OF_RANGE


class Unimplemented(StatusError, NotImplementedError):
    """The device, driver or runtime does not do this."""

    code = default_code = StatusCode.UNIMPLEMENTED


class Internal(StatusError):
    """A rule of the runtime itself was broken."""

    code = default_code = StatusCode.INTERNAL


class Unavailable(StatusError):
    """What is needed cannot be reached now."""

    code = default_code = StatusCode.UNAVAILABLE


class DataLoss(StatusError):
    """Data that cannot be read back."""

    code = default_code = StatusCode.DATA_LOSS


class Unauthenticated(StatusError):
    """Valid credentials are missing."""

    code = default_code = StatusCode.UNAUTHENTICATED


class Deferred(StatusError):
    """The result is not there yet."""

    code = default_code = StatusCode.DEFERRED


class Incompatible(StatusError):
    """Versions or formats that do not fit together."""

    code = default_code = StatusCode.INCOMPATIBLE


class DuplicateDriverWarning(UserWarning):
    """Two distributions provide a driver of the same name."""


class DeviceWarning(UserWarning):
    """Something that a driver or device reported and that failed no call."""


_CLASS_BY_CODE: dict[int, type[StatusError]] = {
    int(cls.default_code): cls
    for cls in (
        Cancelled,
        Unknown,
        InvalidArgument,
        DeadlineExceeded,
        NotFound,
        AlreadyExists,
        PermissionDenied,
        ResourceExhausted,
        FailedPrecondition,
        Aborted,
        OutOfRange,
        Unimplemented,
        Internal,
        Unavailable,
        DataLoss,
        Unauthenticated,
        Deferred,
        Incompatible,
    )
}


_CLASS_NAMES = frozenset(("StatusError", *(cls.__name__ for cls in _CLASS_BY_CODE.values())))


def make_error(
    code: int,
    message: str,
    annotations: Sequence[str] = (),
    location: str | None = None,
) -> StatusError:
    """Make the exception that belongs to a status.

    Parameters
    ----------
    code
        A status code other than OK. One that this version does not know gives `Unknown`.
    message
        The message; empty gives the code's name.
    annotations, location
        As for `StatusError`.
    """
    cls = _CLASS_BY_CODE.get(int(code), Unknown)
    if not message:
        message = cls.default_code.name if int(code) in _CLASS_BY_CODE else f"status code {code}"
    return cls(message, annotations=annotations, location=location)


def clip(text: str, room: int) -> str:
    """Cut `text` to `room` characters on one line, with an ellipsis when something is left out."""
    line = " ".join(text.split())
    return line if len(line) <= room else line[: max(room - 3, 0)] + "..."


def clip_first_line(message: str) -> str:
    """Return `message` with its first line cut to what an error's first line may have, control characters escaped."""
    head, separator, rest = escape(message).partition("\n")
    if len(head) > MAX_LINE:
        head = head[: MAX_LINE - 3] + "..."
    return head + separator + rest


def escape(text: str) -> str:
    """Return `text` with control characters escaped, newlines excepted: files and users can put them anywhere."""
    if text.isprintable():
        return text
    return "".join(c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quote(text: object, room: int = 60) -> str:
    """Quote what a user gave, cut to `room` characters; a long integer by its size."""
    if isinstance(text, int) and text.bit_length() > 1000:
        # Python refuses to write out thousands of digits.
        return f"an integer of {text.bit_length()} bits"
    try:
        return clip(repr(text), room)
    except Exception:
        # Such an integer may be in it, and classes of users can do what they like.
        return f"an object of type {type_name(text)}"


def type_name(value: object) -> str:
    """Name the type of what a user gave: ``int``, and None for None."""
    return "None" if value is None else clip(type(value).__name__, 40)


def an(noun: str) -> str:
    """Put the article before a noun: ``an int``, ``a str``, and none before None."""
    if noun == "None":
        return noun
    article = "an" if noun[:1].lower() in "aeio" else "a"
    return f"{article} {noun}"


def counted(count: int, noun: str) -> str:
    """Write ``1 result``, ``2 results``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def type_error(message: str) -> TypeError:
    """Make a TypeError that can be shown as it is."""
    return TypeError(clip_first_line(message))


def value_error(message: str) -> ValueError:
    """Make a ValueError that can be shown as it is."""
    return ValueError(clip_first_line(message))


def runtime_error(message: str) -> RuntimeError:
    """Make a RuntimeError that can be shown as it is."""
    return RuntimeError(clip_first_line(message))


def listing(names: Iterable[str], room: int = 80) -> str:
    """Join names with commas, as many as fit in `room` characters, and count the rest."""
    rest = list(names)
    if not rest:
        return "none"
    shown: list[str] = []
    used = 0
    for name in rest:
        item = clip(name, 48)
        if shown and used + len(item) + 2 > room:
            return ", ".join(shown) + f" and {len(rest) - len(shown)} more"
        shown.append(item)
        used += len(item) + 2
    return ", ".join(shown)


def one_line(error: BaseException, room: int = MAX_LINE) -> str:
    """Say in one line what an exception says; its class where that is not one of ours."""
    text = text_of(error).partition("\n")[0].strip()
    if isinstance(error, StatusError):
        text = without_own_class(text)
    else:
        name = type(error).__name__
        text = f"{name}: {text}" if text else name
    return clip(text, room)


def text_of(error: BaseException) -> str:
    """Return what an exception says; nothing when it fails to say so."""
    try:
        return str(error)
    except Exception:
        return ""


def without_own_class(text: str) -> str:
    """Drop the name of a class of ours from the head of a message that came back through C."""
    name, separator, rest = text.partition(": ")
    return rest if separator and name in _CLASS_NAMES else text


def outer_stacklevel() -> int:
    """Return the `stacklevel` by which the caller's warning lands on the user's line.

    That is the innermost line outside of this package.
    """
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__")):
        level += 1
        frame = frame.f_back
    return level


def _is_ours(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == "iree_cy"


def _add_note(error: BaseException, note: str) -> None:
    # Python 3.10 has no notes; the attributes hold the same.
    add_note = getattr(error, "add_note", None)
    if add_note is not None:
        add_note(note)
