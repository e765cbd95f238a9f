# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns a stand-in for the native core, and fixtures that put made-up distributions on sys.path.
"""What the tests of the plain-Python side share.

Here a driver is a Python object, so that a test can say what it does, count what is asked of it and
let it fail; the real core is exercised by the tests of the drivers.
"""

from __future__ import annotations

import sys
import sysconfig
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import iree_cy
from iree_cy import _devices, errors
from iree_cy.plugins import discovery
from iree_cy.plugins.registry import DriverRegistry, registry

__all__ = ["FakeCore", "FakeDevice", "FakeDriver", "Site", "fake_core", "site"]


class FakeDevice:
    def __init__(self, driver: FakeDriver, device_id: int, params: list[tuple[str, str]]) -> None:
        self.driver = driver
        self.device_id = device_id
        self.params = params
        self.allocators: list[str] = []

    def _replace_allocators(self, specs: list[str]) -> None:
        self.allocators = specs


class FakeDriver:
    def __init__(self, name: str, devices: list[dict[str, Any]] | None = None) -> None:
        self.name = name
        self.devices: list[dict[str, Any]] = (
            [
                {"device_id": 0, "path": "first", "name": "the first one"},
                {"device_id": 7, "path": "second,b", "name": "the second one"},
            ]
            if devices is None
            else devices
        )
        self.created: list[FakeDevice] = []
        self.fail: Exception | None = None

    def query_available_devices(self) -> list[dict[str, Any]]:
        return [dict(device) for device in self.devices]

    def dump_device_info(self, device_id: int) -> str:
        return f"details of {device_id}"

    def _resolve_path(self, path: str) -> int:
        for device in self.devices:
            if device["path"] == path:
                return int(device["device_id"])
        if path.isdecimal() and int(path) < len(self.devices):
            return int(self.devices[int(path)]["device_id"])
        if path == "":
            return 0
        raise errors.NotFound(f"the driver's own words about {path}")

    def _create_device(self, device_id: int, params: list[tuple[str, str]]) -> FakeDevice:
        if self.fail is not None:
            raise self.fail
        device = FakeDevice(self, device_id, params)
        self.created.append(device)
        return device


class FakeCore(types.ModuleType):
    HalDriver = FakeDriver
    HalDevice = FakeDevice

    def __init__(self) -> None:
        super().__init__("iree_cy._core")
        self.loaded: list[tuple[str, str]] = []
        self.log: list[tuple[int, str, str]] = []
        self.on_load: Callable[[str, str], FakeDriver] = lambda name, library: FakeDriver(name)

    def load_driver_plugin(self, name: str, library_path: str) -> FakeDriver:
        self.loaded.append((name, library_path))
        return self.on_load(name, library_path)

    def drain_log(self) -> list[tuple[int, str, str]]:
        records, self.log = self.log, []
        return records

    class VmInstance:
        pass

    def create_hal_module(self, instance: Any, device: Any = None, devices: Any = None) -> Any:
        return ("hal", instance, device, devices)


class Site:
    """A folder on sys.path that holds made-up distributions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def distribution(
        self,
        name: str,
        version: str = "1.0",
        drivers: Mapping[str, str] | None = None,
        *,
        suffix: str = ".dist-info",
        metadata: bool = True,
    ) -> Path:
        folder = self.path / f"{name.replace('-', '_')}-{version}{suffix}"
        folder.mkdir()
        if metadata:
            file = "METADATA" if suffix == ".dist-info" else "PKG-INFO"
            (folder / file).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\ntext\n")
        if drivers is not None:
            lines = [f"{driver} = {value}" for driver, value in drivers.items()]
            text = "\n".join(["[console_scripts]", "tool = x:y", "", "[iree_cy.drivers]", *lines, ""])
            (folder / "entry_points.txt").write_text(text)
        return folder

    def driver(
        self, name: str, distribution: str = "iree-cy-toy", version: str = "1.0", extra: str = "", body: str = ""
    ) -> str:
        """Install a working driver; return the name of its module."""
        module = f"toy_{distribution}_{name}".replace("-", "_")
        (self.path / f"lib{module}.so").touch()
        (self.path / f"{module}.py").write_text(
            "import os, iree_cy\n"
            f"{body}\n"
            f"plugin = iree_cy.DriverPlugin({name!r}, 'Toy {name}', "
            f"os.path.join(os.path.dirname(__file__), 'lib{module}.so'), {extra})\n"
        )
        self.distribution(distribution, version, {name: f"{module}:plugin"})
        return module


@pytest.fixture
def fake_core(monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    core = FakeCore()
    monkeypatch.setitem(sys.modules, "iree_cy._core", core)
    monkeypatch.setattr(iree_cy, "_core", core, raising=False)
    monkeypatch.setattr(registry, "__dict__", DriverRegistry().__dict__)
    monkeypatch.setattr(_devices, "_devices", {})
    monkeypatch.setattr(_devices, "_fast", {})
    return core


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Give a folder that is the only place on sys.path, beside Python's own library."""
    library = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    own = [path for path in sys.path if path in library or path.endswith("lib-dynload")]
    made = Site(tmp_path / "site")
    monkeypatch.setattr(sys, "path", [str(made.path), *own])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    discovery.forget_discovered()
    yield made
    discovery.forget_discovered()
    for name in set(sys.modules) - before:
        if name.startswith("toy_"):
            del sys.modules[name]
