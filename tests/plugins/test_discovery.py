# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of finding drivers in metadata.
from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

import iree_cy
from iree_cy.plugins import discovery
from iree_cy.plugins.discovery import discover


def entries_of(name):
    return [(entry.distribution, entry.version, entry.value) for entry in discover().get(name, ())]


def test_nothing(site):
    assert discover() == {}
    assert iree_cy.query_available_drivers() == []


def test_names_come_from_metadata_alone(site, fake_core):
    site.driver("toy-b", body="raise SystemError('imported')")
    site.distribution("other", drivers={"toy-a": "does.not.exist:plugin", "toy-c": "]["})
    site.distribution("unrelated")
    assert iree_cy.query_available_drivers() == ["toy-a", "toy-b", "toy-c"]
    assert fake_core.loaded == []
    assert not [name for name in sys.modules if name.startswith("toy_")]


def test_spelling_comes_from_the_metadata(site):
    site.distribution("My.Toy", "2.5", drivers={"toy": "m:p"})
    os.rename(site.path / "My.Toy-2.5.dist-info", site.path / "my_toy-2.5.dist-info")
    assert entries_of("toy") == [("My.Toy", "2.5", "m:p")]


def test_one_scan(site, monkeypatch):
    site.distribution("a", drivers={"a": "m:p"})
    first = discover()
    monkeypatch.setattr(discovery, "_scan", lambda: pytest.fail("scanned again"))
    assert discover() is first


def test_what_is_installed_later_is_found(site):
    assert discover() == {}
    site.distribution("a", drivers={"a": "m:p"})
    os.utime(site.path, ns=(1, 1))
    assert list(discover()) == ["a"]


def test_order_of_those_who_provide_a_name(site):
    for name in ("zeta", "Alpha.Two", "iree-cy", "alpha"):
        site.distribution(name, drivers={"toy": f"{name[0]}:p"})
    assert [entry.distribution for entry in discover()["toy"]] == ["iree-cy", "alpha", "Alpha.Two", "zeta"]


class TestOneDistributionSeenTwice:
    def test_path_listed_twice(self, site, monkeypatch):
        site.distribution("a", drivers={"toy": "m:p"})
        monkeypatch.setattr(sys, "path", [*sys.path, str(site.path), f"{site.path}/."])
        assert entries_of("toy") == [("a", "1.0", "m:p")]

    def test_link_to_a_folder(self, site, tmp_path, monkeypatch):
        site.distribution("a", drivers={"toy": "m:p"})
        (tmp_path / "link").symlink_to(site.path)
        monkeypatch.setattr(sys, "path", [str(tmp_path / "link"), *sys.path])
        assert entries_of("toy") == [("a", "1.0", "m:p")]

    def test_first_on_the_path_counts(self, site, tmp_path, monkeypatch):
        site.distribution("a", "1.0", drivers={"toy": "old:p", "gone": "old:p"})
        later = type(site)(tmp_path / "user")
        later.distribution("A", "2.0", drivers={"toy": "new:p"})
        monkeypatch.setattr(sys, "path", [str(later.path), *sys.path])
        assert entries_of("toy") == [("A", "2.0", "new:p")]
        assert entries_of("gone") == []

    def test_first_on_the_path_counts_even_without_drivers(self, site, tmp_path, monkeypatch):
        site.distribution("a", "1.0", drivers={"toy": "old:p"})
        later = type(site)(tmp_path / "user")
        later.distribution("a", "2.0")
        monkeypatch.setattr(sys, "path", [str(later.path), *sys.path])
        assert discover() == {}

    def test_leftover_egg_info(self, site, tmp_path, monkeypatch):
        source = type(site)(tmp_path / "source")
        source.distribution("a", "0.9", drivers={"toy": "stale:p", "gone": "stale:p"}, suffix=".egg-info")
        site.distribution("a", "1.0", drivers={"toy": "m:p"})
        monkeypatch.setattr(sys, "path", [str(source.path), *sys.path])
        assert entries_of("toy") == [("a", "1.0", "m:p")]
        assert entries_of("gone") == []

    def test_egg_info_alone(self, site):
        folder = site.distribution("a", "1.0", drivers={"toy": "m:p"}, suffix=".egg-info")
        os.rename(folder, site.path / "a.egg-info")
        assert entries_of("toy") == [("a", "1.0", "m:p")]

    def test_folder_left_by_a_broken_removal(self, site, tmp_path, monkeypatch):
        broken = type(site)(tmp_path / "broken")
        broken.distribution("a", "0.9", metadata=False)
        site.distribution("a", "1.0", drivers={"toy": "m:p"})
        monkeypatch.setattr(sys, "path", [str(broken.path), *sys.path])
        assert entries_of("toy") == [("a", "1.0", "m:p")]


class TestDamage:
    def test_on_sys_path(self, site, tmp_path, monkeypatch):
        site.distribution("a", drivers={"toy": "m:p"})
        (tmp_path / "file").write_text("not a zip")
        (tmp_path / "locked").mkdir()
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "loop").symlink_to(tmp_path / "loop")
        odd = [None, 3, b"/bytes", tmp_path, object(), "", "\0", "\udcff", "/missing", "x" * 5000]
        odd += [str(tmp_path / name) for name in ("file", "locked", "pipe", "loop")]
        monkeypatch.setattr(sys, "path", [*odd, *sys.path])
        assert entries_of("toy") == [("a", "1.0", "m:p")]

    def test_entry_points_that_are_no_text(self, site):
        site.distribution("good", drivers={"good": "m:p"})
        folder = site.distribution("bad")
        (folder / "entry_points.txt").write_bytes(
            b"\xff\xfe = [iree_cy.drivers\n[iree_cy.drivers]\nno equals sign\n= empty\n"
            b"\xff = m:p\nbad name = m:p\ntoy = \xffx:p\n[\n[other]\nelse = m:p\n"
        )
        assert list(discover()) == ["good", "toy"]

    @pytest.mark.parametrize("kind", ["folder", "pipe", "dangling", "empty", "unreadable"])
    def test_entry_points_that_are_no_file(self, site, kind):
        site.distribution("good", drivers={"good": "m:p"})
        path = site.distribution("bad") / "entry_points.txt"
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "dangling":
            path.symlink_to("nowhere")
        else:
            path.touch(mode=0 if kind == "unreadable" else 0o644)
        assert list(discover()) == ["good"]

    def test_metadata_missing(self, site):
        site.distribution("some-toy", "3", drivers={"toy": "m:p"}, metadata=False)
        assert entries_of("toy") == [("some_toy", "3", "m:p")]

    def test_metadata_of_something_else(self, site):
        folder = site.distribution("toy-a", "3", drivers={"toy": "m:p"})
        (folder / "METADATA").write_bytes(b"\xff\xfe\x00Name\nName: other\nVersion:\n")
        assert entries_of("toy") == [("toy_a", "3", "m:p")]

    def test_dist_info_that_is_a_file(self, site):
        (site.path / "a-1.dist-info").write_text("x")
        (site.path / ".dist-info").mkdir()
        (site.path / "-.egg-info").mkdir()
        assert discover() == {}

    def test_finder_that_fails(self, site, monkeypatch):
        class Finder:
            def find_spec(self, *arguments):
                return None

            def find_distributions(self, context):
                raise RuntimeError("no")

        site.distribution("a", drivers={"toy": "m:p"})
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
        assert list(discover()) == ["toy"]


def test_zip_on_the_path(site, tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("zipped-1.5.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.5\n")
        archive.writestr("zipped-1.5.dist-info/entry_points.txt", "[iree_cy.drivers]\ntoy = m:p\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "a.zip")])
    assert entries_of("toy") == [("zipped", "1.5", "m:p")]


def test_egg_on_the_path(site, tmp_path, monkeypatch):
    folder = tmp_path / "toy_egg-1.2-py3.11.egg" / "EGG-INFO"
    folder.mkdir(parents=True)
    (folder / "PKG-INFO").write_text("Name: toy-egg\nVersion: 1.2\n")
    (folder / "entry_points.txt").write_text("[iree_cy.drivers]\ntoy = m:p\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder.parent)])
    assert entries_of("toy") == [("toy-egg", "1.2", "m:p")]


def test_finder_of_another_package(site, monkeypatch):
    class Distribution:
        metadata = {"Name": "found", "Version": "4"}  # noqa: RUF012

        def read_text(self, name):
            return "[iree_cy.drivers]\ntoy = m:p\n" if name == "entry_points.txt" else None

    class Finder:
        def find_spec(self, *arguments):
            return None

        def find_distributions(self, context):
            return [Distribution(), object()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert entries_of("toy") == [("found", "4", "m:p")]


def test_scan_is_not_slower_than_importlib_metadata(site):
    """The price of listing: at most 10 ms more than the standard library takes for 300 distributions."""
    for i in range(300):
        site.distribution(f"package-{i}", drivers={f"toy-{i}": "m:p"} if i % 50 == 0 else None)
    folder = os.path.dirname(os.path.dirname(iree_cy.__file__))
    code = f"""
import sys, time
sys.path[:] = [{str(site.path)!r}, *sys.path, {folder!r}]
from importlib.metadata import entry_points
from iree_cy.plugins import discovery
def best(function):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), len(result)
theirs, count = best(lambda: entry_points(group="iree_cy.drivers"))
ours, names = best(lambda: (discovery.forget_discovered(), discovery.discover())[1])
assert count >= 6 and names >= 6, (count, names)
print(ours - theirs)
"""
    result = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert float(result.stdout) < 0.010
