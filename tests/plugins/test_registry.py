# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of names, plugins and drivers: who wins, what is loaded when, what an error says.
from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import warnings

import pytest

import iree_cy
from iree_cy.errors import (
    AlreadyExists,
    DuplicateDriverWarning,
    FailedPrecondition,
    Incompatible,
    InvalidArgument,
    NotFound,
    StatusError,
    Unavailable,
    clip,
)
from iree_cy.plugins import registry as registry_module
from iree_cy.plugins.registry import registry
from tests.support.fake_core import FakeDriver


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "library.so"
    path.touch()
    return path


def line_of(caught):
    line = str(caught.value).partition("\n")[0]
    assert len(line) <= 200, line
    return line


class TestLoading:
    def test_once_and_only_what_is_asked_for(self, site, fake_core):
        module = site.driver("toy")
        site.driver("other", "iree-cy-other")
        driver = iree_cy.get_driver("toy")
        assert driver is iree_cy.get_driver("toy://some/path?a=1") is iree_cy.get_driver("toy:3")
        assert driver is iree_cy.get_driver("toy@iree-cy-toy") is iree_cy.get_driver("toy@Iree_CY.toy://0")
        assert fake_core.loaded == [("toy", str(site.path / f"lib{module}.so"))]
        assert "toy_iree_cy_other_other" not in sys.modules
        assert registry.plugin_of(driver).human_name == "Toy toy"
        assert registry_module.find_driver("toy") is driver

    def test_malformed_name(self, site, fake_core):
        with pytest.raises(InvalidArgument, match="malformed device URI"):
            iree_cy.get_driver("a b")

    def test_unknown(self, site, fake_core):
        site.driver("toy")
        site.distribution("b", drivers={"zeta": "m:p"})
        with pytest.raises(NotFound) as caught:
            iree_cy.get_driver("cudo")
        assert line_of(caught) == (
            "no driver 'cudo'; there are: toy, zeta; install the package that provides it, or use one of these"
        )
        assert isinstance(caught.value, (ValueError, LookupError))
        for i in range(60):
            site.distribution(f"c{i}", drivers={f"another-driver-{i}": "m:p"})
        iree_cy.plugins.discovery.forget_discovered()
        with pytest.raises(NotFound, match=r"and 5. more") as caught:
            iree_cy.get_driver("q" * 300)
        assert line_of(caught).endswith("use one of these")

    def test_unknown_distribution(self, site, fake_core):
        site.driver("toy")
        with pytest.raises(NotFound) as caught:
            iree_cy.get_driver("toy@nobody")
        assert line_of(caught) == "distribution 'nobody' provides no driver 'toy'; it comes from: iree-cy-toy"


class TestBrokenPlugins:
    def check(self, match, cause=None, cls=Unavailable, name="bad"):
        assert name in iree_cy.query_available_drivers()
        with pytest.raises(cls) as caught:
            iree_cy.get_driver(name)
        line = line_of(caught)
        assert line.startswith(f"driver '{name}' (iree-cy-bad 1.5) cannot be used: ")
        assert match in line, line
        if cause is None:
            assert caught.value.__cause__ is None
        else:
            assert isinstance(caught.value.__cause__, cause)
        assert iree_cy.get_driver("good").name == "good"
        return caught.value

    @pytest.fixture(autouse=True)
    def good(self, site, fake_core):
        site.driver("good", "iree-cy-good")

    @pytest.mark.parametrize("value", ["", "module", ":x", "module:", "a b: c", "[x]"])
    def test_metadata(self, site, value):
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": value})
        with pytest.raises(Unavailable):
            iree_cy.get_driver("bad")
        if ":" not in value:
            self.check("not 'module:attribute'; reinstall it")

    def test_import(self, site):
        site.driver("bad", "iree-cy-bad", "1.5", body="import toy_that_is_missing")
        self.check("No module named 'toy_that_is_missing'; reinstall it", ModuleNotFoundError)

    def test_import_with_a_long_story(self, site):
        site.driver("bad", "iree-cy-bad", "1.5", body="raise ValueError('long ' * 200 + '\\nmore')")
        error = self.check("ValueError: long long", ValueError)
        assert error.annotations == ("long " * 200 + "\nmore",)

    def test_attribute(self, site):
        site.driver("bad", "iree-cy-bad", "1.5", body="del iree_cy.DriverPlugin.nothing")
        self.check("AttributeError", AttributeError)

    def test_object(self, site):
        (site.path / "toy_bad.py").write_text("plugin = 3")
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": "toy_bad:plugin.__class__"})
        self.check("is a type, not an iree_cy.DriverPlugin")

    def test_name(self, site):
        module = site.driver("wrong", "iree-cy-other")
        site.distribution("iree-cy-bad", "1.5", drivers={"bad": f"{module}:plugin"})
        self.check("says that its name is 'wrong'")

    def test_library(self, site):
        module = site.driver("bad", "iree-cy-bad", "1.5")
        (site.path / f"lib{module}.so").unlink()
        self.check("is missing; reinstall it")

    @pytest.mark.parametrize("kind", ["module", "package"])
    @pytest.mark.parametrize("sign", ["pyproject.toml", "setup.py", "installed"])
    def test_library_missing_in_a_source_folder(self, site, tmp_path, monkeypatch, sign, kind):
        """The current folder comes first for Python, and hides the package that has the library."""
        module = site.driver("bad", "iree-cy-bad", "1.5")
        text = (site.path / f"{module}.py").read_text()
        source = tmp_path / "src"
        file = source / (f"{module}.py" if kind == "module" else f"{module}/__init__.py")
        file.parent.mkdir(parents=True)
        file.write_text(text)
        installed = site.path / file.relative_to(source).with_name(f"lib{module}.so")
        (site.path / f"lib{module}.so").unlink()
        if sign == "installed":
            installed.parent.mkdir(exist_ok=True)
            installed.touch()
        else:
            (source / sign).touch()
        # Not syspath_prepend: that would put the site's path back after the site has put back everybody's.
        monkeypatch.setattr(sys, "path", [str(source), *sys.path])
        importlib.invalidate_caches()
        error = self.check("which has no library; run from another folder, or install it")
        assert f"imported from the source folder {clip(repr(str(source)), 40)}" in str(error)
        assert error.annotations == (f"the library would be {file.with_name(f'lib{module}.so')}",)

    def test_check_that_says_why(self, site, fake_core):
        site.driver("bad", "iree-cy-bad", "1.5", extra="check=lambda: 'there is no device node'")
        assert self.check("cannot be used: there is no device node").annotations == ()
        assert [name for name, _ in fake_core.loaded] == ["good"]

    @pytest.mark.parametrize(("value", "told"), [("False", "False"), ("1", "1"), ("['x']", "['x']")])
    def test_check_that_returns_something_else(self, site, value, told):
        site.driver("bad", "iree-cy-bad", "1.5", extra=f"check=lambda: {value}")
        self.check(f"its check returned {told}, neither None nor a reason as str; upgrade it")

    def test_check_without_words(self, site):
        site.driver("bad", "iree-cy-bad", "1.5", extra="check=lambda: ''")
        self.check("its check says so, and not why")

    def test_check_that_fails(self, site):
        site.driver("bad", "iree-cy-bad", "1.5", extra="check=lambda: 1 / 0")
        self.check("its check failed: ZeroDivisionError: division by zero", ZeroDivisionError)

    def test_native_side_keeps_its_code(self, site, fake_core):
        site.driver("bad", "iree-cy-bad", "1.5")

        def load(name, library):
            if name == "bad":
                raise Incompatible("the plugin has ABI version 3, this host 1")
            return FakeDriver(name)

        fake_core.on_load = load
        error = self.check("the plugin has ABI version 3, this host 1", Incompatible, Incompatible)
        assert error.annotations == ()

    def test_words_come_once(self, site, fake_core):
        """An error that passed through C has its class in the text; notes hold what the line has no room for."""
        site.driver("bad", "iree-cy-bad", "1.5")
        told = ["FailedPrecondition: driver 'bad' is in a circle"]

        def load(name, library):
            if name == "bad":
                raise FailedPrecondition(told[0], annotations=["found at the second step"])
            return FakeDriver(name)

        fake_core.on_load = load
        error = self.check("cannot be used: driver 'bad' is in a circle", FailedPrecondition, FailedPrecondition)
        assert str(error).endswith("cannot be used: driver 'bad' is in a circle")
        assert error.annotations == ("found at the second step",)
        told[0] = "a long story " * 30
        error = self.check("cannot be used: a long story", FailedPrecondition, FailedPrecondition)
        assert error.annotations == (told[0], "found at the second step")
        told[0] = "Unrelated: words"
        self.check("cannot be used: Unrelated: words", FailedPrecondition, FailedPrecondition)

    def test_later_requests_try_again(self, site, fake_core):
        site.driver("bad", "iree-cy-bad", "1.5", extra="check=lambda: os.environ.get('TOY_REASON', 'first time')")
        self.check("first time")
        importlib.import_module("toy_iree_cy_bad_bad").plugin.check = lambda: None
        assert iree_cy.get_driver("bad").name == "bad"


class TestWhoWins:
    def test_order_and_choice(self, site, fake_core):
        for distribution in ("zeta", "iree-cy", "alpha"):
            site.driver("toy", distribution)
        with pytest.warns(DuplicateDriverWarning, match=r"'toy' is taken from iree-cy 1\.0; .* alpha 1\.0, zeta"):
            winner = iree_cy.get_driver("toy")
        assert registry.distribution_of(winner) == "iree-cy"
        assert iree_cy.get_driver("toy@iree-cy") is winner
        other = iree_cy.get_driver("toy@zeta")
        assert other is not winner
        assert registry.distribution_of(other) == "zeta"
        assert iree_cy.get_driver("toy") is winner
        assert len(fake_core.loaded) == 2

    def test_one_warning_for_each_name(self, site, fake_core):
        for name in ("toy", "other"):
            for distribution in ("alpha", "zeta"):
                site.driver(name, f"{distribution}-{name}")
        with pytest.warns(DuplicateDriverWarning) as caught:
            iree_cy.query_available_drivers()
        assert sorted(str(warning.message).split("'")[1] for warning in caught) == ["other", "toy"]
        assert all(warning.filename == __file__ for warning in caught)
        iree_cy.query_available_drivers()
        iree_cy.get_driver("toy")

    def test_naming_the_distribution_does_not_warn(self, site, fake_core):
        for distribution in ("alpha", "zeta"):
            site.driver("toy", distribution)
        iree_cy.get_driver("toy@zeta")

    def test_duplicate_of_another_name_is_silent(self, site, fake_core):
        site.driver("good", "iree-cy-good")
        for distribution in ("alpha", "zeta"):
            site.driver("toy", distribution)
        iree_cy.get_driver("good")


class TestRegisteredByCall:
    def test_needs_no_scan_to_be_used(self, site, fake_core, library, monkeypatch):
        monkeypatch.setattr(registry_module, "discover", lambda: pytest.fail("scanned"))
        plugin = iree_cy.DriverPlugin("mine", "Mine", library)
        iree_cy.register_driver(plugin, replace=True)
        assert iree_cy.get_driver("mine").name == "mine"
        assert fake_core.loaded == [("mine", str(library))]

    def test_is_listed(self, site, fake_core, library):
        site.driver("toy")
        iree_cy.register_driver(iree_cy.DriverPlugin("mine", "Mine", library))
        assert iree_cy.query_available_drivers() == ["mine", "toy"]
        iree_cy.unregister_driver("mine")
        assert iree_cy.query_available_drivers() == ["toy"]
        with pytest.raises(NotFound, match="no driver 'mine'"):
            iree_cy.get_driver("mine")
        with pytest.raises(NotFound, match="no driver 'mine' was registered by call; registered are: none"):
            iree_cy.unregister_driver("mine")

    def test_name_that_is_taken(self, site, fake_core, library):
        site.driver("toy")
        plugin = iree_cy.DriverPlugin("toy", "Mine", library)
        with pytest.raises(AlreadyExists, match=r"'toy' comes from iree-cy-toy 1\.0; pass replace=True"):
            iree_cy.register_driver(plugin)
        installed = iree_cy.get_driver("toy")
        iree_cy.register_driver(plugin, replace=True)
        mine = iree_cy.get_driver("toy")
        assert mine is not installed
        assert iree_cy.get_driver("toy@iree-cy-toy") is installed
        with pytest.raises(AlreadyExists, match="is registered already"):
            iree_cy.register_driver(iree_cy.DriverPlugin("toy", "Third", library))
        iree_cy.unregister_driver("toy")
        assert iree_cy.get_driver("toy") is installed
        iree_cy.register_driver(plugin, replace=True)
        assert iree_cy.get_driver("toy") is mine

    def test_failure(self, site, fake_core, tmp_path):
        iree_cy.register_driver(iree_cy.DriverPlugin("mine", "Mine", tmp_path / "no.so"))
        with pytest.raises(Unavailable, match=r"driver 'mine' \(registered by call\) cannot be used: its library"):
            iree_cy.get_driver("mine")

    def test_something_else(self):
        with pytest.raises(TypeError, match="takes a DriverPlugin, not str"):
            iree_cy.register_driver("toy")


class TestSingleFlight:
    def start(self, count, work):
        results = []

        def run():
            try:
                results.append(work())
            except BaseException as error:
                results.append(error)

        threads = [threading.Thread(target=run, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        return threads, results

    def wait_for_waiters(self, count):
        # Those who wait are known to the registry; yielding until they are is no sleep.
        from iree_cy.plugins import single_flight

        deadline = threading.Event()
        timer = threading.Timer(30, deadline.set)
        timer.start()
        while len(single_flight._waiting_for) < count:
            assert not deadline.is_set(), "nobody waits"
        timer.cancel()

    def test_threads_share_one_driver(self, site, fake_core):
        site.driver("toy")
        begun, go = threading.Event(), threading.Event()

        def load(name, library):
            begun.set()
            assert go.wait(30)
            return FakeDriver(name)

        fake_core.on_load = load
        threads, results = self.start(6, lambda: iree_cy.get_driver("toy"))
        assert begun.wait(30)
        self.wait_for_waiters(5)
        go.set()
        for thread in threads:
            thread.join(30)
        assert len(results) == 6
        assert len(set(map(id, results))) == 1
        assert len(fake_core.loaded) == 1

    def test_threads_share_a_failure_and_a_later_request_tries_again(self, site, fake_core):
        site.driver("toy")
        begun, go = threading.Event(), threading.Event()

        def load(name, library):
            begun.set()
            assert go.wait(30)
            raise Incompatible("no")

        fake_core.on_load = load
        threads, results = self.start(4, lambda: iree_cy.get_driver("toy"))
        assert begun.wait(30)
        self.wait_for_waiters(3)
        go.set()
        for thread in threads:
            thread.join(30)
        assert len(fake_core.loaded) == 1
        assert [type(error) for error in results] == [Incompatible] * 4
        assert len(set(map(id, results))) == 4
        assert {str(error) for error in results} == {str(results[0])}
        assert {id(error.__cause__) for error in results} == {id(results[0].__cause__)}
        fake_core.on_load = lambda name, library: FakeDriver(name)
        assert iree_cy.get_driver("toy").name == "toy"

    def test_other_drivers_are_not_held_up(self, site, fake_core):
        site.driver("slow", "iree-cy-slow")
        site.driver("fast", "iree-cy-fast")
        begun, go = threading.Event(), threading.Event()

        def load(name, library):
            if name == "slow":
                begun.set()
                assert go.wait(30)
            return FakeDriver(name)

        fake_core.on_load = load
        threads, _ = self.start(1, lambda: iree_cy.get_driver("slow"))
        assert begun.wait(30)
        assert iree_cy.get_driver("fast").name == "fast"
        assert iree_cy.query_available_drivers() == ["fast", "slow"]
        go.set()
        threads[0].join(30)

    def test_interrupted_attempt_is_no_outcome(self, site, fake_core):
        site.driver("toy")
        begun, go = threading.Event(), threading.Event()

        def interrupted(name, library):
            begun.set()
            assert go.wait(30)
            fake_core.on_load = lambda name, library: FakeDriver(name)
            raise KeyboardInterrupt

        fake_core.on_load = interrupted
        threads, results = self.start(2, lambda: iree_cy.get_driver("toy"))
        assert begun.wait(30)
        self.wait_for_waiters(1)
        go.set()
        for thread in threads:
            thread.join(30)
        assert sorted(type(result).__name__ for result in results) == ["FakeDriver", "KeyboardInterrupt"]

    def test_waiting_can_be_interrupted(self, site, fake_core):
        site.driver("toy")
        begun, go = threading.Event(), threading.Event()

        def load(name, library):
            begun.set()
            assert go.wait(30)
            return FakeDriver(name)

        fake_core.on_load = load
        threads, results = self.start(1, lambda: iree_cy.get_driver("toy"))
        assert begun.wait(30)
        main = threading.get_ident()

        def interrupt():
            self.wait_for_waiters(1)
            signal.pthread_kill(main, signal.SIGINT)

        interrupter = threading.Thread(target=interrupt, daemon=True)
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            iree_cy.get_driver("toy")
        interrupter.join(30)
        go.set()
        threads[0].join(30)
        assert iree_cy.get_driver("toy") is results[0]

    def test_fork_while_another_thread_loads(self, site, fake_core):
        site.driver("toy")
        begun, go = threading.Event(), threading.Event()

        def load(name, library):
            begun.set()
            assert go.wait(30)
            return FakeDriver(name)

        fake_core.on_load = load
        threads, _ = self.start(1, lambda: iree_cy.get_driver("toy"))
        assert begun.wait(30)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            # The thread that loads is not here; a new request must not wait for it.
            fake_core.on_load = lambda name, library: FakeDriver(name)
            os._exit(0 if iree_cy.get_driver("toy").name == "toy" else 1)
        assert os.waitpid(child, 0)[1] == 0
        go.set()
        threads[0].join(30)

    def test_driver_that_asks_for_another(self, site, fake_core):
        site.driver("outer", "iree-cy-outer")
        site.driver("inner", "iree-cy-inner")

        def load(name, library):
            driver = FakeDriver(name)
            if name == "outer":
                driver.inner = registry_module.find_driver("inner")
            return driver

        fake_core.on_load = load
        assert iree_cy.get_driver("outer").inner is iree_cy.get_driver("inner")

    def test_driver_that_asks_for_itself(self, site, fake_core):
        site.driver("toy")
        fake_core.on_load = lambda name, library: registry_module.find_driver(name)
        with pytest.raises(FailedPrecondition, match="driver 'toy' is asked for by what is being created"):
            iree_cy.get_driver("toy")

    def test_two_threads_in_a_circle(self, site, fake_core):
        site.driver("a", "iree-cy-a")
        site.driver("b", "iree-cy-b")
        meet = threading.Barrier(2)

        def load(name, library):
            meet.wait(30)
            return registry_module.find_driver("b" if name == "a" else "a")

        fake_core.on_load = load
        names = iter(["a", "b"])
        threads, results = self.start(2, lambda: iree_cy.get_driver(next(names)))
        for thread in threads:
            thread.join(30)
        assert all(isinstance(result, FailedPrecondition) for result in results)
        assert len(results) == 2


class TestLog:
    def test_records_and_warnings(self, site, fake_core, caplog):
        site.driver("toy")

        def load(name, library):
            fake_core.log = [(20, "toy", "hello"), (30, "toy", "100% odd"), (40, "", "bad")]
            return FakeDriver(name)

        fake_core.on_load = load
        with caplog.at_level("INFO", logger="iree_cy"), pytest.warns(iree_cy.DeviceWarning) as caught:
            iree_cy.get_driver("toy")
        assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
            ("iree_cy.toy", "INFO", "hello"),
            ("iree_cy.toy", "WARNING", "100% odd"),
            ("iree_cy", "ERROR", "bad"),
        ]
        assert [str(warning.message) for warning in caught] == ["toy: 100% odd", "bad"]
        assert all(warning.filename == __file__ for warning in caught)

    def test_warning_does_not_hide_a_failure(self, site, fake_core):
        site.driver("toy")

        def load(name, library):
            fake_core.log = [(30, "toy", "odd")]
            raise Incompatible("no")

        fake_core.on_load = load
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(Incompatible):
                iree_cy.get_driver("toy")

    def test_warning_as_error(self, site, fake_core):
        site.driver("toy")

        def load(name, library):
            fake_core.log = [(30, "toy", "odd")]
            return FakeDriver(name)

        fake_core.on_load = load
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(iree_cy.DeviceWarning):
                iree_cy.get_driver("toy")
            assert iree_cy.get_driver("toy").name == "toy"


def test_errors_of_the_registry_are_status_errors():
    assert all(issubclass(cls, StatusError) for cls in (AlreadyExists, NotFound, Unavailable))
