# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of values on their way to a program: normalize_value and asdevicearray.

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt


class TestNormalizeValue:
    @pytest.mark.parametrize("value", [None, [1, 2], (1,), {"a": 1}], ids=repr)
    def test_as_it_is(self, value: Any) -> None:
        assert rt.normalize_value(value) is value

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [
            (True, np.bool_),
            (3, np.int32),
            (-(2**31), np.int32),
            (2**31 - 1, np.int32),
            (1.5, np.float32),
            (math.inf, np.float32),
            (np.float64(0.5), np.float32),
            (np.int64(3), np.int64),
            (np.float16(3), np.float16),
        ],
        ids=repr,
    )
    def test_numbers(self, value: Any, dtype: Any) -> None:
        array = rt.normalize_value(value)
        assert isinstance(array, np.ndarray)
        assert array.shape == ()
        assert array.dtype == dtype
        assert array == value

    def test_nan(self) -> None:
        assert math.isnan(rt.normalize_value(math.nan))

    def test_array(self) -> None:
        array = np.arange(6, dtype=np.int8).reshape(2, 3)
        assert rt.normalize_value(array) is array

    @pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**40, 2**70, 1e39, -1e300], ids=repr)
    def test_what_does_not_fit(self, value: Any) -> None:
        with pytest.raises(OverflowError, match=r"does not fit in (int32|float32); pass"):
            rt.normalize_value(value)


@pytest.fixture
def device() -> Any:
    return rt.get_device("local-sync")


class TestAsDeviceArray:
    @pytest.mark.parametrize("dtype", list("?bhilBHILefdFD"))
    def test_dtypes(self, device: Any, dtype: str) -> None:
        values = np.arange(6).reshape(2, 3).astype(dtype)
        array = rt.asdevicearray(device, values)
        assert isinstance(array, rt.DeviceArray)
        assert array.dtype == values.dtype
        assert tuple(array.shape) == (2, 3)
        assert_array_equal(array.to_host(), values)

    @pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
    def test_small_floats(self, device: Any, name: str) -> None:
        ml_dtypes = pytest.importorskip("ml_dtypes")
        values = np.array([0.5, -2.0, 3.0], getattr(ml_dtypes, name))
        array = rt.asdevicearray(device, values)
        assert array.dtype == values.dtype
        assert_array_equal(array.to_host().astype(np.float32), [0.5, -2.0, 3.0])

    def test_scalars_and_lists(self, device: Any) -> None:
        number = rt.asdevicearray(device, 2.5)
        assert number.dtype == np.float64
        assert tuple(number.shape) == ()
        assert_array_equal(rt.asdevicearray(device, [[1, 2], [3, 4]], np.int16).to_host(), [[1, 2], [3, 4]])
        assert rt.asdevicearray(device, np.ones((0, 3), np.float32)).to_host().shape == (0, 3)

    @pytest.mark.parametrize(
        "values",
        [
            np.arange(12, dtype=np.float32).reshape(3, 4).T,
            np.arange(12, dtype=np.float32)[::-2],
            np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
            np.broadcast_to(np.float32(3), (2, 2)),
            np.frombuffer(b"\0" + np.arange(3, dtype=np.float32).tobytes(), np.uint8)[1:].view(np.float32),
        ],
        ids=["transposed", "reversed", "fortran", "broadcast", "unaligned"],
    )
    def test_layouts(self, device: Any, values: Any) -> None:
        assert_array_equal(rt.asdevicearray(device, values).to_host(), values)

    def test_it_is_a_copy(self, device: Any) -> None:
        values = np.zeros(100_000, np.float32)
        array = rt.asdevicearray(device, values)
        values[:] = 7
        assert not array.to_host().any()

    def test_device_arrays(self, device: Any) -> None:
        array = rt.asdevicearray(device, np.array([1, 2], np.float32))
        assert rt.asdevicearray(device, array) is array
        assert_array_equal(rt.asdevicearray(device, array, np.float32).to_host(), [1, 2])
        other = rt.asdevicearray(device, array, np.float64)
        assert other.dtype == np.float64
        assert_array_equal(other.to_host(), [1, 2])

    def test_implicit_host_transfer(self, device: Any) -> None:
        values = np.array([1, 2], np.float32)
        with pytest.raises(ValueError, match="to_host"):
            np.asarray(rt.asdevicearray(device, values))
        assert_array_equal(np.asarray(rt.asdevicearray(device, values, implicit_host_transfer=True)), values)

    def test_host_visible(self, device: Any) -> None:
        array = rt.asdevicearray(
            device,
            np.array([1, 2], np.float32),
            memory_type=rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE,
            allowed_usage=rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING,
        )
        assert_array_equal(array.to_host(), [1, 2])

    def test_element_type(self, device: Any) -> None:
        values = np.array([1, 200], np.uint8)
        array = rt.asdevicearray(device, values, element_type=rt.HalElementType.SINT_8)
        assert array._buffer_view.element_type == rt.HalElementType.SINT_8
        assert array.dtype == np.uint8
        assert_array_equal(array.to_host(), values)
        with pytest.raises(ValueError, match="uint8"):
            rt.asdevicearray(device, values, element_type=rt.HalElementType.FLOAT_32)

    def test_what_programs_do_not_have(self, device: Any) -> None:
        with pytest.raises((TypeError, ValueError), match=r"'>f4'.*astype\('<f4'\)"):
            rt.asdevicearray(device, np.ones(2, ">f4"))
        with pytest.raises(ValueError, match="<U4"):
            rt.asdevicearray(device, "text")
        with pytest.raises(ValueError, match="object"):
            rt.asdevicearray(device, [None])

    def test_what_is_no_device(self) -> None:
        with pytest.raises(TypeError, match="HalDevice"):
            rt.asdevicearray("local-sync", [1, 2])
