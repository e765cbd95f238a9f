# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns how classes whose objects are made by factories refuse to be made otherwise.

# Set by a factory just before it makes an object, and taken by the object's __cinit__. No Python code
# may run between the two, or an object of its own would take it: so the classes that factories make
# are all no_gc, for an allocation of the others may collect garbage and run finalizers. Nothing that
# they refer to leads back to them.
cdef bint _factory_at_work = False


cdef inline void begin_factory() noexcept:
    global _factory_at_work
    _factory_at_work = True


cdef inline bint is_factory() noexcept:
    global _factory_at_work
    if not _factory_at_work:
        return False
    _factory_at_work = False
    return True


cdef int refuse_constructor(str name, str factory) except -1:
    raise _type_error(f"{name} has no constructor; use {factory}")
