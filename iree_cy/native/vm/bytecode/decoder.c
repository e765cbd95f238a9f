// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements making executable code from verified bytecode. Nothing is checked
// here: the verifier has done it.

#include "iree_cy/native/vm/bytecode/decoder.h"

// The limit keeps offsets of frames and calls in 32 bits.
#define IREE_VM_CODE_MAX_CALL_BYTES (16u << 20)

typedef struct iree_vm_decode_block_t {
  uint32_t pc;
  uint32_t unit;
} iree_vm_decode_block_t;

typedef struct iree_vm_decode_t {
  const iree_vm_bytecode_module_t* module;
  const iree_vm_bytecode_function_def_t* function;
  const int32_t* handlers;
  iree_allocator_t allocator;
  const uint8_t* data;
  uint32_t pc;

  // The output, grown as needed; starts with room for the header.
  uint8_t* storage;
  iree_host_size_t unit_count;
  iree_host_size_t unit_capacity;

  // Blocks so far, by rising offset.
  iree_vm_decode_block_t* blocks;
  uint32_t block_count;
  uint32_t block_instructions;
  // Units that hold the offset of a block instead of its target.
  uint32_t* fixups;
  iree_host_size_t fixup_count;
  iree_host_size_t fixup_capacity;

  iree_host_size_t call_bytes;

  // The comparison just decoded, if a branch may absorb it: the unit it begins
  // at, what both become and the register of its result.
  uint32_t fusible_unit;
  iree_vm_code_op_t fused_op;
  uint16_t fusible_result;

  // Where to stop for iree_vm_bytecode_find_source_offset.
  uint32_t wanted_unit;
} iree_vm_decode_t;

#define IREE_VM_DECODE_NOTHING UINT32_MAX

static uint16_t* iree_vm_decode_units(const iree_vm_decode_t* decode) {
  return ((iree_vm_bytecode_code_t*)decode->storage)->units;
}

// Makes room for |count| more units.
static iree_status_t iree_vm_decode_reserve(iree_vm_decode_t* decode,
                                            iree_host_size_t count) {
  if (IREE_LIKELY(count <= decode->unit_capacity - decode->unit_count)) {
    return iree_ok_status();
  }
  iree_host_size_t capacity =
      iree_max(decode->unit_capacity * 2, decode->unit_count + count);
  if (capacity > UINT32_MAX / 2) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "the code of a function is too long");
  }
  IREE_RETURN_IF_ERROR(iree_allocator_realloc(
      decode->allocator,
      sizeof(iree_vm_bytecode_code_t) + capacity * sizeof(uint16_t),
      (void**)&decode->storage));
  decode->unit_capacity = capacity;
  return iree_ok_status();
}

// Appends to what iree_vm_decode_reserve made room for.
static void iree_vm_decode_put(iree_vm_decode_t* decode, uint16_t value) {
  iree_vm_decode_units(decode)[decode->unit_count++] = value;
}
static void iree_vm_decode_put_u32_at(iree_vm_decode_t* decode,
                                      iree_host_size_t unit, uint32_t value) {
  memcpy(&iree_vm_decode_units(decode)[unit], &value, sizeof(value));
}
static void iree_vm_decode_put_u32(iree_vm_decode_t* decode, uint32_t value) {
  iree_vm_decode_put_u32_at(decode, decode->unit_count, value);
  decode->unit_count += 2;
}
static void iree_vm_decode_put_op(iree_vm_decode_t* decode, uint32_t op) {
  iree_vm_decode_put_u32(decode,
                         decode->handlers ? (uint32_t)decode->handlers[op] : 0);
}

static uint16_t iree_vm_decode_u16(iree_vm_decode_t* decode) {
  uint16_t value = iree_load_u16(decode->data + decode->pc);
  decode->pc += sizeof(value);
  return value;
}
static uint32_t iree_vm_decode_u32(iree_vm_decode_t* decode) {
  uint32_t value = iree_load_u32(decode->data + decode->pc);
  decode->pc += sizeof(value);
  return value;
}

// A list in the bytecode: its registers; the count in |*out_count|.
static const uint8_t* iree_vm_decode_list(iree_vm_decode_t* decode,
                                          uint32_t* out_count) {
  decode->pc += decode->pc & 1;
  *out_count = iree_vm_decode_u16(decode);
  const uint8_t* list = decode->data + decode->pc;
  decode->pc += *out_count * (uint32_t)sizeof(uint16_t);
  return list;
}
static uint16_t iree_vm_decode_list_at(const uint8_t* list, uint32_t i) {
  return iree_load_u16(list + (size_t)i * sizeof(uint16_t));
}

// A ref register without its kind bit.
static uint16_t iree_vm_decode_ref(uint16_t reg) {
  return (uint16_t)(reg & ~IREE_VM_BYTECODE_REF_BIT);
}
static uint16_t iree_vm_decode_register(uint16_t reg) {
  return (reg & IREE_VM_BYTECODE_REF_BIT) ? iree_vm_decode_ref(reg) : reg;
}

// Appends the target of a branch: the block's offset until all are known.
static iree_status_t iree_vm_decode_target(iree_vm_decode_t* decode,
                                           uint32_t pc) {
  if (decode->fixup_count == decode->fixup_capacity) {
    iree_host_size_t capacity = iree_max(decode->fixup_capacity * 2, 16);
    IREE_RETURN_IF_ERROR(iree_allocator_realloc(
        decode->allocator, capacity * sizeof(*decode->fixups),
        (void**)&decode->fixups));
    decode->fixup_capacity = capacity;
  }
  decode->fixups[decode->fixup_count++] = (uint32_t)decode->unit_count;
  iree_vm_decode_put_u32(decode, pc);
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_branch(iree_vm_decode_t* decode,
                                           uint32_t* out_pair_count) {
  uint32_t pc = iree_vm_decode_u32(decode);
  decode->pc += decode->pc & 1;
  uint32_t count = iree_vm_decode_u16(decode);
  const uint8_t* pairs = decode->data + decode->pc;
  decode->pc += count * 2 * (uint32_t)sizeof(uint16_t);
  *out_pair_count = count;
  IREE_RETURN_IF_ERROR(
      iree_vm_decode_reserve(decode, 4 + (iree_host_size_t)count * 2));
  IREE_RETURN_IF_ERROR(iree_vm_decode_target(decode, pc));
  iree_host_size_t counts_unit = decode->unit_count;
  decode->unit_count += 2;
  uint16_t counts[2] = {0, 0};
  // Registers of the two kinds do not touch each other, so that only the order
  // within each kind matters.
  for (uint32_t kind = 0; kind < 2; ++kind) {
    for (uint32_t i = 0; i < count; ++i) {
      uint16_t source = iree_vm_decode_list_at(pairs, i * 2);
      uint16_t target = iree_vm_decode_list_at(pairs, i * 2 + 1);
      uint32_t source_kind = (source & IREE_VM_BYTECODE_REF_BIT) ? 1 : 0;
      if (source_kind != kind) continue;
      iree_vm_decode_put(decode, iree_vm_decode_register(source));
      iree_vm_decode_put(decode,
                         kind ? target & IREE_VM_BYTECODE_REF_MASK : target);
      ++counts[kind];
    }
  }
  memcpy(&iree_vm_decode_units(decode)[counts_unit], counts, sizeof(counts));
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_cond_branch(iree_vm_decode_t* decode) {
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 5));
  uint16_t condition = iree_vm_decode_u16(decode);
  bool is_fused = decode->fusible_unit != IREE_VM_DECODE_NOTHING &&
                  decode->fusible_result == condition;
  iree_host_size_t op_unit = decode->unit_count;
  if (is_fused) {
    // The comparison's fields, with its result, serve both.
    op_unit = decode->fusible_unit;
  } else {
    iree_vm_decode_put_op(decode, IREE_VM_OP_CondBranch);
    iree_vm_decode_put(decode, condition);
  }
  iree_host_size_t distance_unit = decode->unit_count;
  decode->unit_count += 2;
  uint32_t true_count = 0;
  uint32_t false_count = 0;
  IREE_RETURN_IF_ERROR(iree_vm_decode_branch(decode, &true_count));
  iree_vm_decode_put_u32_at(decode, distance_unit,
                            (uint32_t)(decode->unit_count - distance_unit));
  IREE_RETURN_IF_ERROR(iree_vm_decode_branch(decode, &false_count));
  uint32_t op = is_fused ? (uint32_t)decode->fused_op
                : true_count + false_count == 0
                    ? (uint32_t)IREE_VM_CODE_OP_CondJump
                    : (uint32_t)IREE_VM_OP_CondBranch;
  iree_vm_decode_put_u32_at(
      decode, op_unit, decode->handlers ? (uint32_t)decode->handlers[op] : 0);
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_branch_table(iree_vm_decode_t* decode) {
  uint16_t index = iree_vm_decode_u16(decode);
  // The default branch stands before the count.
  iree_vm_decode_t ahead = *decode;
  uint32_t default_pc = iree_vm_decode_u32(&ahead);
  ahead.pc += ahead.pc & 1;
  ahead.pc += iree_vm_decode_u16(&ahead) * 2 * (uint32_t)sizeof(uint16_t);
  uint32_t count = iree_vm_decode_u16(&ahead);
  (void)default_pc;
  IREE_RETURN_IF_ERROR(
      iree_vm_decode_reserve(decode, 4 + ((iree_host_size_t)count + 1) * 2));
  iree_vm_decode_put_op(decode, IREE_VM_OP_BranchTable);
  iree_vm_decode_put(decode, index);
  iree_vm_decode_put(decode, (uint16_t)count);
  iree_host_size_t table_unit = decode->unit_count;
  decode->unit_count += ((iree_host_size_t)count + 1) * 2;
  uint32_t pair_count = 0;
  for (uint32_t i = 0; i <= count; ++i) {
    iree_vm_decode_put_u32_at(decode, table_unit + (iree_host_size_t)i * 2,
                              (uint32_t)(decode->unit_count - table_unit));
    IREE_RETURN_IF_ERROR(iree_vm_decode_branch(decode, &pair_count));
    if (i == 0) decode->pc += sizeof(uint16_t);
  }
  return iree_ok_status();
}

static iree_vm_code_value_t iree_vm_decode_value_kind(char letter,
                                                      uint16_t reg) {
  switch (letter) {
    case 'I':
    case 'F':
      return IREE_VM_CODE_VALUE_64;
    case 'r':
      return (reg & IREE_VM_BYTECODE_MOVE_BIT) ? IREE_VM_CODE_VALUE_REF_MOVE
                                               : IREE_VM_CODE_VALUE_REF;
    default:
      return IREE_VM_CODE_VALUE_32;
  }
}

static uint32_t iree_vm_decode_value_size(char letter) {
  return letter == 'r'                    ? sizeof(iree_vm_ref_t)
         : letter == 'I' || letter == 'F' ? sizeof(int64_t)
                                          : sizeof(int32_t);
}

// Appends value and register.
static void iree_vm_decode_put_value(iree_vm_decode_t* decode, char letter,
                                     uint16_t reg) {
  iree_vm_decode_put(decode, (uint16_t)iree_vm_decode_value_kind(letter, reg));
  iree_vm_decode_put(decode,
                     letter == 'r' ? reg & IREE_VM_BYTECODE_REF_MASK : reg);
}

static iree_status_t iree_vm_decode_call_internal(
    iree_vm_decode_t* decode, uint32_t callee,
    const iree_vm_bytecode_signature_t* signature, const uint8_t* arguments,
    const uint8_t* results) {
  uint32_t argument_count = (uint32_t)signature->arguments.size;
  uint32_t result_count = (uint32_t)signature->results.size;
  IREE_RETURN_IF_ERROR(
      iree_vm_decode_reserve(decode, 7 + (iree_host_size_t)argument_count * 3 +
                                         (iree_host_size_t)result_count * 2));
  iree_vm_decode_put_op(decode, IREE_VM_CODE_OP_CallInternal);
  iree_vm_decode_put_u32(decode, callee);
  iree_vm_decode_put_u32(decode, argument_count);
  iree_vm_decode_put(decode, (uint16_t)result_count);
  uint32_t next_i32 = 0;
  uint32_t next_ref = 0;
  for (uint32_t i = 0; i < argument_count; ++i) {
    char letter = signature->arguments.data[i];
    iree_vm_decode_put_value(decode, letter,
                             iree_vm_decode_list_at(arguments, i));
    uint32_t target = 0;
    if (letter == 'r') {
      target = next_ref++;
    } else if (iree_vm_decode_value_size(letter) == sizeof(int64_t)) {
      target = (next_i32 + 1) & ~1u;
      next_i32 = target + 2;
    } else {
      target = next_i32++;
    }
    iree_vm_decode_put(decode, (uint16_t)target);
  }
  for (uint32_t i = 0; i < result_count; ++i) {
    iree_vm_decode_put_value(decode, signature->results.data[i],
                             iree_vm_decode_list_at(results, i));
  }
  return iree_ok_status();
}

// The arguments of a call of an import, while they are put.
typedef struct iree_vm_decode_import_t {
  const uint8_t* registers;
  uint32_t next_register;
  uint32_t value_count;
  uint64_t byte_count;
} iree_vm_decode_import_t;

static iree_status_t iree_vm_decode_import_letters(
    iree_vm_decode_t* decode, iree_string_view_t letters,
    iree_vm_decode_import_t* import) {
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, letters.size * 2));
  for (iree_host_size_t i = 0; i < letters.size; ++i) {
    char letter = letters.data[i];
    iree_vm_decode_put_value(
        decode, letter,
        iree_vm_decode_list_at(import->registers, import->next_register++));
    import->byte_count += iree_vm_decode_value_size(letter);
    ++import->value_count;
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_import_arguments(
    iree_vm_decode_t* decode, iree_string_view_t fragment,
    const uint8_t* segments, iree_vm_decode_import_t* import) {
  uint32_t segment = 0;
  for (iree_host_size_t i = 0; i < fragment.size; ++i, ++segment) {
    if (fragment.data[i] != 'C') {
      IREE_RETURN_IF_ERROR(iree_vm_decode_import_letters(
          decode, iree_make_string_view(&fragment.data[i], 1), import));
      continue;
    }
    uint16_t span_count = iree_vm_decode_list_at(segments, segment);
    iree_host_size_t begin = ++i;
    while (fragment.data[i] != 'D') ++i;
    IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 2));
    iree_vm_decode_put(decode, IREE_VM_CODE_VALUE_COUNT);
    iree_vm_decode_put(decode, span_count);
    import->byte_count += sizeof(int32_t);
    ++import->value_count;
    for (uint32_t j = 0; j < span_count; ++j) {
      IREE_RETURN_IF_ERROR(iree_vm_decode_import_letters(
          decode, iree_make_string_view(&fragment.data[begin], i - begin),
          import));
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_call_import(
    iree_vm_decode_t* decode, uint32_t ordinal,
    const iree_vm_bytecode_signature_t* signature, const uint8_t* segments,
    const uint8_t* arguments, const uint8_t* results) {
  uint32_t result_count = (uint32_t)signature->results.size;
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 11));
  iree_vm_decode_put_op(decode, IREE_VM_CODE_OP_CallImport);
  iree_vm_decode_put_u32(decode, ordinal);
  iree_host_size_t sizes_unit = decode->unit_count;
  decode->unit_count += 6;
  iree_vm_decode_put(decode, (uint16_t)result_count);
  iree_vm_decode_import_t import = {.registers = arguments};
  IREE_RETURN_IF_ERROR(iree_vm_decode_import_arguments(
      decode, signature->arguments, segments, &import));
  IREE_RETURN_IF_ERROR(
      iree_vm_decode_reserve(decode, (iree_host_size_t)result_count * 2));
  uint64_t result_bytes = 0;
  for (uint32_t i = 0; i < result_count; ++i) {
    char letter = signature->results.data[i];
    iree_vm_decode_put_value(decode, letter,
                             iree_vm_decode_list_at(results, i));
    result_bytes += iree_vm_decode_value_size(letter);
  }
  // Results begin aligned.
  uint64_t argument_bytes = (import.byte_count + 15) & ~(uint64_t)15;
  if (argument_bytes + result_bytes > IREE_VM_CODE_MAX_CALL_BYTES) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "a call passes too many values (%" PRIu64 " bytes)",
                            argument_bytes + result_bytes);
  }
  decode->call_bytes = iree_max(
      decode->call_bytes, (iree_host_size_t)(argument_bytes + result_bytes));
  iree_vm_decode_put_u32_at(decode, sizes_unit, (uint32_t)import.byte_count);
  iree_vm_decode_put_u32_at(decode, sizes_unit + 2, (uint32_t)result_bytes);
  iree_vm_decode_put_u32_at(decode, sizes_unit + 4, import.value_count);
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_call(iree_vm_decode_t* decode,
                                         bool is_variadic, bool is_yieldable) {
  const iree_vm_bytecode_module_def_t* def = &decode->module->def;
  uint32_t callee = iree_vm_decode_u32(decode);
  uint32_t count = 0;
  const uint8_t* segments = NULL;
  if (is_variadic) segments = iree_vm_decode_list(decode, &count);
  const uint8_t* arguments = iree_vm_decode_list(decode, &count);
  uint32_t resume_pc = is_yieldable ? iree_vm_decode_u32(decode) : 0;
  const uint8_t* results = iree_vm_decode_list(decode, &count);
  if (callee & IREE_VM_BYTECODE_IMPORT_BIT) {
    uint32_t ordinal = callee & ~IREE_VM_BYTECODE_IMPORT_BIT;
    IREE_RETURN_IF_ERROR(iree_vm_decode_call_import(
        decode, ordinal, &def->imports[ordinal].signature, segments, arguments,
        results));
  } else {
    IREE_RETURN_IF_ERROR(iree_vm_decode_call_internal(
        decode, callee, &def->functions[callee].signature, arguments, results));
  }
  if (!is_yieldable) return iree_ok_status();
  // Calls run to their end here, so what is left is going on.
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 4));
  iree_vm_decode_put_op(decode, IREE_VM_CODE_OP_Jump);
  return iree_vm_decode_target(decode, resume_pc);
}

static iree_status_t iree_vm_decode_return(iree_vm_decode_t* decode) {
  iree_string_view_t results = decode->function->signature.results;
  uint32_t count = 0;
  const uint8_t* registers = iree_vm_decode_list(decode, &count);
  IREE_RETURN_IF_ERROR(
      iree_vm_decode_reserve(decode, 3 + (iree_host_size_t)count * 2));
  iree_vm_decode_put_op(decode, IREE_VM_OP_Return);
  iree_vm_decode_put(decode, (uint16_t)count);
  for (uint32_t i = 0; i < count; ++i) {
    iree_vm_decode_put_value(decode, results.data[i],
                             iree_vm_decode_list_at(registers, i));
  }
  return iree_ok_status();
}

// Branches that differ in nothing but their instruction.
static iree_status_t iree_vm_decode_plain_branch(iree_vm_decode_t* decode,
                                                 iree_vm_op_t op) {
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 2));
  // There is no debugger to stop in; going on is what is left of a break.
  if (op == IREE_VM_OP_CondBreak || op == IREE_VM_OP_Break) {
    op = IREE_VM_OP_Branch;
  }
  iree_host_size_t op_unit = decode->unit_count;
  iree_vm_decode_put_op(decode, op);
  uint32_t pair_count = 0;
  IREE_RETURN_IF_ERROR(iree_vm_decode_branch(decode, &pair_count));
  if (op == IREE_VM_OP_Branch && pair_count == 0) {
    iree_vm_decode_put_u32_at(
        decode, op_unit,
        decode->handlers ? (uint32_t)decode->handlers[IREE_VM_CODE_OP_Jump]
                         : 0);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_decode_registers(iree_vm_decode_t* decode,
                                              char letter) {
  uint32_t count = 0;
  const uint8_t* list = iree_vm_decode_list(decode, &count);
  IREE_RETURN_IF_ERROR(
      iree_vm_decode_reserve(decode, 1 + (iree_host_size_t)count));
  iree_host_size_t count_unit = decode->unit_count++;
  uint16_t put_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t reg = iree_vm_decode_list_at(list, i);
    if (letter == 'a' && !(reg & IREE_VM_BYTECODE_REF_BIT)) continue;
    iree_vm_decode_put(decode, iree_vm_decode_register(reg));
    ++put_count;
  }
  iree_vm_decode_units(decode)[count_unit] = put_count;
  return iree_ok_status();
}

// Instructions whose fields are copied as the encoding says.
static iree_status_t iree_vm_decode_fields(iree_vm_decode_t* decode,
                                           iree_vm_op_t op) {
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 16));
  iree_vm_decode_put_op(decode, op);
  for (const char* letter = iree_vm_op_infos[op].encoding; *letter; ++letter) {
    IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 4));
    switch (*letter) {
      default:
        iree_vm_decode_put(decode,
                           iree_vm_decode_register(iree_vm_decode_u16(decode)));
        break;
      case 'c':
      case 'g':
      case 'G':
      case 'n':
      case 'o':
      case 't':
      case 'T':
        iree_vm_decode_put_u32(decode, iree_vm_decode_u32(decode));
        break;
      case 'k':
        iree_vm_decode_put_u32(
            decode, iree_vm_decode_u32(decode) & ~IREE_VM_BYTECODE_IMPORT_BIT);
        break;
      case 'C':
        iree_vm_decode_put_u32(decode, iree_vm_decode_u32(decode));
        iree_vm_decode_put_u32(decode, iree_vm_decode_u32(decode));
        break;
      case 's': {
        uint16_t length = iree_vm_decode_u16(decode);
        iree_vm_decode_put_u32(decode, decode->pc);
        iree_vm_decode_put_u32(decode, length);
        decode->pc += length;
        break;
      }
      case '*':
        IREE_RETURN_IF_ERROR(iree_vm_decode_registers(decode, *++letter));
        break;
    }
  }
  return iree_ok_status();
}

// What |op| and a branch on its result become, or COUNT.
static iree_vm_code_op_t iree_vm_decode_fused(iree_vm_op_t op) {
  switch (op) {
    case IREE_VM_OP_CmpEQI32:
      return IREE_VM_CODE_OP_BranchEQI32;
    case IREE_VM_OP_CmpNEI32:
      return IREE_VM_CODE_OP_BranchNEI32;
    case IREE_VM_OP_CmpLTI32S:
      return IREE_VM_CODE_OP_BranchLTI32S;
    case IREE_VM_OP_CmpLTI32U:
      return IREE_VM_CODE_OP_BranchLTI32U;
    case IREE_VM_OP_CmpNZI32:
      return IREE_VM_CODE_OP_BranchNZI32;
    case IREE_VM_OP_CmpEQI64:
      return IREE_VM_CODE_OP_BranchEQI64;
    case IREE_VM_OP_CmpNEI64:
      return IREE_VM_CODE_OP_BranchNEI64;
    case IREE_VM_OP_CmpLTI64S:
      return IREE_VM_CODE_OP_BranchLTI64S;
    case IREE_VM_OP_CmpLTI64U:
      return IREE_VM_CODE_OP_BranchLTI64U;
    case IREE_VM_OP_CmpNZI64:
      return IREE_VM_CODE_OP_BranchNZI64;
    case IREE_VM_OP_CmpNZRef:
      return IREE_VM_CODE_OP_BranchNZRef;
    default:
      return IREE_VM_CODE_OP_COUNT;
  }
}

static iree_status_t iree_vm_decode_instruction(iree_vm_decode_t* decode,
                                                iree_vm_op_t op) {
  switch (op) {
    case IREE_VM_OP_Branch:
    case IREE_VM_OP_Yield:
    case IREE_VM_OP_Break:
    case IREE_VM_OP_CondBreak:
      return iree_vm_decode_plain_branch(decode, op);
    case IREE_VM_OP_CondBranch:
      return iree_vm_decode_cond_branch(decode);
    case IREE_VM_OP_BranchTable:
      return iree_vm_decode_branch_table(decode);
    case IREE_VM_OP_Call:
      return iree_vm_decode_call(decode, false, false);
    case IREE_VM_OP_CallVariadic:
      return iree_vm_decode_call(decode, true, false);
    case IREE_VM_OP_CallYieldable:
      return iree_vm_decode_call(decode, false, true);
    case IREE_VM_OP_CallVariadicYieldable:
      return iree_vm_decode_call(decode, true, true);
    case IREE_VM_OP_Return:
      return iree_vm_decode_return(decode);
    default:
      return iree_vm_decode_fields(decode, op);
  }
}

// Writes how many instructions the block that ends here has.
static void iree_vm_decode_end_block(iree_vm_decode_t* decode) {
  if (decode->block_count == 0) return;
  iree_vm_decode_put_u32_at(decode,
                            decode->blocks[decode->block_count - 1].unit - 2,
                            decode->block_instructions);
}

static iree_status_t iree_vm_decode_begin_block(iree_vm_decode_t* decode,
                                                uint32_t pc) {
  iree_vm_decode_end_block(decode);
  IREE_RETURN_IF_ERROR(iree_vm_decode_reserve(decode, 2));
  iree_vm_decode_put_u32(decode, 0);
  decode->blocks[decode->block_count++] =
      (iree_vm_decode_block_t){pc, (uint32_t)decode->unit_count};
  decode->block_instructions = 0;
  return iree_ok_status();
}

static iree_vm_op_t iree_vm_decode_opcode(iree_vm_decode_t* decode) {
  uint8_t opcode = decode->data[decode->pc++];
  if (opcode == IREE_VM_OPCODE_PREFIX_F32) {
    return iree_vm_op_f32(decode->data[decode->pc++]);
  }
  if (opcode == IREE_VM_OPCODE_PREFIX_F64) {
    return iree_vm_op_f64(decode->data[decode->pc++]);
  }
  return iree_vm_op_core(opcode);
}

// Decodes until the end or the wanted unit; leaves |pc| behind the last
// instruction decoded, or at the one that has the unit.
static iree_status_t iree_vm_decode_body(iree_vm_decode_t* decode) {
  decode->fusible_unit = IREE_VM_DECODE_NOTHING;
  while (decode->pc < decode->function->bytecode_length) {
    uint32_t pc = decode->pc;
    iree_host_size_t unit = decode->unit_count;
    iree_vm_op_t op = iree_vm_decode_opcode(decode);
    if (op == IREE_VM_OP_Block) {
      IREE_RETURN_IF_ERROR(iree_vm_decode_begin_block(decode, pc));
      decode->fusible_unit = IREE_VM_DECODE_NOTHING;
      continue;
    }
    IREE_RETURN_IF_ERROR(iree_vm_decode_instruction(decode, op));
    ++decode->block_instructions;
    if (decode->unit_count > decode->wanted_unit) {
      decode->pc = pc;
      return iree_ok_status();
    }
    iree_vm_code_op_t fused_op = iree_vm_decode_fused(op);
    decode->fusible_unit = fused_op == IREE_VM_CODE_OP_COUNT
                               ? IREE_VM_DECODE_NOTHING
                               : (uint32_t)unit;
    decode->fused_op = fused_op;
    // A comparison's result is its last field.
    decode->fusible_result =
        iree_vm_decode_units(decode)[decode->unit_count - 1];
  }
  iree_vm_decode_end_block(decode);
  return iree_ok_status();
}

// Turns offsets of blocks into their targets.
static void iree_vm_decode_fix_targets(iree_vm_decode_t* decode) {
  uint16_t* units = iree_vm_decode_units(decode);
  for (iree_host_size_t i = 0; i < decode->fixup_count; ++i) {
    uint32_t pc = iree_load_u32(&units[decode->fixups[i]]);
    uint32_t low = 0;
    uint32_t high = decode->block_count;
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (decode->blocks[middle].pc <= pc) {
        low = middle;
      } else {
        high = middle;
      }
    }
    iree_vm_decode_put_u32_at(decode, decode->fixups[i],
                              decode->blocks[low].unit);
  }
}

static iree_status_t iree_vm_decode_initialize(
    const iree_vm_bytecode_module_t* module, uint32_t ordinal,
    const int32_t* handlers, iree_allocator_t allocator,
    iree_vm_decode_t* out_decode) {
  const iree_vm_bytecode_function_def_t* function =
      &module->def.functions[ordinal];
  memset(out_decode, 0, sizeof(*out_decode));
  out_decode->module = module;
  out_decode->function = function;
  out_decode->handlers = handlers;
  out_decode->allocator = allocator;
  out_decode->data = function->bytecode;
  out_decode->wanted_unit = IREE_VM_DECODE_NOTHING;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      allocator, function->block_count, sizeof(*out_decode->blocks),
      (void**)&out_decode->blocks));
  return iree_vm_decode_reserve(out_decode, function->bytecode_length);
}

static void iree_vm_decode_deinitialize(iree_vm_decode_t* decode) {
  iree_allocator_free(decode->allocator, decode->blocks);
  iree_allocator_free(decode->allocator, decode->fixups);
  iree_allocator_free(decode->allocator, decode->storage);
}

iree_status_t iree_vm_bytecode_decode(const iree_vm_bytecode_module_t* module,
                                      uint32_t ordinal, const int32_t* handlers,
                                      iree_allocator_t allocator,
                                      iree_vm_bytecode_code_t** out_code) {
  *out_code = NULL;
  iree_vm_decode_t decode;
  iree_status_t status =
      iree_vm_decode_initialize(module, ordinal, handlers, allocator, &decode);
  if (iree_status_is_ok(status)) status = iree_vm_decode_body(&decode);
  if (iree_status_is_ok(status)) {
    iree_vm_decode_fix_targets(&decode);
    status = iree_allocator_realloc(
        allocator,
        sizeof(iree_vm_bytecode_code_t) + decode.unit_count * sizeof(uint16_t),
        (void**)&decode.storage);
  }
  if (iree_status_is_ok(status)) {
    const iree_vm_bytecode_function_def_t* function = decode.function;
    iree_vm_bytecode_code_t* code = (iree_vm_bytecode_code_t*)decode.storage;
    iree_host_size_t refs_offset = iree_host_align(
        function->i32_register_count * sizeof(int32_t), sizeof(iree_vm_ref_t));
    iree_host_size_t call_offset =
        refs_offset + function->ref_register_count * sizeof(iree_vm_ref_t);
    code->entry = decode.blocks[0].unit;
    code->refs_offset = (uint32_t)refs_offset;
    code->call_offset = (uint32_t)call_offset;
    code->frame_size = (uint32_t)(call_offset + decode.call_bytes);
    code->i32_register_count = function->i32_register_count;
    code->ref_register_count = function->ref_register_count;
    code->bytecode = function->bytecode;
    code->unit_count = (uint32_t)decode.unit_count;
    decode.storage = NULL;
    *out_code = code;
  }
  iree_vm_decode_deinitialize(&decode);
  return status;
}

iree_status_t iree_vm_bytecode_find_source_offset(
    const iree_vm_bytecode_module_t* module, uint32_t ordinal, uint32_t unit,
    iree_allocator_t allocator, uint32_t* out_offset) {
  *out_offset = 0;
  iree_vm_decode_t decode;
  iree_status_t status =
      iree_vm_decode_initialize(module, ordinal, NULL, allocator, &decode);
  if (iree_status_is_ok(status)) {
    decode.wanted_unit = unit;
    status = iree_vm_decode_body(&decode);
    *out_offset = decode.pc;
  }
  iree_vm_decode_deinitialize(&decode);
  return status;
}
