// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns calling conventions: reading them and the values laid out by them.

#include "iree_cy/vm/module.h"

// The bytes of a value of the type |letter|; 0 when it is no value's letter.
static iree_host_size_t iree_cy_vm_cconv_value_size(char letter) {
  switch (letter) {
    case IREE_VM_CCONV_TYPE_I32:
    case IREE_VM_CCONV_TYPE_F32:
      return 4;
    case IREE_VM_CCONV_TYPE_I64:
    case IREE_VM_CCONV_TYPE_F64:
      return 8;
    case IREE_VM_CCONV_TYPE_REF:
      return sizeof(iree_vm_ref_t);
    default:
      return 0;
  }
}

static iree_status_t iree_cy_vm_cconv_error(iree_string_view_t cconv) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "'%.*s' is no calling convention",
                          IREE_SV_ARG(cconv));
}

// One argument or result at the top level.
typedef struct iree_cy_vm_cconv_item_t {
  bool is_span;
  // The letters: one, or those between C and D.
  iree_string_view_t letters;
  // The bytes of one value or one group.
  iree_host_size_t size;
} iree_cy_vm_cconv_item_t;

// Takes the first item from |*fragment|. Returns false when it is malformed.
static bool iree_cy_vm_cconv_next(iree_string_view_t* fragment,
                                  iree_cy_vm_cconv_item_t* out_item) {
  out_item->is_span = fragment->data[0] == IREE_VM_CCONV_TYPE_SPAN_START;
  if (!out_item->is_span) {
    out_item->letters = iree_make_string_view(fragment->data, 1);
    out_item->size = iree_cy_vm_cconv_value_size(fragment->data[0]);
    *fragment = iree_string_view_remove_prefix(*fragment, 1);
    return out_item->size != 0;
  }
  iree_host_size_t end = 1;
  out_item->size = 0;
  while (end < fragment->size &&
         fragment->data[end] != IREE_VM_CCONV_TYPE_SPAN_END) {
    iree_host_size_t size = iree_cy_vm_cconv_value_size(fragment->data[end]);
    if (size == 0) return false;
    out_item->size += size;
    ++end;
  }
  // A group of nothing would make any count fit.
  if (end == fragment->size || end == 1) return false;
  out_item->letters = iree_make_string_view(fragment->data + 1, end - 1);
  *fragment = iree_string_view_remove_prefix(*fragment, end + 1);
  return true;
}

static bool iree_cy_vm_cconv_fragment_is_valid(iree_string_view_t fragment) {
  iree_cy_vm_cconv_item_t item;
  while (fragment.size) {
    if (!iree_cy_vm_cconv_next(&fragment, &item)) return false;
  }
  return true;
}

iree_status_t iree_vm_function_call_get_cconv_fragments(
    const iree_vm_function_signature_t* signature,
    iree_string_view_t* out_arguments, iree_string_view_t* out_results) {
  *out_arguments = iree_string_view_empty();
  *out_results = iree_string_view_empty();
  iree_string_view_t cconv = signature->calling_convention;
  if (cconv.size == 0) return iree_ok_status();
  if (cconv.data[0] != '0') {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "calling convention '%.*s' is not of version 0",
                            IREE_SV_ARG(cconv));
  }
  iree_string_view_t arguments = iree_string_view_remove_prefix(cconv, 1);
  iree_string_view_t results = iree_string_view_empty();
  const char* separator =
      arguments.size ? memchr(arguments.data, '_', arguments.size) : NULL;
  if (separator) {
    iree_host_size_t length = (iree_host_size_t)(separator - arguments.data);
    results = iree_string_view_remove_prefix(arguments, length + 1);
    arguments.size = length;
  }
  if (iree_string_view_equal(arguments, IREE_SV("v"))) arguments.size = 0;
  if (iree_string_view_equal(results, IREE_SV("v"))) results.size = 0;
  if (!iree_cy_vm_cconv_fragment_is_valid(arguments) ||
      !iree_cy_vm_cconv_fragment_is_valid(results)) {
    return iree_cy_vm_cconv_error(cconv);
  }
  *out_arguments = arguments;
  *out_results = results;
  return iree_ok_status();
}

bool iree_vm_function_call_is_variadic_cconv(iree_string_view_t cconv) {
  return cconv.size &&
         memchr(cconv.data, IREE_VM_CCONV_TYPE_SPAN_START, cconv.size) != NULL;
}

iree_status_t iree_vm_function_call_count_arguments_and_results(
    const iree_vm_function_signature_t* signature,
    iree_host_size_t* out_argument_count, iree_host_size_t* out_result_count) {
  *out_argument_count = 0;
  *out_result_count = 0;
  iree_string_view_t arguments, results;
  IREE_RETURN_IF_ERROR(iree_vm_function_call_get_cconv_fragments(
      signature, &arguments, &results));
  if (iree_vm_function_call_is_variadic_cconv(arguments) ||
      iree_vm_function_call_is_variadic_cconv(results)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "a function of calling convention '%.*s' takes any number of values",
        IREE_SV_ARG(signature->calling_convention));
  }
  *out_argument_count = arguments.size;
  *out_result_count = results.size;
  return iree_ok_status();
}

iree_status_t iree_vm_function_call_compute_cconv_fragment_size(
    iree_string_view_t cconv_fragment, iree_host_size_t segment_count,
    const uint16_t* segment_sizes, iree_host_size_t* out_required_size) {
  *out_required_size = 0;
  if (iree_string_view_equal(cconv_fragment, IREE_SV("v"))) {
    return iree_ok_status();
  }
  iree_string_view_t rest = cconv_fragment;
  iree_host_size_t total_size = 0;
  for (iree_host_size_t index = 0; rest.size; ++index) {
    iree_cy_vm_cconv_item_t item;
    if (!iree_cy_vm_cconv_next(&rest, &item)) {
      return iree_cy_vm_cconv_error(cconv_fragment);
    }
    if (item.is_span) {
      if (index >= segment_count) {
        return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                                "the count of argument %zu of '%.*s' is needed",
                                index, IREE_SV_ARG(cconv_fragment));
      }
      // 16 bits times the letters of a string: far below any overflow.
      total_size += sizeof(int32_t) + item.size * segment_sizes[index];
    } else {
      total_size += item.size;
    }
  }
  *out_required_size = total_size;
  return iree_ok_status();
}

// Calls |function| (which may be NULL) with each reference in |storage|.
// Returns false when the values do not fill the storage exactly.
static bool iree_cy_vm_cconv_walk(iree_string_view_t fragment,
                                  const uint8_t* data, iree_host_size_t length,
                                  void (*function)(iree_vm_ref_t* ref)) {
  iree_host_size_t offset = 0;
  while (fragment.size) {
    iree_cy_vm_cconv_item_t item;
    if (!iree_cy_vm_cconv_next(&fragment, &item)) return false;
    iree_host_size_t count = 1;
    if (item.is_span) {
      int32_t span_count = 0;
      if (length - offset < sizeof(span_count)) return false;
      memcpy(&span_count, data + offset, sizeof(span_count));
      offset += sizeof(span_count);
      if (span_count < 0) return false;
      count = (iree_host_size_t)span_count;
    }
    if (count > (length - offset) / item.size) return false;
    if (!function) {
      offset += count * item.size;
      continue;
    }
    for (iree_host_size_t i = 0; i < count * item.letters.size; ++i) {
      char letter = item.letters.data[i % item.letters.size];
      if (letter == IREE_VM_CCONV_TYPE_REF) {
        iree_vm_ref_t ref;
        memcpy(&ref, data + offset, sizeof(ref));
        function(&ref);
      }
      offset += iree_cy_vm_cconv_value_size(letter);
    }
  }
  return offset == length;
}

iree_status_t iree_cy_vm_cconv_check_storage(iree_string_view_t cconv_fragment,
                                             iree_const_byte_span_t storage) {
  if (iree_string_view_equal(cconv_fragment, IREE_SV("v"))) {
    cconv_fragment.size = 0;
  }
  if (iree_cy_vm_cconv_walk(cconv_fragment, storage.data, storage.data_length,
                            NULL)) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "%zu bytes do not hold values of '%.*s'",
                          storage.data_length, IREE_SV_ARG(cconv_fragment));
}

static void iree_cy_vm_cconv_release(iree_vm_ref_t* ref) {
  iree_vm_ref_release(ref);
}

void iree_cy_vm_cconv_release_refs(iree_string_view_t cconv_fragment,
                                   iree_byte_span_t storage) {
  iree_cy_vm_cconv_walk(cconv_fragment, storage.data, storage.data_length,
                        iree_cy_vm_cconv_release);
  // The counts go too: what is left is an empty storage.
  if (storage.data_length) memset(storage.data, 0, storage.data_length);
}

bool iree_cy_vm_cconv_equal(iree_string_view_t lhs, iree_string_view_t rhs) {
  if (iree_string_view_equal(lhs, rhs)) return true;
  iree_vm_function_signature_t signatures[2] = {{lhs}, {rhs}};
  iree_string_view_t arguments[2];
  iree_string_view_t results[2];
  for (int i = 0; i < 2; ++i) {
    iree_status_t status = iree_vm_function_call_get_cconv_fragments(
        &signatures[i], &arguments[i], &results[i]);
    if (!iree_status_is_ok(status)) {
      iree_status_ignore(status);
      return false;
    }
  }
  return iree_string_view_equal(arguments[0], arguments[1]) &&
         iree_string_view_equal(results[0], results[1]);
}
