# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area executables: compiled programs give what NumPy gives.
"""Area executables: the device loads programs in its own format and runs their functions."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import Subject, expect_error, told
from iree_cy.testing.programs import sources

HEADER = "hal/executable.h"


@pytest.fixture(scope="module")
def programs(subject: Subject) -> Path:
    """Return the folder of the driver's compiled programs."""
    folder = subject.profile.programs
    wanted = [f"{source.stem}.vmfb" for source in sources()]
    how = f"python -m iree_cy.testing.programs --driver={subject.plain_name} --output=DIR makes it"
    if folder is None:
        pytest.fail(f"the profile neither names a folder of programs nor excludes executables; {how}", pytrace=False)
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        pytest.fail(f"the folder of programs {folder} lacks {', '.join(missing)}; {how}", pytrace=False)
    return folder


def _load(device: rt.HalDevice, programs: Path, name: str) -> Any:
    config = rt.Config(device=device)
    module = rt.VmModule.mmap(config.vm_instance, programs / f"{name}.vmfb")
    return rt.load_vm_module(module, config)


def _check(got: Any, expected: Any, what: str) -> None:
    array = np.asarray(got.to_host() if hasattr(got, "to_host") else got)
    if array.dtype.kind == "f":
        is_right = array.shape == expected.shape and np.allclose(array, expected, rtol=1e-5, atol=1e-5)
    else:
        is_right = np.array_equal(array, expected)
    assert is_right, told(f"computed {what} as\n{array}", f"\n{expected}\n", HEADER)


def _floats(*shape: int, seed: int = 1) -> Any:
    # Small whole numbers, so that every order of adding gives the same.
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32)


def _integers(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(-1000, 1000, shape, np.int32)


def test_floats_element_by_element(shared_device: rt.HalDevice, programs: Path) -> None:
    """A function of three arguments of 32-bit floats."""
    a, b, c = (_floats(64, seed=seed) for seed in range(3))
    _check(_load(shared_device, programs, "elementwise").multiply_add(a, b, c), a * b + c, "a * b + c")


def test_integers_element_by_element(shared_device: rt.HalDevice, programs: Path) -> None:
    """32-bit integers in two dimensions, none a power of two."""
    a, b = _integers(3, 5), _integers(3, 5, seed=2)
    _check(_load(shared_device, programs, "elementwise").integers(a, b), (a - b) * b, "(a - b) * b")


def test_several_results(shared_device: rt.HalDevice, programs: Path) -> None:
    """A function with two results."""
    a = _integers(7)
    double, square = _load(shared_device, programs, "elementwise").two_results(a)
    _check(double, a + a, "a + a")
    _check(square, a * a, "a * a")


def test_matmul(shared_device: rt.HalDevice, programs: Path) -> None:
    """A product of matrices whose sizes no tile divides."""
    a, b = _floats(13, 17), _floats(17, 11, seed=2)
    _check(_load(shared_device, programs, "matmul").matmul(a, b), a @ b, "a @ b")


@pytest.mark.parametrize("count", [0, 1, 7, 64, 1000])
def test_sizes_known_at_the_call(shared_device: rt.HalDevice, programs: Path, count: int) -> None:
    """One function for arrays of any length."""
    a, b = _floats(count), _floats(count, seed=2)
    _check(_load(shared_device, programs, "dynamic").scale(a, b), a * b, f"a * b of {count} elements")


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (17, 129)])
def test_sums_of_rows(shared_device: rt.HalDevice, programs: Path, shape: tuple[int, int]) -> None:
    """A reduction in a shape that is known at the call only."""
    a = _integers(*shape)
    _check(_load(shared_device, programs, "dynamic").row_sums(a), a.sum(1, dtype=np.int32), f"row sums of {shape}")


def test_several_dispatches(shared_device: rt.HalDevice, programs: Path) -> None:
    """Dispatches that need one another's results, ordered by barriers."""
    a = _integers(24, 40)
    expected = a.T * a.sum(1, dtype=np.int32)[None, :]
    _check(_load(shared_device, programs, "chain").chain(a), expected, "a.T * row sums")


def test_is_called_again(shared_device: rt.HalDevice, programs: Path) -> None:
    """The same function gives the same result for the same arguments, call after call."""
    module = _load(shared_device, programs, "chain")
    for seed in range(20):
        a = _integers(24, 40, seed=seed)
        _check(module.chain(a), a.T * a.sum(1, dtype=np.int32)[None, :], f"call {seed + 1} of a function")


def test_results_are_arguments(shared_device: rt.HalDevice, programs: Path) -> None:
    """What one call left on the device the next one takes."""
    module = _load(shared_device, programs, "dynamic")
    a = _floats(33)
    _check(module.scale(module.scale(a, a), a), a * a * a, "a * a * a in two calls")


def test_state(shared_device: rt.HalDevice, programs: Path) -> None:
    """A program keeps what it stored, and each load of it has its own."""
    first, second = _load(shared_device, programs, "state"), _load(shared_device, programs, "state")
    values = np.arange(6, dtype=np.int32)
    for step in range(1, 5):
        _check(first.add(values), values * step, f"a sum after {step} calls")
    _check(second.add(values), values, "a sum of a program that was loaded apart")


def test_on_several_devices(subject: Subject, programs: Path) -> None:
    """A program runs on each device that it is loaded for."""
    a, b = _floats(13, 17), _floats(17, 11, seed=2)
    for _ in range(2):
        _check(_load(subject.new_device(), programs, "matmul").matmul(a, b), a @ b, "a @ b")


def test_calls_of_several_threads(shared_device: rt.HalDevice, programs: Path) -> None:
    """Threads call one program at the same time."""
    module = _load(shared_device, programs, "chain")
    failures: list[BaseException] = []

    def run(index: int) -> None:
        try:
            for seed in range(10):
                a = _integers(24, 40, seed=100 * index + seed)
                _check(module.chain(a), a.T * a.sum(1, dtype=np.int32)[None, :], "calls of several threads")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), told("let a call hang for 120 s", "calls that end", HEADER)
    if failures:
        raise failures[0]


def test_other_shapes_are_refused(shared_device: rt.HalDevice, programs: Path) -> None:
    """An argument of another shape is refused before anything runs."""
    module = _load(shared_device, programs, "matmul")
    with expect_error((rt.InvalidArgument, ValueError), "a matrix of another shape", HEADER):
        module.matmul(_floats(13, 16), _floats(17, 11))


def test_damaged_programs_are_refused(shared_device: rt.HalDevice, programs: Path) -> None:
    """What is no whole program is refused when it is loaded."""
    config = rt.Config(device=shared_device)
    data = (programs / "elementwise.vmfb").read_bytes()
    with expect_error((rt.StatusError, ValueError), "half of a program", HEADER):
        rt.load_vm_module(rt.VmModule.copy_buffer(config.vm_instance, data[: len(data) // 2]), config)
