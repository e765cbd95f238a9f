# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Builds a driver plugin from its folder alone. The same file lies in every plugin folder.
"""Build the distribution of one driver plugin.

The folder's ``pyproject.toml`` says what there is to build::

    [tool.iree_cy.plugin]
    package = "iree_cy_null"              # the Python package, a folder beside this file

    [[tool.iree_cy.plugin.libraries]]     # one for each shared library
    name = "iree_cy_driver_null"          # becomes lib<name>.so inside the package
    sources = ["src/*.c", "src/*.cc"]     # patterns, relative to the folder; C, and C++ as .cc, .cpp or .cxx
    std = "c++17"                         # optional: a standard of C or of C++, for the sources of that language
    defines = ["NAME=value"]              # optional
    include = ["/opt/vendor/include"]     # optional: header folders, absolute or relative to the folder
    compile = ["-Wno-unused-parameter"]   # optional
    link = ["-L/opt/vendor/lib", "-lvendor"]  # optional

and its ``setup.py`` calls `setup`. CC and CXX name the compilers; a library with a C++ source is linked by that of C++.
C is gnu11 and C++ is gnu++17 unless ``std`` says otherwise. The wheel works with every Python 3 of its platform, for
the library links neither Python nor the core.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "COMPILE_FLAGS",
    "EXPORTS",
    "LINK_FLAGS",
    "Library",
    "Plugin",
    "find_include",
    "is_cxx",
    "read_plugin",
    "setup",
]

COMPILE_FLAGS = ("-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")
# Every symbol has to be found in what is linked: a plugin gets the host's functions from its table.
LINK_FLAGS = ("-Wl,-z,defs", "-Wl,--no-undefined", "-Wl,--strip-debug")
# A script for the linker. Hidden visibility does not reach the templates of the C++ library, which would be shared with
# every other library of the process that has them.
EXPORTS = "{ global: iree_cy_driver_plugin_query; local: *; };\n"
_CXX_SUFFIXES = (".cc", ".cpp", ".cxx")
_LIBRARY_KEYS = frozenset(("name", "sources", "std", "defines", "include", "compile", "link"))


def is_cxx(source: Path) -> bool:
    """Tell whether a source is C++; any other is C."""
    return source.suffix in _CXX_SUFFIXES


@dataclass(frozen=True)
class Library:
    """One shared library: sources relative to the folder, and what it adds to the flags of all."""

    name: str
    sources: tuple[Path, ...]
    std: str | None
    compile_flags: tuple[str, ...]
    include_dirs: tuple[str, ...]
    link_flags: tuple[str, ...]

    @property
    def file_name(self) -> str:
        """The name of the file in the package."""
        return f"lib{self.name}.so"

    @property
    def has_cxx(self) -> bool:
        """Whether the C++ compiler has to link it."""
        return any(map(is_cxx, self.sources))

    def flags_of(self, source: Path) -> tuple[str, ...]:
        """Return what the compilation of one source adds to `COMPILE_FLAGS`."""
        std = "gnu++17" if is_cxx(source) else "gnu11"
        if self.std is not None and ("++" in self.std) == is_cxx(source):
            std = self.std
        return (f"-std={std}", *self.compile_flags)


@dataclass(frozen=True)
class Plugin:
    """What a plugin folder declares.

    Parameters
    ----------
    folder
        The plugin folder.
    package
        The name of its Python package.
    libraries
        Its shared libraries.
    entry_points
        Driver names with what they resolve to.
    bundled
        Whether the wheel of the core brings this plugin along.
    """

    folder: Path
    package: str
    libraries: tuple[Library, ...]
    entry_points: dict[str, str]
    bundled: bool


def read_plugin(folder: Path) -> Plugin:
    """Read the declaration in a folder's pyproject.toml.

    Raises
    ------
    ValueError
        A pattern matches no source, or a library has a key that means nothing.
    """
    manifest = folder / "pyproject.toml"
    with manifest.open("rb") as file:
        document = tomllib.load(file)
    table = document["tool"]["iree_cy"]["plugin"]
    libraries = []
    for entry in table["libraries"]:
        unknown = sorted(entry.keys() - _LIBRARY_KEYS)
        if unknown:
            raise ValueError(f"{manifest}: a library has no {unknown[0]!r}; it has: {', '.join(sorted(_LIBRARY_KEYS))}")
        sources: list[Path] = []
        for pattern in entry["sources"]:
            found = sorted(path.relative_to(folder) for path in folder.glob(pattern))
            if not found:
                raise ValueError(f"{manifest}: no source matches {pattern!r}")
            sources.extend(found)
        libraries.append(
            Library(
                name=entry["name"],
                sources=tuple(dict.fromkeys(sources)),
                std=entry.get("std"),
                compile_flags=(*(f"-D{define}" for define in entry.get("defines", [])), *entry.get("compile", [])),
                include_dirs=tuple(entry.get("include", [])),
                link_flags=tuple(entry.get("link", [])),
            )
        )
    return Plugin(
        folder=folder,
        package=table["package"],
        libraries=tuple(libraries),
        entry_points=document["project"]["entry-points"]["iree_cy.drivers"],
        bundled=table.get("bundled", False),
    )


def find_include(folder: Path) -> Path:
    """Find the folder of the public headers.

    It is what IREE_CY_INCLUDE names; else what an installed iree_cy says, asked in a process of its own, which sees
    past the isolation that pip builds in; else the one of the source tree that this folder is part of.

    Raises
    ------
    FileNotFoundError
        There is none.
    """
    named = os.environ.get("IREE_CY_INCLUDE")
    if named:
        if not (Path(named) / "iree_cy" / "plugin.h").is_file():
            raise FileNotFoundError(f"IREE_CY_INCLUDE is {named!r}, which holds no iree_cy/plugin.h")
        return Path(named).resolve()
    asked = subprocess.run(
        [sys.executable, "-E", "-c", "import iree_cy; print(iree_cy.get_include())"],
        cwd=os.sep,
        capture_output=True,
        text=True,
        check=False,
    )
    for candidate in (asked.stdout.strip(), folder / ".." / ".." / "include"):
        if candidate and (Path(candidate) / "iree_cy" / "plugin.h").is_file():
            return Path(candidate).resolve()
    raise FileNotFoundError(
        "the headers of iree_cy are not found: pip install iree-cy into this Python first, "
        "or set IREE_CY_INCLUDE to a folder that holds iree_cy/plugin.h"
    )


def _build_library(plugin: Plugin, library: Library, include: Path, scratch: Path, output: Path) -> None:
    from distutils.ccompiler import new_compiler

    cc = shlex.split(os.environ.get("CC") or "cc")
    cxx = shlex.split(os.environ.get("CXX") or "c++")
    linker = cxx if library.has_cxx else cc
    compiler: Any = new_compiler(compiler="unix", force=True)
    compiler.set_executables(compiler_so=cc, compiler_so_cxx=cxx, linker_so=[*linker, "-shared"])
    before = Path.cwd()
    # From the folder, so that no message and no file name in the library depends on where it lies.
    os.chdir(plugin.folder)
    try:
        objects = []
        for source in library.sources:
            objects += compiler.compile(
                [str(source)],
                # One folder for each language, so that a.c and a.cc may be in one library.
                output_dir=str(scratch / library.name / source.suffix[1:]),
                include_dirs=[str(include), "src", *library.include_dirs],
                extra_preargs=[*COMPILE_FLAGS, *library.flags_of(source)],
            )
        output.mkdir(parents=True, exist_ok=True)
        exports = scratch / library.name / "exports.map"
        exports.write_text(EXPORTS)
        compiler.link_shared_object(
            objects,
            str(output / library.file_name),
            extra_postargs=[*LINK_FLAGS, f"-Wl,--version-script={exports}", *library.link_flags],
        )
    finally:
        os.chdir(before)


def setup(folder: Path) -> None:
    """Run setuptools for the plugin in `folder`; its metadata stands in pyproject.toml."""
    import setuptools
    from setuptools.command.bdist_wheel import bdist_wheel
    from setuptools.command.build import build

    folder = folder.resolve()
    plugin = read_plugin(folder)

    class BuildPlugin(setuptools.Command):
        """Compile the libraries into the package."""

        user_options: ClassVar[list[tuple[str, str | None, str]]] = []
        editable_mode = False

        def initialize_options(self) -> None:
            self.build_lib: str | None = None
            self.build_temp: str | None = None

        def finalize_options(self) -> None:
            self.set_undefined_options("build", ("build_lib", "build_lib"), ("build_temp", "build_temp"))

        def _package_folder(self) -> Path:
            if self.editable_mode:
                return plugin.folder / plugin.package
            assert self.build_lib is not None
            return Path(self.build_lib).resolve() / plugin.package

        def run(self) -> None:
            assert self.build_temp is not None
            include = find_include(plugin.folder)
            for library in plugin.libraries:
                _build_library(plugin, library, include, Path(self.build_temp).resolve(), self._package_folder())

        def get_outputs(self) -> list[str]:
            return [str(self._package_folder() / library.file_name) for library in plugin.libraries]

        def get_output_mapping(self) -> dict[str, str]:
            return {}

        def get_source_files(self) -> list[str]:
            sources = {source for library in plugin.libraries for source in library.sources}
            folders = {plugin.folder / source.parent for source in sources}
            headers = {path.relative_to(plugin.folder) for top in folders for path in top.glob("*.[hi]*")}
            return ["plugin_build.py", *sorted(map(str, sources | headers))]

    class Build(build):
        """The usual steps and ours."""

        sub_commands: ClassVar[list[Any]] = [*build.sub_commands, ("build_plugin", None)]

    class Distribution(setuptools.Distribution):
        """What holds native code, so that the package belongs to the platform."""

        def has_ext_modules(self) -> bool:
            return True

    class PlatformWheel(bdist_wheel):
        """A wheel for any Python 3 on this platform."""

        def get_tag(self) -> tuple[str, str, str]:
            return ("py3", "none", super().get_tag()[2])

    options: dict[str, Any] = {
        "packages": setuptools.find_packages(str(folder), include=[plugin.package, f"{plugin.package}.*"]),
        "include_package_data": False,
        "package_data": {plugin.package: ["py.typed", "**/*.vmfb"]},
        "cmdclass": {"build": Build, "build_plugin": BuildPlugin, "bdist_wheel": PlatformWheel},
        "distclass": Distribution,
        "zip_safe": False,
    }
    setuptools.setup(**options)
