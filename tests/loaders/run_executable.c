// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns a program that loads one executable and runs one of its functions, for
// tests that feed it what the compiler made.
//
//   run_executable run LOADER FORMAT FILE FUNCTION X,Y,Z [BINDING...]
//   run_executable mutate FILE COUNT
//
// Bindings are files, written back when the function has run. Prints "ok", or
// the status. mutate loads COUNT changed copies of an embedded ELF file, never
// calling them, and prints how many still load.

#include <stdio.h>
#include <stdlib.h>

#include "iree_cy/hal/executable.h"
#include "iree_cy/native/loaders/elf_image.h"
#include "iree_cy/native/loaders/executable_library.h"

static bool read_file(const char* path, iree_byte_span_t* out_contents) {
  FILE* file = fopen(path, "rb");
  long size = -1;
  *out_contents = iree_byte_span_empty();
  if (!file) return false;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  void* data = NULL;
  bool is_read = size >= 0 && fseek(file, 0, SEEK_SET) == 0 &&
                 posix_memalign(&data, 64, size ? (size_t)size : 1) == 0 &&
                 fread(data, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (is_read) {
    *out_contents = iree_make_byte_span(data, (iree_host_size_t)size);
  } else {
    free(data);
  }
  return is_read;
}

static bool write_file(const char* path, iree_byte_span_t contents) {
  FILE* file = fopen(path, "wb");
  if (!file) return false;
  const bool is_written = fwrite(contents.data, 1, contents.data_length,
                                 file) == contents.data_length;
  return fclose(file) == 0 && is_written;
}

static iree_status_t dispatch_all(iree_hal_executable_t* executable,
                                  const char* function_name,
                                  const char* workgroup_count,
                                  int binding_count, void* const* binding_ptrs,
                                  const size_t* binding_lengths) {
  iree_hal_executable_function_t function;
  iree_hal_executable_function_info_t info = {.size = sizeof(info)};
  IREE_RETURN_IF_ERROR(iree_hal_executable_lookup_function_by_name(
      executable, iree_make_cstring_view(function_name), &function));
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_function_info(executable, function, &info));
  iree_hal_local_dispatch_t dispatch = {
      .size = sizeof(dispatch),
      .max_concurrency = 1,
      .binding_count = (uint32_t)binding_count,
      .binding_ptrs = binding_ptrs,
      .binding_lengths = binding_lengths,
  };
  uint32_t* count = dispatch.workgroup_count;
  if (sscanf(workgroup_count, "%u,%u,%u", &count[0], &count[1], &count[2]) !=
      3) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "bad count");
  }
  void* local_memory = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_aligned(
      iree_allocator_system(), info.workgroup_local_memory, 64, &local_memory));
  iree_status_t status = iree_hal_local_executable_dispatch(
      executable, function, &dispatch, 0,
      (uint64_t)count[0] * count[1] * count[2], 0,
      iree_make_byte_span(local_memory, info.workgroup_local_memory));
  iree_allocator_free_aligned(iree_allocator_system(), local_memory);
  return status;
}

static iree_status_t load(const char* loader_name, const char* format,
                          iree_byte_span_t file,
                          iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  iree_hal_executable_loader_t* loader = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_executable_loader_create(
      iree_make_cstring_view(loader_name), iree_allocator_system(), &loader));
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = iree_make_cstring_view(format),
      .executable_data = iree_const_cast_byte_span(file),
  };
  iree_status_t status =
      iree_hal_executable_loader_try_load(loader, &params, 1, out_executable);
  iree_hal_executable_loader_release(loader);
  return status;
}

static int print_status(iree_status_t status) {
  char text[1024] = "ok";
  const bool is_ok = iree_status_is_ok(status);
  if (!is_ok) iree_status_format(status, sizeof(text), text);
  iree_status_ignore(status);
  puts(text);
  return is_ok ? 0 : 1;
}

static int run(int argc, char** argv) {
  enum { FIRST_BINDING = 7, MAX_BINDING_COUNT = 64 };
  const int binding_count = argc - FIRST_BINDING;
  if (binding_count < 0 || binding_count > MAX_BINDING_COUNT) return 2;
  iree_byte_span_t file;
  iree_byte_span_t bindings[MAX_BINDING_COUNT];
  void* binding_ptrs[MAX_BINDING_COUNT];
  size_t binding_lengths[MAX_BINDING_COUNT];
  if (!read_file(argv[4], &file)) return 2;
  for (int i = 0; i < binding_count; ++i) {
    if (!read_file(argv[FIRST_BINDING + i], &bindings[i])) return 2;
    binding_ptrs[i] = bindings[i].data;
    binding_lengths[i] = bindings[i].data_length;
  }
  iree_hal_executable_t* executable = NULL;
  iree_status_t status = load(argv[2], argv[3], file, &executable);
  free(file.data);
  if (iree_status_is_ok(status)) {
    status = dispatch_all(executable, argv[5], argv[6], binding_count,
                          binding_ptrs, binding_lengths);
  }
  iree_hal_executable_release(executable);
  bool is_written = true;
  for (int i = 0; i < binding_count; ++i) {
    is_written = write_file(argv[FIRST_BINDING + i], bindings[i]) && is_written;
    free(bindings[i].data);
  }
  const int result = print_status(status);
  return is_written ? result : 2;
}

static int mutate(char** argv) {
  iree_byte_span_t original;
  if (!read_file(argv[2], &original) || !original.data_length) return 2;
  const long count = strtol(argv[3], NULL, 10);
  long loaded = 0;
  uint64_t state = 88172645463325252ull;
  for (long round = 0; round < count; ++round) {
    // A copy of the size that is left, so that a sanitizer sees a read behind.
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t size = original.data_length;
    if (round % 4 == 0) size = (size_t)((state >> 8) % (size + 1));
    uint8_t* copy = (uint8_t*)malloc(size ? size : 1);
    if (!copy) return 2;
    memcpy(copy, original.data, size);
    for (long i = 0; size && i <= round % 5; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      // Half of them in the headers and tables at the begin.
      const size_t range = state & 1 ? size : iree_min(size, (size_t)0x400);
      copy[(state >> 8) % range] = (uint8_t)(state >> 56);
    }
    iree_cy_elf_image_t image;
    void* address = NULL;
    iree_status_t status =
        iree_cy_elf_image_load(iree_make_const_byte_span(copy, size), &image);
    if (iree_status_is_ok(status)) {
      status = iree_cy_elf_image_lookup_function(
          &image, IREE_SV(IREE_CY_LIBRARY_QUERY_NAME), &address);
      iree_cy_elf_image_unload(&image);
    }
    loaded += iree_status_consume_code(status) == IREE_STATUS_OK;
    free(copy);
  }
  free(original.data);
  printf("ok %ld\n", loaded);
  return 0;
}

int main(int argc, char** argv) {
  if (argc >= 7 && strcmp(argv[1], "run") == 0) return run(argc, argv);
  if (argc == 4 && strcmp(argv[1], "mutate") == 0) return mutate(argv);
  return 2;
}
