# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what is worked out once per function so that calls need not: kinds, types, shapes, sizes.

cdef enum ValueKind:
    # A reference of which nothing is known.
    KIND_ANY
    KIND_TENSOR
    # A list, tuple or dict.
    KIND_CONTAINER
    # Numbers that are carried as what they are.
    KIND_I32
    KIND_I64
    KIND_F32
    KIND_F64
    # Integers that an i32 or i64 carries: i1, i8, ui32 ...
    KIND_OTHER_INTEGER
    # f16 and bf16, as the bits of an i32.
    KIND_OTHER_FLOAT


cdef struct ValuePlan:
    ValueKind kind
    # Of the calling convention.
    char letter
    # Of an integer: what it holds, when an int64_t can say that.
    int64_t low
    int64_t high
    # The program may write to it or return it, so that it must be memory of ours.
    bint is_taken
    # Of a tensor: the dtype that fits, or -1; the element type, or 0; the shape, or rank -1.
    int type_num
    iree_hal_element_type_t element_type
    int rank
    int64_t[MAX_RANK] shape


cdef dict _SIZES_BY_LETTER = {
    c"i": sizeof(int32_t),
    c"I": sizeof(int64_t),
    c"f": sizeof(float),
    c"F": sizeof(double),
    c"r": sizeof(iree_vm_ref_t),
}


cdef class _FunctionPlan:
    cdef readonly str name
    cdef readonly object signature
    # What messages and conversions ask that are not on the fast path.
    cdef tuple argument_values
    cdef tuple result_values
    # How messages about each argument begin.
    cdef tuple subjects
    cdef dict index_by_keyword
    cdef bint has_fences
    # Whether an argument may be an object that Python sees while the call runs: a list, say.
    cdef bint takes_any
    cdef int argument_count
    cdef int result_count
    cdef ValuePlan* arguments
    cdef ValuePlan* results
    # The dtype to give to each result where it differs from its element type's, or None.
    cdef list result_dtypes
    cdef iree_host_size_t arguments_size
    cdef iree_host_size_t results_size
    cdef bytes result_letters

    def __cinit__(self, VmFunction function not None):
        cdef iree_vm_function_signature_t c_signature = iree_vm_function_signature(&function._function)
        cdef iree_string_view_t argument_letters, result_letters
        check_status(iree_vm_function_call_get_cconv_fragments(&c_signature, &argument_letters, &result_letters))
        # They begin messages, which have to have room for the rest.
        self.name = _clip(f"{function.module_name}.{function.name}", 60)
        letters = text_of(argument_letters)
        returned = text_of(result_letters)
        if "C" in letters or "C" in returned:
            raise _make_error(
                <int>IREE_STATUS_UNIMPLEMENTED,
                f"{self.name} takes or returns any number of values ({function.calling_convention}), which "
                "Python cannot call",
            )
        try:
            self.signature = _read_signature(letters, returned, reflection_with_model(function))
        except ValueError as error:
            raise _runtime_error(f"{self.name} cannot be called: {error}") from error
        container = self.signature.container
        self.argument_values = self.signature.arguments
        self.result_values = (
            self.signature.results if container is None else tuple(item for _, item in container.items)
        )
        self.subjects = tuple(
            f"{self.name}(): " + (value.name if value.name.startswith("argument ") else f"argument {_quote(value.name, 30)}")
            for value in self.argument_values
        )
        self.has_fences = self.signature.has_fences
        self.takes_any = any(value.kind == "any" for value in self.argument_values)
        self.argument_count = len(self.argument_values)
        self.result_count = len(self.result_values)
        self.index_by_keyword = {
            value.name: index for index, value in enumerate(self.argument_values) if value.keyword
        }
        self.arguments_size = sum(_SIZES_BY_LETTER[ord(letter)] for letter in letters)
        self.results_size = sum(_SIZES_BY_LETTER[ord(letter)] for letter in returned)
        self.result_letters = returned.encode()
        self.arguments = make_plans(self.argument_values, letters)
        self.results = make_plans(self.result_values, returned)
        self.result_dtypes = [result_dtype(value) for value in self.result_values]

    def __dealloc__(self):
        PyMem_Free(self.arguments)
        PyMem_Free(self.results)

    cdef str subject(self, int index):
        return self.subjects[index]

    cdef str describe_arguments(self):
        return ", ".join([f"{value.name}: {value.describe()}" for value in self.argument_values]) or "none"


# What importers of models call the function that takes fences. Beside it there is one without them, which waits.
cdef str FENCED_SUFFIX = "$async"


# Whether `fenced` is `plain` with two fences more.
cdef bint is_fenced_form(VmFunction fenced, VmFunction plain) except -1:
    arguments, _, results = fenced.calling_convention.partition("_")
    plain_arguments, _, plain_results = plain.calling_convention.partition("_")
    return arguments == plain_arguments.rstrip("v") + "rr" and results == plain_results


# The function that takes fences beside `function`, or None.
cdef VmFunction fenced_form(VmFunction function):
    cdef VmFunction fenced = function._module.lookup_function(function.name + FENCED_SUFFIX)
    return fenced if fenced is not None and is_fenced_form(fenced, function) else None


# The reflection of a function. Importers note nothing of one that takes fences, and what the other one declares holds
# for it.
cdef dict reflection_with_model(VmFunction function):
    reflection = function.reflection
    name = function.name
    if name.endswith(FENCED_SUFFIX):
        plain = function._module.lookup_function(name[: -len(FENCED_SUFFIX)])
        if plain is not None and is_fenced_form(function, plain):
            return {**plain.reflection, "iree.abi.model": "coarse-fences", **reflection}
    return reflection


cdef ValuePlan* make_plans(tuple values, str letters) except NULL:
    cdef Py_ssize_t i, j
    cdef ValuePlan* plan
    cdef ValuePlan* plans = <ValuePlan*>PyMem_Malloc((len(values) + 1) * sizeof(ValuePlan))
    if plans == NULL:
        raise MemoryError()
    memset(plans, 0, (len(values) + 1) * sizeof(ValuePlan))
    for i in range(len(values)):
        value = values[i]
        plan = &plans[i]
        plan.letter = <char>ord(letters[i])
        plan.is_taken = value.is_taken
        plan.type_num = -1
        plan.rank = -1
        plan.kind = kind_of(value.kind, value.type, value.element_type, len(value.shape or ()))
        if value.kind == "scalar" and value.type in _INTEGER_RANGES and value.type != "ui64":
            plan.low, plan.high = _INTEGER_RANGES[value.type]
        if plan.kind == KIND_TENSOR:
            plan.element_type = <iree_hal_element_type_t><unsigned int>value.element_type
            if value.shape is not None:
                plan.rank = len(value.shape)
                for j in range(plan.rank):
                    plan.shape[j] = value.shape[j]
    return plans


cdef ValueKind kind_of(str kind, str type_name, int element_type, int rank) except *:
    if kind == "tensor":
        # One of an element type or rank that we have no room for is left to the program to check.
        return KIND_TENSOR if element_type != 0 and rank <= MAX_RANK else KIND_ANY
    if kind == "scalar":
        if type_name == "i32" or type_name == "si32":
            return KIND_I32
        if type_name == "f32":
            return KIND_F32
        if type_name == "f64":
            return KIND_F64
        if type_name == "i64" or type_name == "si64":
            return KIND_I64
        return KIND_OTHER_FLOAT if type_name in ("f16", "bf16") else KIND_OTHER_INTEGER
    return KIND_ANY if kind == "any" else KIND_CONTAINER


# NumPy has no dtype for the program's i1 stored in bytes of another element type.
cdef object result_dtype(object value):
    return bool if value.kind == "tensor" and value.type == "i1" else None
