# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests devices, allocators, buffers, semaphores, fences and command buffers from Python.

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from iree_cy import _core
from tests.support.native import ROOT, build_plugin_library

DEVICE_LOCAL = rt.MemoryType.DEVICE_LOCAL
DEFAULT = rt.BufferUsage.DEFAULT


@pytest.fixture(scope="module")
def null_driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Register the template's driver, which no wheel of ours brings, under a name that nobody has installed."""
    source = (ROOT / "backends" / "null" / "src" / "driver.c").read_text()
    assert '#define NULL_DRIVER_NAME "null"' in source
    source = source.replace('#define NULL_DRIVER_NAME "null"', '#define NULL_DRIVER_NAME "null-under-test"')
    library = build_plugin_library(source, tmp_path_factory.mktemp("null") / "libnull.so")
    rt.register_driver(rt.DriverPlugin("null-under-test", "Null", library))
    yield "null-under-test"
    rt.unregister_driver("null-under-test")


@pytest.fixture(params=["local-sync", "null"])
def device(request: Any) -> rt.HalDevice:
    return rt.get_device(request.getfixturevalue("null_driver") if request.param == "null" else request.param)


@pytest.fixture
def allocator(device: rt.HalDevice) -> rt.HalAllocator:
    return device.allocator


def _bytes(buffer: rt.HalBuffer) -> bytes:
    return bytes(buffer.map())  # type: ignore[arg-type]


class TestAllocator:
    def test_allocate(self, allocator: rt.HalAllocator) -> None:
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 13)
        assert buffer.byte_length() == 13
        assert buffer.byte_offset() == 0
        assert buffer.memory_type() & DEVICE_LOCAL == DEVICE_LOCAL
        assert buffer.allowed_usage() & DEFAULT == DEFAULT
        assert buffer.allowed_access() == rt.MemoryAccess.ALL
        assert repr(buffer).startswith("<HalBuffer 13 bytes (at offset 0 into 13), memory_type=DEVICE_LOCAL")

    @pytest.mark.parametrize("size", [-1, 1.5, "1", None])
    def test_sizes_that_are_none(self, allocator: rt.HalAllocator, size: Any) -> None:
        with pytest.raises((TypeError, OverflowError)):
            allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, size)

    def test_more_than_there_is(self, allocator: rt.HalAllocator) -> None:
        with pytest.raises(MemoryError):
            allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 1 << 62)

    def test_copies(self, device: rt.HalDevice, allocator: rt.HalAllocator) -> None:
        array = np.arange(12, dtype=np.int32).reshape(3, 4)
        buffer = allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, device, array)
        assert isinstance(buffer, rt.HalBuffer)
        assert _bytes(buffer) == array.tobytes()
        view = allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, device, array, rt.HalElementType.SINT_32)
        assert isinstance(view, rt.HalBufferView)
        assert (view.shape, view.element_type, view.byte_length) == ([3, 4], rt.HalElementType.SINT_32, 48)
        with pytest.raises((BufferError, ValueError)):
            allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, device, array[:, ::2])
        with pytest.raises(TypeError):
            allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, None, array)  # type: ignore[call-overload]
        staging = allocator.allocate_host_staging_buffer_copy(device, np.int32(7))
        assert _bytes(staging) == np.int32(7).tobytes()

    def test_import(self, device: rt.HalDevice, allocator: rt.HalAllocator) -> None:
        source = allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, device, np.arange(16, dtype=np.float32))
        target = np.zeros(16, np.float32)
        imported = allocator.import_host_allocation(target, rt.MemoryType.HOST_LOCAL, rt.BufferUsage.TRANSFER_TARGET)
        assert imported.byte_length() == target.nbytes
        semaphore = device.create_semaphore(0)
        device.queue_copy(source, imported, [(semaphore, 0)], [(semaphore, 1)])
        assert semaphore.wait(1)
        assert_array_equal(target, np.arange(16))
        del imported
        target.resize(32, refcheck=True)
        read_only = np.zeros(16)
        read_only.flags.writeable = False
        with pytest.raises((BufferError, ValueError)):
            allocator.import_host_allocation(read_only, rt.MemoryType.HOST_LOCAL, DEFAULT)

    def test_statistics(self, device: rt.HalDevice) -> None:
        allocator = device.driver.create_device(0).allocator  # type: ignore[union-attr]
        assert allocator.has_statistics
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 1000)
        assert allocator.statistics["device_bytes_peak"] == 1000
        del buffer
        assert allocator.statistics == {
            "host_bytes_peak": 0,
            "host_bytes_allocated": 0,
            "host_bytes_freed": 0,
            "device_bytes_peak": 1000,
            "device_bytes_allocated": 1000,
            "device_bytes_freed": 1000,
        }
        assert "DEVICE_LOCAL" in allocator.formatted_statistics
        allocator.trim()

    def test_compatibility(self, allocator: rt.HalAllocator) -> None:
        bits = allocator.query_buffer_compatibility(DEVICE_LOCAL, DEFAULT, DEFAULT, 1024)
        for bit in ("ALLOCATABLE", "IMPORTABLE", "EXPORTABLE"):
            assert bits & rt.BufferCompatibility[bit]

    @pytest.mark.parametrize("allocators", [["caching"], ["debug"], ["caching", "debug"], ["caching:1048576"], []])
    def test_wrappers(self, device: rt.HalDevice, allocators: list[str]) -> None:
        own = device.driver.create_device(0, allocators=allocators)  # type: ignore[union-attr]
        for _ in range(3):
            array = rt.asdevicearray(own, np.arange(100))
            assert_array_equal(array.to_host(), np.arange(100))
            del array
        own.trim()


class TestBuffer:
    def test_map(self, allocator: rt.HalAllocator) -> None:
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 24)
        mapped = buffer.map()
        array = mapped.asarray((2, 3), np.dtype(np.int32))
        array[:] = [[1, 2, 3], [4, 5, 6]]
        del mapped
        assert _bytes(buffer) == np.arange(1, 7, dtype=np.int32).tobytes()
        with pytest.raises(ValueError, match="28 bytes"):
            buffer.map().asarray((7,), np.int32)
        assert len(buffer.map()) == 24

    def test_subspans(self, allocator: rt.HalAllocator) -> None:
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 16)
        buffer.fill_zero(0, 16)
        part = buffer.subspan(4, 8)
        assert (part.byte_offset(), part.byte_length()) == (4, 8)
        np.frombuffer(part.map(), np.uint8)[:] = 1  # type: ignore[call-overload]
        assert _bytes(buffer) == bytes(4) + b"\1" * 8 + bytes(4)
        part.fill_zero(2, 2)
        assert _bytes(buffer) == bytes(4) + b"\1\1\0\0\1\1\1\1" + bytes(4)
        assert buffer.subspan(4).byte_length() == 12
        with pytest.raises(IndexError):
            buffer.subspan(8, 9)
        with pytest.raises(IndexError):
            buffer.fill_zero(8, 9)

    def test_views(self, allocator: rt.HalAllocator) -> None:
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 13)
        view = rt.HalBufferView(buffer, (1, 2), rt.HalElementType.INT_16)
        assert view.get_buffer() == buffer
        assert buffer.create_view([1, 2], rt.HalElementType.INT_16).shape == view.shape
        assert repr(view).startswith("<HalBufferView (1, 2), element_type=0x10000010, 13 bytes (at offset 0 into 13)")
        with pytest.raises(IndexError):
            rt.HalBufferView(buffer, (7,), rt.HalElementType.INT_16)
        with pytest.raises(ValueError, match="negative"):
            rt.HalBufferView(buffer, (-1,), rt.HalElementType.INT_16)
        with pytest.raises(IndexError):
            rt.HalBufferView(buffer, (2**40, 2**40), rt.HalElementType.INT_16)


class TestSemaphore:
    def test_timeline(self, device: rt.HalDevice) -> None:
        semaphore = device.create_semaphore(3)
        assert semaphore.query() == 3
        semaphore.signal(5)
        assert semaphore.query() == 5
        assert semaphore.wait(4)
        assert not semaphore.wait(6, deadline=0)
        with pytest.raises(ValueError, match="5"):
            semaphore.signal(5)
        for value in (-1, 1.5, "x"):
            with pytest.raises((TypeError, OverflowError)):
                semaphore.signal(value)  # type: ignore[arg-type]

    def test_a_failure_with_any_text_is_told(self, device: rt.HalDevice) -> None:
        semaphore = device.create_semaphore(0)
        semaphore.fail("broken \udcff")
        with pytest.raises(rt.Unknown, match=r"broken \\udcff"):
            semaphore.wait(1)

    def test_failure(self, device: rt.HalDevice) -> None:
        semaphore = device.create_semaphore(0)
        semaphore.fail("TEST FAILURE")
        for use in (lambda: semaphore.wait(1, deadline=0), semaphore.query, lambda: semaphore.signal(2)):
            with pytest.raises(RuntimeError, match="TEST FAILURE"):
                use()
        with pytest.raises(RuntimeError, match=r"^synchronous semaphore failure.*TEST FAILURE"):
            semaphore.wait(1, deadline=0)


class TestFence:
    def test_insert_and_extend(self, device: rt.HalDevice) -> None:
        first, second = device.create_semaphore(0), device.create_semaphore(0)
        fence = rt.HalFence(2)
        fence.insert(first, 1)
        fence.insert(first, 2)
        assert fence.timepoint_count == 1
        fence.extend(rt.HalFence.create_at(second, 1))
        assert fence.timepoint_count == 2
        with pytest.raises(MemoryError):
            fence.insert(device.create_semaphore(0), 1)
        assert not fence.wait(deadline=0)
        assert not fence.query()
        fence.signal()
        assert fence.wait(timeout=0)
        assert fence.query()
        assert (first.query(), second.query()) == (2, 1)

    def test_join(self, device: rt.HalDevice) -> None:
        fences = [rt.HalFence.create_at(device.create_semaphore(0), 1) for _ in range(3)]
        assert rt.HalFence.join(fences).timepoint_count == 3
        assert rt.HalFence.join([]).wait()
        with pytest.raises(TypeError):
            rt.HalFence.join([None])  # type: ignore[list-item]

    def test_failure(self, device: rt.HalDevice) -> None:
        fence = rt.HalFence.create_at(device.create_semaphore(0), 1)
        fence.fail("TEST FAILURE")
        with pytest.raises(RuntimeError, match=r"^synchronous fence failure.*TEST FAILURE"):
            fence.wait(deadline=0)


class TestQueue:
    def test_alloca_and_dealloca(self, device: rt.HalDevice) -> None:
        semaphore = device.create_semaphore(0)
        fences = [rt.HalFence.create_at(semaphore, i) for i in range(3)]
        buffer = device.queue_alloca(1024, fences[0], fences[1])
        assert buffer.byte_length() == 1024
        device.queue_dealloca(buffer, fences[1], fences[2])
        assert fences[2].wait()

    def test_order(self, device: rt.HalDevice, allocator: rt.HalAllocator) -> None:
        """Work waits for its semaphores, whatever the order of submission."""
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 16)
        target = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 16)
        target.fill_zero(0, 16)
        semaphore = device.create_semaphore(0)
        device.queue_copy(buffer, target, [(semaphore, 3)], [(semaphore, 4)])
        device.queue_update(b"\2" * 4, buffer, [(semaphore, 2)], [(semaphore, 3)], target_offset=4)
        device.queue_fill(buffer, np.int32(7), [(semaphore, 1)], [(semaphore, 2)])
        device.queue_flush()
        assert semaphore.query() == 0
        assert _bytes(target) == bytes(16)
        semaphore.signal(1)
        assert semaphore.wait(4)
        assert _bytes(target) == b"\7\0\0\0" + b"\2" * 4 + b"\7\0\0\0" * 2

    def test_copy_ranges(self, device: rt.HalDevice, allocator: rt.HalAllocator) -> None:
        source = allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, device, bytes(range(13)))
        target = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 12)
        target.fill_zero(0, 12)
        with pytest.raises(ValueError, match="length must be less than"):
            device.queue_copy(source, target, None, None)
        with pytest.raises(ValueError, match="outside"):
            device.queue_copy(source, target, None, None, source_offset=14)
        semaphore = device.create_semaphore(0)
        device.queue_copy(source, target, [], [(semaphore, 1)], source_offset=4, target_offset=8, length=4)
        assert semaphore.wait(1)
        assert _bytes(target) == bytes(8) + bytes(range(4, 8))

    def test_failures_travel(self, device: rt.HalDevice) -> None:
        first, second = device.create_semaphore(0), device.create_semaphore(0)
        device.queue_barrier([(first, 1)], [(second, 1)])
        first.fail("lost")
        with pytest.raises(RuntimeError, match="lost"):
            second.wait(1)

    @pytest.mark.parametrize("semaphores", [3, [3], [(3, 1)], ["ab"], [(None, 1)]])
    def test_what_is_no_list(self, device: rt.HalDevice, semaphores: Any) -> None:
        with pytest.raises(TypeError):
            device.queue_barrier(semaphores, [])

    def test_questions(self, device: rt.HalDevice) -> None:
        assert device.query_i64("no such", "question") is None


class TestCommandBuffer:
    def test_begins_by_itself(self, device: rt.HalDevice) -> None:
        with pytest.raises(rt.FailedPrecondition):
            rt.HalCommandBuffer(device).begin()
        rt.HalCommandBuffer(device, begin=False).begin()

    def test_execute_often(self, device: rt.HalDevice, allocator: rt.HalAllocator) -> None:
        source = allocator.allocate_buffer_copy(DEVICE_LOCAL, DEFAULT, device, bytes(range(12)))
        target = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 16)
        commands = rt.HalCommandBuffer(device)
        commands.fill(target, np.int32(1), 0, 16)
        commands.copy(source, target, 4, 8, 8, end=True)
        with pytest.raises(rt.FailedPrecondition):
            commands.end()
        semaphore = device.create_semaphore(0)
        for i in range(3):
            target.fill_zero(0, 16)
            device.queue_execute(commands, [(semaphore, i)], [(semaphore, i + 1)])
            assert semaphore.wait(i + 1)
            assert _bytes(target) == b"\1\0\0\0" * 2 + bytes(range(4, 12))

    def test_ranges(self, device: rt.HalDevice, allocator: rt.HalAllocator) -> None:
        buffer = allocator.allocate_buffer(DEVICE_LOCAL, DEFAULT, 12)
        commands = rt.HalCommandBuffer(device)
        with pytest.raises((IndexError, ValueError)):
            commands.fill(buffer, np.int32(1), 8, 8)
        with pytest.raises((IndexError, ValueError)):
            commands.fill(buffer, b"123", 0, 12)
        with pytest.raises(ValueError, match="length"):
            commands.copy(buffer, buffer, length=13)


class TestDevice:
    def test_words(self, device: rt.HalDevice) -> None:
        assert repr(device) == f"<HalDevice {device.name!r}>"
        assert device.driver is rt.get_driver(device.name)
        infos = device.driver.query_available_devices()
        assert infos[0].keys() == {"device_id", "path", "name"}
        assert infos[0]["path"] in device.driver.dump_device_info(infos[0]["device_id"])

    def test_by_info(self, device: rt.HalDevice) -> None:
        driver = device.driver
        assert driver is not None
        info = driver.query_available_devices()[0]
        assert driver.create_device(info).name == driver.name
        assert driver.create_default_device().name == driver.name
        assert driver.create_device_by_uri(f"{driver.name}://{info['path']}").name == driver.name
        assert driver.name in rt.HalDriver.query()


def test_files_of_memory() -> None:
    device = rt.get_device("local-sync")
    done = device.create_semaphore(0)
    memory = np.arange(10, dtype=np.uint8)
    file = rt.HalFile(memory, writable=True)
    assert (len(file), file.is_writable, repr(file)) == (10, True, "<HalFile of 10 bytes>")
    buffer = device.allocator.allocate_buffer_copy(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, device, b"abcd")
    device.queue_write(buffer, file, None, [(done, 1)], source_offset=1, target_offset=6)
    device.queue_read(file, buffer, [(done, 1)], [(done, 2)], source_offset=2, target_offset=2)
    done.wait(2)
    assert memory.tobytes() == b"\0\1\2\3\4\5bcd\x09"
    assert bytes(memoryview(buffer.map())) == b"ab\2\3"
    with pytest.raises(rt.OutOfRange):
        device.queue_read(file, buffer, None, [(done, 3)], target_offset=5)
    with pytest.raises(BufferError):
        rt.HalFile(b"read only", writable=True)
    assert not rt.HalFile(b"read only").is_writable


def test_files_keep_their_memory() -> None:
    device = rt.get_device("local-sync")
    before = _core.live_object_counts()["file"]
    gate, done = device.create_semaphore(0), device.create_semaphore(0)
    memory = bytearray(8)
    file = rt.HalFile(memory, writable=True)
    buffer = device.allocator.allocate_buffer_copy(
        rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, device, b"12345678"
    )
    device.queue_write(buffer, file, [(gate, 1)], [(done, 1)])
    del file
    with pytest.raises(BufferError):
        memory.append(0)
    gate.signal(1)
    done.wait(1)
    assert memory == b"12345678"
    memory.append(0)
    assert _core.live_object_counts()["file"] == before
