# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area uris: paths, positions, ids and parameters.
"""Area uris: what is listed can be asked for, and what is not is refused by name."""

from __future__ import annotations

import iree_cy as rt
from iree_cy.testing.conformance._support import Subject, expect_error, same, told

_NOWHERE = "conformance-no-such-device"


def test_listed_paths_lead_back(subject: Subject, driver: rt.HalDriver) -> None:
    """``driver://path`` gives the device that is listed with that path."""
    for info in driver.query_available_devices():
        uri = f"{subject.name}://{info['path']}"
        try:
            device = rt.get_device(uri, cache=False)
        except rt.StatusError as error:
            raise AssertionError(told(f"lists {uri} and refuses it: {error}", "a device", "hal/driver.h")) from error
        same(device.name, subject.plain_name, f"the device {uri}", "hal/driver.h")


def test_listed_ids_lead_back(driver: rt.HalDriver) -> None:
    """The id that is listed makes the device."""
    for info in driver.query_available_devices():
        try:
            driver.create_device(info["device_id"])
        except rt.StatusError as error:
            did = f"lists the id {info['device_id']} and refuses it: {error}"
            raise AssertionError(told(did, "a device", "hal/driver.h")) from error


def test_paths_and_positions_are_one_device(subject: Subject, driver: rt.HalDriver) -> None:
    """A listed path and its position in the list name the same device."""
    for position, info in enumerate(driver.query_available_devices()):
        by_path = rt.get_device(f"{subject.name}://{info['path']}")
        by_position = rt.get_device(f"{subject.name}:{position}")
        assert by_path is by_position, told(
            f"resolves {info['path']!r} and position {position} to different devices", "one", "hal/driver.h"
        )


def test_default_is_id_0(subject: Subject, driver: rt.HalDriver) -> None:
    """Id 0 and the empty path are the driver's default device."""
    same(driver.create_device(0).name, subject.plain_name, "the device with id 0", "hal/driver.h")
    device = rt.get_device(f"{subject.name}://", cache=False)
    same(device.name, subject.plain_name, "the device of the empty path", "hal/driver.h")


def test_unknown_path_is_refused(subject: Subject) -> None:
    """A path that is not there is NOT_FOUND, unless the driver's own patterns say that it is malformed."""
    with expect_error((rt.NotFound, rt.InvalidArgument), f"the path {_NOWHERE!r}", "hal/driver.h"):
        rt.get_device(f"{subject.name}://{_NOWHERE}", cache=False)


def test_unknown_position_is_refused(subject: Subject) -> None:
    """A position behind the end of the list is NOT_FOUND."""
    with expect_error(rt.NotFound, "position 9999 of its list", "hal/driver.h"):
        rt.get_device(f"{subject.name}:9999", cache=False)


def test_unknown_id_is_refused(driver: rt.HalDriver) -> None:
    """The driver checks the ids that it is given."""
    unknown = max(info["device_id"] for info in driver.query_available_devices()) + 4711
    with expect_error((rt.NotFound, rt.InvalidArgument), f"the unknown id {unknown}", "hal/driver.h"):
        driver._create_device(unknown, [])


def test_unknown_parameter_is_refused_by_the_table(subject: Subject) -> None:
    """The plugin's table says which parameters there are."""
    with expect_error(rt.InvalidArgument, "the parameter conformance_unknown", "hal/driver.h"):
        rt.get_device(f"{subject.name}://?conformance_unknown=1", cache=False)


def test_unknown_parameter_is_refused_by_the_driver(driver: rt.HalDriver) -> None:
    """The driver checks parameters too, for C code comes past the table; the message names the key."""
    try:
        driver._create_device(0, [("conformance_unknown", "1")])
    except rt.InvalidArgument as error:
        assert "conformance_unknown" in str(error), told(f"says {str(error)!r}", "the key named", "hal/driver.h")
        return
    except rt.StatusError as error:
        raise AssertionError(told(f"says {error!r}", "INVALID_ARGUMENT", "hal/driver.h")) from error
    raise AssertionError(told("took a parameter that it does not have", "INVALID_ARGUMENT", "hal/driver.h"))


def test_defaults_of_parameters_are_accepted(subject: Subject, driver: rt.HalDriver) -> None:
    """A parameter that the table declares with a default takes that default."""
    for parameter in subject.plugin().parameters:
        if parameter.default is None or parameter.default == "":
            continue
        value = parameter.canonical(parameter.default)
        try:
            driver._create_device(0, [(parameter.name, value)])
        except rt.StatusError as error:
            did = f"refuses {parameter.name}={value}, the default of its own table: {error}"
            raise AssertionError(told(did, "a device", "hal/driver.h")) from error


def test_tells_about_devices(driver: rt.HalDriver) -> None:
    """Every device that is listed can be described in text, and an unknown one is refused."""
    infos = driver.query_available_devices()
    for info in infos:
        text = driver.dump_device_info(info["device_id"])
        assert text.strip(), told(f"tells nothing of device {info['device_id']}", "lines of text", "hal/driver.h")
    with expect_error((rt.NotFound, rt.InvalidArgument), "an unknown id", "hal/driver.h"):
        driver.dump_device_info(max(info["device_id"] for info in infos) + 4711)
