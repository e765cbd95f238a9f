# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns SingleFlight: concurrent requests for one thing make it once and share the outcome.
"""Make a thing once for all who ask for it at the same time, with no lock held while making it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from iree_cy.errors import FailedPrecondition

__all__ = ["SingleFlight"]

T = TypeVar("T")


class _Attempt:
    """One attempt under way, or just ended."""

    __slots__ = ("done", "error", "finished", "label", "owner", "value")

    def __init__(self, label: str) -> None:
        self.label = label
        self.owner = threading.get_ident()
        self.done = threading.Event()
        self.finished = False
        self.value: object = None
        self.error: Exception | None = None


# One lock and one table of waiters for all instances: making a device may load a driver, so a
# circle of waiting threads can pass through several of them. The lock is held for a few
# statements only.
_lock = threading.Lock()
_waiting_for: dict[int, _Attempt] = {}
_instances: list[SingleFlight[object]] = []


class SingleFlight(Generic[T]):
    """Runs a factory once per key for all threads that ask while it runs.

    A request that finds an attempt under way waits for it, interruptibly, and shares its outcome.
    One that begins after a failure tries again. What was made is not kept here.
    """

    def __init__(self) -> None:
        self._attempts: dict[Hashable, _Attempt] = {}
        _instances.append(self)  # type: ignore[arg-type]

    def run(
        self,
        key: Hashable,
        label: str,
        make: Callable[[], T],
        find: Callable[[], T | None],
    ) -> T:
        """Return what is there already, or make it, or wait for who is making it.

        Parameters
        ----------
        key
            What is asked for.
        label
            How an error calls it.
        make
            Makes and keeps it; called without a lock.
        find
            Looks for one that is there. Called with the lock held, so it may only look up.

        Raises
        ------
        FailedPrecondition
            If waiting would never end: it is asked for, directly or through other threads, by what
            is making it.
        """
        while True:
            with _lock:
                value = find()
                if value is not None:
                    return value
                attempt = self._attempts.get(key)
                if attempt is None:
                    attempt = self._attempts[key] = _Attempt(label)
                    mine = True
                else:
                    mine = False
                    _check_no_circle(attempt)
                    _waiting_for[threading.get_ident()] = attempt
            if mine:
                return self._make(key, attempt, make)
            try:
                attempt.done.wait()
            finally:
                with _lock:
                    _waiting_for.pop(threading.get_ident(), None)
            if attempt.error is not None:
                raise _own_copy(attempt.error)
            if attempt.finished:
                return attempt.value  # type: ignore[return-value]
            # It was interrupted (Ctrl-C in the thread that made it), which says nothing about
            # the thing itself: try again.

    def _make(self, key: Hashable, attempt: _Attempt, make: Callable[[], T]) -> T:
        try:
            value = make()
            attempt.value = value
            attempt.finished = True
            return value
        except Exception as error:
            attempt.error = error
            raise
        finally:
            with _lock:
                if self._attempts.get(key) is attempt:
                    del self._attempts[key]
            attempt.done.set()


def _check_no_circle(attempt: _Attempt) -> None:
    me = threading.get_ident()
    step: _Attempt | None = attempt
    while step is not None:
        if step.owner == me:
            raise FailedPrecondition(
                f"{attempt.label} is asked for by what is being created for it; "
                "remove the circle between the drivers or their imports"
            )
        step = _waiting_for.get(step.owner)


def _own_copy(error: Exception) -> Exception:
    # Each thread raises an exception of its own: a traceback is written into the object raised.
    import copy

    try:
        own = copy.copy(error)
    except Exception:
        return error
    own.__cause__ = error.__cause__
    own.__suppress_context__ = error.__suppress_context__
    return own


def _after_fork_in_child() -> None:
    # Other threads, with what they were making and any lock they held, are gone in the child.
    global _lock
    _lock = threading.Lock()
    me = threading.get_ident()
    _waiting_for.clear()
    for instance in _instances:
        for key, attempt in list(instance._attempts.items()):
            if attempt.owner != me:
                del instance._attempts[key]


os.register_at_fork(after_in_child=_after_fork_in_child)
