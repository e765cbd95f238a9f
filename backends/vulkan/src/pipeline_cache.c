// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements pipelines on disk: one file for each device and driver, whole or
// not there at all.

#include "pipeline_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result.h"

// Neither a file of more bytes nor more files than this are kept.
#define MAX_FILE_SIZE ((uint64_t)64 << 20)
#define MAX_FILE_COUNT 16
#define FILE_SUFFIX ".pipelines"

// What a file begins with; the driver's data follows.
typedef struct file_head_t {
  char magic[8];
  uint32_t version;
  uint32_t driver_version;
  uint32_t vendor_id;
  uint32_t device_id;
  uint8_t driver_uuid[VK_UUID_SIZE];
  uint8_t device_uuid[VK_UUID_SIZE];
  uint8_t cache_uuid[VK_UUID_SIZE];
  uint64_t size;
  uint64_t checksum;
} file_head_t;

static uint64_t checksum_of(const uint8_t* data, uint64_t size) {
  uint64_t sum = UINT64_C(0xCBF29CE484222325);
  for (uint64_t i = 0; i < size; ++i) {
    sum = (sum ^ data[i]) * UINT64_C(0x100000001B3);
  }
  return sum;
}

static file_head_t head_of(const vulkan_logical_device_t* logical,
                           const uint8_t* data, uint64_t size) {
  const VkPhysicalDeviceProperties* properties = &logical->physical.properties;
  file_head_t head;
  memset(&head, 0, sizeof(head));
  memcpy(head.magic, "IREECYVP", sizeof(head.magic));
  head.version = 1;
  head.driver_version = properties->driverVersion;
  head.vendor_id = properties->vendorID;
  head.device_id = properties->deviceID;
  memcpy(head.driver_uuid, logical->physical.v11.driverUUID, VK_UUID_SIZE);
  memcpy(head.device_uuid, logical->physical.v11.deviceUUID, VK_UUID_SIZE);
  memcpy(head.cache_uuid, properties->pipelineCacheUUID, VK_UUID_SIZE);
  head.size = size;
  head.checksum = checksum_of(data, size);
  return head;
}

//===-- the path ------------------------------------------------------------===

// Appends to a path, which becomes NULL where memory runs out.
static void append(char** path, const char* text) {
  if (!*path) return;
  const size_t length = strlen(*path);
  char* longer = (char*)realloc(*path, length + strlen(text) + 1);
  if (longer) {
    strcpy(longer + length, text);
  } else {
    free(*path);
  }
  *path = longer;
}

// NULL when nothing is to be kept. A relative path of the variables would be
// another one wherever a program runs.
static char* cache_folder(void) {
  const char* named = getenv(VULKAN_PIPELINE_CACHE_VARIABLE);
  if (named) return named[0] == '/' ? strdup(named) : NULL;
  const char* base = getenv("XDG_CACHE_HOME");
  char* folder = NULL;
  if (base && base[0] == '/') {
    folder = strdup(base);
  } else {
    base = getenv("HOME");
    if (!base || base[0] != '/') return NULL;
    folder = strdup(base);
    append(&folder, "/.cache");
  }
  append(&folder, "/iree_cy/vulkan");
  return folder;
}

static char* cache_path(const vulkan_logical_device_t* logical) {
  char* path = cache_folder();
  append(&path, "/");
  const uint8_t* uuids[] = {logical->physical.v11.driverUUID,
                            logical->physical.v11.deviceUUID};
  for (uint32_t i = 0; i < IREE_ARRAYSIZE(uuids); ++i) {
    if (i > 0) append(&path, "-");
    for (uint32_t j = 0; j < VK_UUID_SIZE; ++j) {
      char byte[3];
      snprintf(byte, sizeof(byte), "%02x", uuids[i][j]);
      append(&path, byte);
    }
  }
  append(&path, FILE_SUFFIX);
  return path;
}

//===-- reading -------------------------------------------------------------===

static bool read_all(int file, void* target, uint64_t size) {
  uint8_t* bytes = (uint8_t*)target;
  while (size) {
    const ssize_t count = read(file, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= (uint64_t)count;
  }
  return true;
}

// The data of the file, allocated, or NULL when it is not there, does not fit
// or is damaged.
static uint8_t* read_file(const vulkan_logical_device_t* logical,
                          const char* path, uint64_t* out_size) {
  *out_size = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return NULL;
  struct stat information;
  file_head_t head;
  uint8_t* data = NULL;
  bool is_right =
      fstat(file, &information) == 0 && S_ISREG(information.st_mode) &&
      read_all(file, &head, sizeof(head)) && head.size <= MAX_FILE_SIZE &&
      (uint64_t)information.st_size == sizeof(head) + head.size;
  if (is_right) {
    data = (uint8_t*)malloc(head.size ? head.size : 1);
    is_right = data && read_all(file, data, head.size);
  }
  if (is_right) {
    const file_head_t right = head_of(logical, data, head.size);
    is_right = memcmp(&head, &right, sizeof(head)) == 0;
  }
  close(file);
  if (!is_right) {
    free(data);
    return NULL;
  }
  *out_size = head.size;
  return data;
}

//===-- writing -------------------------------------------------------------===

// Makes the folders that lead to |path|.
static void make_folders(const char* path) {
  char* folder = strdup(path);
  for (char* slash = folder ? strchr(folder + 1, '/') : NULL; slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(folder, 0700);
    *slash = '/';
  }
  free(folder);
}

static bool write_all(int file, const void* source, uint64_t size) {
  const uint8_t* bytes = (const uint8_t*)source;
  while (size) {
    const ssize_t count = write(file, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= (uint64_t)count;
  }
  return true;
}

// Removes the files that were not written to for the longest, one for each call
// that finds too many: only one is added at a time.
static void remove_oldest(const char* path) {
  char* folder = strdup(path);
  if (!folder) return;
  *strrchr(folder, '/') = 0;
  DIR* entries = opendir(folder);
  uint32_t count = 0;
  char oldest[NAME_MAX + 1] = "";
  struct timespec oldest_time = {0, 0};
  for (struct dirent* entry = NULL; entries && (entry = readdir(entries));) {
    const char* suffix = strstr(entry->d_name, FILE_SUFFIX);
    struct stat information;
    if (!suffix || fstatat(dirfd(entries), entry->d_name, &information,
                           AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    ++count;
    const struct timespec time = information.st_mtim;
    if (!oldest[0] || time.tv_sec < oldest_time.tv_sec ||
        (time.tv_sec == oldest_time.tv_sec &&
         time.tv_nsec < oldest_time.tv_nsec)) {
      snprintf(oldest, sizeof(oldest), "%s", entry->d_name);
      oldest_time = time;
    }
  }
  if (count > MAX_FILE_COUNT) unlinkat(dirfd(entries), oldest, 0);
  if (entries) closedir(entries);
  free(folder);
}

// Whole or not at all: another process sees the file before or after.
static bool write_file(const vulkan_logical_device_t* logical, const char* path,
                       const uint8_t* data, uint64_t size) {
  static uint32_t number = 0;
  char unique[48];
  snprintf(unique, sizeof(unique), "%s.%ld.%u", FILE_SUFFIX, (long)getpid(),
           __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
  char* temporary = strdup(path);
  append(&temporary, unique);
  if (!temporary) return false;
  make_folders(path);
  const int file = open(
      temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool is_written = false;
  if (file >= 0) {
    const file_head_t head = head_of(logical, data, size);
    is_written =
        write_all(file, &head, sizeof(head)) && write_all(file, data, size);
    is_written = close(file) == 0 && is_written;
    is_written = is_written && rename(temporary, path) == 0;
    if (!is_written) unlink(temporary);
  }
  free(temporary);
  if (is_written) remove_oldest(path);
  return is_written;
}

//===-- the cache -----------------------------------------------------------===

void vulkan_pipeline_cache_initialize(vulkan_logical_device_t* logical,
                                      vulkan_pipeline_cache_t* out_cache) {
  memset(out_cache, 0, sizeof(*out_cache));
  out_cache->logical = logical;
  pthread_mutex_init(&out_cache->lock, NULL);
  out_cache->path = cache_path(logical);
  uint64_t size = 0;
  uint8_t* data =
      out_cache->path ? read_file(logical, out_cache->path, &size) : NULL;
  VkPipelineCacheCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
      .initialDataSize = size,
      .pInitialData = data,
  };
  VkResult result = logical->vk.CreatePipelineCache(logical->handle, &info,
                                                    NULL, &out_cache->handle);
  if (result == VK_SUCCESS) {
    out_cache->stored_size = size;
  } else if (data) {
    // The driver does not want it.
    info.initialDataSize = 0;
    info.pInitialData = NULL;
    result = logical->vk.CreatePipelineCache(logical->handle, &info, NULL,
                                             &out_cache->handle);
  }
  if (result != VK_SUCCESS) out_cache->handle = NULL;
  free(data);
}

void vulkan_pipeline_cache_deinitialize(vulkan_pipeline_cache_t* cache) {
  if (!cache->logical) return;
  if (cache->handle && !vulkan_logical_device_is_stale(cache->logical)) {
    cache->logical->vk.DestroyPipelineCache(cache->logical->handle,
                                            cache->handle, NULL);
  }
  free(cache->path);
  pthread_mutex_destroy(&cache->lock);
}

// Under the lock. False when there never will be anything to keep.
static bool store_locked(vulkan_pipeline_cache_t* cache) {
  const vulkan_logical_device_t* logical = cache->logical;
  size_t size = 0;
  if (logical->vk.GetPipelineCacheData(logical->handle, cache->handle, &size,
                                       NULL) != VK_SUCCESS ||
      size <= sizeof(VkPipelineCacheHeaderVersionOne)) {
    return false;
  }
  if (size > MAX_FILE_SIZE || size <= cache->stored_size) return true;
  uint8_t* data = (uint8_t*)malloc(size);
  if (!data) return true;
  const VkResult result = logical->vk.GetPipelineCacheData(
      logical->handle, cache->handle, &size, data);
  bool is_kept = true;
  if (result == VK_SUCCESS) {
    is_kept = write_file(logical, cache->path, data, size);
    cache->stored_size = size;
  }
  free(data);
  // Where one file cannot be written, the next cannot.
  return is_kept;
}

void vulkan_pipeline_cache_store(vulkan_pipeline_cache_t* cache) {
  pthread_mutex_lock(&cache->lock);
  if (cache->path && cache->handle && !store_locked(cache)) {
    free(cache->path);
    cache->path = NULL;
  }
  pthread_mutex_unlock(&cache->lock);
}
