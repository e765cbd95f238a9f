# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the bundled drivers in the root build: which there are, and their libraries.
"""Build the driver plugins that the wheel of the core brings.

What there is to build, and with which flags, each folder says itself: the declaration in its ``pyproject.toml``, read
by its own ``plugin_build.py``. Only the compilation is the root's, for it rebuilds by dependency files.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from build_tools.native import ROOT, Config, Unit, build_objects, link_shared, locked

__all__ = ["TEMPLATE", "build_plugin", "bundled_plugins", "entry_points", "package_name", "template_files"]

# The folder that new drivers begin as a copy of.
TEMPLATE = Path("backends", "null")


def _plugin_build(folder: Path) -> Any:
    """Import the plugin_build.py of one folder."""
    name = f"_plugin_build_{folder.name}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, folder / "plugin_build.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def bundled_plugins() -> list[Any]:
    """Read the declarations of the plugin folders that the wheel of the core brings."""
    folders = sorted(path.parent for path in (ROOT / "backends").glob("*/pyproject.toml"))
    plugins = [_plugin_build(folder).read_plugin(folder) for folder in folders]
    return [plugin for plugin in plugins if plugin.bundled]


def template_files() -> list[Path]:
    """List the files of the template, relative to the root, without what builds and imports leave in it."""
    patterns = ("*.md", "*.toml", "*.py", "iree_cy_*/*.py", "src/*")
    return sorted(path.relative_to(ROOT) for pattern in patterns for path in (ROOT / TEMPLATE).glob(pattern))


def package_name(plugin: Any) -> str:
    """Return the package that the plugin's files are in the wheel of the core."""
    return f"iree_cy._backends.{plugin.folder.name}"


def entry_points(plugin: Any) -> list[str]:
    """Return the plugin's entry points as they are in the wheel of the core."""
    lines = []
    for driver, target in plugin.entry_points.items():
        module, _, attribute = target.partition(":")
        if module != plugin.package and not module.startswith(f"{plugin.package}."):
            raise ValueError(f"{plugin.folder.name}: entry point {driver!r} leads out of {plugin.package}")
        lines.append(f"{driver} = {package_name(plugin)}{module[len(plugin.package) :]}:{attribute}")
    return lines


def build_plugin(config: Config, plugin: Any, output: Path) -> list[Path]:
    """Bring the libraries of one plugin up to date in the folder `output`; return them."""
    tools = _plugin_build(plugin.folder)
    folder = plugin.folder.relative_to(ROOT)
    extra = tuple(flag for flag in tools.COMPILE_FLAGS if flag not in config.compile_flags)

    def unit(library: Any, source: Path) -> Unit:
        # The core is C of the same standard: repeating it would only make other objects of the same text.
        flags = [flag for flag in library.flags_of(source) if tools.is_cxx(source) or flag not in config.compile_flags]
        own = [str(folder / include) for include in ("src", *library.include_dirs)]
        return Unit(folder / source, (*extra, *flags), ("include", *own))

    # The sanitizers' run-time library is found in the process, not at link time.
    link_flags = [flag for flag in tools.LINK_FLAGS if not config.sanitizers or "defs" not in flag]
    link_flags = [flag for flag in link_flags if not config.sanitizers or "undefined" not in flag]
    libraries = []
    with locked(config):
        exports = config.directory / "plugin-exports.map"
        exports.write_text(tools.EXPORTS)
        link_flags.append(f"-Wl,--version-script={exports}")
        for library in plugin.libraries:
            objects = build_objects(config, [unit(library, source) for source in library.sources])
            made = output / library.file_name
            link_shared(config, objects, made, [*link_flags, *library.link_flags], cxx=library.has_cxx)
            libraries.append(made)
    return libraries
