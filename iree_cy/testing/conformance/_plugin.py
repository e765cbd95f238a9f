# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the run of the conformance suite: its options, which cases count, and the verdict in the last line.
"""What turns a run of pytest into a verdict on a driver."""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import os
import runpy
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import iree_cy as rt
from iree_cy.errors import one_line
from iree_cy.plugins.registry import registry
from iree_cy.testing.profile import OPTIONAL_AREAS, REQUIRED_AREAS, Profile

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Conformance", "add_options", "find_profile"]

_FOLDER = Path(__file__).parent.resolve()


def add_options(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    group = parser.getgroup("iree_cy conformance")
    for name, text in (
        ("--driver", "the driver that is asked, as in a device URI"),
        ("--profile", "a Python file with `profiles`, in place of the one in the driver's package"),
    ):
        try:
            group.addoption(name, action="store", default=None, help=text)
        except ValueError:  # Another plugin has an option of this name; its value is as good.
            continue
    group.addoption(
        "--case-limit",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="end the run when one case takes longer: a call of the driver does not return (default: 300; 0: never)",
    )


def area_of(path: Path) -> str | None:
    """Return the area that a file of the suite belongs to, or None of any other file."""
    if path.resolve().parent != _FOLDER:
        return None
    area = path.stem.removeprefix("test_").replace("_", "-")
    return area if area in REQUIRED_AREAS or area in OPTIONAL_AREAS else None


def find_profile(uri: str, file: str | None) -> Profile:
    """Return the profile of a driver: from a file, else from its package, else the one that excludes nothing.

    Raises
    ------
    pytest.UsageError
        If it cannot be read.
    """
    name, _, distribution = uri.partition("@")
    try:
        if file is not None:
            origin, found = file, runpy.run_path(file)
        else:
            module = _profile_module(name, distribution)
            if module is None:
                return Profile()
            origin, found = module, vars(importlib.import_module(module))
    except Exception as error:
        raise pytest.UsageError(f"the profile of driver {name!r} cannot be read: {one_line(error)}") from error
    profiles = found.get("profiles")
    profile = profiles.get(name) if isinstance(profiles, dict) else None
    if not isinstance(profile, Profile):
        raise pytest.UsageError(f"{origin} has no iree_cy.testing.Profile for {name!r} in its dict `profiles`")
    return profile


def _profile_module(name: str, distribution: str) -> str | None:
    try:
        entry = registry.resolve(name, distribution or None)
    except rt.NotFound:
        return None  # Asking for the driver will say so.
    if isinstance(entry, rt.DriverPlugin):
        return None
    module = entry.value.partition(":")[0].strip()
    spec = importlib.util.find_spec(module)
    package = module if spec is not None and spec.submodule_search_locations else module.rpartition(".")[0]
    candidate = f"{package}.conformance"
    return candidate if package and importlib.util.find_spec(candidate) is not None else None


class Conformance:
    """The hooks of one run."""

    def __init__(self) -> None:
        self.driver = ""
        self.profile = Profile()
        self._is_partial = False
        # What became of each case, by its node id: None until it has run.
        self._areas: dict[str, str] = {}
        self._outcomes: dict[str, str | None] = {}
        self._errors = 0
        self._verdict: str | None = None
        self._limit = 0.0
        # What pytest captures is not what the last line is written to.
        self._stdout = -1

    def pytest_configure(self, config: pytest.Config) -> None:
        """Read the options."""
        if config.getoption("help") or config.getoption("version"):
            return
        if not config.getoption("usepdb"):
            self._limit = config.getoption("--case-limit")
        self._stdout = os.dup(1)
        driver = config.getoption("--driver")
        if isinstance(driver, (list, tuple)):
            driver = driver[0] if driver else None
        if not driver or not isinstance(driver, str) or ":" in driver:
            raise pytest.UsageError(
                "name the driver to ask: --driver=NAME (its device under test is said by its profile); "
                f"there are: {', '.join(rt.query_available_drivers())}"
            )
        self.driver = driver
        profile = config.getoption("--profile")
        self.profile = find_profile(driver, profile if isinstance(profile, str) else None)
        try:
            rt.get_driver(driver)
        except rt.NotFound as error:
            raise pytest.UsageError(one_line(error)) from error
        except Exception:
            pass  # A case will say so.
        config.pluginmanager.register(_Names(), "iree_cy_conformance_names")

    def pytest_report_header(self) -> list[str]:
        """Say who is asked, and what not."""
        excluded = [f"excluded: {area}: {reason}" for area, reason in self.profile.exclusions.items()]
        return [f"conformance of driver {self.driver}{self.profile.device}", *excluded]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Note all cases before anything deselects some, and let the excluded ones be skipped."""
        for item in items:
            area = area_of(item.path)
            if area is None:
                continue
            self._areas[item.nodeid] = area
            self._outcomes[item.nodeid] = None
            reason = self.profile.exclusions.get(area)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=f"{area} is excluded: {reason}"))
        self._is_partial = any("::" in argument for argument in config.args)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """End the run when a call of the driver does not return."""
        if self._limit <= 0:
            return (yield)
        timer = threading.Timer(self._limit, self._give_up, (item,))
        timer.daemon = True
        timer.start()
        try:
            return (yield)
        finally:
            timer.cancel()

    def _give_up(self, item: pytest.Item) -> None:
        os.write(self._stdout, b"\n")
        faulthandler.dump_traceback(self._stdout)
        area = self._areas.get(item.nodeid, "the suite")
        verdict = f"not conformant: {area}: {item.name} did not end within {self._limit:.0f} s\n"
        os.write(self._stdout, verdict.encode())
        os._exit(pytest.ExitCode.TESTS_FAILED)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let a case that may not be skipped fail."""
        report = yield
        area = self._areas.get(item.nodeid)
        if report.skipped and area is not None and area not in self.profile.exclusions:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            report.outcome = "failed"
            report.longrepr = f"a case of {area} may not be skipped unless the profile excludes the area: {reason}"
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what became of a case."""
        known = self._outcomes.get(report.nodeid, "unknown")
        if known == "unknown" or known == "failed":
            return
        if report.failed or report.when == "call" or (report.when == "setup" and report.skipped):
            self._outcomes[report.nodeid] = report.outcome

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that cannot be imported."""
        self._errors += report.failed

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Make up the verdict; a run that proves nothing has failed."""
        if session.config.getoption("collectonly"):
            return
        conformant, self._verdict = self._judge()
        if not conformant and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judge(self) -> tuple[bool, str]:
        failed = Counter(self._areas[case] for case, outcome in self._outcomes.items() if outcome == "failed")
        if failed:
            told = ", ".join(f"{area} ({failed[area]})" for area in (*REQUIRED_AREAS, *OPTIONAL_AREAS) if failed[area])
            return False, f"not conformant: {sum(failed.values())} of {len(self._outcomes)} cases failed: {told}"
        if self._errors:
            return False, f"not conformant: {self._errors} files of the suite could not be read"
        left_out = [case for case, outcome in self._outcomes.items() if outcome is None]
        missing = set(filter(None, map(area_of, _FOLDER.glob("test_*.py")))) - set(self._areas.values())
        if self._is_partial or left_out or missing:
            ran = len(self._outcomes) - len(left_out)
            return False, f"not conformant: only a part of the suite was run, {ran} cases"
        passed = Counter(self._areas[case] for case, outcome in self._outcomes.items() if outcome == "passed")
        required = sum(passed[area] for area in REQUIRED_AREAS)
        optional = sum(passed[area] for area in OPTIONAL_AREAS)
        total = sum(area in OPTIONAL_AREAS for area in self._areas.values())
        return True, f"conformant: {required} required, {optional} of {total} optional"

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Write the last line."""
        if self._stdout >= 0:
            os.close(self._stdout)
            self._stdout = -1
        if self._verdict is not None:
            config.get_terminal_writer().line(self._verdict)


class _Names:
    """What the settings of the folder where pytest runs must not change: how cases are found."""

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Any:
        """Collect the suite's files where the settings name other patterns."""
        patterns = parent.config.getini("python_files")
        if area_of(file_path) is None or any(file_path.match(pattern) for pattern in patterns):
            return None
        return pytest.Module.from_parent(parent, path=file_path)
