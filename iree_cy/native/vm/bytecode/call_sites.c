// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements finding calls: a pass over verified code that follows the
// constants in its reference registers. Nothing is checked here.

#include "iree_cy/native/vm/bytecode/call_sites.h"

#include "iree_cy/native/vm/bytecode/opcodes.h"

#define UNKNOWN IREE_VM_BYTECODE_REFERENCE_UNKNOWN

enum {
  // Above, only what happens within a block is followed.
  MAX_STATE_SIZE = 1 << 22,
  // States settle in a few passes over the blocks; those that take more are
  // taken as unknown.
  MAX_PASS_COUNT = 16,
};

// A list of registers in the code.
typedef struct scan_list_t {
  const uint8_t* data;
  uint32_t count;
} scan_list_t;

typedef struct scan_t {
  const iree_vm_bytecode_module_def_t* def;
  const iree_vm_bytecode_function_def_t* function;
  iree_vm_bytecode_call_fn_t fn;  // NULL until states have settled.
  void* user_data;
  const uint8_t* data;
  uint32_t pc;
  uint32_t ref_count;
  // Offsets of the blocks, rising.
  uint32_t* blocks;
  uint32_t block_count;
  // References on entry of each block, or NULL; and whether it is come to.
  uint32_t* entries;
  uint8_t* reached;
  bool has_changed;
  // Now, and room for those of a branch.
  uint32_t* references;
  uint32_t* branch_references;
  // The references of a call.
  uint32_t* arguments;
  // Of the instruction: its constant or callee, its references and the block
  // that a call goes on with, its lists.
  uint32_t ordinal;
  uint32_t fields[4];
  uint32_t field_count;
  scan_list_t lists[3];
  uint32_t list_count;
} scan_t;

static uint16_t scan_u16(scan_t* scan) {
  scan->pc += sizeof(uint16_t);
  return iree_load_u16(scan->data + scan->pc - sizeof(uint16_t));
}
static uint32_t scan_u32(scan_t* scan) {
  scan->pc += sizeof(uint32_t);
  return iree_load_u32(scan->data + scan->pc - sizeof(uint32_t));
}
static uint16_t scan_list_at(const scan_list_t* list, uint32_t i) {
  return iree_load_u16(list->data + (size_t)i * sizeof(uint16_t));
}
static scan_list_t scan_list(scan_t* scan, uint32_t registers_each) {
  scan->pc += scan->pc & 1;
  scan_list_t list = {NULL, scan_u16(scan) * registers_each};
  list.data = scan->data + scan->pc;
  scan->pc += list.count * (uint32_t)sizeof(uint16_t);
  return list;
}

static bool scan_is_ref(uint16_t reg) { return reg & IREE_VM_BYTECODE_REF_BIT; }
static uint32_t* scan_ref(uint32_t* references, uint16_t reg) {
  return &references[reg & IREE_VM_BYTECODE_REF_MASK];
}
// What was read, and is gone if it was moved.
static void scan_use(scan_t* scan, uint16_t reg) {
  if (scan_is_ref(reg) && (reg & IREE_VM_BYTECODE_MOVE_BIT)) {
    *scan_ref(scan->references, reg) = UNKNOWN;
  }
}

//===-- blocks --------------------------------------------------------------===

// Joins |references| with those that the block at |target| is entered with.
static void scan_join(scan_t* scan, uint32_t target,
                      const uint32_t* references) {
  if (!scan->entries) return;
  uint32_t low = 0;
  for (uint32_t high = scan->block_count; high - low > 1;) {
    const uint32_t middle = low + (high - low) / 2;
    if (scan->blocks[middle] <= target) {
      low = middle;
    } else {
      high = middle;
    }
  }
  uint32_t* entry = scan->entries + (size_t)low * scan->ref_count;
  if (!scan->reached[low]) {
    scan->reached[low] = 1;
    scan->has_changed = true;
    memcpy(entry, references, scan->ref_count * sizeof(*entry));
    return;
  }
  for (uint32_t i = 0; i < scan->ref_count; ++i) {
    if (entry[i] != references[i] && entry[i] != UNKNOWN) {
      entry[i] = UNKNOWN;
      scan->has_changed = true;
    }
  }
}

static void scan_branch(scan_t* scan) {
  const uint32_t target = scan_u32(scan);
  const scan_list_t pairs = scan_list(scan, 2);
  uint32_t* references = scan->branch_references;
  memcpy(references, scan->references, scan->ref_count * sizeof(*references));
  for (uint32_t i = 0; i < pairs.count; i += 2) {
    const uint16_t source = scan_list_at(&pairs, i);
    if (!scan_is_ref(source)) continue;
    *scan_ref(references, scan_list_at(&pairs, i + 1)) =
        *scan_ref(scan->references, source);
  }
  scan_join(scan, target, references);
}

//===-- instructions --------------------------------------------------------===

// Takes the fields of an instruction; branches are followed.
static void scan_fields(scan_t* scan, const char* encoding) {
  scan->field_count = 0;
  scan->list_count = 0;
  for (const char* letter = encoding; *letter; ++letter) {
    switch (*letter) {
      default: {
        const uint16_t reg = scan_u16(scan);
        if (scan_is_ref(reg)) scan->fields[scan->field_count++] = reg;
        break;
      }
      case 'C':
        scan->pc += 8;
        break;
      case 'c':
      case 'g':
      case 'G':
      case 'n':
      case 't':
      case 'T':
        scan->pc += 4;
        break;
      case 'o':
      case 'k':
        scan->ordinal = scan_u32(scan);
        break;
      case 'j':
        scan->fields[scan->field_count++] = scan_u32(scan);
        break;
      case 's':
        scan->pc += scan_u16(scan);
        break;
      case 'b':
        scan_branch(scan);
        break;
      case 'B':
        for (uint32_t i = scan_u16(scan); i > 0; --i) scan_branch(scan);
        break;
      case '*':
        ++letter;
        scan->lists[scan->list_count++] = scan_list(scan, 1);
        break;
      case 'v':
        scan_list(scan, 1);
        break;
    }
  }
}

static iree_status_t scan_call(scan_t* scan) {
  const scan_list_t* arguments = &scan->lists[0];
  const scan_list_t* results = &scan->lists[1];
  iree_status_t status = iree_ok_status();
  if (scan->fn && (scan->ordinal & IREE_VM_BYTECODE_IMPORT_BIT)) {
    iree_vm_bytecode_call_t call = {
        .import =
            &scan->def->imports[scan->ordinal & ~IREE_VM_BYTECODE_IMPORT_BIT],
        .references = scan->arguments,
    };
    for (uint32_t i = 0; i < arguments->count; ++i) {
      const uint16_t reg = scan_list_at(arguments, i);
      if (!scan_is_ref(reg)) continue;
      scan->arguments[call.reference_count++] =
          *scan_ref(scan->references, reg);
    }
    status = scan->fn(scan->user_data, &call);
  }
  for (uint32_t i = 0; i < arguments->count; ++i) {
    scan_use(scan, scan_list_at(arguments, i));
  }
  for (uint32_t i = 0; i < results->count; ++i) {
    const uint16_t reg = scan_list_at(results, i);
    if (scan_is_ref(reg)) *scan_ref(scan->references, reg) = UNKNOWN;
  }
  return status;
}

// What an instruction does to the references.
static iree_status_t scan_op(scan_t* scan, iree_vm_op_t op,
                             const char* encoding) {
  switch (op) {
    case IREE_VM_OP_Call:
    case IREE_VM_OP_CallVariadic:
      return scan_call(scan);
    case IREE_VM_OP_CallYieldable:
    case IREE_VM_OP_CallVariadicYieldable: {
      iree_status_t status = scan_call(scan);
      scan_join(scan, scan->fields[0], scan->references);
      return status;
    }
    case IREE_VM_OP_ConstRefRodata:
      *scan_ref(scan->references, (uint16_t)scan->fields[0]) = scan->ordinal;
      return iree_ok_status();
    case IREE_VM_OP_ConstRefZero:
      *scan_ref(scan->references, (uint16_t)scan->fields[0]) =
          IREE_VM_BYTECODE_REFERENCE_NULL;
      return iree_ok_status();
    case IREE_VM_OP_AssignRef: {
      const uint32_t value =
          *scan_ref(scan->references, (uint16_t)scan->fields[0]);
      scan_use(scan, (uint16_t)scan->fields[0]);
      *scan_ref(scan->references, (uint16_t)scan->fields[1]) = value;
      return iree_ok_status();
    }
    default:
      break;
  }
  // What is moved is gone, and what is written, the last field, is unknown.
  for (uint32_t i = 0; i < scan->field_count; ++i) {
    scan_use(scan, (uint16_t)scan->fields[i]);
  }
  if (strchr(encoding, 'R')) {
    *scan_ref(scan->references, (uint16_t)scan->fields[scan->field_count - 1]) =
        UNKNOWN;
  }
  for (uint32_t i = 0; i < scan->list_count; ++i) {
    for (uint32_t j = 0; j < scan->lists[i].count; ++j) {
      scan_use(scan, scan_list_at(&scan->lists[i], j));
    }
  }
  return iree_ok_status();
}

static iree_vm_op_t scan_opcode(scan_t* scan) {
  const uint8_t opcode = scan->data[scan->pc++];
  if (opcode == IREE_VM_OPCODE_PREFIX_F32) {
    return iree_vm_op_f32(scan->data[scan->pc++]);
  }
  if (opcode == IREE_VM_OPCODE_PREFIX_F64) {
    return iree_vm_op_f64(scan->data[scan->pc++]);
  }
  return iree_vm_op_core(opcode);
}

// Goes once over the blocks that are come to, and clears |has_changed| first.
static iree_status_t scan_pass(scan_t* scan) {
  scan->has_changed = false;
  for (uint32_t i = 0; i < scan->block_count; ++i) {
    if (scan->entries) {
      if (!scan->reached[i]) continue;
      memcpy(scan->references, scan->entries + (size_t)i * scan->ref_count,
             scan->ref_count * sizeof(*scan->references));
    } else {
      memset(scan->references, 0xFF,
             scan->ref_count * sizeof(*scan->references));
    }
    const uint32_t end = i + 1 < scan->block_count
                             ? scan->blocks[i + 1]
                             : scan->function->bytecode_length;
    scan->pc = scan->blocks[i];
    while (scan->pc < end) {
      const iree_vm_op_t op = scan_opcode(scan);
      const char* encoding = iree_vm_op_infos[op].encoding;
      scan_fields(scan, encoding);
      IREE_RETURN_IF_ERROR(scan_op(scan, op, encoding));
    }
  }
  return iree_ok_status();
}

//===-- functions -----------------------------------------------------------===

static void scan_find_blocks(scan_t* scan) {
  uint32_t count = 0;
  scan->pc = 0;
  while (scan->pc < scan->function->bytecode_length) {
    const uint32_t pc = scan->pc;
    const iree_vm_op_t op = scan_opcode(scan);
    if (op == IREE_VM_OP_Block) scan->blocks[count++] = pc;
    scan_fields(scan, iree_vm_op_infos[op].encoding);
  }
  scan->block_count = count;
}

static iree_status_t scan_run(scan_t* scan, iree_vm_bytecode_call_fn_t fn) {
  uint32_t* const entries = scan->entries;
  scan->entries = NULL;
  scan_find_blocks(scan);
  scan->entries = entries;
  if (!scan->block_count) return iree_ok_status();
  if (entries) {
    // The arguments are not known, and the other registers hold nothing.
    scan->reached[0] = 1;
    memset(entries, 0xFF, scan->ref_count * sizeof(*entries));
    uint32_t pass = 0;
    do {
      IREE_RETURN_IF_ERROR(scan_pass(scan));
    } while (scan->has_changed && ++pass < MAX_PASS_COUNT);
    if (scan->has_changed) scan->entries = NULL;
  }
  scan->fn = fn;
  return scan_pass(scan);
}

static iree_status_t scan_function(
    const iree_vm_bytecode_module_def_t* def,
    const iree_vm_bytecode_function_def_t* function, iree_allocator_t allocator,
    iree_vm_bytecode_call_fn_t fn, void* user_data) {
  const size_t block_count = function->block_count;
  const size_t ref_count = function->ref_register_count;
  const bool has_entries = block_count * ref_count <= MAX_STATE_SIZE;
  // A list of a call has up to 65535 registers.
  const size_t word_count = block_count + 2 * ref_count + UINT16_MAX +
                            (has_entries ? block_count * ref_count : 0);
  uint32_t* storage = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      allocator, word_count * sizeof(uint32_t) + block_count,
      (void**)&storage));
  scan_t scan = {
      .def = def,
      .function = function,
      .user_data = user_data,
      .data = function->bytecode,
      .ref_count = (uint32_t)ref_count,
      .blocks = storage,
      .references = storage + block_count,
      .branch_references = storage + block_count + ref_count,
      .arguments = storage + block_count + 2 * ref_count,
      .entries = has_entries
                     ? storage + block_count + 2 * ref_count + UINT16_MAX
                     : NULL,
      .reached = (uint8_t*)(storage + word_count),
  };
  memset(scan.reached, 0, block_count);
  memset(scan.references, 0xFF, ref_count * sizeof(*scan.references));
  iree_status_t status = scan_run(&scan, fn);
  iree_allocator_free(allocator, storage);
  return status;
}

iree_status_t iree_vm_bytecode_visit_calls(iree_vm_module_t* base_module,
                                           iree_vm_bytecode_call_fn_t fn,
                                           void* user_data) {
  const iree_vm_bytecode_module_t* module = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_module_of(base_module, &module));
  for (iree_host_size_t i = 0; i < module->def.function_count; ++i) {
    IREE_RETURN_IF_ERROR(scan_function(&module->def, &module->def.functions[i],
                                       module->allocator, fn, user_data));
  }
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_module_constant(
    iree_vm_module_t* base_module, iree_host_size_t ordinal,
    iree_const_byte_span_t* out_contents) {
  *out_contents = iree_const_byte_span_empty();
  const iree_vm_bytecode_module_t* module = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_module_of(base_module, &module));
  if (ordinal >= module->def.rodata_count) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "module '%.*s' has %" PRIhsz " constants; %" PRIhsz " is asked for",
        IREE_SV_ARG(module->def.name), module->def.rodata_count, ordinal);
  }
  *out_contents = module->def.rodata[ordinal];
  return iree_ok_status();
}
