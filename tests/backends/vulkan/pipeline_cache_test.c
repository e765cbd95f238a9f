// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests pipelines on disk with a Vulkan driver that is made up here: what is
// written, read again and refused.

#include "tests/support/fork_generation.h"
//
#include <sys/wait.h>

#include "backends/vulkan/src/pipeline_cache.c"
#include "backends/vulkan/src/result.c"
#include "tests/support/ctest.h"

// What the driver keeps: as many bytes as pipelines were made of, and what it
// was given at the start.
static size_t blob_size = 0;
static uint8_t given[4096];
static size_t given_size = 0;
static int asked_count = 0;
static bool refuses_data = false;

static VkResult fake_create(VkDevice device,
                            const VkPipelineCacheCreateInfo* info,
                            const VkAllocationCallbacks* callbacks,
                            VkPipelineCache* out_cache) {
  (void)device, (void)callbacks;
  if (refuses_data && info->initialDataSize) return VK_ERROR_UNKNOWN;
  given_size = info->initialDataSize;
  if (given_size) memcpy(given, info->pInitialData, given_size);
  *out_cache = (VkPipelineCache)given;
  return VK_SUCCESS;
}
static void fake_destroy(VkDevice device, VkPipelineCache cache,
                         const VkAllocationCallbacks* callbacks) {
  (void)device, (void)cache, (void)callbacks;
}
static VkResult fake_get(VkDevice device, VkPipelineCache cache, size_t* size,
                         void* data) {
  (void)device, (void)cache;
  ++asked_count;
  if (data) {
    for (size_t i = 0; i < blob_size && i < *size; ++i) {
      ((uint8_t*)data)[i] = (uint8_t)(i * 7 + blob_size);
    }
  }
  *size = blob_size;
  return VK_SUCCESS;
}

typedef struct fixture_t {
  char folder[64];
  char file[256];
  vulkan_logical_device_t logical;
  vulkan_pipeline_cache_t cache;
} fixture_t;

static bool fixture_begin(fixture_t* f) {
  memset(f, 0, sizeof(*f));
  blob_size = 32;
  asked_count = 0;
  refuses_data = false;
  strcpy(f->folder, "/tmp/iree_cy_pipelines_XXXXXX");
  if (!mkdtemp(f->folder)) return false;
  char deep[96];
  snprintf(deep, sizeof(deep), "%s/a/b", f->folder);
  setenv(VULKAN_PIPELINE_CACHE_VARIABLE, deep, 1);
  f->logical.fork_generation = iree_cy_fork_generation();
  f->logical.vk.CreatePipelineCache = fake_create;
  f->logical.vk.DestroyPipelineCache = fake_destroy;
  f->logical.vk.GetPipelineCacheData = fake_get;
  memset(f->logical.physical.v11.driverUUID, 0x12, VK_UUID_SIZE);
  memset(f->logical.physical.v11.deviceUUID, 0xAB, VK_UUID_SIZE);
  snprintf(f->file, sizeof(f->file),
           "%s/12121212121212121212121212121212-"
           "abababababababababababababababab.pipelines",
           deep);
  return true;
}

static void fixture_end(fixture_t* f) {
  char command[96];
  snprintf(command, sizeof(command), "rm -rf '%s'", f->folder);
  EXPECT_EQ_I64(system(command), 0);
}

// Loads, makes pipelines until the driver keeps |size| bytes, and stores.
static void use(fixture_t* f, size_t size) {
  vulkan_pipeline_cache_initialize(&f->logical, &f->cache);
  EXPECT(f->cache.handle != NULL);
  blob_size = size;
  vulkan_pipeline_cache_store(&f->cache);
  vulkan_pipeline_cache_deinitialize(&f->cache);
}

static int64_t file_size(const char* path) {
  struct stat information;
  return stat(path, &information) == 0 ? (int64_t)information.st_size : -1;
}

static int entry_count(const fixture_t* f) {
  char command[160];
  snprintf(command, sizeof(command), "exit $(ls -A '%s/a/b' | wc -l)",
           f->folder);
  return WEXITSTATUS(system(command));
}

CTEST(what_was_written_is_given_to_the_next) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  use(&f, 100);
  EXPECT_EQ_I64(given_size, 0);
  EXPECT_EQ_I64(file_size(f.file), (int64_t)sizeof(file_head_t) + 100);
  use(&f, 100);
  EXPECT_EQ_I64(given_size, 100);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ_I64(given[i], (uint8_t)(i * 7 + 100));
  }
  // More is written; what has not grown is not.
  use(&f, 300);
  EXPECT_EQ_I64(file_size(f.file), (int64_t)sizeof(file_head_t) + 300);
  use(&f, 200);
  EXPECT_EQ_I64(file_size(f.file), (int64_t)sizeof(file_head_t) + 300);
  EXPECT_EQ_I64(entry_count(&f), 1);
  fixture_end(&f);
}

CTEST(a_driver_that_keeps_nothing_gets_no_file_and_is_asked_once) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  vulkan_pipeline_cache_initialize(&f.logical, &f.cache);
  for (int i = 0; i < 5; ++i) vulkan_pipeline_cache_store(&f.cache);
  EXPECT_EQ_I64(asked_count, 1);
  vulkan_pipeline_cache_deinitialize(&f.cache);
  EXPECT_EQ_I64(file_size(f.file), -1);
  fixture_end(&f);
}

CTEST(what_does_not_fit_is_not_used) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  for (int i = 0; i < 6; ++i) {
    use(&f, 100);
    vulkan_logical_device_t* l = &f.logical;
    if (i == 0) ++l->physical.properties.driverVersion;
    if (i == 1) ++l->physical.properties.vendorID;
    if (i == 2) ++l->physical.properties.deviceID;
    if (i == 3) ++l->physical.properties.pipelineCacheUUID[15];
    if (i == 4) ++l->physical.v11.driverUUID[0];
    if (i == 5) ++l->physical.v11.deviceUUID[0];
    use(&f, 32);
    EXPECT_EQ_I64(given_size, 0);
  }
  fixture_end(&f);
}

CTEST(a_file_that_is_damaged_is_not_used_and_is_replaced) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  const int64_t whole = (int64_t)sizeof(file_head_t) + 100;
  for (int64_t at = 0; at < whole; at += 5) {
    use(&f, 100);
    EXPECT_EQ_I64(file_size(f.file), whole);
    const int file = open(f.file, O_RDWR);
    uint8_t byte = 0;
    EXPECT_EQ_I64(pread(file, &byte, 1, at), 1);
    byte ^= 0x40;
    EXPECT_EQ_I64(pwrite(file, &byte, 1, at), 1);
    close(file);
    use(&f, 100);
    EXPECT_EQ_I64(given_size, 0);
    // Cut off.
    EXPECT_EQ_I64(truncate(f.file, at), 0);
    use(&f, 100);
    EXPECT_EQ_I64(given_size, 0);
  }
  use(&f, 100);
  EXPECT_EQ_I64(given_size, 100);
  // A driver may refuse what was its own.
  refuses_data = true;
  use(&f, 120);
  EXPECT_EQ_I64(given_size, 0);
  EXPECT_EQ_I64(file_size(f.file), (int64_t)sizeof(file_head_t) + 120);
  fixture_end(&f);
}

CTEST(nothing_is_kept_where_nothing_can_be) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  // No folder, a relative one, one that is a file, a file that is a folder.
  const char* const values[] = {"", "relative", "/proc/version"};
  for (size_t i = 0; i < IREE_ARRAYSIZE(values); ++i) {
    setenv(VULKAN_PIPELINE_CACHE_VARIABLE, values[i], 1);
    use(&f, 100);
    EXPECT_EQ_I64(given_size, 0);
  }
  EXPECT_EQ_I64(file_size("relative"), -1);
  setenv(VULKAN_PIPELINE_CACHE_VARIABLE, f.folder, 1);
  char folder[256];
  snprintf(folder, sizeof(folder), "%s%s", f.folder, strrchr(f.file, '/'));
  EXPECT_EQ_I64(mkdir(folder, 0700), 0);
  use(&f, 100);
  EXPECT_EQ_I64(given_size, 0);
  // What could not be written is not left behind.
  char command[160];
  snprintf(command, sizeof(command), "exit $(ls -A '%s' | wc -l)", f.folder);
  EXPECT_EQ_I64(WEXITSTATUS(system(command)), 1);
  fixture_end(&f);
}

CTEST(the_usual_folder) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  unsetenv(VULKAN_PIPELINE_CACHE_VARIABLE);
  setenv("XDG_CACHE_HOME", "/x", 1);
  char* folder = cache_folder();
  EXPECT_EQ_SV(iree_make_cstring_view(folder), IREE_SV("/x/iree_cy/vulkan"));
  free(folder);
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/h", 1);
  folder = cache_folder();
  EXPECT_EQ_SV(iree_make_cstring_view(folder),
               IREE_SV("/h/.cache/iree_cy/vulkan"));
  free(folder);
  unsetenv("HOME");
  EXPECT(!cache_folder());
  unsetenv("XDG_CACHE_HOME");
  fixture_end(&f);
}

CTEST(there_are_so_many_files_and_no_more) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  for (int i = 0; i < MAX_FILE_COUNT + 5; ++i) {
    f.logical.physical.v11.deviceUUID[0] = (uint8_t)i;
    use(&f, 100);
  }
  EXPECT_EQ_I64(entry_count(&f), MAX_FILE_COUNT);
  // The newest is there.
  use(&f, 100);
  EXPECT_EQ_I64(given_size, 100);
  fixture_end(&f);
}

CTEST(two_processes_write_whole_files) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  pid_t children[2];
  for (int c = 0; c < 2; ++c) {
    children[c] = fork();
    if (children[c]) continue;
    f.logical.fork_generation = iree_cy_fork_generation();
    for (int i = 0; i < 200; ++i) {
      vulkan_pipeline_cache_initialize(&f.logical, &f.cache);
      // None, or all of one of both.
      if (given_size != 0 && given_size != 1000 && given_size != 2000) _exit(1);
      for (size_t b = 0; b < given_size; ++b) {
        if (given[b] != (uint8_t)(b * 7 + given_size)) _exit(2);
      }
      f.cache.stored_size = 0;
      blob_size = c ? 1000 : 2000;
      vulkan_pipeline_cache_store(&f.cache);
      vulkan_pipeline_cache_deinitialize(&f.cache);
    }
    _exit(0);
  }
  for (int c = 0; c < 2; ++c) {
    int status = 0;
    EXPECT(waitpid(children[c], &status, 0) == children[c]);
    EXPECT_EQ_I64(status, 0);
  }
  EXPECT_EQ_I64(entry_count(&f), 1);
  fixture_end(&f);
}

CTEST_MAIN()
