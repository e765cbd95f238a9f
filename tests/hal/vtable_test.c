// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the registry of vtables, and the counting and recycling of objects.

#include "iree_cy/native/hal/vtable_defaults.h"
#include "tests/support/ctest.h"

static int destroy_count = 0;
static void count_destroy(iree_hal_device_t* device) {
  (void)device;
  ++destroy_count;
}

static const iree_hal_device_vtable_t bare_table = {
    .header = {.size = sizeof(bare_table)},
    .destroy = count_destroy,
};

CTEST(missing_entries_are_filled) {
  const void* out = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                     IREE_SV("filled"), &out));
  const iree_hal_device_vtable_t* table = (const iree_hal_device_vtable_t*)out;
  EXPECT(out != (const void*)&bare_table);
  EXPECT(table->destroy == count_destroy);
  EXPECT_EQ_I64(table->header.size, sizeof(*table));
  EXPECT_EQ_I64(table->header.kind, IREE_CY_OBJECT_KIND_DEVICE);
  EXPECT_EQ_SV(iree_make_cstring_view(table->header.owner), IREE_SV("filled"));
  // No entry is left NULL.
  for (size_t offset = sizeof(iree_cy_vtable_header_t); offset < sizeof(*table);
       offset += sizeof(void*)) {
    void* entry = NULL;
    memcpy(&entry, (const char*)table + offset, sizeof(entry));
    EXPECT(entry);
  }
}

CTEST(the_same_table_gives_the_same_copy) {
  const void* first = NULL;
  const void* second = NULL;
  const void* other = NULL;
  char owner[] = "same";
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                     iree_make_cstring_view(owner), &first));
  owner[0] = 'g';
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                     IREE_SV("same"), &second));
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                     IREE_SV("other"), &other));
  EXPECT(first == second);
  EXPECT(first != other);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_register_vtable(IREE_CY_OBJECT_KIND_FILE, &bare_table,
                                        IREE_SV("file"), &other));
}

CTEST(an_older_table_is_completed) {
  // As if it had been compiled when the table ended after trim.
  struct {
    iree_cy_vtable_header_t header;
    void (*destroy)(iree_hal_device_t* device);
    void* trim;
    void* beyond;
  } older = {{sizeof(older) - sizeof(void*), 0, NULL, {0, 0}},
             count_destroy,
             NULL,
             &older};
  const void* out = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &older,
                                     IREE_SV("older"), &out));
  const iree_hal_device_vtable_t* table = (const iree_hal_device_vtable_t*)out;
  EXPECT(table->trim == iree_cy_device_vtable_defaults.trim);
  EXPECT(table->query_i64 == iree_cy_device_vtable_defaults.query_i64);
}

CTEST(a_newer_table_is_read_as_far_as_it_is_known) {
  struct {
    iree_hal_semaphore_vtable_t known;
    void* unknown[3];
  } newer = {{.header = {.size = sizeof(newer)}}, {&newer, &newer, &newer}};
  newer.known.destroy = (void (*)(iree_hal_semaphore_t*))count_destroy;
  const void* out = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &newer,
                                     IREE_SV("newer"), &out));
  EXPECT_EQ_I64(((const iree_cy_vtable_header_t*)out)->size,
                sizeof(iree_hal_semaphore_vtable_t));
}

CTEST(required_entries_are_named) {
  iree_hal_driver_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = (void (*)(iree_hal_driver_t*))count_destroy,
  };
  const void* out = &table;
  iree_status_t status = iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER,
                                                 &table, IREE_SV("poor"), &out);
  EXPECT(!out);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("driver 'poor' must implement "
                       "iree_hal_driver_t.query_available_devices"));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, status);
}

CTEST(each_kind_says_what_it_requires) {
  // An empty table of each kind must be refused, and the entries that are NULL
  // in the defaults are the required ones.
  static const struct {
    iree_cy_object_kind_t kind;
    size_t size;
    const void* defaults;
    int required_count;
  } kinds[] = {
      {IREE_CY_OBJECT_KIND_DRIVER, sizeof(iree_hal_driver_vtable_t),
       &iree_cy_driver_vtable_defaults, 3},
      {IREE_CY_OBJECT_KIND_DEVICE, sizeof(iree_hal_device_vtable_t),
       &iree_cy_device_vtable_defaults, 1},
      {IREE_CY_OBJECT_KIND_ALLOCATOR, sizeof(iree_hal_allocator_vtable_t),
       &iree_cy_allocator_vtable_defaults, 2},
      {IREE_CY_OBJECT_KIND_BUFFER, sizeof(iree_hal_buffer_vtable_t),
       &iree_cy_buffer_vtable_defaults, 1},
      {IREE_CY_OBJECT_KIND_SEMAPHORE, sizeof(iree_hal_semaphore_vtable_t),
       &iree_cy_semaphore_vtable_defaults, 1},
      {IREE_CY_OBJECT_KIND_COMMAND_BUFFER,
       sizeof(iree_hal_command_buffer_vtable_t),
       &iree_cy_command_buffer_vtable_defaults, 1},
      {IREE_CY_OBJECT_KIND_EXECUTABLE, sizeof(iree_hal_executable_vtable_t),
       &iree_cy_executable_vtable_defaults, 3},
      {IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE,
       sizeof(iree_hal_executable_cache_vtable_t),
       &iree_cy_executable_cache_vtable_defaults, 3},
      {IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER,
       sizeof(iree_hal_executable_loader_vtable_t),
       &iree_cy_executable_loader_vtable_defaults, 3},
      {IREE_CY_OBJECT_KIND_FILE, sizeof(iree_hal_file_vtable_t),
       &iree_cy_file_vtable_defaults, 3},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(kinds); ++i) {
    int null_count = 0;
    // A table of the size of all pointers, filled where the defaults are NULL.
    static void* tables[IREE_ARRAYSIZE(kinds)][64];
    void** table = tables[i];
    ((iree_cy_vtable_header_t*)table)->size = (uint32_t)kinds[i].size;
    const void* out = NULL;
    EXPECT_STATUS(
        IREE_STATUS_INVALID_ARGUMENT,
        iree_cy_register_vtable(kinds[i].kind, table, IREE_SV("none"), &out));
    for (size_t offset = sizeof(iree_cy_vtable_header_t);
         offset < kinds[i].size; offset += sizeof(void*)) {
      void* entry = NULL;
      memcpy(&entry, (const char*)kinds[i].defaults + offset, sizeof(entry));
      if (entry) continue;
      ++null_count;
      EXPECT_STATUS(
          IREE_STATUS_INVALID_ARGUMENT,
          iree_cy_register_vtable(kinds[i].kind, table, IREE_SV("none"), &out));
      table[offset / sizeof(void*)] = (void*)count_destroy;
    }
    EXPECT_EQ_I64(null_count, kinds[i].required_count);
    EXPECT_OK(iree_cy_register_vtable(kinds[i].kind, table, IREE_SV("complete"),
                                      &out));
  }
}

CTEST(wrong_arguments_are_refused) {
  const void* out = NULL;
  const iree_string_view_t owner = IREE_SV("wrong");
  iree_hal_device_vtable_t small = bare_table;
  small.header.size = sizeof(iree_cy_vtable_header_t) - 1;
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &small, owner, &out));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, NULL, owner, &out));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                        iree_string_view_empty(), &out));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                        owner, NULL));
  const iree_cy_object_kind_t without_table[] = {
      IREE_CY_OBJECT_KIND_NONE, IREE_CY_OBJECT_KIND_EVENT,
      IREE_CY_OBJECT_KIND_FENCE, IREE_CY_OBJECT_KIND_COUNT, 0xFFFFFFFFu};
  for (size_t i = 0; i < IREE_ARRAYSIZE(without_table); ++i) {
    EXPECT_STATUS(
        IREE_STATUS_INVALID_ARGUMENT,
        iree_cy_register_vtable(without_table[i], &bare_table, owner, &out));
  }
}

CTEST(objects_are_counted_and_destroyed_once) {
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                     IREE_SV("counted"), &vtable));
  const int64_t before = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_DEVICE);
  iree_hal_device_t device;
  memset(&device, 0, sizeof(device));
  destroy_count = 0;
  iree_hal_resource_initialize(vtable, &device.resource);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_DEVICE),
                before + 1);
  EXPECT(iree_hal_resource_is(&device, vtable));
  EXPECT(!iree_hal_resource_is(&device, &bare_table));
  iree_hal_resource_retain(&device);
  iree_hal_resource_release(&device);
  EXPECT_EQ_I64(destroy_count, 0);
  iree_hal_resource_release(&device);
  EXPECT_EQ_I64(destroy_count, 1);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_DEVICE), before);
  iree_hal_resource_retain(NULL);
  iree_hal_resource_release(NULL);
}

static iree_hal_buffer_t* recycled_buffer = NULL;
static void take_recycled(void* user_data, iree_hal_buffer_t* buffer) {
  ++*(int*)user_data;
  recycled_buffer = buffer;
}

CTEST(a_buffer_is_recycled_once) {
  iree_hal_allocator_t* allocator = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("heap"), iree_allocator_system(), &allocator));
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  REQUIRE_OK(
      iree_hal_allocator_allocate_buffer(allocator, params, 16, &buffer));
  const int64_t live = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER);
  int recycle_count = 0;
  const iree_hal_buffer_release_callback_t callback = {take_recycled,
                                                       &recycle_count};
  iree_hal_buffer_set_recycle_callback(buffer, callback);
  iree_hal_buffer_retain(buffer);
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(recycle_count, 0);
  iree_hal_resource_release(buffer);
  EXPECT_EQ_I64(recycle_count, 1);
  EXPECT(recycled_buffer == buffer);
  EXPECT_EQ_I64(buffer->resource.ref_count, 1);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), live);
  iree_hal_buffer_release(recycled_buffer);
  EXPECT_EQ_I64(recycle_count, 1);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER),
                live - 1);
  iree_hal_allocator_release(allocator);
}

CTEST(flags_are_said_in_words) {
  char text[128];
  EXPECT_EQ_I64(
      iree_hal_memory_type_format(
          IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE,
          sizeof(text), text),
      25);
  EXPECT_EQ_SV(iree_make_cstring_view(text),
               IREE_SV("DEVICE_LOCAL|HOST_VISIBLE"));
  EXPECT_EQ_I64(iree_hal_memory_access_format(0, sizeof(text), text), 4);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV("NONE"));
  EXPECT_EQ_I64(iree_hal_memory_access_format(
                    IREE_HAL_MEMORY_ACCESS_READ | 0x80000000u, 5, text),
                15);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV("READ"));
  EXPECT_EQ_I64(
      iree_hal_buffer_usage_format(IREE_HAL_BUFFER_USAGE_DEFAULT, 0, NULL), 25);
  iree_hal_buffer_usage_format(IREE_HAL_BUFFER_USAGE_DEFAULT, sizeof(text),
                               text);
  EXPECT_EQ_SV(iree_make_cstring_view(text),
               IREE_SV("TRANSFER|DISPATCH_STORAGE"));
}

CTEST_MAIN()
