# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the native step: C sources to objects in parallel, to the archive, the C tests and the fuzz targets.
"""Build the C core into a static archive, and the programs that link it.

``python -m build_tools.native`` builds the archive and prints its path. ``--sanitize address,undefined``
does it with sanitizers, ``--tests base,vm`` also builds the C tests of those layers, ``--run`` runs them.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import importlib
import os
import platform
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "CORE_FLAGS",
    "LINK_LIBRARIES",
    "ROOT",
    "BuildError",
    "Config",
    "Unit",
    "build_archive",
    "build_objects",
    "build_programs",
    "ctest_sources",
    "fuzz_sources",
    "link_shared",
    "locked",
    "main",
]

ROOT = Path(__file__).resolve().parent.parent

COMPILE_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")
# The public headers then declare ordinary functions instead of wrappers around the host table.
CORE_FLAGS = ("-DIREE_CY_BUILD_CORE",)
LINK_LIBRARIES = ("-lm", "-ldl", "-lpthread")
SANITIZERS = ("address", "thread", "undefined")

# A plugin may be C++; the core is not.
CXX_SUFFIXES = (".cc", ".cpp", ".cxx")

# Flags that one source of the core wants on top, by its path below iree_cy/native.
FILE_FLAGS: dict[str, tuple[str, ...]] = {}


class BuildError(Exception):
    """A compiler, archiver or linker that is missing or failed."""


@dataclass(frozen=True)
class Config:
    """What makes one set of objects differ from another.

    Parameters
    ----------
    sanitizers
        Names for ``-fsanitize=``, sorted.
    werror
        Whether a warning fails the build.
    cc, cxx
        The commands of the C and the C++ compiler.
    """

    sanitizers: tuple[str, ...] = ()
    werror: bool = False
    cc: tuple[str, ...] = ("cc",)
    cxx: tuple[str, ...] = ("c++",)

    @classmethod
    def from_environment(cls, sanitize: str | None = None) -> Config:
        """Read CC, CXX, IREE_CY_SANITIZE and IREE_CY_WERROR.

        Parameters
        ----------
        sanitize
            A comma list that takes the place of IREE_CY_SANITIZE.

        Raises
        ------
        BuildError
            A sanitizer is not one that the build knows.
        """
        text = os.environ.get("IREE_CY_SANITIZE", "") if sanitize is None else sanitize
        names = sorted({name.strip() for name in text.split(",")} - {""})
        unknown = [name for name in names if name not in SANITIZERS]
        if unknown:
            raise BuildError(f"unknown sanitizer {unknown[0]!r}; known are {', '.join(SANITIZERS)}")
        werror = os.environ.get("IREE_CY_WERROR", "") not in ("", "0")
        cc, cxx = (tuple(shlex.split(os.environ.get(name) or usual)) for name, usual in (("CC", "cc"), ("CXX", "c++")))
        return cls(tuple(names), werror, cc, cxx)

    @property
    def sanitize_flags(self) -> tuple[str, ...]:
        """What compiler and linker both need for the sanitizers."""
        if not self.sanitizers:
            return ()
        names = ",".join(self.sanitizers)
        return (f"-fsanitize={names}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1")

    @property
    def compile_flags(self) -> tuple[str, ...]:
        """Flags of every C file of the core, the plugins and the tests."""
        return COMPILE_FLAGS + self.sanitize_flags + (("-Werror",) if self.werror else ())

    @property
    def directory(self) -> Path:
        """Where its objects lie, relative to the root: named by the sanitizers and a hash of all flags."""
        key = repr((self.cc, compiler_version(self.cc), self.compile_flags, sorted(FILE_FLAGS.items())))
        name = "-".join(self.sanitizers) or "plain"
        return Path("build", "native", f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}")

    @property
    def archive(self) -> Path:
        """The static archive of the core, relative to the root."""
        return self.directory / "libiree_cy.a"


@dataclass(frozen=True)
class Unit:
    """A source file, relative to the root, with what its compilation adds to the flags of all.

    Parameters
    ----------
    source
        Path relative to the root, so that messages and ``__FILE__`` name no machine's folders.
    flags
        Further flags; those of what is linked with the archive unless given.
    include_dirs
        Header folders, in order.
    """

    source: Path
    flags: tuple[str, ...] = CORE_FLAGS
    include_dirs: tuple[str, ...] = ("include", ".")


_versions: dict[tuple[str, ...], str] = {}


def compiler_version(cc: tuple[str, ...]) -> str:
    """Return the first line of what the compiler says about itself."""
    if cc not in _versions:
        try:
            text = subprocess.run([*cc, "--version"], check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise BuildError(
                f"the compiler {shlex.join(cc)!r} does not run ({error}); install one, or name yours in CC or CXX"
            ) from error
        _versions[cc] = text.partition("\n")[0]
    return _versions[cc]


def _new_compiler(config: Config) -> Any:
    """Make setuptools' compiler object with our commands and none of the flags of one Python."""
    importlib.import_module("setuptools")  # brings distutils to a Python that has none
    from distutils.ccompiler import new_compiler

    compiler: Any = new_compiler(compiler="unix", force=True)
    compiler.set_executables(
        compiler=list(config.cc),
        compiler_so=list(config.cc),
        compiler_so_cxx=list(config.cxx),
        linker_so=[*config.cc, "-shared"],
        linker_exe=list(config.cc),
        archiver=["ar", "-crsD"],
        ranlib=None,
    )
    return compiler


def _is_stale(target: Path, inputs: Iterable[Path]) -> bool:
    """Tell whether the target is missing or older than an input, or an input is gone."""
    try:
        made = target.stat().st_mtime_ns
        return any(path.stat().st_mtime_ns > made for path in inputs)
    except FileNotFoundError:
        return True


def _dependencies(path: Path) -> list[Path] | None:
    """Read the prerequisites that the compiler noted in a dependency file; None when there are none."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    names = re.split(r"(?<!\\)\s+", text.replace("\\\n", " ").partition(":")[2].strip())
    return [Path(name.replace("\\ ", " ")) for name in names]


@contextlib.contextmanager
def locked(config: Config) -> Iterator[None]:
    """Stand in the root with this configuration's folder for ourselves, whoever else builds at the moment."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        config.directory.mkdir(parents=True, exist_ok=True)
        with (config.directory / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    finally:
        os.chdir(before)


_thread = threading.local()


def _compile(config: Config, unit: Unit) -> Path:
    """Bring one object up to date. Its time is that of the start, for a source saved meanwhile is newer."""
    if not hasattr(_thread, "compiler"):
        _thread.compiler = {}
    if config not in _thread.compiler:
        _thread.compiler[config] = _new_compiler(config)
    compiler = _thread.compiler[config]
    directory = config.directory
    flags: Sequence[str] = config.compile_flags
    if unit.source.suffix in CXX_SUFFIXES:
        # The name of the folder says nothing of the C++ compiler yet.
        flags = [flag for flag in flags if not flag.startswith("-std=")]
        key = repr((unit.flags, unit.include_dirs, config.cxx, compiler_version(config.cxx), unit.source.suffix))
        directory = directory / f"flags-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    elif (unit.flags, unit.include_dirs) != (Unit.flags, Unit.include_dirs):
        key = repr((unit.flags, unit.include_dirs))
        directory = directory / f"flags-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    object_file = Path(compiler.object_filenames([str(unit.source)], output_dir=str(directory))[0])
    dependency_file = object_file.with_suffix(".d")
    inputs = _dependencies(dependency_file)
    if inputs is not None and not _is_stale(object_file, inputs):
        return object_file
    started = time.time_ns()
    dependency_file.unlink(missing_ok=True)
    try:
        compiler.compile(
            [str(unit.source)],
            output_dir=str(directory),
            include_dirs=list(unit.include_dirs),
            extra_preargs=[*flags, "-MMD", "-MF", str(dependency_file)],
            extra_postargs=list(unit.flags),
        )
    except Exception as error:  # setuptools has moved its CompileError between modules
        dependency_file.unlink(missing_ok=True)
        raise BuildError(f"{unit.source} does not compile") from error
    os.utime(object_file, ns=(started, started))
    return object_file


def _jobs() -> int:
    return int(os.environ.get("IREE_CY_JOBS") or len(os.sched_getaffinity(0)))


def build_objects(config: Config, units: Sequence[Unit]) -> list[Path]:
    """Compile what is out of date, in parallel. Call it under `locked`.

    Returns
    -------
    list of Path
        The objects, in the order of the units.

    Raises
    ------
    BuildError
        After all have been tried, so that one run shows every file's messages.
    """
    with ThreadPoolExecutor(_jobs()) as pool:
        futures = [pool.submit(_compile, config, unit) for unit in units]
    errors = [error for error in (future.exception() for future in futures) if error is not None]
    if errors:
        raise BuildError("\n".join(str(error) for error in errors)) from errors[0]
    return [future.result() for future in futures]


def core_units() -> list[Unit]:
    """List the sources of the core. Files named for another machine than this one are left out."""
    native = Path("iree_cy", "native")
    machine = platform.machine()
    units = []
    for path in sorted((ROOT / native).rglob("*.c")):
        match = re.search(r"_(x86_64|aarch64)\.c$", path.name)
        if match and match[1] != machine:
            continue
        below = path.relative_to(ROOT / native).as_posix()
        units.append(Unit(native / below, CORE_FLAGS + FILE_FLAGS.get(below, ())))
    return units


def _build_archive(config: Config) -> Path:
    objects = build_objects(config, core_units())
    members = config.directory / "libiree_cy.members"
    listing = "\n".join(map(str, objects))
    same_members = members.is_file() and members.read_text() == listing
    if same_members and not _is_stale(config.archive, objects):
        return config.archive
    # Replaced in one step, for another process may be linking the old one.
    compiler = _new_compiler(config)
    fresh = config.directory / "fresh"
    fresh.mkdir(exist_ok=True)
    fresh_archive = fresh / config.archive.name
    fresh_archive.unlink(missing_ok=True)
    try:
        compiler.create_static_lib(list(map(str, objects)), "iree_cy", output_dir=str(fresh))
    except Exception as error:
        raise BuildError(f"the archive cannot be made: {error}") from error
    fresh_archive.replace(config.archive)
    members.write_text(listing)
    return config.archive


def build_archive(config: Config) -> Path:
    """Bring the static archive of the core up to date.

    Returns
    -------
    Path
        The archive, absolute.
    """
    with locked(config):
        return ROOT / _build_archive(config)


def ctest_sources(layers: Sequence[str] | None = None) -> list[Path]:
    """List the C tests below tests/, relative to the root; of some layers, or all."""
    found = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*_test.c"))
    if layers is None:
        return found
    wanted = [path for path in found if path.parts[1] in layers]
    absent = set(layers) - {path.parts[1] for path in wanted}
    if absent:
        raise BuildError(f"tests/{sorted(absent)[0]} has no *_test.c")
    return wanted


def fuzz_sources() -> list[Path]:
    """List the fuzz targets, relative to the root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / "tests" / "fuzz").rglob("*_fuzz.c"))


def _link_program(config: Config, objects: Sequence[Path], program: Path, inputs: Sequence[Path]) -> Path:
    if not _is_stale(program, inputs):
        return program
    compiler = _new_compiler(config)
    program.parent.mkdir(parents=True, exist_ok=True)
    try:
        compiler.link_executable(
            list(map(str, [*objects, config.archive])),
            str(program),
            extra_preargs=list(config.sanitize_flags),
            extra_postargs=list(LINK_LIBRARIES),
        )
    except Exception as error:
        raise BuildError(f"{program.name} does not link: {error}") from error
    return program


def build_programs(config: Config, sources: Sequence[Path]) -> list[Path]:
    """Build C tests or fuzz targets: one source each, with tests/support/*.c and the archive.

    Returns
    -------
    list of Path
        The programs, absolute, in the order of the sources.
    """
    with locked(config):
        archive = _build_archive(config)
        support = [Unit(path.relative_to(ROOT)) for path in sorted((ROOT / "tests" / "support").glob("*.c"))]
        objects = build_objects(config, [*support, *(Unit(source) for source in sources)])
        shared, own = objects[: len(support)], objects[len(support) :]
        with ThreadPoolExecutor(_jobs()) as pool:
            programs = list(
                pool.map(
                    lambda pair: _link_program(
                        config,
                        [pair[1], *shared],
                        config.directory / pair[0].with_suffix(""),
                        [pair[1], *shared, archive],
                    ),
                    zip(sources, own, strict=True),
                )
            )
        return [ROOT / program for program in programs]


def link_shared(
    config: Config, objects: Sequence[Path], output: Path, flags: Sequence[str], *, cxx: bool = False
) -> None:
    """Link a shared library from objects when one of them is newer, as C++ if asked to. Call it under `locked`."""
    if not _is_stale(output, objects):
        return
    compiler = _new_compiler(config)
    if cxx:
        compiler.set_executables(linker_so=[*config.cxx, "-shared"])
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh = output.with_name(f".{output.name}.fresh")
    try:
        compiler.link_shared_object(
            list(map(str, objects)),
            str(fresh),
            extra_preargs=list(config.sanitize_flags),
            extra_postargs=list(flags),
        )
    except Exception as error:
        raise BuildError(f"{output.name} does not link: {error}") from error
    # A process that has the old library mapped keeps it whole.
    fresh.replace(output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m build_tools.native", description=__doc__)
    parser.add_argument("--sanitize", metavar="NAMES", help="comma list of address, undefined, thread")
    parser.add_argument("--tests", metavar="LAYERS", help="also build the C tests of these layers, or 'all'")
    parser.add_argument("--fuzz", action="store_true", help="also build the fuzz targets")
    parser.add_argument("--run", action="store_true", help="run the C tests after building them")
    parser.add_argument("--werror", action="store_true", help="fail on warnings")
    options = parser.parse_args(arguments)
    try:
        config = Config.from_environment(options.sanitize)
        if options.werror:
            config = Config(config.sanitizers, True, config.cc, config.cxx)
        print(build_archive(config))
        programs: list[Path] = []
        if options.tests:
            programs = build_programs(
                config, ctest_sources(None if options.tests == "all" else options.tests.split(","))
            )
        fuzzers = build_programs(config, fuzz_sources()) if options.fuzz else []
        for program in [*programs, *fuzzers]:
            print(program)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.flush()
    if options.run:
        return max((abs(subprocess.run([program], check=False).returncode) for program in programs), default=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
