# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the plugin package's face.
"""Driver plugins: what a driver package declares, how it is found, when it is loaded."""

from iree_cy.plugins.discovery import DriverEntry
from iree_cy.plugins.driver_plugin import DriverPlugin, Parameter
from iree_cy.plugins.registry import (
    get_driver,
    query_available_drivers,
    register_driver,
    unregister_driver,
)

__all__ = [
    "DriverEntry",
    "DriverPlugin",
    "Parameter",
    "get_driver",
    "query_available_drivers",
    "register_driver",
    "unregister_driver",
]
