# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the list of the project's files, as the tests of the tree itself see it.
"""List the project's files."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

__all__ = ["GENERATED", "ROOT", "files", "strip_c_comments"]

ROOT = Path(__file__).resolve().parent.parent.parent

GENERATED = frozenset(
    map(
        Path,
        (
            "include/iree_cy/host_api.h",
            "iree_cy/native/loaders/host_table.c",
            "iree_cy/_host_functions.pxi",
            "tests/abi/layout.txt",
        ),
    )
)

_NOT_OURS = frozenset({"build", "dist", ".git", ".cache", "__pycache__", "node_modules"})


@functools.cache
def files() -> tuple[Path, ...]:
    """Return the files under version control, or all that are not built where there is none, relative to ROOT."""
    if (ROOT / ".git").exists():
        text = subprocess.run(
            ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found = [Path(name) for name in text.split("\0") if name]
    else:
        found = []
        for folder, folders, names in os.walk(ROOT):
            folders[:] = [
                n for n in folders if n not in _NOT_OURS and not n.startswith(".venv") and ".egg-info" not in n
            ]
            found += [Path(folder, name).relative_to(ROOT) for name in names if not name.endswith((".so", ".pyc"))]
    return tuple(sorted(path for path in found if (ROOT / path).is_file()))


def strip_c_comments(text: str) -> str:
    """Blank the comments of C text, and keep its lines and its string literals."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        return found if found[0] in "\"'" else re.sub(r"[^\n]", " ", found)

    pattern = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/"
    return re.sub(pattern, blank, text, flags=re.DOTALL)
