# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmFunction.

@cython.no_gc
cdef class VmFunction:
    """A function of a module."""

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("VmFunction", "VmModule.lookup_function()")

    @property
    def linkage(self):
        """Which table of the module it stands in: a number of `Linkage`."""
        return int(self._function.linkage)

    @property
    def module_name(self):
        """Name of its module."""
        return text_of(iree_vm_module_name(self._function.module))

    @property
    def name(self):
        """Its name, without the module's."""
        return text_of(iree_vm_function_name(&self._function))

    @property
    def ordinal(self):
        """Its position in the table."""
        return int(self._function.ordinal)

    @property
    def calling_convention(self):
        """How it is called: ``"0rI_i"`` takes a reference and an i64 and returns an i32."""
        return text_of(iree_vm_function_signature(&self._function).calling_convention)

    @property
    def reflection(self):
        """What the compiler noted of it: a dict of str to str."""
        with cython.critical_section(self):
            if self._reflection is None:
                self._reflection = self._read_reflection()
            return dict(self._reflection)

    cdef dict _read_reflection(self):
        cdef iree_string_pair_t pair
        cdef iree_status_t status
        cdef iree_host_size_t index = 0
        result = {}
        while True:
            status = iree_vm_function_get_attr(self._function, index, &pair)
            if status != NULL:
                if iree_status_code(status) == IREE_STATUS_OUT_OF_RANGE:
                    iree_status_ignore(status)
                    return result
                raise_status(status)
            result[text_of(pair.key)] = text_of(pair.value)
            index += 1

    def __repr__(self):
        return f"<VmFunction {self.name}({self.calling_convention}), reflection = {self.reflection}>"


cdef VmFunction vm_function_from(iree_vm_function_t function, VmModule module):
    cdef VmFunction result = <VmFunction>new_object(VmFunction)
    result._function = function
    result._module = module
    return result
