# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns new_driver(): a copy of the template driver under another name.
"""Write a driver package to begin with."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from iree_cy.errors import AlreadyExists, InvalidArgument, Unavailable, quote

__all__ = ["new_driver", "template_words"]

_TITLE = "Null (host memory, runs no executables)"
# The part of the template's README that is about making a copy.
_ABOUT_COPIES = "\n## Make it yours\n"
# Is the same in all plugin folders.
_KEPT = "plugin_build.py"
_NAME = re.compile(r"[a-z](?:[a-z0-9._-]*[a-z0-9])?")


def template_words(name: str, title: str) -> dict[str, str]:
    """Return the words of the template with what takes their places, the first that fits first.

    Parameters
    ----------
    name
        The driver's name.
    title
        What people call it.
    """
    identifier = re.sub(r"[._-]+", "_", name)
    return {
        "iree-cy-null": f"iree-cy-{name}",
        "iree_cy_driver_null": f"iree_cy_driver_{identifier}",
        "iree_cy_null": f"iree_cy_{identifier}",
        _TITLE: title,
        "NULL_DRIVER_NAME": f"{identifier.upper()}_DRIVER_NAME",
        "null_": f"{identifier}_",
        "null": name,
    }


def new_driver(name: str, folder: str | os.PathLike[str] | None = None, title: str | None = None) -> Path:
    """Write a driver package: the template under another name, complete and ready to build.

    Parameters
    ----------
    name
        The driver's name: lower-case letters and digits, with ``.``, ``_`` and ``-`` between them.
    folder
        Where it goes; it does not exist yet, or is empty. By default ``iree-cy-NAME`` in the current folder.
    title
        What people call the driver, by default its name.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    InvalidArgument
        If `name` or `title` cannot be used.
    AlreadyExists
        If there is something in the folder.
    OSError
        If it cannot be written.
    """
    _check_name(name)
    title = name if title is None else title
    if not title.strip() or not title.isprintable() or set(title) & set('"\\') or len(title.encode()) > 255:
        raise InvalidArgument(
            f"{quote(title)} cannot be a driver's title: it is a line of up to 255 bytes without quotes and backslashes"
        )
    source = _find_template()
    target = Path(f"iree-cy-{name}" if folder is None else folder)
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        if not target.is_dir() or any(target.iterdir()):
            raise AlreadyExists(f"{str(target)!r} is there already; name a new folder, or an empty one") from None
    words = template_words(name, title)
    pattern = re.compile("|".join(rf"\b{word}\b" if word.isalpha() else re.escape(word) for word in words))

    def renamed(text: str) -> str:
        return pattern.sub(lambda found: words[found[0]], text)

    for path in _files(source):
        copy = target / renamed(path.relative_to(source).as_posix())
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.name == _KEPT:
            shutil.copyfile(path, copy)
        else:
            text = path.read_text(encoding="utf-8")
            if path.name == "README.md":
                text = text.partition(_ABOUT_COPIES)[0]
            copy.write_text(renamed(text), encoding="utf-8")
    return target


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > 64:
        raise InvalidArgument(
            f"{quote(name)} cannot be the name of a new driver: it is up to 64 lower-case letters and digits, "
            "beginning with a letter, with '.', '_' and '-' between them"
        )
    if name.startswith("iree"):
        raise InvalidArgument(f"the C names of a driver {quote(name)} would clash with the headers': leave 'iree' out")


def _find_template() -> Path:
    package = Path(__file__).resolve().parent.parent
    # An installed wheel has it inside the package; a checkout has it beside it.
    for place in (package / "_template", package.parent / "backends" / "null"):
        if (place / _KEPT).is_file():
            return place
    raise Unavailable("the template of drivers is not here; reinstall iree-cy")


def _files(folder: Path) -> list[Path]:
    """List the files of the template, without what a build or an import of it left."""
    patterns = ("*.md", "*.toml", "*.py", "iree_cy_*/*.py", "src/*")
    return sorted(path for pattern in patterns for path in folder.glob(pattern))
