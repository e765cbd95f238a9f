# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmContext: modules linked together, with their state and limits.

cdef class VmContext:
    """Modules linked together, with their state. Calls run in a context.

    Parameters
    ----------
    instance
        The instance.
    modules
        The modules, each after those it needs. Without them the context is empty, and
        `register_modules` adds some.
    max_instructions
        Instructions that one call may execute; None for any number.
    max_call_depth
        Function calls that may be under way inside one another.
    max_bytes
        Bytes of lists, buffers and device memory of the program that may be alive at one time.

    Raises
    ------
    StatusError
        If a module needs one that is not there, or an initializer fails.
    """

    def __cinit__(
        self,
        VmInstance instance not None,
        modules=None,
        *,
        max_instructions=None,
        max_call_depth=None,
        max_bytes=None,
    ):
        cdef iree_cy_vm_limits_t limits = iree_cy_vm_limits_none()
        cdef iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default()
        cdef CallScope call
        cdef iree_vm_module_t** handles = NULL
        cdef iree_host_size_t count = 0
        cdef iree_status_t status
        limits.max_instructions = limit_of("max_instructions", max_instructions, 64)
        limits.max_call_depth = <uint32_t>limit_of("max_call_depth", max_call_depth, 32)
        limits.max_bytes = limit_of("max_bytes", max_bytes, 64)
        options.interrupt = iree_hal_call_scope_poll
        items = module_list(self, modules)
        try:
            handles = module_handles(items)
            count = len(items)
            with nogil:
                begin_call(&call, IREE_TIME_INFINITE_FUTURE)
                status = iree_cy_vm_context_create(
                    instance._handle,
                    IREE_VM_CONTEXT_FLAG_NONE,
                    &limits,
                    &options,
                    count,
                    handles,
                    iree_allocator_system(),
                    &self._handle,
                )
                status = iree_hal_call_scope_end(&call.scope, status)
                end_call_scope(&call)
            check_call(&call, status)
        finally:
            PyMem_Free(handles)

    def register_modules(self, modules):
        """Add modules, in order, to a context made without any.

        Raises
        ------
        StatusError
            If a module needs one that is not there, or an initializer fails. None is added then.
        """
        cdef iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default()
        cdef CallScope call
        cdef iree_vm_module_t** handles = NULL
        cdef iree_host_size_t count
        cdef iree_status_t status
        options.interrupt = iree_hal_call_scope_poll
        items = module_list(self, modules)
        try:
            handles = module_handles(items)
            count = len(items)
            with nogil:
                begin_call(&call, IREE_TIME_INFINITE_FUTURE)
                status = iree_cy_vm_context_register_modules(self._handle, &options, count, handles)
                status = iree_hal_call_scope_end(&call.scope, status)
                end_call_scope(&call)
            check_call(&call, status)
        finally:
            PyMem_Free(handles)

    def invoke(self, VmFunction function not None, VmVariantList inputs not None, VmVariantList outputs not None):
        """Call a function with a list of arguments; its results are put into another list.

        Parameters
        ----------
        function
            A function of one of the context's modules.
        inputs
            One element per argument.
        outputs
            Gets one element per result.

        Raises
        ------
        StatusError
            If the arguments do not fit, or the call fails.
        """
        cdef iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default()
        cdef CallScope call
        cdef iree_status_t status
        options.interrupt = iree_hal_call_scope_poll
        options.end = iree_hal_call_scope_end
        options.end_user_data = &call.scope
        raise_flag(&self._has_exposed)
        with nogil:
            begin_call(&call, IREE_TIME_INFINITE_FUTURE)
            status = iree_cy_vm_invoke(
                self._handle,
                function._function,
                &options,
                inputs._handle,
                outputs._handle,
                iree_allocator_system(),
            )
            end_call_scope(&call)
        check_call(&call, status)

    @property
    def is_stateless(self):
        """Whether calls of several threads run side by side: no call changes what a module holds."""
        return iree_vm_context_flags(self._handle) & IREE_CY_VM_CONTEXT_FLAG_STATELESS != 0

    @property
    def context_id(self):
        """A number that no other context of the process has."""
        return int(iree_vm_context_id(self._handle))

    def __dealloc__(self):
        if self._handle != NULL:
            # Runs deinitializers of programs and drops device objects.
            with nogil:
                iree_vm_context_release(self._handle)

    def __repr__(self):
        cdef iree_host_size_t i
        names = [
            text_of(iree_vm_module_name(iree_vm_context_module_at(self._handle, i)))
            for i in range(iree_vm_context_module_count(self._handle))
        ]
        return f"<VmContext {self.context_id} : [{', '.join(names)}]>"


# `bits` is a Python int: a C shift by 64 is undefined.
cdef uint64_t limit_of(str name, object value, object bits) except? 0:
    if value is None:
        return 0
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _type_error(f"{name} is an int or None, not {_type_name(value)}")
    value = value.__index__()
    if not 0 < value < 1 << bits:
        raise _value_error(f"{name} is between 1 and {(1 << bits) - 1}, not {_quote(value, 40)}; None is no limit")
    return <uint64_t>value


# The modules that `context` is made with, or gets.
cdef list module_list(VmContext context, object modules):
    items = [] if modules is None else list(modules)
    for item in items:
        if not isinstance(item, VmModule):
            raise _type_error(f"modules holds {_an(_type_name(item))}, not a VmModule")
        context._has_python |= (<VmModule>item)._is_python
    return items


# Freed by the caller with PyMem_Free; the handles are borrowed from `items`.
cdef iree_vm_module_t** module_handles(list items) except NULL:
    cdef Py_ssize_t i
    cdef iree_vm_module_t** handles = <iree_vm_module_t**>PyMem_Malloc((len(items) + 1) * sizeof(void*))
    if handles == NULL:
        raise MemoryError()
    for i in range(len(items)):
        handles[i] = (<VmModule>items[i])._handle
    return handles
