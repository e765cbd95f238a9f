// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the loader of system libraries: what the compiler's llvm-cpu target
// makes with --iree-llvmcpu-link-embedded=false. The system's own linker opens
// them, from memory.

// For memfd_create, with -std=c11 too.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iree_cy/native/loaders/code_features.h"
#include "iree_cy/native/loaders/elf_image.h"
#include "iree_cy/native/loaders/loader_base.h"
#include "iree_cy/native/loaders/local_executable.h"
#include "iree_cy/native/loaders/processor.h"

static iree_status_t write_all(int fd, iree_const_byte_span_t data) {
  iree_host_size_t offset = 0;
  while (offset < data.data_length) {
    const ssize_t written =
        write(fd, data.data + offset, data.data_length - offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      return iree_make_status(iree_status_code_from_errno(error),
                              "writing %" PRIhsz
                              " bytes of an executable to memory failed: %s",
                              data.data_length, strerror(error));
    }
    offset += (iree_host_size_t)written;
  }
  return iree_ok_status();
}

// Writes a path that opens |fd| and that no library was opened by before: the
// linker takes a path that it knows for the library that it has, although the
// descriptor is another. The count is spelled by "/" and "/." in the middle.
static void format_unique_path(int fd, iree_host_size_t capacity, char* path) {
  static uint32_t next_count = 0;
  uint32_t count = __atomic_fetch_add(&next_count, 1, __ATOMIC_RELAXED);
  iree_host_size_t length =
      (iree_host_size_t)snprintf(path, capacity, "/proc/self/fd");
  for (int i = 0; i < 32; ++i, count >>= 1) {
    path[length++] = '/';
    if (count & 1) path[length++] = '.';
  }
  snprintf(path + length, capacity - length, "/%d", fd);
}

static iree_status_t open_library(iree_const_byte_span_t data,
                                  void** out_library) {
  *out_library = NULL;
  const int fd = memfd_create("iree_cy_executable", MFD_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    return iree_make_status(iree_status_code_from_errno(error),
                            "no file in memory for a system library: %s",
                            strerror(error));
  }
  iree_status_t status = write_all(fd, data);
  if (iree_status_is_ok(status)) {
    char path[128] = {0};
    format_unique_path(fd, sizeof(path), path);
    *out_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*out_library) {
      const char* text = dlerror();
      // The path says nothing to anybody.
      if (text && strncmp(text, path, strlen(path)) == 0) {
        text += strlen(path);
        while (*text == ':' || *text == ' ') ++text;
      }
      status = iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                                "the system library cannot be opened: %s",
                                text ? text : "no reason given");
    }
  }
  close(fd);
  return status;
}

static void system_library_unload(void* self) { dlclose(self); }

// The code that the functions of |library| lie in, as the linker mapped it.
typedef struct code_range_t {
  uintptr_t address;
  const uint8_t* code;
  iree_host_size_t size;
} code_range_t;

static int find_code(struct dl_phdr_info* info, size_t info_size, void* data) {
  (void)info_size;
  code_range_t* range = (code_range_t*)data;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) ||
        range->address < begin || range->address - begin >= header->p_filesz) {
      continue;
    }
    range->code = (const uint8_t*)begin;
    range->size = header->p_filesz;
    return 1;
  }
  return 0;
}

static iree_status_t system_library_check_features(
    void* self, const iree_cy_library_t* library) {
  (void)self;
  if (!library->exports.count) return iree_ok_status();
  // All are in one segment of code.
  code_range_t range = {.address = (uintptr_t)library->exports.fns[0]};
  if (!dl_iterate_phdr(find_code, &range)) return iree_ok_status();
  return iree_cy_code_check_features(library, range.code, range.size);
}

static iree_status_t system_library_load(
    const iree_hal_executable_params_t* params,
    iree_host_size_t worker_capacity, iree_allocator_t host_allocator,
    iree_hal_executable_t** out_executable) {
  (void)worker_capacity;
  // The linker crashes on files that are cut.
  IREE_RETURN_IF_ERROR(iree_cy_elf_check_file(params->executable_data));
  void* library = NULL;
  IREE_RETURN_IF_ERROR(open_library(params->executable_data, &library));
  iree_status_t status = iree_ok_status();
  void* query_fn = dlsym(library, IREE_CY_LIBRARY_QUERY_NAME);
  if (!query_fn) {
    status = iree_make_status(IREE_STATUS_NOT_FOUND,
                              "the system library has no function "
                              "'" IREE_CY_LIBRARY_QUERY_NAME "'");
  } else {
    const iree_cy_local_module_t module = {
        .self = library,
        .unload = system_library_unload,
        .check_features = system_library_check_features,
    };
    status = iree_cy_local_executable_create(
        params, (iree_cy_library_query_fn_t)(uintptr_t)query_fn, module,
        host_allocator, out_executable);
  }
  if (!iree_status_is_ok(status)) dlclose(library);
  return status;
}

iree_status_t iree_cy_system_library_loader_create(
    iree_allocator_t host_allocator,
    iree_hal_executable_loader_t** out_loader) {
  return iree_cy_loader_create("system-elf-" IREE_CY_PROCESSOR_ARCHITECTURE,
                               "system-", system_library_load, host_allocator,
                               out_loader);
}
