# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the conformance suite finds drivers that are wrong in one way: the right area fails.
"""The conformance suite on drivers that are wrong."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.driver_packages import NULL_SOURCE, make_null_package, run_conformance

DEVICE_TABLE = "      .destroy = null_device_destroy,\n"
BEFORE_DRIVER = "typedef struct null_driver_t {"


def _with_entry(entry: str, code: str) -> str:
    """Give the null driver one function of its own for its device."""
    source = NULL_SOURCE
    assert source.count(DEVICE_TABLE) == 1
    source = source.replace(DEVICE_TABLE, f"{DEVICE_TABLE}      .{entry} = wrong_{entry},\n")
    return source.replace(BEFORE_DRIVER, f"{code}\n{BEFORE_DRIVER}", 1)


FILL = """
typedef struct wrong_fill_t {
  iree_hal_buffer_t* target;
  iree_device_size_t length;
  uint8_t pattern[4];
  iree_host_size_t pattern_length;
  iree_allocator_t allocator;
} wrong_fill_t;
static iree_status_t wrong_fill_run(void* user_data) {
  wrong_fill_t* fill = (wrong_fill_t*)user_data;
  return iree_hal_buffer_map_fill(fill->target, 0, fill->length, fill->pattern, fill->pattern_length);
}
static void wrong_fill_free(void* user_data) {
  wrong_fill_t* fill = (wrong_fill_t*)user_data;
  iree_allocator_free(fill->allocator, fill);
}
static iree_status_t wrong_queue_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t affinity, iree_hal_semaphore_list_t waits,
    iree_hal_semaphore_list_t signals, iree_hal_buffer_t* target, iree_device_size_t offset,
    iree_device_size_t length, const void* pattern, iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  (void)affinity; (void)flags; (void)offset;
  wrong_fill_t* fill = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(device->host_allocator, sizeof(*fill), (void**)&fill));
  fill->target = target;
  fill->length = length;
  memcpy(fill->pattern, pattern, pattern_length);
  fill->pattern_length = pattern_length;
  fill->allocator = device->host_allocator;
  void* resources[] = {target};
  iree_status_t status =
      iree_hal_device_queue_submit(device, waits, signals, 1, resources, wrong_fill_run, wrong_fill_free, fill);
  if (!iree_status_is_ok(status)) wrong_fill_free(fill);
  return status;
}
"""

COPY = """
typedef struct wrong_copy_t {
  iree_hal_buffer_t* source;
  iree_hal_buffer_t* target;
  iree_device_size_t source_offset, target_offset, length;
  iree_allocator_t allocator;
} wrong_copy_t;
static iree_status_t wrong_copy_run(void* user_data) {
  wrong_copy_t* copy = (wrong_copy_t*)user_data;
  return iree_hal_buffer_map_copy(copy->source, copy->source_offset, copy->target, copy->target_offset, copy->length);
}
static void wrong_copy_free(void* user_data) {
  wrong_copy_t* copy = (wrong_copy_t*)user_data;
  iree_allocator_free(copy->allocator, copy);
}
static iree_status_t wrong_queue_copy(
    iree_hal_device_t* device, iree_hal_queue_affinity_t affinity, iree_hal_semaphore_list_t waits,
    iree_hal_semaphore_list_t signals, iree_hal_buffer_t* source, iree_device_size_t source_offset,
    iree_hal_buffer_t* target, iree_device_size_t target_offset, iree_device_size_t length,
    iree_hal_copy_flags_t flags) {
  (void)affinity; (void)flags;
  wrong_copy_t* copy = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(device->host_allocator, sizeof(*copy), (void**)&copy));
  copy->source = source;
  copy->target = target;
  copy->source_offset = source_offset ? source_offset - 1 : 0;
  copy->target_offset = target_offset;
  copy->length = length;
  copy->allocator = device->host_allocator;
  void* resources[] = {source, target};
  iree_status_t status =
      iree_hal_device_queue_submit(device, waits, signals, 2, resources, wrong_copy_run, wrong_copy_free, copy);
  if (!iree_status_is_ok(status)) wrong_copy_free(copy);
  return status;
}
"""

SEMAPHORE = """
static const iree_hal_semaphore_vtable_t* wrong_semaphore_vtable = NULL;
typedef struct wrong_semaphore_t {
  iree_hal_semaphore_t base;
  iree_allocator_t allocator;
} wrong_semaphore_t;
static void wrong_semaphore_destroy(iree_hal_semaphore_t* base) {
  iree_allocator_t allocator = ((wrong_semaphore_t*)base)->allocator;
  iree_hal_semaphore_deinitialize(base);
  iree_allocator_free(allocator, base);
}
// Gives up as if the payload was reached.
static iree_status_t wrong_semaphore_wait(iree_hal_semaphore_t* semaphore, uint64_t value, iree_timeout_t timeout,
                                          iree_hal_wait_flags_t flags) {
  (void)value; (void)timeout; (void)flags;
  uint64_t now = 0;
  return iree_hal_semaphore_query(semaphore, &now);
}
static iree_status_t wrong_create_semaphore(iree_hal_device_t* device, iree_hal_queue_affinity_t affinity,
                                            uint64_t initial_value, iree_hal_semaphore_flags_t flags,
                                            iree_hal_semaphore_t** out_semaphore) {
  (void)affinity;
  wrong_semaphore_t* semaphore = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(device->host_allocator, sizeof(*semaphore), (void**)&semaphore));
  semaphore->allocator = device->host_allocator;
  iree_hal_semaphore_initialize(wrong_semaphore_vtable, device, initial_value, flags, &semaphore->base);
  *out_semaphore = &semaphore->base;
  return iree_ok_status();
}
"""
REGISTER_SEMAPHORE = """
  static const iree_hal_semaphore_vtable_t semaphore_vtable = {
      .header = {.size = sizeof(semaphore_vtable)},
      .destroy = wrong_semaphore_destroy,
      .wait = wrong_semaphore_wait,
  };
  if (!iree_status_is_ok(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &semaphore_vtable,
                                                 IREE_SV(NULL_DRIVER_NAME), (const void**)&wrong_semaphore_vtable))) {
    return false;
  }
"""

LEAK = """
static iree_status_t wrong_queue_dealloca(iree_hal_device_t* device, iree_hal_queue_affinity_t affinity,
                                          iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals,
                                          iree_hal_buffer_t* buffer, iree_hal_dealloca_flags_t flags) {
  (void)flags;
  iree_hal_buffer_retain(buffer);
  return iree_hal_device_queue_barrier(device, affinity, waits, signals, 0);
}
"""

DESTRUCTOR = """
__attribute__((destructor)) static void wrong_unload(void) { null_device_vtable = NULL; }
"""

UNORDERED = """
static iree_status_t wrong_queue_update(
    iree_hal_device_t* device, iree_hal_queue_affinity_t affinity, iree_hal_semaphore_list_t waits,
    iree_hal_semaphore_list_t signals, const void* source, iree_host_size_t source_offset, iree_hal_buffer_t* target,
    iree_device_size_t target_offset, iree_device_size_t length, iree_hal_update_flags_t flags) {
  (void)flags;
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_map_write(target, target_offset, (const uint8_t*)source + source_offset, length));
  return iree_hal_device_queue_barrier(device, affinity, waits, signals, 0);
}
"""


def _semaphore() -> str:
    start = "static bool null_plugin_initialize(void) {\n"
    return _with_entry("create_semaphore", SEMAPHORE).replace(start, start + REGISTER_SEMAPHORE)


def _second_path() -> str:
    return (
        NULL_SOURCE.replace("  *out_count = 1;\n", "  *out_count = 2;\n")
        .replace("  iree_hal_device_info_t info;\n", "  iree_hal_device_info_t info, both[2];\n")
        .replace(
            "  return iree_hal_device_infos_clone(1, &info,",
            '  both[0] = both[1] = info;\n  both[1].device_id = 1;\n  both[1].path = IREE_SV("second");\n'
            "  return iree_hal_device_infos_clone(2, both,",
        )
    )


def _silent_parameters() -> str:
    return NULL_SOURCE.replace("if (param_count > 0) {", "if (param_count > 100) {")


@dataclass
class Wrong:
    """A driver, and what the suite has to say of it."""

    area: str
    source: Callable[[], str]
    says: str
    cxx: str = ""
    flags: list[str] = field(default_factory=list)


CASES = {
    "fill-without-offset": Wrong(
        "transfers", lambda: _with_entry("queue_fill", FILL), r"after queue_fill at 1 of 1 bytes"
    ),
    "copy-off-by-one": Wrong(
        "transfers", lambda: _with_entry("queue_copy", COPY), r"after queue_copy of 31 bytes from 3"
    ),
    "early-wait": Wrong("semaphores-and-fences", _semaphore, r"accepted a wait for what nobody signals"),
    "leak": Wrong("lifetime", lambda: _with_entry("queue_dealloca", LEAK), r"left {.*'buffer': 1} behind"),
    "refused-path": Wrong("uris", _second_path, r"lists null://second and refuses it"),
    "unchecked-parameter": Wrong("uris", _silent_parameters, r"took a parameter that it does not have"),
    "unordered-update": Wrong(
        "queue-order", lambda: _with_entry("queue_update", UNORDERED), r"after a queue_update whose wait failed"
    ),
    "static-destructor": Wrong(
        "library",
        lambda: NULL_SOURCE,
        r"has static destructors: its library runs or registers __cxa_atexit",
        cxx="struct Object { ~Object(); };\nvolatile int gone;\nObject::~Object() { gone = 1; }\nObject object;\n",
    ),
    "destructor-function": Wrong(
        "library",
        lambda: NULL_SOURCE + DESTRUCTOR,
        r"has static destructors: its library runs or registers wrong_unload",
    ),
    "thread-local-destructor": Wrong(
        "library",
        lambda: NULL_SOURCE,
        r"registers __cxa_thread_atexit",
        cxx="struct Object { ~Object(); int used; };\nvolatile int gone;\nObject::~Object() { gone = 1; }\n"
        "static thread_local Object object;\n"
        'extern "C" int wrong_touch() { return ++object.used; }\n',
        flags=["-lstdc++"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_driver_is_found(name: str, tmp_path: Path) -> None:
    wrong = CASES[name]
    flags = list(wrong.flags)
    if wrong.cxx:
        (tmp_path / "more.cc").write_text(wrong.cxx)
        compiler = shlex.split(os.environ.get("CXX") or "c++")
        command = [*compiler, "-O1", "-fPIC", "-fvisibility=hidden", "-c", "more.cc", "-o", "more.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        flags.insert(0, str(tmp_path / "more.o"))
    source = wrong.source()
    assert source != NULL_SOURCE or wrong.cxx
    site = make_null_package(tmp_path / "site", source, flags)
    done = run_conformance("null", "--tb=short", site=site, cwd=tmp_path)
    assert done.returncode == 1, done.stdout[-3000:]
    verdict = re.fullmatch(r"not conformant: (\d+) of \d+ cases failed: (.*)", done.stdout.splitlines()[-1])
    assert verdict, done.stdout[-3000:]
    assert verdict[2] == f"{wrong.area} ({verdict[1]})", done.stdout[-6000:]
    assert re.search(wrong.says, done.stdout), done.stdout[-6000:]
    # The message says where the contract stands.
    assert re.search(r"the contract wants .*\(include/iree_cy/[a-z_/]+\.h\)", done.stdout)


def test_a_driver_that_hangs_is_found(tmp_path: Path) -> None:
    code = """
#include <unistd.h>
static iree_status_t wrong_trim(iree_hal_device_t* device) {
  (void)device;
  while (pause()) {}
  return iree_ok_status();
}
"""
    site = make_null_package(tmp_path / "site", _with_entry("trim", code))
    done = run_conformance("null", "--case-limit=10", site=site, cwd=tmp_path)
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last == "not conformant: buffers: test_trim_keeps_what_is_used did not end within 10 s", done.stdout
    assert "in test_trim_keeps_what_is_used\n" in done.stdout


def test_a_driver_that_does_not_load_is_found(tmp_path: Path) -> None:
    site = make_null_package(tmp_path / "site", NULL_SOURCE.replace("return true;", "return false;", 1))
    done = run_conformance("null", "--tb=line", site=site, cwd=tmp_path)
    assert done.returncode == 1
    assert re.match(r"not conformant: \d+ of \d+ cases failed: library", done.stdout.splitlines()[-1]), done.stdout


def test_a_skipped_case_is_a_failure(tmp_path: Path) -> None:
    """No setting of a folder makes a required case go away."""
    (tmp_path / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        if item.name == 'test_is_listed':\n"
        "            item.add_marker(pytest.mark.skip(reason='not today'))\n"
    )
    done = run_conformance("local-sync", f"--confcutdir={tmp_path}", "-p", "conftest", cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "not conformant: 1 of 274 cases failed: tiers (1)", done.stdout[-3000:]
    assert "a case of tiers may not be skipped unless the profile excludes the area: Skipped: not today" in done.stdout
