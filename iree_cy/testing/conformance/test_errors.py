# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area errors: what is wrong is refused with the right code, and everything stays usable.
"""Area errors: a refused operation has queued nothing and signals nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import Work, expect_error, pattern_bytes, same, told

SIZE = 64

_Submit = Callable[[rt.HalDevice, rt.HalBuffer, Any], object]
_OUT_OF_RANGE: dict[str, _Submit] = {
    "fill behind the end": lambda device, buffer, to: device.queue_fill(buffer, b"\0", None, to, offset=0, length=65),
    "fill that begins behind the end": lambda device, buffer, to: device.queue_fill(
        buffer, b"\0", None, to, offset=65, length=0
    ),
    "fill whose end overflows": lambda device, buffer, to: device.queue_fill(
        buffer, b"\0", None, to, offset=8, length=2**64 - 9
    ),
    "update behind the end": lambda device, buffer, to: device.queue_update(b"ab", buffer, None, to, target_offset=63),
    "update whose offset overflows": lambda device, buffer, to: device.queue_update(
        b"ab", buffer, None, to, target_offset=2**64 - 2
    ),
    "copy behind the end": lambda device, buffer, to: device.queue_copy(
        buffer, buffer, None, to, target_offset=60, length=8
    ),
}
_WRONG: dict[str, _Submit] = {
    "pattern of 3 bytes": lambda device, buffer, to: device.queue_fill(buffer, b"abc", None, to),
    "pattern of no byte": lambda device, buffer, to: device.queue_fill(buffer, b"", None, to),
    "fill at an offset that the pattern does not divide": lambda device, buffer, to: device.queue_fill(
        buffer, b"abcd", None, to, offset=2, length=4
    ),
    "fill of a length that the pattern does not divide": lambda device, buffer, to: device.queue_fill(
        buffer, b"abcd", None, to, offset=0, length=6
    ),
    "copy of ranges that overlap": lambda device, buffer, to: device.queue_copy(
        buffer, buffer, None, to, target_offset=1, length=10
    ),
}


def _is_refused(work: Work, submit: _Submit, kinds: tuple[type[BaseException], ...], what: str) -> None:
    contents = pattern_bytes(SIZE)
    buffer = work.buffer(contents)
    signal = work.semaphore()
    with expect_error(kinds, f"a {what}", "hal/device.h"):
        submit(work.device, buffer, [(signal, 1)])
    assert signal.query() == 0, told(f"signalled though it refused a {what}", "no signal", "hal/device.h")
    work.check(buffer, contents, f"a {what}, which was refused")
    work.write(buffer, pattern_bytes(SIZE, seed=2))
    work.check(buffer, pattern_bytes(SIZE, seed=2), f"an update that follows a refused {what}")


@pytest.mark.parametrize("what", _OUT_OF_RANGE)
def test_ranges_are_checked(work: Work, what: str) -> None:
    """A range outside of a buffer is OUT_OF_RANGE, and nothing is queued."""
    _is_refused(work, _OUT_OF_RANGE[what], (rt.OutOfRange, ValueError), what)


@pytest.mark.parametrize("what", _WRONG)
def test_arguments_are_checked(work: Work, what: str) -> None:
    """Arguments that mean nothing are INVALID_ARGUMENT, and nothing is queued."""
    _is_refused(work, _WRONG[what], (rt.InvalidArgument,), what)


@pytest.mark.parametrize(("offset", "length"), [(60, 8), (65, 0), (2**64 - 1, 1), (1, 2**64 - 1)])
def test_subspans_are_checked(work: Work, offset: int, length: int) -> None:
    """A subspan lies in its buffer."""
    buffer = work.buffer(SIZE)
    if length == 2**64 - 1:
        # The whole rest, by that number.
        rest = buffer.subspan(offset, length).byte_length()
        same(rest, SIZE - offset, "the length of the rest of a buffer", "hal/buffer.h")
        return
    with expect_error(rt.OutOfRange, f"subspan({offset}, {length}) of {SIZE} bytes", "hal/buffer.h"):
        buffer.subspan(offset, length)


def test_usage_is_checked(work: Work) -> None:
    """What a buffer is not for is PERMISSION_DENIED; a driver may allow more than was asked for."""
    only_source = work.buffer(SIZE, rt.MemoryType.DEVICE_VISIBLE, rt.BufferUsage.TRANSFER_SOURCE)
    signal = work.semaphore()
    if only_source.allowed_usage() & rt.BufferUsage.TRANSFER_TARGET:
        work.device.queue_fill(only_source, b"\0", None, [(signal, 1)])
        work.finish([(signal, 1)])
        return
    with expect_error(rt.PermissionDenied, "a fill of a buffer that is no target of transfers", "hal/buffer.h"):
        work.device.queue_fill(only_source, b"\0", None, [(signal, 1)])
    same(signal.query(), 0, "the payload that a refused fill signals", "hal/device.h")


def test_mapping_is_checked(work: Work) -> None:
    """Memory that the host cannot see, or that is not for mapping, is not mapped."""
    buffer = work.buffer(SIZE, rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.TRANSFER)
    is_mappable = buffer.memory_type() & rt.MemoryType.HOST_VISIBLE
    if is_mappable and buffer.allowed_usage() & rt.BufferUsage.MAPPING_SCOPED:
        same(len(buffer.map()), SIZE, "the length of a mapping", "hal/buffer.h")
        return
    with expect_error(rt.StatusError, "mapping a buffer that is not for it", "hal/buffer.h"):
        buffer.map()


@pytest.mark.parametrize("payload", [2147483647, 2**63])
def test_payloads_are_checked(work: Work, payload: int) -> None:
    """Payloads end at IREE_HAL_SEMAPHORE_MAX_VALUE."""
    with expect_error((rt.OutOfRange, rt.InvalidArgument), f"the payload {payload}", "hal/semaphore.h"):
        work.device.create_semaphore(payload)


def test_a_signal_that_goes_backwards_fails_its_semaphore(work: Work) -> None:
    """An operation whose signal has been passed already is refused, or its semaphore fails; it does not go back."""
    semaphore = work.semaphore(5)
    buffer = work.buffer(SIZE)
    try:
        work.device.queue_fill(buffer, b"\1", None, [(semaphore, 3)])
        reached = semaphore.query()
    except rt.StatusError:
        return
    assert reached >= 5, told(f"took a semaphore from 5 to {reached}", "payloads that only grow", "hal/semaphore.h")


def test_a_failure_does_not_stay(work: Work) -> None:
    """After many refusals the device works as before."""
    buffer = work.buffer(SIZE)
    for _ in range(50):
        with expect_error(rt.OutOfRange, "a fill behind the end", "hal/device.h"):
            work.device.queue_fill(buffer, b"\0", None, work.next(), offset=0, length=SIZE + 1)
        work.last -= 1
    contents = pattern_bytes(SIZE)
    work.write(buffer, contents)
    work.check(buffer, contents, "50 operations that were refused")
