# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that a copy of the template under another name is a driver.
"""`iree-cy new-driver`, and the same by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iree_cy as rt
from iree_cy.cli import main
from iree_cy.plugins.new_driver import new_driver, template_words
from tests.support.plugin_folders import build_wheel, copy_folder, run_beside, unpack

NULL = Path(__file__).resolve().parent.parent.parent / "backends" / "null"


def _files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_words_are_those_of_the_readme() -> None:
    rows = re.findall(r"^ *\| `([^`]+)` \| `([^`]+)` \|", (NULL / "README.md").read_text(), re.MULTILINE)
    assert rows == list(template_words("mydevice", "My Device").items())


def test_the_readme_by_hand_gives_the_same(tmp_path: Path) -> None:
    made = _files(new_driver("mydevice", tmp_path / "made", "My Device"))
    folder = copy_folder(NULL, tmp_path)
    for word, becomes in template_words("mydevice", "My Device").items():
        for path in sorted(folder.rglob("*"), reverse=True):
            found = re.compile(rf"\b{word}\b" if word.isalpha() else re.escape(word))
            if path.is_file() and path.name != "plugin_build.py":
                path.write_text(found.sub(becomes, path.read_text()))
            path.rename(path.with_name(found.sub(becomes, path.name)))
    by_hand = _files(folder)
    assert by_hand.keys() == made.keys()
    for name in made:
        if name != "README.md":
            assert made[name] == by_hand[name], name


@pytest.mark.parametrize("name", ["mydevice", "my-device", "x.null_2"])
def test_a_new_driver_builds_and_conforms(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new"
    assert main(["new-driver", name, "--title", "Mine (ä)", f"--output={folder}"]) == 0
    package = "iree_cy_" + re.sub(r"[.-]", "_", name)
    assert f"pip install {package}-*.whl" in capsys.readouterr().out
    for path, text in _files(folder).items():
        if "null" not in name and path != "plugin_build.py":
            assert not re.search(r"\bnull|null_", path + text), path
    wheel = build_wheel(folder, tmp_path / "dist")
    assert wheel.name.startswith(f"{package}-0.1.0-py3-none-")
    site = unpack(wheel, tmp_path / "site")
    listed = run_beside(site, "-m", "iree_cy", "list-devices", name)
    assert listed.stdout == f"{name}://host  Host memory (runs no executables)\n", listed.stderr
    verbose = run_beside(site, "-m", "iree_cy", "list-drivers", "-v")
    assert re.search(rf"^{name} .*Mine \(ä\)", verbose.stdout, re.MULTILINE), verbose.stdout
    suite = ("-W", "error", "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", "iree_cy.testing.conformance")
    done = run_beside(site, *suite, f"--driver={name}", PYTHONDEVMODE="1")
    assert done.stdout.splitlines()[-1] == "conformant: 220 required, 34 of 54 optional", done.stdout


@pytest.mark.parametrize("name", ["", "A", "1x", "x-", "-x", "a b", "é", "x\n", "../x", "iree", "iree-hal", "x" * 65])
def test_what_cannot_be_a_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        rt.InvalidArgument, match=r"^(.* cannot be the name of a new driver: |the C names of a driver )"
    ):
        new_driver(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("title", ["", " ", 'a"b', "a\\b", "a\nb", "\0", "x" * 256, "ä" * 128])
def test_what_cannot_be_a_title(title: str, tmp_path: Path) -> None:
    with pytest.raises(rt.InvalidArgument, match="cannot be a driver's title"):
        new_driver("mydevice", tmp_path / "new", title)
    assert not (tmp_path / "new").exists()


def test_nothing_is_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-driver", "mydevice"]) == 0
    before = _files(tmp_path / "iree-cy-mydevice")
    assert main(["new-driver", "mydevice", "--title=Other"]) == 1
    assert capsys.readouterr().err == (
        "iree-cy: 'iree-cy-mydevice' is there already; name a new folder, or an empty one\n"
    )
    assert _files(tmp_path / "iree-cy-mydevice") == before
    (tmp_path / "file").touch()
    with pytest.raises(rt.AlreadyExists):
        new_driver("mydevice", tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert _files(new_driver("mydevice", tmp_path / "empty")) == before
