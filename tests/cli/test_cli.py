# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of the command line's commands, with a program that is a Python object.
from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import iree_cy
from iree_cy.cli import compile as compiler
from iree_cy.cli.command_line import main
from iree_cy.errors import Internal, Unavailable

FOLDER = Path(iree_cy.__file__).parents[1]


class Function:
    def __init__(self, call, declaration):
        self.call = call
        self.vm_function = self
        self.reflection = {"iree.abi.declaration": declaration} if declaration else {}

    def __call__(self, *arguments):
        return self.call(*arguments)


class Program:
    """Stands for a loaded program: functions by name."""

    def __init__(self, functions):
        self.functions = functions
        self.vm_module = self
        self.function_names = ["__init", *functions]

    def __getitem__(self, name):
        return self.functions[name]


@pytest.fixture
def program(site, fake_core, monkeypatch):
    site.driver("toy", extra="compile_flags=('--toy', '--cpu=x')")
    monkeypatch.delenv("IREE_DEFAULT_DEVICE", raising=False)
    functions = {
        "mul": Function(lambda a, b: a * b, "sync func @mul(%a: tensor<4xf32>) -> (%r: tensor<4xf32>)"),
        "two": Function(
            lambda: (3, 2.5, np.ones((2, 2), np.float32)),
            "sync func @two() -> (%0: i32, %1: f32, %2: tensor<2x2xf32> {a = dense<(1, 2)>})",
        ),
        "nothing": Function(lambda: None, None),
        "fails": Function(lambda: (_ for _ in ()).throw(Internal("went wrong", annotations=["deep inside"])), None),
    }
    made = Program(functions)
    made.loaded = []

    class VmModule:
        @staticmethod
        def mmap(instance, path):
            if not Path(path).exists():
                raise FileNotFoundError(2, "No such file or directory", path)
            made.loaded.append((path, Path(path).read_text()))
            return path

    def load_vm_module(module, config):
        made.config = config
        return made

    monkeypatch.setitem(iree_cy.__dict__, "VmModule", VmModule)
    monkeypatch.setitem(iree_cy.__dict__, "load_vm_module", load_vm_module)
    return made


@pytest.fixture
def vmfb(tmp_path):
    path = tmp_path / "model.vmfb"
    path.write_text("compiled")
    return str(path)


class TestListDrivers:
    def test_names_and_origins(self, site, fake_core, capsys):
        site.driver("toy", "iree-cy-toy", "1.25", body="raise SystemError('imported')")
        site.distribution("b", "2", drivers={"another": "m:p"})
        assert main(["list-drivers"]) == 0
        assert capsys.readouterr().out == "another  b 2\ntoy      iree-cy-toy 1.25\n"
        assert fake_core.loaded == []

    def test_verbose(self, site, fake_core, capsys):
        site.driver("toy")
        site.distribution("b", "2", drivers={"broken": "toy_missing:p"})
        assert main(["list-drivers", "-v"]) == 0
        broken, toy = capsys.readouterr().out.splitlines()
        assert toy == "toy     iree-cy-toy 1.0  Toy toy"
        assert "No module named 'toy_missing'" in broken
        assert fake_core.loaded == []

    def test_duplicates(self, site, fake_core, capsys):
        site.driver("toy", "alpha")
        site.driver("toy", "zeta")
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            assert main(["list-drivers"]) == 0
        captured = capsys.readouterr()
        assert captured.out == "toy  alpha 1.0  (also from zeta 1.0)\n"
        assert captured.err.startswith("iree-cy: warning: driver 'toy' is taken from alpha 1.0")

    def test_none(self, site, fake_core, capsys):
        assert main(["list-drivers"]) == 0
        assert capsys.readouterr().out == "no drivers are installed\n"


class TestListDevices:
    def test_devices_and_reasons(self, site, fake_core, capsys):
        site.driver("toy")
        site.driver("absent", "iree-cy-absent", extra="check=lambda: 'there is no such hardware'")
        site.driver("empty", "iree-cy-empty")

        def load(name, library):
            return fake_core.HalDriver(name, [] if name == "empty" else None)

        fake_core.on_load = load
        assert main(["list-devices"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "driver 'absent' (iree-cy-absent 1.0) cannot be used: there is no such hardware",
            "empty: no devices",
            "toy://first  the first one",
            "toy://second,b  the second one",
        ]

    def test_some(self, site, fake_core, capsys):
        site.driver("toy")
        site.driver("other", "iree-cy-other")
        assert main(["list-devices", "toy", "nonsense", "a b", "-v"]) == 1
        lines = capsys.readouterr().out.splitlines()
        assert lines[:4] == [
            "toy://first  the first one",
            "    details of 0",
            "toy://second,b  the second one",
            "    details of 7",
        ]
        assert lines[4].startswith("no driver 'nonsense'")
        assert lines[5].startswith("malformed device URI")
        assert [name for name, _ in fake_core.loaded] == ["toy"]

    def test_driver_that_fails_to_list(self, site, fake_core, capsys):
        site.driver("toy")
        driver = fake_core.HalDriver("toy")
        driver.query_available_devices = lambda: 1 / 0
        fake_core.on_load = lambda name, library: driver
        assert main(["list-devices"]) == 0
        assert capsys.readouterr().out == "toy: ZeroDivisionError: division by zero\n"
        assert main(["list-devices", "toy"]) == 1

    def test_exit_code_of_what_was_named(self, site, fake_core):
        site.driver("toy")
        site.driver("empty", "iree-cy-empty")
        site.driver("broken", "iree-cy-broken", extra="check=lambda: 'there is no such hardware'")
        fake_core.on_load = lambda name, library: fake_core.HalDriver(name, [] if name == "empty" else None)
        assert main(["list-devices", "toy"]) == 0
        assert main(["list-devices", "empty"]) == 0
        assert main(["list-devices", "broken"]) == 1
        assert main(["list-devices", "nosuch"]) == 1


class TestRun:
    def test_prints_results(self, program, vmfb, capsys):
        arguments = ["--function=mul", "--input=4xf32=1,2,3,4", "--input=4xf32=2", "--device=toy"]
        assert main(["run", vmfb, *arguments]) == 0
        assert capsys.readouterr().out == "EXEC @mul\nresult[0]: hal.buffer_view\n4xf32=2 4 6 8\n"
        assert program.config.devices == (iree_cy.get_device("toy"),)

    def test_scalars_take_their_type_from_the_declaration(self, program, vmfb, capsys):
        assert main(["run", vmfb, "--function=two", "--device=toy"]) == 0
        assert capsys.readouterr().out == (
            "EXEC @two\nresult[0]: i32=3\nresult[1]: f32=2.5\nresult[2]: hal.buffer_view\n2x2xf32=[1 1][1 1]\n"
        )

    def test_no_results(self, program, vmfb, capsys):
        assert main(["run", vmfb, "--function=nothing", "--device=toy"]) == 0
        assert capsys.readouterr().out == "EXEC @nothing\n"

    def test_several_devices(self, program, vmfb):
        assert main(["run", vmfb, "--function=nothing", "--device=toy:1", "--device=toy:0"]) == 0
        assert [device.device_id for device in program.config.devices] == [7, 0]

    def test_default_device(self, program, vmfb, monkeypatch):
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent,toy:1")
        assert main(["run", vmfb, "--function=nothing"]) == 0
        assert program.config.device.device_id == 7

    def test_files(self, program, vmfb, tmp_path, capsys):
        np.save(tmp_path / "x.npy", np.arange(4, dtype=np.float32))
        outputs = [f"--output=@{tmp_path}/y.npy"]
        inputs = [f"--input=@{tmp_path}/x.npy", "--input=4xf32=3"]
        assert main(["run", vmfb, "--function=mul", "--device=toy", *inputs, *outputs]) == 0
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.array([0, 3, 6, 9], np.float32), strict=True)
        assert capsys.readouterr().out == "EXEC @mul\n"

    def test_outputs_in_order(self, program, vmfb, tmp_path, capsys):
        outputs = ["--output=", "--output=-", f"--output=@{tmp_path}/raw.bin"]
        assert main(["run", vmfb, "--function=two", "--device=toy", *outputs]) == 0
        assert capsys.readouterr().out == "EXEC @two\nresult[1]: f32=2.5\n"
        assert (tmp_path / "raw.bin").read_bytes() == np.ones(4, np.float32).tobytes()

    def test_expected(self, program, vmfb, capsys):
        base = ["run", vmfb, "--function=two", "--device=toy"]
        good = ["--expected_output=i32=3", "--expected_output=(ignored)", "--expected_output=2x2xf32=1.00001"]
        assert main([*base, *good]) == 0
        assert "[SUCCESS]" in capsys.readouterr().out
        bad = ["--expected-output=3", "--expected-output=2.5", "--expected-output=2x2xf32=1 1 1 2"]
        assert main([*base, *bad]) == 3
        assert "[FAILED] result[2] differs at 1 of 4 elements, first at index 3: 1, expected 2" in (
            capsys.readouterr().out
        )
        assert main([*base, *bad, "--atol=1"]) == 0
        assert main([*base, *good[:2]]) == 3
        assert "3 results, expected 2" in capsys.readouterr().out

    def test_one_function_needs_no_name(self, program, vmfb, capsys):
        for name in ("mul", "two", "fails"):
            del program.functions[name]
            program.function_names.remove(name)
        assert main(["run", vmfb, "--device=toy"]) == 0
        assert capsys.readouterr().out == "EXEC @nothing\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "has 4 functions, choose with --function: mul, two, nothing, fails"),
            (["--function=mul", "--input=4xf32=1,2,3"], "--input: '4xf32=1,2,3': 3 values for 4 elements"),
            (["--function=mul", "--expected_output=?"], "--expected_output: '?' is no value"),
            (["--function=nothing", "--output=-"], "1 --output for 0 results of 'nothing'"),
            (["--function=mul", "--output=+y.npy"], "--output: '+y.npy' is none of"),
            (["--function=mul", "--", "--flag"], "arguments after -- are for the compiler"),
        ],
    )
    def test_usage(self, program, vmfb, capsys, arguments, message):
        assert main(["run", vmfb, "--device=toy", *arguments]) == 2
        assert message in capsys.readouterr().err

    @pytest.mark.parametrize(
        "arguments", [[], ["run"], ["run", "x", "--nonsense"], ["nonsense"], ["run", "x", "--rtol=a"]]
    )
    def test_grammar(self, arguments, capsys):
        assert main(arguments) == 2
        assert "usage:" in capsys.readouterr().err

    def test_compiler_arguments_elsewhere(self, capsys):
        assert main(["list-drivers", "--", "x"]) == 2

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--function=nonsense"], "no function 'nonsense' in model.vmfb; it has: mul, two, nothing, fails"),
            (["--function=fails"], "iree-cy: went wrong\n  deep inside\n"),
            (["--function=mul"], "missing 2 required positional arguments"),
            (["--function=mul", "--input=@/missing/x.npy"], "No such file"),
            (["--function=mul", "--device=absent"], "no driver 'absent'; there are: toy"),
        ],
    )
    def test_failure(self, program, vmfb, capsys, arguments, message):
        assert main(["run", vmfb, "--device=toy", *arguments]) == 1
        error = capsys.readouterr().err
        assert error.startswith("iree-cy: ")
        assert message in error

    def test_missing_file(self, program, capsys):
        assert main(["run", "/missing/model.vmfb", "--device=toy"]) == 1
        assert "/missing/model.vmfb" in capsys.readouterr().err

    def test_no_device(self, program, vmfb, monkeypatch, capsys):
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent")
        assert main(["run", vmfb]) == 1
        error = capsys.readouterr().err
        assert "IREE_DEFAULT_DEVICE=absent" in error
        assert "absent: no driver 'absent'" in error


class TestCompile:
    @pytest.fixture
    def source(self, tmp_path):
        path = tmp_path / "model.mlir"
        path.write_text("module {}")
        return str(path)

    def use(self, monkeypatch, tmp_path, code):
        script = tmp_path / "compiler.py"
        script.write_text(code)
        monkeypatch.setattr(compiler, "find_compiler", lambda: [sys.executable, "-S", str(script)])

    def test_for_the_asked_device(self, program, source, monkeypatch, tmp_path, capfd):
        self.use(monkeypatch, tmp_path, "import sys; open(sys.argv[3], 'w').write(' '.join(sys.argv[1:]))")
        assert main(["run", source, "--function=nothing", "--device=toy", "--", "--mine", "--cpu=y"]) == 0
        ((path, text),) = program.loaded
        assert text == f"{source} -o {path} --toy --cpu=x --mine --cpu=y"
        assert path.endswith("/model.vmfb")
        assert not Path(path).exists()

    def test_for_the_default_device(self, program, source, monkeypatch, tmp_path):
        self.use(monkeypatch, tmp_path, "import sys; open(sys.argv[3], 'w').write(' '.join(sys.argv[4:]))")
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "absent,toy")
        assert main(["run", source, "--function=nothing"]) == 0
        assert program.loaded[0][1] == "--toy --cpu=x"

    def test_driver_without_flags(self, program, source, site, monkeypatch, tmp_path, capsys):
        self.use(monkeypatch, tmp_path, "import sys; open(sys.argv[3], 'w').write(' '.join(sys.argv[4:]))")
        site.driver("bare", "iree-cy-bare")
        assert main(["run", source, "--function=nothing", "--device=bare://first"]) == 1
        assert capsys.readouterr().err == (
            "iree-cy: 'model.mlir' cannot be compiled for bare: no compile flags are declared by the driver; "
            "give iree-compile's own after --, or run a .vmfb\n"
        )
        assert program.loaded == []
        assert main(["run", source, "--function=nothing", "--device=bare", "--", "--mine"]) == 0
        assert program.loaded[0][1] == "--mine"

    def test_refusal(self, program, source, monkeypatch, tmp_path, capsys):
        self.use(monkeypatch, tmp_path, "import sys; print('line 3: error'); sys.exit(7)")
        assert main(["run", source, "--device=toy"]) == 1
        error = capsys.readouterr().err
        assert f"iree-compile gave up on {source} with exit code 7; it said:\nline 3: error\n" in error

    def test_no_compiler(self, program, source, monkeypatch, capsys):
        monkeypatch.setattr(compiler, "find_compiler", lambda: None)
        assert main(["run", source, "--device=toy"]) == 1
        assert 'iree-compile is not here: pip install "iree-cy[compiler]"' in capsys.readouterr().err

    def test_missing_source(self, program, capsys):
        assert main(["run", "/missing/model.mlir", "--device=toy"]) == 1
        assert "/missing/model.mlir" in capsys.readouterr().err

    def test_finding_the_compiler(self, site, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        spec = None
        monkeypatch.setattr("importlib.util.find_spec", lambda name: spec)
        assert compiler.find_compiler() is None
        program = tmp_path / "iree-compile"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        assert compiler.find_compiler() == [str(program)]
        spec = object()
        assert compiler.find_compiler() == [sys.executable, "-m", "iree.compiler.tools.scripts.iree_compile"]

        def broken(name):
            raise ModuleNotFoundError(name)

        monkeypatch.setattr("importlib.util.find_spec", broken)
        assert compiler.find_compiler() == [str(program)]


class TestInfo:
    def test_as_a_module(self):
        code = (
            "import sys, runpy; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('iree_cy', run_name='__main__')"
        )
        result = subprocess.run(
            [sys.executable, "-c", code, str(FOLDER), "--version"], capture_output=True, text=True, check=False
        )
        assert (result.returncode, result.stdout) == (0, f"iree-cy {iree_cy.__version__}\n")

    def test_build_flags(self, fake_core, capsys):
        fake_core.build_info = lambda: {"sanitize": "none", "abi": 1}
        assert main(["info"]) == 0
        rows = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
        assert rows["iree-cy"] == iree_cy.__version__
        assert rows["include"] == iree_cy.get_include()
        assert (Path(rows["include"]) / "iree_cy/plugin.h").is_file()
        assert (rows["sanitize"], rows["abi"]) == ("none", "1")

    def test_without_a_core(self, fake_core, capsys):
        def broken():
            raise Unavailable("it was not built")

        fake_core.build_info = broken
        assert main(["info"]) == 0
        assert "core     it was not built" in capsys.readouterr().out


def test_interrupt(fake_core, site, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("iree_cy.plugins.registry.discover", interrupted)
    assert main(["list-drivers"]) == 130


def test_closed_pipe():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from iree_cy.cli.command_line import main; "
        "sys.stdin.read(); sys.exit(main(['info']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(FOLDER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1
