// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how a program that embeds Python gets the host table: include it first,
// before any other header of this project.

#ifndef IREE_CY_EMBED_H_
#define IREE_CY_EMBED_H_

#include "iree_cy/import.h"

#if defined(IREE_CY_HOST_TABLE_MODE)

IREE_CY_EXTERN_C_BEGIN

// Takes the table for this program, importing iree_cy into the interpreter,
// which the program has initialized. Any thread, with or without the GIL; once,
// before any other function of this project. Returns 0, or -1 with the reason
// in |out_error|, cut and NUL-terminated (not written when |error_capacity| is
// 0). The table's functions need no interpreter, and stay usable after it.
static inline int iree_cy_embed_attach(iree_host_size_t error_capacity,
                                       char* out_error) {
  const char* reason = "the interpreter is not initialized";
  PyObject* text = NULL;
  int result = -1;
  if (error_capacity > 0) out_error[0] = 0;
  if (Py_IsInitialized()) {
    PyGILState_STATE gil = PyGILState_Ensure();
    result = iree_cy_import();
    if (result != 0) {
      PyObject *type = NULL, *value = NULL, *traceback = NULL;
      PyErr_Fetch(&type, &value, &traceback);
      text = value ? PyObject_Str(value) : NULL;
      reason = text ? PyUnicode_AsUTF8(text) : NULL;
      if (!reason) reason = "iree_cy does not import";
      if (error_capacity > 0) {
        strncpy(out_error, reason, error_capacity - 1);
        out_error[error_capacity - 1] = 0;
      }
      Py_XDECREF(text);
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
      PyErr_Clear();
    }
    PyGILState_Release(gil);
  } else if (error_capacity > 0) {
    strncpy(out_error, reason, error_capacity - 1);
    out_error[error_capacity - 1] = 0;
  }
  return result;
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HOST_TABLE_MODE

#endif  // IREE_CY_EMBED_H_
