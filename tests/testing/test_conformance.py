# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the drivers of the tree conform, and that the suite says so only when all of it has run.
"""The conformance suite on drivers that are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.driver_packages import make_null_package, run_conformance

_CONFORMANT = re.compile(r"conformant: (\d+) required, (\d+) of (\d+) optional")


@pytest.fixture(scope="module")
def null_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_null_package(tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize("driver", ["null", "local-sync", "local-task"])
def test_the_drivers_of_the_tree_conform(driver: str, null_site: Path, tmp_path: Path) -> None:
    done = run_conformance(driver, site=null_site, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    verdict = _CONFORMANT.fullmatch(done.stdout.splitlines()[-1])
    assert verdict, done.stdout[-2000:]
    required, passed, total = map(int, verdict.groups())
    assert required >= 200
    assert total >= 50
    if driver == "null":
        assert 0 < passed < total
        assert "excluded: executables: it moves bytes" in done.stdout
    else:
        assert passed == total


def test_each_format_of_the_programs_computes_the_same(tmp_path: Path) -> None:
    """The programs of the local drivers carry native code and bytecode."""
    for name in ("embedded-elf-x86_64", "vmvx"):
        (tmp_path / "profile.py").write_text(
            "import dataclasses\n"
            "from iree_cy._backends.local.conformance import profiles\n"
            "profile = profiles['local-sync']\n"
            f"profiles = {{'local-sync': dataclasses.replace(profile, device='://?formats={name}')}}\n"
        )
        done = run_conformance("local-sync", "--profile=profile.py", cwd=tmp_path)
        assert _CONFORMANT.fullmatch(_last_line(done.stdout)), done.stdout[-3000:]


def _last_line(done_text: str) -> str:
    return done_text.splitlines()[-1]


@pytest.mark.parametrize("arguments", [["-k", "test_fill"], ["-k", "not test_is_listed"], ["-m", "no"]])
def test_a_part_of_the_suite_proves_nothing(arguments: list[str], tmp_path: Path) -> None:
    done = run_conformance("local-sync", *arguments, cwd=tmp_path)
    assert done.returncode != 0
    assert _last_line(done.stdout).startswith("not conformant: only a part of the suite was run"), done.stdout


def test_one_file_proves_nothing(tmp_path: Path) -> None:
    done = run_conformance("local-sync", suite="iree_cy.testing.conformance.test_tiers", cwd=tmp_path)
    assert done.returncode != 0
    assert _last_line(done.stdout).startswith("not conformant: only a part of the suite was run"), done.stdout


def test_settings_of_the_folder_do_not_hide_cases(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_files = check_*.py\naddopts = --strict-markers\n")
    done = run_conformance("local-sync", cwd=tmp_path)
    assert _CONFORMANT.fullmatch(_last_line(done.stdout)), done.stdout[-2000:]


@pytest.mark.parametrize(
    ("driver", "profile", "words"),
    [
        ("", None, "name the driver to ask: --driver=NAME"),
        ("nobody", None, "no driver 'nobody'"),
        ("local-sync://", None, "name the driver to ask: --driver=NAME"),
        ("local-sync", "profiles = {}", "no iree_cy.testing.Profile for 'local-sync'"),
        ("local-sync", "1/0", "the profile of driver 'local-sync' cannot be read: "),
        (
            "local-sync",
            "from iree_cy.testing import Profile\nprofiles = {'local-sync': Profile({'transfers': 'slow'})}",
            "area 'transfers' is required of every driver",
        ),
    ],
)
def test_what_cannot_be_run_is_said(driver: str, profile: str | None, words: str, tmp_path: Path) -> None:
    arguments = []
    if profile is not None:
        (tmp_path / "profile.py").write_text(profile)
        arguments.append("--profile=profile.py")
    done = run_conformance(driver, *arguments, cwd=tmp_path)
    assert done.returncode not in (0, 1), done.stdout
    assert words in done.stdout
    assert "Traceback" not in done.stdout


def test_a_profile_excludes_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "profile.py").write_text(
        "from iree_cy.testing import Profile\n"
        "profiles = {'local-sync': Profile({'import-export': 'left out on purpose'}, device='://0')}\n"
    )
    done = run_conformance("local-sync", "--profile=profile.py", "-rs", cwd=tmp_path)
    assert "conformance of driver local-sync://0" in done.stdout
    assert "excluded: import-export: left out on purpose" in done.stdout
    assert done.returncode in (0, 1)


def test_the_plugin_of_pytest_leaves_others_alone(tmp_path: Path) -> None:
    """Elsewhere no option is there, so that those of other plugins with the same names work."""
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--driver')\n")
    (tmp_path / "test_it.py").write_text(
        "def test_it(request):\n    assert request.config.getoption('driver') == 'x'\n"
    )
    done = run_conformance("x", suite=str(tmp_path / "test_it.py"), cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in _last_line(done.stdout)
