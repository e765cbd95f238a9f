# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns loaded programs: contexts over a configuration, and modules with their functions as attributes.
"""Load programs, and call their functions as Python's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from iree_cy._core import DeviceArray, FunctionInvoker, VmContext, VmInstance, VmModule, asdevicearray
from iree_cy.config import Config
from iree_cy.errors import listing

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BoundModule",
    "BoundModules",
    "DeviceArray",
    "FunctionInvoker",
    "SystemContext",
    "asdevicearray",
    "load_vm_flatbuffer",
    "load_vm_flatbuffer_file",
    "load_vm_module",
    "load_vm_modules",
    "normalize_value",
]

_Buffer: TypeAlias = "bytes | bytearray | memoryview"

# The driver that runs what a compiler backend makes, as iree.runtime has it.
_DRIVER_BY_BACKEND = {"llvm-cpu": "local-task", "vmvx": "local-task", "vulkan-spirv": "vulkan"}
_LIMITS = ("max_instructions", "max_call_depth", "max_bytes")


class BoundModule:
    """A module in a context, with its functions as attributes and items.

    Parameters
    ----------
    context
        The context.
    vm_module
        The module.
    """

    def __init__(self, context: SystemContext, vm_module: VmModule) -> None:
        self._context = context
        self._vm_module = vm_module
        self._functions: dict[str, FunctionInvoker] = {}

    @property
    def name(self) -> str:
        """The module's name."""
        return self._vm_module.name

    @property
    def vm_module(self) -> VmModule:
        """The module."""
        return self._vm_module

    def __getattr__(self, name: str) -> FunctionInvoker:
        if name.startswith("__") and name.endswith("__"):
            # Protocols ask for these, and a program does not answer for Python.
            raise AttributeError(name)
        try:
            function = self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None
        # The next time, Python finds it without asking here.
        self.__dict__[name] = function
        return function

    def __getitem__(self, name: str) -> FunctionInvoker:
        function = self._functions.get(name)
        if function is not None:
            return function
        vm_function = self._vm_module.lookup_function(name)
        if vm_function is None:
            there = listing(self._vm_module.function_names)
            raise KeyError(f"Function '{name}' not found in module '{self.name}'; it has: {there}")
        function = FunctionInvoker(self._context.vm_context, self._context.config.device, vm_function)
        self._functions[name] = function
        return function

    def __iter__(self) -> Iterator[str]:
        return iter(self._vm_module.function_names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._vm_module.lookup_function(name) is not None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._vm_module.function_names})

    def __repr__(self) -> str:
        return f"<BoundModule {self._vm_module!r}>"


class BoundModules(dict[str, BoundModule]):
    """The modules of a context by name, which are also attributes."""

    def __getattr__(self, name: str) -> BoundModule:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class SystemContext:
    """A context over a configuration's instance, devices and default modules.

    Parameters
    ----------
    vm_modules
        The modules, each after those it needs. Without them the context is dynamic: more can be
        added.
    config
        The configuration; by default `Config()`.
    max_instructions, max_call_depth, max_bytes
        Limits of what its programs may use, as for `VmContext`; by default the configuration's.
    """

    def __init__(
        self,
        vm_modules: Sequence[VmModule] | None = None,
        config: Config | None = None,
        *,
        max_instructions: int | None = None,
        max_call_depth: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        self._config = config if config is not None else Config()
        self._is_dynamic = vm_modules is None
        given = {"max_instructions": max_instructions, "max_call_depth": max_call_depth, "max_bytes": max_bytes}
        limits = {name: given[name] if given[name] is not None else getattr(self._config, name) for name in _LIMITS}
        modules = (*self._config.default_vm_modules, *(vm_modules or ()))
        names = [module.name for module in modules]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"Attempt to register duplicate VmModule: '{name}'")
        if self._is_dynamic:
            self._vm_context = VmContext(self._config.vm_instance, **limits)
            self._vm_context.register_modules(modules)
        else:
            self._vm_context = VmContext(self._config.vm_instance, modules, **limits)
        self._bound_modules = BoundModules((module.name, BoundModule(self, module)) for module in modules)

    @property
    def vm_context(self) -> VmContext:
        """The context of the VM."""
        return self._vm_context

    @property
    def is_dynamic(self) -> bool:
        """Whether modules can be added."""
        return self._is_dynamic

    @property
    def config(self) -> Config:
        """The configuration."""
        return self._config

    @property
    def instance(self) -> VmInstance:
        """The configuration's instance."""
        return self._config.vm_instance

    @property
    def modules(self) -> BoundModules:
        """The modules by name."""
        return self._bound_modules

    def add_module_dependency(self, name: str, minimum_version: int = 0) -> None:
        """Add a module that is found by its name. See `VmModule.resolve_module_dependency`."""
        module = VmModule.resolve_module_dependency(self._config.vm_instance, name, minimum_version)
        self._vm_context.register_modules([module])

    def add_vm_modules(self, vm_modules: Sequence[VmModule]) -> None:
        """Add modules to a dynamic context.

        Raises
        ------
        RuntimeError
            If the context is not dynamic.
        ValueError
            If it has a module of that name.
        StatusError
            If a module needs one that is not there, or an initializer fails.
        """
        if not self._is_dynamic:
            raise RuntimeError("modules can be added only to a SystemContext that was made without any")
        modules = list(vm_modules)
        names = [*self._bound_modules, *(module.name for module in modules)]
        for module in modules:
            if names.count(module.name) > 1:
                raise ValueError(f"Attempt to register duplicate VmModule: '{module.name}'")
        self._vm_context.register_modules(modules)
        for module in modules:
            self._bound_modules[module.name] = BoundModule(self, module)

    def add_vm_module(self, vm_module: VmModule) -> None:
        """Add one module to a dynamic context. See `add_vm_modules`."""
        self.add_vm_modules((vm_module,))


def load_vm_modules(
    *vm_modules: VmModule,
    config: Config | None = None,
    max_instructions: int | None = None,
    max_call_depth: int | None = None,
    max_bytes: int | None = None,
) -> list[BoundModule]:
    """Load modules into a new context.

    Parameters
    ----------
    *vm_modules
        The modules, each after those it needs.
    config
        The configuration; by default `Config()`.
    max_instructions, max_call_depth, max_bytes
        As for `VmContext`.

    Returns
    -------
    list of BoundModule
        In the order given.
    """
    context = SystemContext(
        vm_modules, config, max_instructions=max_instructions, max_call_depth=max_call_depth, max_bytes=max_bytes
    )
    return [context.modules[module.name] for module in vm_modules]


def load_vm_module(
    vm_module: VmModule,
    config: Config | None = None,
    *,
    max_instructions: int | None = None,
    max_call_depth: int | None = None,
    max_bytes: int | None = None,
) -> BoundModule:
    """Load a module into a new context. See `load_vm_modules`."""
    return load_vm_modules(
        vm_module,
        config=config,
        max_instructions=max_instructions,
        max_call_depth=max_call_depth,
        max_bytes=max_bytes,
    )[0]


def _create_config(driver: str | None, backend: str | None) -> Config:
    if (driver is None) == (backend is None):
        raise ValueError("Either 'driver' or 'backend' must be specified, one of them")
    if backend is not None:
        if backend not in _DRIVER_BY_BACKEND:
            raise ValueError(f"no driver is known for backend {backend!r}; give the driver")
        driver = _DRIVER_BY_BACKEND[backend]
    return Config(driver)


def load_vm_flatbuffer(vm_flatbuffer: _Buffer, *, driver: str | None = None, backend: str | None = None) -> BoundModule:
    """Load a program from a copy of a bytes-like object.

    Parameters
    ----------
    vm_flatbuffer
        The program.
    driver
        URI of the device, or a comma list of them of which the first that can be used is taken.
    backend
        The compiler's backend, from which the driver follows; instead of `driver`.
    """
    config = _create_config(driver, backend)
    return load_vm_module(VmModule.copy_buffer(config.vm_instance, vm_flatbuffer), config)


def load_vm_flatbuffer_file(
    path: str | os.PathLike[str],
    *,
    driver: str | None = None,
    backend: str | None = None,
    destroy_callback: Callable[[], Any] | None = None,
) -> BoundModule:
    """Load a program from a file.

    Parameters
    ----------
    path
        The file.
    driver, backend
        As for `load_vm_flatbuffer`.
    destroy_callback
        Called with no argument when nothing uses the file's contents any more.
    """
    config = _create_config(driver, backend)
    module = VmModule.mmap(config.vm_instance, path, destroy_callback=destroy_callback)
    return load_vm_module(module, config)


def normalize_value(value: Any) -> np.ndarray[Any, Any] | list[Any] | tuple[Any, ...] | dict[Any, Any] | None:
    """Bring a value into the form in which it is passed to a program, or compared with a result.

    Parameters
    ----------
    value
        Python numbers become 0-d arrays of 32 bits; lists, tuples, dicts and None stay as they are;
        everything else goes through ``numpy.asarray``.
    """
    if value is None or isinstance(value, (list, tuple, dict)):
        return value
    import numpy as np

    array = np.asarray(value)
    if isinstance(value, (bool, int, float)) and array.dtype in (np.float64, np.int64):
        array = array.astype(np.float32 if array.dtype == np.float64 else np.int32)
    return array
