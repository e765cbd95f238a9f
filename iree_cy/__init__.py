# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the public names, each imported when it is first used.
"""An independent runtime for programs compiled by the IREE compiler.

>>> import iree_cy as rt, numpy as np
>>> config = rt.Config(device=rt.get_device("local-sync"))
>>> module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, "mlp.vmfb"), config)
>>> module.forward(np.ones((8, 784), np.float32)).to_host()

Names are resolved on first use (PEP 562): importing the package imports neither NumPy nor the
native core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iree_cy import _fork
from iree_cy.version import __version__

if TYPE_CHECKING:
    from iree_cy._async import HalDeviceLoopBridge
    from iree_cy._core import (
        DeviceArray,
        FunctionInvoker,
        HalAllocator,
        HalBuffer,
        HalBufferView,
        HalCommandBuffer,
        HalDevice,
        HalDriver,
        HalFence,
        HalFile,
        HalSemaphore,
        MappedMemory,
        PyModuleInterface,
        VmBuffer,
        VmContext,
        VmFunction,
        VmInstance,
        VmModule,
        VmRef,
        VmVariantList,
        asdevicearray,
        check_cpu_executable,
        create_hal_module,
    )
    from iree_cy._devices import (
        get_device,
        get_first_device,
    )
    from iree_cy._include import get_include
    from iree_cy.config import Config
    from iree_cy.enums import (
        BufferCompatibility,
        BufferUsage,
        ExternalTimepointFlags,
        ExternalTimepointType,
        HalElementType,
        Linkage,
        MemoryAccess,
        MemoryType,
        SemaphoreCompatibility,
    )
    from iree_cy.errors import (
        Aborted,
        AlreadyExists,
        Cancelled,
        DataLoss,
        DeadlineExceeded,
        Deferred,
        DeviceWarning,
        DuplicateDriverWarning,
        FailedPrecondition,
        Incompatible,
        Internal,
        InvalidArgument,
        NotFound,
        OutOfRange,
        PermissionDenied,
        ResourceExhausted,
        StatusCode,
        StatusError,
        Unauthenticated,
        Unavailable,
        Unimplemented,
        Unknown,
    )
    from iree_cy.plugins.doctor import DoctorReport, doctor
    from iree_cy.plugins.driver_plugin import (
        DriverPlugin,
        Parameter,
    )
    from iree_cy.plugins.plan import Plan, PlanEntry, plan
    from iree_cy.plugins.probe import ProbeResult, probe
    from iree_cy.plugins.registry import (
        get_driver,
        query_available_drivers,
        register_driver,
        unregister_driver,
    )
    from iree_cy.program import (
        BoundModule,
        BoundModules,
        SystemContext,
        load_vm_flatbuffer,
        load_vm_flatbuffer_file,
        load_vm_module,
        load_vm_modules,
        normalize_value,
    )

__all__ = [
    "Aborted",
    "AlreadyExists",
    "BoundModule",
    "BoundModules",
    "BufferCompatibility",
    "BufferUsage",
    "Cancelled",
    "Config",
    "DataLoss",
    "DeadlineExceeded",
    "Deferred",
    "DeviceArray",
    "DeviceWarning",
    "DoctorReport",
    "DriverPlugin",
    "DuplicateDriverWarning",
    "ExternalTimepointFlags",
    "ExternalTimepointType",
    "FailedPrecondition",
    "FunctionInvoker",
    "HalAllocator",
    "HalBuffer",
    "HalBufferView",
    "HalCommandBuffer",
    "HalDevice",
    "HalDeviceLoopBridge",
    "HalDriver",
    "HalElementType",
    "HalFence",
    "HalFile",
    "HalSemaphore",
    "Incompatible",
    "Internal",
    "InvalidArgument",
    "Linkage",
    "MappedMemory",
    "MemoryAccess",
    "MemoryType",
    "NotFound",
    "OutOfRange",
    "Parameter",
    "PermissionDenied",
    "Plan",
    "PlanEntry",
    "ProbeResult",
    "PyModuleInterface",
    "ResourceExhausted",
    "SemaphoreCompatibility",
    "StatusCode",
    "StatusError",
    "SystemContext",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "Unknown",
    "VmBuffer",
    "VmContext",
    "VmFunction",
    "VmInstance",
    "VmModule",
    "VmRef",
    "VmVariantList",
    "__version__",
    "asdevicearray",
    "check_cpu_executable",
    "create_hal_module",
    "doctor",
    "get_device",
    "get_driver",
    "get_first_device",
    "get_include",
    "load_vm_flatbuffer",
    "load_vm_flatbuffer_file",
    "load_vm_module",
    "load_vm_modules",
    "normalize_value",
    "plan",
    "probe",
    "query_available_drivers",
    "register_driver",
    "unregister_driver",
]

_NAMES_BY_MODULE = {
    "iree_cy._async": "HalDeviceLoopBridge",
    "iree_cy._core": """
        DeviceArray FunctionInvoker HalAllocator HalBuffer HalBufferView HalCommandBuffer HalDevice
        HalDriver HalFence HalFile HalSemaphore MappedMemory PyModuleInterface VmBuffer VmContext
        VmFunction VmInstance VmModule VmRef VmVariantList asdevicearray check_cpu_executable
        create_hal_module
    """,
    "iree_cy._devices": "get_device get_first_device",
    "iree_cy._include": "get_include",
    "iree_cy.config": "Config",
    "iree_cy.enums": """
        BufferCompatibility BufferUsage ExternalTimepointFlags ExternalTimepointType HalElementType
        Linkage MemoryAccess MemoryType SemaphoreCompatibility
    """,
    "iree_cy.errors": """
        Aborted AlreadyExists Cancelled DataLoss DeadlineExceeded Deferred DeviceWarning
        DuplicateDriverWarning FailedPrecondition Incompatible Internal InvalidArgument NotFound
        OutOfRange PermissionDenied ResourceExhausted StatusCode StatusError Unauthenticated
        Unavailable Unimplemented Unknown
    """,
    "iree_cy.plugins.doctor": "DoctorReport doctor",
    "iree_cy.plugins.driver_plugin": "DriverPlugin Parameter",
    "iree_cy.plugins.plan": "Plan PlanEntry plan",
    "iree_cy.plugins.probe": "ProbeResult probe",
    "iree_cy.plugins.registry": """
        get_driver query_available_drivers register_driver unregister_driver
    """,
    "iree_cy.program": """
        BoundModule BoundModules SystemContext load_vm_flatbuffer load_vm_flatbuffer_file
        load_vm_module load_vm_modules normalize_value
    """,
}
_MODULE_BY_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()}


def __getattr__(name: str) -> object:
    module_name = _MODULE_BY_NAME.get(name)
    if module_name is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    with _fork.FirstUse():
        value: object = getattr(importlib.import_module(module_name), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
