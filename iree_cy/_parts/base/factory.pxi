# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns how classes whose objects are made by factories refuse to be made otherwise.

# What a factory passes to the __cinit__ of the class whose object it makes: this class. It is static, so that threads
# do not meet at the count of its references.
@cython.internal
cdef class _FactoryMark:
    pass


cdef tuple _FACTORY_ARGUMENTS = (_FactoryMark,)


# An object of `cls` as __cinit__ leaves it.
cdef inline object new_object(type cls):
    return (<PyTypeObject*>cls).tp_new(cls, <PyObject*>_FACTORY_ARGUMENTS, NULL)


# Whether the first argument of a __cinit__ comes from `new_object`.
cdef inline bint is_factory(object mark) noexcept:
    return <PyObject*>mark == <PyObject*>_FactoryMark


cdef int refuse_constructor(str name, str factory) except -1:
    raise _type_error(f"{name} has no constructor; use {factory}")
