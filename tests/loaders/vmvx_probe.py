# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns vmvx_probe.inc: hand-written device code as bytes, for C tests, which have no compiler.
"""Write ``vmvx_probe.inc`` anew: ``python -m tests.loaders.vmvx_probe``."""

from __future__ import annotations

import textwrap
from pathlib import Path

from tests.support.programs import compile_program

__all__ = ["FLAGS", "INC", "SOURCES", "render"]

FLAGS = ("--compile-mode=vm", "--iree-vm-bytecode-module-strip-source-map")
INC = Path(__file__).resolve().with_name("vmvx_probe.inc")
SOURCES = Path(__file__).resolve().parent.parent / "programs" / "vmvx"
_HEAD = """\
// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the programs of tests/programs/vmvx as bytes. Written by
// tests/loaders/vmvx_probe.py.

// clang-format off
"""


def render() -> str:
    """Return what the file ought to be, with the compiler that is there."""
    text = _HEAD
    for source in sorted(SOURCES.glob("*.mlir")):
        data = compile_program(source, FLAGS).read_bytes()
        lines = textwrap.wrap(", ".join(str(byte) for byte in data), 78)
        # Aligned as the loader wants data that it need not copy.
        declaration = f"static const _Alignas(16) uint8_t {source.stem}_data[{len(data)}]"
        text += "\n".join([f"{declaration} = {{", *lines, "};\n"])
    return text + "// clang-format on\n"


if __name__ == "__main__":
    INC.write_text(render())
