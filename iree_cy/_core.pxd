# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Declares the C API and the extension's classes; the one file to cimport from.
#
# An extension of another package calls iree_cy_import() once, before any other function of the
# API: its calls then go through the host table. Handles in the classes are borrowed from them.

cimport cython
from libc.stdint cimport (
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


cdef extern from "iree_cy/import.h":
    # Takes the host table for this extension; raises ImportError.
    int iree_cy_import() except -1


cdef extern from "iree_cy/import.h" nogil:
    const uint32_t IREE_CY_ABI_VERSION
    const char* IREE_CY_CAPSULE_NAME

    # base/
    ctypedef size_t iree_host_size_t
    ctypedef uint64_t iree_device_size_t
    ctypedef int64_t iree_time_t
    ctypedef int64_t iree_duration_t
    const iree_time_t IREE_TIME_INFINITE_PAST
    const iree_time_t IREE_TIME_INFINITE_FUTURE

    ctypedef struct iree_byte_span_t:
        uint8_t* data
        iree_host_size_t data_length
    ctypedef struct iree_const_byte_span_t:
        const uint8_t* data
        iree_host_size_t data_length
    iree_byte_span_t iree_make_byte_span(void* data, iree_host_size_t data_length)
    iree_const_byte_span_t iree_make_const_byte_span(const void* data, iree_host_size_t data_length)

    ctypedef struct iree_string_view_t:
        const char* data
        iree_host_size_t size
    ctypedef struct iree_string_pair_t:
        iree_string_view_t key
        iree_string_view_t value
    iree_string_view_t iree_make_string_view(const char* data, iree_host_size_t size)
    iree_string_view_t iree_make_cstring_view(const char* text)
    iree_string_view_t iree_string_view_empty()

    ctypedef enum iree_status_code_t:
        IREE_STATUS_OK
        IREE_STATUS_CANCELLED
        IREE_STATUS_UNKNOWN
        IREE_STATUS_INVALID_ARGUMENT
        IREE_STATUS_DEADLINE_EXCEEDED
        IREE_STATUS_NOT_FOUND
        IREE_STATUS_ALREADY_EXISTS
        IREE_STATUS_PERMISSION_DENIED
        IREE_STATUS_RESOURCE_EXHAUSTED
        IREE_STATUS_FAILED_PRECONDITION
        IREE_STATUS_ABORTED
        IREE_STATUS_OUT_OF_RANGE
        IREE_STATUS_UNIMPLEMENTED
        IREE_STATUS_INTERNAL
        IREE_STATUS_UNAVAILABLE
        IREE_STATUS_DATA_LOSS
        IREE_STATUS_UNAUTHENTICATED
        IREE_STATUS_DEFERRED
        IREE_STATUS_INCOMPATIBLE
    ctypedef struct iree_status_handle_t:
        pass
    ctypedef iree_status_handle_t* iree_status_t
    iree_status_t iree_ok_status()
    iree_status_t iree_status_ignore(iree_status_t status)
    iree_status_code_t iree_status_code(iree_status_t status)
    iree_status_code_t iree_status_consume_code(iree_status_t status)

    ctypedef struct iree_allocator_t
    ctypedef enum iree_allocator_command_t:
        IREE_ALLOCATOR_COMMAND_MALLOC
        IREE_ALLOCATOR_COMMAND_CALLOC
        IREE_ALLOCATOR_COMMAND_REALLOC
        IREE_ALLOCATOR_COMMAND_FREE
    ctypedef iree_status_t (*iree_allocator_ctl_fn_t)(
        void* self, iree_allocator_command_t command, const void* params, void** inout_ptr
    ) noexcept nogil
    ctypedef struct iree_allocator_t:
        void* self
        iree_allocator_ctl_fn_t ctl

    ctypedef struct iree_string_builder_t:
        pass
    iree_string_view_t iree_string_builder_view(const iree_string_builder_t* builder)

    ctypedef struct iree_timeout_t:
        int64_t type
        int64_t nanos
    iree_timeout_t iree_immediate_timeout()
    iree_timeout_t iree_infinite_timeout()
    iree_timeout_t iree_make_deadline(iree_time_t nanos)
    iree_timeout_t iree_make_timeout_ns(iree_duration_t nanos)
    iree_time_t iree_timeout_as_deadline_ns(iree_timeout_t timeout)

    ctypedef int32_t iree_atomic_ref_count_t
    ctypedef uint32_t iree_cy_log_level_t
    ctypedef uint32_t iree_cy_object_kind_t
    ctypedef struct iree_hal_resource_t:
        iree_atomic_ref_count_t ref_count

    # hal/
    ctypedef uint32_t iree_hal_memory_type_t
    ctypedef uint32_t iree_hal_memory_access_t
    ctypedef uint32_t iree_hal_buffer_usage_t
    ctypedef uint32_t iree_hal_mapping_mode_t
    ctypedef uint32_t iree_hal_buffer_compatibility_t
    ctypedef uint32_t iree_hal_external_buffer_type_t
    ctypedef uint32_t iree_hal_element_type_t
    ctypedef uint32_t iree_hal_encoding_type_t
    ctypedef uint64_t iree_hal_dim_t
    ctypedef uint64_t iree_hal_queue_affinity_t
    ctypedef uint64_t iree_hal_alloca_flags_t
    ctypedef uint64_t iree_hal_dealloca_flags_t
    ctypedef uint64_t iree_hal_fill_flags_t
    ctypedef uint64_t iree_hal_update_flags_t
    ctypedef uint64_t iree_hal_copy_flags_t
    ctypedef uint64_t iree_hal_read_flags_t
    ctypedef uint64_t iree_hal_write_flags_t
    ctypedef uint64_t iree_hal_execute_flags_t
    ctypedef uint64_t iree_hal_wait_flags_t
    ctypedef uint64_t iree_hal_semaphore_flags_t
    ctypedef uint64_t iree_hal_dispatch_flags_t
    ctypedef uint64_t iree_hal_host_call_flags_t
    ctypedef uint64_t iree_hal_device_capability_bits_t
    ctypedef uint64_t iree_hal_device_id_t
    ctypedef uint64_t iree_hal_execution_barrier_flags_t
    ctypedef uint32_t iree_hal_execution_stage_t
    ctypedef uint32_t iree_hal_access_scope_t
    ctypedef uint32_t iree_hal_command_buffer_mode_t
    ctypedef uint32_t iree_hal_command_category_t
    ctypedef uint32_t iree_hal_wait_mode_t
    ctypedef uint32_t iree_hal_executable_caching_mode_t
    ctypedef uint32_t iree_hal_module_flags_t

    const iree_hal_queue_affinity_t IREE_HAL_QUEUE_AFFINITY_ANY
    const iree_hal_wait_mode_t IREE_HAL_WAIT_MODE_ALL
    const iree_hal_wait_mode_t IREE_HAL_WAIT_MODE_ANY
    const iree_device_size_t IREE_HAL_WHOLE_BUFFER
    const iree_hal_memory_type_t IREE_HAL_MEMORY_TYPE_HOST_VISIBLE
    const iree_hal_memory_type_t IREE_HAL_MEMORY_TYPE_HOST_COHERENT
    const iree_hal_memory_type_t IREE_HAL_MEMORY_TYPE_HOST_LOCAL
    const iree_hal_memory_type_t IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE
    const iree_hal_memory_type_t IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
    const iree_hal_memory_access_t IREE_HAL_MEMORY_ACCESS_READ
    const iree_hal_memory_access_t IREE_HAL_MEMORY_ACCESS_WRITE
    const iree_hal_memory_access_t IREE_HAL_MEMORY_ACCESS_ALL
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_DEFAULT
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_TRANSFER
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_MAPPING
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_MAPPING_SCOPED
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT
    const iree_hal_buffer_usage_t IREE_HAL_BUFFER_USAGE_MAPPING_OPTIONAL
    const iree_hal_mapping_mode_t IREE_HAL_MAPPING_MODE_SCOPED
    const iree_hal_mapping_mode_t IREE_HAL_MAPPING_MODE_PERSISTENT
    const iree_hal_encoding_type_t IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR
    const iree_hal_external_buffer_type_t IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION
    const iree_hal_device_capability_bits_t IREE_HAL_DEVICE_CAPABILITY_HOST_ZERO_COPY_OK
    const iree_hal_device_capability_bits_t IREE_CY_HAL_DEVICE_CAPABILITY_ASYNC_QUEUE
    const iree_hal_semaphore_flags_t IREE_HAL_SEMAPHORE_FLAG_DEFAULT
    const uint64_t IREE_HAL_SEMAPHORE_MAX_VALUE
    const iree_hal_command_buffer_mode_t IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT
    const iree_hal_command_category_t IREE_HAL_COMMAND_CATEGORY_ANY
    const iree_hal_module_flags_t IREE_HAL_MODULE_FLAG_NONE

    ctypedef struct iree_hal_allocator_t:
        pass
    ctypedef struct iree_hal_buffer_view_t:
        pass
    ctypedef struct iree_hal_channel_t:
        pass
    ctypedef struct iree_hal_command_buffer_t:
        pass
    ctypedef struct iree_hal_device_t:
        pass
    ctypedef struct iree_hal_driver_t:
        pass
    ctypedef struct iree_hal_executable_t:
        pass
    ctypedef struct iree_hal_executable_cache_t:
        pass
    ctypedef struct iree_hal_executable_loader_t:
        pass
    ctypedef struct iree_hal_fence_t:
        pass
    ctypedef struct iree_hal_file_t:
        pass
    ctypedef struct iree_hal_semaphore_t:
        pass
    ctypedef struct iree_hal_buffer_t:
        iree_hal_resource_t resource
        iree_hal_buffer_t* allocated_buffer

    ctypedef struct iree_hal_buffer_placement_t:
        iree_hal_device_t* device
        iree_hal_queue_affinity_t queue_affinity
    ctypedef struct iree_hal_buffer_params_t:
        iree_hal_buffer_usage_t usage
        iree_hal_memory_access_t access
        iree_hal_memory_type_t type
        iree_hal_queue_affinity_t queue_affinity
        iree_device_size_t min_alignment
    ctypedef struct iree_hal_buffer_mapping_t:
        iree_byte_span_t contents
        iree_hal_buffer_t* buffer
    ctypedef void (*iree_hal_buffer_release_fn_t)(void* user_data, iree_hal_buffer_t* buffer) noexcept nogil
    ctypedef struct iree_hal_buffer_release_callback_t:
        iree_hal_buffer_release_fn_t fn
        void* user_data
    ctypedef struct iree_hal_external_buffer_t:
        iree_hal_external_buffer_type_t type
        uint32_t flags
        iree_device_size_t size
        uint64_t handle
    ctypedef struct iree_hal_allocator_statistics_t:
        uint32_t size
        iree_device_size_t host_bytes_peak
        iree_device_size_t host_bytes_allocated
        iree_device_size_t host_bytes_freed
        iree_device_size_t device_bytes_peak
        iree_device_size_t device_bytes_allocated
        iree_device_size_t device_bytes_freed
    ctypedef struct iree_hal_allocator_memory_heap_t:
        iree_hal_memory_type_t type
        iree_hal_buffer_usage_t allowed_usage
        iree_device_size_t max_allocation_size
        iree_device_size_t min_alignment
    ctypedef struct iree_hal_semaphore_list_t:
        iree_host_size_t count
        iree_hal_semaphore_t** semaphores
        uint64_t* payload_values
    ctypedef struct iree_hal_buffer_ref_t:
        uint32_t buffer_slot
        iree_hal_buffer_t* buffer
        iree_device_size_t offset
        iree_device_size_t length
    iree_hal_buffer_ref_t iree_hal_make_buffer_ref(
        iree_hal_buffer_t* buffer, iree_device_size_t offset, iree_device_size_t length
    )
    ctypedef struct iree_hal_buffer_ref_list_t:
        iree_host_size_t count
        const iree_hal_buffer_ref_t* values
    ctypedef struct iree_hal_buffer_binding_t:
        iree_hal_buffer_t* buffer
        iree_device_size_t offset
        iree_device_size_t length
    ctypedef struct iree_hal_buffer_binding_table_t:
        iree_host_size_t count
        const iree_hal_buffer_binding_t* bindings
    ctypedef struct iree_hal_device_info_t:
        iree_hal_device_id_t device_id
        iree_string_view_t path
        iree_string_view_t name
    ctypedef struct iree_hal_device_capabilities_t:
        uint32_t size
        uint32_t queue_count
        iree_hal_device_capability_bits_t flags
    ctypedef struct iree_hal_executable_function_t:
        uint64_t value
    ctypedef struct iree_hal_executable_function_info_t:
        pass
    ctypedef struct iree_hal_executable_params_t:
        uint32_t size
        iree_hal_executable_caching_mode_t caching_mode
        iree_hal_queue_affinity_t queue_affinity
        iree_string_view_t executable_format
        iree_const_byte_span_t executable_data
        iree_host_size_t constant_count
        const uint32_t* constants
    ctypedef struct iree_hal_dispatch_config_t:
        pass
    ctypedef struct iree_hal_memory_barrier_t:
        iree_hal_access_scope_t source_scope
        iree_hal_access_scope_t target_scope
    ctypedef struct iree_hal_buffer_barrier_t:
        pass
    ctypedef struct iree_hal_host_call_t:
        pass
    ctypedef struct iree_hal_command_visitor_t:
        pass
    ctypedef struct iree_hal_local_dispatch_t:
        pass
    ctypedef struct iree_cy_operation_t:
        pass
    ctypedef struct iree_hal_semaphore_timepoint_t:
        pass
    ctypedef struct iree_cy_deferred_t:
        pass
    ctypedef iree_status_t (*iree_hal_queue_work_fn_t)(void* user_data) noexcept nogil
    ctypedef void (*iree_hal_queue_cleanup_fn_t)(void* user_data) noexcept nogil
    ctypedef void (*iree_cy_deferred_fn_t)(void* user_data) noexcept nogil
    ctypedef void (*iree_hal_semaphore_callback_fn_t)(void* user_data, iree_status_t status) noexcept nogil
    ctypedef void (*iree_hal_semaphore_timepoint_fn_t)(
        void* user_data, iree_hal_semaphore_timepoint_t* timepoint, iree_status_t status
    ) noexcept nogil
    ctypedef struct iree_hal_allocator_vtable_t:
        pass
    ctypedef struct iree_hal_buffer_vtable_t:
        pass
    ctypedef struct iree_hal_command_buffer_vtable_t:
        pass
    ctypedef struct iree_hal_device_vtable_t:
        pass
    ctypedef struct iree_hal_driver_vtable_t:
        pass
    ctypedef struct iree_hal_executable_vtable_t:
        pass
    ctypedef struct iree_hal_executable_cache_vtable_t:
        pass
    ctypedef struct iree_hal_executable_loader_vtable_t:
        pass
    ctypedef struct iree_hal_file_vtable_t:
        pass
    ctypedef struct iree_hal_semaphore_vtable_t:
        pass

    # vm/
    ctypedef uintptr_t iree_vm_ref_type_t
    const iree_vm_ref_type_t IREE_VM_REF_TYPE_NULL
    const iree_vm_ref_type_t IREE_VM_REF_TYPE_ANY
    ctypedef void (*iree_vm_ref_destroy_t)(void* ptr) noexcept nogil
    ctypedef struct iree_vm_ref_type_descriptor_t:
        iree_vm_ref_destroy_t destroy
        iree_string_view_t type_name
        uint32_t offsetof_counter
    ctypedef struct iree_vm_ref_t:
        void* ptr
        iree_vm_ref_type_t type
    void iree_vm_ref_release(iree_vm_ref_t* ref)
    void iree_vm_ref_retain(const iree_vm_ref_t* ref, iree_vm_ref_t* out_ref)
    void iree_vm_ref_retain_inplace(iree_vm_ref_t* ref)
    iree_vm_ref_t iree_vm_ref_null()

    ctypedef enum iree_vm_value_type_t:
        IREE_VM_VALUE_TYPE_NONE
        IREE_VM_VALUE_TYPE_I8
        IREE_VM_VALUE_TYPE_I16
        IREE_VM_VALUE_TYPE_I32
        IREE_VM_VALUE_TYPE_I64
        IREE_VM_VALUE_TYPE_F32
        IREE_VM_VALUE_TYPE_F64
    ctypedef struct iree_vm_value_t:
        iree_vm_value_type_t type
        int8_t i8
        int16_t i16
        int32_t i32
        int64_t i64
        float f32
        double f64
    iree_vm_value_t iree_vm_value_make_i32(int32_t value)
    iree_vm_value_t iree_vm_value_make_i64(int64_t value)
    iree_vm_value_t iree_vm_value_make_f32(float value)
    iree_vm_value_t iree_vm_value_make_f64(double value)

    ctypedef struct iree_vm_type_def_t:
        pass
    iree_vm_type_def_t iree_vm_make_undefined_type_def()
    iree_vm_value_type_t iree_vm_type_def_as_value(iree_vm_type_def_t type)
    ctypedef struct iree_vm_variant_t:
        iree_vm_type_def_t type
        int8_t i8
        int16_t i16
        int32_t i32
        int64_t i64
        float f32
        double f64
        iree_vm_ref_t ref
    bint iree_vm_variant_is_value(iree_vm_variant_t variant)
    bint iree_vm_variant_is_ref(iree_vm_variant_t variant)
    iree_vm_variant_t iree_vm_variant_empty()

    ctypedef struct iree_vm_list_t:
        pass
    ctypedef uint32_t iree_vm_buffer_access_t
    const iree_vm_buffer_access_t IREE_VM_BUFFER_ACCESS_MUTABLE
    const iree_vm_buffer_access_t IREE_VM_BUFFER_ACCESS_ORIGIN_HOST
    ctypedef struct iree_vm_buffer_t:
        iree_vm_buffer_access_t access
        iree_byte_span_t data

    ctypedef struct iree_vm_instance_t:
        pass
    ctypedef struct iree_vm_context_t:
        pass
    ctypedef struct iree_vm_stack_t:
        pass
    ctypedef struct iree_vm_module_state_t:
        pass
    ctypedef struct iree_vm_invocation_policy_t:
        pass
    ctypedef struct iree_cy_vm_budget_t:
        pass
    ctypedef uint32_t iree_vm_context_flags_t
    ctypedef uint32_t iree_vm_invocation_flags_t
    ctypedef uint32_t iree_vm_bytecode_module_flags_t
    ctypedef uint32_t iree_cy_vm_module_flags_t
    ctypedef intptr_t iree_vm_context_id_t
    ctypedef int64_t iree_vm_source_offset_t
    const iree_host_size_t IREE_VM_TYPE_CAPACITY_DEFAULT
    const iree_vm_context_flags_t IREE_VM_CONTEXT_FLAG_NONE
    const iree_vm_context_flags_t IREE_CY_VM_CONTEXT_FLAG_STATELESS
    const iree_vm_bytecode_module_flags_t IREE_VM_BYTECODE_MODULE_FLAG_NONE

    ctypedef enum iree_vm_function_linkage_t:
        IREE_VM_FUNCTION_LINKAGE_INTERNAL
        IREE_VM_FUNCTION_LINKAGE_IMPORT
        IREE_VM_FUNCTION_LINKAGE_EXPORT
        IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL
        IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL
    ctypedef enum iree_vm_signal_t:
        IREE_VM_SIGNAL_RESUME
        IREE_VM_SIGNAL_SUSPEND
        IREE_VM_SIGNAL_LOW_MEMORY
    ctypedef struct iree_vm_module_t
    ctypedef struct iree_vm_function_t:
        iree_vm_module_t* module
        uint16_t linkage
        uint32_t ordinal
    ctypedef struct iree_vm_function_signature_t:
        iree_string_view_t calling_convention
    ctypedef struct iree_vm_function_call_t:
        iree_vm_function_t function
        iree_vm_module_state_t* module_state
        iree_byte_span_t arguments
        iree_byte_span_t results
    ctypedef struct iree_vm_module_signature_t:
        uint32_t version
        iree_cy_vm_module_flags_t flags
        iree_host_size_t attr_count
        iree_host_size_t import_function_count
        iree_host_size_t export_function_count
        iree_host_size_t internal_function_count
    ctypedef struct iree_vm_module_dependency_t:
        iree_string_view_t name
        uint32_t minimum_version
        uint32_t flags
    ctypedef iree_status_t (*iree_vm_module_dependency_callback_t)(
        void* user_data, const iree_vm_module_dependency_t* dependency
    ) noexcept nogil
    ctypedef struct iree_vm_module_t:
        void* self
        void (*destroy)(void* self) noexcept nogil
        iree_status_t (*alloc_state)(
            void* self, iree_allocator_t allocator, iree_vm_module_state_t** out_module_state
        ) noexcept nogil
        void (*free_state)(void* self, iree_vm_module_state_t* module_state) noexcept nogil
        iree_status_t (*begin_call)(
            void* self, iree_vm_stack_t* stack, iree_vm_function_call_t call
        ) noexcept nogil
    ctypedef iree_status_t (*iree_vm_native_function_target_t)(
        iree_vm_stack_t* stack,
        void* module,
        void* module_state,
        iree_byte_span_t arguments,
        iree_byte_span_t results,
    ) noexcept nogil
    ctypedef struct iree_vm_native_export_descriptor_t:
        iree_string_view_t local_name
        iree_string_view_t calling_convention
        iree_vm_native_function_target_t target
        iree_host_size_t attr_count
        const iree_string_pair_t* attrs
    ctypedef struct iree_vm_native_module_descriptor_t:
        iree_string_view_t name
        uint32_t version
        iree_cy_vm_module_flags_t flags
        iree_host_size_t export_count
        const iree_vm_native_export_descriptor_t* exports

    ctypedef iree_status_t (*iree_cy_vm_interrupt_fn_t)(void* user_data) noexcept nogil
    ctypedef struct iree_cy_vm_call_options_t:
        uint32_t size
        iree_vm_invocation_flags_t flags
        iree_time_t deadline_ns
        iree_cy_vm_interrupt_fn_t interrupt
        void* interrupt_user_data
        iree_status_t (*end)(void* user_data, iree_status_t status) noexcept nogil
        void* end_user_data
    iree_cy_vm_call_options_t iree_cy_vm_call_options_default()
    ctypedef struct iree_cy_vm_limits_t:
        uint32_t size
        uint32_t max_call_depth
        uint64_t max_instructions
        uint64_t max_bytes
    iree_cy_vm_limits_t iree_cy_vm_limits_none()
    ctypedef enum iree_cy_vm_archive_format_t:
        IREE_CY_VM_ARCHIVE_FORMAT_UNKNOWN
        IREE_CY_VM_ARCHIVE_FORMAT_FLATBUFFER
        IREE_CY_VM_ARCHIVE_FORMAT_ZIP


include "_host_functions.pxi"


@cython.final
cdef class VmInstance:
    cdef iree_vm_instance_t* _handle


@cython.final
cdef class VmModule:
    cdef iree_vm_module_t* _handle
    cdef object _blob
    # Written in Python (PyModuleInterface).
    cdef bint _is_python


@cython.final
cdef class VmFunction:
    cdef iree_vm_function_t _function
    # Owns the function.
    cdef readonly VmModule _module
    cdef object _reflection
    cdef dict _read_reflection(self)


@cython.final
cdef class VmContext:
    cdef iree_vm_context_t* _handle
    # Whether one of its modules is written in Python.
    cdef bint _has_python
    # Whether it was given buffers that Python has other ways to write to.
    cdef bint _has_exposed


@cython.final
cdef class VmRef:
    cdef iree_vm_ref_t _ref


@cython.final
cdef class VmVariantList:
    cdef iree_vm_list_t* _handle


@cython.final
cdef class VmBuffer:
    cdef iree_vm_buffer_t* _handle


@cython.final
cdef class HalDriver:
    cdef iree_hal_driver_t* _handle


@cython.final
cdef class HalDevice:
    cdef iree_hal_device_t* _handle
    # A device may need what its driver loaded.
    cdef HalDriver _driver
    cdef bint _uses_host_memory
    # Whether it computes on threads, or hardware, of its own.
    cdef bint _has_queue


@cython.final
cdef class HalAllocator:
    cdef iree_hal_allocator_t* _handle
    # Its memory may be the device's.
    cdef HalDevice _device


@cython.final
cdef class HalBuffer:
    cdef iree_hal_buffer_t* _handle
    # The device whose memory it is, when that is known.
    cdef HalDevice _device


@cython.final
cdef class HalBufferView:
    cdef iree_hal_buffer_view_t* _handle
    cdef HalDevice _device


@cython.final
cdef class MappedMemory:
    cdef iree_hal_buffer_mapping_t _mapping
    cdef HalBuffer _buffer
    cdef bint _writable
    cdef Py_ssize_t _length


@cython.final
cdef class HalCommandBuffer:
    cdef iree_hal_command_buffer_t* _handle
    cdef HalDevice _device


@cython.final
cdef class HalSemaphore:
    cdef iree_hal_semaphore_t* _handle
    cdef HalDevice _device


@cython.final
cdef class HalFile:
    cdef iree_hal_file_t* _handle


@cython.final
cdef class HalFence:
    cdef iree_hal_fence_t* _handle


# Make objects of handles whose reference they take. `device`, which may be None, is kept with them.
cdef HalBuffer hal_buffer_from_handle(iree_hal_buffer_t* handle, HalDevice device)
cdef HalBufferView hal_buffer_view_from_handle(iree_hal_buffer_view_t* handle, HalDevice device)
cdef HalSemaphore hal_semaphore_from_handle(iree_hal_semaphore_t* handle, HalDevice device)
cdef HalFence hal_fence_from_handle(iree_hal_fence_t* handle)
cdef HalDevice hal_device_from_handle(iree_hal_device_t* handle)
cdef VmModule vm_module_from_handle(iree_vm_module_t* handle)

# Raises the exception of a status that is not OK, which it takes.
cdef int check_status(iree_status_t status) except -1 nogil
