// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the storage behind iree_status_t.

#include "iree_cy/base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// Low bits of a handle that hold the code, and so the alignment of a block.
enum { STATUS_ALIGNMENT = IREE_STATUS_CODE_MASK + 1 };

typedef struct iree_status_annotation_t iree_status_annotation_t;
struct iree_status_annotation_t {
  iree_status_annotation_t* next;
  iree_host_size_t length;
  char text[];
};

typedef struct iree_status_block_t {
  const char* file;
  uint32_t line;
  iree_status_annotation_t* first_annotation;
  iree_status_annotation_t** next_annotation;
  iree_host_size_t message_length;
  // NUL-terminated, as annotations are.
  char message[];
} iree_status_block_t;

static iree_status_block_t* iree_status_block(iree_status_t status) {
  return (iree_status_block_t*)((uintptr_t)status &
                                ~(uintptr_t)IREE_STATUS_CODE_MASK);
}

const char* iree_status_code_string(iree_status_code_t code) {
  static const char* const names[] = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "UNAUTHENTICATED",
      "DEFERRED",
      "INCOMPATIBLE",
  };
  return (size_t)code < IREE_ARRAYSIZE(names) ? names[code] : "UNRECOGNIZED";
}

iree_status_code_t iree_status_code_from_errno(int error_number) {
  switch (error_number) {
    case 0:
      return IREE_STATUS_OK;
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ESRCH:
      return IREE_STATUS_NOT_FOUND;
    case EEXIST:
      return IREE_STATUS_ALREADY_EXISTS;
    case EACCES:
    case EPERM:
    case EROFS:
    case ETXTBSY:
      return IREE_STATUS_PERMISSION_DENIED;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case EDQUOT:
    case EMLINK:
      return IREE_STATUS_RESOURCE_EXHAUSTED;
    case EINVAL:
    case EBADF:
    case EFAULT:
    case ENAMETOOLONG:
    case ENOTTY:
    case ESPIPE:
    case EDESTADDRREQ:
      return IREE_STATUS_INVALID_ARGUMENT;
    case ERANGE:
    case EOVERFLOW:
    case EFBIG:
    case EDOM:
      return IREE_STATUS_OUT_OF_RANGE;
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY:
    case ENOEXEC:
    case EXDEV:
    case EPIPE:
    case ENOTCONN:
      return IREE_STATUS_FAILED_PRECONDITION;
    case ENOSYS:
    case EOPNOTSUPP:
      return IREE_STATUS_UNIMPLEMENTED;
    case ETIMEDOUT:
    case ETIME:
      return IREE_STATUS_DEADLINE_EXCEEDED;
    case EAGAIN:
    case EBUSY:
    case ECONNREFUSED:
    case ECONNRESET:
    case EHOSTUNREACH:
    case ENETDOWN:
      return IREE_STATUS_UNAVAILABLE;
    case ECANCELED:
    case EINTR:
      return IREE_STATUS_CANCELLED;
    case EDEADLK:
    case ESTALE:
      return IREE_STATUS_ABORTED;
    case EIO:
      return IREE_STATUS_DATA_LOSS;
    default:
      return IREE_STATUS_UNKNOWN;
  }
}

// A block for a message of |length| characters, which the caller writes; NULL
// when out of memory.
static iree_status_block_t* iree_status_block_allocate(
    const char* file, uint32_t line, iree_host_size_t length) {
  iree_host_size_t total = 0;
  if (!iree_host_size_checked_add(sizeof(iree_status_block_t) + 1, length,
                                  &total)) {
    return NULL;
  }
  // Straight from the C library: iree_allocator_system makes a status when it
  // fails, and would come back here.
  iree_host_size_t rounded = 0;
  if (!iree_host_size_checked_add(total, STATUS_ALIGNMENT - 1, &rounded)) {
    return NULL;
  }
  iree_status_block_t* block = (iree_status_block_t*)aligned_alloc(
      STATUS_ALIGNMENT, rounded & ~(iree_host_size_t)(STATUS_ALIGNMENT - 1));
  if (!block) return NULL;
  memset(block, 0, sizeof(*block));
  block->file = file;
  block->line = line;
  block->next_annotation = &block->first_annotation;
  block->message_length = length;
  block->message[length] = 0;
  return block;
}

static iree_status_t iree_status_from_block(iree_status_code_t code,
                                            iree_status_block_t* block) {
  return (iree_status_t)((uintptr_t)block | (code & IREE_STATUS_CODE_MASK));
}

iree_status_t iree_status_allocate(iree_status_code_t code, const char* file,
                                   uint32_t line, iree_string_view_t message) {
  if (code == IREE_STATUS_OK) return iree_ok_status();
  iree_status_block_t* block =
      iree_status_block_allocate(file, line, message.size);
  if (!block) return iree_status_from_code(code);
  if (message.size) memcpy(block->message, message.data, message.size);
  return iree_status_from_block(code, block);
}

iree_status_t iree_status_allocate_vf(iree_status_code_t code, const char* file,
                                      uint32_t line, const char* format,
                                      va_list varargs) {
  if (code == IREE_STATUS_OK) return iree_ok_status();
  va_list measured;
  va_copy(measured, varargs);
  const int length = vsnprintf(NULL, 0, format, measured);
  va_end(measured);
  if (length < 0) {
    return iree_status_allocate(code, file, line,
                                iree_make_cstring_view(format));
  }
  iree_status_block_t* block =
      iree_status_block_allocate(file, line, (iree_host_size_t)length);
  if (!block) return iree_status_from_code(code);
  vsnprintf(block->message, (iree_host_size_t)length + 1, format, varargs);
  return iree_status_from_block(code, block);
}

void iree_status_free(iree_status_t status) {
  iree_status_block_t* block = iree_status_block(status);
  if (!block) return;
  iree_status_annotation_t* annotation = block->first_annotation;
  while (annotation) {
    iree_status_annotation_t* next = annotation->next;
    free(annotation);
    annotation = next;
  }
  free(block);
}

// Makes room for an annotation of |length| characters at the end of
// |*inout_status|, which gets a block when it is a bare code. NULL when out of
// memory.
static iree_status_annotation_t* iree_status_append_annotation(
    iree_status_t* inout_status, iree_host_size_t length) {
  iree_host_size_t total = 0;
  if (!iree_host_size_checked_add(sizeof(iree_status_annotation_t) + 1, length,
                                  &total)) {
    return NULL;
  }
  iree_status_block_t* block = iree_status_block(*inout_status);
  if (!block) {
    block = iree_status_block_allocate(NULL, 0, 0);
    if (!block) return NULL;
    *inout_status =
        iree_status_from_block(iree_status_code(*inout_status), block);
  }
  iree_status_annotation_t* annotation =
      (iree_status_annotation_t*)malloc(total);
  if (!annotation) return NULL;
  annotation->next = NULL;
  annotation->text[length] = 0;
  annotation->length = length;
  *block->next_annotation = annotation;
  block->next_annotation = &annotation->next;
  return annotation;
}

iree_status_t iree_status_annotate(iree_status_t base_status,
                                   iree_string_view_t message) {
  if (iree_status_is_ok(base_status)) return base_status;
  iree_status_annotation_t* annotation =
      iree_status_append_annotation(&base_status, message.size);
  if (annotation && message.size) {
    memcpy(annotation->text, message.data, message.size);
  }
  return base_status;
}

iree_status_t iree_status_annotate_vf(iree_status_t base_status,
                                      const char* format, va_list varargs) {
  if (iree_status_is_ok(base_status)) return base_status;
  va_list measured;
  va_copy(measured, varargs);
  const int length = vsnprintf(NULL, 0, format, measured);
  va_end(measured);
  if (length < 0) {
    return iree_status_annotate(base_status, iree_make_cstring_view(format));
  }
  iree_status_annotation_t* annotation =
      iree_status_append_annotation(&base_status, (iree_host_size_t)length);
  if (annotation) {
    vsnprintf(annotation->text, (iree_host_size_t)length + 1, format, varargs);
  }
  return base_status;
}

iree_status_t iree_status_clone(iree_status_t status) {
  const iree_status_block_t* source = iree_status_block(status);
  if (!source) return status;
  iree_status_t clone = iree_status_allocate(
      iree_status_code(status), source->file, source->line,
      iree_make_string_view(source->message, source->message_length));
  for (const iree_status_annotation_t* annotation = source->first_annotation;
       annotation; annotation = annotation->next) {
    clone = iree_status_annotate(
        clone, iree_make_string_view(annotation->text, annotation->length));
  }
  return clone;
}

iree_status_t iree_status_join(iree_status_t base_status,
                               iree_status_t new_status) {
  if (iree_status_is_ok(base_status)) return new_status;
  if (iree_status_is_ok(new_status)) return base_status;
  const iree_host_size_t length = iree_status_format(new_status, 0, NULL);
  iree_status_annotation_t* annotation =
      iree_status_append_annotation(&base_status, length);
  if (annotation) iree_status_format(new_status, length + 1, annotation->text);
  iree_status_free(new_status);
  return base_status;
}

iree_string_view_t iree_status_message(iree_status_t status) {
  const iree_status_block_t* block = iree_status_block(status);
  if (!block) return iree_string_view_empty();
  return iree_make_string_view(block->message, block->message_length);
}

iree_host_size_t iree_status_annotation_count(iree_status_t status) {
  const iree_status_block_t* block = iree_status_block(status);
  iree_host_size_t count = 0;
  if (!block) return 0;
  for (const iree_status_annotation_t* annotation = block->first_annotation;
       annotation; annotation = annotation->next) {
    ++count;
  }
  return count;
}

iree_string_view_t iree_status_annotation(iree_status_t status,
                                          iree_host_size_t index) {
  const iree_status_block_t* block = iree_status_block(status);
  const iree_status_annotation_t* annotation =
      block ? block->first_annotation : NULL;
  while (annotation && index) {
    annotation = annotation->next;
    --index;
  }
  if (!annotation) return iree_string_view_empty();
  return iree_make_string_view(annotation->text, annotation->length);
}

void iree_status_source_location(iree_status_t status, const char** out_file,
                                 uint32_t* out_line) {
  const iree_status_block_t* block = iree_status_block(status);
  *out_file = block ? block->file : NULL;
  *out_line = block && block->file ? block->line : 0;
}

// Text that is written as far as it fits and counted whole.
typedef struct iree_status_sink_t {
  char* buffer;
  iree_host_size_t capacity;
  iree_host_size_t length;
} iree_status_sink_t;

static void iree_status_sink_append(iree_status_sink_t* sink,
                                    iree_string_view_t text) {
  if (sink->length < sink->capacity && text.size) {
    const iree_host_size_t room = sink->capacity - sink->length;
    memcpy(sink->buffer + sink->length, text.data, iree_min(text.size, room));
  }
  sink->length += text.size;
}

iree_host_size_t iree_status_format(iree_status_t status,
                                    iree_host_size_t buffer_capacity,
                                    char* buffer) {
  iree_status_sink_t sink = {buffer, buffer_capacity, 0};
  iree_status_sink_append(&sink, iree_make_cstring_view(iree_status_code_string(
                                     iree_status_code(status))));
  const iree_status_block_t* block = iree_status_block(status);
  if (block) {
    if (block->message_length) {
      iree_status_sink_append(&sink, IREE_SV("; "));
      iree_status_sink_append(&sink, iree_status_message(status));
    }
    for (const iree_status_annotation_t* annotation = block->first_annotation;
         annotation; annotation = annotation->next) {
      iree_status_sink_append(&sink, IREE_SV("; "));
      iree_status_sink_append(
          &sink, iree_make_string_view(annotation->text, annotation->length));
    }
    if (block->file) {
      char line[16];
      snprintf(line, sizeof(line), ":%" PRIu32, block->line);
      iree_status_sink_append(&sink, IREE_SV("; at "));
      iree_status_sink_append(&sink, iree_make_cstring_view(block->file));
      iree_status_sink_append(&sink, iree_make_cstring_view(line));
    }
  }
  if (buffer_capacity) {
    buffer[iree_min(sink.length, buffer_capacity - 1)] = 0;
  }
  return sink.length;
}
