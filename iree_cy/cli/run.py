# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `run`: load a program, call one function of it, show, store or compare its results.
"""Run one function of a program."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from iree_cy._devices import find_first
from iree_cy.cli import compile as compiler
from iree_cy.cli.values import (
    IGNORED,
    Value,
    ValueSyntaxError,
    compare,
    count_of,
    format_array,
    format_scalar,
    parse_values,
    store,
)
from iree_cy.errors import FailedPrecondition, NotFound, StatusError, listing, one_line, quote

__all__ = ["EXIT_FAILURE", "EXIT_MISMATCH", "EXIT_OK", "EXIT_USAGE", "UsageError", "run"]

EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_MISMATCH = 3

_RESULTS_RE = re.compile(r"->\s*\((?P<results>.*)\)\s*$", re.DOTALL)
_SCALAR_RE = re.compile(r"(?:%\w+\s*:\s*)?(?P<type>(?:[su]?i|f|bf)[0-9]+)\b")


class UsageError(Exception):
    """A command line that cannot be followed."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command ``run``.

    Returns
    -------
    int
        0, or 3 when a result is not what was expected.

    Raises
    ------
    UsageError
        If an argument is malformed.
    Exception
        Whatever loading and calling raise.
    """
    inputs = _parse_all("--input", arguments.input)
    expected = _parse_expected(arguments.expected_output)
    for output in arguments.output:
        _check_output(output)
    uris: list[str] = arguments.device or [find_first()[0]]
    with _compiled(arguments.file, uris, arguments.compiler_arguments) as path:
        module = _load(path, uris)
        name = _choose_function(module, arguments.function, arguments.file)
        function = module[name]
        print(f"EXEC @{name}", flush=True)
        results = _as_values(function(*inputs))
        types = _result_types(function, len(results))
    if expected is not None:
        return _compare_all(results, expected, arguments)
    if len(arguments.output) > len(results):
        raise UsageError(
            f"{count_of(arguments.output, '--output')} for {count_of(results, 'result')} "
            f"of {name!r}; give one for each at most"
        )
    _emit(results, types, arguments.output, arguments.output_max_element_count)
    return EXIT_OK


@contextlib.contextmanager
def _compiled(path: str, uris: Sequence[str], compiler_arguments: Sequence[str]) -> Iterator[str]:
    if not path.endswith(compiler.SOURCE_SUFFIXES):
        if compiler_arguments:
            raise UsageError(f"arguments after -- are for the compiler, and {path} is compiled already")
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="iree-cy-") as folder:
        stem = os.path.splitext(os.path.basename(path))[0]
        output = os.path.join(folder, f"{stem}.vmfb")
        flags = compiler.compile_flags(uris)
        if not flags and not compiler_arguments:
            drivers = listing((uri.partition(":")[0] for uri in uris), 60)
            raise FailedPrecondition(
                f"{quote(os.path.basename(path), 40)} cannot be compiled for {drivers}: no compile flags are declared "
                "by the driver; give iree-compile's own after --, or run a .vmfb"
            )
        compiler.compile_program(path, output, [*flags, *compiler_arguments])
        yield output


def _load(path: str, uris: Sequence[str]) -> Any:
    import iree_cy

    config = iree_cy.Config(device=[iree_cy.get_device(uri) for uri in uris])
    return iree_cy.load_vm_module(iree_cy.VmModule.mmap(config.vm_instance, path), config)


def _choose_function(module: Any, name: str | None, path: str) -> str:
    names = [item for item in module.vm_module.function_names if not item.startswith("__")]
    if name is None:
        if len(names) == 1:
            return str(names[0])
        raise UsageError(f"{path} has {count_of(names, 'function')}, choose with --function: {listing(names, 110)}")
    if name not in module.vm_module.function_names:
        raise NotFound(f"no function {quote(name, 50)} in {os.path.basename(path)}; it has: {listing(names)}")
    return name


def _parse_all(flag: str, texts: Sequence[str]) -> list[Value]:
    values: list[Value] = []
    for text in texts:
        try:
            values.extend(parse_values(text))
        except ValueSyntaxError as error:
            raise UsageError(f"{flag}: {error}") from None
    return values


def _parse_expected(texts: Sequence[str]) -> list[Value | None] | None:
    if not texts:
        return None
    values: list[Value | None] = []
    for text in texts:
        if text.strip() == IGNORED:
            values.append(None)
        else:
            values.extend(_parse_all("--expected_output", [text]))
    return values


def _check_output(output: str) -> None:
    if output not in ("", "-") and not (output.startswith("@") and len(output) > 1):
        raise UsageError(
            f"--output: {quote(output)} is none of '-' (print), '' (drop), '@file.npy', "
            "'@file.npz', '@file.bin' (raw bytes)"
        )


def _as_values(results: Any) -> list[Value]:
    if results is None:
        return []
    items = results if isinstance(results, (tuple, list)) else [results]
    return [_as_value(item) for item in items]


def _as_value(item: Any) -> Value:
    if isinstance(item, np.generic):
        item = item.item()
    return item if isinstance(item, (int, float, np.ndarray)) else np.asarray(item)


def _result_types(function: Any, count: int) -> list[str | None]:
    # A scalar result comes as a Python number; how wide it is stands in the declaration only.
    declaration = getattr(function, "vm_function", function).reflection.get("iree.abi.declaration")
    types: list[str | None] = []
    match = _RESULTS_RE.search(declaration or "")
    if match is not None:
        for part in _split_top_level(match["results"]):
            scalar = _SCALAR_RE.match(part.strip())
            types.append(scalar["type"] if scalar is not None else None)
    return types if len(types) == count else [None] * count


def _split_top_level(text: str) -> Iterator[str]:
    depth = start = 0
    for i, character in enumerate(text):
        if character in "<({[":
            depth += 1
        elif character in ">)}]":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    if text[start:].strip():
        yield text[start:]


def _emit(
    results: Sequence[Value],
    types: Sequence[str | None],
    outputs: Sequence[str],
    max_elements: int,
) -> None:
    for i, value in enumerate(results):
        output = outputs[i] if i < len(outputs) else ("-" if not outputs else "")
        if output == "-":
            if isinstance(value, np.ndarray):
                print(f"result[{i}]: hal.buffer_view\n{format_array(value, max_elements)}")
            else:
                print(f"result[{i}]: {format_scalar(value, types[i])}")
        elif output:
            path = output[1:]
            store(path, value, raw=not path.endswith((".npy", ".npz")))


def _compare_all(results: Sequence[Value], expected: Sequence[Value | None], arguments: argparse.Namespace) -> int:
    problems = []
    if len(results) != len(expected):
        problems.append(f"{count_of(results, 'result')}, expected {len(expected)}")
    else:
        for i, (value, wanted) in enumerate(zip(results, expected, strict=True)):
            if wanted is None:
                continue
            problem = compare(value, wanted, rtol=arguments.rtol, atol=arguments.atol)
            if problem is not None:
                problems.append(f"result[{i}] {problem}")
    for problem in problems:
        print(f"[FAILED] {problem}")
    if problems:
        return EXIT_MISMATCH
    print("[SUCCESS] all results are as expected")
    return EXIT_OK


def report(error: BaseException) -> None:
    """Print an error to stderr, with its details where it has any."""
    lines = [f"iree-cy: {error}" if str(error) else f"iree-cy: {type(error).__name__}"]
    if isinstance(error, StatusError):
        lines += [f"  {annotation}" for annotation in error.annotations]
        # What a driver says in words of its own, where the sentence above has not said it already.
        told = one_line(error.__cause__) if error.__cause__ is not None else ""
        if told.partition(";")[0] not in "\n".join(lines):
            lines.append(f"  {told}")
    print("\n".join(lines), file=sys.stderr)
