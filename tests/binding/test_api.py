# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the extension's own face: docstrings, stubs, constructors, what its import costs.

from __future__ import annotations

import inspect
import os
import pickle
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import iree_cy as rt
from iree_cy import _core

MADE_BY_FACTORIES = (
    "HalAllocator HalBuffer HalDevice HalDriver HalSemaphore MappedMemory VmFunction VmModule VmRef".split()  # noqa: SIM905
)


def _public_objects() -> Iterator[tuple[str, Any]]:
    for name in sorted(vars(_core)):
        value = getattr(_core, name)
        if name.startswith("_") or getattr(value, "__module__", "") != "iree_cy._core":
            continue
        yield name, value
        if isinstance(value, type):
            for attribute, member in sorted(vars(value).items()):
                if not attribute.startswith("_") or attribute.startswith("__iree"):
                    yield f"{name}.{attribute}", member


PUBLIC = list(_public_objects())


@pytest.mark.parametrize(("name", "value"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_docstrings(name: str, value: Any) -> None:
    text = inspect.getdoc(value)
    assert text, f"{name} has no docstring"
    first = text.partition("\n")[0]
    assert first[0].isupper(), f"{name}: {first!r}"
    assert first.endswith(".") or ":" in first, f"{name}: {first!r}"
    assert len(first) <= 120
    if not isinstance(value, (type, property, types.GetSetDescriptorType)) and callable(value):
        _check_parameters(name, value, text)


def _check_parameters(name: str, function: Any, text: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "memo") or len(signature.parameters) <= 2:
            continue
        assert parameter.name in text, f"{name} does not say what {parameter.name} is"


def test_stubs() -> None:
    """The stub says what is there, and nothing else."""
    pytest.importorskip("mypy.stubtest")
    folder = os.path.dirname(os.path.dirname(os.path.abspath(rt.__file__)))
    environment = {**os.environ, "PYTHONPATH": folder, "MYPYPATH": folder}
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "iree_cy._core"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", MADE_BY_FACTORIES)
def test_constructors_name_the_factory(name: str) -> None:
    cls = getattr(_core, name)
    with pytest.raises(TypeError, match=rf"{name} has no constructor; use "):
        cls()
    with pytest.raises(TypeError, match="constructor"):
        cls.__new__(cls)


@pytest.mark.parametrize(
    "name", ["DeviceArray", "HalBufferView", "HalCommandBuffer", "HalFence", "VmBuffer", "VmContext", "VmVariantList"]
)
def test_no_object_is_made_of_nothing(name: str) -> None:
    cls = getattr(_core, name)
    with pytest.raises(TypeError):
        cls()
    with pytest.raises(TypeError):
        cls.__new__(cls)


def test_handles_are_not_pickled() -> None:
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(rt.VmInstance())


def test_classes_are_final() -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Other", (_core.HalBuffer,), {})


def _python(code: str) -> str:
    folder = os.path.dirname(os.path.dirname(os.path.abspath(rt.__file__)))
    environment = {**os.environ, "PYTHONPATH": folder}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_numpy_comes_with_the_first_array() -> None:
    code = """
import sys
import iree_cy as rt
from iree_cy import _core
rt.VmContext(rt.VmInstance())
device = rt.get_device("local-sync")
device.allocator.allocate_buffer_copy(0, 0, device, b"1234")
print("numpy" in sys.modules)
rt.asdevicearray(device, [1, 2])
print("numpy" in sys.modules)
"""
    assert _python(code).split() == ["False", "True"]


def test_the_capsule_is_there() -> None:
    assert type(_core._C_API).__name__ == "PyCapsule"  # type: ignore[attr-defined]


def test_every_type_of_the_table_is_declared() -> None:
    """What the host functions mention, `_core.pxd` declares; both are shipped."""
    folder = Path(rt.__file__).parent
    functions = (folder / "_host_functions.pxi").read_text()
    declared = (folder / "_core.pxd").read_text()
    types = set(re.findall(r"\biree_\w+_t\b", functions))
    assert len(types) > 100
    assert sorted(name for name in types if not re.search(rf"\b{name}\b", declared)) == []


def test_build_info() -> None:
    info = _core.build_info()
    assert info["abi_version"] >= 1
    assert set(info["sanitizers"].split(",")) <= {"", "address", "thread", "undefined"}


def test_every_name_of_the_package_resolves() -> None:
    for name in rt.__all__:
        assert getattr(rt, name) is not None
