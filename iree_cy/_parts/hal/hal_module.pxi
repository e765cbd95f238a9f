# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns create_hal_module.

def create_hal_module(VmInstance instance not None, HalDevice device=None, devices=None):
    """Make the ``hal`` module, through which programs use devices.

    Parameters
    ----------
    instance
        The instance.
    device
        The device.
    devices
        Several devices, in the order in which programs address them; instead of `device`.

    Raises
    ------
    ValueError
        If both or neither are given.
    """
    cdef iree_hal_device_t** handles = NULL
    cdef iree_vm_module_t* module = NULL
    cdef Py_ssize_t i
    cdef iree_status_t status
    if (device is None) == (devices is None):
        raise ValueError("create_hal_module takes 'device' or 'devices', one of them")
    items = [device] if devices is None else list(devices)
    if not items:
        raise ValueError("create_hal_module needs at least one device")
    for item in items:
        if not isinstance(item, HalDevice):
            raise _type_error(f"devices holds {_an(_type_name(item))}, not a HalDevice")
    handles = <iree_hal_device_t**>PyMem_Malloc(len(items) * sizeof(void*))
    if handles == NULL:
        raise MemoryError()
    try:
        for i in range(len(items)):
            handles[i] = (<HalDevice>items[i])._handle
        status = iree_hal_module_create(
            instance._handle,
            <iree_host_size_t>len(items),
            handles,
            IREE_HAL_MODULE_FLAG_NONE,
            iree_allocator_system(),
            &module,
        )
        check_status(status)
    finally:
        PyMem_Free(handles)
    return vm_module_from_handle(module)
