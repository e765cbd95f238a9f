# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that every row of the benchmarks can be made, and how rows are chosen and judged; not how fast anything is.

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from benchmarks import compare
from benchmarks.measure import AGAINST_REFERENCE, Case, Group, Row, pair, series

GROUPS = list(compare.all_groups())


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert compare.main([*arguments, "--json"]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return records


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_every_row_can_be_made(group: Group, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("iree.runtime")
    if group.name.startswith("layers"):
        pytest.importorskip("Cython")
        pytest.importorskip("setuptools")
    records = run(capsys, "--quick", "--rounds", "1", "--only", f"{group.name}/")
    assert {record["group"] for record in records} == {group.name}
    if not group.name.startswith("layers"):
        assert [record["name"] for record in records] == [case.name for case in group.cases]
    else:
        assert [record["name"].partition(":")[0] for record in records] == ["C", "Cython", *["Python"] * 3]
    for record in records:
        assert all(math.isfinite(record[column]) for column in group.columns)
        assert record[group.columns[0]] >= 0


def test_the_goals_of_local_task_have_rows() -> None:
    names = {f"{group.name}/{case.name}" for group in GROUPS for case in group.cases}
    work = (
        "multiply4 NumPy in",
        "multiply4 DeviceArray in",
        "200 dependent dispatches",
        "200 independent dispatches",
        "matmul 1024",
    )
    assert {f"{group}/{name}" for group in ("local-task", "task-over-sync") for name in work} <= names
    assert {
        "threads/8 threads on local-task", "threads/CPU time idle for 2 s", "threads/threads of a device never used"
    } <= names  # fmt: skip


def test_rows_are_chosen_by_parts_of_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(["--list", "--only", "local-task/multiply4 N", "--only", "idle"]) == 0
    assert capsys.readouterr().out.splitlines() == ["local-task/multiply4 NumPy in", "threads/CPU time idle for 2 s"]


def test_a_name_that_no_row_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        compare.main(["--only", "matmull"])
    assert caught.value.code == 2
    assert "no row's group/name holds 'matmull'" in capsys.readouterr().err


def test_check_fails_when_a_goal_is_missed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [Row("met", 1.0, 2.0, 0.5, 0.5), Row("missed", 3.0, 1.0, 3.0, 2.0, bounds_first=True)]
    cases = [Case(row.name, lambda bench, row=row: [row]) for row in rows]  # type: ignore[misc]
    monkeypatch.setattr(compare, "all_groups", lambda: iter([Group("some", "some", AGAINST_REFERENCE, cases)]))
    assert compare.main(["--check", "--only", "some/met"]) == 0
    assert compare.main(["--check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("missed")
    assert lines[-1].endswith("over")
    assert not lines[-2].endswith("over")


def test_a_pair_is_the_median_of_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0]
    monkeypatch.setattr("benchmarks.measure.time.perf_counter_ns", lambda: clock[0])

    def taking(*nanoseconds: int) -> Any:
        steps = iter(nanoseconds)
        last = nanoseconds[-1]
        return lambda: clock.__setitem__(0, clock[0] + next(steps, last))

    # Three to warm up; the second is timed three times more to find a count of 1.
    first = taking(*[1000] * 3, 1000, 9000, 2000)
    second = taking(*[1000] * 6, 2000, 3000, 1000)
    row = pair("row", first, second, 1.5, 3, 1e-6)
    # 1/2, 9/3 and 2/1.
    assert (row.first, row.second, row.ratio) == (2.0, 2.0, 2.0)
    assert row.is_over


def test_a_series_tells_what_each_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0]
    monkeypatch.setattr("benchmarks.measure.time.perf_counter_ns", lambda: clock[0])

    def taking(nanoseconds: int) -> Any:
        return lambda: clock.__setitem__(0, clock[0] + nanoseconds)

    rows = series({"inner": taking(4000), "outer": taking(10000)}, 3, 0.0, per=2)
    assert [(row.name, row.first, row.second) for row in rows] == [("inner", 2.0, 2.0), ("outer", 5.0, 3.0)]
    assert [row.ratio for row in rows] == [0.4, 0.6]
