// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tool that tests drive the reading of Vulkan executables with.
//
//   executable_run describe FORMAT FILE     prints what is read, or the error
//   executable_run words FORMAT FILE OUT    writes the words of module 0
//   executable_run cuts FORMAT FILE         reads every beginning of the file
//   executable_run contents FORMAT FILE     the same, with headers that fit
//   executable_run bytes FORMAT FILE BEGIN END
//                                           reads it with each byte changed
//   executable_run fuzz FORMAT FILE SEED COUNT
//
// The last four end with 0 when each reading succeeds or fails as it should;
// the rest is for the sanitizers to say.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/backends/vulkan/executable_sources.h"
#include "tests/support/failing_allocator.h"

typedef struct file_t {
  uint8_t* data;
  size_t length;
} file_t;

static file_t read_file(const char* path) {
  file_t contents = {0};
  FILE* file = fopen(path, "rb");
  if (!file) return contents;
  fseek(file, 0, SEEK_END);
  const size_t length = (size_t)ftell(file);
  rewind(file);
  contents.data = (uint8_t*)malloc(length + 1);
  contents.length = fread(contents.data, 1, length, file);
  fclose(file);
  return contents;
}

static iree_status_t read_executable(const char* format, const void* data,
                                     size_t length, iree_allocator_t allocator,
                                     vulkan_executable_def_t* out_def) {
  const uint32_t constants[] = {7, 9};
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = iree_make_cstring_view(format),
      .executable_data = iree_make_const_byte_span(data, length),
      .constant_count = IREE_ARRAYSIZE(constants),
      .constants = constants,
  };
  return vulkan_executable_def_read(&params, allocator, out_def);
}

//===-- describe ------------------------------------------------------------===

static void print_string(const char* key, iree_string_view_t value) {
  printf("%s=%.*s ", key, IREE_SV_ARG(value));
}

static void describe_pipeline(const vulkan_executable_def_t* def,
                              const vulkan_pipeline_def_t* pipeline) {
  const vulkan_spirv_entry_point_t* entry_point = pipeline->entry_point;
  print_string("pipeline", pipeline->name);
  printf("module=%u layout=%u subgroup=%u constants=%u bindings=%u ",
         pipeline->module, pipeline->layout, pipeline->subgroup_size,
         pipeline->constant_count, pipeline->binding_count);
  printf("constant_offset=%u root_offset=%u ", pipeline->constant_offset,
         pipeline->root_offset);
  printf("workgroup=%ux%ux%u push=%" PRIu64 " shared=%" PRIu64 " used=",
         entry_point->workgroup_size[0], entry_point->workgroup_size[1],
         entry_point->workgroup_size[2], entry_point->push_constant_size,
         entry_point->workgroup_memory_size);
  for (iree_host_size_t i = 0; i < entry_point->binding_count; ++i) {
    printf("%s%u.%u", i ? "," : "", entry_point->bindings[i].set,
           entry_point->bindings[i].binding);
  }
  printf("\n");
  for (uint32_t i = 0; i < pipeline->location_count; ++i) {
    print_string("location", pipeline->locations[i].stage);
    print_string("file", pipeline->locations[i].file);
    printf("line=%d\n", pipeline->locations[i].line);
  }
  const vulkan_spirv_module_t* module = &def->modules[pipeline->module];
  const vulkan_spirv_needs_t nothing = {0};
  const char* names[64];
  const iree_host_size_t count =
      vulkan_spirv_missing(&module->needs, &nothing, 64, names);
  printf("module version=0x%06x repaired=%d needs=", module->version,
         module->own_words != NULL);
  for (iree_host_size_t i = 0; i < count; ++i) {
    printf("%s%s", i ? "," : "", names[i]);
  }
  printf("\n");
}

static void describe_layout(const vulkan_executable_def_t* def,
                            const vulkan_pipeline_layout_def_t* layout) {
  printf("layout push=%u descriptors=%u storage=%u uniform=%u sets=",
         layout->push_constant_size, layout->descriptor_count,
         layout->storage_buffer_count, layout->uniform_buffer_count);
  for (uint32_t i = 0; i < layout->set_count; ++i) {
    const vulkan_set_layout_def_t* set = &def->set_layouts[layout->sets[i]];
    printf("%s", i ? ";" : "");
    for (uint32_t j = 0; j < set->binding_count; ++j) {
      printf("%s%u:%u:%u", j ? "," : "", set->bindings[j].binding,
             set->bindings[j].descriptor_type,
             set->bindings[j].descriptor_count);
    }
  }
  printf("\n");
}

static void describe(const vulkan_executable_def_t* def) {
  printf("format=%.*s pipelines=%u modules=%u set_layouts=%u sources=%u\n",
         IREE_SV_ARG(vulkan_executable_format_name(def->format)),
         def->pipeline_count, def->module_count, def->set_layout_count,
         def->source_file_count);
  for (uint32_t i = 0; i < def->pipeline_layout_count; ++i) {
    describe_layout(def, &def->pipeline_layouts[i]);
  }
  for (uint32_t i = 0; i < def->pipeline_count; ++i) {
    describe_pipeline(def, &def->pipelines[i]);
  }
}

static int run_describe(const char* format, file_t file) {
  vulkan_executable_format_t inferred = VULKAN_EXECUTABLE_FORMAT_UNKNOWN;
  iree_host_size_t size = 0;
  iree_status_t status = vulkan_executable_infer_format(
      iree_make_const_byte_span(file.data, file.length), &inferred, &size);
  if (iree_status_is_ok(status)) {
    printf("inferred=%.*s size=%" PRIhsz "\n",
           IREE_SV_ARG(vulkan_executable_format_name(inferred)), size);
  }
  iree_status_ignore(status);
  vulkan_executable_def_t def;
  status = read_executable(format, file.data, file.length,
                           iree_allocator_system(), &def);
  if (!iree_status_is_ok(status)) {
    char text[1024];
    iree_status_format(status, sizeof(text), text);
    iree_status_ignore(status);
    printf("error: %s\n", text);
    return 1;
  }
  describe(&def);
  vulkan_executable_def_deinitialize(&def);
  return 0;
}

static int run_words(const char* format, file_t file, const char* path) {
  vulkan_executable_def_t def;
  iree_status_t status = read_executable(format, file.data, file.length,
                                         iree_allocator_system(), &def);
  if (!iree_status_is_ok(status)) {
    iree_status_ignore(status);
    return 1;
  }
  FILE* out = fopen(path, "wb");
  if (!out) return 1;
  fwrite(def.modules[0].words, sizeof(uint32_t), def.modules[0].word_count,
         out);
  fclose(out);
  vulkan_executable_def_deinitialize(&def);
  return 0;
}

//===-- damage --------------------------------------------------------------===

static uint64_t read_count;
static uint64_t accepted_count;

// Whether a message is a sentence in a line, and nothing was left over.
static bool try_read(const char* format, const uint8_t* data, size_t length) {
  // A block of its own, so that what is behind it is known to be foreign.
  uint8_t* copy = (uint8_t*)malloc(length ? length : 1);
  memcpy(copy, data, length);
  failing_allocator_t counts = {.remaining = -1};
  vulkan_executable_def_t def;
  iree_status_t status =
      read_executable(format, copy, length, failing_allocator(&counts), &def);
  bool is_right = true;
  ++read_count;
  if (iree_status_is_ok(status)) {
    ++accepted_count;
    const vulkan_device_limits_t nothing = {0};
    status = vulkan_executable_def_check_device(&def, &nothing);
    vulkan_executable_def_deinitialize(&def);
  }
  const iree_string_view_t message = iree_status_message(status);
  if (message.size == 0 || message.size >= 200 ||
      memchr(message.data, '\n', message.size)) {
    printf("error: the message is '%.*s'\n", IREE_SV_ARG(message));
    is_right = false;
  }
  iree_status_ignore(status);
  if (counts.live_blocks != 0) {
    printf("error: %" PRId64 " blocks are left\n", counts.live_blocks);
    is_right = false;
  }
  free(copy);
  return is_right;
}

static bool run_cuts(const char* format, file_t file) {
  bool is_right = true;
  for (size_t length = 0; length < file.length && is_right; ++length) {
    is_right = try_read(format, file.data, length);
  }
  if (accepted_count != 0) printf("error: a part was taken for the whole\n");
  return is_right && accepted_count == 0;
}

static bool run_contents(const char* format, file_t file) {
  bool is_right = true;
  for (size_t length = HEADER_SIZE; length < file.length && is_right;
       ++length) {
    const uint64_t size = length - HEADER_SIZE;
    memcpy(file.data + 8, &size, sizeof(size));
    is_right = try_read(format, file.data, length);
  }
  return is_right;
}

static bool run_bytes(const char* format, file_t file, size_t begin,
                      size_t end) {
  bool is_right = true;
  for (size_t i = begin; i < iree_min(end, file.length) && is_right; ++i) {
    const uint8_t old = file.data[i];
    const uint8_t values[] = {0, 0xFF, 0x80, (uint8_t)(old + 1),
                              (uint8_t)(old - 1)};
    for (size_t j = 0; j < sizeof(values) && is_right; ++j) {
      file.data[i] = values[j];
      is_right = try_read(format, file.data, file.length);
    }
    file.data[i] = old;
  }
  return is_right;
}

static uint64_t random_state;
static uint64_t random_below(uint64_t bound) {
  uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (z ^ (z >> 31)) % bound;
}

// Words are changed, or exchanged, or copied over others.
static void mutate(uint32_t* words, size_t count) {
  const uint64_t edits = 1 + random_below(6);
  for (uint64_t i = 0; i < edits; ++i) {
    uint32_t* word = &words[random_below(count)];
    const uint32_t other = words[random_below(count)];
    switch (random_below(6)) {
      case 0:
        *word = (uint32_t)random_below(64);
        break;
      case 1:
        *word += (uint32_t)random_below(9) - 4;
        break;
      case 2:
        *word = UINT32_MAX - (uint32_t)random_below(4);
        break;
      case 3:
        *word ^= 1u << random_below(32);
        break;
      case 4:
        *word = (*word & 0xFFFF0000) | (other & 0xFFFF);
        break;
      default:
        *word = other;
        break;
    }
  }
}

static bool run_fuzz(const char* format, file_t file, uint64_t seed,
                     uint64_t count) {
  uint32_t* words = (uint32_t*)malloc(file.length);
  bool is_right = true;
  for (uint64_t i = 0; i < count && is_right; ++i) {
    random_state = seed * UINT64_C(1000003) + i;
    memcpy(words, file.data, file.length);
    mutate(words, file.length / sizeof(*words));
    is_right = try_read(format, (const uint8_t*)words, file.length);
    if (!is_right) printf("error: mutation %" PRIu64 "\n", i);
  }
  free(words);
  return is_right;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const char* mode = argv[1];
  const char* format = argv[2];
  file_t file = read_file(argv[3]);
  if (!file.data) return 2;
  int result = 2;
  if (strcmp(mode, "describe") == 0) {
    result = run_describe(format, file);
  } else if (strcmp(mode, "words") == 0 && argc == 5) {
    result = run_words(format, file, argv[4]);
  } else if (strcmp(mode, "cuts") == 0) {
    result = !run_cuts(format, file);
  } else if (strcmp(mode, "contents") == 0) {
    result = !run_contents(format, file);
  } else if (strcmp(mode, "bytes") == 0 && argc == 6) {
    result = !run_bytes(format, file, strtoul(argv[4], NULL, 0),
                        strtoul(argv[5], NULL, 0));
  } else if (strcmp(mode, "fuzz") == 0 && argc == 6) {
    result = !run_fuzz(format, file, strtoull(argv[4], NULL, 0),
                       strtoull(argv[5], NULL, 0));
  }
  if (read_count) {
    printf("%" PRIu64 " read, %" PRIu64 " accepted\n", read_count,
           accepted_count);
  }
  free(file.data);
  return result;
}
