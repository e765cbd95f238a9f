# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `list-drivers`, `list-devices` and `info`.
"""Commands that show what is there."""

from __future__ import annotations

import argparse
import sys

from iree_cy._devices import available_devices
from iree_cy.errors import StatusError, one_line
from iree_cy.plugins.probe import probe
from iree_cy.plugins.registry import registry

__all__ = ["info", "list_devices", "list_drivers"]


def list_drivers(arguments: argparse.Namespace) -> int:
    """Print each driver's name and where it comes from; import nothing unless asked to."""
    rows = []
    for name in registry.names():
        plugin = registry.registered(name)
        origins = ["registered by call"] if plugin is not None else []
        origins += [entry.origin for entry in registry.entries(name)]
        row = [name, origins[0]]
        if arguments.verbose:
            try:
                row.append(registry.plugin(name).human_name)
            except Exception as error:
                row.append(one_line(error))
        if len(origins) > 1:
            row.append(f"(also from {', '.join(origins[1:])})")
        rows.append(row)
    if not rows:
        print("no drivers are installed")
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)] if rows else [0, 0]
    for row in rows:
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1]), *row[2:]]
        print("  ".join(cells).rstrip())
    return 0


def list_devices(arguments: argparse.Namespace) -> int:
    """Print each driver's devices, or the reason why there are none.

    Returns
    -------
    int
        1 if a driver that was asked for by name cannot be used. Without names it always succeeds.
    """
    names = arguments.drivers or registry.names()
    if arguments.isolated:
        return _list_isolated(names, arguments)
    failed = False
    if not names:
        print("no drivers are installed")
    for name in names:
        try:
            driver = registry.get(name)
            devices = available_devices(driver)
            if not devices:
                print(f"{name}: no devices")
            for device in devices:
                print(f"{name}://{device['path']}  {device['name']}".rstrip())
                if arguments.verbose:
                    for line in driver.dump_device_info(device["device_id"]).splitlines():
                        print(f"    {line}".rstrip())
        except Exception as error:
            failed = True
            reason = one_line(error)
            print(reason if repr(name) in reason else f"{name}: {reason}")
    return 1 if failed and arguments.drivers else 0


def _list_isolated(names: list[str], arguments: argparse.Namespace) -> int:
    """Do the same with a process for each driver, so that none is loaded here."""
    failed = False
    if not names:
        print("no drivers are installed")
    for name in names:
        try:
            result = probe(name, arguments.timeout, details=arguments.verbose)
        except StatusError as error:
            failed = True
            print(f"{name}: {one_line(error)}")
            continue
        if result.devices is None:
            failed = True
            print(f"{name}: {result.error} (step: {result.step})")
            continue
        if not result.devices:
            print(f"{name}: no devices")
        for device in result.devices:
            print(f"{name}://{device['path']}  {device['name']}".rstrip())
            for line in device.get("details", "").splitlines():
                print(f"    {line}".rstrip())
    return 1 if failed and arguments.drivers else 0


def info(arguments: argparse.Namespace) -> int:
    """Print how this installation was built."""
    from iree_cy._include import get_include
    from iree_cy.version import __version__

    rows = [
        ("iree-cy", __version__),
        ("python", f"{sys.version.split()[0]} ({sys.executable})"),
    ]
    try:
        rows.append(("include", get_include()))
    except FileNotFoundError as error:
        rows.append(("include", one_line(error)))
    try:
        from iree_cy import _core

        rows += [(str(key), str(value)) for key, value in _core.build_info().items()]
    except Exception as error:
        rows.append(("core", one_line(error)))
    width = max(len(key) for key, _ in rows)
    for key, value in rows:
        print(f"{key.ljust(width)}  {value}")
    return 0
