# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns discovery: which installed distributions name drivers, read from metadata alone.
"""Find drivers in the metadata of installed distributions; import and load nothing.

The directories of ``sys.path`` are read here directly: it is faster than
``importlib.metadata``, which every program would have to import, and nothing that lies there can
make it fail. What is not a directory (zip files, finders of other packages) is left to
``importlib.metadata``.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from iree_cy import _fork
from iree_cy.uri import is_driver_name

__all__ = ["GROUP", "DriverEntry", "discover", "forget_discovered", "normalize"]

GROUP = "iree_cy.drivers"
_GROUP_BYTES = GROUP.encode()
_CORE_DISTRIBUTION = "iree-cy"
# More than any honest metadata file of a driver needs.
_MAX_METADATA_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SEPARATORS_RE = re.compile(r"[-_.]+")
# Of versions as they are written; more digits than any has would be slow to convert.
_DIGITS_RE = re.compile(r"[0-9]{1,18}")


class DriverEntry(NamedTuple):
    """One driver that an installed distribution names."""

    name: str
    """The driver's name."""
    value: str
    """What the entry point refers to, ``module:attribute``."""
    distribution: str
    """The distribution's name, as its metadata spells it."""
    version: str
    """The distribution's version; empty where the metadata does not say."""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the driver: its name and the normalised name of its distribution."""
        return self.name, normalize(self.distribution)

    @property
    def origin(self) -> str:
        """Distribution and version, for messages."""
        return f"{self.distribution} {self.version}".rstrip()


class _Candidate(NamedTuple):
    path: str
    """Where the metadata lies."""
    name: str
    """The distribution's name as the file name spells it."""
    version: str
    is_egg: bool


def normalize(distribution: str) -> str:
    """Normalise a distribution's name (PEP 503)."""
    return _SEPARATORS_RE.sub("-", distribution).lower()


_cache: tuple[object, dict[str, tuple[DriverEntry, ...]]] | None = None


def discover() -> dict[str, tuple[DriverEntry, ...]]:
    """Return the drivers that installed distributions name.

    The result of one scan is kept for as long as ``sys.path`` and its directories do not change.

    Returns
    -------
    dict of str to tuple of DriverEntry
        For each name, in alphabetical order, those who provide it; the first one wins the name.
    """
    global _cache
    signature = _signature()
    cached = _cache
    if cached is not None and cached[0] == signature:
        return cached[1]
    # It imports codecs at least.
    with _fork.FirstUse():
        found = _scan()
    _cache = (signature, found)
    return found


def forget_discovered() -> None:
    """Drop the kept scan, so that the next question reads the metadata again."""
    global _cache
    _cache = None


def _signature() -> object:
    result: list[object] = [len(sys.meta_path)]
    for entry in sys.path:
        result.append(entry if isinstance(entry, str) else id(entry))
        try:
            status = os.stat(entry or ".") if isinstance(entry, str) else None
            result.append((status.st_dev, status.st_ino, status.st_mtime_ns) if status else None)
        except (OSError, ValueError):
            result.append(None)
    return result


def _scan() -> dict[str, tuple[DriverEntry, ...]]:
    by_name: dict[str, dict[str, DriverEntry]] = {}
    for entry in [*_scan_directories(), *_scan_elsewhere()]:
        if is_driver_name(entry.name):
            # One distribution that is seen twice is one: the first counts.
            by_name.setdefault(entry.name, {}).setdefault(normalize(entry.distribution), entry)
    return {
        name: tuple(entries[key] for key in sorted(entries, key=lambda key: (key != _CORE_DISTRIBUTION, key)))
        for name, entries in sorted(by_name.items())
    }


def _scan_directories() -> Iterator[DriverEntry]:
    seen_directories: set[str] = set()
    # All metadata folders by normalised name, in the order of sys.path, and those with drivers.
    candidates: dict[str, list[_Candidate]] = {}
    with_drivers: dict[str, dict[str, list[tuple[str, str]]]] = {}
    places: list[object] = list(sys.path)
    for directory in places:
        if not isinstance(directory, str):
            continue
        try:
            real = os.path.realpath(directory or ".")
            if real in seen_directories:
                continue
            seen_directories.add(real)
        except (OSError, ValueError):
            continue
        for candidate in _metadata_folders(directory or "."):
            key = normalize(candidate.name)
            candidates.setdefault(key, []).append(candidate)
            drivers = _read_drivers(candidate.path)
            if drivers:
                with_drivers.setdefault(key, {})[candidate.path] = drivers
    for key, drivers_by_path in with_drivers.items():
        chosen = _choose(candidates[key], drivers_by_path)
        if chosen is not None and chosen.path in drivers_by_path:
            name, version = _read_name_and_version(chosen)
            for driver, value in drivers_by_path[chosen.path]:
                yield DriverEntry(driver, value, name, version)


def _choose(candidates: Iterable[_Candidate], with_drivers: Container[str]) -> _Candidate | None:
    # The first on sys.path is what Python imports, so it speaks for the distribution; but an
    # egg-info left over in a source folder does not outdo an installed dist-info, and a folder
    # that holds no metadata any more (a broken removal) does not speak at all.
    ordered = sorted(candidates, key=lambda candidate: candidate.is_egg)
    if len(ordered) == 1:
        return ordered[0]
    for candidate in ordered:
        if candidate.path in with_drivers or _is_intact(candidate):
            return candidate
    return None


def _is_intact(candidate: _Candidate) -> bool:
    name = "PKG-INFO" if candidate.is_egg else "METADATA"
    return os.path.isfile(os.path.join(candidate.path, name))


def _metadata_folders(directory: str) -> list[_Candidate]:
    found = []
    try:
        if directory.lower().endswith(".egg"):
            path = os.path.join(directory, "EGG-INFO")
            if os.path.isdir(path):
                found.append(_candidate(path, os.path.basename(directory)[: -len(".egg")], is_egg=True))
        with os.scandir(directory) as entries:
            for entry in entries:
                # pip renames to "~..." what it is about to remove.
                name = entry.name
                if name.endswith((".dist-info", ".egg-info")) and name[0] not in "~.":
                    is_egg = name.endswith(".egg-info")
                    found.append(
                        _candidate(entry.path, name[: -len(".dist-info" if not is_egg else ".egg-info")], is_egg)
                    )
    except (OSError, ValueError):
        # Unreadable, from the beginning or from here on.
        pass
    # A folder lists in no order. Of two versions that an update left side by side the newer one is first.
    found.sort(key=lambda candidate: (_version_key(candidate.version), candidate.path), reverse=True)
    return found


def _version_key(version: str) -> list[int]:
    return [int(digits) for digits in _DIGITS_RE.findall(version)]


def _candidate(path: str, stem: str, is_egg: bool) -> _Candidate:
    # Names of files may be no text, and go to terminals.
    name, _, version = _printable(stem).partition("-")
    return _Candidate(path, name, version.partition("-py")[0] if is_egg else version, is_egg)


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def _read_drivers(folder: str) -> list[tuple[str, str]]:
    data = _read_file(folder + "/entry_points.txt")
    if data is None or _GROUP_BYTES not in data:
        return []
    return list(_parse_group(data.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace")))


def _parse_group(text: str) -> Iterator[tuple[str, str]]:
    section = None
    seen = set()
    for raw_line in text.splitlines():
        line = raw_line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip()
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if section == GROUP and equals and name and name not in seen:
            seen.add(name)
            yield name, value


def _read_name_and_version(candidate: _Candidate) -> tuple[str, str]:
    name, version = candidate.name, candidate.version
    file_name = "PKG-INFO" if candidate.is_egg else "METADATA"
    data = _read_file(os.path.join(candidate.path, file_name)) or b""
    told: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        if not line:
            break
        field, _, value = line.partition(":")
        told.setdefault(field.lower(), _printable(value.strip()))
    # A metadata name that is not the folder's belongs to a damaged folder: keep the folder's.
    if normalize(told.get("name", "")) == normalize(name):
        name = told["name"]
    return name, told.get("version") or version


def _read_file(path: str) -> bytes | None:
    # From regular files only, and without blocking: what lies on sys.path may be anything, devices that act when they
    # are opened included.
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            return None
        room = min(info.st_size, _MAX_METADATA_BYTES)
        data = os.read(descriptor, room)
        while 0 < len(data) < room:
            more = os.read(descriptor, room - len(data))
            if not more:
                break
            data += more
        return data
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _scan_elsewhere() -> Iterator[DriverEntry]:
    archives = [entry for entry in sys.path if isinstance(entry, str) and entry and _is_archive(entry)]
    finders = [finder for finder in sys.meta_path if _is_foreign_finder(finder)]
    if not archives and not finders:
        return
    from importlib import metadata

    sources = [
        (
            metadata.MetadataPathFinder.find_distributions,
            metadata.DistributionFinder.Context(path=[a]),
        )
        for a in archives
    ] + [
        (finder.find_distributions, metadata.DistributionFinder.Context())  # type: ignore[attr-defined]
        for finder in finders
    ]
    for find, context in sources:
        try:
            distributions = list(find(context))
        except (Exception, SystemExit):
            continue
        for distribution in distributions:
            try:
                text = distribution.read_text("entry_points.txt") or ""
                if GROUP not in text:
                    continue
                name = _printable(str(distribution.metadata["Name"] or ""))
                version = _printable(str(distribution.metadata["Version"] or ""))
                drivers = list(_parse_group(text)) if name else []
            except (Exception, SystemExit):
                continue
            for driver, value in drivers:
                yield DriverEntry(driver, value, name, version)


def _is_archive(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:
        return False


def _is_foreign_finder(finder: object) -> bool:
    module = getattr(finder, "__module__", None) or type(finder).__module__
    # Python's own finder and its backport look where this file looks.
    if str(module).partition(".")[0] in (
        "_frozen_importlib_external",
        "importlib",
        "importlib_metadata",
    ):
        return False
    return callable(getattr(finder, "find_distributions", None))
