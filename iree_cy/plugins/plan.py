# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns plan(): which of the installed drivers could run a program, and why the others could not.
"""Compare what a program carries with what the installed drivers say that they run; no driver is loaded."""

from __future__ import annotations

import fnmatch
import json
import os
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from iree_cy.errors import listing, one_line, quote
from iree_cy.plugins.driver_plugin import DriverPlugin
from iree_cy.plugins.registry import registry

__all__ = ["Plan", "PlanEntry", "plan"]

# Modules that every context has.
_MODULES: Final = frozenset(("hal",))
_PARAMETERS: Final = "io_parameters"


@dataclass(frozen=True)
class PlanEntry:
    """What is known of one driver and the program.

    Attributes
    ----------
    driver : str
        Its name.
    runs : bool or None
        Whether it could run the program; None where that cannot be known without a device.
    reasons : tuple of str
        Why not, or what is not known.
    """

    driver: str
    runs: bool | None
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = {True: "could run it", None: "may run it", False: "cannot run it"}[self.runs]
        return f"{self.driver}: {words}{': ' if self.reasons else ''}{'; '.join(self.reasons)}"


@dataclass(frozen=True)
class Plan:
    """What a program needs, and which drivers have it.

    Attributes
    ----------
    file : str
        The program's file.
    executable_formats : dict of str to int
        The formats that the program carries, with the number of executables in each.
    devices : tuple of str
        The names by which it asks for devices, with ``*`` for any ending; one of several may be enough.
    modules : tuple of str
        Modules that it imports and no context has by itself.
    parameters : tuple of str
        The parameters that it loads, as ``scope::key``.
    entries : tuple of PlanEntry
        One for each driver, those first that could run it.
    """

    file: str
    executable_formats: dict[str, int]
    devices: tuple[str, ...]
    modules: tuple[str, ...]
    parameters: tuple[str, ...]
    entries: tuple[PlanEntry, ...]

    def to_json(self) -> str:
        """Return the plan as JSON."""
        return json.dumps(asdict(self), indent=2)

    def __str__(self) -> str:
        carried = [f"{count} x {name}" for name, count in self.executable_formats.items()]
        needs = [f"executables {', '.join(carried)}"] if carried else ["no executables"]
        for what, names in (("devices", self.devices), ("modules", self.modules), ("parameters", self.parameters)):
            needs += [f"{what} {listing(names)}"] if names else []
        return "\n".join([f"{self.file}: {'; '.join(needs)}", *(f"  {entry}" for entry in self.entries)])


@dataclass(frozen=True)
class _Executable:
    format: str
    constant_count: int | None
    read: Callable[[], bytes] | None


@dataclass(frozen=True)
class _Needs:
    executables: tuple[_Executable, ...]
    devices: tuple[str, ...]
    modules: tuple[str, ...]
    parameters: tuple[str, ...]
    is_whole: bool
    """Whether everything that was looked for was found."""


def plan(file: str | os.PathLike[str]) -> Plan:
    """Tell which of the installed drivers could run a program, and why the others could not.

    The program is read and verified, not run; the packages of drivers are imported, and none of their libraries is
    loaded.

    Parameters
    ----------
    file
        The compiled program.

    Raises
    ------
    OSError
        If the file cannot be read.
    InvalidArgument, Incompatible
        If it is no program, or one of another version.
    """
    needs = _read(file)
    formats = Counter(executable.format for executable in needs.executables)
    entries = [PlanEntry(name, *_judge(name, needs)) for name in registry.names()]
    order = {True: 0, None: 1, False: 2}
    return Plan(
        os.fsdecode(file),
        dict(formats),
        needs.devices,
        needs.modules,
        needs.parameters,
        tuple(sorted(entries, key=lambda entry: order[entry.runs])),
    )


def _read(file: str | os.PathLike[str]) -> _Needs:
    """Find in a program's calls what it asks for."""
    from iree_cy._core import VmInstance, VmModule, import_calls, module_constant

    module = VmModule.mmap(VmInstance(), file)
    executables: list[_Executable] = []
    devices: list[str] = []
    modules: list[str] = []
    parameters: list[str] = []
    is_whole = True

    def constant(reference: int | None) -> bytes | None:
        return None if reference is None or reference < 0 else module_constant(module, reference)

    def text(reference: int | None) -> str | None:
        found = constant(reference)
        return None if found is None else found.decode("utf-8", "replace")

    for name, references in import_calls(module):
        owner, _, function = name.partition(".")
        if owner not in _MODULES:
            modules.append(owner)
        if owner == _PARAMETERS:
            parameters += _parameters([constant(reference) for reference in references])
        elif function == "device.query.i64":
            category, key = map(text, references[1:])
            if category == "hal.device.id" and key is not None:
                devices.append(key)
            is_whole = is_whole and category is not None and (key is not None or category != "hal.device.id")
        elif function == "executable.create":
            name_of_format, data, constants = references[1:]
            carried = text(name_of_format)
            is_whole = is_whole and carried is not None
            if carried is not None:
                read = None if data is None else lambda data=data: module_constant(module, data)
                executables.append(_Executable(carried, 0 if constants == -1 else None, read))
    return _Needs(tuple(executables), _once(devices), _once(modules), _once(parameters), is_whole)


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _parameters(constants: Sequence[bytes | None]) -> list[str]:
    """Return the parameters of one call that loads some: a scope, if any, then a table of keys, their text, spans."""
    known = [constant for constant in constants if constant is not None]
    if len(known) < 3:
        return []
    *front, table, keys, _spans = known
    scope = f"{front[-1].decode('utf-8', 'replace')}::" if front else ""
    ends = [struct.unpack_from("<II", table, offset) for offset in range(0, len(table) - len(table) % 8, 8)]
    return [scope + keys[start : start + size].decode("utf-8", "replace") for start, size in ends]


def _judge(name: str, needs: _Needs) -> tuple[bool | None, tuple[str, ...]]:
    """Return whether a driver could run a program, and the reasons."""
    try:
        plugin = registry.plugin(name)
    except Exception as error:
        return False, (one_line(error),)
    unusable = _ask("check", plugin.check) if plugin.check is not None else None
    wrong: list[str] = [unusable] if unusable is not None else []
    unknown: list[str] = [] if needs.is_whole else ["the program works out what it asks for while it runs"]
    for judge in (_judge_modules, _judge_devices, _judge_executables):
        more_wrong, more_unknown = judge(plugin, needs)
        wrong += more_wrong
        unknown += more_unknown
    if wrong:
        return False, tuple(wrong)
    return (None, tuple(unknown)) if unknown else (True, ())


_Reasons = tuple[list[str], list[str]]


def _judge_modules(plugin: DriverPlugin, needs: _Needs) -> _Reasons:
    if _PARAMETERS in needs.modules:
        names = f" {listing(needs.parameters)}" if needs.parameters else ""
        return [f"the program loads parameters{names}, which iree_cy cannot: compile it with its parameters inside"], []
    return [], [f"the program imports the module {name!r}, which you have to give it" for name in needs.modules]


def _judge_devices(plugin: DriverPlugin, needs: _Needs) -> _Reasons:
    others = [pattern for pattern in needs.devices if not fnmatch.fnmatchcase(plugin.name, pattern)]
    if not others:
        return [], []
    if len(others) == len(needs.devices):
        # A device may answer to more names than its driver's: one that stands before another does.
        return [], [f"the program asks for devices called {listing(others)}"]
    return [], [f"the program asks for devices called {listing(others)} too, besides or instead"]


def _judge_executables(plugin: DriverPlugin, needs: _Needs) -> _Reasons:
    if not needs.executables:
        return [], []
    if not plugin.executable_formats:
        return [], ["the driver does not say which executables it loads (executable_formats= of its DriverPlugin)"]
    carried = Counter(executable.format for executable in needs.executables)
    loaded = {name: _loads(plugin, name) for name in carried}
    if not any(loaded.values()):
        return [f"the program carries {listing(carried)}; the driver loads {listing(plugin.executable_formats)}"], []
    wrong: dict[str, list[str]] = {}
    for executable in needs.executables:
        if loaded[executable.format]:
            reason = _refuses(plugin, executable)
            if reason is not None:
                wrong.setdefault(executable.format, []).append(reason)
    whole = max(carried.values())
    good = [name for name in carried if loaded[name] and name not in wrong]
    if wrong:
        advice = [f"its executables of format {name} would do" for name in good]
        return [*_once([reason for reasons in wrong.values() for reason in reasons]), *advice], []
    if any(carried[name] == whole for name in good):
        return [], []
    return [], [f"some of the program's executables are {listing(name for name in carried if not loaded[name])} only"]


def _loads(plugin: DriverPlugin, name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in plugin.executable_formats)


def _refuses(plugin: DriverPlugin, executable: _Executable) -> str | None:
    # What is loaded with constants that are worked out at run time can only be tried then.
    if plugin.check_executable is None or executable.read is None or executable.constant_count is None:
        return None
    return _ask("check_executable", plugin.check_executable, executable.format, executable.read())


def _ask(what: str, function: Callable[..., object], *arguments: object) -> str | None:
    """Return what a function of a plugin says, or what is wrong with the function: no plugin ends a plan."""
    try:
        answer = function(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"its {what}() failed: {one_line(error)}"
    if answer is None or isinstance(answer, str):
        return answer
    return f"its {what}() returned {quote(answer)}, which is neither None nor a reason"
