# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the Python side of the local drivers: the objects that their entry points resolve to.
"""The local drivers run programs on the CPU: local-sync on the thread that calls."""

from pathlib import Path

from iree_cy import DriverPlugin

__all__ = ["local_sync"]

_FOLDER = Path(__file__).parent

local_sync = DriverPlugin(
    "local-sync",
    "CPU, on the calling thread",
    _FOLDER / "libiree_cy_driver_local_sync.so",
    parameters=[
        (
            "formats",
            str,
            "",
            "executable formats that may be loaded, first choice first, such as 'embedded-elf-x86_64,vmvx'; empty: all",
        ),
    ],
    compile_flags=(
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        "--iree-llvmcpu-target-cpu=host",
    ),
    # What its devices load too, though compiling for them asks for something faster.
    target_backends=("vmvx",),
)
