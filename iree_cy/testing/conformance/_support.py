# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what cases are written with: work on a device with bounded waits, messages, and processes of their own.
"""Helpers of the cases."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import iree_cy as rt
from iree_cy.plugins.registry import registry
from iree_cy.testing.profile import Profile

__all__ = [
    "PATIENCE_NS",
    "Subject",
    "Work",
    "check_bytes",
    "ending",
    "expect_error",
    "pattern_bytes",
    "put",
    "run_python",
    "same",
    "seen",
    "told",
]

# No case waits for the driver any longer. It is no measure of speed.
PATIENCE_NS = 60_000_000_000

STAGING_TYPE = rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE
STAGING_USAGE = rt.BufferUsage.TRANSFER | rt.BufferUsage.MAPPING
_MAPPABLE = rt.BufferUsage.MAPPING_SCOPED


def told(did: str, wants: str, header: str) -> str:
    """Say what the driver did, what the contract wants and where that stands."""
    return f"the driver {did}; the contract wants {wants} (include/iree_cy/{header})"


def same(got: object, wanted: object, what: str, header: str) -> None:
    """Compare plain values."""
    assert got == wanted, told(f"gave {got!r} as {what}", repr(wanted), header)


@dataclass(frozen=True)
class Subject:
    """The driver under test."""

    name: str
    profile: Profile

    @property
    def uri(self) -> str:
        """The URI of the device under test."""
        return self.name + self.profile.device

    @property
    def plain_name(self) -> str:
        """The driver's name without its distribution."""
        return self.name.partition("@")[0]

    def plugin(self) -> rt.DriverPlugin:
        """Return the plugin of the driver, which has been loaded."""
        plugin = registry.plugin_of(rt.get_driver(self.name))
        assert plugin is not None
        return plugin

    def new_device(self) -> rt.HalDevice:
        """Make a device of its own for a case."""
        return rt.get_device(self.uri, cache=False)


def pattern_bytes(count: int, seed: int = 1) -> bytes:
    """Return bytes of which no two neighbours and no two ranges are alike, the same every time."""
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8).tobytes()


def check_bytes(got: bytes, expected: bytes, what: str, header: str) -> None:
    """Compare memory; the message names the first byte that differs."""
    if got == expected:
        return
    count = min(len(got), len(expected))
    at = next((i for i in range(count) if got[i] != expected[i]), count)
    shown = slice(max(at - 4, 0), at + 8)
    pytest.fail(
        told(
            f"left {got[shown].hex(' ')} around byte {at} of {len(got)} after {what}",
            f"{expected[shown].hex(' ')} there",
            header,
        ),
        pytrace=False,
    )


@contextlib.contextmanager
def expect_error(
    kinds: type[BaseException] | tuple[type[BaseException], ...], what: str, header: str, words: str = ""
) -> Iterator[None]:
    """Expect a failure of some kinds, with a first line that can be read and has some words in it."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    names = " or ".join(kind.__name__ for kind in kinds)
    try:
        yield
    except kinds as error:
        first = str(error).partition("\n")[0]
        assert first.strip(), told(f"refused {what} without a word", "a message", header)
        assert words in first, told(f"answered {what} with {first!r}", f"{words!r} in it", header)
    except Exception as error:
        pytest.fail(told(f"answered {what} with {type(error).__name__}: {error}", names, header), pytrace=False)
    else:
        pytest.fail(told(f"accepted {what}", names, header), pytrace=False)


def seen(buffer: rt.HalBuffer) -> bytes:
    """Return what a mapping of a whole buffer shows."""
    return buffer.map().asarray([buffer.byte_length()], np.uint8).tobytes()


def put(buffer: rt.HalBuffer, contents: bytes) -> None:
    """Write a whole buffer through a mapping."""
    buffer.map().asarray([len(contents)], np.uint8)[:] = np.frombuffer(contents, np.uint8)


class Work:
    """Buffers, semaphores and queue operations on one device, each waited for with a limit."""

    def __init__(self, device: rt.HalDevice) -> None:
        self.device = device
        self.timeline = device.create_semaphore(0)
        self.last = 0

    def next(self) -> list[tuple[rt.HalSemaphore, int]]:
        """Return the next point of the case's timeline, as signals."""
        self.last += 1
        return [(self.timeline, self.last)]

    def finish(self, points: Iterable[tuple[rt.HalSemaphore, int]] | None = None) -> None:
        """Wait until all that was submitted here is done."""
        for semaphore, payload in points if points is not None else [(self.timeline, self.last)]:
            try:
                semaphore.wait(payload, timeout=PATIENCE_NS)
            except rt.DeadlineExceeded:
                pytest.fail(
                    told(
                        f"did not signal {payload} within {PATIENCE_NS // 10**9} s of submission",
                        "each operation to signal once its waits are reached",
                        "hal/device.h",
                    ),
                    pytrace=False,
                )

    def buffer(
        self,
        contents: bytes | int,
        memory_type: int = rt.MemoryType.DEVICE_LOCAL,
        usage: int = rt.BufferUsage.DEFAULT,
    ) -> rt.HalBuffer:
        """Allocate a buffer of some size, or with some contents."""
        size = contents if isinstance(contents, int) else len(contents)
        buffer = self.device.allocator.allocate_buffer(memory_type, usage, size)
        if not isinstance(contents, int):
            self.write(buffer, contents)
        return buffer

    def staging(self, size: int) -> rt.HalBuffer:
        """Allocate a buffer that the host can map."""
        return self.buffer(size, STAGING_TYPE, STAGING_USAGE)

    def write(self, buffer: rt.HalBuffer, contents: bytes) -> None:
        """Write a whole buffer, by an update of the queue."""
        done = [(self.semaphore(), 1)]
        self.device.queue_update(contents, buffer, None, done)
        self.finish(done)

    def read(self, buffer: rt.HalBuffer) -> bytes:
        """Read a whole buffer: mapped where the host can see it, else by a copy."""
        is_mappable = buffer.memory_type() & rt.MemoryType.HOST_VISIBLE and buffer.allowed_usage() & _MAPPABLE
        if buffer.byte_length() == 0:
            return b""
        if not is_mappable:
            staging = self.staging(buffer.byte_length())
            done = [(self.semaphore(), 1)]
            self.device.queue_copy(buffer, staging, None, done)
            self.finish(done)
            buffer = staging
        return seen(buffer)

    def semaphore(self, initial: int = 0) -> rt.HalSemaphore:
        """Make a semaphore."""
        return self.device.create_semaphore(initial)

    def check(self, buffer: rt.HalBuffer, expected: bytes, what: str, header: str = "hal/device.h") -> None:
        """Compare a whole buffer."""
        check_bytes(self.read(buffer), expected, what, header)

    def recording(self) -> rt.HalCommandBuffer:
        """Begin a command buffer."""
        return rt.HalCommandBuffer(self.device)

    def execute(self, recording: rt.HalCommandBuffer) -> None:
        """Execute a command buffer, to its end."""
        self.device.queue_execute(recording, None, self.next())
        self.finish()


def run_python(code: str, *arguments: str, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, with the switches of this one; a hang is ended with its children."""
    flags = [f"-W{option}" for option in sys.warnoptions]
    if sys.flags.dev_mode:
        flags.append("-Xdev")
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(
            [sys.executable, *flags, "-c", code, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=_environment(),
        )
        try:
            out, err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
            err += f"\n(it did not end within {timeout:.0f} s)"
    return subprocess.CompletedProcess(child.args, child.returncode, out[-20000:], err[-20000:])


def _environment() -> dict[str, str]:
    # Relative folders on the path mean those of this process.
    environment: dict[str, Any] = dict(os.environ)
    path = environment.get("PYTHONPATH")
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(part) for part in path.split(os.pathsep) if part)
    return environment


def ending(done: subprocess.CompletedProcess[str]) -> str:
    """Say how a process ended."""
    how = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"exited with {done.returncode}"
    return f"{how}, saying {(done.stderr or done.stdout).strip()[-600:]!r}"
