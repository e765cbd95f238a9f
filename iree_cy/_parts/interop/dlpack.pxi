# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the exchange of memory by DLPack.

cdef extern from *:
    """
    typedef struct {
      int32_t device_type;
      int32_t device_id;
    } iree_cy_dl_device_t;
    typedef struct {
      uint8_t code;
      uint8_t bits;
      uint16_t lanes;
    } iree_cy_dl_type_t;
    typedef struct {
      void* data;
      iree_cy_dl_device_t device;
      int32_t ndim;
      iree_cy_dl_type_t dtype;
      int64_t* shape;
      int64_t* strides;
      uint64_t byte_offset;
    } iree_cy_dl_tensor_t;
    // DLPack's DLManagedTensor.
    typedef struct iree_cy_dl_managed_t {
      iree_cy_dl_tensor_t tensor;
      void* manager_ctx;
      void (*deleter)(struct iree_cy_dl_managed_t* self);
    } iree_cy_dl_managed_t;
    // DLPack's DLManagedTensorVersioned.
    typedef struct iree_cy_dl_versioned_t {
      uint32_t major;
      uint32_t minor;
      void* manager_ctx;
      void (*deleter)(struct iree_cy_dl_versioned_t* self);
      uint64_t flags;
      iree_cy_dl_tensor_t tensor;
    } iree_cy_dl_versioned_t;
    """
    ctypedef struct iree_cy_dl_device_t:
        int32_t device_type
        int32_t device_id
    ctypedef struct iree_cy_dl_type_t:
        uint8_t code
        uint8_t bits
        uint16_t lanes
    ctypedef struct iree_cy_dl_tensor_t:
        void* data
        iree_cy_dl_device_t device
        int32_t ndim
        iree_cy_dl_type_t dtype
        int64_t* shape
        int64_t* strides
        uint64_t byte_offset
    ctypedef struct iree_cy_dl_managed_t:
        iree_cy_dl_tensor_t tensor
        void* manager_ctx
        void (*deleter)(iree_cy_dl_managed_t* self) noexcept
    ctypedef struct iree_cy_dl_versioned_t:
        uint32_t major
        uint32_t minor
        void* manager_ctx
        void (*deleter)(iree_cy_dl_versioned_t* self) noexcept
        uint64_t flags
        iree_cy_dl_tensor_t tensor

cdef extern from "Python.h":
    bint PyCapsule_IsValid(object capsule, const char* name)
    void* PyCapsule_GetPointer(object capsule, const char* name) except NULL
    int PyCapsule_SetName(object capsule, const char* name) except -1
    void* c_capsule_pointer "PyCapsule_GetPointer"(PyObject* capsule, const char* name)
    bint c_capsule_is_valid "PyCapsule_IsValid"(PyObject* capsule, const char* name)
    ctypedef void (*capsule_destructor_t "PyCapsule_Destructor")(PyObject* capsule) noexcept
    object c_capsule_new "PyCapsule_New"(void* pointer, const char* name, capsule_destructor_t destructor)


# By our numerical type: DLPack's type code.
_DLPACK_CODES = {0x10: 0, 0x11: 0, 0x12: 1, 0x13: 6, 0x20: 2, 0x21: 2, 0x22: 4, 0x23: 5}
_NUMERICAL_TYPES = {0: 0x11, 1: 0x12, 2: 0x21, 4: 0x22, 5: 0x23, 6: 0x13}
DLPACK_CPU = 1
# The host, and memory that the host and CUDA's or ROCm's devices see.
_DLPACK_HOST_DEVICES = (DLPACK_CPU, 3, 11, 13)
cdef uint64_t DLPACK_FLAG_READ_ONLY = 1


# Where a buffer lies in memory of the host, by its device's allocator (or NULL) where that alone knows; NULL when it
# lies in none.
cdef void* host_address(iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer) noexcept:
    cdef iree_hal_external_buffer_t external
    cdef iree_status_t status
    cdef void* data = iree_hal_heap_buffer_data(buffer)
    if data != NULL or allocator == NULL:
        return data
    status = iree_hal_allocator_export_buffer(
        allocator, buffer, IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION, 0, &external
    )
    if status != NULL:
        iree_status_ignore(status)
        return NULL
    return <void*><uintptr_t>external.handle


# Fills `tensor` with `view` and an array of its own for the shape, which the deleter frees.
cdef int fill_dlpack(
    iree_hal_allocator_t* allocator,
    iree_hal_buffer_view_t* view,
    int device_type,
    int device_id,
    iree_cy_dl_tensor_t* tensor,
) except -1:
    cdef iree_hal_element_type_t element_type = iree_hal_buffer_view_element_type(view)
    cdef iree_hal_buffer_t* buffer = iree_hal_buffer_view_buffer(view)
    cdef iree_host_size_t rank = iree_hal_buffer_view_shape_rank(view)
    cdef const iree_hal_dim_t* dims = iree_hal_buffer_view_shape_dims(view)
    cdef iree_host_size_t i
    code = _DLPACK_CODES.get(element_type >> 24)
    if code is None or element_type & 7:
        raise _value_error(f"DLPack has no elements of type {element_type_name(element_type)}")
    tensor.data = host_address(allocator, buffer)
    if tensor.data == NULL and iree_hal_buffer_byte_length(buffer) != 0:
        raise ValueError("the buffer has no address in host memory that DLPack could hand over")
    tensor.device.device_type = device_type
    tensor.device.device_id = device_id
    tensor.ndim = <int32_t>rank
    tensor.dtype.code = code
    tensor.dtype.bits = element_type & 0xFF
    tensor.dtype.lanes = 1
    tensor.strides = NULL
    tensor.byte_offset = 0
    tensor.shape = <int64_t*>c_malloc((rank + 1) * sizeof(int64_t))
    if tensor.shape == NULL:
        raise MemoryError()
    for i in range(rank):
        tensor.shape[i] = <int64_t>dims[i]
    return 0


cdef void delete_managed(iree_cy_dl_managed_t* managed) noexcept:
    iree_hal_buffer_view_release(<iree_hal_buffer_view_t*>managed.manager_ctx)
    c_free(managed.tensor.shape)
    c_free(managed)


cdef void destroy_capsule(PyObject* capsule) noexcept:
    # Renamed once somebody has taken the memory.
    cdef iree_cy_dl_managed_t* managed
    if c_capsule_is_valid(capsule, b"dltensor"):
        managed = <iree_cy_dl_managed_t*>c_capsule_pointer(capsule, b"dltensor")
        managed.deleter(managed)


cdef object dlpack_capsule_of(HalDevice device, HalBufferView view, object device_type, object device_id):
    cdef iree_cy_dl_managed_t* managed = <iree_cy_dl_managed_t*>c_malloc(sizeof(iree_cy_dl_managed_t))
    if managed == NULL:
        raise MemoryError()
    try:
        fill_dlpack(
            iree_hal_device_allocator(device._handle), view._handle, device_type, device_id, &managed.tensor
        )
    except BaseException:
        c_free(managed)
        raise
    iree_hal_buffer_view_retain(view._handle)
    managed.manager_ctx = view._handle
    managed.deleter = delete_managed
    return c_capsule_new(managed, b"dltensor", destroy_capsule)


# A DLPack tensor that a buffer uses; its deleter runs when C drops its one reference. Of the two one is NULL.
cdef class _KeptTensor:
    cdef iree_cy_dl_managed_t* managed
    cdef iree_cy_dl_versioned_t* versioned

    def __dealloc__(self):
        if self.managed != NULL and self.managed.deleter != NULL:
            self.managed.deleter(self.managed)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)


cdef object buffer_view_of_dlpack(HalDevice device, object capsule):
    cdef iree_cy_dl_managed_t* managed
    cdef iree_cy_dl_versioned_t* versioned
    cdef iree_hal_memory_access_t access = 0
    cdef _KeptTensor kept = _KeptTensor()
    cdef HalBufferView result
    versioned = <iree_cy_dl_versioned_t*>take_capsule(capsule, b"dltensor_versioned", b"used_dltensor_versioned")
    if versioned != NULL:
        try:
            if versioned.major != 1:
                # What is beyond its version may be anywhere.
                raise ValueError(f"a DLPack capsule of version {versioned.major}; versions up to 1 can be used")
            if versioned.flags & DLPACK_FLAG_READ_ONLY:
                access = IREE_HAL_MEMORY_ACCESS_READ
            result = import_tensor(device, &versioned.tensor, access, kept)
        except BaseException:
            PyCapsule_SetName(capsule, b"dltensor_versioned")
            raise
        kept.versioned = versioned
        return result
    managed = <iree_cy_dl_managed_t*>take_capsule(capsule, b"dltensor", b"used_dltensor")
    if managed == NULL:
        raise ValueError("not a DLPack capsule, or one that has been used already")
    try:
        result = import_tensor(device, &managed.tensor, access, kept)
    except BaseException:
        PyCapsule_SetName(capsule, b"dltensor")
        raise
    kept.managed = managed
    return result


# What a capsule of a name holds, which is the caller's from then on, or until it gives the capsule its name back; NULL
# when it has another name. Renamed before anything else is done, so that of several threads one gets it.
cdef void* take_capsule(object capsule, const char* name, const char* used_name) except? NULL:
    cdef void* pointer = NULL
    with cython.critical_section(capsule):
        if PyCapsule_IsValid(capsule, name):
            pointer = PyCapsule_GetPointer(capsule, name)
            PyCapsule_SetName(capsule, used_name)
    return pointer


# A view over a tensor's memory, which `kept` keeps. `access` 0 is any.
cdef HalBufferView import_tensor(
    HalDevice device, iree_cy_dl_tensor_t* tensor, iree_hal_memory_access_t access, _KeptTensor kept
):
    cdef iree_hal_buffer_params_t params
    cdef iree_hal_buffer_t* handle = NULL
    cdef int64_t expected = 1
    cdef int i
    if tensor.device.device_type not in _DLPACK_HOST_DEVICES:
        raise ValueError(
            f"the DLPack capsule is of memory of device type {tensor.device.device_type}, which the host cannot see; "
            "copy it to the host"
        )
    numerical_type = _NUMERICAL_TYPES.get(tensor.dtype.code)
    if numerical_type is None or tensor.dtype.lanes != 1 or tensor.dtype.bits % 8:
        raise _value_error(f"no element type fits DLPack's type {tensor.dtype.code} of {tensor.dtype.bits} bits")
    for i in range(tensor.ndim - 1, -1, -1):
        if tensor.strides != NULL and tensor.shape[i] != 1 and tensor.strides[i] != expected:
            raise ValueError("a DLPack tensor must be dense and in C order; copy it")
        expected *= tensor.shape[i]
    element_type = numerical_type << 24 | tensor.dtype.bits
    memset(&params, 0, sizeof(params))
    params.type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
    params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT | IREE_HAL_BUFFER_USAGE_MAPPING | IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT
    params.access = access
    check_status(
        import_host_memory(
            iree_hal_device_allocator(device._handle),
            params,
            <uint8_t*>tensor.data + tensor.byte_offset,
            <iree_device_size_t>(expected * (tensor.dtype.bits // 8)),
            <void*>kept,
            &handle,
        )
    )
    buffer = hal_buffer_from_handle(handle, device)
    return HalBufferView(buffer, [tensor.shape[i] for i in range(tensor.ndim)], element_type)


cdef void delete_versioned(iree_cy_dl_versioned_t* managed) noexcept:
    iree_hal_buffer_view_release(<iree_hal_buffer_view_t*>managed.manager_ctx)
    c_free(managed.tensor.shape)
    c_free(managed)


cdef void destroy_versioned_capsule(PyObject* capsule) noexcept:
    cdef iree_cy_dl_versioned_t* managed
    if c_capsule_is_valid(capsule, b"dltensor_versioned"):
        managed = <iree_cy_dl_versioned_t*>c_capsule_pointer(capsule, b"dltensor_versioned")
        managed.deleter(managed)


# A capsule that says that the memory is read-only.
cdef object dlpack_versioned_capsule_of(iree_hal_buffer_view_t* view):
    cdef iree_cy_dl_versioned_t* managed = <iree_cy_dl_versioned_t*>c_malloc(sizeof(iree_cy_dl_versioned_t))
    if managed == NULL:
        raise MemoryError()
    try:
        fill_dlpack(NULL, view, DLPACK_CPU, 0, &managed.tensor)
    except BaseException:
        c_free(managed)
        raise
    iree_hal_buffer_view_retain(view)
    managed.major = 1
    managed.minor = 0
    managed.flags = DLPACK_FLAG_READ_ONLY
    managed.manager_ctx = view
    managed.deleter = delete_versioned
    return c_capsule_new(managed, b"dltensor_versioned", destroy_versioned_capsule)
