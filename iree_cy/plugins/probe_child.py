# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what a probe does in its child process: one step after the other, each told before and after.
"""The steps from a driver's name to its devices. Run by `iree_cy.plugins.probe` in a process of its own."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from iree_cy.errors import one_line
from iree_cy.plugins.driver_plugin import DriverPlugin
from iree_cy.plugins.registry import registry

__all__ = ["main"]

_MAX_DETAIL = 2000


def main(arguments: list[str]) -> None:
    """Go through the steps.

    Parameters
    ----------
    arguments
        The descriptor that the report goes to, and what is asked for as JSON.
    """
    request = json.loads(arguments[1])
    with open(int(arguments[0]), "w", encoding="utf-8", buffering=1) as report:

        def tell(**words: Any) -> None:
            report.write(json.dumps(words) + "\n")

        try:
            _run(request, tell)
        except BaseException as error:
            # SystemExit too: a driver's package may try to end the process.
            tell(error=_describe(error))
    # What the driver left running is not waited for, and its own end is not what was asked.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _describe(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ended the process: SystemExit({error.code!r})"
    return one_line(error, _MAX_DETAIL)


def _run(request: dict[str, Any], tell: Callable[..., None]) -> None:
    name, uri = request["name"], request["uri"]
    if request["registered"] is not None:
        registry.register(DriverPlugin(name, *request["registered"]), replace=True)
    tell(step="import")
    plugin = registry.plugin(name, request["distribution"])
    tell(step="check")
    if plugin.check is not None:
        reason = plugin.check()
        if reason is not None:
            raise RuntimeError(str(reason))
    tell(step="library")
    from iree_cy import _core

    if not os.path.isfile(plugin.library):
        raise FileNotFoundError(2, os.strerror(2), plugin.library)
    _core.open_plugin_library(plugin.library)
    tell(step="abi")
    _check_abi(plugin, _core.build_info()["abi_version"])
    tell(step="factory")
    driver = registry.get(uri)
    tell(step="devices")
    from iree_cy._devices import available_devices

    devices = available_devices(driver)
    if request["details"]:
        devices = [{**info, "details": driver.dump_device_info(info["device_id"])} for info in devices]
    tell(devices=devices)


class _Header(ctypes.Structure):
    """How each version of iree_cy_driver_plugin_t begins."""

    _fields_ = (("size", ctypes.c_uint32), ("version", ctypes.c_uint32))


def _check_abi(plugin: DriverPlugin, own: int) -> None:
    try:
        # It is open already.
        query = ctypes.CDLL(plugin.library).iree_cy_driver_plugin_query
    except AttributeError:
        raise RuntimeError(
            f"{os.path.basename(plugin.library)} is no driver plugin: it exports no iree_cy_driver_plugin_query"
        ) from None
    query.restype = ctypes.POINTER(_Header)
    query.argtypes = (ctypes.c_uint32, ctypes.c_void_p)
    # Asked for a version that is not its own, a plugin touches nothing and gives its table.
    table = query(0, None)
    if table and table.contents.version != own:
        raise RuntimeError(f"the library was built for plugin ABI {table.contents.version}, and this iree-cy has {own}")
