# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns PyModuleInterface: a module written in Python.

cdef class _PyExport:
    cdef str name
    cdef str cconv
    # Letters of the two sides, without 'v'.
    cdef bytes arguments
    cdef bytes results
    # What the C descriptors point into.
    cdef bytes name_bytes
    cdef bytes cconv_bytes
    cdef object callable


@cython.final
cdef class PyModuleInterface:
    """A module whose functions are written in Python.

    Parameters
    ----------
    module_name
        The module's name.
    ctor
        Called with this object for each context that the module is put in. What it returns is the
        first argument of each function in that context.

    Examples
    --------
    >>> interface = PyModuleInterface("math", lambda interface: None)
    >>> interface.export("add", "0ii_i", lambda state, a, b: a + b)
    >>> module = interface.create()
    """

    cdef str _name
    cdef bytes _name_bytes
    cdef object _ctor
    cdef list _exports
    cdef bint _initialized
    cdef bint _destroyed
    cdef iree_vm_native_export_descriptor_t* _descriptors
    cdef iree_vm_native_module_descriptor_t _descriptor
    cdef iree_vm_module_t _interface

    def __cinit__(self, str module_name not None, ctor):
        if not module_name:
            raise ValueError("a module needs a name")
        if not callable(ctor):
            raise _type_error(f"ctor is called for each context, and {_an(_type_name(ctor))} cannot be")
        self._name = module_name
        self._name_bytes = module_name.encode()
        self._ctor = ctor
        self._exports = []

    @cython.critical_section
    def export(self, str name not None, str cconv not None, callable):
        """Add a function.

        Parameters
        ----------
        name
            The function's name.
        cconv
            How it is called: ``"0"``, a letter per argument, ``"_"``, a letter per result. ``i`` and
            ``I`` are int32 and int64, ``f`` and ``F`` are float32 and float64, ``r`` is a reference.
        callable
            Called with the state that `ctor` returned and the arguments, references as `VmRef`. It
            returns one result, or a sequence when there are several.

        Raises
        ------
        ValueError
            If the name is taken or the convention is not one.
        RuntimeError
            If the module has been created.
        """
        cdef iree_vm_function_signature_t signature
        cdef iree_string_view_t arguments, results
        cdef _PyExport export = _PyExport()
        if self._initialized:
            raise _runtime_error(f"module {_quote(self._name, 40)} has been created and takes no more exports")
        if not name:
            raise ValueError("an export needs a name")
        arguments_text, separator, results_text = cconv[1:].partition("_")
        if not arguments_text or (separator and not results_text):
            raise _value_error(
                f"export {_quote(name, 40)}: {_quote(cconv, 30)} is no calling convention; write '0', a letter for each "
                "argument or v, '_', a letter for each result or v"
            )
        if any((<_PyExport>item).name == name for item in self._exports):
            raise _value_error(f"module {_quote(self._name, 40)} has an export {_quote(name, 40)} already")
        export.name = name
        export.cconv = cconv
        export.name_bytes = name.encode()
        export.cconv_bytes = cconv.encode()
        if not PyCallable_Check(callable):
            raise _type_error(f"export {_quote(name, 40)} is called, and {_an(_type_name(callable))} cannot be")
        export.callable = callable
        signature.calling_convention = iree_make_string_view(export.cconv_bytes, len(export.cconv_bytes))
        check_status(iree_vm_function_call_get_cconv_fragments(&signature, &arguments, &results))
        export.arguments = arguments.data[: arguments.size] if arguments.size else b""
        export.results = results.data[: results.size] if results.size else b""
        if b"C" in export.arguments or b"C" in export.results:
            raise _value_error(f"{_quote(cconv, 30)}: variadic arguments and results cannot be exported from Python")
        self._exports.append(export)

    @cython.critical_section
    def create(self):
        """Make the module. This can be done once.

        Raises
        ------
        RuntimeError
            If it has been done.
        """
        cdef Py_ssize_t i, count = len(self._exports)
        cdef _PyExport export
        cdef iree_vm_module_t* handle = NULL
        cdef iree_status_t status
        if self._initialized:
            raise _runtime_error(f"module {_quote(self._name, 40)} has been created already")
        self._descriptors = <iree_vm_native_export_descriptor_t*>PyMem_Malloc((count + 1) * sizeof(self._descriptors[0]))
        if self._descriptors == NULL:
            raise MemoryError()
        for i in range(count):
            export = self._exports[i]
            self._descriptors[i].local_name = iree_make_string_view(export.name_bytes, len(export.name_bytes))
            self._descriptors[i].calling_convention = iree_make_string_view(
                export.cconv_bytes, len(export.cconv_bytes)
            )
            self._descriptors[i].target = py_module_target
            self._descriptors[i].attr_count = 0
            self._descriptors[i].attrs = NULL
        memset(&self._descriptor, 0, sizeof(self._descriptor))
        self._descriptor.name = iree_make_string_view(self._name_bytes, len(self._name_bytes))
        self._descriptor.export_count = count
        self._descriptor.exports = self._descriptors
        memset(&self._interface, 0, sizeof(self._interface))
        self._interface.self = <void*>self
        self._interface.destroy = py_module_destroy
        self._interface.alloc_state = py_module_alloc_state
        self._interface.free_state = py_module_free_state
        # The table would not say which export is called.
        self._interface.begin_call = py_module_begin_call
        status = iree_vm_native_module_create(
            &self._interface, &self._descriptor, _types_instance._handle, iree_allocator_system(), &handle
        )
        check_status(status)
        # The module's own reference, dropped by py_module_destroy.
        Py_INCREF(self)
        self._initialized = True
        cdef VmModule module = vm_module_from_handle(handle)
        module._is_python = True
        return module

    @property
    def initialized(self):
        """Whether the module has been created."""
        return self._initialized

    @property
    def destroyed(self):
        """Whether the module was created and is gone."""
        return self._destroyed

    def __dealloc__(self):
        PyMem_Free(self._descriptors)

    def __repr__(self):
        state = " destroyed" if self._destroyed else " initialized" if self._initialized else ""
        return f"<PyModuleInterface '{self._name}'{state}>"

    cdef int call(self, iree_vm_stack_t* stack, iree_vm_function_call_t* c_call) except -1:
        cdef _PyExport export = self._exports[c_call.function.ordinal]
        cdef const uint8_t* cursor = c_call.arguments.data
        cdef uint8_t* target = c_call.results.data
        arguments = [<object>c_call.module_state]
        for letter in export.arguments:
            arguments.append(read_argument(letter, &cursor))
        results = export.callable(*arguments)
        wanted = len(export.results)
        if wanted == 0:
            return 0
        if wanted == 1:
            results = (results,)
        else:
            results = tuple(results)
            if len(results) != wanted:
                raise _value_error(f"{self._name}.{export.name} returned {_counted(len(results), 'result')}, {_quote(export.cconv, 30)} says {wanted}")
        for i in range(wanted):
            write_result(f"{self._name}.{export.name}", i, export.results[i], results[i], &target)
        return 0


cdef object read_argument(int letter, const uint8_t** cursor):
    cdef int32_t i32
    cdef int64_t i64
    cdef float f32
    cdef double f64
    cdef iree_vm_ref_t ref
    if letter == c"i":
        memcpy(&i32, cursor[0], sizeof(i32))
        cursor[0] += sizeof(i32)
        return i32
    if letter == c"I":
        memcpy(&i64, cursor[0], sizeof(i64))
        cursor[0] += sizeof(i64)
        return i64
    if letter == c"f":
        memcpy(&f32, cursor[0], sizeof(f32))
        cursor[0] += sizeof(f32)
        return <double>f32
    if letter == c"F":
        memcpy(&f64, cursor[0], sizeof(f64))
        cursor[0] += sizeof(f64)
        return f64
    memcpy(&ref, cursor[0], sizeof(ref))
    cursor[0] += sizeof(ref)
    # The Python object may outlive the call, and the argument is only borrowed.
    iree_vm_ref_retain_inplace(&ref)
    return vm_ref_from(&ref)


cdef int write_result(str where, object index, int letter, object value, uint8_t** target) except -1:
    cdef int32_t i32
    cdef int64_t i64
    cdef float f32
    cdef double f64
    cdef iree_vm_ref_t ref
    if letter == c"r":
        ref = iree_vm_ref_null()
        if value is not None:
            ref = as_vm_ref(value)._ref
            iree_vm_ref_retain_inplace(&ref)
        memcpy(target[0], &ref, sizeof(ref))
        target[0] += sizeof(ref)
        return 0
    subject = f"result {index} of {where}"
    if letter == c"i":
        i32 = <int32_t>exact_int(subject, "i32", value, INT32_MIN, INT32_MAX)
        memcpy(target[0], &i32, sizeof(i32))
        target[0] += sizeof(i32)
    elif letter == c"I":
        i64 = exact_int(subject, "i64", value, INT64_MIN_VALUE, INT64_MAX)
        memcpy(target[0], &i64, sizeof(i64))
        target[0] += sizeof(i64)
    elif letter == c"f":
        f32 = <float>exact_float(subject, "f32", value)
        memcpy(target[0], &f32, sizeof(f32))
        target[0] += sizeof(f32)
    else:
        f64 = exact_float(subject, "f64", value)
        memcpy(target[0], &f64, sizeof(f64))
        target[0] += sizeof(f64)
    return 0


# Never called: begin_call is the module's own. The descriptors need one all the same.
cdef iree_status_t py_module_target(
    iree_vm_stack_t* stack, void* module, void* module_state, iree_byte_span_t arguments, iree_byte_span_t results
) noexcept nogil:
    return iree_status_allocate(IREE_STATUS_INTERNAL, NULL, 0, iree_make_cstring_view("a Python module is called by begin_call"))


cdef iree_status_t python_is_gone() noexcept nogil:
    return iree_status_allocate(IREE_STATUS_UNAVAILABLE, NULL, 0, iree_make_cstring_view("the interpreter has ended"))


cdef iree_status_t py_module_begin_call(void* self, iree_vm_stack_t* stack, iree_vm_function_call_t call) noexcept nogil:
    cdef PyModuleRequest request
    if not gate_is_open():
        return python_is_gone()
    memset(&request, 0, sizeof(request))
    request.self = self
    request.stack = stack
    request.call = &call
    call_python(py_module_call, &request)
    return request.status


# What call_python passes on.
cdef struct PyModuleRequest:
    void* self
    iree_vm_stack_t* stack
    iree_vm_function_call_t* call
    iree_vm_module_state_t* module_state
    iree_status_t status


cdef void py_module_call(void* user_data) noexcept:
    cdef PyModuleRequest* request = <PyModuleRequest*>user_data
    interface = <PyModuleInterface>request.self
    try:
        if request.call.function.ordinal >= <uint32_t>len(interface._exports):
            raise IndexError(f"no export {request.call.function.ordinal}")
        interface.call(request.stack, request.call)
    except BaseException as error:
        request.status = iree_cy_vm_function_annotate(status_of_exception(error), request.call.function)


cdef iree_status_t py_module_alloc_state(
    void* self, iree_allocator_t allocator, iree_vm_module_state_t** out_module_state
) noexcept nogil:
    cdef PyModuleRequest request
    out_module_state[0] = NULL
    if not gate_is_open():
        return python_is_gone()
    memset(&request, 0, sizeof(request))
    request.self = self
    call_python(py_module_construct, &request)
    out_module_state[0] = request.module_state
    return request.status


cdef void py_module_construct(void* user_data) noexcept:
    cdef PyModuleRequest* request = <PyModuleRequest*>user_data
    interface = <PyModuleInterface>request.self
    try:
        state = interface._ctor(interface)
    except BaseException as error:
        request.status = status_of_exception(error)
        return
    Py_INCREF(state)
    request.module_state = <iree_vm_module_state_t*><void*>state


cdef void py_module_free_state(void* self, iree_vm_module_state_t* module_state) noexcept nogil:
    drop_reference(<void*>module_state)


cdef void py_module_destroy(void* self) noexcept nogil:
    give_to_python(py_module_forget, self)


cdef void py_module_forget(void* self) noexcept:
    interface = <PyModuleInterface>self
    interface._destroyed = True
    # What the constructor and the functions refer to is the user's, and may refer to the interface.
    interface._ctor = None
    Py_DECREF(interface)
