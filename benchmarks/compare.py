# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the command that compares iree_cy with IREE's own runtime, and its devices and layers with each other.
"""Compare iree_cy with iree.runtime, side by side in one process.

Prints for each row both medians, the median of the paired ratios and the greatest that is the goal. Rows of two devices
of iree_cy, and of the layers of one call, stand in the same columns. Needs iree-base-runtime and iree-base-compiler
3.13, and for the layers Cython, setuptools and a C compiler.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from benchmarks import rows_calls, rows_layers, rows_loads, rows_threads
from benchmarks.measure import Bench, Case, Group, Row

__all__ = ["all_groups", "main", "selected"]


def all_groups() -> Iterator[Group]:
    """Return every group of rows, in the order in which they are printed."""
    for rows in (rows_calls, rows_threads, rows_loads, rows_layers):
        yield from rows.groups()


def selected(only: Sequence[str]) -> Iterator[tuple[Group, list[Case]]]:
    """Return the groups with those of their cases that are asked for.

    Parameters
    ----------
    only
        Parts of ``group/case``, of which one must be in it; without any, all are.
    """
    for group in all_groups():
        cases = [case for case in group.cases if not only or any(part in f"{group.name}/{case.name}" for part in only)]
        if cases:
            yield group, cases


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=41, help="paired runs per row (default: 41)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="rows whose group/name holds NAME; again for more"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the rows, and measure nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a row misses its goal")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small programs, few calls: whether rows can be made, not how fast they are",
    )
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds is 1 or more")
    chosen = list(selected(options.only))
    if not chosen:
        parser.error(f"no row's group/name holds {' or '.join(map(repr, options.only))}; --list prints them")
    if options.list:
        for group, cases in chosen:
            for case in cases:
                print(f"{group.name}/{case.name}")
        return 0
    bench = Bench(options.rounds, options.quick)
    records: list[dict[str, object]] = []
    is_over = False
    for group, cases in chosen:
        if not options.json:
            print("\n" + _heading(group), flush=True)
        for case in cases:
            for row in case.measure(bench):
                is_over |= row.is_over
                records.append(_record(group, row))
                if not options.json:
                    print(_line(row), flush=True)
    if options.json:
        print(json.dumps(records, indent=2))
    return int(options.check and is_over)


def _heading(group: Group) -> str:
    first, second, third = group.columns
    return f"{group.title}\n{'':37}{first:>13}{second:>13}{third:>8}{'goal':>9}"


def _line(row: Row) -> str:
    figures = f"{row.first:>10.2f} {row.unit:<3}{row.second:>9.2f} {row.unit:<3}{row.ratio:>7.2f}"
    if row.goal is None:
        goal = ""
    elif row.bounds_first:
        goal = f"{row.goal:>6.0f} {row.unit}"
    else:
        goal = f"{row.goal:>9.2f}"
    return f"{row.name:37}{figures}{goal}{'  over' if row.is_over else ''}".rstrip()


def _record(group: Group, row: Row) -> dict[str, object]:
    first, second, third = group.columns
    record: dict[str, object] = {"group": group.name, "name": row.name, "unit": row.unit}
    record.update({first: row.first, second: row.second, third: row.ratio})
    if row.goal is not None:
        record["goal"] = {"value": row.goal, "bounds": first if row.bounds_first else third, "missed": row.is_over}
    return record


if __name__ == "__main__":
    sys.exit(main())
