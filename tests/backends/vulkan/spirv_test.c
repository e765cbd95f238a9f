// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of reading SPIR-V: modules made by hand, whole and broken.

#include "tests/backends/vulkan/executable_sources.h"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

//===-- modules made by hand ------------------------------------------------===

enum { MAX_WORDS = 1024 };

typedef struct module_t {
  uint32_t words[MAX_WORDS];
  uint32_t count;
} module_t;

// Ids of the module that make_module makes; those from FREE on are free.
enum {
  VOID = 1,
  FUNCTION_TYPE,
  UINT,
  BLOCK,
  BUFFER_POINTER,
  BUFFER,
  PUSH,
  PUSH_POINTER,
  PUSHED,
  ZERO,
  MAIN,
  LABEL,
  UINT_POINTER,
  CHAIN,
  LOADED,
  ARRAY,
  FREE = 20,
  BOUND = 64,
};

// Parts into which a test puts its own instructions.
typedef enum part_e {
  PART_NONE,
  PART_CAPABILITIES,
  PART_MODES,
  PART_ANNOTATIONS,
  PART_GLOBALS,
  PART_BODY,
  PART_END,
} part_t;

static void add(module_t* module, uint32_t opcode, uint32_t count,
                const uint32_t* operands) {
  module->words[module->count++] = (count + 1) << 16 | opcode;
  for (uint32_t i = 0; i < count; ++i) {
    module->words[module->count++] = operands[i];
  }
}
#define ADD(module, opcode, ...)                                   \
  do {                                                             \
    const uint32_t operands_[] = {__VA_ARGS__};                    \
    add((module), (opcode), IREE_ARRAYSIZE(operands_), operands_); \
  } while (0)
#define ADD_BARE(module, opcode) add((module), (opcode), 0, NULL)

typedef struct insertion_t {
  part_t part;
  const uint32_t* words;
  uint32_t count;
} insertion_t;
#define INSERT(part, ...)                                          \
  (insertion_t) {                                                  \
    (part), (const uint32_t[]){__VA_ARGS__},                       \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t) \
  }
#define WORD(opcode, length) ((uint32_t)(length) << 16 | (opcode))

static void insert(module_t* module, part_t part, insertion_t insertion) {
  if (part != insertion.part) return;
  memcpy(module->words + module->count, insertion.words,
         insertion.count * sizeof(uint32_t));
  module->count += insertion.count;
}

static void add_globals(module_t* module) {
  ADD(module, SPIRV_OP_TYPE_VOID, VOID);
  ADD(module, SPIRV_OP_TYPE_FUNCTION, FUNCTION_TYPE, VOID);
  ADD(module, SPIRV_OP_TYPE_INT, UINT, 32, 0);
  ADD(module, SPIRV_OP_TYPE_RUNTIME_ARRAY, ARRAY, UINT);
  ADD(module, SPIRV_OP_TYPE_STRUCT, BLOCK, ARRAY);
  ADD(module, SPIRV_OP_TYPE_POINTER, BUFFER_POINTER,
      SPIRV_STORAGE_STORAGE_BUFFER, BLOCK);
  ADD(module, SPIRV_OP_VARIABLE, BUFFER_POINTER, BUFFER,
      SPIRV_STORAGE_STORAGE_BUFFER);
  ADD(module, SPIRV_OP_TYPE_STRUCT, PUSH, UINT, UINT);
  ADD(module, SPIRV_OP_TYPE_POINTER, PUSH_POINTER, SPIRV_STORAGE_PUSH_CONSTANT,
      PUSH);
  ADD(module, SPIRV_OP_VARIABLE, PUSH_POINTER, PUSHED,
      SPIRV_STORAGE_PUSH_CONSTANT);
  ADD(module, SPIRV_OP_CONSTANT, UINT, ZERO, 0);
  ADD(module, SPIRV_OP_TYPE_POINTER, UINT_POINTER, SPIRV_STORAGE_PUSH_CONSTANT,
      UINT);
}

// A shader "main" of 4 x 2 x 1 that uses binding 5 of set 2 and a push constant
// whose second member lies at 12; with one more piece.
static void make_module(insertion_t insertion, module_t* module) {
  const uint32_t header[] = {SPIRV_MAGIC, 0x00010300, 0, BOUND, 0};
  memcpy(module->words, header, sizeof(header));
  module->count = SPIRV_HEADER_WORDS;
  ADD(module, SPIRV_OP_CAPABILITY, 1);
  insert(module, PART_CAPABILITIES, insertion);
  ADD(module, SPIRV_OP_MEMORY_MODEL, SPIRV_ADDRESSING_LOGICAL,
      SPIRV_MEMORY_GLSL450);
  // "main"
  ADD(module, SPIRV_OP_ENTRY_POINT, SPIRV_EXECUTION_MODEL_GL_COMPUTE, MAIN,
      0x6E69616D, 0);
  ADD(module, SPIRV_OP_EXECUTION_MODE, MAIN, SPIRV_MODE_LOCAL_SIZE, 4, 2, 1);
  insert(module, PART_MODES, insertion);
  ADD(module, SPIRV_OP_DECORATE, BUFFER, SPIRV_DECORATION_DESCRIPTOR_SET, 2);
  ADD(module, SPIRV_OP_DECORATE, BUFFER, SPIRV_DECORATION_BINDING, 5);
  ADD(module, SPIRV_OP_MEMBER_DECORATE, PUSH, 1, SPIRV_DECORATION_OFFSET, 12);
  ADD(module, SPIRV_OP_MEMBER_DECORATE, PUSH, 0, SPIRV_DECORATION_OFFSET, 0);
  insert(module, PART_ANNOTATIONS, insertion);
  add_globals(module);
  insert(module, PART_GLOBALS, insertion);
  ADD(module, SPIRV_OP_FUNCTION, VOID, MAIN, 0, FUNCTION_TYPE);
  ADD(module, SPIRV_OP_LABEL, LABEL);
  ADD(module, 65, UINT_POINTER, CHAIN, PUSHED, ZERO);  // OpAccessChain
  ADD(module, 61, UINT, LOADED, CHAIN);                // OpLoad
  ADD(module, 68, UINT, 19, BUFFER, 0);                // OpArrayLength
  insert(module, PART_BODY, insertion);
  ADD_BARE(module, 253);  // OpReturn
  ADD_BARE(module, SPIRV_OP_FUNCTION_END);
  insert(module, PART_END, insertion);
}

static iree_status_t read_with(const module_t* module, uint32_t constant,
                               iree_allocator_t allocator,
                               vulkan_spirv_module_t* out_module) {
  const vulkan_spirv_source_t source = {
      .name = IREE_SV("test"),
      .words = module->words,
      .word_count = module->count,
      .constant_count = 1,
      .constants = &constant,
  };
  return vulkan_spirv_module_read(&source, allocator, out_module);
}

static iree_status_t read_module(const module_t* module,
                                 vulkan_spirv_module_t* out_module) {
  return read_with(module, 33, iree_allocator_system(), out_module);
}

static void expect_message(const char* text, iree_status_code_t code,
                           iree_status_t status) {
  char message[1024] = {0};
  iree_status_format(status, sizeof(message), message);
  if (!strstr(message, text)) {
    ctest_fail(__FILE__, __LINE__, "'%s' does not say '%s'", message, text);
  }
  EXPECT_STATUS(code, status);
}

static void expect_invalid_module(const char* text, const module_t* module) {
  vulkan_spirv_module_t read = {0};
  expect_message(text, IREE_STATUS_INVALID_ARGUMENT,
                 read_module(module, &read));
  EXPECT(read.entry_points == NULL && read.own_words == NULL);
}

static void expect_invalid(const char* text, insertion_t insertion) {
  module_t module;
  make_module(insertion, &module);
  expect_invalid_module(text, &module);
}

static void expect_unknown(const char* text, insertion_t insertion) {
  module_t module;
  make_module(insertion, &module);
  vulkan_spirv_module_t read = {0};
  expect_message(text, IREE_STATUS_UNIMPLEMENTED, read_module(&module, &read));
}

static const insertion_t nothing = {PART_NONE, NULL, 0};

//===-- what is read --------------------------------------------------------===

CTEST(reads_what_an_entry_point_uses) {
  module_t module;
  make_module(nothing, &module);
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&module, &read));
  EXPECT_EQ_I64(read.version, 0x00010300);
  EXPECT_EQ_I64(read.entry_point_count, 1);
  EXPECT(read.words == module.words);
  EXPECT_EQ_I64(read.needs.features, 0);
  const vulkan_spirv_entry_point_t* entry_point = NULL;
  EXPECT_OK(vulkan_spirv_module_find(&read, IREE_SV("main"), &entry_point));
  REQUIRE(entry_point);
  EXPECT_EQ_SV(entry_point->name, IREE_SV("main"));
  EXPECT_EQ_I64(entry_point->workgroup_size[0], 4);
  EXPECT_EQ_I64(entry_point->workgroup_size[1], 2);
  EXPECT_EQ_I64(entry_point->workgroup_size[2], 1);
  EXPECT_EQ_I64(entry_point->push_constant_size, 16);
  EXPECT_EQ_I64(entry_point->workgroup_memory_size, 0);
  REQUIRE(entry_point->binding_count == 1);
  EXPECT_EQ_I64(entry_point->bindings[0].set, 2);
  EXPECT_EQ_I64(entry_point->bindings[0].binding, 5);
  EXPECT_EQ_I64(entry_point->bindings[0].resource,
                VULKAN_SPIRV_RESOURCE_STORAGE_BUFFER);
  EXPECT_EQ_I64(entry_point->bindings[0].descriptor_count, 1);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                vulkan_spirv_module_find(&read, IREE_SV("mai"), &entry_point));
  EXPECT(entry_point == NULL);
  vulkan_spirv_module_deinitialize(&read);
}

// A variable that no function of the entry point names is not used by it.
CTEST(leaves_out_what_is_not_used) {
  module_t module;
  make_module(INSERT(PART_GLOBALS, WORD(SPIRV_OP_VARIABLE, 4), BUFFER_POINTER,
                     FREE, SPIRV_STORAGE_STORAGE_BUFFER),
              &module);
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&module, &read));
  EXPECT_EQ_I64(read.entry_points[0].binding_count, 1);
  vulkan_spirv_module_deinitialize(&read);
}

// Workgroup memory: 100 words in an array, used by a function that is called.
CTEST(follows_calls) {
  module_t module;
  make_module(
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_CONSTANT, 4), UINT, FREE, 100,
             WORD(SPIRV_OP_TYPE_ARRAY, 4), FREE + 1, UINT, FREE,
             WORD(SPIRV_OP_TYPE_POINTER, 4), FREE + 2, SPIRV_STORAGE_WORKGROUP,
             FREE + 1, WORD(SPIRV_OP_VARIABLE, 4), FREE + 2, FREE + 3,
             SPIRV_STORAGE_WORKGROUP,
             // A function that copies the whole of it.
             WORD(SPIRV_OP_FUNCTION, 5), VOID, FREE + 4, 0, FUNCTION_TYPE,
             WORD(SPIRV_OP_LABEL, 2), FREE + 5, WORD(61, 4), FREE + 1, FREE + 6,
             FREE + 3, WORD(253, 1), WORD(SPIRV_OP_FUNCTION_END, 1)),
      &module);
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&module, &read));
  EXPECT_EQ_I64(read.entry_points[0].workgroup_memory_size, 0);
  vulkan_spirv_module_deinitialize(&read);
  // The call goes before the return, the last two instructions.
  module.count -= 2;
  ADD(&module, SPIRV_OP_FUNCTION_CALL, VOID, FREE + 7, FREE + 4);
  ADD_BARE(&module, 253);
  ADD_BARE(&module, SPIRV_OP_FUNCTION_END);
  REQUIRE_OK(read_module(&module, &read));
  EXPECT_EQ_I64(read.entry_points[0].workgroup_memory_size, 400);
  vulkan_spirv_module_deinitialize(&read);
}

// LocalSizeId of a specialization constant with id 0, to which 33 is given.
CTEST(reads_sizes_that_are_specialized) {
  module_t module;
  make_module(
      INSERT(PART_MODES, WORD(SPIRV_OP_EXECUTION_MODE_ID, 6), MAIN,
             SPIRV_MODE_LOCAL_SIZE_ID, FREE, FREE + 1, FREE + 1,
             WORD(SPIRV_OP_DECORATE, 4), FREE, SPIRV_DECORATION_SPEC_ID, 0,
             WORD(SPIRV_OP_DECORATE, 4), FREE + 1, SPIRV_DECORATION_SPEC_ID, 1),
      &module);
  // Constants in the place of the array length, at the end of the globals.
  module_t whole = {.count = 0};
  for (uint32_t i = 0; i < SPIRV_HEADER_WORDS; ++i) {
    whole.words[whole.count++] = module.words[i];
  }
  for (uint32_t i = SPIRV_HEADER_WORDS; i < module.count;
       i += module.words[i] >> 16) {
    if ((module.words[i] & 0xFFFF) == SPIRV_OP_FUNCTION) {
      ADD(&whole, SPIRV_OP_SPEC_CONSTANT, UINT, FREE, 8);
      ADD(&whole, SPIRV_OP_SPEC_CONSTANT, UINT, FREE + 1, 3);
    }
    for (uint32_t j = 0; j < module.words[i] >> 16; ++j) {
      whole.words[whole.count++] = module.words[i + j];
    }
  }
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&whole, &read));
  EXPECT_EQ_I64(read.entry_points[0].workgroup_size[0], 33);
  EXPECT_EQ_I64(read.entry_points[0].workgroup_size[1], 3);
  EXPECT_EQ_I64(read.entry_points[0].workgroup_size[2], 3);
  EXPECT_EQ_I64(read.needs.features, INT64_C(1) << VULKAN_FEATURE_maintenance4);
  vulkan_spirv_module_deinitialize(&read);
  // One that is specialized to 0.
  vulkan_spirv_module_t zero;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                read_with(&whole, 0, iree_allocator_system(), &zero));
}

CTEST(lists_what_is_missing) {
  module_t module;
  make_module(
      INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_CAPABILITY, 2), 11,
             WORD(SPIRV_OP_CAPABILITY, 2), 10, WORD(SPIRV_OP_CAPABILITY, 2), 63,
             WORD(SPIRV_OP_CAPABILITY, 2), 6022),
      &module);
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&module, &read));
  vulkan_spirv_needs_t available = {
      .features = UINT64_C(1) << VULKAN_FEATURE_shaderFloat64,
      .subgroup_operations = 0x1,
  };
  const char* names[8] = {0};
  const iree_host_size_t count =
      vulkan_spirv_missing(&read.needs, &available, 8, names);
  REQUIRE(count == 4);
  EXPECT(strcmp(names[0], "shaderInt64") == 0);
  EXPECT(strcmp(names[1], "cooperativeMatrix") == 0);
  EXPECT(strcmp(names[2], "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT") == 0);
  EXPECT(strcmp(names[3], "VK_KHR_cooperative_matrix") == 0);
  EXPECT_EQ_I64(vulkan_spirv_missing(&read.needs, &available, 0, NULL), 4);
  EXPECT_EQ_I64(vulkan_spirv_missing(&read.needs, &read.needs, 0, NULL), 0);
  EXPECT(strcmp(vulkan_feature_name(VULKAN_FEATURE_shaderInt8), "shaderInt8") ==
         0);
  vulkan_spirv_module_deinitialize(&read);
}

// Adding up in a subgroup asks for more when it is not of 32 bits.
CTEST(sees_wide_subgroup_operations) {
  for (uint32_t width = 32; width <= 64; width *= 2) {
    module_t module;
    make_module(
        INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_INT, 4), FREE, 64, 1,
               WORD(46, 3), FREE, FREE + 1, WORD(46, 3), UINT, FREE + 2),
        &module);
    module.count -= 2;
    ADD(&module, 349, width == 32 ? UINT : FREE, FREE + 3, ZERO, 0,
        width == 32 ? FREE + 2 : FREE + 1);
    ADD_BARE(&module, 253);
    ADD_BARE(&module, SPIRV_OP_FUNCTION_END);
    vulkan_spirv_module_t read;
    REQUIRE_OK(read_module(&module, &read));
    EXPECT_EQ_I64(
        read.needs.features >> VULKAN_FEATURE_shaderSubgroupExtendedTypes & 1,
        width == 64);
    vulkan_spirv_module_deinitialize(&read);
  }
}

// What compilers write before SPIR-V 1.4 and Vulkan does not take.
CTEST(puts_right_what_vulkan_does_not_take) {
  module_t module;
  make_module(INSERT(PART_ANNOTATIONS, WORD(SPIRV_OP_DECORATE, 3), LOADED,
                     SPIRV_DECORATION_NO_SIGNED_WRAP),
              &module);
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&module, &read));
  module_t expected;
  make_module(nothing, &expected);
  REQUIRE(read.word_count == expected.count);
  EXPECT_EQ_BYTES(read.words, expected.words,
                  expected.count * sizeof(uint32_t));
  vulkan_spirv_module_deinitialize(&read);
  // From 1.4 on it is part of the language.
  module.words[1] = 0x00010400;
  REQUIRE_OK(read_module(&module, &read));
  EXPECT(read.words == module.words);
  vulkan_spirv_module_deinitialize(&read);
}

CTEST(takes_buffers_out_of_old_interfaces) {
  module_t module;
  make_module(nothing, &module);
  module_t listed = {.count = 0};
  for (uint32_t i = 0; i < module.count; ++i) {
    listed.words[listed.count++] = module.words[i];
    // Behind the name of the entry point.
    if (i > 0 && module.words[i - 1] == 0x6E69616D) {
      listed.words[listed.count - 5] += 1u << 16;
      listed.words[listed.count++] = BUFFER;
    }
  }
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&listed, &read));
  REQUIRE(read.word_count == module.count);
  EXPECT_EQ_BYTES(read.words, module.words, module.count * sizeof(uint32_t));
  vulkan_spirv_module_deinitialize(&read);
  listed.words[1] = 0x00010500;
  REQUIRE_OK(read_module(&listed, &read));
  EXPECT(read.words == listed.words);
  vulkan_spirv_module_deinitialize(&read);
}

//===-- what is refused -----------------------------------------------------===

CTEST(refuses_other_headers) {
  module_t module;
  make_module(nothing, &module);
  const uint32_t good = module.words[0];
  module.words[0] = 0x03022307;
  expect_invalid_module("does not begin as SPIR-V", &module);
  module.words[0] = good;
  vulkan_spirv_module_t read;
  module.words[1] = 0x00010700;
  EXPECT_STATUS(IREE_STATUS_INCOMPATIBLE, read_module(&module, &read));
  module.words[1] = 0x00010301;
  EXPECT_STATUS(IREE_STATUS_INCOMPATIBLE, read_module(&module, &read));
  module.words[1] = 0x00010000;
  module.words[3] = 0x00FFFFFF;
  expect_invalid_module("has the bound 16777215", &module);
  module.words[3] = BOUND;
  module.words[4] = 1;
  expect_invalid_module("the schema 1", &module);
}

CTEST(refuses_instructions_that_are_not_whole) {
  expect_invalid("has 0 words", INSERT(PART_GLOBALS, 0));
  expect_invalid("instruction 21 has 9 words, of 2 left",
                 INSERT(PART_END, WORD(SPIRV_OP_TYPE_INT, 9), FREE));
  expect_invalid("instruction 21 has wrong operands",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_INT, 3), FREE, 32));
  expect_invalid("instruction 19 has wrong operands",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_VOID, 3), FREE, 0));
  // A name without an end, and memory operands without the alignment.
  expect_invalid(
      "instruction 10 has wrong operands",
      INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_EXTENSION, 2), 0x5F565053));
  expect_invalid("instruction 61 has wrong operands",
                 INSERT(PART_BODY, WORD(61, 5), UINT, FREE, CHAIN, 2));
  module_t module;
  make_module(nothing, &module);
  --module.count;
  expect_invalid_module("the last function has no end", &module);
}

CTEST(refuses_ids_that_are_not_right) {
  expect_invalid("id 64 is not below the bound 64",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_BOOL, 2), BOUND));
  expect_invalid("id 0 is not below",
                 INSERT(PART_BODY, WORD(61, 4), UINT, FREE, 0));
  expect_invalid("id 3 is defined twice",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_BOOL, 2), UINT));
  expect_invalid("id 40 is used before it is defined",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_STRUCT, 3), FREE, 40));
  expect_invalid(
      "id 20 is used before it is defined",
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_STRUCT, 3), FREE, FREE));
  expect_invalid("id 40 is used before it is defined",
                 INSERT(PART_BODY, WORD(61, 4), UINT, FREE, 40));
  expect_invalid("id 40 is defined nowhere",
                 INSERT(PART_ANNOTATIONS, WORD(SPIRV_OP_DECORATE, 3), 40, 0));
  expect_invalid("id 3, a type, is used as a value",
                 INSERT(PART_BODY, WORD(128, 5), UINT, FREE, ZERO, UINT));
  expect_invalid("id 10, the type of a result, is no type",
                 INSERT(PART_BODY, WORD(61, 4), ZERO, FREE, CHAIN));
  // A function that uses a value of another.
  expect_invalid(
      "id 14 is of another function",
      INSERT(PART_END, WORD(SPIRV_OP_FUNCTION, 5), VOID, FREE, 0, FUNCTION_TYPE,
             WORD(SPIRV_OP_LABEL, 2), FREE + 1, WORD(61, 4), UINT, FREE + 2,
             CHAIN, WORD(253, 1), WORD(SPIRV_OP_FUNCTION_END, 1)));
  expect_invalid("id 20 was announced as a pointer",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_FORWARD_POINTER, 3),
                        FREE, 5349, WORD(SPIRV_OP_TYPE_BOOL, 2), FREE));
}

CTEST(refuses_disorder) {
  expect_invalid("instruction 17 comes too late",
                 INSERT(PART_MODES, WORD(SPIRV_OP_CAPABILITY, 2), 1));
  expect_invalid("instruction 20 comes too late",
                 INSERT(PART_BODY, WORD(SPIRV_OP_TYPE_BOOL, 2), FREE));
  expect_invalid("instruction 253 stands outside of a block",
                 INSERT(PART_BODY, WORD(253, 1)));
  expect_invalid("instruction 54 stands outside",
                 INSERT(PART_BODY, WORD(SPIRV_OP_FUNCTION, 5), VOID, FREE, 0,
                        FUNCTION_TYPE));
  expect_invalid("instruction 56 stands outside",
                 INSERT(PART_END, WORD(SPIRV_OP_FUNCTION, 5), VOID, FREE, 0,
                        FUNCTION_TYPE, WORD(SPIRV_OP_FUNCTION_END, 1)));
  expect_invalid(
      "there is a second memory model",
      INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_MEMORY_MODEL, 3), 0, 1));
  expect_invalid("id 10 is no block",
                 INSERT(PART_BODY, WORD(SPIRV_OP_BRANCH, 2), ZERO,
                        WORD(SPIRV_OP_LABEL, 2), FREE));
  expect_invalid("id 12 is a block",
                 INSERT(PART_BODY, WORD(128, 5), UINT, FREE, ZERO, LABEL));
  expect_invalid("a switch selects by what is no integer",
                 INSERT(PART_BODY, WORD(SPIRV_OP_SWITCH, 3), CHAIN, LABEL,
                        WORD(SPIRV_OP_LABEL, 2), FREE));
}

CTEST(refuses_calls_without_end) {
  expect_invalid(
      "function 11 calls itself",
      INSERT(PART_BODY, WORD(SPIRV_OP_FUNCTION_CALL, 4), VOID, FREE, MAIN));
  expect_invalid(
      "id 10, which is called, is no function",
      INSERT(PART_BODY, WORD(SPIRV_OP_FUNCTION_CALL, 4), VOID, FREE, ZERO));
}

CTEST(refuses_types_that_cannot_be) {
  expect_invalid("type 20 is made of",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_INT, 4), FREE, 31, 0));
  expect_invalid(
      "type 20 is made of",
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_VECTOR, 4), FREE, BLOCK, 4));
  expect_invalid(
      "type 20 is made of",
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_STRUCT, 3), FREE, VOID));
  expect_invalid(
      "type 20 is made of",
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_POINTER, 4), FREE, 12, ZERO));
  expect_invalid(
      "array 20 has length 0",
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_ARRAY, 4), FREE, UINT, ZERO));
  expect_invalid(
      "the length of array 20 is no constant",
      INSERT(PART_GLOBALS, WORD(SPIRV_OP_TYPE_ARRAY, 4), FREE, UINT, BUFFER));
  expect_invalid("variable 20 is not where its type points to",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_VARIABLE, 4),
                        BUFFER_POINTER, FREE, SPIRV_STORAGE_WORKGROUP));
  expect_invalid("the type of variable 20 is no pointer",
                 INSERT(PART_GLOBALS, WORD(SPIRV_OP_VARIABLE, 4), UINT, FREE,
                        SPIRV_STORAGE_WORKGROUP));
}

CTEST(refuses_parts_that_are_not_there) {
  expect_invalid(
      "access 20 reaches into what is not there",
      INSERT(PART_BODY, WORD(65, 6), UINT_POINTER, FREE, PUSHED, ZERO, ZERO));
  expect_invalid(
      "access 20 has the type of another place",
      INSERT(PART_BODY, WORD(65, 5), BUFFER_POINTER, FREE, PUSHED, ZERO));
  expect_invalid("load 20 has the type of another place",
                 INSERT(PART_BODY, WORD(61, 4), PUSH, FREE, CHAIN));
  expect_invalid("what is stored at 14 has another type",
                 INSERT(PART_BODY, WORD(62, 3), CHAIN, CHAIN));
  expect_invalid("value 20 is no such part",
                 INSERT(PART_BODY, WORD(81, 5), UINT, FREE, LOADED, 0));
  expect_invalid(
      "value 20 is of a type without values",
      INSERT(PART_BODY, WORD(128, 5), FUNCTION_TYPE, FREE, ZERO, ZERO));
  expect_invalid("composite 20 has 1 parts",
                 INSERT(PART_BODY, WORD(80, 4), PUSH, FREE, ZERO));
  expect_invalid("shuffle 20 takes what is not there",
                 INSERT(PART_BODY, WORD(79, 6), UINT, FREE, ZERO, ZERO, 0));
  expect_invalid("id 10 is no instruction set",
                 INSERT(PART_BODY, WORD(12, 6), UINT, FREE, ZERO, 4, ZERO));
}

CTEST(refuses_members_that_are_not_there) {
  module_t module;
  make_module(INSERT(PART_GLOBALS, WORD(SPIRV_OP_CONSTANT, 4), UINT, FREE, 2),
              &module);
  module.count -= 2;
  ADD(&module, SPIRV_OP_ACCESS_CHAIN, UINT_POINTER, FREE + 1, PUSHED, FREE);
  ADD_BARE(&module, 253);
  ADD_BARE(&module, SPIRV_OP_FUNCTION_END);
  expect_invalid_module("access 21 reaches into what is not there", &module);
}

CTEST(counts_operands_of_glsl) {
  // FMax takes two.
  module_t module;
  make_module(INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_EXT_INST_IMPORT, 6), FREE,
                     0x4C534C47, 0x6474732E, 0x3035342E, 0),
              &module);
  module.count -= 2;
  ADD(&module, SPIRV_OP_EXT_INST, UINT, FREE + 1, FREE, 40, ZERO, ZERO);
  ADD_BARE(&module, 253);
  ADD_BARE(&module, SPIRV_OP_FUNCTION_END);
  vulkan_spirv_module_t read;
  REQUIRE_OK(read_module(&module, &read));
  vulkan_spirv_module_deinitialize(&read);
  module.count -= 9;
  ADD(&module, SPIRV_OP_EXT_INST, UINT, FREE + 1, FREE, 40, ZERO);
  ADD_BARE(&module, 253);
  ADD_BARE(&module, SPIRV_OP_FUNCTION_END);
  expect_invalid_module("instruction 40 of GLSL has 1 operands", &module);
}

CTEST(refuses_entry_points_that_cannot_be) {
  expect_invalid("the size of workgroups is no three integers",
                 INSERT(PART_MODES, WORD(SPIRV_OP_EXECUTION_MODE, 5), MAIN,
                        SPIRV_MODE_LOCAL_SIZE, 1, 1));
  expect_invalid("the workgroups of entry point 11 have no size",
                 INSERT(PART_MODES, WORD(SPIRV_OP_EXECUTION_MODE, 6), MAIN,
                        SPIRV_MODE_LOCAL_SIZE, 1, 0, 1));
  expect_invalid("decoration 33 has no value",
                 INSERT(PART_ANNOTATIONS, WORD(SPIRV_OP_DECORATE, 3), BUFFER,
                        SPIRV_DECORATION_BINDING));
  expect_invalid(
      "WorkgroupSize is no three integers",
      INSERT(PART_ANNOTATIONS, WORD(SPIRV_OP_DECORATE, 4), ZERO,
             SPIRV_DECORATION_BUILT_IN, SPIRV_BUILT_IN_WORKGROUP_SIZE));
  module_t module;
  make_module(INSERT(PART_GLOBALS, WORD(SPIRV_OP_VARIABLE, 4), BUFFER_POINTER,
                     FREE, SPIRV_STORAGE_STORAGE_BUFFER),
              &module);
  module.count -= 2;
  ADD(&module, 68, UINT, FREE + 1, FREE, 0);
  ADD_BARE(&module, 253);
  ADD_BARE(&module, SPIRV_OP_FUNCTION_END);
  expect_invalid_module("variable 20 has no set or no binding", &module);
}

CTEST(names_what_it_does_not_know) {
  // Kernel, an instruction of it, and an extension.
  expect_unknown("uses the capability 6, which",
                 INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_CAPABILITY, 2), 6));
  expect_unknown("uses the instruction 297, which",
                 INSERT(PART_BODY, WORD(297, 3), UINT, FREE));
  expect_unknown(
      "uses the extension SPV_X, which",
      INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_EXTENSION, 3), 0x5F565053, 0x58));
  expect_unknown("an unprintable name",
                 INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_EXTENSION, 2), 0x0A));
  expect_unknown(
      "uses the instruction set S, which",
      INSERT(PART_CAPABILITIES, WORD(SPIRV_OP_EXT_INST_IMPORT, 3), FREE, 0x53));
}

CTEST(gives_back_memory_that_runs_out) {
  module_t module;
  make_module(INSERT(PART_ANNOTATIONS, WORD(SPIRV_OP_DECORATE, 3), LOADED,
                     SPIRV_DECORATION_NO_SIGNED_WRAP),
              &module);
  failing_allocator_t state = {0};
  iree_status_code_t code = IREE_STATUS_RESOURCE_EXHAUSTED;
  int64_t allocations = 0;
  for (; code == IREE_STATUS_RESOURCE_EXHAUSTED; ++allocations) {
    state = (failing_allocator_t){.remaining = allocations};
    vulkan_spirv_module_t read;
    iree_status_t status =
        read_with(&module, 1, failing_allocator(&state), &read);
    code = iree_status_consume_code(status);
    if (code == IREE_STATUS_OK) vulkan_spirv_module_deinitialize(&read);
    EXPECT_EQ_I64(state.live_blocks, 0);
  }
  EXPECT_EQ_I64(code, IREE_STATUS_OK);
  EXPECT(allocations > 4);
}

CTEST_MAIN()
