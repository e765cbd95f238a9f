# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of the exceptions, the enumerations and the lazy names.
from __future__ import annotations

import ast
import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import iree_cy
from iree_cy import enums, errors

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("code", "name", "builtins"),
    [
        (1, "Cancelled", ()),
        (2, "Unknown", ()),
        (3, "InvalidArgument", (ValueError,)),
        (4, "DeadlineExceeded", (TimeoutError,)),
        (5, "NotFound", (LookupError, ValueError)),
        (6, "AlreadyExists", (ValueError,)),
        (7, "PermissionDenied", (PermissionError,)),
        (8, "ResourceExhausted", (MemoryError,)),
        (9, "FailedPrecondition", ()),
        (10, "Aborted", ()),
        (11, "OutOfRange", (IndexError, ValueError)),
        (12, "Unimplemented", (NotImplementedError,)),
        (13, "Internal", ()),
        (14, "Unavailable", ()),
        (15, "DataLoss", ()),
        (16, "Unauthenticated", ()),
        (17, "Deferred", ()),
        (18, "Incompatible", ()),
    ],
)
def test_class_of_each_code(code, name, builtins):
    error = errors.make_error(code, "what; there; do", ["more"], "file.c:3")
    assert type(error) is getattr(errors, name)
    assert type(error) is getattr(iree_cy, name)
    assert error.code == code
    assert error.code.name.replace("_", "").lower() == name.lower()
    assert isinstance(error, (errors.StatusError, RuntimeError))
    for builtin in builtins:
        assert isinstance(error, builtin)
    others = (ValueError, LookupError, OSError, MemoryError, NotImplementedError)
    for other in others:
        assert isinstance(error, other) == any(issubclass(builtin, other) for builtin in builtins)
    assert str(error) == error.message == "what; there; do"
    assert error.annotations == ("more",)
    assert error.location == "file.c:3"
    if sys.version_info >= (3, 11):
        assert error.__notes__ == ["more", "at file.c:3"]


@pytest.mark.parametrize("code", range(1, 19))
def test_copies(code):
    error = errors.make_error(code, "text", ["more"], "file.c:3")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert (str(other), other.code, other.message) == ("text", code, "text")
        assert (other.annotations, other.location) == (("more",), "file.c:3")


def test_code_without_a_class():
    error = errors.make_error(31, "")
    assert type(error) is errors.Unknown
    assert str(error) == "status code 31"


def test_message_that_is_missing():
    assert str(errors.make_error(5, "")) == "NOT_FOUND"


def test_first_line_is_cut_and_the_message_kept():
    message = "x" * 300 + "\nsecond line"
    error = errors.NotFound(message)
    first, second = str(error).split("\n")
    assert first == "x" * 197 + "..."
    assert second == "second line"
    assert error.message == message
    if sys.version_info >= (3, 11):
        assert error.__notes__ == [message]


def test_listing():
    assert errors.listing([]) == "none"
    assert errors.listing(["a", "b"]) == "a, b"
    many = errors.listing([f"driver-{i}" for i in range(50)], 40)
    assert many == "driver-0, driver-1, driver-2, driver-3 and 46 more"


# The reference's values, printed by its own enumerations.
REFERENCE = {
    "MemoryType": {"HOST_LOCAL": 70, "DEVICE_VISIBLE": 16, "DEVICE_LOCAL": 48, "HOST_CACHED": 8, "OPTIMAL": 1},
    "MemoryAccess": {"READ": 1, "WRITE": 2, "DISCARD": 4, "DISCARD_WRITE": 6, "ALL": 7},
    "BufferUsage": {
        "TRANSFER": 3,
        "DISPATCH_INDIRECT_PARAMETERS": 256,
        "DISPATCH_UNIFORM_READ": 512,
        "DISPATCH_STORAGE": 3072,
        "DISPATCH_IMAGE": 12288,
        "SHARING_EXPORT": 65536,
        "SHARING_IMMUTABLE": 524288,
        "MAPPING_OPTIONAL": 67108864,
        "MAPPING_ACCESS_SEQUENTIAL_WRITE": 268435456,
        "MAPPING": 150994944,
        "DEFAULT": 3075,
    },
    "BufferCompatibility": {"EXPORTABLE": 4, "QUEUE_TRANSFER": 1024, "QUEUE_DISPATCH": 2048},
    "SemaphoreCompatibility": {"HOST_ONLY": 5, "DEVICE_ONLY": 10, "ALL": 15},
    "Linkage": {"INTERNAL": 0, "IMPORT": 1, "EXPORT": 2, "IMPORT_OPTIONAL": 3, "EXPORT_OPTIONAL": 4},
    "HalElementType": {
        "OPAQUE_64": 64,
        "BOOL_8": 318767112,
        "INT_4": 268435460,
        "SINT_32": 285212704,
        "UINT_64": 301989952,
        "FLOAT_16": 553648144,
        "BFLOAT_16": 570425360,
        "COMPLEX_128": 587202688,
        "FLOAT_8_E4M3_FN": 620757000,
        "FLOAT_8_E4M3_FNUZ": 654311432,
        "FLOAT_8_E5M2": 603979784,
        "FLOAT_8_E5M2_FNUZ": 637534216,
        "FLOAT_8_E8M0_FNU": 671088648,
    },
}


@pytest.mark.parametrize("name", REFERENCE)
def test_enum_values_of_the_reference(name):
    members = getattr(iree_cy, name).__members__
    assert {key: int(members[key]) for key in REFERENCE[name]} == REFERENCE[name]


def test_enums_equal_the_reference_when_it_is_installed():
    binding = pytest.importorskip("iree.runtime._binding", reason="iree-base-runtime is not installed")
    for name in enums.__all__:
        theirs = getattr(binding, name).__members__
        ours = getattr(enums, name).__members__
        value_of = {key: getattr(member, "value", None) for key, member in theirs.items()}
        value_of = {key: int(theirs[key]) if value is None else value for key, value in value_of.items()}
        assert value_of == {key: int(member) for key, member in ours.items()}, name


def test_dtypes_of_elements():
    np = pytest.importorskip("numpy")
    cls = enums.HalElementType
    assert cls.map_to_dtype(cls.FLOAT_32) == np.float32
    assert cls.map_to_dtype(cls.BOOL_8) == np.bool_
    assert cls.map_to_dtype(cls.SINT_16) == np.int16
    with pytest.raises(ValueError, match="OPAQUE_8"):
        cls.map_to_dtype(cls.OPAQUE_8)
    with pytest.raises(ValueError, match="0x63"):
        cls.map_to_dtype(99)
    assert [cls.is_byte_aligned(kind) for kind in (cls.INT_4, cls.INT_8)] == [False, True]
    assert [cls.dense_byte_count(kind) for kind in (cls.INT_4, cls.FLOAT_16, cls.COMPLEX_128)] == [1, 2, 16]


def test_names_are_declared_once_for_people_and_once_for_type_checkers():
    assert sorted({*iree_cy._MODULE_BY_NAME, "__version__"}) == sorted(iree_cy.__all__)
    tree = ast.parse((Path(iree_cy.__file__)).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed == iree_cy._MODULE_BY_NAME


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        iree_cy.nonsense  # noqa: B018


def test_import_is_light():
    code = (
        "import sys, iree_cy; iree_cy.query_available_drivers(); iree_cy.DriverPlugin; iree_cy.StatusError\n"
        "print(sorted({'numpy', 'importlib.metadata', 'iree_cy._core', 'logging'} & set(sys.modules)))"
    )
    folder = str(Path(iree_cy.__file__).parents[1])
    # -S: site-packages may hold .pth files that import what this looks for.
    found = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.append({folder!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "[]\n"


def test_c_status_codes_are_these():
    header = (ROOT / "include/iree_cy/base/status.h").read_text()
    codes = dict(re.findall(r"IREE_STATUS_(\w+) = (\d+),", header))
    assert {name: int(value) for name, value in codes.items()} == {code.name: int(code) for code in errors.StatusCode}


def test_control_characters_are_escaped_everywhere() -> None:
    error = errors.InvalidArgument("a\x1b[2J\nb\x07", annotations=["c\x00"])
    assert str(error) == "a\\x1b[2J\nb\\x07"
    assert all(note.replace("\n", "").isprintable() for note in getattr(error, "__notes__", ()))


def test_what_cannot_be_written_out_is_named_by_its_type() -> None:
    assert errors.quote((10**5000,)) == "an object of type tuple"
    assert errors.quote(10**5000) == "an integer of 16610 bits"
    assert [errors.an("int"), errors.an("str"), errors.an("None")] == ["an int", "a str", "None"]
    assert [errors.counted(1, "result"), errors.counted(2, "result")] == ["1 result", "2 results"]
