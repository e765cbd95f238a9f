# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmModule: programs, and how they get from files and buffers into memory.

# Files up to this size are read, larger ones mapped: reading costs about what mapping and its
# page faults do, and leaves no file that must not be truncated.
_READ_LIMIT = 1 << 20
cdef extern from *:
    """
    // Where constants in a module's contents expect to begin.
    #define IREE_CY_MODULE_ALIGNMENT 64
    """
    const uintptr_t _MODULE_ALIGNMENT "IREE_CY_MODULE_ALIGNMENT"


# What owns the contents of a module. C holds one reference as the self of the allocator.
cdef class _ModuleContents:
    cdef Py_buffer buffer
    cdef bint has_buffer
    cdef iree_cy_file_contents_t file
    cdef object destroy_callback
    cdef object close_buffer

    cdef int close(self) except -1:
        if self.has_buffer:
            self.has_buffer = False
            PyBuffer_Release(&self.buffer)
        iree_cy_file_contents_close(&self.file)
        if self.close_buffer is not None:
            to_close = self.close_buffer
            self.close_buffer = None
            to_close.close()
        if self.destroy_callback is not None:
            callback = self.destroy_callback
            self.destroy_callback = None
            callback()
        return 0

    def __dealloc__(self):
        if self.has_buffer:
            PyBuffer_Release(&self.buffer)
        iree_cy_file_contents_close(&self.file)


cdef iree_status_t contents_ctl(
    void* self, iree_allocator_command_t command, const void* params, void** inout_ptr
) noexcept nogil:
    if command != IREE_ALLOCATOR_COMMAND_FREE:
        return iree_status_allocate(IREE_STATUS_UNIMPLEMENTED, NULL, 0, iree_make_cstring_view("contents are only given back"))
    inout_ptr[0] = NULL
    give_to_python(release_contents, self)
    return iree_ok_status()


cdef void release_contents(void* self) noexcept:
    contents = <_ModuleContents>self
    Py_DECREF(contents)
    try:
        contents.close()
    except BaseException as error:
        report_unraisable("the destroy_callback of a VmModule failed", error)


cdef int report_unraisable(str what, object error) except -1:
    import warnings

    from iree_cy.errors import DeviceWarning

    warnings.warn(f"{what}: {_type_name(error)}: {error}", DeviceWarning, stacklevel=2)
    return 0


@cython.no_gc
cdef class VmModule:
    """A module of functions: a compiled program, or one made of native or Python code.

    Make one with `mmap`, `from_buffer`, `copy_buffer` or `wrap_buffer`.
    """

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("VmModule", "VmModule.mmap() or VmModule.from_buffer()")

    @staticmethod
    def mmap(VmInstance instance not None, filepath, destroy_callback=None):
        """Load a program from a file.

        A file of up to 1 MiB is read. A larger one is mapped privately: deleting or replacing it
        afterwards is harmless, but truncating it in place makes the process fail at its next use of
        the lost part.

        Parameters
        ----------
        instance
            The instance.
        filepath
            Path of the file: a str, bytes or path object.
        destroy_callback
            Called with no argument when nothing uses the file's contents any more.

        Raises
        ------
        FileNotFoundError, IsADirectoryError, OSError
            If the file cannot be read; ``filename`` is its path.
        StatusError
            If it is no program that this runtime can run; the message names the file.
        """
        import os

        cdef _ModuleContents contents = _ModuleContents()
        cdef bytes path = os.fsencode(filepath)
        cdef const char* c_path = path
        cdef iree_host_size_t limit = _READ_LIMIT
        cdef int error
        if b"\0" in path:
            raise ValueError("embedded null byte")
        with nogil:
            error = iree_cy_file_contents_open(c_path, limit, &contents.file)
        if error != 0:
            raise OSError(error, os.strerror(error), os.fspath(filepath))
        contents.destroy_callback = callback_of(destroy_callback)
        try:
            return module_from_contents(instance, contents, contents.file.span)
        except _StatusError as failure:
            raise name_file(failure, os.fsdecode(filepath)) from failure

    @staticmethod
    def copy_buffer(VmInstance instance not None, buffer):
        """Load a program from a copy of a bytes-like object.

        Raises
        ------
        StatusError
            If it is no program that this runtime can run.
        """
        return module_from_buffer(instance, buffer, True, None, None)

    @staticmethod
    def wrap_buffer(VmInstance instance not None, buffer, destroy_callback=None, bint close_buffer=False):
        """Load a program from a bytes-like object, which is kept and must not change.

        It is copied when it does not begin at a multiple of 64 bytes.

        Parameters
        ----------
        instance
            The instance.
        buffer
            The bytes-like object.
        destroy_callback
            Called with no argument when nothing uses the contents any more.
        close_buffer
            Call ``buffer.close()`` then, as fits an `mmap.mmap`.

        Raises
        ------
        StatusError
            If it is no program that this runtime can run.
        """
        return module_from_buffer(instance, buffer, False, destroy_callback, buffer if close_buffer else None)

    @staticmethod
    def from_buffer(VmInstance instance not None, buffer, bint warn_if_copy=True):
        """Load a program from a bytes-like object: used in place where it is aligned, else copied.

        Parameters
        ----------
        instance
            The instance.
        buffer
            The bytes-like object, which must not change.
        warn_if_copy
            Warn when an object that is larger than 1 MiB, or does not even begin where Python's own
            do, is copied.

        Raises
        ------
        StatusError
            If it is no program that this runtime can run.
        """
        cdef Py_buffer view
        PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE)
        cdef uintptr_t address = <uintptr_t>view.buf
        size = view.len
        PyBuffer_Release(&view)
        # A bytes object begins at a multiple of 16: copying a small one is nothing to talk about.
        if warn_if_copy and size and (address % 16 != 0 or (size > _READ_LIMIT and address % _MODULE_ALIGNMENT != 0)):
            import warnings

            warnings.warn(
                f"the {size} bytes of the module are copied, for they are not aligned to {_MODULE_ALIGNMENT} bytes; "
                "VmModule.mmap() on a file copies nothing",
                UserWarning,
                stacklevel=2,
            )
        return module_from_buffer(instance, buffer, False, None, None)

    @staticmethod
    def from_flatbuffer(VmInstance instance not None, buffer, bint warn_if_copy=True):
        """Do what `from_buffer` does, which see.

        Parameters
        ----------
        instance, buffer, warn_if_copy
            As for `from_buffer`.
        """
        return VmModule.from_buffer(instance, buffer, warn_if_copy)

    @staticmethod
    def resolve_module_dependency(VmInstance instance not None, name, minimum_version=0):
        """Find a module by name outside of the context. There is no such place: always raises.

        Parameters
        ----------
        instance
            The instance.
        name, minimum_version
            What the module would have.

        Raises
        ------
        NotFound
            Always, naming the module.
        """
        raise _make_error(
            <int>IREE_STATUS_NOT_FOUND,
            f"no module {name!r} of version {minimum_version} or newer is known; load it and register it by hand",
        )

    def lookup_function(self, name, linkage=None):
        """Return a function by name, or None when there is none.

        Parameters
        ----------
        name
            The name, without the module's.
        linkage
            Which table to look in: a `Linkage`, by default the exports.
        """
        cdef iree_vm_function_t function
        cdef iree_vm_function_linkage_t c_linkage = IREE_VM_FUNCTION_LINKAGE_EXPORT
        cdef iree_status_t status
        if not isinstance(name, str):
            raise _type_error(f"a function's name is a str, not {_type_name(name)}")
        if linkage is not None:
            c_linkage = <iree_vm_function_linkage_t><int>int(linkage)
        status = iree_vm_module_lookup_function_by_name(self._handle, c_linkage, view_of(name), &function)
        if status != NULL:
            if iree_status_code(status) == IREE_STATUS_NOT_FOUND:
                iree_status_ignore(status)
                return None
            raise_status(status)
        return vm_function_from(function, self)

    @property
    def function_names(self):
        """Names of the exported functions, in order."""
        cdef iree_vm_module_signature_t signature = iree_vm_module_signature(self._handle)
        cdef iree_vm_function_t function
        cdef iree_host_size_t i
        names = []
        for i in range(signature.export_function_count):
            check_status(
                iree_vm_module_lookup_function_by_ordinal(
                    self._handle, IREE_VM_FUNCTION_LINKAGE_EXPORT, i, &function
                )
            )
            names.append(text_of(iree_vm_function_name(&function)))
        return names

    @property
    def name(self):
        """The module's name."""
        return text_of(iree_vm_module_name(self._handle))

    @property
    def version(self):
        """The module's version."""
        return int(iree_vm_module_signature(self._handle).version)

    @property
    def stashed_flatbuffer_blob(self):
        """The bytes-like object that the module uses in place, or None."""
        return self._blob

    def __dealloc__(self):
        if self._handle != NULL:
            # Dropping a mapping or a module of Python's may take a while or call back.
            with nogil:
                iree_vm_module_release(self._handle)

    def __repr__(self):
        return f"<VmModule {self.name} : [{', '.join(self.function_names)}]>"


cdef VmModule vm_module_from_handle(iree_vm_module_t* handle):
    cdef VmModule result = <VmModule>new_object(VmModule)
    result._handle = handle
    return result


cdef VmModule module_from_contents(
    VmInstance instance, _ModuleContents contents, iree_const_byte_span_t span
):
    cdef iree_allocator_t allocator
    cdef iree_vm_module_t* handle = NULL
    cdef iree_status_t status
    allocator.self = <void*>contents
    allocator.ctl = contents_ctl
    # The module's reference to its contents.
    Py_INCREF(contents)
    with nogil:
        status = iree_vm_bytecode_module_create(
            instance._handle, IREE_VM_BYTECODE_MODULE_FLAG_NONE, span, allocator, iree_allocator_system(), &handle
        )
    if status != NULL:
        # On failure the contents stayed ours.
        Py_DECREF(contents)
        contents.destroy_callback = None
        contents.close_buffer = None
        raise_status(status)
    return vm_module_from_handle(handle)


cdef VmModule module_from_buffer(
    VmInstance instance, object buffer, bint copy, object destroy_callback, object close_buffer
):
    cdef _ModuleContents contents = _ModuleContents()
    cdef iree_const_byte_span_t span
    cdef void* data = NULL
    cdef VmModule module
    PyObject_GetBuffer(buffer, &contents.buffer, PyBUF_SIMPLE)
    contents.has_buffer = True
    span = iree_make_const_byte_span(contents.buffer.buf, <iree_host_size_t>contents.buffer.len)
    if copy or <uintptr_t>contents.buffer.buf % _MODULE_ALIGNMENT != 0:
        check_status(
            iree_allocator_malloc_aligned(
                iree_allocator_system(), max(span.data_length, <iree_host_size_t>1), _MODULE_ALIGNMENT, &data
            )
        )
        with nogil:
            memcpy(data, span.data, span.data_length)
        contents.file.span = iree_make_const_byte_span(data, span.data_length)
        contents.file.allocator.self = NULL
        contents.file.allocator.ctl = aligned_ctl
        span = contents.file.span
        contents.has_buffer = False
        PyBuffer_Release(&contents.buffer)
    contents.destroy_callback = callback_of(destroy_callback)
    contents.close_buffer = close_buffer
    in_place = contents.has_buffer
    module = module_from_contents(instance, contents, span)
    if in_place:
        module._blob = buffer
    return module


cdef iree_status_t aligned_ctl(
    void* self, iree_allocator_command_t command, const void* params, void** inout_ptr
) noexcept nogil:
    if command == IREE_ALLOCATOR_COMMAND_FREE:
        iree_allocator_free_aligned(iree_allocator_system(), inout_ptr[0])
        inout_ptr[0] = NULL
    return iree_ok_status()


# The same failure, naming the file that it is about.
cdef object name_file(object failure, str path):
    import os

    name = path if len(path) <= 60 else os.path.basename(path)
    if len(name) > 60:
        name = "..." + name[len(name) - 57 :]
    error = _make_error(
        int(failure.code), f"{name}: {failure.message}", failure.annotations, failure.location
    )
    error.filename = path
    return error


# A destroy_callback as it was given, or a TypeError.
cdef object callback_of(object destroy_callback):
    if destroy_callback is not None and not callable(destroy_callback):
        raise _type_error(f"destroy_callback is a function or None, not {_type_name(destroy_callback)}")
    return destroy_callback
