// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the bodies of branches, calls, returns and failures; a part of the
// function in interpreter.c.

op_Jump : JUMP(U32(2));

op_Branch : BRANCH(ip + 2);

op_CondJump : {
  // Two branches without pairs, of 4 units each, behind the distance.
  JUMP(I32(2) ? U32(5) : U32(9));
}

op_CondBranch : COND_BRANCH(I32(2), ip + 3);

#define COMPARE_BRANCH(symbol, load, result_unit, expr) \
  op_##symbol : {                                       \
    int32_t condition = (expr) ? 1 : 0;                 \
    SET_I32(result_unit, condition);                    \
    COND_BRANCH(condition, ip + (result_unit) + 1);     \
  }
COMPARE_BRANCH(BranchEQI32, I32, 4, I32(2) == I32(3))
COMPARE_BRANCH(BranchNEI32, I32, 4, I32(2) != I32(3))
COMPARE_BRANCH(BranchLTI32S, I32, 4, I32(2) < I32(3))
COMPARE_BRANCH(BranchLTI32U, I32, 4, (uint32_t)I32(2) < (uint32_t)I32(3))
COMPARE_BRANCH(BranchNZI32, I32, 3, I32(2) != 0)
COMPARE_BRANCH(BranchEQI64, I64, 4, I64(2) == I64(3))
COMPARE_BRANCH(BranchNEI64, I64, 4, I64(2) != I64(3))
COMPARE_BRANCH(BranchLTI64S, I64, 4, I64(2) < I64(3))
COMPARE_BRANCH(BranchLTI64U, I64, 4, (uint64_t)I64(2) < (uint64_t)I64(3))
COMPARE_BRANCH(BranchNZI64, I64, 3, I64(2) != 0)
COMPARE_BRANCH(BranchNZRef, REF, 3, REF(2)->ptr != NULL)
#undef COMPARE_BRANCH

op_BranchTable : {
  uint32_t index = (uint32_t)I32(2);
  const uint16_t* table = ip + 4;
  uint32_t entry = index < ip[3] ? index + 1 : 0;
  BRANCH(table + iree_vm_load_u32(table + (size_t)entry * 2));
}

// Calls run to their end where they are made, so yielding is a chance for the
// application to interrupt and nothing more.
op_Yield : stack->fuel = fuel;
FAIL_IF_ERROR(iree_cy_vm_stack_poll(stack));
BRANCH(ip + 2);

op_CallInternal : {
  frame->pc = ip - code->units;
  iree_vm_stack_frame_t* callee = NULL;
  FAIL_IF_ERROR(iree_vm_bytecode_enter(
      module, stack, U32(2), (iree_vm_module_state_t*)state, &fuel, &callee));
  const iree_vm_bytecode_code_t* callee_code =
      iree_vm_bytecode_frame(callee)->code;
  int32_t* callee_registers = iree_vm_bytecode_frame_registers(callee);
  iree_vm_ref_t* callee_refs = iree_vm_bytecode_frame_refs(callee, callee_code);
  iree_vm_bytecode_pass_arguments(ip + 7, U32(4), registers, refs,
                                  callee_registers, callee_refs);
  frame = callee;
  code = callee_code;
  registers = callee_registers;
  refs = callee_refs;
  JUMP(code->entry);
}

op_Return : {
  if (frame->parent == base) {
    iree_vm_bytecode_pack_results(ip + 3, ip[2], registers, refs,
                                  call->results.data);
    stack->fuel = fuel;
    iree_vm_stack_function_leave(stack);
    return iree_ok_status();
  }
  iree_vm_stack_frame_t* caller = frame->parent;
  const iree_vm_bytecode_code_t* caller_code =
      iree_vm_bytecode_frame(caller)->code;
  int32_t* caller_registers = iree_vm_bytecode_frame_registers(caller);
  iree_vm_ref_t* caller_refs = iree_vm_bytecode_frame_refs(caller, caller_code);
  const uint16_t* call_ip = caller_code->units + caller->pc;
  const uint16_t* targets =
      call_ip + 7 + (size_t)iree_vm_load_u32(call_ip + 4) * 3;
  iree_vm_bytecode_pass_results(ip + 3, ip[2], registers, refs, targets,
                                caller_registers, caller_refs);
  iree_vm_stack_function_leave(stack);
  frame = caller;
  code = caller_code;
  registers = caller_registers;
  refs = caller_refs;
  ip = targets + (size_t)call_ip[6] * 2;
  DISPATCH();
}

op_CallImport : {
  const iree_vm_bytecode_import_t* import = &state->imports[U32(2)];
  if (IREE_UNLIKELY(!import->function.module)) {
    FAIL(iree_vm_bytecode_import_error(module, U32(2)));
  }
  const uint32_t argument_bytes = U32(4);
  const uint32_t result_bytes = U32(6);
  const uint32_t argument_count = U32(8);
  const uint32_t result_count = ip[10];
  const uint16_t* arguments = ip + 11;
  const uint16_t* results = arguments + (size_t)argument_count * 2;
  uint8_t* storage = iree_vm_bytecode_frame_call_storage(frame, code);
  iree_vm_bytecode_pack_import_arguments(arguments, argument_count, registers,
                                         refs, storage);
  const iree_vm_function_call_t import_call = {
      .function = import->function,
      .module_state = import->target_state,
      .arguments = iree_make_byte_span(storage, argument_bytes),
      .results = iree_make_byte_span(
          storage + iree_host_align(argument_bytes, 16), result_bytes),
  };
  memset(import_call.results.data, 0, result_bytes);
  frame->pc = ip - code->units;
  stack->fuel = fuel;
  iree_vm_module_t* target = import->function.module;
  status = target->begin_call(target->self, stack, import_call);
  fuel = stack->fuel;
  // References that were given up were lent like the others.
  for (uint32_t i = 0; i < argument_count; ++i) {
    if (arguments[i * 2] == IREE_VM_CODE_VALUE_REF_MOVE) {
      iree_vm_ref_release(&refs[arguments[i * 2 + 1]]);
    }
  }
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    iree_vm_bytecode_release_import_results(results, result_count,
                                            import_call.results.data);
    goto failed;
  }
  iree_vm_bytecode_unpack_import_results(
      results, result_count, import_call.results.data, registers, refs);
  ip = results + (size_t)result_count * 2;
  DISPATCH();
}

op_ImportResolved : SET_I32(4, state->imports[U32(2)].function.module ? 1 : 0);
NEXT(5);

op_Fail
    : FAIL(iree_vm_bytecode_program_error(
          I32(2),
          iree_make_string_view((const char*)code->bytecode + U32(3), U32(5))));

op_Print
    : iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("vm.print"),
                  iree_make_string_view((const char*)code->bytecode + U32(2),
                                        U32(4)));
goto op_Trace;

op_Trace : {
  const uint32_t count = ip[6];
  for (uint32_t i = 0; i < count; ++i) {
    if (IS_MOVE(7 + i)) iree_vm_ref_release(REF(7 + i));
  }
  NEXT(7 + count);
}
