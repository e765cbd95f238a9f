# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns devices: from a URI, id or preference list to a device, and the cache of devices.
"""Create devices and keep those that were asked for by URI."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iree_cy import _logging
from iree_cy.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    StatusError,
    Unavailable,
    listing,
    one_line,
    quote,
    type_error,
    type_name,
)
from iree_cy.plugins.discovery import normalize
from iree_cy.plugins.driver_plugin import DriverPlugin, canonical_params
from iree_cy.plugins.registry import registry
from iree_cy.plugins.single_flight import SingleFlight
from iree_cy.uri import DeviceUri, parse_device_uri, split_uri_list

if TYPE_CHECKING:
    from iree_cy._core import HalDevice, HalDriver

__all__ = [
    "DEFAULT_DEVICE_URIS",
    "available_devices",
    "create_default_device",
    "create_device",
    "create_device_by_uri",
    "drivers_for_backend",
    "find_first",
    "get_device",
    "get_first_device",
]

# The one place that names drivers: what get_first_device() tries when nobody says anything.
DEFAULT_DEVICE_URIS: Final = ("local-task", "cuda", "vulkan", "local-sync")
_VARIABLE = "IREE_DEFAULT_DEVICE"
_ALLOCATORS = ("caching", "debug")
# iree.runtime has a size per pool; here one bound holds for all.
_CACHE_POOLS = ("*", "device_local", "host_local")
_CACHE_SIZE = r"((\*|device_local|host_local)=)?(\*|[0-9]{1,18}|0x[0-9A-Fa-f]{1,15})"

_Key = tuple["HalDriver", int, tuple[tuple[str, str], ...]]
_MAX_FAST = 1024
_devices: dict[_Key, HalDevice] = {}
# What a raw URI meant, valid for one generation of names.
_fast: dict[str, tuple[object, HalDevice]] = {}
_creating: SingleFlight[HalDevice] = SingleFlight()


def get_device(uri: str, cache: bool = True) -> HalDevice:
    """Return the device that a URI asks for.

    Parameters
    ----------
    uri
        ``name[@distribution][://[path][?key=value[&...]]]`` or ``name:ordinal``.
    cache
        Return the device that was made before for the same driver, device id and parameters, and
        keep a new one. False makes a new device that is not kept.

    Raises
    ------
    InvalidArgument
        If the URI is malformed, or a parameter unknown or not of its type.
    NotFound
        If there is no such driver or device; the message lists those there are.
    StatusError
        If the driver or the device cannot be created.
    """
    if cache:
        try:
            known, device = _fast[uri]
            if known is registry.generation:
                return device
        except (KeyError, TypeError):
            pass
    generation = registry.generation
    parsed = parse_device_uri(uri)
    driver = registry.get_parsed(parsed)
    try:
        device_id, params = _resolve(driver, parsed)
        if not cache:
            return driver._create_device(device_id, list(params))
        key = (driver, device_id, params)
        device = _creating.run(
            key,
            f"device {uri!r}",
            lambda: _create_and_keep(key),
            lambda: _devices.get(key),
        )
    finally:
        _logging.drain()
    if len(_fast) >= _MAX_FAST:
        _fast.clear()
    _fast[uri] = (generation, device)
    return device


def get_first_device(uris: Sequence[str] | str | None = None, cache: bool = True) -> HalDevice:
    """Return the first device of a preference list that can be created.

    Parameters
    ----------
    uris
        The URIs to try, in order: a sequence, or a comma list in one string. By default those in
        the environment variable IREE_DEFAULT_DEVICE, and without it `DEFAULT_DEVICE_URIS`.
    cache
        As for `get_device`.

    Raises
    ------
    InvalidArgument
        If a URI is malformed: that is a mistake, not a device that is not there.
    NotFound, Unavailable
        If none can be created. The message and the attribute ``skipped``, a list of
        ``(uri, exception)``, say why for each.
    """
    return find_first(uris, cache)[1]


def find_first(uris: Sequence[str] | str | None = None, cache: bool = True) -> tuple[str, HalDevice]:
    """Return what `get_first_device` returns, and the URI by which it was made."""
    source = None
    if uris is None:
        uris = split_uri_list(os.environ.get(_VARIABLE, ""))
        source = _VARIABLE if uris else None
        uris = uris or DEFAULT_DEVICE_URIS
    elif isinstance(uris, str):
        uris = split_uri_list(uris)
    uris = _check_list(uris, source)
    skipped: list[tuple[str, Exception]] = []
    for uri in uris:
        try:
            return uri, get_device(uri, cache)
        except Warning:
            # A warning that a filter made an exception is the caller's wish, not a reason to go on.
            raise
        except Exception as error:
            skipped.append((uri, error))
    raise _none_usable(uris, source, skipped)


def available_devices(driver: HalDriver) -> list[dict[str, Any]]:
    """Return what a driver lists, after a look at whether each path names its device again in a URI.

    A path is the driver's, byte for byte: nothing in it is decoded, and it ends at the first ``?``.

    Raises
    ------
    FailedPrecondition
        If a path cannot be named, or stands for two devices; the message names the driver.
    """
    infos = driver.query_available_devices()
    seen: dict[str, Any] = {"": None}
    for info in infos:
        path = info["path"]
        if "?" in path or "\0" in path:
            problem = "which no URI can name: a path has no '?' and no NUL"
        elif path and seen.setdefault(path, info["device_id"]) != info["device_id"]:
            problem = "for two devices"
        else:
            continue
        raise FailedPrecondition(
            f"driver {driver.name!r} lists the device path {quote(path, 40)}, {problem}; upgrade it, or tell its author"
        )
    return infos


def drivers_for_backend(backend: str) -> list[str]:
    """Return the drivers whose plugins say that they run programs for a target backend of the compiler.

    This imports the plugins, and loads no driver.

    Returns
    -------
    list of str
        In the order of `DEFAULT_DEVICE_URIS`, then by name.

    Raises
    ------
    NotFound
        If there is none. The message lists the backends there are, ``annotations`` the plugins that could not be asked.
    """
    found: list[str] = []
    there: set[str] = set()
    broken: list[str] = []
    for name in registry.names():
        try:
            plugin = registry.plugin(name)
        except Exception as error:
            broken.append(one_line(error))
            continue
        there.update(plugin.target_backends)
        if plugin.runs_backend(backend):
            found.append(name)
    if not found:
        raise NotFound(
            f"no driver here says that it runs programs for target backend {quote(backend, 40)}; "
            f"known are: {listing(sorted(there), 60)}; name a driver with driver=",
            annotations=broken,
        )
    preferred = list(DEFAULT_DEVICE_URIS)
    return sorted(found, key=lambda name: (preferred.index(name) if name in preferred else len(preferred), name))


def create_device(
    driver: HalDriver,
    device_id_or_info: int | Mapping[str, Any],
    params: Mapping[str, object] | None = None,
    allocators: Sequence[str] | None = None,
) -> HalDevice:
    """Create a device by its id, or by what `query_available_devices` says of it.

    Parameters
    ----------
    driver
        The driver.
    device_id_or_info
        A device id, or a mapping that has it as ``"device_id"``.
    params
        Parameters, checked against the driver's table.
    allocators
        Allocators to put around the device's own, innermost first: ``"caching"``, ``"debug"``.

    Raises
    ------
    NotFound
        If the driver lists no device of that id; the message lists the ids there are.
    InvalidArgument
        If a parameter or an allocator is unknown or malformed.
    """
    if isinstance(device_id_or_info, Mapping):
        try:
            device_id = device_id_or_info["device_id"]
        except KeyError:
            raise InvalidArgument(
                f"device info {quote(device_id_or_info)} has no 'device_id'; pass an item of query_available_devices()"
            ) from None
    else:
        device_id = device_id_or_info
    device_id = check_device_id(device_id)
    specs = _check_allocators(allocators)
    try:
        given = dict(params) if params is not None else {}
    except (TypeError, ValueError):
        raise type_error(f"params is a mapping of parameter names to values, not {quote(params)}") from None
    checked = _check_params(driver, given.items())
    check_listed(driver, device_id)
    return _create(driver, device_id, checked, specs)


def create_device_by_uri(driver: HalDriver, uri: str, allocators: Sequence[str] | None = None) -> HalDevice:
    """Create the device of a driver that a URI asks for.

    Raises
    ------
    InvalidArgument
        If the URI is malformed or asks for another driver.
    NotFound
        If the driver has no such device; the message lists those there are.
    """
    parsed = parse_device_uri(uri)
    origin = registry.distribution_of(driver)
    if parsed.driver != driver.name or (parsed.distribution is not None and normalize(parsed.distribution) != origin):
        this = driver.name if origin is None else f"{driver.name}@{origin}"
        raise InvalidArgument(
            f"device URI {quote(uri, 50)} asks for another driver than this, {this}; use iree_cy.get_device(uri)"
        )
    specs = _check_allocators(allocators)
    device_id, params = _resolve(driver, parsed)
    return _create(driver, device_id, params, specs)


def create_default_device(driver: HalDriver, allocators: Sequence[str] | None = None) -> HalDevice:
    """Create the device that the driver has as its default."""
    specs = _check_allocators(allocators)
    return _create(driver, driver._resolve_path(""), (), specs)


def _resolve(driver: HalDriver, uri: DeviceUri) -> tuple[int, tuple[tuple[str, str], ...]]:
    params = _check_params(driver, uri.params)
    if uri.ordinal is not None:
        infos = available_devices(driver)
        if uri.ordinal >= len(infos):
            raise NotFound(
                f"{quote(uri.text, 40)} is the device at position {uri.ordinal}, and driver "
                f"{driver.name!r} lists {len(infos)}; it has: {_list_devices(driver)}"
            )
        return int(infos[uri.ordinal]["device_id"]), params
    try:
        return driver._resolve_path(uri.path), params
    except NotFound as error:
        raise NotFound(
            f"driver {driver.name!r} has no device {quote(uri.path, 40)}; "
            f"it has: {_list_devices(driver)}; use one of these paths or a position",
            annotations=error.annotations,
        ) from error


def _list_devices(driver: HalDriver) -> str:
    # Called while an error is made: a failure here would hide it.
    try:
        return listing((_describe(info) for info in driver.query_available_devices()), 60)
    except Exception as error:
        return one_line(error, 60)


def _describe(info: Mapping[str, Any]) -> str:
    return f"{info['path']!r} ({info['name']})" if info["path"] else repr(info["name"])


def _check_params(driver: HalDriver, params: Iterable[tuple[str, object]]) -> tuple[tuple[str, str], ...]:
    plugin = registry.plugin_of(driver)
    if plugin is None:
        plugin = DriverPlugin(driver.name, driver.name, os.devnull)
    return canonical_params(plugin, list(params))


def check_device_id(device_id: object) -> int:
    """Return a device id as an int; anything else is a TypeError."""
    if isinstance(device_id, bool) or not hasattr(device_id, "__index__"):
        raise type_error(f"a device id is an int, not {type_name(device_id)}")
    return int(device_id.__index__())


def check_listed(driver: HalDriver, device_id: int) -> None:
    """Raise NotFound, with the ids there are, if a driver lists no device of an id; 0 is the default, listed or not."""
    infos = available_devices(driver)
    if device_id != 0 and all(info["device_id"] != device_id for info in infos):
        there = listing(f"{info['device_id']} ({info['path'] or info['name']})" for info in infos)
        raise NotFound(
            f"driver {driver.name!r} has no device with id {quote(device_id, 30)}; "
            f"available devices: {there}; pass one of these ids"
        )


def _check_allocators(allocators: Sequence[str] | None) -> list[str]:
    if allocators is None:
        return []
    if not isinstance(allocators, Iterable):
        raise type_error(f"allocators is a sequence of str, not {type_name(allocators)}")
    specs = [allocators] if isinstance(allocators, str) else list(allocators)
    for spec in specs:
        if not isinstance(spec, str):
            raise type_error(f"an allocator is named by a str, not {type_name(spec)}")
        name, colon, options = spec.partition(":")
        if name not in _ALLOCATORS:
            raise InvalidArgument(f"no allocator {quote(spec)}; there are: {listing(_ALLOCATORS)}")
        if colon and name == "debug":
            raise InvalidArgument(f"allocator {quote(spec)}: debug takes no options; write debug")
        if colon and not all(re.fullmatch(_CACHE_SIZE, part) for part in options.split(",")):
            raise InvalidArgument(
                f"allocator {quote(spec)} has no size; write caching, caching:BYTES or "
                f"caching:POOL=BYTES with a POOL of: {listing(_CACHE_POOLS)}"
            )
    return specs


def _create(driver: HalDriver, device_id: int, params: tuple[tuple[str, str], ...], allocators: list[str]) -> HalDevice:
    try:
        device = driver._create_device(device_id, list(params))
        if allocators:
            device._replace_allocators(allocators)
        return device
    finally:
        _logging.drain()


def _create_and_keep(key: _Key) -> HalDevice:
    driver, device_id, params = key
    device = _devices[key] = driver._create_device(device_id, list(params))
    return device


def _check_list(uris: Iterable[str] | bytes, source: str | None) -> list[str]:
    if isinstance(uris, bytes) or not isinstance(uris, Iterable):
        raise type_error(f"device URIs are a str or a sequence of str, not {type_name(uris)}")
    uris = list(uris)
    if not uris:
        raise InvalidArgument("the list of devices to try is empty; name one, such as those of `iree-cy list-drivers`")
    for uri in uris:
        try:
            parse_device_uri(uri)
        except InvalidArgument as error:
            if source is None:
                raise
            raise InvalidArgument(f"{source}: {error}") from error
    return uris


def _none_usable(uris: Sequence[str], source: str | None, skipped: list[tuple[str, Exception]]) -> StatusError:
    where = f"{source}={','.join(uris)}" if source is not None else listing(uris, 70)
    absent = all(isinstance(error, NotFound) for _, error in skipped)
    advice = "see `iree-cy list-devices`"
    if source is not None:
        advice = f"change {source}, or {advice}"
    head = f"no device of {quote(where, 90)} can be used; {advice}; why each was skipped:"
    lines = [head, *(f"  {uri}: {one_line(error)}" for uri, error in skipped)]
    error = (NotFound if absent else Unavailable)("\n".join(lines))
    error.skipped = tuple(skipped)
    if skipped:
        error.__cause__ = skipped[-1][1]
    return error
