// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the loader of embedded ELF files: what the compiler's llvm-cpu target
// makes unless told otherwise.

#include <elf.h>

#include "iree_cy/native/loaders/code_features.h"
#include "iree_cy/native/loaders/elf_image.h"
#include "iree_cy/native/loaders/loader_base.h"
#include "iree_cy/native/loaders/local_executable.h"
#include "iree_cy/native/loaders/processor.h"

typedef struct elf_module_t {
  iree_allocator_t host_allocator;
  iree_cy_elf_image_t image;
} elf_module_t;

static void elf_module_unload(void* self) {
  elf_module_t* module = (elf_module_t*)self;
  iree_cy_elf_image_unload(&module->image);
  iree_allocator_free(module->host_allocator, module);
}

static iree_status_t elf_module_check_features(
    void* self, const iree_cy_library_t* library) {
  const iree_cy_elf_image_t* image = &((const elf_module_t*)self)->image;
  for (uint32_t i = 0; i < image->segment_count; ++i) {
    const iree_cy_elf_segment_t* segment = &image->segments[i];
    if (!iree_any_bit_set(segment->flags, PF_X)) continue;
    IREE_RETURN_IF_ERROR(iree_cy_code_check_features(
        library, image->pages + (segment->vaddr - image->low_vaddr),
        (iree_host_size_t)segment->file_size));
  }
  return iree_ok_status();
}

static iree_status_t embedded_elf_load(
    const iree_hal_executable_params_t* params,
    iree_host_size_t worker_capacity, iree_allocator_t host_allocator,
    iree_hal_executable_t** out_executable) {
  (void)worker_capacity;
  elf_module_t* elf_module = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator, sizeof(*elf_module), (void**)&elf_module));
  elf_module->host_allocator = host_allocator;
  iree_status_t status =
      iree_cy_elf_image_load(params->executable_data, &elf_module->image);
  void* query_fn = NULL;
  if (iree_status_is_ok(status)) {
    status = iree_cy_elf_image_lookup_function(
        &elf_module->image, IREE_SV(IREE_CY_LIBRARY_QUERY_NAME), &query_fn);
  }
  if (iree_status_is_ok(status)) {
    const iree_cy_local_module_t module = {
        .self = elf_module,
        .unload = elf_module_unload,
        .check_features = elf_module_check_features,
    };
    status = iree_cy_local_executable_create(
        params, (iree_cy_library_query_fn_t)(uintptr_t)query_fn, module,
        host_allocator, out_executable);
  }
  if (!iree_status_is_ok(status)) elf_module_unload(elf_module);
  return status;
}

iree_status_t iree_cy_embedded_elf_loader_create(
    iree_allocator_t host_allocator,
    iree_hal_executable_loader_t** out_loader) {
  return iree_cy_loader_create("embedded-elf-" IREE_CY_PROCESSOR_ARCHITECTURE,
                               "embedded-elf-", embedded_elf_load,
                               host_allocator, out_loader);
}
