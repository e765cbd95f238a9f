# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the grammar of device URIs and of lists of them.
"""Device URIs: ``name[@distribution][://[path][?key=value[&key=value]...]]`` and ``name:ordinal``."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from iree_cy.errors import InvalidArgument, quote, type_error, type_name

__all__ = ["DeviceUri", "is_driver_name", "parse_device_uri", "split_uri_list"]

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_NAME_RE = re.compile(_NAME)
_HEAD_RE = re.compile(rf"(?P<driver>{_NAME})(?:@(?P<distribution>{_NAME}))?")
_ORDINAL_RE = re.compile(rf"(?P<driver>{_NAME}):(?P<ordinal>[0-9]{{1,9}})")
# Rarely needed, and so compiled when they are.
_ORDINAL_AND_MORE = rf"(?P<head>{_NAME}(?:@{_NAME})?):(?P<ordinal>[0-9]{{1,9}})(?P<query>\?.+=.*)?"
_ESCAPE = rb"%([0-9A-Fa-f]{2})"
_BAD_ESCAPE = r"%(?![0-9A-Fa-f]{2})"
_GRAMMAR = "name[@distribution][://[path][?key=value[&...]]] or name:ordinal"


class DeviceUri(NamedTuple):
    """A device URI in its parts."""

    text: str
    """The URI as it was given."""
    driver: str
    """The driver's name."""
    distribution: str | None
    """The distribution that is to provide the driver, when one was named."""
    path: str
    """The path, as given; empty is the driver's default device."""
    ordinal: int | None
    """The position in the driver's list, for ``name:ordinal``."""
    params: tuple[tuple[str, str], ...]
    """Parameters, percent-decoded, in the order given."""


def is_driver_name(name: str) -> bool:
    """Tell whether `name` can be the name of a driver."""
    return _NAME_RE.fullmatch(name) is not None


def parse_device_uri(text: str) -> DeviceUri:
    """Take a device URI apart.

    Parameters
    ----------
    text
        The URI. Its path is taken byte for byte; keys and values are percent-decoded.

    Raises
    ------
    TypeError
        If `text` is not a string.
    InvalidArgument
        If it does not follow the grammar.
    """
    if not isinstance(text, str):
        raise type_error(f"a device URI is a str, not {type_name(text)}")
    if "\0" in text:
        _malformed(text, "it holds a NUL character")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        _malformed(text, "it holds half a character (a lone surrogate), which UTF-8 cannot carry")
    head, separator, rest = text.partition("://")
    if not separator:
        ordinal = _ORDINAL_RE.fullmatch(text)
        if ordinal is not None:
            return DeviceUri(text, ordinal["driver"], None, "", int(ordinal["ordinal"]), ())
    match = _HEAD_RE.fullmatch(head)
    if match is None:
        near = re.fullmatch(_ORDINAL_AND_MORE, text)
        if near is not None:
            meant = near.expand(r"\g<head>://\g<ordinal>\g<query>")
            _malformed(text, f"use {quote(meant, 40)}")
        _malformed(text, f"{quote(head, 40)} is no driver name")
    path, question, query = rest.partition("?")
    params = _parse_query(text, query) if question else ()
    return DeviceUri(text, match["driver"], match["distribution"], path, None, params)


def split_uri_list(text: str) -> list[str]:
    """Split a comma list of URIs, as in IREE_DEFAULT_DEVICE.

    Blanks around items and empty items are dropped; ``%2C`` in an item stands for a comma.
    """
    items = (item.strip() for item in text.split(","))
    return [re.sub("%2[cC]", ",", item) for item in items if item]


def _parse_query(text: str, query: str) -> tuple[tuple[str, str], ...]:
    params: dict[str, str] = {}
    for item in query.split("&"):
        raw_key, equals, raw_value = item.partition("=")
        if not equals or not raw_key:
            _malformed(text, f"{quote(item, 40)} is not key=value")
        key = _decode(text, raw_key)
        if key in params:
            _malformed(text, f"the parameter {quote(key, 40)} is given twice")
        params[key] = _decode(text, raw_value)
    return tuple(params.items())


def _decode(text: str, item: str) -> str:
    if "%" not in item:
        return item
    if re.search(_BAD_ESCAPE, item):
        _malformed(text, f"{quote(item, 40)} has a '%' without two hex digits")
    raw = item.encode("utf-8", "surrogateescape")
    try:
        decoded = re.sub(_ESCAPE, lambda match: bytes([int(match[1], 16)]), raw).decode("utf-8")
    except UnicodeDecodeError:
        _malformed(text, f"{quote(item, 40)} does not decode to UTF-8")
    if "\0" in decoded:
        _malformed(text, f"{quote(item, 40)} holds a NUL character")
    return decoded


def _malformed(text: str, reason: str) -> NoReturn:
    raise InvalidArgument(f"malformed device URI {quote(text, 50)}: {reason}; write {_GRAMMAR}")
