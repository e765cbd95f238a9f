# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the command line's grammar and its exit codes.
"""The command line ``iree-cy``.

Exit codes: 0 success; 1 loading, compiling or running failed; 2 the command line is malformed;
3 a result is not what was expected.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

from iree_cy.version import __version__

__all__ = ["main"]

_EPILOG = """\
exit codes: 0 success, 1 loading, compiling or running failed, 2 malformed command line,
3 a result is not what was expected

values: a number, SHAPExTYPE=VALUES ("2x3xf32=1 2 3 4 5 6"; one value fills all elements),
@file.npy, @file.npz, SHAPExTYPE=@raw.bin; types: i1 i8 i16 i32 i64 f16 f32 f64 bf16 ...
"""


def main(argv: Sequence[str] | None = None, prog: str = "iree-cy") -> int:
    """Run the command line and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    compiler_arguments: list[str] = []
    if "--" in given:
        split = given.index("--")
        given, compiler_arguments = given[:split], given[split + 1 :]
    parser = _make_parser(prog)
    try:
        arguments = parser.parse_args(given)
    except SystemExit as exit_request:
        return int(exit_request.code or 0)
    arguments.compiler_arguments = compiler_arguments
    if compiler_arguments and arguments.command != "run":
        print(f"{prog}: only 'run' takes arguments after --", file=sys.stderr)
        return 2
    return _guarded(arguments)


def _guarded(arguments: argparse.Namespace) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            code = _dispatch(arguments)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            return 130
        except BrokenPipeError:
            # The reader went away; keep Python from failing once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except Exception as error:
            from iree_cy.cli.run import EXIT_FAILURE, EXIT_USAGE, UsageError, report

            report(error)
            return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILURE


def _dispatch(arguments: argparse.Namespace) -> int:
    # Listing must not pay for what running needs (NumPy, the native core).
    if arguments.command == "run":
        from iree_cy.cli.run import run

        return run(arguments)
    if arguments.command == "doctor":
        from iree_cy.cli import doctor

        return doctor.run(arguments)
    if arguments.command == "plan":
        from iree_cy.cli import plan

        return plan.run(arguments)
    if arguments.command == "new-driver":
        from iree_cy.cli import new_driver

        return new_driver.run(arguments)
    from iree_cy.cli import listing

    commands = {
        "list-drivers": listing.list_drivers,
        "list-devices": listing.list_devices,
        "info": listing.info,
    }
    return commands[arguments.command](arguments)


def _show_warning(message: Warning | str, category: type[Warning], *arguments: object, **keywords: object) -> None:
    print(f"iree-cy: warning: {message}", file=sys.stderr)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise ValueError(text)
    return seconds


# What argparse calls it.
_seconds.__name__ = "number of seconds"


def _make_parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Run programs compiled by the IREE compiler.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"iree-cy {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    drivers = commands.add_parser("list-drivers", help="names of drivers and where they come from; loads nothing")
    drivers.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also import each plugin and show its full name",
    )

    devices = commands.add_parser("list-devices", help="each driver's devices, or why there are none")
    devices.add_argument(
        "drivers", nargs="*", metavar="DRIVER", help="only these drivers; one that cannot be used gives exit code 1"
    )
    devices.add_argument("-v", "--verbose", action="store_true", help="show details of each device")
    devices.add_argument(
        "--isolated",
        action="store_true",
        help="ask each driver in a process of its own: one that crashes or hangs says so",
    )
    devices.add_argument(
        "--timeout", type=_seconds, default=30.0, metavar="SECONDS", help="how long such a process may take (30)"
    )

    doctor = commands.add_parser("doctor", help="how far one gets with each driver, and what to do where it fails")
    doctor.add_argument(
        "driver", nargs="?", metavar="DRIVER", help="only this driver; if it cannot be used the exit code is 1"
    )
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    doctor.add_argument("--timeout", type=_seconds, default=30.0, metavar="SECONDS", help="how long each may take (30)")

    plan = commands.add_parser("plan", help="which drivers could run a program, and why the others could not")
    plan.add_argument("file", metavar="FILE", help="a compiled .vmfb")
    plan.add_argument("--json", action="store_true", help="print the plan as JSON")

    new_driver = commands.add_parser("new-driver", help="write a driver package of your own to begin with")
    new_driver.add_argument("name", metavar="NAME", help="the driver's name, which people will ask for")
    new_driver.add_argument("--title", help="what people call the driver (its name)")
    new_driver.add_argument("--output", metavar="DIR", help="the folder to make (iree-cy-NAME)")

    commands.add_parser("info", help="version and build flags")
    _add_run(commands)
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="call a function of a program",
        usage="%(prog)s FILE [options] [-- COMPILER-ARGUMENT ...]",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    run.add_argument("file", metavar="FILE", help="a compiled .vmfb, or .mlir to compile first")
    run.add_argument("--function", help="the function; may be left out where there is only one")
    run.add_argument("--input", action="append", default=[], metavar="VALUE", help="an argument; repeat in order")
    run.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="WHERE",
        help="where a result goes: - (print), @file.npy, @file.npz, @file.bin (raw bytes), or "
        "nothing to drop it; repeat in order; all are printed by default",
    )
    run.add_argument(
        "--expected_output",
        "--expected-output",
        action="append",
        default=[],
        metavar="VALUE",
        help="compare a result with this, or (ignored); repeat in order",
    )
    run.add_argument("--rtol", type=float, help="relative tolerance (1e-5)")
    run.add_argument("--atol", type=float, help="absolute tolerance (1e-4; f16: 1e-3, bf16: 1e-2)")
    run.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="URI",
        help="a device, repeat for several; by default the first that works of "
        "IREE_DEFAULT_DEVICE or of the built-in list",
    )
    run.add_argument(
        "--output_max_element_count",
        "--output-max-element-count",
        type=int,
        default=1024,
        metavar="N",
        help="print at most N elements of a result (1024)",
    )
