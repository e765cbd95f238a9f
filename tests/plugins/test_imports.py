# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what packages of drivers may do while they are imported: nothing before they are asked for, and no harm then.
"""Each package is asked for twice, with a driver that works in between."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import iree_cy
from iree_cy.errors import StatusError, Unavailable
from iree_cy.plugins.registry import registry
from tests.support.fake_core import FakeDriver

MODULE = "toy_iree_cy_bad_bad"


@pytest.fixture(autouse=True)
def good(site, fake_core):
    site.driver("good", "iree-cy-good")


@pytest.fixture
def bad(site):
    def bad(body):
        site.driver("bad", "iree-cy-bad", "1.5", body=textwrap.dedent(body))

    return bad


def asked(cause, told, cls=Unavailable):
    before = set(sys.modules)
    assert iree_cy.query_available_drivers() == ["bad", "good"]
    assert MODULE not in sys.modules
    caught = []
    for _ in range(3):
        with pytest.raises(StatusError) as info:
            iree_cy.get_driver("bad")
        caught.append(info.value)
        assert iree_cy.get_driver("good").name == "good"
        assert iree_cy.query_available_drivers() == ["bad", "good"]
    line = str(caught[0]).partition("\n")[0]
    assert len(line) <= 200
    assert line.startswith("driver 'bad' (iree-cy-bad 1.5) cannot be used: "), line
    assert told in line, line
    for error in caught:
        assert type(error) is cls
        assert str(error) == str(caught[0])
        assert error.annotations == caught[0].annotations
        assert type(error.__cause__) is cause if isinstance(cause, type) else error.__cause__ is cause
        assert type(error.__cause__).__name__ == type(caught[0].__cause__).__name__
    assert len({id(error) for error in caught}) == 3
    assert not [name for name in set(sys.modules) - before if name.startswith("toy_iree_cy_bad")]
    return caught[0]


class TestRaising:
    @pytest.mark.parametrize(
        ("statement", "cause", "told"),
        [
            ("raise ImportError('no vendor package')", ImportError, "ImportError: no vendor package; reinstall it"),
            ("import toy_vendor_that_is_absent", ModuleNotFoundError, "No module named 'toy_vendor_that_is_absent'"),
            ("from os import toy_absent", ImportError, "cannot import name 'toy_absent' from 'os'"),
            ("raise SystemExit", SystemExit, "does not import: SystemExit; reinstall it"),
            ("raise SystemExit(3)", SystemExit, "does not import: SystemExit: 3; reinstall it"),
            ("import sys; sys.exit('no licence')", SystemExit, "SystemExit: no licence; reinstall it"),
            ("exit_code = 1 / 0", ZeroDivisionError, "ZeroDivisionError: division by zero"),
            ("raise GeneratorExit('x')", GeneratorExit, "GeneratorExit: x"),
            ("import asyncio; raise asyncio.CancelledError()", None, "CancelledError"),
            ("f = lambda: f()\nf()", RecursionError, "RecursionError: maximum recursion depth exceeded"),
            ("raise MemoryError", MemoryError, "does not import: MemoryError; reinstall it"),
            ("raise StopIteration('end')", StopIteration, "StopIteration: end"),
            ("raise iree_cy.errors.Incompatible('an older card')", iree_cy.errors.Incompatible, "an older card"),
            ("raise DeprecationWarning('old')", DeprecationWarning, "DeprecationWarning: old"),
            ("this is no Python", SyntaxError, "SyntaxError: invalid syntax"),
            ("raise ImportError('\\x1b[31mred\\0\\nsecond line')", ImportError, "ImportError: \\x1b[31mred\\x00"),
            ("raise ImportError('\\udcff')", ImportError, "ImportError: "),
            ("raise ImportError", ImportError, "does not import: ImportError; reinstall it"),
        ],
    )
    def test_builtin(self, bad, statement, cause, told):
        bad(statement)
        if cause is None:
            import asyncio

            cause = asyncio.CancelledError
        cls = cause if issubclass(cause, StatusError) else Unavailable
        asked(cause, told, cls)

    def test_base_exception_of_its_own(self, bad):
        bad(
            """
            class Panic(BaseException):
                pass
            raise Panic("all is lost")
            """
        )
        cause = asked_for_own_class("Panic: all is lost")
        assert not isinstance(cause, Exception)

    def test_exception_that_cannot_be_shown(self, bad):
        bad(
            """
            class Shy(Exception):
                annotations = 5
                def __str__(self):
                    raise RuntimeError("no words")
                __repr__ = __str__
            raise Shy
            """
        )
        asked_for_own_class("does not import: Shy; reinstall it")

    def test_keyboard_interrupt_goes_through(self, bad):
        bad("raise KeyboardInterrupt")
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                iree_cy.get_driver("bad")
            assert iree_cy.get_driver("good").name == "good"
        (Path(sys.path[0]) / f"{MODULE}.py").write_text("")
        importlib.invalidate_caches()
        with pytest.raises(Unavailable, match="AttributeError"):
            iree_cy.get_driver("bad")

    def test_system_exit_in_another_place(self, site):
        for name, extra in (("check", "check=lambda: exit(3)"), ("lazy", "")):
            site.driver(name, f"iree-cy-{name}", extra=extra)
        module = site.path / "toy_iree_cy_lazy_lazy.py"
        module.write_text(
            "def __getattr__(name):\n    raise {'plugin': SystemExit(4)}.get(name, AttributeError(name))\n"
        )
        for name, told in (("check", "its check failed: SystemExit: 3"), ("lazy", "does not import: SystemExit: 4")):
            for _ in range(2):
                with pytest.raises(Unavailable, match=told) as caught:
                    iree_cy.get_driver(name)
                assert isinstance(caught.value.__cause__, SystemExit)

    def test_the_process_goes_on(self, site, bad):
        """In a process of its own, where nobody else catches what ends it."""
        bad("raise SystemExit(9)")
        folder = os.path.dirname(os.path.dirname(iree_cy.__file__))
        code = (
            "import sys; sys.path[:] = [sys.argv[1], *sys.path, sys.argv[2]]\n"
            "import iree_cy\n"
            "for _ in range(2):\n"
            "    try: iree_cy.get_driver('bad')\n"
            "    except iree_cy.errors.Unavailable as error: print(str(error).splitlines()[0])\n"
            "print('alive')\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(site.path), folder], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        first, second, last = done.stdout.splitlines()
        assert first == second
        assert first.endswith("SystemExit: 9; reinstall it")
        assert last == "alive"


def asked_for_own_class(told):
    """As `asked`, for a class that each import makes anew."""
    causes = []
    for _ in range(2):
        with pytest.raises(Unavailable) as caught:
            iree_cy.get_driver("bad")
        assert told in str(caught.value)
        causes.append((str(caught.value), caught.value.annotations, caught.value.__cause__))
        assert iree_cy.get_driver("good").name == "good"
    assert causes[0][:2] == causes[1][:2]
    assert causes[0][2] is not None
    return causes[0][2]


class TestWhatIsLeftBehind:
    """A package that failed half-way is tried again from its beginning."""

    def package(self, site, files, entry="toy_bad_package:plugin"):
        root = site.path / "toy_bad_package"
        for name, text in files.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text))
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": entry})

    def test_submodule_before_the_failure(self, site):
        # With the module kept, the second time its name would not be an attribute of the new package.
        self.package(
            site,
            {
                "__init__.py": """
                    import toy_bad_package.part
                    toy_bad_package.part.count()
                    raise ValueError("the end")
                """,
                "part.py": "calls = []\ndef count():\n    calls.append(1)\n    assert len(calls) == 1, 'kept'\n",
            },
        )
        asked(ValueError, "ValueError: the end")
        assert not [name for name in sys.modules if name.startswith("toy_bad_package")]

    def test_deep_submodule(self, site):
        self.package(
            site,
            {
                "__init__.py": "",
                "a/__init__.py": "from . import b\nfrom .b import c\nraise ValueError(f'the end {c.count}')\n",
                "a/b/__init__.py": "",
                "a/b/c.py": "import sys\ncount = len(sys.modules.setdefault('toy_counter', []))\n",
            },
            "toy_bad_package.a:plugin",
        )
        asked(ValueError, "ValueError: the end 0")
        assert [name for name in sys.modules if name.startswith("toy_bad_package")] == ["toy_bad_package"]
        for name in ("toy_bad_package", "toy_counter"):
            del sys.modules[name]

    def test_package_of_a_vendor(self, site, bad):
        vendor = site.path / "toy_vendor"
        vendor.mkdir()
        (vendor / "__init__.py").write_text("import toy_vendor.part\ntoy_vendor.part.x\nraise ImportError('no card')\n")
        (vendor / "part.py").write_text("x = 1\n")
        bad("import toy_vendor")
        asked(ImportError, "ImportError: no card")
        assert not [name for name in sys.modules if name.startswith("toy_vendor")]

    def test_modules_that_others_had_imported_stay(self, site):
        self.package(
            site, {"__init__.py": "", "part.py": "", "driver.py": "from . import part\nraise ValueError('x')\n"}
        )
        site.distribution("iree-cy-other", drivers={"other": "toy_bad_package.driver:plugin"})
        part = importlib.import_module("toy_bad_package.part")
        with pytest.raises(Unavailable):
            iree_cy.get_driver("other")
        assert sys.modules["toy_bad_package.part"] is part
        for name in ("toy_bad_package", "toy_bad_package.part"):
            del sys.modules[name]

    def test_repaired_meanwhile(self, site, bad):
        bad("raise ValueError('not yet')")
        asked(ValueError, "not yet")
        file = site.path / f"{MODULE}.py"
        file.write_text(file.read_text().replace("raise ValueError('not yet')", ""))
        importlib.invalidate_caches()
        assert iree_cy.get_driver("bad").name == "bad"


class TestWhatItHolds:
    def test_no_attribute(self, site):
        (site.path / f"{MODULE}.py").write_text("other = 1\n")
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": f"{MODULE}:plugin"})
        for _ in range(2):
            with pytest.raises(
                Unavailable, match=f"AttributeError: module '{MODULE}' has no attribute 'plugin'"
            ) as caught:
                iree_cy.get_driver("bad")
            assert isinstance(caught.value.__cause__, AttributeError)

    @pytest.mark.parametrize(
        ("value", "told"),
        [
            ("None", "is None, not an iree_cy.DriverPlugin; upgrade it, or tell its author"),
            ("5", "is an int, not"),
            ("lambda: None", "is a function, not"),
            ("iree_cy.DriverPlugin", "is a type, not"),
            ("type('DriverPlugin', (), {'name': 'bad'})()", "is a DriverPlugin, not"),
        ],
    )
    def test_something_else(self, site, value, told):
        (site.path / f"{MODULE}.py").write_text(f"import iree_cy\nplugin = {value}\n")
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": f"{MODULE}:plugin"})
        for _ in range(2):
            with pytest.raises(Unavailable) as caught:
                iree_cy.get_driver("bad")
            assert told in str(caught.value)
            assert caught.value.__cause__ is None
        assert iree_cy.get_driver("good").name == "good"

    @pytest.mark.parametrize("body", ["__class__ = iree_cy.DriverPlugin", "__class__ = property(lambda self: exit(5))"])
    def test_something_that_lies_of_its_class(self, site, body):
        text = f"import iree_cy\nclass Liar:\n    {body}\nplugin = Liar()\n"
        (site.path / f"{MODULE}.py").write_text(text)
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": f"{MODULE}:plugin"})
        with pytest.raises(Unavailable, match=r"is a Liar, not an iree_cy\.DriverPlugin"):
            iree_cy.get_driver("bad")

    @pytest.mark.parametrize(
        "value", ["x" * 5000 + ":plugin", "toy_absent:" + "y" * 5000, "\u00e9\u4e2d:p", "a..b:c", ".a:b"]
    )
    def test_odd_values(self, site, value):
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": value})
        told = []
        for _ in range(2):
            with pytest.raises(Unavailable, match="does not import: ") as caught:
                iree_cy.get_driver("bad")
            assert len(str(caught.value).partition("\n")[0]) <= 200
            assert "Error" in str(caught.value)
            told.append(str(caught.value))
        assert told[0] == told[1]


class TestWhatItDoes:
    def test_prints(self, site, bad, capfd):
        bad("import os; print('hello'); os.write(2, b'hello')")
        assert iree_cy.query_available_drivers() == ["bad", "good"]
        iree_cy.get_driver("good")
        assert capfd.readouterr() == ("", "")
        assert iree_cy.get_driver("bad").name == "bad"
        assert capfd.readouterr() == ("hello\n", "hello")

    def test_warns(self, bad):
        bad("import warnings; warnings.warn('I am old')")
        assert iree_cy.query_available_drivers() == ["bad", "good"]
        with pytest.warns(UserWarning, match="I am old"):
            assert iree_cy.get_driver("bad").name == "bad"

    def test_deletes_itself(self, bad):
        bad("import sys; del sys.modules[__name__]")
        asked(KeyError, f"KeyError: '{MODULE}'")

    def test_puts_another_in_its_place(self, site, bad):
        bad("import sys, types; sys.modules[__name__] = types.ModuleType('empty')")
        for _ in range(2):
            with pytest.raises(Unavailable, match="AttributeError: module 'empty' has no attribute 'plugin'"):
                iree_cy.get_driver("bad")

    def test_uses_names_of_iree_cy(self, bad):
        bad("iree_cy.StatusCode, iree_cy.get_first_device, iree_cy.Parameter; assert iree_cy.query_available_drivers()")
        assert iree_cy.get_driver("bad").name == "bad"

    def test_asks_for_another_driver(self, bad):
        bad("assert iree_cy.get_driver('good').name == 'good'")
        assert iree_cy.get_driver("bad").name == "bad"

    def test_asks_for_itself(self, bad):
        bad("iree_cy.get_driver('bad')")
        told = []
        for _ in range(2):
            with pytest.raises(
                iree_cy.errors.FailedPrecondition, match="is asked for by what is being created"
            ) as caught:
                iree_cy.get_driver("bad")
            told.append(str(caught.value))
        assert told[0] == told[1]
        assert iree_cy.get_driver("good").name == "good"

    def test_starts_a_thread(self, bad):
        bad(
            """
            import threading
            names = []
            def run():
                import iree_cy
                names.extend(iree_cy.query_available_drivers())
                names.append(iree_cy.get_driver("good").name)
            thread = threading.Thread(target=run)
            thread.start()
            thread.join(30)
            assert not thread.is_alive()
            """
        )
        assert iree_cy.get_driver("bad").name == "bad"
        assert sys.modules[MODULE].names == ["bad", "good", "good"]

    @pytest.mark.parametrize("end", ["", "raise ValueError('elsewhere')"])
    def test_changes_the_current_folder(self, bad, tmp_path, monkeypatch, end):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "elsewhere").mkdir()
        bad(f"import os; os.chdir({str(tmp_path / 'elsewhere')!r})\n{end}")
        if end:
            asked(ValueError, "ValueError: elsewhere")
        else:
            assert iree_cy.get_driver("bad").name == "bad"
            assert iree_cy.get_driver("good").name == "good"

    def test_changes_the_path(self, bad, site, monkeypatch):
        bad("import sys; sys.path.insert(0, '/nowhere'); sys.path.append(3)\nraise ValueError('moved')")
        monkeypatch.setattr(sys, "path", list(sys.path))
        asked(ValueError, "ValueError: moved")


def test_one_that_takes_its_time(site, bad, fake_core):
    """While one is being imported, everything else goes on, and who wants that one waits for it."""
    gate = type(sys)("toy_gate")
    gate.begun, gate.go = threading.Event(), threading.Event()
    sys.modules["toy_gate"] = gate
    bad("import toy_gate; toy_gate.begun.set(); assert toy_gate.go.wait(60)")
    site.driver("third", "iree-cy-third")
    results = []

    def ask(name):
        driver = iree_cy.get_driver(name)
        results.append((name, driver.name))

    slow = threading.Thread(target=ask, args=("bad",), daemon=True)
    slow.start()
    assert gate.begun.wait(30)
    # In this thread, and in others.
    assert iree_cy.query_available_drivers() == ["bad", "good", "third"]
    assert iree_cy.get_driver("good").name == "good"
    assert registry.plugin("third").name == "third"
    others = [threading.Thread(target=ask, args=(name,), daemon=True) for name in ("good", "third")]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join(30)
        assert not thread.is_alive()
    assert sorted(results) == [("good", "good"), ("third", "third")]
    with pytest.raises(iree_cy.errors.NotFound):
        iree_cy.get_driver("absent")
    assert slow.is_alive()
    gate.go.set()
    slow.join(30)
    assert ("bad", "bad") in results


def test_many_that_are_broken(site, fake_core):
    """One of each kind beside one that works: a listing is whole, and the one works."""
    statements = ["raise SystemExit", "raise ImportError", "import toy_absent", "1 / 0", "print('x')", "plugin ="]
    for i, statement in enumerate(statements):
        site.driver(f"bad{i}", f"iree-cy-bad{i}", body=statement)
    names = [f"bad{i}" for i in range(len(statements))]
    assert iree_cy.query_available_drivers() == [*names, "good"]
    assert not [name for name in sys.modules if name.startswith("toy_")]
    assert isinstance(iree_cy.get_driver("good"), FakeDriver)
    for name in names:
        if name != "bad4":
            with pytest.raises(Unavailable):
                iree_cy.get_driver(name)
    assert iree_cy.get_driver("bad4").name == "bad4"
