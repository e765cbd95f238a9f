# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of what a plugin declares and of how parameters are checked.
from __future__ import annotations

import enum

import numpy as np
import pytest

from iree_cy import DriverPlugin, Parameter
from iree_cy.errors import InvalidArgument
from iree_cy.plugins.driver_plugin import canonical_params


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


PLUGIN = DriverPlugin(
    "toy",
    "Toy",
    "/lib.so",
    parameters=[
        ("workers", int, None, "threads"),
        Parameter("ratio", float, 0.5, "a ratio"),
        ("fast", bool, False, "be fast"),
        ("label", str, "x", "a label"),
        ("mode", ("fifo", "lifo"), "fifo", "the order"),
        ("color", Color, Color.RED, "the color"),
    ],
    compile_flags=["--flag"],
)


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ({}, ()),
        (None, ()),
        ({"workers": 4}, (("workers", "4"),)),
        ({"workers": "+004"}, (("workers", "4"),)),
        ({"workers": np.int8(-4)}, (("workers", "-4"),)),
        ({"workers": 10**30}, (("workers", str(10**30)),)),
        ({"ratio": "1e0"}, (("ratio", "1.0"),)),
        ({"ratio": 2}, (("ratio", "2.0"),)),
        ({"ratio": ".50"}, ()),
        ({"ratio": np.float32(0.25)}, (("ratio", "0.25"),)),
        ({"fast": True}, (("fast", "true"),)),
        ({"fast": "ON"}, (("fast", "true"),)),
        ({"fast": "1"}, (("fast", "true"),)),
        ({"fast": np.bool_(True)}, (("fast", "true"),)),
        ({"fast": "no"}, ()),
        ({"label": ""}, (("label", ""),)),
        ({"label": "x"}, ()),
        ({"mode": "lifo"}, (("mode", "lifo"),)),
        ({"mode": "fifo"}, ()),
        ({"color": "blue"}, (("color", "blue"),)),
        ({"color": Color.BLUE}, (("color", "blue"),)),
        ({"color": Color.RED}, ()),
        ({"label": "b", "workers": "1"}, (("workers", "1"), ("label", "b"))),
        ([("label", "b")], (("label", "b"),)),
    ],
)
def test_canonical(given, canonical):
    assert canonical_params(PLUGIN, given) == canonical


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"workers": "four"}, "parameter 'workers' of driver 'toy' is int, not 'four'"),
        ({"workers": 2.7}, "is int, not 2.7"),
        ({"workers": True}, "is int, not True"),
        ({"workers": "1_0"}, "is int, not '1_0'"),
        ({"workers": " 1"}, "is int, not ' 1'"),
        ({"workers": ""}, "is int, not ''"),
        ({"workers": None}, "is int, not None"),
        ({"ratio": "half"}, "is float, not 'half'"),
        ({"ratio": "nan"}, "is float, not 'nan'"),
        ({"fast": "maybe"}, "is bool, not 'maybe'"),
        ({"fast": 2}, "is bool, not 2"),
        ({"label": 3}, "is str, not int"),
        ({"label": "a\0b"}, "is str, not 'a\\x00b', which holds a NUL character"),
        ({"mode": "random"}, "'mode' of driver 'toy' is fifo|lifo, not 'random'"),
        ({"color": "green"}, "is red|blue, not 'green'"),
        ({"wrkrs": 1}, "driver 'toy' has no parameter 'wrkrs'; it has: workers, ratio, fast, label, mode, color"),
        ({"x" * 500: 1}, "driver 'toy' has no parameter"),
        ({"workers": "9" * 5000}, "is int, not"),
    ],
)
def test_refused(given, message):
    with pytest.raises(InvalidArgument) as caught:
        canonical_params(PLUGIN, given)
    assert message in str(caught.value)
    assert len(str(caught.value)) <= 200


def test_driver_without_parameters():
    with pytest.raises(InvalidArgument, match="its devices take none"):
        canonical_params(DriverPlugin("bare", "Bare", "/x.so"), {"a": 1})


def test_params_of_another_type():
    with pytest.raises(TypeError, match="params is a mapping"):
        canonical_params(PLUGIN, 3)


@pytest.mark.parametrize(
    ("arguments", "keywords", "cls", "message"),
    [
        (("a b", "x", "/x.so"), {}, InvalidArgument, "cannot be a driver's name"),
        ((3, "x", "/x.so"), {}, InvalidArgument, "cannot be a driver's name"),
        (("toy_", "x", "/x.so"), {}, InvalidArgument, "with '.', '_' and '-' between them"),
        (("toy", "x", None), {}, TypeError, "PathLike"),
        (("toy", "x", "x.so"), {}, InvalidArgument, "library of driver 'toy' is 'x.so', relative"),
        (("toy", "x", ""), {}, InvalidArgument, "give an absolute path"),
        (("toy", None, "/x.so"), {}, TypeError, "human_name of driver 'toy' is a str, not None"),
        (("toy", "x", "/x.so"), {"parameters": [("a", int, "1")]}, InvalidArgument, "default .* is not int but '1'"),
        (("toy", "x", "/x.so"), {"parameters": [("a", float, "1")]}, InvalidArgument, "is not float but '1'"),
        (("toy", "x", "/x.so"), {"parameters": [("a", bool, "1")]}, InvalidArgument, "is not bool but '1'"),
        (("toy", "x", "/x.so"), {"parameters": ["ab"]}, TypeError, "as .name, type, default, help., not 'ab'"),
        (("toy", "x", "/x.so"), {"parameters": [("a",)]}, TypeError, "driver 'toy' declares a parameter as"),
        (("toy", "x", "/x.so"), {"parameters": [(1, int)]}, TypeError, "driver 'toy' declares a parameter as"),
        (("toy", "x", "/x.so"), {"check": "no"}, TypeError, "check is a function"),
        (("toy", "x", "/x.so"), {"compile_flags": "--x"}, TypeError, "sequence of str"),
        (("toy", "x", "/x.so"), {"target_backends": "x"}, TypeError, "sequence of str"),
        (("toy", "x", "/x.so"), {"parameters": [("a", list)]}, InvalidArgument, "has the type"),
        (("toy", "x", "/x.so"), {"parameters": [("a", int), ("a", str)]}, InvalidArgument, "twice"),
        (("toy", "x", "/x.so"), {"parameters": [("a", int, "b")]}, InvalidArgument, "default of parameter 'a'"),
    ],
)
def test_wrong_declarations(arguments, keywords, cls, message):
    with pytest.raises(cls, match=message):
        DriverPlugin(*arguments, **keywords)
