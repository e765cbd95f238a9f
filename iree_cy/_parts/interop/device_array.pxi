# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns DeviceArray: results of programs as arrays, and what views of them may do.

cdef enum:
    MAX_RANK = 32


# What one view adds to the count of views: the upper half counts those that are writable.
cdef int64_t READ_ONLY_VIEW = 1
cdef int64_t WRITABLE_VIEW = (1 << 32) + 1


# What a NumPy array over an array's memory has as its base: keeps the array, and tells it when the
# view is gone.
@cython.no_gc
@cython.freelist(16)
cdef class _HostView:
    cdef DeviceArray array
    cdef bint is_writable

    def __dealloc__(self):
        if self.array is not None:
            add_shared(&self.array._views, -WRITABLE_VIEW if self.is_writable else -READ_ONLY_VIEW)


# No reference of it leads back to it, so that it needs no garbage collection.
@cython.final
@cython.no_gc
@cython.freelist(32)
cdef class DeviceArray:
    """An array in a device's memory, as programs return and take it.

    It does what an ndarray does by handing a view of its memory, or a copy where the host cannot see
    it, to NumPy. ``to_host()`` gives an ndarray of one's own.

    Parameters
    ----------
    device
        The device.
    buffer_view
        What holds the elements.
    implicit_host_transfer
        Whether it may be used as an ndarray, without `to_host`.
    override_dtype
        The dtype to give to NumPy, where it differs from the element type's.
    """

    cdef iree_hal_buffer_view_t* _view
    cdef HalDevice _owner
    cdef object _dtype
    cdef bint _is_implicit
    cdef bint _was_on_host
    # NumPy arrays that share the memory.
    cdef int64_t _views
    # Calls under way that have it as an argument.
    cdef int64_t _call_count
    # Whether there are, or were, other objects of Python's that lead to the memory.
    cdef bint _is_exposed
    cdef object __weakref__

    def __cinit__(self, device=None, buffer_view=None, implicit_host_transfer=False, override_dtype=None):
        if is_factory(device):
            return
        if not isinstance(device, HalDevice) or not isinstance(buffer_view, HalBufferView):
            raise TypeError("DeviceArray needs a HalDevice and a HalBufferView")
        self._owner = device
        self._view = (<HalBufferView>buffer_view)._handle
        self._is_exposed = True
        iree_hal_buffer_view_retain(self._view)
        self._is_implicit = bool(implicit_host_transfer)
        if override_dtype is not None:
            start_numpy()
            self._dtype = _np.dtype(override_dtype)

    # What it is.

    @property
    def shape(self):
        """Its dimensions: a list of int, as iree.runtime gives them."""
        return view_shape(self._view)

    @property
    def dtype(self):
        """The dtype of its elements."""
        if self._dtype is not None:
            return self._dtype
        return dtype_of(iree_hal_buffer_view_element_type(self._view))

    @property
    def ndim(self):
        """How many dimensions it has."""
        return <Py_ssize_t>iree_hal_buffer_view_shape_rank(self._view)

    @property
    def size(self):
        """How many elements it has."""
        return <Py_ssize_t>iree_hal_buffer_view_element_count(self._view)

    @property
    def nbytes(self):
        """Bytes that its elements take in the device's memory."""
        return <Py_ssize_t>iree_hal_buffer_view_byte_length(self._view)

    @property
    def device(self):
        """The device."""
        return self._owner

    @property
    def is_host_accessible(self):
        """Whether the host has been given its contents."""
        return self._was_on_host

    @property
    def _device(self):
        return self._owner

    @property
    def _buffer_view(self):
        iree_hal_buffer_view_retain(self._view)
        raise_flag(&self._is_exposed)
        return hal_buffer_view_from_handle(self._view, self._owner)

    @property
    def _implicit_host_transfer(self):
        return self._is_implicit

    # What it holds.

    def to_host(self):
        """Return its contents as an ndarray that the caller may write to.

        Returns
        -------
        ndarray
            The array's own memory when nothing else holds it, otherwise a copy.
        """
        return self._host_array(True)

    def __array__(self, dtype=None, copy=None):
        self._check_implicit()
        array = self._host_array(False)
        if dtype is not None and array.dtype != dtype:
            if copy is not None and not copy:
                raise _value_error(f"a copy is needed to make {array.dtype} into {_np.dtype(dtype)}")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        host_inputs = [implicit_host(item) for item in inputs]
        if kwargs.get("out") is not None:
            for item in kwargs["out"]:
                if isinstance(item, DeviceArray):
                    raise TypeError("a DeviceArray is no target of a NumPy function; use out=array.to_host()")
        if "where" in kwargs:
            kwargs["where"] = implicit_host(kwargs["where"])
        return getattr(ufunc, method)(*host_inputs, **kwargs)

    def __array_function__(self, func, types, args, kwargs):
        start_numpy()
        if func is _np.shape:
            return self.shape
        return func(*explicit_host(args), **explicit_host(kwargs))

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self._check_implicit()
        if flags & PyBUF_WRITABLE:
            raise BufferError("a DeviceArray gives read-only views; use to_host()")
        PyObject_GetBuffer(self._host_array(False), buffer, flags)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Return a DLPack capsule: a read-only one of the memory, or of a copy.

        Parameters
        ----------
        stream, max_version, dl_device, copy
            As the Python array API says.
        """
        self._check_implicit()
        if dl_device is not None and tuple(dl_device) != (DLPACK_CPU, 0):
            raise BufferError(f"no DLPack capsule of host memory for device {_quote(dl_device)}")
        cannot_share = max_version is None or max_version[0] < 1 or not self._has_address() or self._dtype is not None
        if copy or cannot_share:
            # Older capsules cannot say that they are read-only.
            if copy is not None and not copy:
                raise BufferError("this DLPack capsule needs a copy, and copy=False forbids it")
            array = self._host_array(False).copy()
            return array.__dlpack__(stream=stream)
        return dlpack_versioned_capsule_of(self._view)

    def __dlpack_device__(self):
        """Return what DLPack calls host memory."""
        return (DLPACK_CPU, 0)

    def astype(self, dtype, casting="unsafe", copy=True):
        """Return an ndarray of another dtype, or this array when it has it and no copy is asked for.

        Parameters
        ----------
        dtype, casting, copy
            As for an ndarray.
        """
        start_numpy()
        if not copy and self.dtype == dtype:
            return self
        return self._host_array(False).astype(dtype, casting=casting, copy=copy)

    def reshape(self, *args):
        """Return an ndarray with the contents in another shape.

        Parameters
        ----------
        *args
            The shape.
        """
        return self.to_host().reshape(*args)

    def item(self, *args):
        """Return an element as a Python number.

        Parameters
        ----------
        *args
            Its index, as for an ndarray.
        """
        return self._host_array(False).item(*args)

    def tolist(self):
        """Return the elements as nested lists of Python numbers."""
        return self._host_array(False).tolist()

    def __getitem__(self, index):
        return self._host_array(False)[index]

    def __iter__(self):
        return iter(self._host_array(False))

    def __len__(self):
        if iree_hal_buffer_view_shape_rank(self._view) == 0:
            raise TypeError("len() of a 0-d array")
        return <Py_ssize_t>iree_hal_buffer_view_shape_dims(self._view)[0]

    def __bool__(self):
        return bool(self._host_array(False))

    def __int__(self):
        return int(self._host_array(False))

    def __float__(self):
        return float(self._host_array(False))

    def __complex__(self):
        return complex(self._host_array(False))

    def __index__(self):
        return self._host_array(False).__index__()

    def __copy__(self):
        return self._host_array(False).copy()

    def __deepcopy__(self, memo):
        return self._host_array(False).copy()

    def __reduce__(self):
        return restore_array, (self._host_array(False),)

    def __dealloc__(self):
        cdef iree_hal_buffer_view_t* view = self._view
        if view == NULL:
            return
        if iree_hal_buffer_view_byte_length(view) < NOGIL_RELEASE_BYTES:
            iree_hal_buffer_view_release(view)
        else:
            with nogil:
                iree_hal_buffer_view_release(view)

    def __repr__(self):
        return f"<IREE DeviceArray: shape={self.shape}, dtype={self.dtype}>"

    # Operators: each is NumPy's, through __array_ufunc__.

    def __lt__(self, other):
        return numpy_ufunc("less")(self, other)

    def __le__(self, other):
        return numpy_ufunc("less_equal")(self, other)

    def __eq__(self, other):
        return numpy_ufunc("equal")(self, other)

    def __ne__(self, other):
        return numpy_ufunc("not_equal")(self, other)

    def __gt__(self, other):
        return numpy_ufunc("greater")(self, other)

    def __ge__(self, other):
        return numpy_ufunc("greater_equal")(self, other)

    def __add__(self, other):
        return numpy_ufunc("add")(self, other)

    def __radd__(self, other):
        return numpy_ufunc("add")(other, self)

    def __sub__(self, other):
        return numpy_ufunc("subtract")(self, other)

    def __rsub__(self, other):
        return numpy_ufunc("subtract")(other, self)

    def __mul__(self, other):
        return numpy_ufunc("multiply")(self, other)

    def __rmul__(self, other):
        return numpy_ufunc("multiply")(other, self)

    def __matmul__(self, other):
        return numpy_ufunc("matmul")(self, other)

    def __rmatmul__(self, other):
        return numpy_ufunc("matmul")(other, self)

    def __truediv__(self, other):
        return numpy_ufunc("true_divide")(self, other)

    def __rtruediv__(self, other):
        return numpy_ufunc("true_divide")(other, self)

    def __floordiv__(self, other):
        return numpy_ufunc("floor_divide")(self, other)

    def __rfloordiv__(self, other):
        return numpy_ufunc("floor_divide")(other, self)

    def __mod__(self, other):
        return numpy_ufunc("remainder")(self, other)

    def __rmod__(self, other):
        return numpy_ufunc("remainder")(other, self)

    def __divmod__(self, other):
        return numpy_ufunc("divmod")(self, other)

    def __rdivmod__(self, other):
        return numpy_ufunc("divmod")(other, self)

    def __lshift__(self, other):
        return numpy_ufunc("left_shift")(self, other)

    def __rlshift__(self, other):
        return numpy_ufunc("left_shift")(other, self)

    def __rshift__(self, other):
        return numpy_ufunc("right_shift")(self, other)

    def __rrshift__(self, other):
        return numpy_ufunc("right_shift")(other, self)

    def __and__(self, other):
        return numpy_ufunc("bitwise_and")(self, other)

    def __rand__(self, other):
        return numpy_ufunc("bitwise_and")(other, self)

    def __xor__(self, other):
        return numpy_ufunc("bitwise_xor")(self, other)

    def __rxor__(self, other):
        return numpy_ufunc("bitwise_xor")(other, self)

    def __or__(self, other):
        return numpy_ufunc("bitwise_or")(self, other)

    def __ror__(self, other):
        return numpy_ufunc("bitwise_or")(other, self)

    def __pow__(self, other, modulus):
        if modulus is not None:
            return NotImplemented
        return numpy_ufunc("power")(self, other)

    def __rpow__(self, other, modulus):
        if modulus is not None:
            return NotImplemented
        return numpy_ufunc("power")(other, self)

    def __neg__(self):
        return numpy_ufunc("negative")(self)

    def __pos__(self):
        return numpy_ufunc("positive")(self)

    def __abs__(self):
        return numpy_ufunc("absolute")(self)

    def __invert__(self):
        return numpy_ufunc("invert")(self)

    cdef int _check_implicit(self) except -1:
        if not self._is_implicit:
            raise ValueError(
                "this DeviceArray was made without implicit_host_transfer: NumPy may not read it by itself; "
                "call to_host() for its contents"
            )
        return 0

    cdef bint _has_address(self) noexcept:
        return iree_hal_heap_buffer_data(iree_hal_buffer_view_buffer(self._view)) != NULL

    # Whether nothing but this object can see the memory.
    cdef bint _is_alone(self) except -1:
        cdef iree_hal_buffer_t* buffer = iree_hal_buffer_view_buffer(self._view)
        return (
            ref_count_of(self._view, _buffer_view_type) == 1
            and load_count(&buffer.resource.ref_count) == 1
            and (buffer.allocated_buffer == buffer or load_count(&buffer.allocated_buffer.resource.ref_count) == 1)
            and iree_hal_buffer_allowed_access(buffer) & IREE_HAL_MEMORY_ACCESS_WRITE
        )

    # Whether writing to the memory would be seen by somebody who has a view of it or lent it, or is not allowed.
    cdef bint _must_not_change(self) noexcept:
        cdef iree_hal_buffer_t* buffer = iree_hal_buffer_view_buffer(self._view)
        return (
            load_shared(&self._views) != 0
            or iree_cy_heap_buffer_is_lent(buffer)
            or not iree_hal_buffer_allowed_access(buffer) & IREE_HAL_MEMORY_ACCESS_WRITE
        )

    # The contents: a view of the memory, read-only unless `to_keep`, or a copy where it must be one.
    cdef object _host_array(self, bint to_keep):
        cdef iree_hal_element_type_t element_type = iree_hal_buffer_view_element_type(self._view)
        cdef iree_hal_buffer_t* buffer = iree_hal_buffer_view_buffer(self._view)
        cdef void* data = iree_hal_heap_buffer_data(buffer)
        cdef int type_num = numpy_type_of(element_type)
        cdef _HostView base = None
        cdef object array
        if not load_flag(&_numpy_started):
            start_numpy()
        raise_flag(&self._was_on_host)
        if data != NULL:
            base = self._base_of_view(to_keep)
        if type_num >= 0 and iree_hal_buffer_view_shape_rank(self._view) <= MAX_RANK:
            array = self._array_of_type(type_num, data, base)
        else:
            array = self._array_of_bytes(element_type, data, base)
        if self._dtype is not None and array.dtype != self._dtype:
            array = array.astype(self._dtype)
        return array

    # The base of a view; None where it has to be a copy. It is counted first and looked at afterwards, as a call does
    # with its arguments: of two threads that do this at once, one sees the other.
    cdef _HostView _base_of_view(self, bint is_writable):
        cdef _HostView base = _HostView.__new__(_HostView)
        cdef int64_t views
        base.is_writable = is_writable
        base.array = self
        add_shared(&self._views, WRITABLE_VIEW if is_writable else READ_ONLY_VIEW)
        if not is_writable:
            return base
        # A read-only view that is alive would show what is written; a second writable one is the same again. Memory
        # that a call, another result or the program uses is not ours to give away.
        views = load_shared(&self._views)
        if views >> 32 != <int64_t><uint32_t>views or load_shared(&self._call_count) != 0 or not self._is_alone():
            return None
        return base

    # `base` None makes a copy.
    cdef object _array_of_type(self, int type_num, void* data, _HostView base):
        cdef Py_ssize_t[MAX_RANK] dims
        cdef const iree_hal_dim_t* shape = iree_hal_buffer_view_shape_dims(self._view)
        cdef int rank = <int>iree_hal_buffer_view_shape_rank(self._view)
        cdef int i
        cdef object array
        for i in range(rank):
            dims[i] = <Py_ssize_t>shape[i]
        if base is None:
            array = PyArray_SimpleNew(rank, dims, type_num)
            self._read_into(PyArray_DATA(<PyArrayObject*>array))
            return array
        array = PyArray_SimpleNewFromData(rank, dims, type_num, data)
        set_base(array, base)
        return array

    # For dtypes that NumPy's own numbers do not reach.
    cdef object _array_of_bytes(self, iree_hal_element_type_t element_type, void* data, _HostView base):
        cdef Py_ssize_t length = <Py_ssize_t>iree_hal_buffer_view_byte_length(self._view)
        cdef object array
        dtype = dtype_of(element_type)
        if base is None:
            array = PyArray_SimpleNew(1, &length, NPY_UINT8)
            self._read_into(PyArray_DATA(<PyArrayObject*>array))
        else:
            array = PyArray_SimpleNewFromData(1, &length, NPY_UINT8, data)
            set_base(array, base)
        return array.view(dtype).reshape(self.shape)

    cdef int _read_into(self, void* target) except -1:
        return read_buffer(
            self._owner,
            iree_hal_buffer_view_buffer(self._view),
            target,
            iree_hal_buffer_view_byte_length(self._view),
        )

    # Whether somebody may write to the memory by a view.
    cdef inline bint _has_writable_view(self) noexcept:
        return load_shared(&self._views) >> 32 != 0


cdef int set_base(object array, _HostView base) except -1:
    if not base.is_writable:
        PyArray_CLEARFLAGS(<PyArrayObject*>array, NPY_ARRAY_WRITEABLE)
    # Takes the reference.
    Py_INCREF(base)
    return PyArray_SetBaseObject(<PyArrayObject*>array, base)


# Below this, handing the GIL over costs more than giving the memory back.
cdef iree_device_size_t NOGIL_RELEASE_BYTES = 1 << 20


# The references to an object of a registered type that there are now.
cdef inline int32_t ref_count_of(void* object_, iree_vm_ref_type_t type) noexcept nogil:
    return load_count(<int32_t*>(<uint8_t*>object_ + (type & 7) * 4))


# Takes `view`.
cdef DeviceArray device_array_from(iree_hal_buffer_view_t* view, HalDevice device, object dtype):
    cdef DeviceArray result = <DeviceArray>new_object(DeviceArray)
    result._view = view
    result._owner = device
    result._dtype = dtype
    result._is_implicit = True
    return result


def restore_array(array):
    """Return what a pickled DeviceArray held.

    Parameters
    ----------
    array
        The ndarray.
    """
    return array


cdef object numpy_ufunc(str name):
    start_numpy()
    return getattr(_np, name)


cdef object implicit_host(object value):
    if not isinstance(value, DeviceArray):
        return value
    (<DeviceArray>value)._check_implicit()
    return (<DeviceArray>value)._host_array(False)


# `value` with ndarrays in place of the device arrays in it.
cdef object explicit_host(object value):
    if isinstance(value, DeviceArray):
        return (<DeviceArray>value)._host_array(False)
    if type(value) is tuple:
        return tuple([explicit_host(item) for item in value])
    if type(value) is list:
        return [explicit_host(item) for item in value]
    if type(value) is dict:
        return {key: explicit_host(item) for key, item in value.items()}
    return value
