# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the conformance suite has to know of the logging driver.
"""The logging driver and the conformance suite: it can do what the driver behind it can."""

from importlib import import_module

from iree_cy_logging import inner

__all__ = ["profiles"]

profiles = {"logging": import_module(f"{inner.module}.conformance").profiles[inner.name]}
