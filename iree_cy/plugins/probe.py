# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns probes: a driver's devices listed by a child process, whatever becomes of it.
"""Ask a driver for its devices without loading it here."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, Final

from iree_cy.errors import InvalidArgument, clip, quote, type_error, type_name
from iree_cy.plugins.driver_plugin import DriverPlugin
from iree_cy.plugins.registry import registry
from iree_cy.uri import parse_device_uri

__all__ = ["STEPS", "ProbeResult", "probe"]

STEPS: Final = ("import", "check", "library", "abi", "factory", "devices")
"""In order: import the package, ask its check, open the library, compare the ABI, make the driver, list devices."""

# Nothing of the child's comes before the path that the parent has: its own first entry is the current folder.
_BOOT = "import sys; sys.path[:1] = []; import json; sys.path[:] = json.loads(sys.argv[1]); "
_BOOT += "from iree_cy.plugins.probe_child import main; main(sys.argv[2:])"
_MAX_REPORT = 1 << 22
_MAX_OUTPUT = 1 << 14
# How often the child is looked at, in seconds, while a process of its own holds the pipes.
_LOOK = 0.05


@dataclass(frozen=True)
class ProbeResult:
    """What became of a probe.

    Attributes
    ----------
    name : str
        The driver that was asked for, as ``name[@distribution]``.
    devices : tuple of dict, or None
        Its devices, each with ``"device_id"``, ``"path"`` and ``"name"``; None unless all steps passed.
    step : str or None
        The step of `STEPS` that failed; None when all passed.
    error : str or None
        What is wrong, in a sentence.
    exit_status : int or None
        How the child ended; negative is the signal that ended it. None when it was stopped at the time limit.
    output : str
        The end of what it wrote to standard output and standard error.
    """

    name: str
    devices: tuple[dict[str, Any], ...] | None
    step: str | None
    error: str | None
    exit_status: int | None
    output: str

    @property
    def ok(self) -> bool:
        """Whether the driver listed its devices."""
        return self.devices is not None


def probe(name: str, timeout: float = 30.0, *, details: bool = False) -> ProbeResult:
    """List a driver's devices in a child process, so that this one never loads the driver.

    A child that fails, crashes, exits or hangs is an answer and no exception.

    Parameters
    ----------
    name
        The driver, as ``name[@distribution]``.
    timeout
        Seconds that the child may take; then it is stopped.
    details
        Give each device its ``"details"``, as `HalDriver.dump_device_info` does.

    Raises
    ------
    NotFound
        If there is no such driver; the message lists those there are.
    InvalidArgument
        If the name is malformed or has a path or parameters, or the time is not positive.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise type_error(f"timeout is a number of seconds, not {type_name(timeout)}")
    if not 0 < timeout < float("inf"):
        raise InvalidArgument(f"timeout is a positive number of seconds, not {timeout}")
    uri = parse_device_uri(name)
    if uri.path or uri.params or uri.ordinal is not None:
        raise InvalidArgument(f"a driver is probed, not a device: pass {uri.driver!r} instead of {quote(name, 60)}")
    plugin = registry.resolve(uri.driver, uri.distribution)
    request = {
        "name": uri.driver,
        "uri": name,
        "distribution": uri.distribution,
        # Its `check` is a function of this process and stays here.
        "registered": [plugin.human_name, plugin.library] if isinstance(plugin, DriverPlugin) else None,
        "details": details,
    }
    return _Child(request, timeout).result(name)


class _Child:
    """The process, and what it has told."""

    def __init__(self, request: dict[str, Any], timeout: float) -> None:
        self._deadline = time.monotonic() + timeout
        self._timeout = timeout
        self._report = bytearray()
        self._output = bytearray()
        path = [entry for entry in sys.path if isinstance(entry, str)]
        read, write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, json.dumps(path), str(write), json.dumps(request)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[write],
                start_new_session=True,
            )
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        self._report_fd = read

    def result(self, name: str) -> ProbeResult:
        """Wait for the end and say what became of it."""
        try:
            is_in_time = self._read()
        finally:
            self._stop()
        step, devices, error = self._told()
        status = self._process.returncode if is_in_time else None
        if devices is None and (error is None or not is_in_time):
            error = self._end(status)
        output = self._output.decode("utf-8", "replace")
        found = tuple(devices) if devices is not None else None
        return ProbeResult(name, found, None if found is not None else step, error, status, output)

    def _read(self) -> bool:
        """Take what comes until the child ends. False when its time is over."""
        with selectors.DefaultSelector() as selector:
            assert self._process.stdout is not None
            for fd, sink, limit in (
                (self._report_fd, self._report, _MAX_REPORT),
                (self._process.stdout.fileno(), self._output, _MAX_OUTPUT),
            ):
                os.set_blocking(fd, False)
                selector.register(fd, selectors.EVENT_READ, (sink, limit))
            while True:
                # Looked at first: what it wrote before its end is taken after.
                has_ended = self._process.poll() is not None
                left = self._deadline - time.monotonic()
                for key, _ in selector.select(0 if has_ended else max(min(left, _LOOK), 0)):
                    if not self._take(key.fd, *key.data):
                        selector.unregister(key.fd)
                if has_ended:
                    return True
                if left <= 0:
                    return False
                if not selector.get_map():
                    try:
                        self._process.wait(max(left, 0))
                    except subprocess.TimeoutExpired:
                        return False

    def _take(self, fd: int, sink: bytearray, limit: int) -> bool:
        """Take what is there now. False when there will be no more."""
        # A process that the child has left may write for ever.
        for _ in range(_MAX_REPORT >> 16):
            try:
                data = os.read(fd, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            sink += data
            # The end of the output is kept, and the beginning of the report.
            if sink is self._output:
                del sink[:-limit]
            else:
                del sink[limit:]
        return True

    def _stop(self) -> None:
        """End the child, and what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._report_fd)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _told(self) -> tuple[str, list[dict[str, Any]] | None, str | None]:
        step, devices, error = STEPS[0], None, None
        for line in self._report.splitlines():
            try:
                words = json.loads(line)
            except ValueError:
                # It ended in the middle of a line.
                break
            step = words.get("step", step)
            devices = words.get("devices", devices)
            error = words.get("error", error)
        return step, devices, error

    def _end(self, status: int | None) -> str:
        if status is None:
            return f"it did not end within {self._timeout:g} s"
        if status < 0:
            try:
                reason = signal.Signals(-status).name
            except ValueError:
                reason = f"signal {-status}"
            return f"the process crashed: {reason}"
        lines = self._output.decode("utf-8", "replace").strip().splitlines()
        return f"the process ended with exit code {status}" + (f": {clip(lines[-1], 80)}" if lines else "")
