// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the bodies of instructions on globals that are values and on buffers; a
// part of the function in interpreter.c.

#define GLOBAL_OPS(T, access, set)                                       \
  op_GlobalLoad##T : {                                                   \
    set(4, iree_vm_load_##access(state->global_bytes + U32(2)));         \
    NEXT(5);                                                             \
  }                                                                      \
  op_GlobalStore##T : {                                                  \
    iree_vm_store_##access(state->global_bytes + U32(2), T(4));          \
    NEXT(5);                                                             \
  }                                                                      \
  op_GlobalLoadIndirect##T : {                                           \
    const uint32_t offset = (uint32_t)I32(2);                            \
    if (IREE_UNLIKELY((uint64_t)offset + sizeof(T(3)) >                  \
                      state->global_bytes_capacity)) {                   \
      FAIL(iree_vm_bytecode_global_error(offset,                         \
                                         state->global_bytes_capacity)); \
    }                                                                    \
    set(3, iree_vm_load_##access(state->global_bytes + offset));         \
    NEXT(4);                                                             \
  }                                                                      \
  op_GlobalStoreIndirect##T : {                                          \
    const uint32_t offset = (uint32_t)I32(2);                            \
    if (IREE_UNLIKELY((uint64_t)offset + sizeof(T(3)) >                  \
                      state->global_bytes_capacity)) {                   \
      FAIL(iree_vm_bytecode_global_error(offset,                         \
                                         state->global_bytes_capacity)); \
    }                                                                    \
    iree_vm_store_##access(state->global_bytes + offset, T(3));          \
    NEXT(4);                                                             \
  }
GLOBAL_OPS(I32, i32, SET_I32)
GLOBAL_OPS(I64, i64, SET_I64)
GLOBAL_OPS(F32, f32, SET_F32)
GLOBAL_OPS(F64, f64, SET_F64)
#undef GLOBAL_OPS

// Offsets count elements.
#define BUFFER_LOAD(symbol, size, set, load)                               \
  op_##symbol : {                                                          \
    const iree_vm_buffer_t* buffer =                                       \
        iree_vm_bytecode_buffer(REF(2), buffer_type);                      \
    const uint64_t offset = (uint64_t)I64(3);                              \
    if (IREE_UNLIKELY(!buffer ||                                           \
                      offset >= buffer->data.data_length / (size))) {      \
      FAIL(iree_vm_bytecode_buffer_error(REF(2), offset, 1, size, false)); \
    }                                                                      \
    const uint8_t* source = buffer->data.data + offset * (size);           \
    set(4, (load));                                                        \
    NEXT(5);                                                               \
  }
BUFFER_LOAD(BufferLoadI8U, 1, SET_I32, *source)
BUFFER_LOAD(BufferLoadI8S, 1, SET_I32, iree_vm_ext_i8i32s(*source))
BUFFER_LOAD(BufferLoadI16U, 2, SET_I32, iree_load_u16(source))
BUFFER_LOAD(BufferLoadI16S, 2, SET_I32, iree_vm_load_i16(source))
BUFFER_LOAD(BufferLoadI32, 4, SET_I32, iree_vm_load_i32(source))
BUFFER_LOAD(BufferLoadI64, 8, SET_I64, iree_vm_load_i64(source))
BUFFER_LOAD(BufferLoadF32, 4, SET_F32, iree_vm_load_f32(source))
BUFFER_LOAD(BufferLoadF64, 8, SET_F64, iree_vm_load_f64(source))
#undef BUFFER_LOAD

// Registers hold values little-endian, low bytes first.
#define BUFFER_STORE(symbol, size)                                          \
  op_##symbol : {                                                           \
    const iree_vm_buffer_t* buffer =                                        \
        iree_vm_bytecode_buffer(REF(2), buffer_type);                       \
    const uint64_t offset = (uint64_t)I64(3);                               \
    if (IREE_UNLIKELY(!buffer ||                                            \
                      !(buffer->access & IREE_VM_BUFFER_ACCESS_MUTABLE) ||  \
                      offset >= buffer->data.data_length / (size))) {       \
      FAIL(iree_vm_bytecode_buffer_error(REF(2), offset, 1, size, true));   \
    }                                                                       \
    memcpy(buffer->data.data + offset * (size), &registers[ip[4]], (size)); \
    NEXT(5);                                                                \
  }
BUFFER_STORE(BufferStoreI8, 1)
BUFFER_STORE(BufferStoreI16, 2)
BUFFER_STORE(BufferStoreI32, 4)
BUFFER_STORE(BufferStoreI64, 8)
BUFFER_STORE(BufferStoreF32, 4)
BUFFER_STORE(BufferStoreF64, 8)
#undef BUFFER_STORE

#define BUFFER_FILL(symbol, size, value)                                    \
  op_##symbol : {                                                           \
    FAIL_IF_ERROR(iree_vm_bytecode_buffer_fill(                             \
        REF(2), (uint64_t)I64(3), (uint64_t)I64(4), size, (value), &fuel)); \
    NEXT(6);                                                                \
  }
BUFFER_FILL(BufferFillI8, 1, (uint32_t)I32(5))
BUFFER_FILL(BufferFillI16, 2, (uint32_t)I32(5))
BUFFER_FILL(BufferFillI32, 4, (uint32_t)I32(5))
BUFFER_FILL(BufferFillI64, 8, (uint64_t)I64(5))
BUFFER_FILL(BufferFillF32, 4, (uint32_t)I32(5))
BUFFER_FILL(BufferFillF64, 8, (uint64_t)I64(5))
#undef BUFFER_FILL

op_BufferAlloc : {
  const uint64_t length = (uint64_t)I64(2);
  FAIL_IF_ERROR(iree_vm_bytecode_buffer_alloc(
      length, (uint32_t)I32(3), stack->program_allocator, REF(4)));
  fuel -= (int64_t)(length >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2);
  NEXT(5);
}

op_BufferClone : {
  const uint64_t length = (uint64_t)I64(4);
  FAIL_IF_ERROR(iree_vm_bytecode_buffer_clone(
      REF(2), (uint64_t)I64(3), length, (uint32_t)I32(5),
      stack->program_allocator, REF(6)));
  fuel -= (int64_t)(length >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2);
  NEXT(7);
}

op_BufferLength : {
  iree_vm_buffer_t* buffer = NULL;
  FAIL_IF_ERROR(iree_vm_buffer_check_deref(*REF(2), &buffer));
  SET_I64(3, (int64_t)buffer->data.data_length);
  NEXT(4);
}

op_BufferCopy : {
  iree_vm_buffer_t* source = NULL;
  iree_vm_buffer_t* target = NULL;
  FAIL_IF_ERROR(iree_vm_buffer_check_deref(*REF(2), &source));
  FAIL_IF_ERROR(iree_vm_buffer_check_deref(*REF(4), &target));
  const uint64_t length = (uint64_t)I64(6);
  FAIL_IF_ERROR(iree_vm_buffer_copy_bytes(source, (uint64_t)I64(3), target,
                                          (uint64_t)I64(5), length));
  fuel -= (int64_t)(length >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2);
  NEXT(7);
}

op_BufferCompare : {
  iree_vm_buffer_t* lhs = NULL;
  iree_vm_buffer_t* rhs = NULL;
  FAIL_IF_ERROR(iree_vm_buffer_check_deref(*REF(2), &lhs));
  FAIL_IF_ERROR(iree_vm_buffer_check_deref(*REF(4), &rhs));
  const uint64_t length = (uint64_t)I64(6);
  bool is_equal = false;
  FAIL_IF_ERROR(iree_vm_buffer_compare_bytes(
      lhs, (uint64_t)I64(3), rhs, (uint64_t)I64(5), length, &is_equal));
  SET_I32(7, is_equal ? 1 : 0);
  fuel -= (int64_t)(length >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2);
  NEXT(8);
}

op_BufferHash : {
  iree_vm_buffer_t* buffer = NULL;
  FAIL_IF_ERROR(iree_vm_buffer_check_deref(*REF(2), &buffer));
  const uint64_t length = (uint64_t)I64(4);
  int64_t hash = 0;
  FAIL_IF_ERROR(iree_vm_buffer_hash(buffer, (uint64_t)I64(3), length, &hash));
  SET_I64(5, hash);
  fuel -= (int64_t)(length >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2);
  NEXT(6);
}
