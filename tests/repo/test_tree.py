# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what holds of every file of the project: its head, its size, what it may mention.
"""Rules that hold of every file."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.support.tree import GENERATED, ROOT, files, strip_c_comments

SLASHES = {".c", ".cc", ".cpp", ".h", ".inl", ".inc", ".mlir"}
HASHES = {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".sh", ".toml", ".yml", ".cfg", ".in"}
MAX_LINES = 800
# Texts that a machine wrote, test data in full, and the licence.
DATA = re.compile(r"(^|/)(testdata|data|models)/|\.txt$")

CODE = [path for path in files() if path.suffix in SLASHES | HASHES and not DATA.search(path.as_posix())]
NATIVE = [path for path in files() if path.suffix in {".c", ".h", ".inl", ".inc"}]


def _ids(path: Path) -> str:
    return path.as_posix()


def test_there_is_something_to_look_at() -> None:
    assert len(CODE) > 50
    assert len(NATIVE) > 20


@pytest.mark.parametrize("path", CODE, ids=_ids)
def test_head(path: Path) -> None:
    """Licence in two lines, then what the file owns."""
    mark = "//" if path.suffix in SLASHES else "#"
    lines = (ROOT / path).read_text().splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    assert lines[:2] == [
        f"{mark} SPDX-FileCopyrightText: 2026 The iree_cy Authors",
        f"{mark} SPDX-License-Identifier: Apache-2.0",
    ]
    sentence = ""
    for line in lines[2:]:
        if not line.startswith(f"{mark} "):
            break
        sentence += line[len(mark) :]
    assert re.match(r" [A-Z].*[.:]", sentence), "the third line says in a sentence what the file owns"


def test_sizes() -> None:
    """A file that has grown past what one reads at once is split by what it is about."""
    long = {}
    for path in CODE:
        if path not in GENERATED:
            count = len((ROOT / path).read_text().splitlines())
            if count > MAX_LINES:
                long[path.as_posix()] = count
    assert long == {}


def test_no_machine_and_no_stranger_in_the_text() -> None:
    """The project speaks of itself: no path of a machine, no document that is not in the tree."""
    words = [
        "/wo" + "rk/",
        "/fa" + "rm/",
        "/tmp/" + "ref",
        "/ro" + "ot/main",
        "DES" + "IGN.md",
        "STY" + "LE.md",
        "COM" + "MON.md",
    ]
    pattern = re.compile("|".join(map(re.escape, words)))
    found = []
    for path in files():
        try:
            text = (ROOT / path).read_text()
        except UnicodeDecodeError:
            continue
        found += [f"{path}:{text[: m.start()].count(chr(10)) + 1}: {m[0]}" for m in pattern.finditer(text)]
    assert found == []


DRIVERS = re.compile(r"\b(local[-_](?:sync|task)|vulkan|cuda)\b")


def _python_strings(text: str) -> list[str]:
    """Return the string constants of a module that are neither documentation nor the default preferences."""
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not _is_preference_list(node)]
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
    ]


def _is_preference_list(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == "DEFAULT_DEVICE_URIS"
    )


def test_the_core_knows_no_driver_by_name() -> None:
    """One line of the package names drivers: the default preferences. Documentation may, for examples."""
    naming = set()
    lists = 0
    for path in files():
        if path.parts[0] != "iree_cy" or path.suffix not in {".py", ".c", ".h", ".pyi", ".pyx", ".pxd", ".pxi", ".inl"}:
            continue
        text = (ROOT / path).read_text()
        if path.suffix in {".py", ".pyi"}:
            lists += sum(map(_is_preference_list, ast.parse(text).body))
            text = "\n".join(_python_strings(text))
        elif path.suffix in {".pyx", ".pxd", ".pxi"}:
            text = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)
        else:
            text = strip_c_comments(text)
        if DRIVERS.search(text):
            naming.add(path.as_posix())
    assert naming == set(), "only the default preference list may name drivers"
    assert lists == 1


def test_plugin_build_is_the_same_everywhere() -> None:
    copies = [path for path in files() if path.name == "plugin_build.py"]
    folders = {path.parent for path in files() if path.parts[0] == "backends" and path.name == "pyproject.toml"}
    assert {path.parent for path in copies} >= folders
    assert len({(ROOT / path).read_bytes() for path in copies}) == 1


def test_plugins_have_the_version_of_the_core() -> None:
    version = re.search(r'__version__ = "(.*)"', (ROOT / "iree_cy/version.py").read_text())
    assert version
    manifests = [path for path in files() if re.fullmatch(r"backends/\w+/pyproject\.toml", path.as_posix())]
    assert manifests
    for path in manifests:
        text = (ROOT / path).read_text()
        assert f'version = "{version[1]}"' in text, path
        major, minor, *_ = map(int, version[1].split("."))
        assert f'dependencies = ["iree-cy>={major}.{minor},<{major}.{minor + 1}"]' in text, path
