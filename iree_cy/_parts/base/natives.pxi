# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Declares what the extension uses of the core's inside and of CPython that _core.pxd does not.

cdef extern from "Python.h":
    int c_check_signals "PyErr_CheckSignals"()
    int Py_IsInitialized() nogil
    int Py_AtExit(void (*function)() noexcept nogil)
    object PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors)
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    PyObject* PyErr_Occurred()
    object PyNumber_Index(object value)
    bint PyLong_Check(object value)
    bint PyFloat_Check(object value)
    double PyFloat_AS_DOUBLE(object value)
    long long PyLong_AsLongLongAndOverflow(object value, int* overflow) except? -1

cdef extern from "float.h":
    const double FLT_MAX

cdef extern from "iree_cy/native/base/log_ring.h" nogil:
    ctypedef struct iree_cy_log_record_t:
        iree_cy_log_level_t level
        uint32_t domain_length
        uint32_t text_length
        char[64] domain
        char[1024] text
    bint iree_cy_log_ring_is_empty()
    bint iree_cy_log_ring_pop(iree_cy_log_record_t* out_record)
    uint64_t iree_cy_log_ring_take_dropped()

cdef extern from "iree_cy/native/base/fork.h" nogil:
    bint iree_cy_fork_initialize()

cdef extern from "iree_cy/native/base/gate.h" nogil:
    bint iree_cy_gate_is_closed()
    void iree_cy_gate_close(iree_duration_t patience_ns)
    void iree_cy_gate_set_exit_probe(bint (*probe)() noexcept nogil)

cdef extern from "iree_cy/native/hal/driver_hook.h" nogil:
    ctypedef iree_status_t (*iree_cy_find_driver_fn_t)(
        void* user_data, iree_string_view_t name, iree_hal_driver_t** out_driver
    ) noexcept nogil
    void iree_cy_set_find_driver_hook(iree_cy_find_driver_fn_t fn, void* user_data)

cdef extern from "iree_cy/native/loaders/host_table.h" nogil:
    ctypedef struct iree_cy_host_api_t:
        pass
    const iree_cy_host_api_t* iree_cy_host_api()

cdef extern from "iree_cy/native/loaders/plugin_library.h" nogil:
    iree_status_t iree_cy_library_open(const char* path, void** out_handle)

cdef extern from "iree_cy/native/loaders/plugin_loader.h" nogil:
    iree_status_t iree_cy_plugin_create_driver(
        iree_string_view_t driver_name,
        const char* library_path,
        iree_allocator_t host_allocator,
        iree_hal_driver_t** out_driver,
    )

cdef extern from "iree_cy/native/loaders/file_contents.h" nogil:
    ctypedef struct iree_cy_file_contents_t:
        iree_const_byte_span_t span
        iree_allocator_t allocator
    int iree_cy_file_contents_open(
        const char* path, iree_host_size_t read_limit, iree_cy_file_contents_t* out_contents
    )
    void iree_cy_file_contents_close(iree_cy_file_contents_t* contents)

cdef extern from "iree_cy/native/vm/bytecode/call_sites.h":
    const uint32_t IREE_VM_BYTECODE_REFERENCE_UNKNOWN
    const uint32_t IREE_VM_BYTECODE_REFERENCE_NULL
    ctypedef struct iree_vm_bytecode_import_def_t:
        iree_string_view_t full_name
    ctypedef struct iree_vm_bytecode_call_t:
        const iree_vm_bytecode_import_def_t* import_ "import"
        iree_host_size_t reference_count
        const uint32_t* references
    ctypedef iree_status_t (*iree_vm_bytecode_call_fn_t)(
        void* user_data, const iree_vm_bytecode_call_t* call
    ) noexcept
    iree_status_t iree_vm_bytecode_visit_calls(
        iree_vm_module_t* module, iree_vm_bytecode_call_fn_t fn, void* user_data
    )
    iree_status_t iree_vm_bytecode_module_constant(
        iree_vm_module_t* module, iree_host_size_t ordinal, iree_const_byte_span_t* out_contents
    )
