# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of getting and creating devices, of their cache, and of Config.
from __future__ import annotations

import threading

import pytest

import iree_cy
from iree_cy import _devices
from iree_cy.errors import FailedPrecondition, InvalidArgument, NotFound, Unavailable

PARAMETERS = "parameters=[('workers', int, 4, 'threads'), ('mode', ('a', 'b'), 'a', 'mode')]"


@pytest.fixture
def driver(site, fake_core):
    site.driver("toy", extra=PARAMETERS)
    return iree_cy.get_driver("toy")


def line_of(caught):
    line = str(caught.value).partition("\n")[0]
    assert len(line) <= 200, line
    return line


class TestGetDevice:
    def test_spellings_of_one_device(self, driver):
        device = iree_cy.get_device("toy")
        for uri in (
            "toy",
            "toy://",
            "toy://0",
            "toy:0",
            "toy://first",
            "toy@iree-cy-toy",
            "toy@IREE.cy_toy://first",
            "toy://first?workers=4",
            "toy://?mode=a&workers=+04",
        ):
            assert iree_cy.get_device(uri) is device, uri
            assert iree_cy.get_device(uri) is device, uri
        assert len(driver.created) == 1
        assert device.params == []

    def test_other_devices(self, driver):
        first = iree_cy.get_device("toy")
        second = iree_cy.get_device("toy:1")
        assert second.device_id == 7
        assert second is iree_cy.get_device("toy://second,b") is iree_cy.get_device("toy://1")
        busy = iree_cy.get_device("toy://?workers=8")
        assert busy.params == [("workers", "8")]
        assert busy is iree_cy.get_device("toy://first?mode=a&workers=08")
        assert len({first, second, busy}) == 3

    def test_without_cache(self, driver):
        kept = iree_cy.get_device("toy")
        fresh = iree_cy.get_device("toy", cache=False)
        assert fresh is not kept
        assert iree_cy.get_device("toy", False) is not fresh
        assert iree_cy.get_device("toy") is kept

    def test_failure_is_not_kept(self, driver):
        driver.fail = Unavailable("out of order")
        with pytest.raises(Unavailable, match="out of order"):
            iree_cy.get_device("toy")
        driver.fail = None
        assert iree_cy.get_device("toy").device_id == 0

    def test_unknown_path(self, driver):
        with pytest.raises(NotFound) as caught:
            iree_cy.get_device("toy://third")
        assert line_of(caught) == (
            "driver 'toy' has no device 'third'; it has: 'first' (the first one), 'second,b' (the second one); "
            "use one of these paths or a position"
        )
        assert str(caught.value.__cause__) == "the driver's own words about third"
        assert caught.value.annotations == ()
        with pytest.raises(NotFound) as caught:
            iree_cy.get_device("toy://" + "x" * 500)
        line_of(caught)

    def test_unknown_ordinal(self, driver):
        with pytest.raises(NotFound, match="driver 'toy' lists 2; it has: 'first'") as caught:
            iree_cy.get_device("toy:2")
        line_of(caught)

    def test_unknown_parameter(self, driver):
        with pytest.raises(InvalidArgument, match="no parameter 'wrkrs'; it has: workers, mode"):
            iree_cy.get_device("toy://?wrkrs=3")
        with pytest.raises(InvalidArgument, match="parameter 'workers' of driver 'toy' is int, not 'x'"):
            iree_cy.get_device("toy://?workers=x")
        assert driver.created == []

    def test_name_that_changes_hands(self, driver, site, tmp_path):
        before = iree_cy.get_device("toy")
        library = tmp_path / "l.so"
        library.touch()
        iree_cy.register_driver(iree_cy.DriverPlugin("toy", "Mine", library), replace=True)
        assert iree_cy.get_device("toy") is not before
        iree_cy.unregister_driver("toy")
        assert iree_cy.get_device("toy") is before

    def test_threads_share_one_device(self, driver):
        begun, go = threading.Event(), threading.Event()
        create = driver._create_device

        def slowly(device_id, params):
            begun.set()
            assert go.wait(30)
            return create(device_id, params)

        driver._create_device = slowly
        results = []
        threads = [threading.Thread(target=lambda: results.append(iree_cy.get_device("toy"))) for _ in range(4)]
        for thread in threads:
            thread.start()
        assert begun.wait(30)
        go.set()
        for thread in threads:
            thread.join(30)
        assert len(results) == 4
        assert len(set(map(id, results))) == len(driver.created) == 1


class TestFirstDevice:
    @pytest.fixture(autouse=True)
    def no_variable(self, monkeypatch):
        monkeypatch.delenv("IREE_DEFAULT_DEVICE", raising=False)

    def test_stops_at_the_first_success(self, driver, site, fake_core):
        site.driver("later", "iree-cy-later")
        device = iree_cy.get_first_device(["absent", "toy:1", "later"])
        assert device is iree_cy.get_device("toy:1")
        assert [name for name, _ in fake_core.loaded] == ["toy"]
        assert iree_cy.get_first_device("absent, toy:1") is device
        assert iree_cy.get_first_device(["toy:1"], cache=False) is not device

    def test_variable(self, driver, monkeypatch):
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent,toy://second%2Cb?workers=1")
        device = iree_cy.get_first_device()
        assert (device.device_id, device.params) == (7, [("workers", "1")])
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent")
        assert iree_cy.get_first_device(["toy"]).device_id == 0

    def test_preferences(self, site, fake_core):
        assert _devices.DEFAULT_DEVICE_URIS == ("local-task", "cuda", "vulkan", "local-sync")
        site.driver("vulkan", "iree-cy-vulkan")
        site.driver("local-sync", "iree-cy-local")
        assert iree_cy.get_first_device().driver.name == "vulkan"

    def test_empty_variable_is_no_variable(self, site, fake_core, monkeypatch):
        site.driver("local-sync", "iree-cy-local")
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", " ,")
        assert iree_cy.get_first_device().driver.name == "local-sync"

    def test_reasons(self, driver, monkeypatch):
        driver.fail = Unavailable("out of order")
        with pytest.raises(Unavailable) as caught:
            iree_cy.get_first_device(["absent", "toy", "toy:9"])
        first, *others = str(caught.value).split("\n")
        assert first.startswith("no device of 'absent, toy, toy:9' can be used")
        assert len(first) <= 200
        assert [line.partition(":")[0].strip() for line in others] == ["absent", "toy", "toy"]
        assert "no driver 'absent'; there are: toy" in others[0]
        assert others[1] == "  toy: out of order"
        assert [(uri, type(error)) for uri, error in caught.value.skipped] == [
            ("absent", NotFound),
            ("toy", Unavailable),
            ("toy:9", NotFound),
        ]
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent")
        with pytest.raises(NotFound) as caught:
            iree_cy.get_first_device()
        assert line_of(caught).startswith("no device of 'IREE_DEFAULT_DEVICE=absent' can be used; change IREE_DEFAULT")
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent://" + "x" * 300)
        with pytest.raises(NotFound) as caught:
            iree_cy.get_first_device()
        line_of(caught)

    def test_malformed_is_a_mistake(self, driver, monkeypatch):
        with pytest.raises(InvalidArgument, match="malformed device URI 'x:y'"):
            iree_cy.get_first_device(["toy", "x:y"])
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "toy,x:y")
        with pytest.raises(InvalidArgument, match="IREE_DEFAULT_DEVICE: malformed device URI 'x:y'"):
            iree_cy.get_first_device()
        assert driver.created == []

    def test_empty_list(self, site, fake_core):
        with pytest.raises(InvalidArgument, match="is empty"):
            iree_cy.get_first_device([])


class TestDriversForBackend:
    """Which drivers run programs for a backend is what their plugins say of themselves."""

    @pytest.fixture(autouse=True)
    def drivers(self, site, fake_core):
        flags = "('--iree-hal-target-device=local', '--iree-hal-local-target-device-backends=llvm-cpu', '--x=zip')"
        site.driver("local-sync", "a", extra=f"compile_flags={flags}, target_backends=['vmvx']")
        site.driver("cpu", "b", extra=f"compile_flags={flags}")
        site.driver("local-task", "c", extra=f"compile_flags={flags}")
        site.driver("gpu", "d", extra="compile_flags=['--iree-hal-target-device=gpu[1]']")
        site.driver("old", "e", extra="compile_flags=['--iree-hal-target-backends=gpu-spirv,npu']")
        site.driver("bare", "f")

    @pytest.mark.parametrize(
        ("backend", "names"),
        [
            ("llvm-cpu", ["local-task", "local-sync", "cpu"]),
            ("vmvx", ["local-sync"]),
            ("gpu-spirv", ["gpu", "old"]),
            ("gpu", ["gpu"]),
            ("npu", ["old"]),
        ],
    )
    def test_order(self, fake_core, backend, names):
        assert _devices.drivers_for_backend(backend) == names
        assert fake_core.loaded == []

    @pytest.mark.parametrize("backend", ["local", "zip", "llvm", "", "--x"])
    def test_none(self, site, backend):
        site.driver("bad", "g", body="import toy_that_is_missing")
        with pytest.raises(NotFound) as caught:
            _devices.drivers_for_backend(backend)
        assert line_of(caught) == (
            f"no driver here says that it runs programs for target backend {backend!r}; "
            "known are: gpu, gpu-spirv, llvm-cpu, npu, vmvx; name a driver with driver="
        )
        (broken,) = caught.value.annotations
        assert broken.startswith("driver 'bad' (g 1.0) cannot be used: ")

    def test_registered_by_call(self, tmp_path):
        plugin = iree_cy.DriverPlugin("mine", "Mine", tmp_path / "l.so", target_backends=("special",))
        iree_cy.register_driver(plugin)
        assert _devices.drivers_for_backend("special") == ["mine"]


class TestListedPaths:
    """What a driver lists names the same device again in a URI, or the driver is told of."""

    @pytest.mark.parametrize("path", ["a?b", "?", "a\0b"])
    def test_that_no_uri_can_name(self, driver, path):
        driver.devices.append({"device_id": 9, "path": path, "name": "the third one"})
        for ask in (
            lambda: _devices.available_devices(driver),
            lambda: iree_cy.get_device("toy:2"),
            lambda: _devices.create_device(driver, 9),
        ):
            with pytest.raises(FailedPrecondition) as caught:
                ask()
            assert line_of(caught) == (
                f"driver 'toy' lists the device path {path!r}, which no URI can name: a path has no '?' and no NUL; "
                "upgrade it, or tell its author"
            )
        assert iree_cy.get_device("toy://first").device_id == 0

    def test_for_two_devices(self, driver):
        driver.devices.append({"device_id": 9, "path": "first", "name": "the third one"})
        with pytest.raises(FailedPrecondition, match="lists the device path 'first', for two devices; upgrade it"):
            iree_cy.get_device("toy:0")

    @pytest.mark.parametrize("path", ["a b/c:d@e%2C&f=g#h", "\u00e9", "://", "%3F"])
    def test_round_trip(self, driver, path):
        driver.devices.append({"device_id": 9, "path": path, "name": "the third one"})
        assert iree_cy.get_device("toy:2") is iree_cy.get_device(f"toy://{path}")

    def test_without_a_path(self, driver):
        driver.devices = [{"device_id": i, "path": "", "name": "n"} for i in range(2)]
        assert len(_devices.available_devices(driver)) == 2


class TestCreateDevice:
    def test_by_id_and_by_info(self, driver):
        for info in driver.query_available_devices():
            assert _devices.create_device(driver, info).device_id == info["device_id"]
            assert _devices.create_device(driver, info["device_id"]).device_id == info["device_id"]
        device = _devices.create_device(driver, 7, {"workers": 2, "mode": "a"})
        assert device.params == [("workers", "2")]
        assert _devices.create_device(driver, 7) is not _devices.create_device(driver, 7)

    def test_unknown_id(self, driver):
        with pytest.raises(NotFound) as caught:
            _devices.create_device(driver, 3)
        assert line_of(caught) == (
            "driver 'toy' has no device with id 3; available devices: 0 (first), 7 (second,b); pass one of these ids"
        )
        assert isinstance(caught.value, ValueError)

    def test_id_0_is_the_default_without_being_listed(self, driver):
        driver.devices = [{"device_id": 7, "path": "first", "name": "n"}]
        assert _devices.create_device(driver, 0).device_id == 0

    @pytest.mark.parametrize("wrong", ["0", None, 1.0, True])
    def test_something_else(self, driver, wrong):
        with pytest.raises(TypeError, match="a device id is an int"):
            _devices.create_device(driver, wrong)

    def test_info_without_an_id(self, driver):
        with pytest.raises(InvalidArgument, match="has no 'device_id'"):
            _devices.create_device(driver, {"path": "first"})

    def test_default(self, driver):
        assert _devices.create_default_device(driver).device_id == 0
        assert _devices.create_default_device(driver, ["caching"]).allocators == ["caching"]

    def test_by_uri(self, driver):
        device = _devices.create_device_by_uri(driver, "toy://second,b?workers=1")
        assert (device.device_id, device.params) == (7, [("workers", "1")])
        assert _devices.create_device_by_uri(driver, "toy@iree-cy-toy://0").device_id == 0
        for uri in ("other", "toy@other"):
            with pytest.raises(InvalidArgument, match="asks for another driver than this, toy@iree-cy-toy"):
                _devices.create_device_by_uri(driver, uri)

    def test_allocators(self, driver):
        specs = ["caching:4096", "debug"]
        assert _devices.create_device(driver, 0, None, specs).allocators == specs
        assert _devices.create_device(driver, 0, None, "debug").allocators == ["debug"]
        assert _devices.create_device(driver, 0, None, []).allocators == []
        with pytest.raises(InvalidArgument, match="no allocator 'pool'; there are: caching, debug"):
            _devices.create_device(driver, 0, None, ["pool"])
        with pytest.raises(TypeError, match="named by a str, not int"):
            _devices.create_device(driver, 0, None, [1])
        count = len(driver.created)
        assert count == 3

    def test_driver_of_unknown_origin_takes_no_parameters(self, fake_core):
        driver = fake_core.HalDriver("bare")
        assert _devices.create_device(driver, 0).device_id == 0
        with pytest.raises(InvalidArgument, match="its devices take none"):
            _devices.create_device(driver, 0, {"a": 1})


class TestConfig:
    def test_one_device(self, driver):
        device = iree_cy.get_device("toy")
        config = iree_cy.Config(device=device)
        assert config.device is device
        assert config.devices == (device,)
        assert config.default_vm_modules == (("hal", config.vm_instance, device, None),)
        assert iree_cy.Config(device=device).vm_instance is not config.vm_instance

    def test_several_devices(self, driver):
        devices = [iree_cy.get_device("toy:0"), iree_cy.get_device("toy:1")]
        config = iree_cy.Config(device=devices)
        assert config.device is devices[0]
        assert config.default_vm_modules == (("hal", config.vm_instance, None, devices),)

    def test_by_name(self, driver, monkeypatch):
        monkeypatch.delenv("IREE_DEFAULT_DEVICE", raising=False)
        assert iree_cy.Config("absent,toy:1").device is iree_cy.get_device("toy:1")
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "toy")
        assert iree_cy.Config().device is iree_cy.get_device("toy")

    def test_refused(self, driver):
        device = iree_cy.get_device("toy")
        with pytest.raises(InvalidArgument, match="not both"):
            iree_cy.Config("toy", device=device)
        with pytest.raises(InvalidArgument, match="empty list"):
            iree_cy.Config(device=[])
        with pytest.raises(TypeError, match=r"not str; pass iree_cy.get_device\('toy'\)"):
            iree_cy.Config(device="toy")
        with pytest.raises(TypeError, match="list holds an object of type int"):
            iree_cy.Config(device=[device, 3])

    def test_what_the_reference_dropped_does_not_exist(self, driver, monkeypatch):
        config = iree_cy.Config(device=iree_cy.get_device("toy"))
        assert not hasattr(config, "driver")
        monkeypatch.delenv("IREE_DEFAULT_DEVICE", raising=False)
        monkeypatch.setenv("IREE_DEFAULT_DRIVER", "toy")
        with pytest.raises(NotFound, match="no device of 'local-task, cuda, vulkan, local-sync'"):
            iree_cy.Config()
