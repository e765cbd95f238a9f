# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the build of the iree-cy wheel: the native step, the extension, the bundled drivers, the headers.
"""Build iree-cy; the metadata that is not computed stands in pyproject.toml."""

from __future__ import annotations

import copy
import os
import shutil
import sys
from pathlib import Path
from typing import Any, ClassVar

import setuptools
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
os.chdir(ROOT)
sys.path.insert(0, str(ROOT))

from build_tools import native, plugins  # noqa: E402  (from this tree, wherever setuptools runs it)

PLUGINS = plugins.bundled_plugins()


class Build(build):
    """The usual steps and the drivers, into an empty folder, so that no file of an older build is packed."""

    sub_commands: ClassVar[list[Any]] = [*build.sub_commands, ("build_drivers", None)]

    def run(self) -> None:
        """Empty the folder that the wheel is made of, then build."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class BuildPython(build_py):
    """Copies the public headers into the package, for get_include(), and the template of drivers, for new_driver()."""

    def run(self) -> None:
        """Copy the modules, then the rest; an editable install reads the rest where it is."""
        super().run()
        if self.editable_mode:
            return
        for source, target in self._data():
            self.mkpath(str(target.parent))
            self.copy_file(str(source), str(target), preserve_mode=False)

    def _data(self) -> list[tuple[Path, Path]]:
        include = Path("include")
        package = Path(self.build_lib) / "iree_cy"
        headers = sorted(path for path in include.rglob("*") if path.suffix in (".h", ".inc"))
        return [
            *((path, package / "include" / path.relative_to(include)) for path in headers),
            *((path, package / "_template" / path.relative_to(plugins.TEMPLATE)) for path in plugins.template_files()),
        ]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """List what was copied, headers and template included."""
        data = [] if self.editable_mode else [str(target) for _, target in self._data()]
        return list(super().get_outputs(include_bytecode)) + data


class BuildExtension(build_ext):
    """Builds the archive, then the extension from Cython's output and the archive."""

    def build_extensions(self) -> None:
        """Build `_core` with what this configuration says."""
        import numpy as np
        from Cython.Build import cythonize

        config = native.Config.from_environment()
        archive = native.build_archive(config).relative_to(ROOT)
        includes = ("include", ".", np.get_include(), *self.include_dirs)
        flags = (
            # Warnings of what Cython writes are not ours to mend.
            *("-std=gnu11", "-O2", "-g0", "-w", "-fvisibility=hidden", "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION"),
            *native.CORE_FLAGS,
            *config.sanitize_flags,
        )
        for extension in self.extensions:
            # cythonize gives other extension objects; setuptools has written its notes into these.
            translated = cythonize([copy.copy(extension)], build_dir="build/cython", include_path=["."], quiet=True)[0]
            # Compiled by the native step, which knows by dependency files what is up to date: setuptools would compile
            # again whenever the archive is newer.
            with native.locked(config):
                units = [native.Unit(Path(source), flags, includes) for source in translated.sources]
                objects = native.build_objects(config, units)
            extension.sources = []
            extension.extra_objects = [*map(str, objects), str(archive)]
            extension.depends = list(extension.extra_objects)
            extension.extra_link_args = [
                *("-Wl,--exclude-libs,ALL", "-Wl,--strip-debug"),
                *config.sanitize_flags,
                *native.LINK_LIBRARIES,
            ]
            self._rebuild_for_other_flags(extension)
        super().build_extensions()

    def _rebuild_for_other_flags(self, extension: setuptools.Extension) -> None:
        """Build from the start when the object that is there was made with other flags, or another archive."""
        target = Path(self.get_ext_fullpath(extension.name))
        stamp = Path("build", f"{target.name}.{'inplace' if self.inplace else 'wheel'}.flags")
        flags = repr((extension.extra_link_args, extension.extra_objects))
        if not stamp.is_file() or stamp.read_text() != flags:
            target.unlink(missing_ok=True)
            stamp.parent.mkdir(exist_ok=True)
            stamp.write_text(flags)


class BuildDrivers(setuptools.Command):
    """Builds the libraries of the bundled drivers beside their Python files."""

    user_options: ClassVar[list[tuple[str, str | None, str]]] = []
    editable_mode = False

    def initialize_options(self) -> None:
        """Leave the folder open."""
        self.build_lib: str | None = None

    def finalize_options(self) -> None:
        """Take the folder of the whole build."""
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def _folder(self, plugin: Any) -> Path:
        if self.editable_mode:
            return Path(plugin.folder, plugin.package)
        assert self.build_lib is not None
        return ROOT.joinpath(self.build_lib, *plugins.package_name(plugin).split("."))

    def run(self) -> None:
        """Build them."""
        for plugin in PLUGINS:
            plugins.build_plugin(native.Config.from_environment(), plugin, self._folder(plugin))

    def get_outputs(self) -> list[str]:
        """List the libraries."""
        return [str(self._folder(plugin) / library.file_name) for plugin in PLUGINS for library in plugin.libraries]

    def get_output_mapping(self) -> dict[str, str]:
        """Map nothing: a library has no single source."""
        return {}

    def get_source_files(self) -> list[str]:
        """List nothing: MANIFEST.in names the sources."""
        return []


def _packages() -> list[str]:
    own = setuptools.find_packages(".", include=["iree_cy", "iree_cy.*"])
    drivers = []
    for plugin in PLUGINS:
        below = setuptools.find_packages(str(plugin.folder), include=[plugin.package, f"{plugin.package}.*"])
        drivers += [plugins.package_name(plugin) + name[len(plugin.package) :] for name in below]
    return own + drivers


try:
    setuptools.setup(
        packages=_packages(),
        package_dir={
            plugins.package_name(plugin): os.path.relpath(plugin.folder / plugin.package, ROOT) for plugin in PLUGINS
        },
        # What the wheel holds besides modules; everything else in the tree stays out of it.
        include_package_data=False,
        package_data={
            "iree_cy": ["py.typed", "*.pyi", "**/*.pyi", "_core.pxd", "_host_functions.pxi"],
            "iree_cy.testing.programs": ["*.mlir"],
            **{plugins.package_name(plugin): ["**/*.vmfb"] for plugin in PLUGINS},
        },
        ext_modules=[setuptools.Extension("iree_cy._core", ["iree_cy/_core.pyx"])],
        entry_points={
            "console_scripts": ["iree-cy = iree_cy.cli:main"],
            "pytest11": ["iree_cy = iree_cy.testing.plugin"],
            "iree_cy.drivers": [line for plugin in PLUGINS for line in plugins.entry_points(plugin)],
        },
        cmdclass={"build": Build, "build_py": BuildPython, "build_ext": BuildExtension, "build_drivers": BuildDrivers},
        zip_safe=False,
    )
except native.BuildError as error:
    raise SystemExit(f"error: {error}") from error
