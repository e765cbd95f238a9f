# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns Profile, what a driver's package says of itself to the conformance suite, and the names of the areas.
"""The areas of the contract, and the short description by which a driver joins the suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iree_cy.errors import InvalidArgument, listing, quote, type_error, type_name

__all__ = ["OPTIONAL_AREAS", "REQUIRED_AREAS", "Profile"]

# Each is a file of the suite: test_queue_order.py holds the cases of queue-order.
REQUIRED_AREAS: Final = (
    "library",
    "tiers",
    "uris",
    "errors",
    "buffers",
    "transfers",
    "command-buffers",
    "semaphores-and-fences",
    "queue-order",
    "lifetime",
    "threads",
)
OPTIONAL_AREAS: Final = ("executables", "files", "import-export", "fork-in-child", "device-local-memory")


@dataclass(frozen=True)
class Profile:
    """What the conformance suite has to know of a driver.

    A driver's package has a module ``conformance`` with ``profiles``, a dict from driver names to these.

    Parameters
    ----------
    exclusions
        Areas of `OPTIONAL_AREAS` that the driver does not have, each with the reason.
    device
        What follows the driver's name in the URI of the device under test, such as ``"://0?threads=2"``.
    programs
        Folder of the suite's programs, compiled for the driver by ``python -m iree_cy.testing.programs``.

    Raises
    ------
    InvalidArgument
        If an area cannot be excluded or does not exist, or its reason is empty; the message names it.
    """

    exclusions: Mapping[str, str] = field(default_factory=dict)
    device: str = ""
    programs: Path | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.exclusions, Mapping):
            raise type_error(f"exclusions maps areas to reasons, and is {type_name(self.exclusions)}")
        for area, reason in self.exclusions.items():
            if area in REQUIRED_AREAS:
                raise InvalidArgument(
                    f"area {area!r} is required of every driver and cannot be excluded; "
                    f"these can: {listing(OPTIONAL_AREAS, 90)}"
                )
            if area not in OPTIONAL_AREAS:
                raise InvalidArgument(
                    f"there is no area {quote(area, 40)}; excluded can be: {listing(OPTIONAL_AREAS, 90)}"
                )
            if not isinstance(reason, str) or not reason.strip():
                raise InvalidArgument(f"area {area!r} is excluded without a reason; say in a few words why")
        if self.device and not self.device.startswith((":", "@")):
            raise InvalidArgument(
                f"device is what follows the driver's name in a URI, such as '://0', not {quote(self.device, 40)}"
            )
        if self.programs is not None:
            object.__setattr__(self, "programs", Path(self.programs))
