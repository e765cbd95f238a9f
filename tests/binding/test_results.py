# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests DeviceArray, and that a result never changes once it was returned, whatever happens to the inputs.

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.programs import compile_program

# More than what is copied anyway.
LARGE = 16384

PROGRAM = f"""
util.global private mutable @state = dense<0.0> : tensor<{LARGE}xf32>
func.func @same(%a: tensor<?xf32>) -> tensor<?xf32> {{ return %a : tensor<?xf32> }}
func.func @keep(%a: tensor<{LARGE}xf32>) {{ util.global.store %a, @state : tensor<{LARGE}xf32>
  return }}
func.func @kept() -> tensor<{LARGE}xf32> {{
  %0 = util.global.load @state : tensor<{LARGE}xf32>
  return %0 : tensor<{LARGE}xf32> }}
func.func @negate(%a: tensor<?xf32>) -> tensor<?xf32> {{
  %0 = arith.negf %a : tensor<?xf32>
  return %0 : tensor<?xf32> }}
func.func @two(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
  %0 = arith.negf %a : tensor<4xf32>
  %1 = arith.addf %a, %a : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32> }}
func.func @into(%a: tensor<4xf32>, %b: tensor<4xf32> {{iree.abi.output = 0 : index}}) -> tensor<4xf32> {{
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32> }}
"""


@pytest.fixture
def module() -> Any:
    config = rt.Config(device=rt.get_device("local-sync"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(PROGRAM)), config)


def _aligned(count: int) -> np.ndarray:
    """An array whose memory a device can use in place."""
    memory = np.zeros(count * 4 + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + count * 4].view(np.float32)


class TestNothingAliases:
    @pytest.mark.parametrize("count", [4, LARGE])
    def test_a_returned_input(self, module: Any, count: int) -> None:
        given = _aligned(count)
        given[:] = 1
        result = module.same(given)
        given[:] = 2
        assert_array_equal(result.to_host(), np.ones(count))

    def test_a_stored_input(self, module: Any) -> None:
        given = _aligned(LARGE)
        given[:] = 1
        module.keep(given)
        given[:] = 2
        assert_array_equal(module.kept().to_host(), np.ones(LARGE))
        del given
        gc.collect()
        assert_array_equal(module.kept().to_host(), np.ones(LARGE))

    def test_a_large_input_is_used_in_place(self, module: Any) -> None:
        given = _aligned(LARGE)
        given[:] = 3
        before = rt.get_device("local-sync").allocator.statistics["device_bytes_allocated"]
        result = module.negate(given)
        after = rt.get_device("local-sync").allocator.statistics["device_bytes_allocated"]
        # The result alone was allocated.
        assert after - before < 2 * given.nbytes
        assert_array_equal(result.to_host(), -given)

    def test_in_place_inputs_are_let_go(self, module: Any) -> None:
        import sys

        given = _aligned(LARGE)
        before = sys.getrefcount(given)
        module.negate(given)
        module.keep(given)
        with pytest.raises(ValueError, match="shape"):
            module.keep(given[:32])
        assert sys.getrefcount(given) == before

    def test_an_array_with_a_writable_view_is_copied(self, module: Any) -> None:
        first = module.negate(np.arange(4, dtype=np.float32))
        view = first.to_host()
        second = module.same(first)
        view[:] = 7
        assert_array_equal(second.to_host(), [-0.0, -1, -2, -3])

    def test_a_result_that_is_an_argument(self, module: Any) -> None:
        first = module.negate(np.arange(4, dtype=np.float32))
        second = module.same(first)
        first.to_host()[:] = 7
        assert_array_equal(second.to_host(), [-0.0, -1, -2, -3])

    def test_what_is_in_a_global(self, module: Any) -> None:
        module.keep(np.ones(LARGE, np.float32))
        module.kept().to_host()[:] = 7
        assert_array_equal(module.kept().to_host(), np.ones(LARGE))

    def test_results_in_one_allocation(self, module: Any) -> None:
        first, second = module.two(np.arange(4, dtype=np.float32))
        first.to_host()[:] = 7
        assert_array_equal(second.to_host(), [0, 2, 4, 6])

    def test_an_output_argument(self, module: Any) -> None:
        storage = np.zeros(4, np.float32)
        result = module.into(np.arange(4, dtype=np.float32), storage)
        assert_array_equal(result.to_host(), [0, 2, 4, 6])
        assert_array_equal(storage, np.zeros(4))

    def test_an_output_argument_that_is_seen_elsewhere(self, module: Any) -> None:
        storage = module.negate(np.zeros(4, np.float32))
        seen = np.asarray(storage)
        result = module.into(np.arange(4, dtype=np.float32), storage)
        assert_array_equal(result.to_host(), [0, 2, 4, 6])
        assert_array_equal(seen, np.zeros(4))


class TestHost:
    def test_to_host_is_the_memory_when_it_is_alone(self, module: Any) -> None:
        result = module.negate(np.ones(4, np.float32))
        first = result.to_host()
        assert first.flags.writeable
        first[0] = 5
        assert_array_equal(result.to_host(), [5, -1, -1, -1])
        del result
        gc.collect()
        assert_array_equal(first, [5, -1, -1, -1])

    def test_views_are_read_only(self, module: Any) -> None:
        result = module.negate(np.ones(4, np.float32))
        for view in (np.asarray(result), np.from_dlpack(result), np.frombuffer(memoryview(result), np.float32)):
            assert not view.flags.writeable
            assert_array_equal(view, -np.ones(4))
        assert np.shares_memory(np.asarray(result), np.asarray(result))
        with pytest.raises(ValueError, match="WRITEABLE"):
            np.asarray(result).setflags(write=True)

    def test_copies_on_request(self, module: Any) -> None:
        result = module.negate(np.ones(4, np.float32))
        own = np.array(result)
        own[:] = 7
        assert_array_equal(np.asarray(result), -np.ones(4))
        assert np.asarray(result, np.float64).dtype == np.float64
        assert result.__dlpack__(copy=True) is not None
        assert result.__dlpack_device__() == (1, 0)

    def test_explicit_arrays(self) -> None:
        array = rt.asdevicearray(rt.get_device("local-sync"), np.arange(6, dtype=np.int32).reshape(2, 3))
        for use in (np.asarray, lambda a: a + 1, lambda a: np.add(a, 1), memoryview, np.from_dlpack):
            with pytest.raises(ValueError, match="implicit_host_transfer"):
                use(array)
        assert not array.is_host_accessible
        assert_array_equal(array.to_host(), [[0, 1, 2], [3, 4, 5]])
        assert array.is_host_accessible

    def test_override_dtype(self) -> None:
        device = rt.get_device("local-sync")
        view = rt.asdevicearray(device, np.array([0, 1, 2], np.int32))._buffer_view
        array = rt.DeviceArray(device, view, implicit_host_transfer=True, override_dtype=np.float32)
        assert array.dtype == np.float32
        assert_array_equal(array.to_host(), np.array([0, 1, 2], np.float32))
        assert np.from_dlpack(array).dtype == np.float32


@pytest.fixture
def array() -> Any:
    return rt.asdevicearray(
        rt.get_device("local-sync"), np.arange(6, dtype=np.int32).reshape(2, 3), implicit_host_transfer=True
    )


EXPECTED = np.arange(6, dtype=np.int32).reshape(2, 3)


class TestNumPy:
    """A DeviceArray where an ndarray may be."""

    def test_attributes(self, array: Any) -> None:
        assert array.shape == [2, 3]
        assert (array.ndim, array.size, array.nbytes, len(array)) == (2, 6, 24, 2)
        assert array.dtype == np.int32
        assert repr(array) == "<IREE DeviceArray: shape=[2, 3], dtype=int32>"
        assert np.shape(array) == [2, 3]

    def test_elements(self, array: Any) -> None:
        assert array[1, 2] == 5
        assert_array_equal(array[0], [0, 1, 2])
        assert [row.tolist() for row in array] == EXPECTED.tolist()
        assert array.tolist() == EXPECTED.tolist()
        assert array.item(4) == 4

    @pytest.mark.parametrize(
        "operation",
        [
            lambda a: a + 1,
            lambda a: 1 + a,
            lambda a: a - 2,
            lambda a: 2 - a,
            lambda a: a * a,
            lambda a: a / 2,
            lambda a: a // 2,
            lambda a: a % 2,
            lambda a: divmod(a, 2),
            lambda a: a**2,
            lambda a: 2**a,
            lambda a: a @ np.ones((3, 2)),
            lambda a: a << 1,
            lambda a: a >> 1,
            lambda a: a & 1,
            lambda a: a | 1,
            lambda a: a ^ 1,
            lambda a: -a,
            lambda a: +a,
            lambda a: abs(a),
            lambda a: ~a,
            lambda a: a == 1,
            lambda a: a != 1,
            lambda a: a < 3,
            lambda a: a <= 3,
            lambda a: a > 3,
            lambda a: a >= 3,
            lambda a: np.ones((2, 3)) * a,
            lambda a: np.float32(2) * a,
            lambda a: np.add.reduce(a),
            lambda a: np.sum(a, axis=1),
            lambda a: np.concatenate([a, a]),
            lambda a: np.stack((a, np.zeros((2, 3)))),
            lambda a: np.where(a, a, -1),
            lambda a: np.reshape(a, (3, 2)),
            lambda a: a.reshape(3, 2),
            lambda a: a.astype(np.float64),
            lambda a: np.isfinite(a).all(),
        ],
    )
    def test_operations(self, array: Any, operation: Any) -> None:
        actual, expected = operation(array), operation(EXPECTED)
        assert_array_equal(np.asarray(actual), np.asarray(expected))
        assert np.asarray(actual).dtype == np.asarray(expected).dtype

    def test_astype_without_a_copy(self, array: Any) -> None:
        assert array.astype(np.int32, copy=False) is array
        assert array.astype(np.int32) is not array

    def test_numbers(self) -> None:
        array = rt.asdevicearray(rt.get_device("local-sync"), np.array(3), implicit_host_transfer=True)
        assert (int(array), float(array), complex(array), bool(array)) == (3, 3.0, 3 + 0j, True)
        assert [0, 1, 2, 3][array] == 3
        with pytest.raises(TypeError):
            len(array)

    def test_it_is_not_hashable(self, array: Any) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(array)

    def test_copies(self, array: Any) -> None:
        for other in (copy.copy(array), copy.deepcopy(array), pickle.loads(pickle.dumps(array))):
            assert isinstance(other, np.ndarray)
            assert_array_equal(other, EXPECTED)

    def test_it_is_no_target(self, array: Any) -> None:
        with pytest.raises(TypeError, match="no target"):
            np.add(array, 1, out=array)


class TestDLPack:
    def test_capsules_of_the_device(self) -> None:
        device = rt.get_device("local-sync")
        view = rt.asdevicearray(device, np.arange(6, dtype=np.float64).reshape(2, 3))._buffer_view
        capsule = device.create_dlpack_capsule(view, 1, 0)
        imported = device.from_dlpack_capsule(capsule)
        assert (imported.shape, imported.element_type) == ([2, 3], rt.HalElementType.FLOAT_64)
        assert_array_equal(imported.map().asarray((2, 3), np.float64), np.arange(6).reshape(2, 3))
        with pytest.raises(ValueError, match="used already"):
            device.from_dlpack_capsule(capsule)
        del capsule, view
        gc.collect()
        assert_array_equal(imported.map().asarray((2, 3), np.float64), np.arange(6).reshape(2, 3))

    def test_a_capsule_nobody_takes(self) -> None:
        device = rt.get_device("local-sync")
        device.create_dlpack_capsule(rt.asdevicearray(device, np.arange(3))._buffer_view, 1, 0)
        gc.collect()

    @pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "e", "f", "d", "F", "D"])
    def test_dtypes(self, dtype: str) -> None:
        expected = np.arange(4).astype(dtype)
        array = rt.asdevicearray(rt.get_device("local-sync"), expected, implicit_host_transfer=True)
        for version in (None, (1, 0)):

            class Producer:
                def __dlpack__(self, version: Any = version, **kwargs: Any) -> Any:
                    return array.__dlpack__(max_version=version)

                def __dlpack_device__(self) -> Any:
                    return array.__dlpack_device__()

            result = np.from_dlpack(Producer())  # type: ignore[arg-type]
            assert result.dtype == expected.dtype
            assert_array_equal(result, expected)

    def test_no_other_devices(self) -> None:
        array = rt.asdevicearray(rt.get_device("local-sync"), np.arange(3), implicit_host_transfer=True)
        with pytest.raises(BufferError, match="device"):
            array.__dlpack__(dl_device=(2, 0))
