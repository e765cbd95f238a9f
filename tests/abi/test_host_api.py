# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that what is generated from the host functions is up to date, and that the reader of headers is right.
"""The host table and what is generated from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from build_tools.c_headers import HeaderError, read_header
from build_tools.gen_host_api import ROOT, generate, read_api


def test_generated_files_are_current() -> None:
    for path, text in generate().items():
        assert (ROOT / path).read_text() == text, f"{path}: run python -m build_tools.gen_host_api"


def test_every_exported_function_has_a_row() -> None:
    """Counted by the bare word, independent of the reader that the generator uses."""
    names = set()
    for path in (ROOT / "include").rglob("*.h"):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        text = re.sub(r"^#define[^\n]*", "", text, flags=re.MULTILINE)
        names |= {
            re.findall(r"(\w+)\s*\(", re.sub(r"\bIREE_PRINTF_ATTRIBUTE\([^)]*\)", "", m))[0]
            for m in re.findall(r"\bIREE_API_EXPORT\b([^;]*);", text)
        }
    assert names == {function.name for function in read_api().functions}


def test_tables_begin_alike() -> None:
    """Both tables that cross the border begin with size, version and reserved words, at fixed places."""
    text = (ROOT / "tests/abi/layout.txt").read_text()
    for name in ("iree_cy_host_api_t", "iree_cy_driver_plugin_t"):
        head = re.search(rf"struct {name}: .*\n(.*)\n(.*)\n(.*)\n", text)
        assert head
        assert [re.sub(r"\s+", " ", line.strip()) for line in head.groups()] == [
            "0 4 uint32_t size",
            "4 4 uint32_t version",
            "8 8 uint64_t reserved",
        ]


HEADER = """
#include "iree_cy/base/status.h"
// A comment; with (brackets) { and IREE_API_EXPORT void not_me(void);
#define MACRO(x) \\
  IREE_API_EXPORT void not_me_##x(void);
typedef uint32_t demo_flags_t;
typedef void (*demo_fn_t)(void* self, int32_t (*inner)(int32_t a));
enum demo_e { DEMO_A = 1u << 0, DEMO_B };
typedef struct demo_t {
  uint32_t size;
  union {
    int64_t i;  // a comment
    double f;
  };
  struct {
    char text[4];
  } named;
  iree_status_t (*call)(void* self,
                        const char* const* names);
  uintptr_t reserved[2];
} demo_t;
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
demo_call(const demo_t* const* demos, iree_host_size_t count,
          demo_fn_t callback, char text[4]) IREE_PRINTF_ATTRIBUTE(1, 2);
IREE_API_EXPORT const char* demo_name(void);
"""


def test_reads_what_our_headers_use(tmp_path: Path) -> None:
    path = tmp_path / "demo.h"
    path.write_text(HEADER)
    header = read_header(path, "iree_cy/demo.h")
    assert header.includes == ("iree_cy/base/status.h",)
    assert [f.signature for f in header.functions] == [
        "iree_status_t demo_call(const demo_t* const* demos, iree_host_size_t count, demo_fn_t callback, char text[4])",
        "const char* demo_name(void)",
    ]
    assert [p.name for p in header.functions[0].parameters] == ["demos", "count", "callback", "text"]
    assert header.scalar_types == ("demo_flags_t",)
    assert [t.name for t in header.function_types] == ["demo_fn_t"]
    assert header.constants == ("DEMO_A", "DEMO_B")
    assert [m.path for m in header.records[0].members] == [
        "size",
        "i",
        "f",
        "named",
        "named.text",
        "call",
        "reserved",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("IREE_API_EXPORT void f(const char* format, ...);", "variadic"),
        ("IREE_API_EXPORT void f(int32_t);", "no name"),
        ("struct s {\n  uint32_t a : 3;\n};", "bit-field"),
        ("struct s {\n  uint32_t a, b;\n};", "one declaration"),
    ],
)
def test_refuses_what_has_no_fixed_meaning(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "demo.h"
    path.write_text(text)
    with pytest.raises(HeaderError, match=why):
        read_header(path, "demo.h")
