// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how a program's file gets into memory.

#include "iree_cy/native/loaders/file_contents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// What a loader's aligned accesses and vector loads of constants want.
#define CONTENTS_ALIGNMENT 64

// |self| of the allocator is the size of the mapping: FREE gets no size.
static iree_status_t unmap_ctl(void* self, iree_allocator_command_t command,
                               const void* params, void** inout_ptr) {
  (void)params;
  if (command != IREE_ALLOCATOR_COMMAND_FREE) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "a mapping can only be given back");
  }
  if (*inout_ptr) munmap(*inout_ptr, (size_t)(uintptr_t)self);
  *inout_ptr = NULL;
  return iree_ok_status();
}

static iree_status_t free_ctl(void* self, iree_allocator_command_t command,
                              const void* params, void** inout_ptr) {
  (void)self;
  (void)params;
  if (command != IREE_ALLOCATOR_COMMAND_FREE) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "a file's bytes can only be given back");
  }
  free(*inout_ptr);
  *inout_ptr = NULL;
  return iree_ok_status();
}

static int read_all(int file, size_t size, iree_cy_file_contents_t* contents) {
  void* data = NULL;
  int error = posix_memalign(&data, CONTENTS_ALIGNMENT, size ? size : 1);
  if (error) return error;
  size_t position = 0;
  while (position < size) {
    ssize_t count = read(file, (char*)data + position, size - position);
    if (count < 0) {
      if (errno == EINTR) continue;
      error = errno;
      free(data);
      return error;
    }
    if (count == 0) break;  // Shorter than it was a moment ago.
    position += (size_t)count;
  }
  contents->span = iree_make_const_byte_span(data, position);
  contents->allocator.self = NULL;
  contents->allocator.ctl = free_ctl;
  return 0;
}

static int map_all(int file, size_t size, iree_cy_file_contents_t* contents) {
  // Writable, so that a program that updates its own constants in place gets
  // pages of its own instead of a fault.
  void* data = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_NORESERVE, file, 0);
  if (data == MAP_FAILED) return errno;
  contents->span = iree_make_const_byte_span(data, size);
  contents->allocator.self = (void*)(uintptr_t)size;
  contents->allocator.ctl = unmap_ctl;
  return 0;
}

static int open_contents(int file, iree_host_size_t read_limit,
                         iree_cy_file_contents_t* contents) {
  struct stat info;
  if (fstat(file, &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode) || info.st_size < 0) return EINVAL;
  if ((uint64_t)info.st_size > SIZE_MAX) return EFBIG;
  size_t size = (size_t)info.st_size;
  return size <= read_limit ? read_all(file, size, contents)
                            : map_all(file, size, contents);
}

int iree_cy_file_contents_open(const char* path, iree_host_size_t read_limit,
                               iree_cy_file_contents_t* out_contents) {
  memset(out_contents, 0, sizeof(*out_contents));
  // NONBLOCK: a FIFO is refused, not waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno;
  int error = open_contents(file, read_limit, out_contents);
  close(file);
  return error;
}

void iree_cy_file_contents_close(iree_cy_file_contents_t* contents) {
  if (contents->span.data) {
    iree_allocator_free(contents->allocator, (void*)contents->span.data);
  }
  memset(contents, 0, sizeof(*contents));
}
