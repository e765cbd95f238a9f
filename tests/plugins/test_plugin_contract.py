# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what is said of plugin libraries that do not fit the host, refuse to start, or give nothing.
from __future__ import annotations

import pytest

import iree_cy as rt
from iree_cy import _core
from tests.support.native import INCLUDE, build_plugin_library

# A plugin by the macro, as its author would write it; what a test changes comes from flags.
PLUGIN = """
#include "iree_cy/plugin.h"
static const iree_hal_driver_vtable_t* vtable = NULL;
static void destroy(iree_hal_driver_t* driver) {
  iree_hal_driver_deinitialize(driver);
  iree_allocator_free(iree_allocator_system(), driver);
}
static iree_status_t devices(iree_hal_driver_t* driver, iree_allocator_t allocator, iree_host_size_t* out_count,
                             iree_hal_device_info_t** out_infos) {
  (void)driver;
  return iree_hal_device_infos_clone(*out_count = 0, NULL, allocator, out_infos);
}
static iree_status_t create_device(iree_hal_driver_t* driver, iree_hal_device_id_t id, iree_host_size_t count,
                                   const iree_string_pair_t* params, iree_allocator_t allocator,
                                   iree_hal_device_t** out_device) {
  (void)driver, (void)id, (void)count, (void)params, (void)allocator, (void)out_device;
  return iree_make_status(IREE_STATUS_UNAVAILABLE, "no devices");
}
static bool initialize(void) {
  static const iree_hal_driver_vtable_t entries = {.header = {.size = sizeof(entries)}, .destroy = destroy,
      .query_available_devices = devices, .create_device_by_id = create_device};
  LOG
  iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("test"), IREE_SV("no reason"));
  iree_status_t status = iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &entries, IREE_SV("test"),
                                                 (const void**)&vtable);
  bool is_ok = iree_status_is_ok(status);
  iree_status_ignore(status);
  return is_ok && STARTS;
}
static iree_status_t create(iree_string_view_t name, iree_allocator_t allocator, iree_hal_driver_t** out_driver) {
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(allocator, sizeof(*driver), (void**)&driver));
  IREE_RETURN_IF_ERROR(iree_hal_driver_initialize(vtable, name, allocator, driver));
  *out_driver = driver;
  return iree_ok_status();
}
static const iree_cy_driver_plugin_t plugin = {
    .size = sizeof(plugin), .version = IREE_CY_ABI_VERSION, .host_api_size = HOST_API_SIZE, .name = "test",
    .human_name = "Test", .plugin_version = "1", .create_driver = create};
IREE_CY_DEFINE_DRIVER_PLUGIN(plugin, initialize)
"""


@pytest.fixture
def load(tmp_path):
    """Build a plugin, with some of what it says changed, and load it."""

    def load(name="plugin", **changes):
        values = {"HOST_API_SIZE": "sizeof(iree_cy_host_api_t)", "LOG": "", "STARTS": "true", **changes}
        flags = [f"-D{key}={value}" for key, value in values.items()]
        return _core.load_driver_plugin("test", str(build_plugin_library(PLUGIN, tmp_path / f"{name}.so", flags)))

    yield load
    # What the plugins logged is not for the tests after this one.
    _core.drain_log()


def refusal(load, error, **changes):
    with pytest.raises(error) as caught:
        load(**changes)
    line = str(caught.value).partition("\n")[0]
    assert len(line) <= 200
    return line, caught.value


class TestHostTable:
    def test_whole(self, load):
        assert load().name == "test"

    def test_older_functions_only(self, load):
        size = "offsetof(iree_cy_host_api_t,iree_cy_register_vtable)+sizeof(void*)"
        assert load(HOST_API_SIZE=size).name == "test"

    def test_longer_than_the_host_has(self, load):
        line, _ = refusal(load, rt.Incompatible, HOST_API_SIZE="sizeof(iree_cy_host_api_t)+16")
        assert line.startswith("plugin.so needs a host table of ")
        assert line.endswith("; upgrade iree-cy")
        needed, there = (int(word) for word in line.replace(";", " ").split() if word.isdigit())
        assert needed == there + 16
        # A pointer a row.
        assert there >= 8 * (INCLUDE / "iree_cy/host_api.inc").read_text().count("\nIREE_CY_HOST_FN(")

    def test_unsaid(self, load):
        line, _ = refusal(load, rt.Incompatible, HOST_API_SIZE="0")
        assert "its author must set it to sizeof(iree_cy_host_api_t)" in line


class TestRefusingToStart:
    LOG = 'iree_cy_log(IREE_CY_LOG_LEVEL_ERROR,IREE_SV("test"),iree_make_cstring_view(TEXT));'

    def test_with_a_reason(self, load):
        _core.drain_log()
        line, _ = refusal(load, rt.Internal, LOG=self.LOG, TEXT='"no card is plugged in"', STARTS="false")
        assert line == "plugin.so refused to start: its query returned NULL: no card is plugged in"
        # It goes to the log all the same.
        assert (40, "test", "no card is plugged in") in _core.drain_log()

    def test_with_a_long_reason(self, load):
        text = '"' + "word " * 50 + '\\nand more"'
        line, error = refusal(load, rt.Internal, LOG=self.LOG, TEXT=text, STARTS="false")
        assert line.endswith(("word...", "word ..."))
        assert any(note.endswith("and more") for note in error.annotations)

    def test_with_the_last_of_several(self, load):
        line, _ = refusal(load, rt.Internal, LOG=self.LOG + self.LOG.replace("TEXT", '"two"'), TEXT='"one"', STARTS="0")
        assert line.endswith("NULL: two")

    def test_without_a_reason(self, load):
        refusal(load, rt.Internal, LOG=self.LOG, TEXT='"another plugin"', STARTS="false")
        line, _ = refusal(load, rt.Internal, name="silent", STARTS="false")
        assert line == (
            "silent.so refused to start: its query returned NULL and logged no error; report it to the driver's author"
        )


def test_long_names(load):
    line, _ = refusal(load, rt.Internal, name="n" * 200, STARTS="false")
    assert line.startswith("n" * 48 + " refused to start")
