# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the Python side of the vulkan driver: the object that its entry point resolves to.
"""The vulkan driver uses the Vulkan 1.3 devices that the system's own Vulkan loader shows."""

from pathlib import Path

from iree_cy import DriverPlugin

__all__ = ["vulkan"]

vulkan = DriverPlugin(
    "vulkan",
    "Vulkan 1.3 devices",
    Path(__file__).parent / "libiree_cy_driver_vulkan.so",
    parameters=[
        ("index", int, -1, "position in the list of devices, in place of a path; -1: not given"),
        ("queue_family", int, -1, "queue family that computes; -1: one without graphics, else the first"),
        ("queues", int, 0, "how many queues of the family are used; 0: up to 4"),
        ("memory", ("auto", "device", "host"), "auto", "where buffers are that say nothing of it"),
        ("staging", bool, False, "copies go through staging buffers, as where the host sees no device memory"),
        ("validation", bool, False, "VK_LAYER_KHRONOS_validation checks each call; what it finds goes to the log"),
        ("debug_names", bool, False, "Vulkan objects have names, for validation and debuggers"),
        ("robust_access", bool, False, "what programs read and write outside of their buffers does no harm"),
    ],
    compile_flags=("--iree-hal-target-device=vulkan",),
    executable_formats=("vulkan-spirv-fb", "vulkan-spirv-bda-v1"),
)
