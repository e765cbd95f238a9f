# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalDriver, and how one is loaded from a plugin's library.

# As check_status, of what `driver` was asked for.
cdef int check_driver_status(HalDriver driver, iree_status_t status) except -1:
    if status == NULL:
        return 0
    cdef bint is_internal = iree_status_code(status) == IREE_STATUS_INTERNAL
    try:
        raise_status(status)
    except _StatusError as error:
        if not is_internal:
            raise
        from iree_cy.plugins.registry import registry

        registry.fail_contract(driver, error)


@cython.no_gc
cdef class HalDriver:
    """What lists and creates the devices of one kind. `get_driver` gives one."""

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("HalDriver", "iree_cy.get_driver()")

    @staticmethod
    def query():
        """Return the names of all drivers, sorted. This loads nothing."""
        from iree_cy.plugins.registry import query_available_drivers

        return query_available_drivers()

    @property
    def name(self):
        """The driver's name."""
        return text_of(iree_hal_driver_id(self._handle))

    def query_available_devices(self):
        """Return the devices that there are now, without creating any.

        Returns
        -------
        list of dict
            Each with ``"device_id"``, ``"path"`` and ``"name"``.
        """
        cdef iree_host_size_t count = 0
        cdef iree_hal_device_info_t* infos = NULL
        cdef iree_status_t status
        cdef iree_host_size_t i
        with nogil:
            status = iree_hal_driver_query_available_devices(self._handle, iree_allocator_system(), &count, &infos)
        check_driver_status(self, status)
        try:
            return [
                {
                    "device_id": int(infos[i].device_id),
                    "path": text_of(infos[i].path),
                    "name": text_of(infos[i].name),
                }
                for i in range(count)
            ]
        finally:
            iree_allocator_free(iree_allocator_system(), infos)

    def dump_device_info(self, device_id):
        """Return what is known of a device, in lines of text.

        Raises
        ------
        NotFound
            If there is no device of that id.
        """
        cdef iree_string_builder_t builder
        cdef iree_hal_device_id_t c_id
        cdef iree_status_t status
        from iree_cy._devices import check_device_id, check_listed

        device_id = check_device_id(device_id)
        check_listed(self, device_id)
        c_id = index_of(device_id)
        iree_string_builder_initialize(iree_allocator_system(), &builder)
        try:
            with nogil:
                status = iree_hal_driver_dump_device_info(self._handle, c_id, &builder)
            check_driver_status(self, status)
            return text_of(iree_string_builder_view(&builder))
        finally:
            iree_string_builder_deinitialize(&builder)

    def create_device(self, device_id, params=None, allocators=None):
        """Create a device by its id, or by an item of `query_available_devices`.

        Parameters
        ----------
        device_id
            The id, or a dict that has it as ``"device_id"``.
        params
            Parameters of the device, by name.
        allocators
            Allocators to put around the device's own, innermost first: ``"caching"``, ``"debug"``.

        Raises
        ------
        NotFound
            If the driver lists no such device.
        InvalidArgument
            If a parameter or an allocator is unknown or malformed.
        """
        from iree_cy._devices import create_device

        return create_device(self, device_id, params, allocators)

    def create_device_by_uri(self, device_uri, allocators=None):
        """Create the device of this driver that a URI asks for.

        Parameters
        ----------
        device_uri
            The URI; its driver is this one.
        allocators
            As for `create_device`.

        Raises
        ------
        InvalidArgument
            If the URI is malformed or asks for another driver.
        NotFound
            If the driver has no such device.
        """
        from iree_cy._devices import create_device_by_uri

        return create_device_by_uri(self, device_uri, allocators)

    def create_default_device(self, allocators=None):
        """Create the device that the driver has as its default."""
        from iree_cy._devices import create_default_device

        return create_default_device(self, allocators)

    def _resolve_path(self, str path not None):
        """Return the id of the device that a path names."""
        cdef iree_hal_device_id_t device_id = 0
        cdef bytes data = path.encode("utf-8", "surrogateescape")
        cdef iree_string_view_t view = iree_make_string_view(data, len(data))
        cdef iree_status_t status
        with nogil:
            status = iree_hal_driver_resolve_path(self._handle, view, &device_id)
        check_driver_status(self, status)
        return int(device_id)

    def _create_device(self, device_id, params):
        """Create a device; parameters are checked and canonical."""
        cdef iree_hal_device_id_t c_id = index_of(device_id)
        cdef iree_host_size_t count = len(params)
        cdef iree_string_pair_t* pairs = NULL
        cdef iree_hal_device_t* handle = NULL
        cdef iree_status_t status
        cdef Py_ssize_t i
        items = [(str(key), str(value)) for key, value in params]
        pairs = <iree_string_pair_t*>PyMem_Malloc((count + 1) * sizeof(iree_string_pair_t))
        if pairs == NULL:
            raise MemoryError()
        try:
            for i in range(len(items)):
                pairs[i].key = view_of(items[i][0])
                pairs[i].value = view_of(items[i][1])
            with nogil:
                status = iree_hal_driver_create_device_by_id(
                    self._handle, c_id, count, pairs, iree_allocator_system(), &handle
                )
            check_driver_status(self, status)
        finally:
            PyMem_Free(pairs)
        return hal_device_with_driver(handle, self)

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_driver_release(self._handle)

    def __repr__(self):
        return f"<HalDriver {self.name!r}>"


def open_plugin_library(library_path):
    """Open a driver plugin's library, which stays in the process, and ask it nothing.

    Raises
    ------
    StatusError
        If it does not open; the message says why.
    """
    import os

    cdef bytes path = os.fsencode(library_path)
    cdef const char* c_path = path
    cdef void* handle = NULL
    cdef iree_status_t status
    with nogil:
        status = iree_cy_library_open(c_path, &handle)
    check_status(status)


def load_driver_plugin(str name not None, library_path):
    """Open a driver plugin's library and make its driver. This cannot be undone.

    Parameters
    ----------
    name
        The driver's name.
    library_path
        Path of the library.

    Raises
    ------
    StatusError
        If the library does not open, is no plugin of this ABI, or cannot make its driver.
    """
    import os

    cdef bytes path = os.fsencode(library_path)
    cdef const char* c_path = path
    cdef iree_string_view_t view = view_of(name)
    cdef iree_hal_driver_t* handle = NULL
    cdef iree_status_t status
    with nogil:
        status = iree_cy_plugin_create_driver(view, c_path, iree_allocator_system(), &handle)
    check_status(status)
    cdef HalDriver driver = <HalDriver>new_object(HalDriver)
    driver._handle = handle
    return driver


# How a driver that is being created asks for another one.
cdef iree_status_t find_driver_hook(
    void* user_data, iree_string_view_t name, iree_hal_driver_t** out_driver
) noexcept nogil:
    cdef FindDriver request
    out_driver[0] = NULL
    if not gate_is_open():
        return python_is_gone()
    request.name = name
    request.out_driver = out_driver
    request.status = NULL
    call_python(find_driver_in_registry, &request)
    return request.status


cdef struct FindDriver:
    iree_string_view_t name
    iree_hal_driver_t** out_driver
    iree_status_t status


cdef void find_driver_in_registry(void* user_data) noexcept:
    cdef FindDriver* request = <FindDriver*>user_data
    cdef HalDriver driver
    try:
        from iree_cy.plugins.registry import find_driver

        driver = find_driver(text_of(request.name))
        if driver is None:
            raise TypeError("find_driver returned None")
        iree_hal_driver_retain(driver._handle)
        request.out_driver[0] = driver._handle
    except BaseException as error:
        request.status = status_of_exception(error)
