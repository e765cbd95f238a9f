// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements verification of code.

#include "iree_cy/native/vm/bytecode/verifier.h"

#include "iree_cy/native/vm/bytecode/opcodes.h"

// A list of registers as it lies in the code: |count| times 16 bits.
typedef struct iree_vm_verify_list_t {
  const uint8_t* data;
  uint16_t count;
} iree_vm_verify_list_t;

static uint16_t iree_vm_verify_list_at(const iree_vm_verify_list_t* list,
                                       uint32_t i) {
  return iree_load_u16(list->data + (size_t)i * sizeof(uint16_t));
}

typedef enum iree_vm_verify_kind_e {
  IREE_VM_VERIFY_KIND_32 = 0,
  IREE_VM_VERIFY_KIND_64 = 1,
  IREE_VM_VERIFY_KIND_REF = 2,
  IREE_VM_VERIFY_KIND_REF_MOVE = 3,
} iree_vm_verify_kind_t;

// One function under verification.
typedef struct iree_vm_verify_t {
  const iree_vm_bytecode_module_t* module;
  const iree_vm_bytecode_function_def_t* function;
  const uint8_t* data;
  uint32_t length;
  uint32_t pc;
  bool in_block;
  uint32_t block_count;
  // One bit for each byte of the code: a block begins there; a branch goes
  // there.
  uint8_t* block_bits;
  uint8_t* target_bits;
  // Whether there is an instruction that changes a global, or may call
  // |init_ordinal|, which does.
  uint32_t init_ordinal;
  bool changes_globals;
  // Fields of the instruction that its own checks look at.
  uint32_t callee;
  iree_vm_verify_list_t lists[3];
  uint32_t list_count;
} iree_vm_verify_t;

#define IREE_VM_VERIFY_ERROR(...) \
  iree_make_status(IREE_STATUS_INVALID_ARGUMENT, __VA_ARGS__)

// Takes |size| bytes of the code.
static iree_status_t iree_vm_verify_take(iree_vm_verify_t* verify,
                                         uint32_t size,
                                         const uint8_t** out_data) {
  if (IREE_UNLIKELY(size > verify->length - verify->pc)) {
    *out_data = NULL;
    return IREE_VM_VERIFY_ERROR("the code ends inside an instruction");
  }
  *out_data = verify->data + verify->pc;
  verify->pc += size;
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_take_u16(iree_vm_verify_t* verify,
                                             uint16_t* out_value) {
  const uint8_t* data = NULL;
  *out_value = 0;
  IREE_RETURN_IF_ERROR(iree_vm_verify_take(verify, sizeof(*out_value), &data));
  *out_value = iree_load_u16(data);
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_take_u32(iree_vm_verify_t* verify,
                                             uint32_t* out_value) {
  const uint8_t* data = NULL;
  *out_value = 0;
  IREE_RETURN_IF_ERROR(iree_vm_verify_take(verify, sizeof(*out_value), &data));
  *out_value = iree_load_u32(data);
  return iree_ok_status();
}

// Lists begin at an even offset.
static iree_status_t iree_vm_verify_align(iree_vm_verify_t* verify) {
  const uint8_t* data = NULL;
  return iree_vm_verify_take(verify, verify->pc & 1, &data);
}

// The kind of register that a letter of an encoding stands for.
static iree_vm_verify_kind_t iree_vm_verify_kind(char letter, uint16_t reg) {
  switch (letter) {
    case 'l':
    case 'L':
    case 'd':
    case 'D':
      return IREE_VM_VERIFY_KIND_64;
    case 'r':
      return IREE_VM_VERIFY_KIND_REF;
    case 'm':
    case 'R':
      return IREE_VM_VERIFY_KIND_REF_MOVE;
    case 'a':
      return (reg & IREE_VM_BYTECODE_REF_BIT) ? IREE_VM_VERIFY_KIND_REF_MOVE
                                              : IREE_VM_VERIFY_KIND_32;
    default:
      return IREE_VM_VERIFY_KIND_32;
  }
}

static __attribute__((noinline)) iree_status_t iree_vm_verify_register_error(
    const iree_vm_verify_t* verify, iree_vm_verify_kind_t kind, uint16_t reg) {
  static const char* const names[] = {"32-bit", "64-bit",
                                      "reference (that stays)", "reference"};
  return IREE_VM_VERIFY_ERROR(
      "register 0x%04X is not a %s register (there are %u and %u refs)", reg,
      names[kind], verify->function->i32_register_count,
      verify->function->ref_register_count);
}

static inline iree_status_t iree_vm_verify_register_kind(
    const iree_vm_verify_t* verify, iree_vm_verify_kind_t kind, uint16_t reg) {
  // 64-bit registers are even and their count is, so the other half is there.
  static const uint16_t masks[] = {0x8000, 0x8001, 0xC000, 0x8000};
  static const uint16_t bits[] = {0, 0, 0x8000, 0x8000};
  const uint16_t limit = kind < IREE_VM_VERIFY_KIND_REF
                             ? verify->function->i32_register_count
                             : verify->function->ref_register_count;
  const uint16_t number =
      kind < IREE_VM_VERIFY_KIND_REF ? reg : reg & IREE_VM_BYTECODE_REF_MASK;
  return IREE_LIKELY((reg & masks[kind]) == bits[kind] && number < limit)
             ? iree_ok_status()
             : iree_vm_verify_register_error(verify, kind, reg);
}

// Checks |reg| to be what |letter| of an encoding says.
static inline iree_status_t iree_vm_verify_register(
    const iree_vm_verify_t* verify, char letter, uint16_t reg) {
  return iree_vm_verify_register_kind(verify, iree_vm_verify_kind(letter, reg),
                                      reg);
}

static iree_status_t iree_vm_verify_list(iree_vm_verify_t* verify,
                                         iree_vm_verify_list_t* out_list) {
  out_list->data = NULL;
  out_list->count = 0;
  IREE_RETURN_IF_ERROR(iree_vm_verify_align(verify));
  IREE_RETURN_IF_ERROR(iree_vm_verify_take_u16(verify, &out_list->count));
  return iree_vm_verify_take(
      verify, (uint32_t)out_list->count * sizeof(uint16_t), &out_list->data);
}

// Notes a branch to |target|, a block that may come later.
static iree_status_t iree_vm_verify_target(iree_vm_verify_t* verify) {
  uint32_t target = 0;
  IREE_RETURN_IF_ERROR(iree_vm_verify_take_u32(verify, &target));
  if (target >= verify->length) {
    return IREE_VM_VERIFY_ERROR("branch to %u, code ends at %u", target,
                                verify->length);
  }
  verify->target_bits[target / 8] |= (uint8_t)(1u << (target % 8));
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_branch(iree_vm_verify_t* verify) {
  IREE_RETURN_IF_ERROR(iree_vm_verify_target(verify));
  uint16_t count = 0;
  const uint8_t* pairs = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_verify_align(verify));
  IREE_RETURN_IF_ERROR(iree_vm_verify_take_u16(verify, &count));
  IREE_RETURN_IF_ERROR(iree_vm_verify_take(
      verify, (uint32_t)count * 2 * sizeof(uint16_t), &pairs));
  for (uint32_t i = 0; i < count; ++i, pairs += 2 * sizeof(uint16_t)) {
    uint16_t source = iree_load_u16(pairs);
    uint16_t target = iree_load_u16(pairs + sizeof(uint16_t));
    IREE_RETURN_IF_ERROR(iree_vm_verify_register(verify, 'a', source));
    IREE_RETURN_IF_ERROR(iree_vm_verify_register(
        verify, (source & IREE_VM_BYTECODE_REF_BIT) ? 'R' : 'I', target));
  }
  return iree_ok_status();
}

// Checks a 32-bit ordinal or offset to be below its bound.
static iree_status_t iree_vm_verify_ordinal(iree_vm_verify_t* verify,
                                            const char* what,
                                            uint64_t access_length,
                                            uint64_t bound) {
  uint32_t ordinal = 0;
  IREE_RETURN_IF_ERROR(iree_vm_verify_take_u32(verify, &ordinal));
  if (IREE_UNLIKELY(ordinal + access_length > bound)) {
    return IREE_VM_VERIFY_ERROR("%s %u is out of range (%" PRIu64 ")", what,
                                ordinal, bound);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_type(iree_vm_verify_t* verify,
                                         bool needs_ref) {
  uint32_t ordinal = 0;
  IREE_RETURN_IF_ERROR(iree_vm_verify_take_u32(verify, &ordinal));
  if (ordinal >= verify->module->def.type_count) {
    return IREE_VM_VERIFY_ERROR("type %u is out of range (%" PRIhsz ")",
                                ordinal, verify->module->def.type_count);
  }
  if (needs_ref && iree_vm_type_def_is_value(verify->module->types[ordinal])) {
    return IREE_VM_VERIFY_ERROR("type %u is not a reference type", ordinal);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_callee(iree_vm_verify_t* verify) {
  IREE_RETURN_IF_ERROR(iree_vm_verify_take_u32(verify, &verify->callee));
  bool is_import = (verify->callee & IREE_VM_BYTECODE_IMPORT_BIT) != 0;
  uint32_t ordinal = verify->callee & ~IREE_VM_BYTECODE_IMPORT_BIT;
  iree_host_size_t count = is_import ? verify->module->def.import_count
                                     : verify->module->def.function_count;
  if (ordinal >= count) {
    return IREE_VM_VERIFY_ERROR("%s %u is out of range (%" PRIhsz ")",
                                is_import ? "import" : "function", ordinal,
                                count);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_registers(iree_vm_verify_t* verify,
                                              char letter) {
  iree_vm_verify_list_t* list = &verify->lists[verify->list_count++];
  IREE_RETURN_IF_ERROR(iree_vm_verify_list(verify, list));
  // These are matched with the convention.
  if (letter == 'x' || letter == 'y') return iree_ok_status();
  for (uint32_t i = 0; i < list->count; ++i) {
    IREE_RETURN_IF_ERROR(iree_vm_verify_register(
        verify, letter, iree_vm_verify_list_at(list, i)));
  }
  return iree_ok_status();
}

// Takes the fields of one instruction.
static iree_status_t iree_vm_verify_fields(iree_vm_verify_t* verify,
                                           const char* encoding) {
  const iree_vm_bytecode_module_def_t* def = &verify->module->def;
  const uint8_t* data = NULL;
  uint16_t value = 0;
  verify->list_count = 0;
  for (const char* letter = encoding; *letter; ++letter) {
    switch (*letter) {
      default:
        IREE_RETURN_IF_ERROR(iree_vm_verify_take_u16(verify, &value));
        IREE_RETURN_IF_ERROR(iree_vm_verify_register(verify, *letter, value));
        break;
      case 'c':
        IREE_RETURN_IF_ERROR(iree_vm_verify_take(verify, 4, &data));
        break;
      case 'C':
        IREE_RETURN_IF_ERROR(iree_vm_verify_take(verify, 8, &data));
        break;
      case 'g':
      case 'G':
        IREE_RETURN_IF_ERROR(
            iree_vm_verify_ordinal(verify, "global at", *letter == 'g' ? 4 : 8,
                                   def->global_bytes_capacity));
        break;
      case 'n':
        IREE_RETURN_IF_ERROR(iree_vm_verify_ordinal(verify, "global ref", 1,
                                                    def->global_ref_count));
        break;
      case 'o':
        IREE_RETURN_IF_ERROR(
            iree_vm_verify_ordinal(verify, "constant", 1, def->rodata_count));
        break;
      case 't':
      case 'T':
        IREE_RETURN_IF_ERROR(iree_vm_verify_type(verify, *letter == 't'));
        break;
      case 's':
        IREE_RETURN_IF_ERROR(iree_vm_verify_take_u16(verify, &value));
        IREE_RETURN_IF_ERROR(iree_vm_verify_take(verify, value, &data));
        break;
      case 'k':
        IREE_RETURN_IF_ERROR(iree_vm_verify_callee(verify));
        break;
      case 'j':
        IREE_RETURN_IF_ERROR(iree_vm_verify_target(verify));
        break;
      case 'b':
        IREE_RETURN_IF_ERROR(iree_vm_verify_branch(verify));
        break;
      case 'B':
        IREE_RETURN_IF_ERROR(iree_vm_verify_take_u16(verify, &value));
        for (uint32_t i = 0; i < value; ++i) {
          IREE_RETURN_IF_ERROR(iree_vm_verify_branch(verify));
        }
        break;
      case '*':
        IREE_RETURN_IF_ERROR(iree_vm_verify_registers(verify, *++letter));
        break;
      case 'v':
        IREE_RETURN_IF_ERROR(
            iree_vm_verify_list(verify, &verify->lists[verify->list_count++]));
        break;
    }
  }
  return iree_ok_status();
}

// Matches a letter of a convention with register |*next| of |list|.
static inline iree_status_t iree_vm_verify_match(
    const iree_vm_verify_t* verify, char letter,
    const iree_vm_verify_list_t* list, uint32_t* next) {
  if (IREE_UNLIKELY(*next >= list->count)) {
    return IREE_VM_VERIFY_ERROR("%u registers are too few for the convention",
                                list->count);
  }
  iree_vm_verify_kind_t kind = letter == 'r' ? IREE_VM_VERIFY_KIND_REF_MOVE
                               : letter == 'I' || letter == 'F'
                                   ? IREE_VM_VERIFY_KIND_64
                                   : IREE_VM_VERIFY_KIND_32;
  return iree_vm_verify_register_kind(verify, kind,
                                      iree_vm_verify_list_at(list, (*next)++));
}

// Checks that |registers| are those of |fragment|, with |segments| giving the
// counts of its spans: one entry for each letter or span.
static iree_status_t iree_vm_verify_fragment(
    const iree_vm_verify_t* verify, iree_string_view_t fragment,
    const iree_vm_verify_list_t* segments,
    const iree_vm_verify_list_t* registers) {
  uint32_t next = 0;
  uint32_t segment = 0;
  for (iree_host_size_t i = 0; i < fragment.size; ++i, ++segment) {
    if (fragment.data[i] != 'C') {
      IREE_RETURN_IF_ERROR(
          iree_vm_verify_match(verify, fragment.data[i], registers, &next));
      continue;
    }
    if (!segments || segment >= segments->count) {
      return IREE_VM_VERIFY_ERROR("the call does not say how long a span is");
    }
    uint32_t span_count = iree_vm_verify_list_at(segments, segment);
    iree_host_size_t begin = ++i;
    while (fragment.data[i] != 'D') ++i;
    for (uint32_t j = 0; j < span_count; ++j) {
      for (iree_host_size_t k = begin; k < i; ++k) {
        IREE_RETURN_IF_ERROR(
            iree_vm_verify_match(verify, fragment.data[k], registers, &next));
      }
    }
  }
  if (next != registers->count) {
    return IREE_VM_VERIFY_ERROR("%u registers are too many for the convention",
                                registers->count);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_call(iree_vm_verify_t* verify,
                                         bool has_segments) {
  bool is_import = (verify->callee & IREE_VM_BYTECODE_IMPORT_BIT) != 0;
  uint32_t ordinal = verify->callee & ~IREE_VM_BYTECODE_IMPORT_BIT;
  const iree_vm_bytecode_signature_t* signature =
      is_import ? &verify->module->def.imports[ordinal].signature
                : &verify->module->def.functions[ordinal].signature;
  const iree_vm_verify_list_t* lists = verify->lists;
  const iree_vm_verify_list_t* segments = has_segments ? lists++ : NULL;
  if (verify->callee == verify->init_ordinal) verify->changes_globals = true;
  iree_status_t status = iree_vm_verify_fragment(verify, signature->arguments,
                                                 segments, &lists[0]);
  if (iree_status_is_ok(status)) {
    status =
        iree_vm_verify_fragment(verify, signature->results, NULL, &lists[1]);
  }
  if (IREE_LIKELY(iree_status_is_ok(status))) return status;
  return iree_status_annotate_f(status, "in a call of %s %u",
                                is_import ? "import" : "function", ordinal);
}

static iree_status_t iree_vm_verify_begin_block(iree_vm_verify_t* verify,
                                                uint32_t pc) {
  if (verify->in_block) {
    return IREE_VM_VERIFY_ERROR("a block begins inside another");
  }
  verify->in_block = true;
  verify->block_bits[pc / 8] |= (uint8_t)(1u << (pc % 8));
  if (++verify->block_count > verify->function->block_count) {
    return IREE_VM_VERIFY_ERROR("there are more than the declared %u blocks",
                                verify->function->block_count);
  }
  return iree_ok_status();
}

// What an instruction needs beyond its fields.
static iree_status_t iree_vm_verify_op(iree_vm_verify_t* verify,
                                       iree_vm_op_t op, uint32_t pc) {
  switch (op) {
    case IREE_VM_OP_Block:
      return iree_vm_verify_begin_block(verify, pc);
    case IREE_VM_OP_Branch:
    case IREE_VM_OP_CondBranch:
    case IREE_VM_OP_BranchTable:
    case IREE_VM_OP_Fail:
    case IREE_VM_OP_Yield:
    case IREE_VM_OP_Break:
    case IREE_VM_OP_CondBreak:
      verify->in_block = false;
      return iree_ok_status();
    case IREE_VM_OP_Call:
      return iree_vm_verify_call(verify, false);
    case IREE_VM_OP_CallVariadic:
      return iree_vm_verify_call(verify, true);
    case IREE_VM_OP_CallYieldable:
      verify->in_block = false;
      return iree_vm_verify_call(verify, false);
    case IREE_VM_OP_CallVariadicYieldable:
      verify->in_block = false;
      return iree_vm_verify_call(verify, true);
    case IREE_VM_OP_Return:
      verify->in_block = false;
      return iree_vm_verify_fragment(
          verify, verify->function->signature.results, NULL, &verify->lists[0]);
    case IREE_VM_OP_GlobalStoreI32:
    case IREE_VM_OP_GlobalStoreI64:
    case IREE_VM_OP_GlobalStoreF32:
    case IREE_VM_OP_GlobalStoreF64:
    case IREE_VM_OP_GlobalStoreRef:
    case IREE_VM_OP_GlobalStoreIndirectI32:
    case IREE_VM_OP_GlobalStoreIndirectI64:
    case IREE_VM_OP_GlobalStoreIndirectF32:
    case IREE_VM_OP_GlobalStoreIndirectF64:
    case IREE_VM_OP_GlobalStoreIndirectRef:
      verify->changes_globals = true;
      return iree_ok_status();
    case IREE_VM_OP_GlobalLoadRef:
    case IREE_VM_OP_GlobalLoadIndirectRef:
      // The result, the last field, may take the reference away.
      if (iree_load_u16(verify->data + verify->pc - sizeof(uint16_t)) &
          IREE_VM_BYTECODE_MOVE_BIT) {
        verify->changes_globals = true;
      }
      return iree_ok_status();
    case IREE_VM_OP_ImportResolved:
      if (!(verify->callee & IREE_VM_BYTECODE_IMPORT_BIT)) {
        return IREE_VM_VERIFY_ERROR("function %u is no import", verify->callee);
      }
      return iree_ok_status();
    default:
      return iree_ok_status();
  }
}

static iree_status_t iree_vm_verify_instruction(iree_vm_verify_t* verify) {
  uint32_t pc = verify->pc;
  uint8_t opcode = verify->data[verify->pc++];
  iree_vm_op_t op = IREE_VM_OP_COUNT;
  if (opcode == IREE_VM_OPCODE_PREFIX_F32 ||
      opcode == IREE_VM_OPCODE_PREFIX_F64) {
    bool is_f32 = opcode == IREE_VM_OPCODE_PREFIX_F32;
    uint32_t feature = is_f32 ? IREE_VM_BYTECODE_FEATURE_EXT_F32
                              : IREE_VM_BYTECODE_FEATURE_EXT_F64;
    if (!(verify->function->requirements & feature)) {
      return IREE_VM_VERIFY_ERROR(
          "an instruction of set %s, which the function does not require",
          is_f32 ? "f32" : "f64");
    }
    const uint8_t* data = NULL;
    IREE_RETURN_IF_ERROR(iree_vm_verify_take(verify, 1, &data));
    op = is_f32 ? iree_vm_op_f32(*data) : iree_vm_op_f64(*data);
  } else {
    op = iree_vm_op_core(opcode);
  }
  if (op == IREE_VM_OP_COUNT) {
    return IREE_VM_VERIFY_ERROR("opcode 0x%02X is unknown", opcode);
  }
  if (!verify->in_block && op != IREE_VM_OP_Block) {
    return IREE_VM_VERIFY_ERROR("'%s' stands outside of any block",
                                iree_vm_op_infos[op].mnemonic);
  }
  IREE_RETURN_IF_ERROR(
      iree_vm_verify_fields(verify, iree_vm_op_infos[op].encoding));
  return iree_vm_verify_op(verify, op, pc);
}

static iree_status_t iree_vm_verify_end(const iree_vm_verify_t* verify) {
  if (verify->in_block) {
    return IREE_VM_VERIFY_ERROR("the last block does not end");
  }
  if (verify->block_count != verify->function->block_count) {
    return IREE_VM_VERIFY_ERROR("there are %u blocks, declared are %u",
                                verify->block_count,
                                verify->function->block_count);
  }
  for (uint32_t i = 0; i < (verify->length + 7) / 8; ++i) {
    if (verify->target_bits[i] & ~verify->block_bits[i]) {
      return IREE_VM_VERIFY_ERROR("a branch goes to where no block begins");
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_verify_function(
    const iree_vm_bytecode_module_t* module,
    const iree_vm_bytecode_function_def_t* function, uint8_t* bits,
    uint32_t init_ordinal, bool* out_changes_globals) {
  *out_changes_globals = false;
  uint32_t missing =
      function->requirements & ~(uint32_t)IREE_VM_BYTECODE_FEATURES_AVAILABLE;
  if (missing) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "it requires VM features 0x%X that are not here",
                            missing);
  }
  uint32_t bits_length = (function->bytecode_length + 7) / 8;
  memset(bits, 0, (size_t)bits_length * 2);
  iree_vm_verify_t verify = {
      .module = module,
      .function = function,
      .data = function->bytecode,
      .length = function->bytecode_length,
      .block_bits = bits,
      .target_bits = bits + bits_length,
      .init_ordinal = init_ordinal,
  };
  while (verify.pc < verify.length) {
    uint32_t pc = verify.pc;
    iree_status_t status = iree_vm_verify_instruction(&verify);
    if (!iree_status_is_ok(status)) {
      return iree_status_annotate_f(status, "at offset %u of its code", pc);
    }
  }
  *out_changes_globals = verify.changes_globals;
  return iree_vm_verify_end(&verify);
}

iree_status_t iree_vm_bytecode_verify(const iree_vm_bytecode_module_t* module,
                                      uint32_t init_ordinal,
                                      iree_allocator_t scratch_allocator,
                                      bool* out_changes_globals) {
  *out_changes_globals = false;
  const iree_vm_bytecode_module_def_t* def = &module->def;
  uint32_t longest = 0;
  for (iree_host_size_t i = 0; i < def->function_count; ++i) {
    longest = iree_max(longest, def->functions[i].bytecode_length);
  }
  uint8_t* bits = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      scratch_allocator, ((size_t)longest / 8 + 1) * 2, (void**)&bits));
  iree_status_t status = iree_ok_status();
  for (iree_host_size_t i = 0; i < def->function_count; ++i) {
    bool changes_globals = false;
    status = iree_vm_verify_function(module, &def->functions[i], bits,
                                     init_ordinal, &changes_globals);
    if (i != init_ordinal && changes_globals) *out_changes_globals = true;
    if (!iree_status_is_ok(status)) {
      status = iree_status_annotate_f(
          status, "while verifying function %" PRIhsz " of module '%.*s'", i,
          IREE_SV_ARG(def->name));
      break;
    }
  }
  iree_allocator_free(scratch_allocator, bits);
  return status;
}
