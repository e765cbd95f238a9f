# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the programs of the suite are what the committed ones were made of.
"""The programs of the conformance suite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import iree_cy as rt
from iree_cy.testing import programs


def test_all_programs_are_compiled_for_the_local_drivers() -> None:
    from iree_cy._backends.local.conformance import profiles

    names = {source.stem for source in programs.sources()}
    assert len(names) == 5
    for profile in profiles.values():
        assert profile.programs is not None
        assert {path.stem for path in profile.programs.iterdir()} == names


def test_compiling_gives_the_committed_programs(tmp_path: Path) -> None:
    """The same compiler, flags and sources: whoever changes one of them compiles again."""
    from iree_cy._backends.local.conformance import PROGRAM_FLAGS, profiles

    folder = profiles["local-sync"].programs
    assert folder is not None
    for path in programs.build("local-sync", tmp_path, PROGRAM_FLAGS):
        assert path.read_bytes() == (folder / path.name).read_bytes(), f"{path.name} is out of date"


def test_a_driver_without_flags_is_told(tmp_path: Path) -> None:
    plugin = rt.DriverPlugin("flagless", "Without flags", "/nowhere.so")
    rt.register_driver(plugin)
    try:
        with pytest.raises(rt.FailedPrecondition, match="driver 'flagless' declares no compile_flags"):
            programs.build("flagless", tmp_path)
    finally:
        rt.unregister_driver("flagless")


def test_the_command_line(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "iree_cy.testing.programs"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    done = run("--driver=local-sync", "--output=made")
    assert done.returncode == 0, done.stderr
    made = sorted((tmp_path / "made").iterdir())
    assert [path.stem for path in made] == [source.stem for source in programs.sources()]
    assert done.stdout.splitlines()[0] == f"made/{made[0].name}  {made[0].stat().st_size} bytes"
    done = run("--driver=nobody", "--output=made")
    assert done.returncode == 1
    assert done.stderr.startswith("error: no driver 'nobody'")
    done = run("--driver=local-sync", "--output=made", "--flag=--no-such-flag")
    assert done.returncode == 1
    assert "iree-compile gave up on" in done.stderr
