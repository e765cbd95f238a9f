# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what a Profile takes and refuses.
"""Profiles of drivers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import iree_cy as rt
from iree_cy.testing import Profile
from iree_cy.testing.profile import OPTIONAL_AREAS, REQUIRED_AREAS


def test_excludes_nothing_by_default() -> None:
    profile = Profile()
    assert (dict(profile.exclusions), profile.device, profile.programs) == ({}, "", None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        profile.device = "://0"  # type: ignore[misc]


@pytest.mark.parametrize("area", OPTIONAL_AREAS)
def test_optional_areas_can_be_excluded(area: str) -> None:
    assert Profile({area: "a reason"}).exclusions[area] == "a reason"


@pytest.mark.parametrize("area", REQUIRED_AREAS)
def test_required_areas_cannot_be_excluded(area: str) -> None:
    with pytest.raises(rt.InvalidArgument, match=f"area '{area}' is required of every driver"):
        Profile({area: "a reason"})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"exclusions": {"everything": "a reason"}}, "no area 'everything'; excluded can be: executables, files"),
        ({"exclusions": {"files": " "}}, "area 'files' is excluded without a reason"),
        ({"exclusions": {"files": None}}, "area 'files' is excluded without a reason"),
        ({"device": "gpu://0"}, "device is what follows the driver's name"),
    ],
)
def test_what_means_nothing_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(rt.InvalidArgument, match=words) as caught:
        Profile(**arguments)
    assert len(str(caught.value).splitlines()[0]) < 200


def test_exclusions_are_a_mapping() -> None:
    with pytest.raises(TypeError, match="exclusions maps areas to reasons"):
        Profile(["files"])  # type: ignore[arg-type]


def test_programs_become_a_path() -> None:
    assert Profile(programs="somewhere").programs == Path("somewhere")  # type: ignore[arg-type]
