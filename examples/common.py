# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the examples share: their command line, and how their program is compiled and loaded.

import argparse
from pathlib import Path

import iree_cy as rt
from iree_cy.cli.compile import compile_flags

__all__ = ["load", "parse_arguments"]


def parse_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "program", nargs="?", help="a compiled .vmfb; without it, the .mlir of the same name is compiled"
    )
    parser.add_argument("--device", default="local-sync", metavar="URI", help="where to run (local-sync)")
    return parser.parse_args()


def load(name, arguments, extra_flags=()):
    """Load the program `name`.mlir, compiled for the device, or the .vmfb that the arguments name."""
    config = rt.Config(device=rt.get_device(arguments.device))
    if arguments.program is not None:
        return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, arguments.program), config)
    try:
        from iree.compiler import compile_file
    except ImportError:
        raise SystemExit('the compiler is not installed: pip install "iree-cy[compiler]"') from None
    source = Path(__file__).with_name(f"{name}.mlir")
    # The driver knows what the compiler needs to be told for its devices.
    flags = [*compile_flags([arguments.device]), *extra_flags]
    program = compile_file(str(source), extra_args=flags)
    return rt.load_vm_module(rt.VmModule.copy_buffer(config.vm_instance, program), config)
