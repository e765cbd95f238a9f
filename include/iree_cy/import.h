// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how a C or Cython extension of Python gets the host table: include it
// first, before any other header of this project.

#ifndef IREE_CY_IMPORT_H_
#define IREE_CY_IMPORT_H_

#include <Python.h>

#include "iree_cy/host_table.h"

// The capsule that holds the table.
#define IREE_CY_CAPSULE_NAME "iree_cy._core._C_API"

#if defined(IREE_CY_HOST_TABLE_MODE)

IREE_CY_EXTERN_C_BEGIN

// Takes the table of the installed iree_cy for this extension, importing it.
// Called once with the GIL, before any other function of this project. Returns
// 0, or -1 with ImportError set.
static inline int iree_cy_import(void) {
  PyObject* module = PyImport_ImportModule("iree_cy._core");
  if (!module) return -1;
  PyObject* capsule = PyObject_GetAttrString(module, "_C_API");
  Py_DECREF(module);
  if (!capsule) return -1;
  // The table is immortal, so that it may outlive the capsule.
  const iree_cy_host_api_t* host =
      (const iree_cy_host_api_t*)PyCapsule_GetPointer(capsule,
                                                      IREE_CY_CAPSULE_NAME);
  Py_DECREF(capsule);
  if (!host) return -1;
  if (!iree_cy_host_table_accept(host)) {
    PyErr_Format(PyExc_ImportError,
                 "this extension was built for ABI version %u (%u bytes) of "
                 "iree_cy, and the installed one has version %u (%u bytes); "
                 "rebuild the extension",
                 (unsigned)IREE_CY_ABI_VERSION,
                 (unsigned)sizeof(iree_cy_host_api_t), (unsigned)host->version,
                 (unsigned)host->size);
    return -1;
  }
  return 0;
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HOST_TABLE_MODE

#endif  // IREE_CY_IMPORT_H_
