# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the diagnosis of drivers: the first step that fails from a name to its devices, and what to do.
"""Say of each driver how far one gets with it, without loading any here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from iree_cy.errors import listing
from iree_cy.plugins.driver_plugin import DriverPlugin
from iree_cy.plugins.probe import STEPS, ProbeResult, probe
from iree_cy.plugins.registry import registry
from iree_cy.uri import parse_device_uri

__all__ = ["DoctorReport", "DriverReport", "Step", "doctor"]

_ADVICE: Final = {
    "import": "install what its package needs, or reinstall the package",
    "check": "do what its package asks for",
    "library": "install the libraries that it needs, and see LD_LIBRARY_PATH; or reinstall the package",
    "abi": "install versions of the driver and of iree-cy that fit each other",
    "factory": "see the driver's documentation for what it needs: a vendor's library, a device, a variable",
    "devices": "see whether the device is there and may be used by this user",
}


@dataclass(frozen=True)
class Step:
    """One step of a diagnosis.

    Attributes
    ----------
    name : str
        ``entry point``, ``distribution``, or a step of `iree_cy.plugins.probe.STEPS`.
    status : str
        ``passed``, ``failed``, or ``skipped`` when an earlier one has failed.
    detail : str
        What was found, or what is wrong.
    advice : str
        What to do about a failure.
    """

    name: str
    status: str
    detail: str = ""
    advice: str = ""


@dataclass(frozen=True)
class DriverReport:
    """The steps of one driver."""

    name: str
    steps: tuple[Step, ...]
    devices: tuple[dict[str, Any], ...]
    output: str

    @property
    def ok(self) -> bool:
        """Whether all steps passed."""
        return all(step.status == "passed" for step in self.steps)

    def __str__(self) -> str:
        lines = [f"{self.name}: {'ok' if self.ok else 'cannot be used'}"]
        for step in self.steps:
            lines.append(f"  {step.status:7} {step.name}{': ' if step.detail else ''}{step.detail}")
            if step.advice:
                lines.append(f"          {step.advice}")
        if self.output and not self.ok:
            lines += ["  what it printed:", *(f"    {line}" for line in self.output.splitlines()[-10:])]
        return "\n".join(lines)


@dataclass(frozen=True)
class DoctorReport:
    """The reports of the drivers that were asked for."""

    drivers: tuple[DriverReport, ...]

    @property
    def ok(self) -> bool:
        """Whether all of them can be used."""
        return all(driver.ok for driver in self.drivers)

    def to_json(self) -> str:
        """Return the report as JSON."""
        drivers = [{**asdict(driver), "ok": driver.ok} for driver in self.drivers]
        return json.dumps({"ok": self.ok, "drivers": drivers}, indent=2)

    def __str__(self) -> str:
        return "\n".join(map(str, self.drivers)) or "no drivers are installed"


def doctor(driver: str | None = None, timeout: float = 30.0) -> DoctorReport:
    """Find out how far one gets with a driver, or with each that there is.

    The steps are taken in a child process: entry point, distribution, import, check, library, abi, factory, devices.
    A driver that crashes, exits or hangs there is a step that failed.

    Parameters
    ----------
    driver
        The driver, as ``name[@distribution]``; None for all.
    timeout
        Seconds for each driver.

    Raises
    ------
    NotFound
        If there is no such driver; the message lists those there are.
    InvalidArgument
        If the name is malformed or the time not positive.
    """
    names: Iterable[str] = registry.names() if driver is None else [driver]
    return DoctorReport(tuple(_examine(name, timeout) for name in names))


def _examine(name: str, timeout: float) -> DriverReport:
    result = probe(name, timeout)
    uri = parse_device_uri(name)
    entry = registry.resolve(uri.driver, uri.distribution)
    if isinstance(entry, DriverPlugin):
        value, origin = "registered by call", "none"
    else:
        others = [other.origin for other in registry.entries(uri.driver) if other != entry]
        value, origin = entry.value, entry.origin + (f" (also from {', '.join(others)})" if others else "")
    first = (Step("entry point", "passed", value), Step("distribution", "passed", origin))
    return DriverReport(name, (*first, *_steps(result)), result.devices or (), result.output)


def _steps(result: ProbeResult) -> list[Step]:
    steps = []
    status = "passed"
    for name in STEPS:
        if name == result.step:
            steps.append(Step(name, "failed", result.error or "", _ADVICE[name]))
            status = "skipped"
        elif name == "devices" and result.devices is not None:
            paths = listing((info["path"] for info in result.devices), 90) if result.devices else "none"
            steps.append(Step(name, status, paths))
        else:
            steps.append(Step(name, status))
    return steps
