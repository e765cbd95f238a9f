# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns DriverPlugin and Parameter: what a driver package says of itself in plain Python.
"""The light object that a driver's entry point resolves to, and the parameters it declares."""

from __future__ import annotations

import enum
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from iree_cy.errors import InvalidArgument, clip, listing, quote, type_error, type_name
from iree_cy.uri import is_driver_name

__all__ = ["DriverPlugin", "Parameter", "ParameterType", "canonical_params"]

ParameterType: TypeAlias = type[str] | type[int] | type[float] | type[bool] | tuple[str, ...]

_TRUE = frozenset(("true", "1", "yes", "on"))
_FALSE = frozenset(("false", "0", "no", "off"))


class Parameter(NamedTuple):
    """One parameter that the devices of a driver take.

    Attributes
    ----------
    name : str
        The key in a URI and in ``params=``.
    type : type or tuple of str
        `str`, `int`, `float`, `bool`, or the words that are allowed.
    default : object
        The value that a device has without it; None where the driver chooses by itself.
    help : str
        One line of help.
    """

    name: str
    type: ParameterType
    default: object = None
    help: str = ""

    def describe_type(self) -> str:
        """Name the type as an error or a help text shows it."""
        return "|".join(self.type) if isinstance(self.type, tuple) else self.type.__name__

    def canonical(self, value: object) -> str:
        """Check a value and return the one spelling of it that drivers get.

        Raises
        ------
        ValueError, TypeError
            With the reason alone; the caller names the parameter.
        """
        if isinstance(value, enum.Enum):
            value = value.value
        if isinstance(self.type, tuple):
            return _canonical_choice(self.type, value)
        if self.type is bool:
            return _canonical_bool(value)
        if self.type is int:
            return _canonical_int(value)
        if self.type is float:
            return _canonical_float(value)
        if not isinstance(value, str):
            raise type_error(type_name(value))
        if "\0" in value:
            raise ValueError(f"{value!r}, which holds a NUL character")
        return value


class DriverPlugin:
    """What a driver package says of itself, without loading anything.

    Parameters
    ----------
    name
        The driver's name, equal to that of its entry point in the group ``iree_cy.drivers``.
    human_name
        What it is called in lists.
    library
        Absolute path of the native library.
    parameters
        The parameters its devices take, as `Parameter` or as ``(name, type, default, help)``.
    check
        Called with no argument before the library is loaded. It loads nothing, and returns None or
        the reason why the driver cannot be used here.
    compile_flags
        What iree-compile needs in order to compile for this driver.
    target_backends
        Target backends of iree-compile whose programs the devices run, beside those that
        `compile_flags` name.
    executable_formats
        The executable formats that the devices load, such as ``embedded-elf-x86_64``; ``*`` stands for any ending.
        Without them `iree_cy.plan` cannot tell whether the driver runs a program.
    check_executable
        Called with the format and the bytes of an executable, without any device. It returns None, or the reason why
        no device here could run it.
    """

    __slots__ = (
        "check",
        "check_executable",
        "compile_flags",
        "executable_formats",
        "human_name",
        "library",
        "name",
        "parameters",
        "target_backends",
    )

    def __init__(
        self,
        name: str,
        human_name: str,
        library: str | os.PathLike[str],
        parameters: Iterable[Parameter | tuple[Any, ...]] = (),
        check: Callable[[], str | None] | None = None,
        compile_flags: Sequence[str] = (),
        target_backends: Sequence[str] = (),
        executable_formats: Sequence[str] = (),
        check_executable: Callable[[str, bytes], str | None] | None = None,
    ) -> None:
        if not isinstance(name, str) or not is_driver_name(name):
            raise InvalidArgument(
                f"{quote(name)} cannot be a driver's name: use letters and digits, with '.', '_' and '-' between them"
            )
        if not isinstance(human_name, str):
            raise type_error(f"the human_name of driver {name!r} is a str, not {type_name(human_name)}")
        sequences = {
            "compile_flags": compile_flags,
            "target_backends": target_backends,
            "executable_formats": executable_formats,
        }
        for what, value in sequences.items():
            if isinstance(value, str):
                raise TypeError(f"{what} is a sequence of str, not one str")
        for what, function in {"check": check, "check_executable": check_executable}.items():
            if function is not None and not callable(function):
                raise type_error(f"{what} is a function or None, not {type_name(function)}")
        self.name = name
        self.human_name = human_name
        self.library = os.fsdecode(library)
        if not os.path.isabs(self.library):
            raise InvalidArgument(
                f"the library of driver {name!r} is {quote(self.library)}, relative to wherever a program runs; "
                "give an absolute path: Path(__file__).parent / ..."
            )
        self.parameters = tuple(_make_parameter(name, item) for item in parameters)
        self.check = check
        self.compile_flags = tuple(str(flag) for flag in compile_flags)
        named = (*(str(backend) for backend in target_backends), *_named_backends(self.compile_flags))
        self.target_backends = tuple(dict.fromkeys(named))
        self.executable_formats = tuple(str(pattern) for pattern in executable_formats)
        self.check_executable = check_executable
        names = [parameter.name for parameter in self.parameters]
        if len(set(names)) != len(names):
            raise InvalidArgument(f"driver {name!r} declares a parameter twice: {listing(names)}")

    def runs_backend(self, backend: str) -> bool:
        """Tell whether the plugin says that its devices run programs for a target backend of iree-compile.

        A backend is also named by the device that it is for: ``gpu`` stands for ``gpu-spirv`` too.
        """
        return any(backend == name or backend.startswith(f"{name}-") for name in self.target_backends)

    def __repr__(self) -> str:
        return f"DriverPlugin({self.name!r}, {self.human_name!r}, {self.library!r})"


def canonical_params(
    plugin: DriverPlugin, params: Mapping[str, object] | Iterable[tuple[str, object]] | None
) -> tuple[tuple[str, str], ...]:
    """Check parameters against a plugin's table.

    Returns
    -------
    tuple of (str, str)
        Those that differ from their defaults, in canonical spelling and in the table's order.

    Raises
    ------
    InvalidArgument
        If the driver has no such parameter, or the value is not of its type.
    """
    if params is None:
        return ()
    try:
        items = list(params.items() if isinstance(params, Mapping) else params)
        given = dict(items)
    except (TypeError, ValueError):
        raise type_error(f"params is a mapping of parameter names to values, not {quote(params)}") from None
    known = {parameter.name: parameter for parameter in plugin.parameters}
    for key in given:
        if key not in known:
            there = f"it has: {listing(known)}" if known else "its devices take none"
            raise InvalidArgument(f"driver {plugin.name!r} has no parameter {quote(key)}; {there}")
    result = []
    for name, parameter in known.items():
        if name not in given:
            continue
        try:
            value = parameter.canonical(given[name])
        except (TypeError, ValueError) as error:
            raise InvalidArgument(
                f"parameter {name!r} of driver {plugin.name!r} is {parameter.describe_type()}, "
                f"not {clip(str(error), 70)}"
            ) from None
        if parameter.default is None or value != parameter.canonical(parameter.default):
            result.append((name, value))
    return tuple(result)


def _named_backends(flags: Iterable[str]) -> list[str]:
    backends: list[str] = []
    devices: list[str] = []
    for flag in flags:
        key, _, value = flag.lstrip("-").partition("=")
        words = [word.strip().partition("[")[0] for word in value.split(",")]
        if key == "iree-hal-target-device":
            devices += words
        elif key in ("iree-hal-target-backends", "iree-hal-local-target-device-backends"):
            backends += words
    # A device for which several backends can be had says nothing once one of them is named.
    return [word for word in backends or devices if word and word[0] not in "#@"]


def _make_parameter(driver: str, item: Parameter | tuple[Any, ...]) -> Parameter:
    try:
        parameter = Parameter(*item)
    except TypeError:
        parameter = Parameter("", str)
    if not isinstance(item, tuple) or not isinstance(parameter.name, str) or not parameter.name:
        raise type_error(f"driver {driver!r} declares a parameter as (name, type, default, help), not {quote(item)}")
    kind: Any = parameter.type
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        kind = tuple(str(member.value) for member in kind)
    elif isinstance(kind, (list, tuple, frozenset, set)):
        kind = tuple(str(word) for word in kind)
    if not isinstance(kind, tuple) and kind not in (str, int, float, bool):
        raise InvalidArgument(
            f"parameter {parameter.name!r} of driver {driver!r} has the type {quote(kind, 40)}; "
            "use str, int, float, bool or a tuple of words"
        )
    parameter = parameter._replace(type=kind)
    if parameter.default is not None:
        try:
            parameter.canonical(parameter.default)
            if kind in (int, float, bool) and isinstance(parameter.default, str):
                # Text is what URIs have. In a table it is a slip that everyone who reads the table meets.
                raise TypeError(repr(parameter.default))
        except (TypeError, ValueError) as error:
            raise InvalidArgument(
                f"the default of parameter {parameter.name!r} of driver {driver!r} is not "
                f"{parameter.describe_type()} but {clip(str(error), 60)}"
            ) from None
    return parameter


def _canonical_choice(words: tuple[str, ...], value: object) -> str:
    if isinstance(value, str) and value in words:
        return value
    raise ValueError(repr(value))


def _canonical_bool(value: object) -> str:
    if isinstance(value, str):
        word = value.lower()
        if word in _TRUE:
            return "true"
        if word in _FALSE:
            return "false"
        raise ValueError(repr(value))
    # NumPy's bool is no bool, and knows it by this name.
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "true" if value else "false"
    raise TypeError(repr(value))


def _canonical_int(value: object) -> str:
    if isinstance(value, bool):
        raise TypeError(repr(value))
    if isinstance(value, str):
        if value.strip() != value or "_" in value or not value.isascii():
            raise ValueError(repr(value))
        try:
            return str(int(value))
        except ValueError:
            raise ValueError(repr(value)) from None
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(repr(value)) from None


def _canonical_float(value: object) -> str:
    if isinstance(value, bool):
        raise TypeError(repr(value))
    if isinstance(value, str) and (value.strip() != value or "_" in value or not value.isascii()):
        raise ValueError(repr(value))
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(repr(value)) from None
    if math.isnan(number):
        raise ValueError(repr(value))
    return repr(number)
