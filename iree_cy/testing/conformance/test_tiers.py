# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area tiers: the names, the driver, its list of devices, a device.
"""Area tiers: a driver is made once, lists its devices without making any, and makes them when asked."""

from __future__ import annotations

import iree_cy as rt
from iree_cy import _core
from iree_cy.testing.conformance._support import Subject, same, told


def test_is_listed(subject: Subject) -> None:
    """The driver's name is listed from metadata alone."""
    names = rt.query_available_drivers()
    assert subject.plain_name in names, told(f"is not among {names}", "an entry point with its name", "plugin.h")


def test_is_made_once(subject: Subject, driver: rt.HalDriver) -> None:
    """A driver is one object for the process."""
    assert rt.get_driver(subject.name) is driver, told("was made twice", "one driver for each name", "hal/driver.h")


def test_has_its_name(subject: Subject, driver: rt.HalDriver) -> None:
    """The driver's identifier is the name that it was made with."""
    assert driver.name == subject.plain_name, told(
        f"calls itself {driver.name!r}", f"the name {subject.plain_name!r} that create_driver was given", "hal/driver.h"
    )


def test_lists_devices(driver: rt.HalDriver) -> None:
    """Each device that is listed has an id and a path of its own, and a name for people."""
    infos = driver.query_available_devices()
    assert infos, told("lists no device", "a device to test", "hal/driver.h")
    for key in ("device_id", "path"):
        values = [info[key] for info in infos]
        assert len(set(values)) == len(values), told(f"lists {key} {values}", f"each {key} once", "hal/driver.h")
    for info in infos:
        assert info["name"].strip(), told(f"lists {info}", "a name for people", "hal/driver.h")


def test_listing_makes_no_device(driver: rt.HalDriver) -> None:
    """Listing is cheap: it creates no device."""
    before = _core.live_object_counts()["device"]
    driver.query_available_devices()
    after = _core.live_object_counts()["device"]
    assert after == before, told(f"made {after - before} devices to list them", "none created", "hal/driver.h")


def test_lists_the_same_again(driver: rt.HalDriver) -> None:
    """An id names a device for as long as the process lives, and so does a path."""
    first, second = driver.query_available_devices(), driver.query_available_devices()
    assert first == second, told(f"listed {first}, then {second}", "the same ids and paths again", "hal/driver.h")


def test_makes_a_device(subject: Subject, driver: rt.HalDriver) -> None:
    """The device under test can be made, and says whose it is."""
    device = subject.new_device()
    assert device.name == subject.plain_name, told(
        f"made a device that calls itself {device.name!r}", f"{subject.plain_name!r}", "hal/device.h"
    )
    assert device.driver is driver, told("made a device of another driver", "its own", "hal/driver.h")


def test_makes_devices_of_their_own(subject: Subject) -> None:
    """Two devices live side by side, and one outlives the other."""
    first, second = subject.new_device(), subject.new_device()
    same(first is second, False, "two devices that were made apart, being one", "hal/driver.h")
    del first
    semaphore = second.create_semaphore(3)
    assert semaphore.query() == 3, told("lost a device with another", "devices of their own", "hal/driver.h")


def test_keeps_a_device_by_uri(subject: Subject) -> None:
    """One URI gives one object."""
    is_same = rt.get_device(subject.uri) is rt.get_device(subject.uri)
    same(is_same, True, "one device for one URI", "hal/driver.h")


def test_answers_questions(shared_device: rt.HalDevice) -> None:
    """What a device does not know, it says with NOT_FOUND or 0, never with another failure."""
    for category, key in (("conformance.no.such.category", "key"), ("hal.executable.format", "no-such-format")):
        answer = shared_device.query_i64(category, key)
        assert answer in (None, 0), told(
            f"answered {answer} to the unknown question {category!r}, {key!r}", "NOT_FOUND or 0", "hal/device.h"
        )
