# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns FunctionInvoker: the path of a call from Python values to the program and back.

# Up to this many bytes an input is copied: using it in place costs as much, for its buffer is made over
# memory of the caller's and looked at after the call. Measured: both add 0.2 us at 4 KiB, and a copy of
# 64 KiB adds 1.5 us.
cdef iree_device_size_t COPY_LIMIT = 4096
# What compiled code expects of the memory of its buffers.
cdef uintptr_t DATA_ALIGNMENT = 64

cdef enum:
    # Calls that need no more than this take no memory of the heap.
    SMALL_CALL_WORDS = 128


cdef extern from "iree_cy/native/hal/heap_buffer.h" nogil:
    iree_status_t iree_cy_heap_buffer_detach(iree_hal_buffer_t* buffer)
    bint iree_cy_heap_buffer_is_lent(const iree_hal_buffer_t* buffer)


# What the call holds of one argument until it is over.
cdef struct HeldArgument:
    iree_vm_ref_t ref
    # The buffer when it is memory of the caller's, used in place.
    iree_hal_buffer_t* in_place
    # Borrowed: the DeviceArray that the call is counted in.
    PyObject* array


# A call under way.
cdef struct Call:
    # All that follows lies in it: `small`, or of the heap, or NULL.
    uint8_t* memory
    uint8_t* arguments
    uint8_t* results
    HeldArgument* held
    int held_count
    # Whether arrays may be used in place. Not where Python can take views of them that outlive the call.
    bint may_share
    # Whether the program may hold buffers that Python has other ways to write to.
    bint has_exposed
    # Borrowed: the list of what the thread that makes the call copies, once the bytes are used up that may be copied
    # before. NULL where all is copied at once.
    PyObject* deferred
    iree_device_size_t copy_budget
    # Room for what is small, aligned as the structs in it want.
    uint64_t[SMALL_CALL_WORDS] small
    CallScope base
    # Whether operations of it go on although it is over.
    bint is_left_running
    # Whether the results are references that have to be released.
    bint has_results


# `iree_cy._async.start_call`, once it was asked for.
cdef object _start_call = None


@cython.final
cdef class FunctionInvoker:
    """A function of a program, to be called from Python.

    Arrays are passed as ndarrays, as anything that ``numpy.asarray`` takes, or as `DeviceArray`;
    they are checked against what the function declares. Numbers are converted exactly. Results are
    `DeviceArray` and Python numbers: None, one, or a tuple.

    Parameters
    ----------
    vm_context
        The context.
    device
        The device on which arguments are put.
    vm_function
        The function.
    """

    cdef VmContext _context
    cdef HalDevice _device
    cdef VmFunction _function
    cdef _FunctionPlan _plan
    # What `call_async` calls: the same, or the function that takes fences beside it.
    cdef VmFunction _fenced_function
    cdef _FunctionPlan _fenced_plan
    cdef dict __dict__

    def __cinit__(self, VmContext vm_context not None, HalDevice device not None, VmFunction vm_function not None):
        self._context = vm_context
        self._device = device
        self._function = vm_function
        self._plan = _FunctionPlan(vm_function)
        self._fenced_function = vm_function
        self._fenced_plan = self._plan
        if not self._plan.has_fences:
            self._find_fenced_form()
        self.__name__ = vm_function.name

    @property
    def vm_function(self):
        """The function."""
        return self._function

    def __call__(self, *args, **kwargs):
        return self._run(args, kwargs, IREE_TIME_INFINITE_FUTURE, None)

    def call(self, *args, timeout=None, HalFence wait=None, **kwargs):
        """Call the function with a limit of time, or after other work.

        Parameters
        ----------
        args, kwargs
            The arguments. One that the program itself names ``timeout`` or ``wait`` goes by position.
        timeout
            Seconds; None for no limit.
        wait
            A fence that is waited for first.

        Raises
        ------
        DeadlineExceeded
            If the call has not ended in time, which is a `TimeoutError`. What it had submitted has let go
            of the arguments then, and everything stays usable.
        """
        return self._run(args, kwargs, deadline_in(timeout), wait)

    def call_async(self, *args, timeout=None, HalFence wait=None, **kwargs):
        """Call the function from a coroutine. The event loop goes on meanwhile.

        The call begins at once. Arrays are copied, large ones by another thread, so that they should not
        be changed before the call ends; device arrays are passed as they are. It can be awaited,
        cancelled, and made a task of. Cancelling it stops what it has submitted, and it ends when that has
        let go of the arguments.

        Parameters
        ----------
        args, kwargs
            The arguments. One that the program itself names ``timeout`` or ``wait`` goes by position.
        timeout
            Seconds from now; None for no limit.
        wait
            A fence that is waited for first.

        Returns
        -------
        AsyncCall
            What the function returns, to be awaited. It raises DeadlineExceeded, a `TimeoutError`, when the
            call has not ended in time.

        Raises
        ------
        RuntimeError
            If no event loop runs in this thread.
        TypeError, ValueError
            If the arguments do not fit.
        """
        global _start_call
        if _start_call is None:
            with _fork.FirstUse():
                from iree_cy._async import start_call
            _start_call = start_call
        return _start_call(self, args, kwargs, timeout, wait)

    cdef object _run(self, tuple args, dict kwargs, iree_time_t deadline, HalFence wait):
        try:
            return self._call(self._arrange(args, kwargs), deadline, wait)
        except (TypeError, ValueError) as error:
            present_error(error)
            raise

    cdef inline tuple _arrange(self, tuple args, dict kwargs):
        if kwargs:
            return arrange_arguments(self._plan, args, kwargs)
        if len(args) != self._plan.argument_count:
            raise_count(self._plan, len(args))
        return args

    cdef int _find_fenced_form(self) except -1:
        cdef VmFunction function = fenced_form(self._function)
        cdef _FunctionPlan plan
        if function is not None:
            plan = _FunctionPlan(function)
            if plan.has_fences:
                self._fenced_function = function
                self._fenced_plan = plan
        return 0

    def __repr__(self):
        return repr(self._function)

    cdef object _call(self, tuple args, iree_time_t deadline, HalFence wait):
        cdef _FunctionPlan plan = self._plan
        cdef Call call
        cdef HalFence signal_fence = None
        cdef iree_status_t status
        cdef bint has_exposed
        open_call(plan, &call)
        try:
            call.may_share = not self._context._has_python and not plan.takes_any
            pack_call(self._context, plan, self._device, args, &call)
            if plan.has_fences:
                signal_fence = pack_fences(plan, self._device, None, &call)
            with nogil:
                begin_call(&call.base, deadline)
                status = make_call(
                    self._context,
                    self._function,
                    plan,
                    &call,
                    NULL if wait is None else wait._handle,
                    NULL if signal_fence is None else signal_fence._handle,
                    deadline,
                )
                end_call_scope(&call.base)
            check_call(&call.base, status)
            release_held(&call)
            # Another call may have been given one while this one waited for its turn.
            has_exposed = call.has_exposed or load_flag(&self._context._has_exposed)
            return unpack_results(plan, self._device, call.results, has_exposed)
        finally:
            close_call(plan, &call)


# What users and files name is in it: cut, and without control characters.
cdef int present_error(object error) except -1:
    if len(error.args) == 1 and type(error.args[0]) is str:
        error.args = (_presentable(error.args[0]),)
    return 0


# Makes room for arguments and results.
cdef inline int open_call(_FunctionPlan plan, Call* call) except -1:
    cdef iree_host_size_t size = (
        plan.arguments_size + plan.results_size + plan.argument_count * sizeof(HeldArgument)
    )
    call.memory = <uint8_t*>call.small
    if size > sizeof(call.small):
        call.memory = <uint8_t*>PyMem_Malloc(size)
        if call.memory == NULL:
            raise MemoryError()
    # The structs first: they want alignment.
    call.held = <HeldArgument*>call.memory
    call.held_count = 0
    call.is_left_running = False
    call.has_results = False
    call.deferred = NULL
    call.arguments = call.memory + plan.argument_count * sizeof(HeldArgument)
    call.results = call.arguments + plan.arguments_size
    return 0


# Gives up what the call still holds. Again is nothing.
cdef inline int close_call(_FunctionPlan plan, Call* call) except -1:
    cdef uint8_t* memory = call.memory
    if call.has_results:
        call.has_results = False
        iree_cy_vm_cconv_release_refs(
            iree_make_string_view(plan.result_letters, plan.result_count),
            iree_make_byte_span(call.results, plan.results_size),
        )
    try:
        if call.held_count != 0:
            release_held(call)
    finally:
        call.memory = NULL
        if memory != <uint8_t*>call.small:
            PyMem_Free(memory)
    return 0


cdef inline int pack_call(
    VmContext context, _FunctionPlan plan, HalDevice device, tuple args, Call* call
) except -1:
    call.has_exposed = context._has_python or load_flag(&context._has_exposed)
    pack_arguments(plan, device, args, call)
    if call.has_exposed:
        # What the program keeps of them may be a result of any later call.
        raise_flag(&context._has_exposed)
    return 0


# In the call's scope. Waits for `wait` before the program is called, and for `signal` when it has returned; each may
# be NULL.
cdef inline iree_status_t make_call(
    VmContext context,
    VmFunction function,
    _FunctionPlan plan,
    Call* call,
    iree_hal_fence_t* wait,
    iree_hal_fence_t* signal,
    iree_time_t deadline,
) noexcept nogil:
    cdef iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default()
    cdef iree_status_t status
    if wait != NULL:
        status = iree_hal_call_scope_wait_fence(wait)
        if status != NULL:
            return status
    options.deadline_ns = deadline
    options.interrupt = iree_hal_call_scope_poll
    options.end = end_call
    options.end_user_data = call
    call.has_results = True
    status = iree_cy_vm_context_call(
        context._handle,
        function._function,
        &options,
        iree_make_byte_span(call.arguments, plan.arguments_size),
        iree_make_byte_span(call.results, plan.results_size),
    )
    if signal != NULL and status == NULL:
        status = iree_hal_call_scope_wait_fence(signal)
        status = iree_hal_call_scope_end(&call.base.scope, status)
    return status


# What the caller may change must not be seen through a result, or by the next call: an argument that was used in
# place and is still held gets memory of its own, before another thread can get at it, and when no operation of the
# call reads it any more.
cdef iree_status_t end_call(void* user_data, iree_status_t status) noexcept nogil:
    cdef Call* call = <Call*>user_data
    cdef iree_hal_buffer_t* in_place
    cdef bint is_held = False
    cdef int i
    for i in range(call.held_count):
        in_place = call.held[i].in_place
        if in_place != NULL:
            iree_vm_ref_release(&call.held[i].ref)
            is_held |= in_place.resource.ref_count != 1
    if is_held:
        status = iree_hal_call_scope_finish(&call.base.scope, status)
    else:
        status = iree_hal_call_scope_end(&call.base.scope, status)
    # Operations that a second Ctrl-C did not wait for go on with the memory that they have, which is kept for them.
    call.is_left_running = not iree_hal_call_scope_is_idle(&call.base.scope)
    if not is_held or call.is_left_running:
        return status
    for i in range(call.held_count):
        in_place = call.held[i].in_place
        if in_place != NULL and in_place.resource.ref_count != 1:
            status = iree_status_join(status, iree_cy_heap_buffer_detach(in_place))
    return status


# Gives up the arguments. Those used in place are looked at again: the call may have been refused, or have failed.
cdef int release_held(Call* call) except -1:
    cdef HeldArgument* held
    cdef iree_status_t status = NULL
    cdef iree_status_t failure
    while call.held_count > 0:
        call.held_count -= 1
        held = &call.held[call.held_count]
        if held.array != NULL:
            add_shared(&(<DeviceArray>held.array)._call_count, -1)
        iree_vm_ref_release(&held.ref)
        if held.in_place == NULL:
            continue
        if held.in_place.resource.ref_count != 1 and not call.is_left_running:
            with nogil:
                failure = iree_cy_heap_buffer_detach(held.in_place)
            status = iree_status_join(status, failure)
        iree_hal_buffer_release(held.in_place)
    return check_status(status)
