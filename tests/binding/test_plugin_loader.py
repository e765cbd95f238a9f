# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the opening of driver plugins: what is said of those that break the contract, and the drivers they ask for.

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import iree_cy as rt
from iree_cy import _core

# A whole driver, without devices. NAME, and what the test changes, come from flags.
DRIVER = """
#include "iree_cy/plugin.h"
static const iree_hal_driver_vtable_t* vtable = NULL;
static void destroy(iree_hal_driver_t* driver) {
  iree_hal_driver_deinitialize(driver);
  iree_allocator_free(iree_allocator_system(), driver);
}
static iree_status_t devices(iree_hal_driver_t* driver, iree_allocator_t allocator, iree_host_size_t* out_count,
                             iree_hal_device_info_t** out_infos) {
  *out_count = 0;
  return iree_hal_device_infos_clone(0, NULL, allocator, out_infos);
}
static iree_status_t create_device(iree_hal_driver_t* driver, iree_hal_device_id_t id, iree_host_size_t count,
                                   const iree_string_pair_t* params, iree_allocator_t allocator,
                                   iree_hal_device_t** out_device) {
  return iree_make_status(IREE_STATUS_UNAVAILABLE, "no devices");
}
static bool initialize(void) {
  static const iree_hal_driver_vtable_t entries = {
      .header = {.size = sizeof(entries)},
      .destroy = destroy,
      .query_available_devices = devices,
      .create_device_by_id = create_device,
  };
  return iree_status_is_ok(iree_status_ignore(iree_cy_register_vtable(
             IREE_CY_OBJECT_KIND_DRIVER, &entries, iree_make_cstring_view("test"), (const void**)&vtable))) && vtable;
}
static iree_status_t create(iree_string_view_t name, iree_allocator_t allocator, iree_hal_driver_t** out_driver) {
  FACTORY
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(allocator, sizeof(*driver), (void**)&driver));
  IREE_RETURN_IF_ERROR(iree_hal_driver_initialize(vtable, name, allocator, driver));
  *out_driver = driver;
  return iree_ok_status();
}
static const iree_cy_driver_plugin_t plugin = {
    .size = SIZE, .version = VERSION, .host_api_size = sizeof(iree_cy_host_api_t), .name = NAME, .human_name = "test",
    .plugin_version = "1", .create_driver = CREATE};
__attribute__((visibility("default"))) const iree_cy_driver_plugin_t* QUERY(uint32_t version,
                                                                            const iree_cy_host_api_t* host) {
  if (version != IREE_CY_ABI_VERSION) return &plugin;
  if (!iree_cy_host_table_accept(host) || !initialize()) return NULL;
  return RESULT;
}
"""

Build = Callable[..., str]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build a plugin, with some of what it says changed; give its path."""

    def build(name: str = "test", **changes: str) -> str:
        values = {
            "SIZE": "sizeof(iree_cy_driver_plugin_t)",
            "VERSION": "IREE_CY_ABI_VERSION",
            "NAME": f'"{name}"',
            "CREATE": "create",
            "QUERY": "iree_cy_driver_plugin_query",
            "RESULT": "&plugin",
            "FACTORY": "",
            **changes,
        }
        source = tmp_path / f"{name}.c"
        source.write_text(DRIVER)
        library = tmp_path / f"lib{name}.so"
        command = shlex.split(os.environ.get("CC") or "cc")
        flags = ["-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{rt.get_include()}", "-Wl,-z,defs"]
        defines = [f"-D{key}={value}" for key, value in values.items()]
        done = subprocess.run(
            [*command, *flags, *defines, str(source), "-o", str(library)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return str(library)

    return build


def test_a_driver(build: Build) -> None:
    driver = _core.load_driver_plugin("test", build())
    assert driver.name == "test"
    assert driver.query_available_devices() == []
    with pytest.raises(rt.Unavailable, match="no devices"):
        driver._create_device(0, [])


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"QUERY": "other_query"}, rt.Incompatible, "exports no iree_cy_driver_plugin_query"),
        ({"VERSION": "(IREE_CY_ABI_VERSION+7)"}, rt.Incompatible, "ABI version 8, and this iree_cy has version 1"),
        ({"SIZE": "24"}, rt.Incompatible, "24 bytes, and ABI version 1 has"),
        ({"SIZE": "4"}, rt.Incompatible, "4 bytes and no header"),
        ({"RESULT": "NULL"}, rt.Internal, "its query returned NULL"),
        ({"NAME": "NULL"}, rt.Internal, "has no usable name, it is NULL"),
        ({"NAME": '"other"'}, rt.Incompatible, "plugin of driver 'other', not of 'test'"),
        ({"CREATE": "NULL"}, rt.Internal, "has no create_driver"),
        ({"FACTORY": 'return iree_make_status(IREE_STATUS_UNAVAILABLE, "no card");'}, rt.Unavailable, "no card"),
        ({"FACTORY": "return iree_ok_status();"}, rt.Internal, "returned OK and no driver"),
    ],
    ids=["no-symbol", "version", "short", "tiny", "null", "no-name", "other-name", "no-factory", "failing", "nothing"],
)
def test_broken_plugins(build: Build, changes: dict[str, str], error: type[Exception], match: str) -> None:
    library = build(**changes)
    for _ in range(2):
        with pytest.raises(error, match=match) as caught:
            _core.load_driver_plugin("test", library)
        assert len(str(caught.value).partition("\n")[0]) <= 200


def test_what_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    for name, told in (("text.so", "is no shared library"), ("absent.so", "cannot be read: No such file")):
        with pytest.raises(rt.Unavailable, match=f"{name} {told}"):
            _core.load_driver_plugin("test", str(tmp_path / name))


class TestFindDriver:
    """A driver that asks for another one while it is created."""

    # On one line, for it becomes a macro.
    ASKING = (
        "iree_hal_driver_t* other = NULL; "
        "IREE_RETURN_IF_ERROR(iree_cy_find_driver(iree_make_cstring_view(WANTED), &other)); "
        'iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("asking"), iree_hal_driver_id(other)); '
        "iree_hal_driver_release(other);"
    )

    def test_found(self, build: Build) -> None:
        library = build("asking", FACTORY=self.ASKING, WANTED='"local-sync"')
        _core.drain_log()
        assert _core.load_driver_plugin("asking", library).name == "asking"
        assert _core.drain_log() == [(20, "asking", "local-sync")]

    def test_not_there(self, build: Build) -> None:
        library = build("asking", FACTORY=self.ASKING, WANTED='"nothing"')
        with pytest.raises(rt.NotFound, match="nothing") as caught:
            _core.load_driver_plugin("asking", library)
        assert isinstance(caught.value.__cause__, rt.NotFound)


def test_what_a_plugin_logs(build: Build) -> None:
    _core.drain_log()
    logging = 'iree_cy_log(IREE_CY_LOG_LEVEL_INFO,IREE_SV("test"),IREE_SV("created"));'
    _core.load_driver_plugin("logging", build("logging", FACTORY=logging))
    assert _core.drain_log() == [(20, "test", "created")]
    assert _core.drain_log() == []
