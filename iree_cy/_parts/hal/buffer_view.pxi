# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalBufferView: a buffer with shape and element type.

@cython.no_gc
cdef class HalBufferView:
    """A buffer seen as a dense array.

    Parameters
    ----------
    buffer
        The buffer.
    shape
        Dimensions.
    element_type
        A `HalElementType`.

    Raises
    ------
    StatusError
        If the buffer is too small.
    """

    def __cinit__(self, buffer=None, shape=None, element_type=None):
        cdef iree_hal_dim_t* dims = NULL
        cdef iree_host_size_t rank
        cdef iree_hal_element_type_t c_type
        cdef Py_ssize_t i
        if is_factory(buffer):
            return
        if not isinstance(buffer, HalBuffer) or shape is None or element_type is None:
            raise TypeError("HalBufferView needs a HalBuffer, a shape and an element type")
        sizes = [int(size) for size in shape]
        if any(size < 0 for size in sizes):
            raise _value_error(f"a shape has no negative dimension: {_quote(tuple(sizes))}")
        rank = len(sizes)
        c_type = int(element_type)
        dims = <iree_hal_dim_t*>PyMem_Malloc((rank + 1) * sizeof(iree_hal_dim_t))
        if dims == NULL:
            raise MemoryError()
        try:
            for i in range(len(sizes)):
                dims[i] = index_of(sizes[i])
            check_status(
                iree_hal_buffer_view_create(
                    (<HalBuffer>buffer)._handle,
                    rank,
                    dims,
                    c_type,
                    IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR,
                    iree_allocator_system(),
                    &self._handle,
                )
            )
        finally:
            PyMem_Free(dims)
        self._device = (<HalBuffer>buffer)._device

    def get_buffer(self):
        """Return the buffer."""
        cdef iree_hal_buffer_t* handle = iree_hal_buffer_view_buffer(self._handle)
        iree_hal_buffer_retain(handle)
        return hal_buffer_from_handle(handle, self._device)

    def map(self):
        """Map the buffer for the host.

        Raises
        ------
        StatusError
            If the host cannot see its memory.
        """
        return map_buffer(self.get_buffer())

    @property
    def shape(self):
        """Its dimensions: a list of int."""
        return view_shape(self._handle)

    @property
    def element_type(self):
        """The type of its elements: a number of `HalElementType`."""
        return int(iree_hal_buffer_view_element_type(self._handle))

    @property
    def byte_length(self):
        """Bytes that its elements take."""
        return int(iree_hal_buffer_view_byte_length(self._handle))

    @property
    def ref(self):
        """A reference to the view."""
        return vm_ref_retain(self._handle, _buffer_view_type)

    @property
    def __iree_vm_ref__(self):
        """A reference to the view."""
        return self.ref

    @staticmethod
    def __iree_vm_type__():
        """Return the number of the type in references."""
        return int(_buffer_view_type)

    @staticmethod
    def __iree_vm_cast__(ref):
        """Return the view that a reference refers to, or None."""
        cdef void* handle = ref_object_retain(ref, _buffer_view_type)
        if handle == NULL:
            return None
        return hal_buffer_view_from_handle(<iree_hal_buffer_view_t*>handle, None)

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_buffer_view_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, HalBufferView) and self._handle == (<HalBufferView>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        shape = ", ".join(map(str, self.shape))
        return (
            f"<HalBufferView ({shape}), element_type=0x{self.element_type:08x}, "
            f"{buffer_text(iree_hal_buffer_view_buffer(self._handle))}>"
        )


cdef HalBufferView hal_buffer_view_from_handle(iree_hal_buffer_view_t* handle, HalDevice device):
    cdef HalBufferView result = <HalBufferView>new_object(HalBufferView)
    result._handle = handle
    result._device = device
    return result


cdef list view_shape(iree_hal_buffer_view_t* handle):
    cdef const iree_hal_dim_t* dims = iree_hal_buffer_view_shape_dims(handle)
    cdef iree_host_size_t i
    return [<Py_ssize_t>dims[i] for i in range(iree_hal_buffer_view_shape_rank(handle))]
