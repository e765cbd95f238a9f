# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns loaded programs: contexts of modules, and their functions by name.
"""Load compiled programs and call their functions by name.

>>> config = Config(device=get_device("local-sync"))
>>> module = load_vm_module(VmModule.mmap(config.vm_instance, "mlp.vmfb"), config)
>>> module.forward(images)
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from iree_cy._devices import drivers_for_backend
from iree_cy.config import Config
from iree_cy.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    listing,
    quote,
    type_error,
    type_name,
)

if TYPE_CHECKING:
    from iree_cy._core import FunctionInvoker, VmContext, VmFunction, VmInstance, VmModule

__all__ = [
    "BoundModule",
    "BoundModules",
    "SystemContext",
    "load_vm_flatbuffer",
    "load_vm_flatbuffer_file",
    "load_vm_module",
    "load_vm_modules",
    "normalize_value",
]


class _NoSuchItem(NotFound, KeyError):
    """A name that a module, or a set of modules, does not have."""

    # KeyError would quote the sentence.
    __str__ = Exception.__str__


class BoundModule:
    """A module in a context. Its functions are its attributes, and its items.

    Functions whose names are no Python names, or are taken by this class, are had as items.

    Parameters
    ----------
    context
        The context that the module is in.
    vm_module
        The module.
    """

    def __init__(self, context: SystemContext, vm_module: VmModule) -> None:
        # What is needed of the context rather than the context, which refers to its bound modules:
        # without a cycle, all that a program holds goes when the last reference to it goes.
        self._vm_context = context.vm_context
        self._device = context.config.device
        self._vm_module = vm_module
        # Imported now: a function may first be named when the interpreter ends, and imports nothing any more.
        from iree_cy import _core

        self._invoker = _core.FunctionInvoker
        self._functions: dict[str, FunctionInvoker] = {}

    @property
    def name(self) -> str:
        """The module's name."""
        return self._vm_module.name

    @property
    def vm_module(self) -> VmModule:
        """The module itself."""
        return self._vm_module

    def __getitem__(self, name: str) -> FunctionInvoker:
        """Return a function.

        Raises
        ------
        KeyError
            If there is none of that name; the message says which there are.
        """
        function = self._functions.get(name)
        if function is None:
            # Of threads that bind it at once all get the same.
            function = self._functions.setdefault(name, self._bind(name))
        return function

    def __getattr__(self, name: str) -> FunctionInvoker:
        # Python asks for names of its own (copying, pickling, array protocols), and for ours in an
        # object that is not initialised yet; no program is looked into for either.
        if name in _OWN_ATTRIBUTES or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            function = self[name]
        except KeyError as error:
            raise AttributeError(str(error), name=name) from None
        # Found there from now on, without coming here.
        self.__dict__[name] = function
        return function

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _find_function(self._vm_module, name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(_public_names(self._vm_module))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *(name for name in self if name.isidentifier())})

    def __repr__(self) -> str:
        return f"<BoundModule {self._vm_module!r}>"

    def _bind(self, name: str) -> FunctionInvoker:
        if not isinstance(name, str):
            raise type_error(f"a function's name is a str, not {type_name(name)}")
        vm_function = _find_function(self._vm_module, name)
        if vm_function is None:
            raise _NoSuchItem(_absence(f"module {quote(self.name, 30)} has no function", name, self))
        return self._invoker(self._vm_context, self._device, vm_function)


_OWN_ATTRIBUTES: Final = frozenset(("_vm_context", "_device", "_vm_module", "_functions", "_invoker"))


class BoundModules(dict[str, BoundModule]):
    """The modules of a context by name; each is an attribute too."""

    def __getattr__(self, name: str) -> BoundModule:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(str(error), name=name) from None

    def __missing__(self, name: object) -> BoundModule:
        raise _NoSuchItem(_absence("the context has no module", name, self))

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self if name.isidentifier())})


class SystemContext:
    """Modules linked together over the devices of a configuration, with their state.

    Parameters
    ----------
    vm_modules
        The modules, each after those it needs. Without them the context is dynamic: it begins with
        the configuration's own, and `add_vm_modules` adds to it.
    config
        The configuration; by default a new one, over the first device that can be used.
    max_instructions, max_call_depth, max_bytes
        Limits of what the programs may use, as for `VmContext`; by default the configuration's.

    Raises
    ------
    StatusError
        If a module needs one that is not there, or an initializer fails.
    """

    def __init__(
        self,
        vm_modules: Iterable[VmModule] | None = None,
        config: Config | None = None,
        *,
        max_instructions: int | None = None,
        max_call_depth: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        from iree_cy import _core

        if config is not None and not isinstance(config, Config):
            raise type_error(f"config is a Config, not {type_name(config)}; pass Config(device=...)")
        self._config = Config() if config is None else config
        self._is_dynamic = vm_modules is None
        defaults = self._config.default_vm_modules
        given = () if vm_modules is None else tuple(vm_modules)
        self._vm_context = _core.VmContext(
            self._config.vm_instance,
            None if self._is_dynamic else [*defaults, *given],
            max_instructions=_either(max_instructions, self._config.max_instructions),
            max_call_depth=_either(max_call_depth, self._config.max_call_depth),
            max_bytes=_either(max_bytes, self._config.max_bytes),
        )
        if self._is_dynamic:
            self._vm_context.register_modules(list(defaults))
        self._bound_modules = BoundModules()
        self._bind(defaults)
        # Two programs may have the same name, so that the names alone do not tell which is which.
        self._bound = self._bind(given)

    @property
    def vm_context(self) -> VmContext:
        """The context of the virtual machine."""
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
        """The modules by name, the configuration's own among them."""
        return self._bound_modules

    def add_module_dependency(self, name: str, minimum_version: int = 0) -> None:
        """Add a module that is known outside of the context.

        Raises
        ------
        NotFound
            If there is none: no such place exists now, so that this always raises.
        """
        from iree_cy import _core

        module = _core.VmModule.resolve_module_dependency(self._config.vm_instance, name, minimum_version)
        self._vm_context.register_modules([module])

    def add_vm_modules(self, vm_modules: Iterable[VmModule]) -> None:
        """Add modules, in order; all, or none if one cannot be.

        Raises
        ------
        FailedPrecondition
            If the context was made with its modules.
        AlreadyExists
            If a name is taken.
        StatusError
            If a module needs one that is not there, or an initializer fails.
        """
        given = tuple(vm_modules)
        if not self._is_dynamic:
            raise FailedPrecondition(
                "the context was made with its modules and takes no more; make one without: SystemContext(config=...)"
            )
        taken = set(self._bound_modules)
        for module in given:
            if module.name in taken:
                raise AlreadyExists(
                    f"the context has a module {quote(module.name, 50)} already; load this one into another context"
                )
            taken.add(module.name)
        self._vm_context.register_modules(list(given))
        self._bind(given)

    def add_vm_module(self, vm_module: VmModule) -> None:
        """Add one module, as `add_vm_modules` does."""
        self.add_vm_modules((vm_module,))

    def __repr__(self) -> str:
        return f"<SystemContext {list(self._bound_modules)}>"

    def _bind(self, vm_modules: Iterable[VmModule]) -> list[BoundModule]:
        bound = [BoundModule(self, module) for module in vm_modules]
        self._bound_modules.update((module.name, module) for module in bound)
        return bound


def load_vm_modules(
    *vm_modules: VmModule,
    config: Config | None = None,
    max_instructions: int | None = None,
    max_call_depth: int | None = None,
    max_bytes: int | None = None,
) -> list[BoundModule]:
    """Load modules together into a new context.

    Parameters
    ----------
    vm_modules
        The modules, each after those it needs.
    config, max_instructions, max_call_depth, max_bytes
        As for `SystemContext`.

    Returns
    -------
    list of BoundModule
        One per module, in order.
    """
    context = SystemContext(
        vm_modules,
        config,
        max_instructions=max_instructions,
        max_call_depth=max_call_depth,
        max_bytes=max_bytes,
    )
    return context._bound


def load_vm_module(
    vm_module: VmModule,
    config: Config | None = None,
    *,
    max_instructions: int | None = None,
    max_call_depth: int | None = None,
    max_bytes: int | None = None,
) -> BoundModule:
    """Load a module into a new context, as `load_vm_modules` does."""
    return load_vm_modules(
        vm_module,
        config=config,
        max_instructions=max_instructions,
        max_call_depth=max_call_depth,
        max_bytes=max_bytes,
    )[0]


def load_vm_flatbuffer(vm_flatbuffer: bytes, *, driver: str | None = None, backend: str | None = None) -> BoundModule:
    """Load a program from a copy of its bytes, over a new configuration.

    Parameters
    ----------
    vm_flatbuffer
        The bytes of a ``.vmfb``.
    driver
        A comma list of device URIs, of which the first that can be used is taken.
    backend
        What the program was compiled for, such as ``"llvm-cpu"``: instead of `driver`, for the
        first device that can be used of the drivers whose plugins say that they run such programs.

    Raises
    ------
    InvalidArgument
        If not one of `driver` and `backend` is given.
    NotFound
        If no driver runs programs for `backend`; the message lists the backends there are.
    StatusError
        If the bytes are no program that this runtime can run.
    """
    from iree_cy import _core

    config = _config_for(driver, backend)
    return load_vm_module(_core.VmModule.copy_buffer(config.vm_instance, vm_flatbuffer), config)


def load_vm_flatbuffer_file(
    path: str | os.PathLike[str],
    *,
    driver: str | None = None,
    backend: str | None = None,
    destroy_callback: Callable[[], object] | None = None,
) -> BoundModule:
    """Load a program from a file, over a new configuration.

    Parameters
    ----------
    path
        The ``.vmfb``.
    driver, backend
        As for `load_vm_flatbuffer`.
    destroy_callback
        Called with no argument when nothing uses the file's contents any more.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, OSError
        If the file cannot be read; ``filename`` is its path.
    StatusError
        If it is no program that this runtime can run; the message names the file.
    """
    from iree_cy import _core

    config = _config_for(driver, backend)
    return load_vm_module(_core.VmModule.mmap(config.vm_instance, path, destroy_callback), config)


def normalize_value(value: Any) -> Any:
    """Turn a value into what a program takes for it, or its results can be compared with.

    Parameters
    ----------
    value
        None, lists, tuples and dicts are returned as they are; Python's numbers become 0-d arrays of
        32 bits; anything else what `numpy.asarray` makes of it.

    Raises
    ------
    OverflowError
        If a number does not fit in 32 bits.
    """
    import numpy as np

    if value is None or isinstance(value, (list, tuple, dict)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if not -(1 << 31) <= value < 1 << 31:
            raise OverflowError(f"{quote(value)} does not fit in int32; pass a NumPy array or scalar of a wider type")
        return np.asarray(value, np.int32)
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            array = np.asarray(value).astype(np.float32)
        if np.isinf(array) and abs(value) != float("inf"):
            raise OverflowError(f"{value!r} does not fit in float32; pass a NumPy array of float64")
        return array
    return np.asarray(value)


def _find_function(vm_module: VmModule, name: str) -> VmFunction | None:
    # Of what importers of models write, the form that takes fences may be the only one.
    return vm_module.lookup_function(name) or vm_module.lookup_function(f"{name}$async")


def _either(limit: int | None, default: int | None) -> int | None:
    return default if limit is None else limit


def _config_for(driver: str | None, backend: str | None) -> Config:
    if (driver is None) == (backend is None):
        given = "both are" if driver is not None else "none is"
        raise InvalidArgument(f"give one of 'driver' and 'backend', not both; {given} given")
    if backend is None:
        return Config(driver)
    return Config(",".join(drivers_for_backend(backend)))


def _public_names(vm_module: VmModule) -> list[str]:
    # Those with two underscores are the program's own, such as its initializer.
    return [name for name in vm_module.function_names if not name.startswith("__")]


def _absence(head: str, name: object, names: Iterable[str]) -> str:
    there = list(names)
    close = difflib.get_close_matches(str(name), there, 1)
    hint = f"; did you mean {quote(close[0], 30)}?" if close else ";"
    return f"{head} {quote(name, 35)}{hint} it has: {listing(there, 60)}"
