// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements execution of bytecode: frames, calls and the dispatch of
// instructions, whose bodies lie by family in interpreter_*.inl.

#include "iree_cy/native/vm/bytecode/interpreter.h"

#include "iree_cy/native/vm/bytecode/arithmetic.h"
#include "iree_cy/native/vm/bytecode/decoder.h"
#include "iree_cy/native/vm/bytecode/interpreter_util.h"
#include "iree_cy/native/vm/stack_impl.h"

// The start of a frame's storage; the registers follow.
typedef struct iree_vm_bytecode_frame_t {
  const iree_vm_bytecode_code_t* code;
  uintptr_t reserved;
} iree_vm_bytecode_frame_t;
_Static_assert(sizeof(iree_vm_bytecode_frame_t) % 16 == 0,
               "references and values of calls are aligned");

static inline iree_vm_bytecode_frame_t* iree_vm_bytecode_frame(
    iree_vm_stack_frame_t* frame) {
  return (iree_vm_bytecode_frame_t*)iree_vm_stack_frame_storage(frame);
}
static inline int32_t* iree_vm_bytecode_frame_registers(
    iree_vm_stack_frame_t* frame) {
  return (int32_t*)(iree_vm_bytecode_frame(frame) + 1);
}
static inline iree_vm_ref_t* iree_vm_bytecode_frame_refs(
    iree_vm_stack_frame_t* frame, const iree_vm_bytecode_code_t* code) {
  return (iree_vm_ref_t*)((uint8_t*)iree_vm_bytecode_frame_registers(frame) +
                          code->refs_offset);
}
static inline uint8_t* iree_vm_bytecode_frame_call_storage(
    iree_vm_stack_frame_t* frame, const iree_vm_bytecode_code_t* code) {
  return (uint8_t*)iree_vm_bytecode_frame_registers(frame) + code->call_offset;
}

// Programs release their references themselves when all goes well, but nothing
// proves that they do.
static void iree_vm_bytecode_frame_cleanup(iree_vm_stack_frame_t* frame) {
  const iree_vm_bytecode_code_t* code = iree_vm_bytecode_frame(frame)->code;
  iree_vm_ref_t* refs = iree_vm_bytecode_frame_refs(frame, code);
  for (uint32_t i = 0; i < code->ref_register_count; ++i) {
    if (refs[i].ptr) iree_vm_ref_release(&refs[i]);
  }
}

static iree_status_t iree_vm_bytecode_execute(
    iree_vm_bytecode_module_t* module, iree_vm_stack_t* stack,
    const iree_vm_stack_frame_t* base, const iree_vm_function_call_t* call,
    const int32_t** out_handlers);

// Decodes function |ordinal|, unless another thread was faster.
static __attribute__((noinline)) iree_status_t iree_vm_bytecode_decode_once(
    iree_vm_bytecode_module_t* module, uint32_t ordinal,
    const iree_vm_bytecode_code_t** out_code) {
  *out_code = NULL;
  const int32_t* handlers = NULL;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_execute(NULL, NULL, NULL, NULL, &handlers));
  iree_vm_bytecode_code_t* code = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_decode(module, ordinal, handlers,
                                               module->allocator, &code));
  iree_vm_bytecode_code_t* expected = NULL;
  if (!__atomic_compare_exchange_n(&module->codes[ordinal], &expected, code,
                                   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    iree_allocator_free(module->allocator, code);
    code = expected;
  }
  *out_code = code;
  return iree_ok_status();
}

// Enters a frame for function |ordinal|, its registers 0 and null. |*fuel| pays
// for clearing large ones.
static inline iree_status_t iree_vm_bytecode_enter(
    iree_vm_bytecode_module_t* module, iree_vm_stack_t* stack, uint32_t ordinal,
    iree_vm_module_state_t* state, int64_t* fuel,
    iree_vm_stack_frame_t** out_frame) {
  *out_frame = NULL;
  const iree_vm_bytecode_code_t* code =
      __atomic_load_n(&module->codes[ordinal], __ATOMIC_ACQUIRE);
  if (IREE_UNLIKELY(!code)) {
    IREE_RETURN_IF_ERROR(iree_vm_bytecode_decode_once(module, ordinal, &code));
  }
  const iree_vm_function_t function = {
      .module = &module->interface,
      .linkage = IREE_VM_FUNCTION_LINKAGE_INTERNAL,
      .ordinal = ordinal,
  };
  IREE_RETURN_IF_ERROR(iree_vm_stack_function_enter(
      stack, &function, state,
      sizeof(iree_vm_bytecode_frame_t) + code->frame_size,
      iree_vm_bytecode_frame_cleanup, out_frame));
  iree_vm_bytecode_frame(*out_frame)->code = code;
  memset(iree_vm_bytecode_frame_registers(*out_frame), 0, code->call_offset);
  *fuel -= code->call_offset >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2;
  return iree_ok_status();
}

// Copies the arguments of a call from outside into the registers.
static void iree_vm_bytecode_unpack_arguments(iree_string_view_t letters,
                                              iree_byte_span_t arguments,
                                              int32_t* registers,
                                              iree_vm_ref_t* refs) {
  const uint8_t* cursor = arguments.data;
  for (iree_host_size_t i = 0; i < letters.size; ++i) {
    switch (letters.data[i]) {
      case 'r': {
        iree_vm_ref_t ref = iree_cy_vm_read_ref(&cursor);
        iree_vm_ref_retain(&ref, refs++);
        break;
      }
      case 'I':
      case 'F':
        registers = (int32_t*)iree_host_align((uintptr_t)registers, 8);
        iree_vm_store_i64(registers, iree_cy_vm_read_i64(&cursor));
        registers += 2;
        break;
      default:
        *registers++ = iree_cy_vm_read_i32(&cursor);
        break;
    }
  }
}

static iree_host_size_t iree_vm_bytecode_fragment_size(
    iree_string_view_t letters) {
  iree_host_size_t size = 0;
  for (iree_host_size_t i = 0; i < letters.size; ++i) {
    size += letters.data[i] == 'r' ? sizeof(iree_vm_ref_t)
            : letters.data[i] == 'I' || letters.data[i] == 'F'
                ? sizeof(int64_t)
                : sizeof(int32_t);
  }
  return size;
}

// Copies the values of a Return at |values| (value and register each) to
// |cursor|, where there is room for them.
static void iree_vm_bytecode_pack_results(const uint16_t* values,
                                          uint32_t count,
                                          const int32_t* registers,
                                          iree_vm_ref_t* refs,
                                          uint8_t* cursor) {
  for (uint32_t i = 0; i < count; ++i, values += 2) {
    uint16_t reg = values[1];
    switch (values[0]) {
      case IREE_VM_CODE_VALUE_32:
        iree_cy_vm_write_i32(&cursor, registers[reg]);
        break;
      case IREE_VM_CODE_VALUE_64:
        iree_cy_vm_write_i64(&cursor, iree_vm_load_i64(&registers[reg]));
        break;
      default: {
        iree_vm_ref_t ref = iree_vm_ref_null();
        iree_vm_ref_retain_or_move(values[0] == IREE_VM_CODE_VALUE_REF_MOVE,
                                   &refs[reg], &ref);
        iree_cy_vm_write_ref(&cursor, ref);
        break;
      }
    }
  }
}

// Copies the arguments of a call of an import; references are lent.
static void iree_vm_bytecode_pack_import_arguments(const uint16_t* values,
                                                   uint32_t count,
                                                   const int32_t* registers,
                                                   const iree_vm_ref_t* refs,
                                                   uint8_t* cursor) {
  for (uint32_t i = 0; i < count; ++i, values += 2) {
    uint16_t reg = values[1];
    switch (values[0]) {
      case IREE_VM_CODE_VALUE_32:
        iree_cy_vm_write_i32(&cursor, registers[reg]);
        break;
      case IREE_VM_CODE_VALUE_64:
        iree_cy_vm_write_i64(&cursor, iree_vm_load_i64(&registers[reg]));
        break;
      case IREE_VM_CODE_VALUE_COUNT:
        iree_cy_vm_write_i32(&cursor, reg);
        break;
      default:
        iree_cy_vm_write_ref(&cursor, refs[reg]);
        break;
    }
  }
}

// Copies the results of an import to their registers, which then own them.
static void iree_vm_bytecode_unpack_import_results(const uint16_t* values,
                                                   uint32_t count,
                                                   const uint8_t* cursor,
                                                   int32_t* registers,
                                                   iree_vm_ref_t* refs) {
  for (uint32_t i = 0; i < count; ++i, values += 2) {
    uint16_t reg = values[1];
    switch (values[0]) {
      case IREE_VM_CODE_VALUE_32:
        registers[reg] = iree_cy_vm_read_i32(&cursor);
        break;
      case IREE_VM_CODE_VALUE_64:
        iree_vm_store_i64(&registers[reg], iree_cy_vm_read_i64(&cursor));
        break;
      default: {
        iree_vm_ref_t ref = iree_cy_vm_read_ref(&cursor);
        iree_vm_ref_move(&ref, &refs[reg]);
        break;
      }
    }
  }
}

static __attribute__((noinline)) void iree_vm_bytecode_release_import_results(
    const uint16_t* values, uint32_t count, const uint8_t* cursor) {
  for (uint32_t i = 0; i < count; ++i, values += 2) {
    switch (values[0]) {
      case IREE_VM_CODE_VALUE_32:
        cursor += sizeof(int32_t);
        break;
      case IREE_VM_CODE_VALUE_64:
        cursor += sizeof(int64_t);
        break;
      default: {
        iree_vm_ref_t ref = iree_cy_vm_read_ref(&cursor);
        iree_vm_ref_release(&ref);
        break;
      }
    }
  }
}

// Copies arguments into the registers of a callee in the same module.
static inline void iree_vm_bytecode_pass_arguments(const uint16_t* values,
                                                   uint32_t count,
                                                   const int32_t* registers,
                                                   iree_vm_ref_t* refs,
                                                   int32_t* callee_registers,
                                                   iree_vm_ref_t* callee_refs) {
  for (uint32_t i = 0; i < count; ++i, values += 3) {
    uint16_t source = values[1];
    uint16_t target = values[2];
    switch (values[0]) {
      case IREE_VM_CODE_VALUE_32:
        callee_registers[target] = registers[source];
        break;
      case IREE_VM_CODE_VALUE_64:
        iree_vm_store_i64(&callee_registers[target],
                          iree_vm_load_i64(&registers[source]));
        break;
      default:
        iree_vm_ref_retain_or_move(values[0] == IREE_VM_CODE_VALUE_REF_MOVE,
                                   &refs[source], &callee_refs[target]);
        break;
    }
  }
}

// Copies the values of a Return to the registers that its caller names.
static inline void iree_vm_bytecode_pass_results(
    const uint16_t* values, uint32_t count, const int32_t* registers,
    iree_vm_ref_t* refs, const uint16_t* targets, int32_t* caller_registers,
    iree_vm_ref_t* caller_refs) {
  for (uint32_t i = 0; i < count; ++i, values += 2, targets += 2) {
    uint16_t source = values[1];
    uint16_t target = targets[1];
    switch (values[0]) {
      case IREE_VM_CODE_VALUE_32:
        caller_registers[target] = registers[source];
        break;
      case IREE_VM_CODE_VALUE_64:
        iree_vm_store_i64(&caller_registers[target],
                          iree_vm_load_i64(&registers[source]));
        break;
      default:
        iree_vm_ref_retain_or_move(values[0] == IREE_VM_CODE_VALUE_REF_MOVE,
                                   &refs[source], &caller_refs[target]);
        break;
    }
  }
}

// Assigns the registers of a branch at |branch| (see decoder.h).
static inline void iree_vm_bytecode_assign(const uint16_t* branch,
                                           int32_t* registers,
                                           iree_vm_ref_t* refs) {
  const uint16_t* pair = branch + 4;
  for (uint32_t i = branch[2]; i > 0; --i, pair += 2) {
    registers[pair[1]] = registers[pair[0]];
  }
  for (uint32_t i = branch[3]; i > 0; --i, pair += 2) {
    iree_vm_ref_retain_or_move((pair[0] & IREE_VM_BYTECODE_MOVE_BIT) != 0,
                               &refs[pair[0] & IREE_VM_BYTECODE_REF_MASK],
                               &refs[pair[1]]);
  }
}

iree_status_t iree_vm_bytecode_interpret(iree_vm_bytecode_module_t* module,
                                         iree_vm_stack_t* stack,
                                         uint32_t ordinal,
                                         const iree_vm_function_call_t* call) {
  const iree_vm_bytecode_signature_t* signature =
      &module->def.functions[ordinal].signature;
  const iree_vm_stack_frame_t* base = stack->frame;
  iree_vm_stack_frame_t* frame = NULL;
  iree_status_t status = iree_ok_status();
  if (IREE_UNLIKELY(call->arguments.data_length !=
                        iree_vm_bytecode_fragment_size(signature->arguments) ||
                    call->results.data_length !=
                        iree_vm_bytecode_fragment_size(signature->results))) {
    status = iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the call has %" PRIhsz " bytes of arguments and %" PRIhsz
        " of results, which is not what '%.*s' takes",
        call->arguments.data_length, call->results.data_length,
        IREE_SV_ARG(signature->calling_convention));
  }
  if (iree_status_is_ok(status)) {
    status = iree_vm_bytecode_enter(module, stack, ordinal, call->module_state,
                                    &stack->fuel, &frame);
  }
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    return iree_cy_vm_function_annotate(status, call->function);
  }
  iree_vm_bytecode_unpack_arguments(
      signature->arguments, call->arguments,
      iree_vm_bytecode_frame_registers(frame),
      iree_vm_bytecode_frame_refs(frame, iree_vm_bytecode_frame(frame)->code));
  status = iree_vm_bytecode_execute(module, stack, base, call, NULL);
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    status = iree_vm_stack_annotate_backtrace(stack, base, status);
    while (stack->frame != base) iree_vm_stack_function_leave(stack);
  }
  return status;
}

// The distance of handlers from this one is what instructions hold.
#define HANDLER(symbol) \
  (int32_t)((const char*) && op_##symbol - (const char*) && op_first)
#define DISPATCH() goto*((const char*) && op_first + iree_vm_load_i32(ip))
#define NEXT(units) \
  do {              \
    ip += (units);  \
    DISPATCH();     \
  } while (0)
// Ends the invocation. |ip| is still at the instruction.
#define FAIL(expr)   \
  do {               \
    status = (expr); \
    goto failed;     \
  } while (0)
#define FAIL_IF_ERROR(expr)                                     \
  do {                                                          \
    status = (expr);                                            \
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) goto failed; \
  } while (0)
// Goes to a target. A block costs its number of instructions, when it begins.
#define JUMP(target)                          \
  do {                                        \
    ip = code->units + (target);              \
    fuel -= iree_vm_load_u32(ip - 2);         \
    if (IREE_UNLIKELY(fuel < 0)) goto refuel; \
    DISPATCH();                               \
  } while (0)
#define BRANCH(at)                                       \
  do {                                                   \
    const uint16_t* branch_ = (at);                      \
    if (branch_[2] | branch_[3]) {                       \
      iree_vm_bytecode_assign(branch_, registers, refs); \
    }                                                    \
    JUMP(iree_vm_load_u32(branch_));                     \
  } while (0)
// Branches on |condition|, with the distance of the second branch at |at|.
#define COND_BRANCH(condition, at)                                 \
  do {                                                             \
    const uint16_t* distance_ = (at);                              \
    BRANCH((condition) ? distance_ + 2                             \
                       : distance_ + iree_vm_load_u32(distance_)); \
  } while (0)

// Fields of the instruction at |ip|, by unit.
#define I32(unit) registers[ip[unit]]
#define I64(unit) iree_vm_load_i64(&registers[ip[unit]])
#define F32(unit) iree_vm_load_f32(&registers[ip[unit]])
#define F64(unit) iree_vm_load_f64(&registers[ip[unit]])
#define REF(unit) (&refs[ip[unit] & IREE_VM_BYTECODE_REF_MASK])
#define IS_MOVE(unit) ((ip[unit] & IREE_VM_BYTECODE_MOVE_BIT) != 0)
#define U32(unit) iree_vm_load_u32(&ip[unit])
#define SET_I32(unit, value) registers[ip[unit]] = (value)
#define SET_I64(unit, value) iree_vm_store_i64(&registers[ip[unit]], (value))
#define SET_F32(unit, value) iree_vm_store_f32(&registers[ip[unit]], (value))
#define SET_F64(unit, value) iree_vm_store_f64(&registers[ip[unit]], (value))

// Runs the current frame until it returns. Without a stack it gives the
// handlers instead.
static iree_status_t iree_vm_bytecode_execute(
    iree_vm_bytecode_module_t* module, iree_vm_stack_t* stack,
    const iree_vm_stack_frame_t* base, const iree_vm_function_call_t* call,
    const int32_t** out_handlers) {
  static const int32_t handlers[IREE_VM_CODE_OP_COUNT] = {
#define OP(set, opcode, symbol, mnemonic, encoding) \
  [IREE_VM_OP_##symbol] = HANDLER(symbol),
#include "iree_cy/native/vm/bytecode/opcodes.inl"
#undef OP
      [IREE_VM_CODE_OP_CallInternal] = HANDLER(CallInternal),
      [IREE_VM_CODE_OP_CallImport] = HANDLER(CallImport),
      [IREE_VM_CODE_OP_Jump] = HANDLER(Jump),
      [IREE_VM_CODE_OP_CondJump] = HANDLER(CondJump),
      [IREE_VM_CODE_OP_BranchEQI32] = HANDLER(BranchEQI32),
      [IREE_VM_CODE_OP_BranchNEI32] = HANDLER(BranchNEI32),
      [IREE_VM_CODE_OP_BranchLTI32S] = HANDLER(BranchLTI32S),
      [IREE_VM_CODE_OP_BranchLTI32U] = HANDLER(BranchLTI32U),
      [IREE_VM_CODE_OP_BranchNZI32] = HANDLER(BranchNZI32),
      [IREE_VM_CODE_OP_BranchEQI64] = HANDLER(BranchEQI64),
      [IREE_VM_CODE_OP_BranchNEI64] = HANDLER(BranchNEI64),
      [IREE_VM_CODE_OP_BranchLTI64S] = HANDLER(BranchLTI64S),
      [IREE_VM_CODE_OP_BranchLTI64U] = HANDLER(BranchLTI64U),
      [IREE_VM_CODE_OP_BranchNZI64] = HANDLER(BranchNZI64),
      [IREE_VM_CODE_OP_BranchNZRef] = HANDLER(BranchNZRef),
  };
  if (!stack) {
    *out_handlers = handlers;
    return iree_ok_status();
  }

  iree_status_t status = iree_ok_status();
  iree_vm_stack_frame_t* frame = stack->frame;
  iree_vm_bytecode_state_t* state =
      (iree_vm_bytecode_state_t*)frame->module_state;
  const iree_vm_bytecode_code_t* code = iree_vm_bytecode_frame(frame)->code;
  int32_t* registers = iree_vm_bytecode_frame_registers(frame);
  iree_vm_ref_t* refs = iree_vm_bytecode_frame_refs(frame, code);
  const iree_vm_ref_type_t buffer_type = iree_vm_buffer_type();
  int64_t fuel = stack->fuel;
  const uint16_t* ip = NULL;
  JUMP(code->entry);

refuel:
  stack->fuel = fuel;
  FAIL_IF_ERROR(iree_cy_vm_stack_refuel(stack));
  fuel = stack->fuel;
  DISPATCH();

failed:
  frame->pc = ip - code->units;
  stack->fuel = fuel;
  return status;

  // The first handler, for what the decoder puts nowhere.
op_first:
op_Block:
op_Call:
op_CallVariadic:
op_CallYieldable:
op_CallVariadicYieldable:
op_Break:
op_CondBreak:
  FAIL(iree_make_status(IREE_STATUS_INTERNAL, "an instruction without code"));

#include "iree_cy/native/vm/bytecode/interpreter_control.inl"
#include "iree_cy/native/vm/bytecode/interpreter_float.inl"
#include "iree_cy/native/vm/bytecode/interpreter_integer.inl"
#include "iree_cy/native/vm/bytecode/interpreter_memory.inl"
#include "iree_cy/native/vm/bytecode/interpreter_ref.inl"
}
