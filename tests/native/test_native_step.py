# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the native step on a small tree: what it builds, and what it builds again.
"""The native step builds what has changed and nothing else."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


class Tree:
    """A core of two sources and a header, with the build tools of this one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(ROOT / "build_tools", root / "build_tools", ignore=shutil.ignore_patterns("__pycache__"))
        self.write("include/iree_cy/base/one.h", "int iree_one(void);\n")
        self.write("iree_cy/native/base/one.c", '#include "iree_cy/base/one.h"\nint iree_one(void) { return 1; }\n')
        self.write("iree_cy/native/base/two.c", "int iree_two(void);\nint iree_two(void) { return 2; }\n")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, *arguments: str, **environment: str) -> tuple[Path, str]:
        done = subprocess.run(
            [sys.executable, "-m", "build_tools.native", *arguments],
            cwd=self.root,
            env={**os.environ, "IREE_CY_SANITIZE": "", "IREE_CY_WERROR": "", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return Path(done.stdout.splitlines()[0]), done.stderr

    def times(self, archive: Path) -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in archive.parent.rglob("*") if path.suffix in (".o", ".a")}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def _members(archive: Path) -> list[str]:
    text = subprocess.run(["ar", "t", archive], check=True, capture_output=True, text=True).stdout
    return sorted(text.split())


def test_builds_nothing_twice(tree: Tree) -> None:
    archive, _ = tree.build()
    assert _members(archive) == ["one.o", "two.o"]
    before = tree.times(archive)
    assert tree.build()[0] == archive
    assert tree.times(archive) == before


def test_a_header_rebuilds_what_includes_it(tree: Tree) -> None:
    archive, _ = tree.build()
    before = tree.times(archive)
    tree.write("include/iree_cy/base/one.h", "int iree_one(void);  // changed\n")
    tree.build()
    after = tree.times(archive)
    assert {name for name in after if after[name] != before[name]} == {"one.o", "libiree_cy.a"}


def test_a_source_that_is_gone_leaves_the_archive(tree: Tree) -> None:
    archive, _ = tree.build()
    (tree.root / "iree_cy/native/base/two.c").unlink()
    tree.build()
    assert _members(archive) == ["one.o"]


def test_other_flags_are_other_objects(tree: Tree) -> None:
    plain, _ = tree.build()
    sanitized, _ = tree.build("--sanitize", "undefined,address")
    strict, _ = tree.build(IREE_CY_WERROR="1")
    assert len({plain, sanitized, strict}) == 3
    assert sanitized.parent.name.startswith("address-undefined-")
    symbols = subprocess.run(["nm", "--undefined-only", sanitized], check=True, capture_output=True, text=True).stdout
    assert "__asan_init" in symbols


def test_files_for_another_machine_are_left_out(tree: Tree) -> None:
    tree.write("iree_cy/native/base/three_x86_64.c", "int iree_three(void);\nint iree_three(void) { return 3; }\n")
    tree.write("iree_cy/native/base/three_aarch64.c", "int iree_three(void);\nint iree_three(void) { return 3; }\n")
    archive, _ = tree.build()
    assert _members(archive) == ["one.o", f"three_{os.uname().machine}.o", "two.o"]


def test_shows_every_broken_file_and_leaves_no_archive(tree: Tree) -> None:
    tree.write("iree_cy/native/base/one.c", "int broken_one(void) { return nothing; }\n")
    tree.write("iree_cy/native/base/two.c", "int broken_two(void) { return nothing; }\n")
    with pytest.raises(RuntimeError) as caught:
        tree.build()
    assert "one.c does not compile" in str(caught.value)
    assert "two.c does not compile" in str(caught.value)
    assert list(tree.root.rglob("*.a")) == []


def test_warnings_are_errors_when_asked(tree: Tree) -> None:
    tree.write("iree_cy/native/base/two.c", "static int unused(void) { return 2; }\n")
    assert "unused" in tree.build()[1]
    with pytest.raises(RuntimeError, match="Werror"):
        tree.build(IREE_CY_WERROR="1")


def test_says_what_is_wrong_with_the_environment(tree: Tree) -> None:
    with pytest.raises(RuntimeError, match="unknown sanitizer 'memory'; known are address, thread, undefined"):
        tree.build("--sanitize", "memory")
    with pytest.raises(RuntimeError, match=r"'no-such-cc' does not run .*install one, or name yours in CC"):
        tree.build(CC="no-such-cc")


def test_builds_plugins_in_cxx(tree: Tree) -> None:
    """A plugin's sources are C and C++, with its own standard, flags and header folders."""
    shutil.copytree(
        ROOT / "backends" / "null", tree.root / "backends" / "null", ignore=shutil.ignore_patterns("*.so", "src")
    )
    tree.write("backends/null/sdk/vendor.h", "#define VENDOR 3\n")
    tree.write("backends/null/src/a.c", "int a(void);\nint a(void) { return NUMBER; }\n")
    cxx = (
        '#include "vendor.h"\n#include <string>\nextern "C" int a(void);\n'
        'static_assert(__cplusplus == 202002L, "what std says");\n'
        'extern "C" __attribute__((visibility("default"))) int iree_cy_driver_plugin_query(const char* text) {\n'
        "  return a() + VENDOR + std::stoi(std::string(text));\n}\n"
    )
    tree.write("backends/null/src/a.cc", cxx)
    manifest = tree.root / "backends" / "null" / "pyproject.toml"
    library = 'sources = ["src/*.c*"]\ninclude = ["sdk"]\nstd = "c++20"\ncompile = ["-DNUMBER=30"]'
    manifest.write_text(manifest.read_text().replace('sources = ["src/*.c"]', library))
    code = (
        "from pathlib import Path; from build_tools import native, plugins\n"
        "folder = native.ROOT / 'backends' / 'null'\n"
        "plugin = plugins._plugin_build(folder).read_plugin(folder)\n"
        "print(*plugins.build_plugin(native.Config.from_environment(), plugin, Path('out')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree.root,
        env={**os.environ, "IREE_CY_SANITIZE": "", "IREE_CY_WERROR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    library_path = tree.root / done.stdout.splitlines()[-1]
    assert ctypes.CDLL(str(library_path)).iree_cy_driver_plugin_query(b"400") == 30 + 3 + 400


def test_runs_c_tests(tree: Tree) -> None:
    tree.write("tests/base/one_test.c", '#include "iree_cy/base/one.h"\nint main(void) { return iree_one() - 1; }\n')
    tree.write("tests/base/two_test.c", "int iree_two(void);\nint main(void) { return iree_two(); }\n")
    with pytest.raises(RuntimeError):
        tree.build("--tests", "all", "--run")
    (tree.root / "tests/base/two_test.c").unlink()
    tree.build("--tests", "base", "--run")
