# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns Config: the devices and modules that programs are loaded with.
"""The configuration that a program is loaded with: an instance, its devices, its modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iree_cy import _fork
from iree_cy._devices import get_first_device
from iree_cy.errors import InvalidArgument, quote, type_error, type_name, value_error

if TYPE_CHECKING:
    from iree_cy._core import HalDevice, VmInstance, VmModule

__all__ = ["Config"]


class Config:
    """What programs are loaded with. Two configurations share nothing but the devices given.

    Parameters
    ----------
    driver_name
        A comma list of device URIs, of which the first that can be used is taken. Without it and
        without `device`, `get_first_device()` chooses.
    device
        The device, or a sequence of devices that the program addresses in that order.
    max_instructions, max_call_depth, max_bytes
        Limits of what programs loaded with it may use, as for `VmContext`. None is no limit.

    Attributes
    ----------
    device : HalDevice
        The first device.
    devices : tuple of HalDevice
    vm_instance : VmInstance
    default_vm_modules : tuple of VmModule
        The modules that each program gets: the ``hal`` module over the devices.
    max_instructions, max_call_depth, max_bytes : int or None

    Raises
    ------
    InvalidArgument
        If both are given, or the sequence is empty.
    """

    device: HalDevice
    devices: tuple[HalDevice, ...]
    vm_instance: VmInstance
    default_vm_modules: tuple[VmModule, ...]

    def __init__(
        self,
        driver_name: str | None = None,
        *,
        device: HalDevice | Sequence[HalDevice] | None = None,
        max_instructions: int | None = None,
        max_call_depth: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        with _fork.FirstUse():
            from iree_cy import _core

        if device is not None and driver_name is not None:
            raise InvalidArgument("Config takes 'driver_name' or 'device', not both; leave one out")
        if driver_name is not None and not isinstance(driver_name, (str, list, tuple)):
            raise type_error(f"Config's driver_name is a str or None, not {type_name(driver_name)}")
        if device is None:
            self.devices = (get_first_device(driver_name),)
        elif isinstance(device, _core.HalDevice):
            self.devices = (device,)
        else:
            self.devices = _check_devices(device)
        self.device = self.devices[0]
        self.max_instructions = _check_limit("max_instructions", max_instructions)
        self.max_call_depth = _check_limit("max_call_depth", max_call_depth, 32)
        self.max_bytes = _check_limit("max_bytes", max_bytes)
        self.vm_instance = _core.VmInstance()
        if len(self.devices) == 1:
            hal_module = _core.create_hal_module(self.vm_instance, self.device)
        else:
            hal_module = _core.create_hal_module(self.vm_instance, devices=list(self.devices))
        self.default_vm_modules = (hal_module,)

    def __repr__(self) -> str:
        return f"Config(device={list(self.devices) if len(self.devices) > 1 else self.device!r})"


def _check_limit(name: str, value: int | None, bits: int = 64) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise type_error(f"{name} is an int or None, not {type_name(value)}")
    number = value.__index__()
    if not 0 < number < 1 << bits:
        raise value_error(f"{name} is between 1 and {(1 << bits) - 1}, not {quote(value)}; None is no limit")
    return number


def _check_devices(device: object) -> tuple[HalDevice, ...]:
    from iree_cy import _core

    if isinstance(device, str) or not isinstance(device, (list, tuple)):
        hint = f"; pass iree_cy.get_device({device!r})" if isinstance(device, str) else ""
        raise type_error(f"Config's device is a HalDevice or a list of them, not {type_name(device)}{hint}")
    if not device:
        raise InvalidArgument("Config's device is an empty list; give at least one device")
    for item in device:
        if not isinstance(item, _core.HalDevice):
            raise type_error(f"Config's device list holds an object of type {type_name(item)}, not a HalDevice")
    return tuple(device)
