# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Calls a function again and again from C, and from Cython: what rows_layers.py times.
# cython: language_level=3
# cython: freethreading_compatible=True
"""One call from the layers below Python."""

from libc.string cimport memset

from iree_cy._core cimport (
    VmContext,
    VmFunction,
    VmRef,
    check_status,
    iree_cy_import,
    iree_cy_vm_call_options_default,
    iree_cy_vm_call_options_t,
    iree_cy_vm_context_call,
    iree_make_byte_span,
    iree_status_t,
    iree_vm_ref_release,
    iree_vm_ref_t,
)

# The functions above go through the host table: it is there from here on.
iree_cy_import()


def call_in_c(VmContext context not None, VmFunction function not None, VmRef a not None, VmRef b not None, Py_ssize_t count):
    """Call a function of two references and one result `count` times in a loop of C.

    Parameters
    ----------
    context, function
        What is called; its convention is ``0rr_r``.
    a, b
        The arguments.
    count
        How often.
    """
    cdef iree_vm_ref_t[2] arguments
    cdef iree_vm_ref_t result
    cdef iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default()
    cdef iree_status_t status = NULL
    cdef Py_ssize_t i
    if function.calling_convention != "0rr_r":
        raise ValueError(f"the convention is {function.calling_convention}, not 0rr_r")
    with nogil:
        for i in range(count):
            # Borrowed, by what the arguments of a call are.
            arguments[0] = a._ref
            arguments[1] = b._ref
            memset(&result, 0, sizeof(result))
            status = iree_cy_vm_context_call(
                context._handle,
                function._function,
                &options,
                iree_make_byte_span(arguments, sizeof(arguments)),
                iree_make_byte_span(&result, sizeof(result)),
            )
            if status != NULL:
                break
            iree_vm_ref_release(&result)
    check_status(status)


def call_in_cython(function, tuple arguments not None, Py_ssize_t count):
    """Call anything `count` times in a loop of Cython.

    Parameters
    ----------
    function, arguments
        What is called, and with what.
    count
        How often.
    """
    cdef Py_ssize_t i
    for i in range(count):
        function(*arguments)
