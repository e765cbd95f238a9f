# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the one extension module: its directives, and the order of its parts.
# cython: language_level=3
# cython: binding=True
# cython: embedsignature=False
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: always_allow_keywords=True
# cython: profile=False
# cython: auto_pickle=False
# cython: autotestdict=False
# cython: freethreading_compatible=True
"""The border between Python and the C core: devices, buffers, modules, contexts, calls."""

cimport cython
from cpython.buffer cimport (
    PyBUF_ANY_CONTIGUOUS,
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_FULL_RO,
    PyBUF_ND,
    PyBUF_SIMPLE,
    PyBUF_STRIDES,
    PyBUF_WRITABLE,
    PyBuffer_FillInfo,
    PyBuffer_Release,
    PyObject_CheckBuffer,
    PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyCallable_Check
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport (
    INT32_MAX,
    INT32_MIN,
    INT64_MAX,
    int8_t,
    int16_t,
    int32_t,
    int64_t,
    intptr_t,
    uint8_t,
    uint16_t,
    uint32_t,
    uint64_t,
    uintptr_t,
)
from libc.stdlib cimport free as c_free
from libc.stdlib cimport malloc as c_malloc
from libc.string cimport memcmp, memcpy, memset

import atexit as _atexit
import os as _os
import threading as _threading

# Not at the first call: a daemon thread that ends in the middle of an import keeps its lock.
from iree_cy import _fork
from iree_cy._signature import read_signature as _read_signature
from iree_cy.enums import HalElementType as _HalElementType
from iree_cy.errors import StatusError as _StatusError
from iree_cy.errors import make_error as _make_error
from iree_cy.errors import clip_first_line as _presentable
from iree_cy.errors import an as _an
from iree_cy.errors import clip as _clip
from iree_cy.errors import counted as _counted
from iree_cy.errors import listing as _listing
from iree_cy.errors import one_line as _one_line
from iree_cy.errors import quote as _quote
from iree_cy.errors import runtime_error as _runtime_error
from iree_cy.errors import type_error as _type_error
from iree_cy.errors import type_name as _type_name
from iree_cy.errors import value_error as _value_error

include "_parts/base/natives.pxi"
include "_parts/base/text.pxi"
include "_parts/base/factory.pxi"
include "_parts/base/shared.pxi"
include "_parts/base/status.pxi"
include "_parts/base/gate.pxi"
include "_parts/base/interrupt.pxi"
include "_parts/base/log.pxi"
include "_parts/interop/numpy_api.pxi"
include "_parts/interop/element_types.pxi"
include "_parts/vm/instance.pxi"
include "_parts/vm/ref.pxi"
include "_parts/vm/buffer.pxi"
include "_parts/vm/variant_list.pxi"
include "_parts/vm/function.pxi"
include "_parts/vm/module.pxi"
include "_parts/vm/context.pxi"
include "_parts/vm/py_module.pxi"
include "_parts/hal/driver.pxi"
include "_parts/hal/device.pxi"
include "_parts/hal/allocator.pxi"
include "_parts/hal/buffer.pxi"
include "_parts/hal/buffer_view.pxi"
include "_parts/hal/file.pxi"
include "_parts/hal/mapped_memory.pxi"
include "_parts/hal/semaphore.pxi"
include "_parts/hal/fence.pxi"
include "_parts/hal/command_buffer.pxi"
include "_parts/hal/hal_module.pxi"
include "_parts/vm/call_sites.pxi"
include "_parts/interop/dlpack.pxi"
include "_parts/interop/device_array.pxi"
include "_parts/interop/as_device_array.pxi"
include "_parts/interop/scalars.pxi"
include "_parts/interop/function_plan.pxi"
include "_parts/interop/function_invoker.pxi"
include "_parts/interop/pack_arguments.pxi"
include "_parts/interop/pack_containers.pxi"
include "_parts/interop/unpack_results.pxi"
include "_parts/interop/completion_queue.pxi"
include "_parts/interop/async_call.pxi"
include "_parts/base/start.pxi"
