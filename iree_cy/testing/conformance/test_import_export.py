# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area import-export: memory of others is used in place, and memory of the device by others.
"""Area import-export: host memory becomes a buffer without a copy, and a buffer becomes memory for others."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import iree_cy as rt
from iree_cy import _core
from iree_cy.testing.conformance._support import Work, check_bytes, pattern_bytes, same, told

SIZE = 4096
HEADER = "hal/allocator.h"
_TYPE = rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE
_USAGE = rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING


class _Memory(np.ndarray[Any, Any]):
    """An array that can be watched."""


def _memory(size: int = SIZE) -> Any:
    # A page of its own, which every device takes that takes any.
    block = np.zeros(size + 4096, np.uint8)
    start = -block.ctypes.data % 4096
    return block[start : start + size].view(_Memory)


def test_import_is_in_place(work: Work) -> None:
    """What the host writes the device sees, and the other way round."""
    memory = _memory()
    contents = pattern_bytes(SIZE)
    buffer = work.device.allocator.import_host_allocation(memory, _TYPE, _USAGE)
    same(buffer.byte_length(), SIZE, "the length of imported memory", HEADER)
    memory[:] = np.frombuffer(contents, np.uint8)
    target = work.buffer(SIZE)
    work.device.queue_copy(buffer, target, None, work.next())
    work.finish()
    work.check(target, contents, "a copy of imported memory", HEADER)
    work.device.queue_fill(buffer.subspan(8, 8), b"\x21", None, work.next())
    work.finish()
    expected = contents[:8] + b"\x21" * 8 + contents[16:]
    check_bytes(memory.tobytes(), expected, "a fill of a part of imported memory", HEADER)


def test_import_keeps_the_memory(work: Work) -> None:
    """The memory stays as long as the buffer or work on it, and is given back afterwards."""
    memory = _memory()
    watch = weakref.ref(memory)
    buffer = work.device.allocator.import_host_allocation(memory, _TYPE, _USAGE)
    part = buffer.subspan(16, 64)
    gate = work.semaphore()
    work.device.queue_fill(part, b"\x31", [(gate, 1)], work.next())
    del memory, buffer, part
    gc.collect()
    assert watch() is not None, told("gave imported memory back with work pending", "it kept", HEADER)
    gate.signal(1)
    work.finish()
    for _ in range(500):
        gc.collect()
        if watch() is None:
            break
    assert watch() is None, told("keeps imported memory for ever", "the release callback called once", HEADER)


def test_says_what_it_can_import(work: Work) -> None:
    """The allocator says that it can import what it imports."""
    answer = work.device.allocator.query_buffer_compatibility(_TYPE, _USAGE, _USAGE, SIZE)
    assert answer & rt.BufferCompatibility.IMPORTABLE, told(
        "imports host memory and says that it cannot", "IMPORTABLE", HEADER
    )


def test_import_without_alignment(work: Work) -> None:
    """Memory that the device cannot use in place is refused, or used; never used at another place."""
    memory = _memory(SIZE)[1 : 1 + 1001]
    try:
        buffer = work.device.allocator.import_host_allocation(memory, _TYPE, _USAGE)
    except rt.StatusError as error:
        assert str(error).strip(), told("refuses memory without a word", "a message", HEADER)
        return
    work.device.queue_fill(buffer, b"\x41", None, work.next())
    work.finish()
    check_bytes(memory.tobytes(), b"\x41" * 1001, "a fill of imported memory that is not aligned", HEADER)


class _Exported:
    """What NumPy takes a capsule from."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_core.DLPACK_CPU, 0)


@pytest.mark.parametrize("count", [1, 1000])
def test_export_by_dlpack(work: Work, count: int) -> None:
    """A buffer is exported in place, and outlives everybody else in its capsule."""
    values: Any = np.arange(count, dtype=np.int32)
    view = work.device.allocator.allocate_buffer_copy(_TYPE, _USAGE, work.device, values, rt.HalElementType.SINT_32)
    capsule = work.device.create_dlpack_capsule(view, _core.DLPACK_CPU, 0)
    del view
    gc.collect()
    try:
        again = work.device.from_dlpack_capsule(capsule)
    except rt.Unimplemented:
        # Where memory begins is the device's to choose, and where it can be imported from too.
        array = np.from_dlpack(_Exported(capsule))
        del capsule
        gc.collect()
        check_bytes(array.tobytes(), values.tobytes(), "memory exported by DLPack", HEADER)
        return
    del capsule
    gc.collect()
    same(again.shape, [count], "the shape of what went through a DLPack capsule", HEADER)
    check_bytes(work.read(again.get_buffer()), values.tobytes(), "a way through a DLPack capsule", HEADER)
