# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Lists and runs the C tests, built with the address and undefined behaviour sanitizers.
"""Each case of each C test program is one test here."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest

from build_tools.native import BuildError, Config, build_programs, ctest_sources

SANITIZERS = os.environ.get("IREE_CY_TEST_SANITIZE", "address,undefined")
ENVIRONMENT = {
    **os.environ,
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    # Threads that live when the process exits are what some cases are about.
    "TSAN_OPTIONS": "halt_on_error=1:report_thread_leaks=0",
}
ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ctest_sources()


# What is for one kind of processor, and what stands for it elsewhere.
_BRANCHES = re.compile(
    r"^#if defined\(__x86_64__\)\n(.*?)^#else\n(.*?)^#endif  // __x86_64__$", re.DOTALL | re.MULTILINE
)


def _case_names(source: Path) -> list[str]:
    kept = r"\1" if platform.machine() == "x86_64" else r"\2"
    text = _BRANCHES.sub(kept, (ROOT / source).read_text())
    return re.findall(r"^CTEST\((\w+)\)", text, re.MULTILINE)


# Cases that those sanitizers do not bear run without them.
_UNBEARABLE = re.compile(
    r"^CTEST\((\w+)\) \{\n(?:(?!^\}).*\n)*?#if [^\n]*!defined\(__SANITIZE_(?:ADDRESS|THREAD)__\)", re.MULTILINE
)


def _unbearable_case_names(source: Path) -> list[str]:
    return _UNBEARABLE.findall((ROOT / source).read_text())


class _Programs:
    """Builds all programs at the first use, so that collecting the tests builds nothing."""

    def __init__(self) -> None:
        self._built: dict[Path, Path | BuildError] = {}

    def get(self, source: Path) -> Path:
        if not self._built:
            config = Config.from_environment(SANITIZERS)
            try:
                self._built.update(zip(SOURCES, build_programs(config, SOURCES), strict=True))
            except BuildError:
                # One by one, so that only the broken ones fail.
                for one in SOURCES:
                    try:
                        self._built[one] = build_programs(config, [one])[0]
                    except BuildError as error:
                        self._built[one] = error
        program = self._built[source]
        if isinstance(program, BuildError):
            pytest.fail(str(program), pytrace=False)
        return program


@pytest.fixture(scope="session")
def programs() -> _Programs:
    """Give the built C tests by source."""
    return _Programs()


def _run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to("tests").with_suffix("")))
def test_lists_its_cases(programs: _Programs, source: Path) -> None:
    """What the program lists is what stands in its source: no case is compiled away or doubled."""
    listed = _run(programs.get(source), "--list").stdout.split()
    assert listed, f"{source} has no case"
    assert sorted(listed) == sorted(set(_case_names(source)))


@pytest.mark.parametrize(
    ("source", "case"),
    [
        pytest.param(source, case, id=f"{source.relative_to('tests').with_suffix('')}::{case}")
        for source in SOURCES
        for case in dict.fromkeys(_case_names(source))
    ],
)
def test_case(programs: _Programs, source: Path, case: str) -> None:
    """The case passes and no sanitizer has anything to say."""
    done = _run(programs.get(source), case)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == [f"ok {case}"]


@pytest.mark.parametrize(
    ("source", "case"),
    [
        pytest.param(source, case, id=f"{source.relative_to('tests').with_suffix('')}::{case}")
        for source in SOURCES
        for case in _unbearable_case_names(source)
    ],
)
def test_case_that_a_sanitizer_does_not_bear(source: Path, case: str) -> None:
    """The case passes with the undefined behaviour sanitizer alone."""
    program = build_programs(Config.from_environment("undefined"), [source])[0]
    done = _run(program, case)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == [f"ok {case}"]
