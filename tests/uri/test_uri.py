# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of the URI grammar.
from __future__ import annotations

import pytest

from iree_cy.errors import InvalidArgument
from iree_cy.uri import parse_device_uri, split_uri_list


@pytest.mark.parametrize(
    ("text", "driver", "distribution", "path", "ordinal", "params"),
    [
        ("local-sync", "local-sync", None, "", None, ()),
        ("local-sync://", "local-sync", None, "", None, ()),
        ("cuda:12", "cuda", None, "", 12, ()),
        ("cuda@iree-cy-cuda", "cuda", "iree-cy-cuda", "", None, ()),
        ("cuda@Iree.Cy_Cuda://0", "cuda", "Iree.Cy_Cuda", "0", None, ()),
        ("vulkan://GPU a/b:c@d%2Cé//x", "vulkan", None, "GPU a/b:c@d%2Cé//x", None, ()),
        ("x://?a=1", "x", None, "", None, (("a", "1"),)),
        ("x://p?a=1&b=", "x", None, "p", None, (("a", "1"), ("b", ""))),
        ("x://p?a%26b=%3D%2C%C3%A9+%25", "x", None, "p", None, (("a&b", "=,é+%"),)),
        ("x://p?a=b=c?d", "x", None, "p", None, (("a", "b=c?d"),)),
        ("d0://a://b", "d0", None, "a://b", None, ()),
    ],
)
def test_parts(text, driver, distribution, path, ordinal, params):
    uri = parse_device_uri(text)
    assert (uri.driver, uri.distribution, uri.path, uri.ordinal, uri.params) == (
        driver,
        distribution,
        path,
        ordinal,
        params,
    )
    assert uri.text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " local-sync",
        "local-sync ",
        "local-sync\n",
        "-x",
        "x-",
        "a/b",
        "://p",
        "x:",
        "x:-1",
        "x:1:2",
        "x:a",
        "x:/p",
        "x:1://p",
        "x@",
        "x@://",
        "x@d:0",
        "x@d@e",
        "x?a=1",
        "x://p?",
        "x://p?a",
        "x://p?=1",
        "x://p?a=1&",
        "x://p?a=1&&b=2",
        "x://p?a=1&a=2",
        "x://p?a=%",
        "x://p?a=%4",
        "x://p?a=%zz",
        "x://p?a=%ff",
        "x://p\0",
        "x://p?a=%00",
        "\N{ARABIC-INDIC DIGIT ONE}",
        "x:\N{ARABIC-INDIC DIGIT ONE}",
        "x" * 3000 + "?",
    ],
)
def test_malformed(text):
    with pytest.raises(InvalidArgument, match="malformed device URI") as caught:
        parse_device_uri(text)
    line = str(caught.value).partition("\n")[0]
    assert len(line) <= 200
    assert "name[@distribution][://" in line


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("x:1?cap=2", "x://1?cap=2"),
        ("x:1?a=b&c=d", "x://1?a=b&c=d"),
        ("x@d:0", "x@d://0"),
        ("x@d:0?a=1", "x@d://0?a=1"),
    ],
)
def test_ordinal_with_more(text, use):
    with pytest.raises(InvalidArgument, match="malformed device URI") as caught:
        parse_device_uri(text)
    assert f"malformed device URI {text!r}: use {use!r}; write name[" in str(caught.value)
    assert parse_device_uri(use).path in ("0", "1")


def test_ordinal_with_much_more():
    with pytest.raises(InvalidArgument, match="malformed device URI") as caught:
        parse_device_uri("x:1?a=" + "y" * 300)
    assert len(str(caught.value).partition("\n")[0]) <= 200


def test_not_a_string():
    with pytest.raises(TypeError, match="not int"):
        parse_device_uri(3)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("", []),
        (" , ,", []),
        ("a", ["a"]),
        ("a, b://x ,c", ["a", "b://x", "c"]),
        ("a://x%2Cy?k=1%2c2,b", ["a://x,y?k=1,2", "b"]),
        ("a://x?k=%252C", ["a://x?k=%252C"]),
    ],
)
def test_list(text, items):
    assert split_uri_list(text) == items
