# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the cases of every area share: the driver under test, its devices, and work on one.
"""Fixtures of the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import Subject, Work

if TYPE_CHECKING:
    from iree_cy.testing.conformance._plugin import Conformance


@pytest.fixture(scope="session")
def subject(request: pytest.FixtureRequest) -> Subject:
    """Return the driver under test, by name."""
    plugin: Conformance | None = request.config.pluginmanager.get_plugin("iree_cy_conformance")
    if plugin is None:
        pytest.fail("run the suite as: pytest --pyargs iree_cy.testing.conformance --driver=NAME", pytrace=False)
    return Subject(plugin.driver, plugin.profile)


@pytest.fixture(scope="session")
def driver(subject: Subject) -> rt.HalDriver:
    """Return the driver under test."""
    return rt.get_driver(subject.name)


@pytest.fixture(scope="session")
def shared_device(subject: Subject) -> rt.HalDevice:
    """Make the device that most cases use."""
    return subject.new_device()


@pytest.fixture
def work(shared_device: rt.HalDevice) -> Work:
    """Return a case's own work on the shared device."""
    return Work(shared_device)
