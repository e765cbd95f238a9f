# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the enumerations of the HAL and VM, with the C API's values and iree.runtime's names.
"""Flags and kinds of buffers, memory, elements, semaphores and functions."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from iree_cy.errors import value_error

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BufferCompatibility",
    "BufferUsage",
    "ExternalTimepointFlags",
    "ExternalTimepointType",
    "HalElementType",
    "Linkage",
    "MemoryAccess",
    "MemoryType",
    "SemaphoreCompatibility",
]


class MemoryType(enum.IntFlag):
    """Where memory lies and who can see it."""

    NONE = 0
    OPTIMAL = 1 << 0
    HOST_VISIBLE = 1 << 1
    HOST_COHERENT = 1 << 2
    HOST_CACHED = 1 << 3
    HOST_LOCAL = 1 << 6 | HOST_VISIBLE | HOST_COHERENT
    DEVICE_VISIBLE = 1 << 4
    DEVICE_LOCAL = 1 << 5 | DEVICE_VISIBLE


class MemoryAccess(enum.IntFlag):
    """What may be done with memory."""

    NONE = 0
    READ = 1 << 0
    WRITE = 1 << 1
    DISCARD = 1 << 2
    DISCARD_WRITE = DISCARD | WRITE
    ALL = READ | WRITE | DISCARD


class BufferUsage(enum.IntFlag):
    """What a buffer is used for."""

    NONE = 0
    TRANSFER_SOURCE = 1 << 0
    TRANSFER_TARGET = 1 << 1
    TRANSFER = TRANSFER_SOURCE | TRANSFER_TARGET
    DISPATCH_INDIRECT_PARAMETERS = 1 << 8
    DISPATCH_UNIFORM_READ = 1 << 9
    DISPATCH_STORAGE_READ = 1 << 10
    DISPATCH_STORAGE_WRITE = 1 << 11
    DISPATCH_STORAGE = DISPATCH_STORAGE_READ | DISPATCH_STORAGE_WRITE
    DISPATCH_IMAGE_READ = 1 << 12
    DISPATCH_IMAGE_WRITE = 1 << 13
    DISPATCH_IMAGE = DISPATCH_IMAGE_READ | DISPATCH_IMAGE_WRITE
    SHARING_EXPORT = 1 << 16
    SHARING_REPLICATE = 1 << 17
    SHARING_CONCURRENT = 1 << 18
    SHARING_IMMUTABLE = 1 << 19
    MAPPING_SCOPED = 1 << 24
    MAPPING_PERSISTENT = 1 << 25
    MAPPING_OPTIONAL = 1 << 26
    MAPPING_ACCESS_RANDOM = 1 << 27
    MAPPING_ACCESS_SEQUENTIAL_WRITE = 1 << 28
    MAPPING = MAPPING_SCOPED | MAPPING_ACCESS_RANDOM
    DEFAULT = TRANSFER | DISPATCH_STORAGE


class BufferCompatibility(enum.IntFlag):
    """What an allocator can do with buffers of some parameters."""

    NONE = 0
    ALLOCATABLE = 1 << 0
    IMPORTABLE = 1 << 1
    EXPORTABLE = 1 << 2
    QUEUE_TRANSFER = 1 << 10
    QUEUE_DISPATCH = 1 << 11


class SemaphoreCompatibility(enum.IntFlag):
    """Who can wait for and signal a semaphore."""

    NONE = 0
    HOST_WAIT = 1 << 0
    DEVICE_WAIT = 1 << 1
    HOST_SIGNAL = 1 << 2
    DEVICE_SIGNAL = 1 << 3
    HOST_ONLY = HOST_WAIT | HOST_SIGNAL
    DEVICE_ONLY = DEVICE_WAIT | DEVICE_SIGNAL
    ALL = HOST_ONLY | DEVICE_ONLY


class ExternalTimepointType(enum.IntEnum):
    """What an external timepoint is. Reserved: no driver gives or takes one."""

    NONE = 0
    ASYNC_PRIMITIVE = 1
    CUDA_EVENT = 2
    HIP_EVENT = 3


class ExternalTimepointFlags(enum.IntFlag):
    """Flags of an external timepoint. Reserved."""

    NONE = 0


class Linkage(enum.IntEnum):
    """Which table of a module a function stands in."""

    INTERNAL = 0
    IMPORT = 1
    EXPORT = 2
    IMPORT_OPTIONAL = 3
    EXPORT_OPTIONAL = 4


# An element type is its numerical type in the top byte and its width in bits in the low bytes.
_UNKNOWN = 0x00 << 24
_INTEGER = 0x10 << 24
_INTEGER_SIGNED = 0x11 << 24
_INTEGER_UNSIGNED = 0x12 << 24
_BOOLEAN = 0x13 << 24
_FLOAT_IEEE = 0x21 << 24
_FLOAT_BRAIN = 0x22 << 24
_FLOAT_COMPLEX = 0x23 << 24
_FLOAT_8_E5M2 = 0x24 << 24
_FLOAT_8_E4M3_FN = 0x25 << 24
_FLOAT_8_E5M2_FNUZ = 0x26 << 24
_FLOAT_8_E4M3_FNUZ = 0x27 << 24
_FLOAT_8_E8M0_FNU = 0x28 << 24


class HalElementType(enum.IntEnum):
    """The type of one element of a buffer view."""

    NONE = _UNKNOWN
    OPAQUE_8 = _UNKNOWN | 8
    OPAQUE_16 = _UNKNOWN | 16
    OPAQUE_32 = _UNKNOWN | 32
    OPAQUE_64 = _UNKNOWN | 64
    BOOL_8 = _BOOLEAN | 8
    INT_4 = _INTEGER | 4
    INT_8 = _INTEGER | 8
    INT_16 = _INTEGER | 16
    INT_32 = _INTEGER | 32
    INT_64 = _INTEGER | 64
    SINT_4 = _INTEGER_SIGNED | 4
    SINT_8 = _INTEGER_SIGNED | 8
    SINT_16 = _INTEGER_SIGNED | 16
    SINT_32 = _INTEGER_SIGNED | 32
    SINT_64 = _INTEGER_SIGNED | 64
    UINT_4 = _INTEGER_UNSIGNED | 4
    UINT_8 = _INTEGER_UNSIGNED | 8
    UINT_16 = _INTEGER_UNSIGNED | 16
    UINT_32 = _INTEGER_UNSIGNED | 32
    UINT_64 = _INTEGER_UNSIGNED | 64
    FLOAT_16 = _FLOAT_IEEE | 16
    FLOAT_32 = _FLOAT_IEEE | 32
    FLOAT_64 = _FLOAT_IEEE | 64
    BFLOAT_16 = _FLOAT_BRAIN | 16
    COMPLEX_64 = _FLOAT_COMPLEX | 64
    COMPLEX_128 = _FLOAT_COMPLEX | 128
    FLOAT_8_E4M3_FN = _FLOAT_8_E4M3_FN | 8
    FLOAT_8_E4M3_FNUZ = _FLOAT_8_E4M3_FNUZ | 8
    FLOAT_8_E5M2 = _FLOAT_8_E5M2 | 8
    FLOAT_8_E5M2_FNUZ = _FLOAT_8_E5M2_FNUZ | 8
    FLOAT_8_E8M0_FNU = _FLOAT_8_E8M0_FNU | 8

    @staticmethod
    def map_to_dtype(element_type: int) -> np.dtype[Any]:
        """Return the NumPy dtype of an element type.

        Raises
        ------
        ValueError
            If NumPy has no such dtype, or it needs the package ml_dtypes and that is missing.
        """
        import numpy as np

        name = _DTYPE_NAMES.get(int(element_type))
        if name is not None:
            return np.dtype(name)
        name = _ML_DTYPE_NAMES.get(int(element_type))
        if name is None:
            raise value_error(f"no NumPy dtype corresponds to {_describe(element_type)}")
        try:
            import ml_dtypes
        except ImportError:
            raise value_error(f"{_describe(element_type)} needs the package ml_dtypes: pip install ml_dtypes") from None
        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return dtype

    @staticmethod
    def is_byte_aligned(element_type: int) -> bool:
        """Tell whether an element fills whole bytes."""
        return int(element_type) & 0xFF & 7 == 0

    @staticmethod
    def dense_byte_count(element_type: int) -> int:
        """Return the bytes that one element takes when it shares none with another."""
        return ((int(element_type) & 0xFF) + 7) // 8


_DTYPE_NAMES = {
    int(HalElementType.BOOL_8): "bool",
    int(HalElementType.INT_8): "int8",
    int(HalElementType.INT_16): "int16",
    int(HalElementType.INT_32): "int32",
    int(HalElementType.INT_64): "int64",
    int(HalElementType.SINT_8): "int8",
    int(HalElementType.SINT_16): "int16",
    int(HalElementType.SINT_32): "int32",
    int(HalElementType.SINT_64): "int64",
    int(HalElementType.UINT_8): "uint8",
    int(HalElementType.UINT_16): "uint16",
    int(HalElementType.UINT_32): "uint32",
    int(HalElementType.UINT_64): "uint64",
    int(HalElementType.FLOAT_16): "float16",
    int(HalElementType.FLOAT_32): "float32",
    int(HalElementType.FLOAT_64): "float64",
    int(HalElementType.COMPLEX_64): "complex64",
    int(HalElementType.COMPLEX_128): "complex128",
}

_ML_DTYPE_NAMES = {
    int(HalElementType.BFLOAT_16): "bfloat16",
    int(HalElementType.FLOAT_8_E4M3_FN): "float8_e4m3fn",
    int(HalElementType.FLOAT_8_E4M3_FNUZ): "float8_e4m3fnuz",
    int(HalElementType.FLOAT_8_E5M2): "float8_e5m2",
    int(HalElementType.FLOAT_8_E5M2_FNUZ): "float8_e5m2fnuz",
    int(HalElementType.FLOAT_8_E8M0_FNU): "float8_e8m0fnu",
}


def _describe(element_type: int) -> str:
    try:
        return f"element type {HalElementType(int(element_type)).name}"
    except ValueError:
        return f"element type {int(element_type):#x}"
