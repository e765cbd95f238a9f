# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what can be told of a program without running it: its calls of imports and its constants.

cdef iree_status_t note_call(void* user_data, const iree_vm_bytecode_call_t* call) noexcept:
    cdef iree_host_size_t i
    cdef uint32_t reference
    references = []
    for i in range(call.reference_count):
        reference = call.references[i]
        if reference == IREE_VM_BYTECODE_REFERENCE_UNKNOWN:
            references.append(None)
        elif reference == IREE_VM_BYTECODE_REFERENCE_NULL:
            references.append(-1)
        else:
            references.append(reference)
    (<list>user_data).append((text_of(call.import_.full_name), tuple(references)))
    return NULL


def import_calls(VmModule module not None):
    """Return each call of an import that a program can come to, as ``(name, references)``.

    The references among the arguments are ordinals of constants, -1 for null, or None where that is not known.
    """
    calls = []
    check_status(iree_vm_bytecode_visit_calls(module._handle, note_call, <void*>calls))
    return calls


def module_constant(VmModule module not None, iree_host_size_t ordinal):
    """Return the bytes of a constant of a program."""
    cdef iree_const_byte_span_t contents
    check_status(iree_vm_bytecode_module_constant(module._handle, ordinal, &contents))
    return PyBytes_FromStringAndSize(<const char*>contents.data, <Py_ssize_t>contents.data_length)


def check_cpu_executable(format, data, constants=()):
    """Load an executable with the core's loaders of CPU code, and drop it.

    Parameters
    ----------
    format
        Its format, such as ``embedded-elf-x86_64``, ``system-elf-x86_64`` or ``vmvx-bytecode-fb``.
    data
        The executable, a bytes-like object.
    constants
        The 32-bit constants that it is loaded with.

    Raises
    ------
    Unimplemented
        If no loader takes the format on this machine.
    Incompatible
        If it is of another version or needs features that this processor does not have.
    InvalidArgument
        If it is malformed.
    """
    cdef iree_hal_executable_loader_t* loader = NULL
    cdef iree_hal_executable_t* executable = NULL
    cdef iree_hal_executable_params_t params
    cdef iree_status_t status
    cdef uint32_t[64] values
    cdef bytes contents = bytes(memoryview(data))
    if not isinstance(format, str):
        raise _type_error(f"a format is a str, not {_type_name(format)}")
    memset(&params, 0, sizeof(params))
    params.size = sizeof(params)
    params.executable_format = view_of(format)
    params.executable_data.data = <const uint8_t*><const char*>contents
    params.executable_data.data_length = <iree_host_size_t>len(contents)
    params.constant_count = len(constants)
    if params.constant_count > 64:
        raise _make_error(<int>IREE_STATUS_OUT_OF_RANGE, f"{len(constants)} constants; 64 are taken")
    for i, value in enumerate(constants):
        values[<Py_ssize_t>i] = <uint32_t>value
    params.constants = values
    for name in ("embedded-elf", "system-library", "vmvx"):
        check_status(iree_hal_executable_loader_create(view_of(name), iree_allocator_system(), &loader))
        if iree_hal_executable_loader_query_support(loader, 0, params.executable_format):
            with nogil:
                status = iree_hal_executable_loader_try_load(loader, &params, 1, &executable)
                iree_hal_executable_loader_release(loader)
            check_status(status)
            iree_hal_executable_release(executable)
            return
        iree_hal_executable_loader_release(loader)
    raise _make_error(<int>IREE_STATUS_UNIMPLEMENTED, f"no loader here takes the format {_quote(format)}")
