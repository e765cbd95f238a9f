# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the guard that keeps a fork out of the middle of an import or of the loading of a library.
"""A child that is forked while another thread imports or opens a library finds the locks of that held for ever."""

from __future__ import annotations

import _thread
import os
import time

__all__ = ["FirstUse"]

# A fork waits no longer, in seconds: what is imported or loaded may never come to an end, or wait for the fork.
_PATIENCE = 5.0

# Held for a few statements, and during a fork. The thread that holds it may be interrupted by a handler that forks.
_lock = _thread.RLock()
_count_by_thread: dict[int, int] = {}


class FirstUse:
    """Around what imports or loads: a fork by another thread waits for it to end. Several threads may be inside."""

    __slots__ = ()

    def __enter__(self) -> None:
        me = _thread.get_ident()
        with _lock:
            _count_by_thread[me] = _count_by_thread.get(me, 0) + 1

    def __exit__(self, *_: object) -> None:
        me = _thread.get_ident()
        with _lock:
            if _count_by_thread[me] > 1:
                _count_by_thread[me] -= 1
            else:
                del _count_by_thread[me]


def _before() -> None:
    me = _thread.get_ident()
    deadline = time.monotonic() + _PATIENCE
    _lock.acquire()
    while _count_by_thread.keys() - {me} and time.monotonic() < deadline:
        _lock.release()
        time.sleep(0.001)
        _lock.acquire()


def _after_in_child() -> None:
    me = _thread.get_ident()
    for other in _count_by_thread.keys() - {me}:
        del _count_by_thread[other]
    _lock.release()


os.register_at_fork(before=_before, after_in_parent=_lock.release, after_in_child=_after_in_child)
