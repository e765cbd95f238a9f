# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the registry: from a driver's name to its plugin, and to the one driver made from it.
"""The drivers of this process: registered by call or found in metadata, loaded when asked for."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from iree_cy import _fork, _logging
from iree_cy.errors import (
    MAX_LINE,
    AlreadyExists,
    DuplicateDriverWarning,
    NotFound,
    StatusError,
    Unavailable,
    an,
    clip,
    listing,
    one_line,
    outer_stacklevel,
    quote,
    text_of,
    type_error,
    type_name,
    without_own_class,
)
from iree_cy.plugins.discovery import DriverEntry, discover, normalize
from iree_cy.plugins.driver_plugin import DriverPlugin
from iree_cy.plugins.single_flight import SingleFlight
from iree_cy.uri import DeviceUri, parse_device_uri

if TYPE_CHECKING:
    from iree_cy._core import HalDriver

__all__ = [
    "DriverRegistry",
    "find_driver",
    "get_driver",
    "query_available_drivers",
    "register_driver",
    "registry",
    "unregister_driver",
]


class _Loaded(NamedTuple):
    plugin: DriverPlugin
    origin: str | None
    distribution: str | None


class DriverRegistry:
    """Knows the drivers of a process. There is one, `registry`; tests make their own."""

    # Raw strings that were asked for are remembered so that asking again costs one look-up.
    _MAX_FAST = 1024

    def __init__(self) -> None:
        self._registered: dict[str, DriverPlugin] = {}
        # By name and by who provides it: a plugin object, or a distribution's normalised name.
        self._drivers: dict[tuple[str, object], HalDriver] = {}
        self._loaded: dict[HalDriver, _Loaded] = {}
        self._fast: dict[str, HalDriver] = {}
        self.generation = object()
        """Another object whenever a name may mean another driver than before."""
        self._warned: dict[str, object] = {}
        self._loading: SingleFlight[HalDriver] = SingleFlight()

    # Names: these read metadata, import nothing and load nothing.

    def names(self) -> list[str]:
        """Return the names of all drivers, sorted."""
        found = discover()
        for name in found:
            if name not in self._registered:
                self._warn_if_duplicate(name, found[name])
        return sorted({*found, *self._registered})

    def entries(self, name: str) -> list[DriverEntry]:
        """Return the installed distributions that provide a name, the winner first."""
        return list(discover().get(name, ()))

    def registered(self, name: str) -> DriverPlugin | None:
        """Return the plugin registered by call under a name."""
        return self._registered.get(name)

    def register(self, plugin: DriverPlugin, replace: bool = False) -> None:
        """Make a driver known under its plugin's name.

        Parameters
        ----------
        plugin
            The plugin. Nothing is loaded before the driver is asked for.
        replace
            Take the name even if another plugin has it. Drivers made before stay usable.

        Raises
        ------
        AlreadyExists
            If the name is taken, by call or by an installed distribution.
        """
        if not isinstance(plugin, DriverPlugin):
            raise type_error(f"register_driver takes a DriverPlugin, not {type_name(plugin)}")
        name = plugin.name
        if not replace:
            if name in self._registered:
                holder = "is registered already"
            else:
                entries = self.entries(name)
                holder = f"comes from {entries[0].origin}" if entries else ""
            if holder:
                raise AlreadyExists(f"driver {name!r} {clip(holder, 80)}; pass replace=True to take its name")
            if self._registered.setdefault(name, plugin) is not plugin:
                # Another thread has taken it since.
                raise AlreadyExists(f"driver {name!r} is registered already; pass replace=True to take its name")
        self._registered[name] = plugin
        self._forget_names()

    def unregister(self, name: str) -> None:
        """Take back what `register` did. Drivers made before stay usable.

        Raises
        ------
        NotFound
            If no plugin is registered by call under that name.
        """
        if self._registered.pop(name, None) is None:
            raise NotFound(
                f"no driver {quote(name)} was registered by call; registered are: {listing(sorted(self._registered))}"
            )
        self._forget_names()

    # Plugins: these import the driver's package, and load nothing.

    def plugin(self, name: str, distribution: str | None = None) -> DriverPlugin:
        """Return the plugin behind a driver's name without loading its library.

        Raises
        ------
        NotFound
            If there is no such driver.
        StatusError
            If its package cannot be imported or does not hold a plugin.
        """
        entry = self.resolve(name, distribution)
        return entry if isinstance(entry, DriverPlugin) else _import_plugin(entry)

    def plugin_of(self, driver: HalDriver) -> DriverPlugin | None:
        """Return the plugin that a driver was made from."""
        loaded = self._loaded.get(driver)
        return loaded.plugin if loaded is not None else None

    def distribution_of(self, driver: HalDriver) -> str | None:
        """Return the normalised name of the distribution that a driver came from."""
        loaded = self._loaded.get(driver)
        return loaded.distribution if loaded is not None else None

    def fail_contract(self, driver: HalDriver, error: StatusError) -> NoReturn:
        """Raise an error that tells of a driver's broken contract again, with where the driver comes from."""
        start = f"driver {driver.name!r} "
        loaded = self._loaded.get(driver)
        if loaded is None or not error.message.startswith(start):
            raise error
        origin = clip(loaded.origin, 60) if loaded.origin is not None else "registered by call"
        message = f"{start}({origin}) {error.message[len(start) :]}"
        raise type(error)(message, annotations=error.annotations, location=error.location) from error

    # Drivers: these load native libraries.

    def get(self, uri: str) -> HalDriver:
        """Return the driver that a URI or name asks for; make it the first time."""
        driver = self._fast.get(uri) if isinstance(uri, str) else None
        if driver is None:
            generation = self.generation
            driver = self.get_parsed(parse_device_uri(uri))
            if len(self._fast) >= self._MAX_FAST:
                self._fast.clear()
            self._fast[uri] = driver
            if generation is not self.generation:
                # Names have changed meanwhile, and what was remembered may have been forgotten before this was.
                self._fast.pop(uri, None)
        return driver

    def get_parsed(self, uri: DeviceUri) -> HalDriver:
        """Return the driver of a URI that was taken apart already."""
        entry = self.resolve(uri.driver, uri.distribution)
        key = (uri.driver, entry) if isinstance(entry, DriverPlugin) else entry.key
        try:
            return self._loading.run(
                key,
                f"driver {uri.driver!r}",
                lambda: self._load(key, entry),
                lambda: self._drivers.get(key),
            )
        finally:
            _logging.drain()

    def _load(self, key: tuple[str, object], entry: DriverEntry | DriverPlugin) -> HalDriver:
        with _fork.FirstUse():
            return self._load_guarded(key, entry)

    def _load_guarded(self, key: tuple[str, object], entry: DriverEntry | DriverPlugin) -> HalDriver:
        # And what the driver's methods import.
        from iree_cy import _core, _devices  # noqa: F401

        if isinstance(entry, DriverPlugin):
            plugin, origin, distribution, module = entry, None, None, None
        else:
            plugin, origin, distribution = _import_plugin(entry), entry.origin, entry.key[1]
            module = _split_value(entry.value)[0]
        _check_usable(plugin, origin, module)
        try:
            driver = _core.load_driver_plugin(plugin.name, plugin.library)
        except Exception as error:
            _fail(plugin.name, origin, one_line(error), "", error)
        self._loaded[driver] = _Loaded(plugin, origin, distribution)
        self._drivers[key] = driver
        return driver

    def resolve(self, name: str, distribution: str | None = None) -> DriverEntry | DriverPlugin:
        """Return what a driver's name means: the plugin registered by call, or who wins the name.

        Raises
        ------
        NotFound
            If there is no such driver; the message lists those there are.
        """
        if distribution is None:
            plugin = self._registered.get(name)
            if plugin is not None:
                return plugin
        entries = discover().get(name, ())
        if distribution is None:
            if not entries:
                self._fail_unknown(name)
            self._warn_if_duplicate(name, entries)
            return entries[0]
        wanted = normalize(distribution)
        for entry in entries:
            if normalize(entry.distribution) == wanted:
                return entry
        if not entries:
            self._fail_unknown(name)
        raise NotFound(
            f"distribution {quote(distribution, 40)} provides no driver {quote(name, 40)}; "
            f"it comes from: {listing(entry.distribution for entry in entries)}"
        )

    def _fail_unknown(self, name: str) -> NoReturn:
        there = sorted({*discover(), *self._registered})
        raise NotFound(
            f"no driver {quote(name, 40)}; there are: {listing(there, 70)}; "
            "install the package that provides it, or use one of these"
        )

    def _warn_if_duplicate(self, name: str, entries: tuple[DriverEntry, ...]) -> None:
        if len(entries) < 2:
            return
        mark = object()
        if self._warned.setdefault(name, mark) is not mark:
            return
        others = listing(entry.origin for entry in entries[1:])
        warnings.warn(
            f"driver {name!r} is taken from {entries[0].origin}; also provided by {others}; "
            f"ask for '{name}@distribution' to choose, or uninstall one",
            DuplicateDriverWarning,
            stacklevel=outer_stacklevel(),
        )

    def _forget_names(self) -> None:
        self.generation = object()
        self._fast.clear()


def _import_plugin(entry: DriverEntry) -> DriverPlugin:
    import importlib

    module_name, attribute = _split_value(entry.value)
    if not module_name or not attribute:
        _fail(
            entry.name,
            entry.origin,
            f"its entry point is {quote(entry.value, 50)}, not 'module:attribute'",
            _REINSTALL,
            None,
        )
    before = frozenset(list(sys.modules))
    try:
        value: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            value = getattr(value, part)
    except KeyboardInterrupt:
        _forget_orphans(before)
        raise
    except BaseException as error:
        # SystemExit too: a driver's package does not decide that the process ends.
        _forget_orphans(before)
        reason = f"{clip(entry.value, 60)} does not import: {one_line(error, 70)}"
        _fail(entry.name, entry.origin, reason, _REINSTALL, error)
    # Not isinstance, which asks the object for its class.
    if not issubclass(type(value), DriverPlugin):
        reason = f"{clip(entry.value, 60)} is {an(type_name(value))}, not an iree_cy.DriverPlugin"
        _fail(entry.name, entry.origin, reason, _UPGRADE, None)
    if value.name != entry.name:
        reason = f"{clip(entry.value, 60)} says that its name is {value.name!r}"
        _fail(entry.name, entry.origin, reason, _UPGRADE, None)
    plugin: DriverPlugin = value
    return plugin


def _forget_orphans(before: frozenset[str]) -> None:
    """Forget modules whose package failed to import after them.

    Python forgets the package alone. With its modules kept, the next attempt would find them and fail elsewhere, in
    other words.
    """
    for name in list(sys.modules):
        if name in before:
            continue
        parent = name.rpartition(".")[0]
        while parent and parent in sys.modules:
            parent = parent.rpartition(".")[0]
        if parent:
            sys.modules.pop(name, None)


def _split_value(value: str) -> tuple[str, str]:
    module, _, attribute = value.partition("[")[0].partition(":")
    return module.strip(), attribute.strip()


_REINSTALL = "reinstall it"
_UPGRADE = "upgrade it, or tell its author"


def _check_usable(plugin: DriverPlugin, origin: str | None, module: str | None) -> None:
    if plugin.check is not None:
        try:
            reason: object = plugin.check()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            _fail(plugin.name, origin, f"its check failed: {one_line(error, 70)}", _UPGRADE, error)
        if reason is not None and not isinstance(reason, str):
            told = f"its check returned {quote(reason, 40)}, neither None nor a reason as str"
            _fail(plugin.name, origin, told, _UPGRADE, None)
        if reason is not None:
            _fail(plugin.name, origin, reason or "its check says so, and not why", "", None)
    if not os.path.isfile(plugin.library):
        _fail_without_library(plugin, origin, module)


def _fail_without_library(plugin: DriverPlugin, origin: str | None, module: str | None) -> NoReturn:
    source = _source_folder(module, plugin.library)
    if source is None:
        reason, advice = f"its library {quote(plugin.library, 70)} is missing", _REINSTALL
    else:
        # Python looks in the current folder first, and there an unbuilt package hides the installed one.
        reason = f"it was imported from the source folder {quote(source, 40)}, which has no library"
        advice = "run from another folder, or install it"
    missing = f"the library would be {plugin.library}"
    _fail(plugin.name, origin, reason, advice, None, details=[missing])


def _source_folder(module: str | None, library: str) -> str | None:
    """Return the folder that a plugin was imported from when that is where it is developed."""
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if module is None or not isinstance(file, str):
        return None
    folder = os.path.dirname(os.path.abspath(file))
    parts = module.split(".")
    if os.path.basename(file).startswith("__init__."):
        folder = os.path.dirname(folder)
    for _ in parts[1:]:
        folder = os.path.dirname(folder)
    if any(os.path.isfile(os.path.join(folder, name)) for name in ("pyproject.toml", "setup.py")):
        return folder
    relative = os.path.relpath(library, folder)
    elsewhere = [place for place in sys.path if os.path.realpath(place or ".") != os.path.realpath(folder)]
    hidden = not relative.startswith("..") and any(os.path.isfile(os.path.join(p, relative)) for p in elsewhere)
    return folder if hidden else None


def _fail(
    name: str, origin: str | None, reason: str, advice: str, cause: BaseException | None, details: Iterable[str] = ()
) -> NoReturn:
    source = clip(origin, 60) if origin is not None else "registered by call"
    start = f"driver {name!r} ({source}) cannot be used: "
    end = f"; {advice}" if advice else ""
    message = start + clip(reason, max(MAX_LINE - len(start) - len(end), 40)) + end
    # What the library or the C side said has a fitting code; anything else is simply not there.
    cls = type(cause) if isinstance(cause, StatusError) else Unavailable
    # Notes say what the first line has no room for, and nothing twice.
    annotations = cause.annotations if isinstance(cause, StatusError) else ()
    told = [reason if cause is None else _all_that_is_told(cause), *details, *annotations]
    raise cls(message, annotations=[text for text in told if text not in message]) from cause


def _all_that_is_told(cause: BaseException) -> str:
    return without_own_class(cause.message) if isinstance(cause, StatusError) else text_of(cause)


registry = DriverRegistry()


def register_driver(plugin: DriverPlugin, replace: bool = False) -> None:
    """Make a driver known under its plugin's name.

    Parameters
    ----------
    plugin
        The plugin. Nothing is loaded before the driver is asked for.
    replace
        Take the name even if another plugin has it. Drivers made before stay usable.

    Raises
    ------
    AlreadyExists
        If the name is taken, by call or by an installed distribution.
    """
    registry.register(plugin, replace)


def unregister_driver(name: str) -> None:
    """Take back what `register_driver` did. Drivers made before stay usable.

    Raises
    ------
    NotFound
        If no plugin is registered by call under that name.
    """
    registry.unregister(name)


def query_available_drivers() -> list[str]:
    """Return the names of all drivers, sorted. This imports no driver and loads nothing."""
    return registry.names()


def get_driver(uri: str) -> HalDriver:
    """Return the driver that a name or device URI asks for.

    The first time, its package is imported, its library loaded and the driver made; this cannot
    be undone. Later calls return the same object.

    Raises
    ------
    InvalidArgument
        If the URI is malformed.
    NotFound
        If there is no such driver; the message lists those there are.
    StatusError
        If it is there but cannot be used; the message names its distribution and version, and
        ``__cause__`` is the original error.
    """
    # The short way, for a driver that was asked for in these words before; an error of the long
    # way is not to carry this KeyError as its context.
    try:
        return registry._fast[uri]
    except (KeyError, TypeError):
        pass
    return registry.get(uri)


def find_driver(name: str) -> HalDriver:
    """Return another driver to a driver that is being created."""
    return registry.get(name)
