# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what asyncio sees: the futures of calls, and of semaphores and fences.
"""Await calls, semaphores and fences in asyncio.

Nothing here has a thread of its own. What devices complete, on whichever thread, is put into a queue in C, which
wakes the event loop through a descriptor; the loop watches it only while something is pending. Programs run in
threads of the loop's default executor.
"""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures.thread  # noqa: F401 (registers first what it does at exit)
import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import Any

from iree_cy import _core
from iree_cy.errors import (
    FailedPrecondition,
    StatusCode,
    Unimplemented,
    make_error,
    type_error,
    type_name,
)

__all__ = ["AsyncCall", "HalDeviceLoopBridge", "start_call"]

_Callback = Callable[[BaseException | None], None]


class _LoopQueue:
    """What is pending for one event loop. Of the thread that runs the loop.

    The loop keeps it, as what watches the descriptor, and only while something is pending: so it goes when the loop
    is closed or dropped, and what completes later goes nowhere.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.completions = _core._CompletionQueue()
        self._loop = loop
        self._callbacks: dict[int, _Callback] = {}
        self._taken: collections.deque[tuple[int, BaseException | None]] = collections.deque()
        self._next_key = 0

    def expect(self, callback: _Callback) -> int:
        """Return a key; `callback` is called with None or the failure when it completes."""
        if not self._callbacks:
            try:
                self._loop.add_reader(self.completions.fileno(), self._take)
            except NotImplementedError:
                raise Unimplemented(
                    f"{type_name(self._loop)} cannot watch a descriptor (it has no add_reader), which asynchronous "
                    "calls need; use asyncio.SelectorEventLoop or uvloop"
                ) from None
        self._next_key += 1
        self._callbacks[self._next_key] = callback
        return self._next_key

    def forget(self, key: int) -> None:
        """Drop a callback, if it has not been called."""
        if self._callbacks.pop(key, None) is not None:
            self._stop_if_idle()

    def _take(self) -> None:
        self._taken.extend(self.completions.take())
        try:
            while self._taken:
                key, failure = self._taken.popleft()
                callback = self._callbacks.pop(key, None)
                if callback is not None:
                    self._call(callback, failure)
        finally:
            if self._taken:
                # Interrupted by a signal. The descriptor does not tell of these again.
                self._loop.call_soon(self._take)
        self._stop_if_idle()

    def _call(self, callback: _Callback, failure: BaseException | None) -> None:
        try:
            callback(failure)
        except Exception as error:
            self._loop.call_exception_handler({"message": "a completion cannot be handled", "exception": error})

    def _stop_if_idle(self) -> None:
        if not self._callbacks:
            self._loop.remove_reader(self.completions.fileno())


_queues: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, weakref.ref[_LoopQueue]] = weakref.WeakKeyDictionary()
_live_calls: weakref.WeakSet[_CallFuture] = weakref.WeakSet()
# Guards both: loops run in many threads.
_lock = threading.Lock()


def _queue_of(loop: asyncio.AbstractEventLoop) -> _LoopQueue:
    with _lock:
        reference = _queues.get(loop)
        queue = None if reference is None else reference()
        if queue is None or queue.completions.is_inherited:
            queue = _LoopQueue(loop)
            _queues[loop] = weakref.ref(queue)
        return queue


# One more in a forked child.
_generation = 0


def _forget_all() -> None:
    # In a forked child none of it is ours.
    global _queues, _live_calls, _lock, _generation
    _generation += 1
    _queues = weakref.WeakKeyDictionary()
    _live_calls = weakref.WeakSet()
    _lock = threading.Lock()


def _abandon_all() -> None:
    # Before the interpreter waits for the executors' threads.
    with _lock:
        futures = list(_live_calls)
    for future in futures:
        future.abandon()


os.register_at_fork(after_in_child=_forget_all)
# What is registered last is called first.
if hasattr(threading, "_register_atexit"):
    with contextlib.suppress(RuntimeError):
        threading._register_atexit(_abandon_all)


class _CallFuture(asyncio.Future[Any]):
    """The end of a call. Cancelling it stops the call, and it ends when nothing of the call runs any more."""

    def __init__(self, call: _core._AsyncCall, timeout: float | None, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self._call: _core._AsyncCall | None = call
        self._name = call.name
        self._timeout = timeout
        # Why it is to end early, and what the one who cancelled it said.
        self._is_cancelled = False
        self._is_late = False
        self._cancel_message: Any = None
        self._failure: BaseException | None = None
        self._queue: _LoopQueue | None = None
        self._key = 0
        self._thread = threading.current_thread()
        self._is_abandoned = False
        self._generation = _generation
        if call.is_queued:
            self._queue = _queue_of(loop)
            self._key = self._queue.expect(self._reached)
        try:
            if self._queue is not None:
                call.announce(self._queue.completions, self._key)
            self._work: asyncio.Future[Any] | None = loop.run_in_executor(None, call.run)
        except BaseException:
            call.drop()
            self._forget_key()
            raise
        self._work.add_done_callback(self._returned)
        self._timer: asyncio.TimerHandle | None = None
        if timeout is not None and call.is_limited:
            self._timer = loop.call_later(max(0.0, float(timeout)), self._pass_limit)
        with _lock:
            _live_calls.add(self)
        # As any other implementation of tasks does, so that asyncio.run cancels what nobody has waited for.
        asyncio._register_task(self)  # type: ignore[arg-type]

    def cancel(self, msg: Any = None) -> bool:
        if self.done():
            return False
        if not self._is_cancelled:
            self._is_cancelled = True
            self._cancel_message = msg
            self._stop()
        return True

    # As tasks have them.

    def get_name(self) -> str:
        return self._name

    def get_coro(self) -> None:
        # There is no coroutine of Python's.
        return None

    def get_stack(self, *, limit: int | None = None) -> list[Any]:
        return []

    # What happens to it, in this order. A call that is not queued ends when its thread returns; a queued one when its
    # fence is reached, or, once that has failed, when nothing runs any more.

    def _returned(self, work: asyncio.Future[Any]) -> None:
        if self.done() or self._call is None:
            # The failure of a call that has ended is nobody's.
            if not work.cancelled():
                work.exception()
            return
        if work.cancelled():
            # The executor was shut down.
            self._is_cancelled = True
            self._call.drop()
            self._end(None)
        elif (failure := work.exception()) is not None:
            self._failure = failure
            self._end(None)
        elif self._queue is None:
            self._end(work.result())

    def _reached(self, failure: BaseException | None) -> None:
        call, queue = self._call, self._queue
        assert call is not None
        assert queue is not None
        self._key = 0
        if failure is None and not self._is_stopped:
            try:
                result = call.results()
            except BaseException as error:
                self._failure = error
                result = None
            self._end(result)
            return
        self._failure = failure
        try:
            if not self._is_stopped:
                call.cancel()
            self._key = queue.expect(self._drained)
            call.expect_idle(queue.completions, self._key)
        except BaseException as error:
            self._failure = error
            self._end(None)

    def _drained(self, failure: BaseException | None) -> None:
        self._end(None)

    def _pass_limit(self) -> None:
        if not self.done() and not self._is_late:
            self._is_late = True
            self._stop()

    @property
    def _is_stopped(self) -> bool:
        return self._is_cancelled or self._is_late

    def _stop(self) -> None:
        assert self._call is not None
        assert self._work is not None
        if self._generation != _generation:
            # Its thread, or what would tell of its end, is the parent's.
            self._call.drop()
            self._end(None)
        elif self._call.drop():
            # No thread has begun it.
            self._work.cancel()
            self._end(None)
        else:
            self._call.cancel(self._is_late)

    def abandon(self) -> None:
        """Stop a call that nobody will consume, for the interpreter ends. Of any thread."""
        thread = self._thread
        if thread.is_alive() and not thread.daemon and thread is not threading.main_thread():
            # The interpreter waits for whoever awaits it.
            return
        call = self._call
        if call is not None:
            self._is_abandoned = True
            if not call.drop():
                call.cancel()

    def _end(self, result: Any) -> None:
        if self._is_abandoned:
            # A daemon would only complain while it is ended.
            return
        self._call = None
        self._work = None
        self._forget_key()
        self._queue = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        with _lock:
            _live_calls.discard(self)
        failure, self._failure = self._failure, None
        if self._is_cancelled:
            super().cancel(self._cancel_message)
        elif self._is_late:
            super().set_exception(
                make_error(
                    int(StatusCode.DEADLINE_EXCEEDED),
                    f"{self._name}(): the call has not ended within its time, {self._timeout} s",
                )
            )
        elif failure is not None:
            super().set_exception(failure)
        else:
            super().set_result(result)

    def _forget_key(self) -> None:
        if self._queue is not None and self._key and self._generation == _generation:
            self._queue.forget(self._key)
            self._key = 0


class AsyncCall(Coroutine[Any, Any, Any]):
    """A call that is under way: what `FunctionInvoker.call_async` returns.

    It can be awaited once or more, and passed to whatever takes coroutines, such as `asyncio.create_task`. It also has
    a future's methods. Where it is not awaited the call goes on all the same.
    """

    def __init__(self, future: _CallFuture) -> None:
        self._future = future
        self._steps: Generator[Any, None, Any] | None = None

    def __await__(self) -> Generator[Any, None, Any]:
        return self._future.__await__()

    def send(self, value: Any) -> Any:
        """Go on, as a coroutine does.

        Parameters
        ----------
        value
            None.
        """
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(
        self,
        typ: type[BaseException] | BaseException,
        val: BaseException | object = None,
        tb: TracebackType | None = None,
    ) -> Any:
        """Raise an exception where the coroutine stands.

        Parameters
        ----------
        typ, val, tb
            An exception, or a type with its value and traceback.
        """
        error = _exception_of(typ, val, tb)
        if isinstance(error, asyncio.CancelledError) and self._future.cancel(*error.args[:1]):
            # As it comes to a task before its first step. The call goes on until it has let go of everything.
            self._steps = self.__await__()
            return self._steps.send(None)
        raise error

    def close(self) -> None:
        """Stop the call, which nobody waits for."""
        self._future.cancel()

    def cancel(self, msg: Any = None) -> bool:
        """Stop the call. It ends, cancelled, when nothing of it runs any more.

        Parameters
        ----------
        msg
            For the CancelledError.

        Returns
        -------
        bool
            False when it has ended already.
        """
        return self._future.cancel(msg)

    def cancelled(self) -> bool:
        """Tell whether it has ended because it was cancelled."""
        return self._future.cancelled()

    def done(self) -> bool:
        """Tell whether it has ended."""
        return self._future.done()

    def result(self) -> Any:
        """Return the result of a call that has ended, or raise its failure."""
        return self._future.result()

    def exception(self) -> BaseException | None:
        """Return the failure of a call that has ended, or None."""
        return self._future.exception()

    def add_done_callback(self, fn: Callable[[asyncio.Future[Any]], object]) -> None:
        """Have a function called when the call has ended.

        Parameters
        ----------
        fn
            The function; it is given a future.
        """
        self._future.add_done_callback(fn)

    def __repr__(self) -> str:
        state = "cancelled" if self.cancelled() else "done" if self.done() else "under way"
        return f"<AsyncCall {self._future.get_name()}, {state}>"


def start_call(
    function: _core.FunctionInvoker,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    timeout: float | None,
    wait: _core.HalFence | None,
) -> AsyncCall:
    """Begin a call, for `FunctionInvoker.call_async`."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            f"{function.__name__}.call_async() needs a running event loop; call it in a coroutine, or use call()"
        ) from None
    call = _core._AsyncCall(function, args, kwargs, timeout, wait)
    return AsyncCall(_CallFuture(call, timeout, loop))


def _exception_of(typ: Any, val: Any, tb: TracebackType | None) -> BaseException:
    error = typ if isinstance(typ, BaseException) else val if isinstance(val, BaseException) else None
    if error is None:
        error = typ() if val is None else typ(val)
    assert isinstance(error, BaseException)
    return error if tb is None else error.with_traceback(tb)


class HalDeviceLoopBridge:
    """Makes asyncio futures of what semaphores and fences will reach.

    It has no thread: whoever signals wakes the loop, and the loop does nothing while nothing is pending.

    Parameters
    ----------
    device
        A device.
    loop
        The event loop that the futures belong to.
    """

    def __init__(self, device: _core.HalDevice, loop: asyncio.AbstractEventLoop) -> None:
        if not isinstance(device, _core.HalDevice):
            raise type_error(f"device is a HalDevice, not {type_name(device)}")
        if not isinstance(loop, asyncio.AbstractEventLoop):
            raise type_error(f"loop is an event loop of asyncio, not {type_name(loop)}")
        self._device = device
        self._loop = loop
        self._pending: set[asyncio.Future[Any]] = set()
        self._is_stopped = False

    def stop(self) -> None:
        """Cancel the futures that are pending. Nothing more can be waited for. Again is nothing."""
        self._is_stopped = True
        pending, self._pending = self._pending, set()
        for future in pending:
            if self._loop.is_closed():
                # Nobody can be told, and its reader is gone.
                continue
            if _is_running_here(self._loop) or not self._loop.is_running():
                future.cancel()
            else:
                self._loop.call_soon_threadsafe(future.cancel)

    def on_semaphore(self, semaphore: _core.HalSemaphore, payload: int, value: Any) -> asyncio.Future[Any]:
        """Return a future of a semaphore's payload.

        Parameters
        ----------
        semaphore
            The semaphore, of any device.
        payload
            The payload that is waited for.
        value
            The future's result when it is reached.

        Returns
        -------
        asyncio.Future
            It fails with the semaphore's failure. Cancelling it does nothing to the semaphore.
        """
        if not isinstance(semaphore, _core.HalSemaphore):
            raise type_error(f"semaphore is a HalSemaphore, not {type_name(semaphore)}")
        return self._watch(lambda queue, key: queue.expect_semaphore(key, semaphore, payload), value)

    def on_fence(self, fence: _core.HalFence, value: Any = None) -> asyncio.Future[Any]:
        """Return a future of a fence.

        Parameters
        ----------
        fence
            The fence.
        value
            The future's result when it is reached.

        Returns
        -------
        asyncio.Future
            It fails with the failure of one of the fence's semaphores.
        """
        if not isinstance(fence, _core.HalFence):
            raise type_error(f"fence is a HalFence, not {type_name(fence)}")
        return self._watch(lambda queue, key: queue.expect_fence(key, fence), value)

    def _watch(self, expect: Callable[[_core._CompletionQueue, int], None], value: Any) -> asyncio.Future[Any]:
        if self._is_stopped:
            raise FailedPrecondition("the bridge is stopped; make another: HalDeviceLoopBridge(device, loop)")
        loop = self._loop
        future: asyncio.Future[Any] = loop.create_future()
        self._pending.add(future)

        # It keeps what is waited for, which the completion does not.
        def done(failure: BaseException | None, _kept: object = expect) -> None:
            if future.done():
                return
            if failure is None:
                future.set_result(value)
            else:
                future.set_exception(failure)

        def begin() -> None:
            if future.done():
                return
            queue = _queue_of(loop)
            key = queue.expect(done)
            future.add_done_callback(lambda _: queue.forget(key))
            try:
                expect(queue.completions, key)
            except BaseException:
                queue.forget(key)
                raise

        def begin_later() -> None:
            try:
                begin()
            except Exception as error:
                done(error)

        future.add_done_callback(self._pending.discard)
        if _is_running_here(loop) or not loop.is_running():
            try:
                begin()
            except BaseException:
                self._pending.discard(future)
                raise
        else:
            loop.call_soon_threadsafe(begin_later)
        return future

    def __repr__(self) -> str:
        state = "stopped" if self._is_stopped else f"{len(self._pending)} pending"
        return f"<HalDeviceLoopBridge of {self._device!r}, {state}>"


def _is_running_here(loop: asyncio.AbstractEventLoop) -> bool:
    return asyncio._get_running_loop() is loop
