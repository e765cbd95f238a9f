# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the import of the extension does: the capsule, the fork handler, the exit gate.

if not iree_cy_fork_initialize():
    raise MemoryError("no memory for the fork handler")
_atexit.register(_note_end)
iree_cy_gate_set_exit_probe(python_is_ending)
if Py_AtExit(close_gate) != 0:
    raise RuntimeError("the interpreter has no room for another exit function")

_main_thread = _threading.main_thread().ident
_os.register_at_fork(after_in_child=_note_main_thread)
_os.register_at_fork(after_in_child=_do_put_off)

iree_cy_set_find_driver_hook(find_driver_hook, NULL)

# The host table, for iree_cy_import().
_C_API = PyCapsule_New(<void*>iree_cy_host_api(), IREE_CY_CAPSULE_NAME, NULL)
