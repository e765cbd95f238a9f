# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Checks the built wheel and sdist: what they hold, and that the wheel works alone, outside the tree.
"""Check the packages in a folder: ``python .ci/check_packages.py dist``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

from build_tools.plugins import template_files  # noqa: E402
from tests.support.programs import compile_program  # noqa: E402

PROGRAM = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

USE = """
import sys
import numpy as np
import iree_cy as rt
assert "site-packages" in rt.__file__, rt.__file__
config = rt.Config(device=rt.get_device("local-sync"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
result = module.main(np.array([1, 2, 3, 4], np.float32), np.array([5, 6, 7, 8], np.float32)).to_host()
assert result.tolist() == [5.0, 12.0, 21.0, 32.0], result
"""


def check_names(wheel: Path, sdist: Path) -> None:
    """See that the wheel holds what users need and no sources, and the sdist all that builds."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    template = [name for name in names if name.startswith("iree_cy/_template/")]
    assert len(template) == len(template_files()), template
    for name in set(names) - set(template):
        assert name.startswith(("iree_cy/", "iree_cy-")), f"{wheel.name} installs {name}"
        assert not name.endswith((".c", ".pyx", ".inl", ".cc", ".o", ".a")), f"{wheel.name} holds the source {name}"
        if name.endswith(".h"):
            assert name.startswith("iree_cy/include/iree_cy/"), f"{wheel.name} holds the private header {name}"
    headers = {path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.h")}
    packed = {name.removeprefix("iree_cy/include/") for name in names if name.endswith(".h")}
    assert packed == headers, packed ^ headers
    for name in ("iree_cy/py.typed", "iree_cy/_core.pxd", "iree_cy/_core.pyi", "iree_cy/include/iree_cy/host_api.inc"):
        assert name in names, f"{wheel.name} lacks {name}"
    with tarfile.open(sdist) as tar:
        sources = tar.getnames()
    assert not [name for name in sources if re.search(r"\.(so|o|a|pyc)$", name)]
    assert any(name.endswith("iree_cy/_core.pyx") for name in sources)


def run(*command: str | Path, **environment: str) -> str:
    """Run a command outside the tree, with no variable that leads into it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "IREE_", "VIRTUAL_ENV"))}
    done = subprocess.run(
        command, cwd=tempfile.gettempdir(), env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def conformance(python: Path, driver: str) -> str:
    """Run the conformance suite with nothing but pytest; return its verdict."""
    suite = ("--pyargs", "iree_cy.testing.conformance", "-p", "no:cacheprovider", f"--driver={driver}")
    verdict = run(python, "-W", "error", "-m", "pytest", *suite, PYTHONDEVMODE="1").splitlines()[-1]
    assert verdict.startswith("conformant: "), verdict
    return f"{driver} is {verdict}"


def follow_guide(wheel: Path) -> None:
    """Carry out the guide for authors of drivers in an empty folder, word for word: its commands and its changes."""
    text = (ROOT / "docs" / "writing-a-driver.md").read_text()
    # pip itself does not bear warnings as errors.
    script = ["set -e", 'pip() { env -u PYTHONDEVMODE -u PYTHONWARNINGS "$VIRTUAL_ENV/bin/pip" "$@"; }']
    for language, block in re.findall(r"^```(sh|diff)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        script.append(
            block if language == "sh" else f"patch --quiet --fuzz=0 -p1 <<'END_OF_CHANGE'\n{block}END_OF_CHANGE\n"
        )
    assert len(script) > 8
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "guide.sh").write_text("\n".join(script))
        # So that pip finds iree-cy, and everything is as quiet as it has to be.
        environment = {"PIP_FIND_LINKS": str(wheel.parent.resolve()), "PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error"}
        start = f"cd '{folder}'; PATH='{Path(sys.executable).parent}':$PATH; . ./guide.sh"
        told = run("bash", "-c", start, **environment)
    verdicts = [line for line in told.splitlines() if line.startswith("conformant: ")]
    assert verdicts == ["conformant: 220 required, 34 of 54 optional"] * 3, told
    print(f"the guide for authors of drivers: {verdicts[-1]}")


def check_two_new_drivers(environment: Path) -> None:
    """Make two drivers of the template, install both beside nothing but iree-cy, and take them away again."""
    names = ("first", "my-second")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            run(environment / "bin" / "iree-cy", "new-driver", name, f"--output={folder}/{name}")
            run(
                environment / "bin" / "pip",
                "wheel",
                "--quiet",
                "--no-deps",
                f"--wheel-dir={folder}",
                f"{folder}/{name}",
            )
        run(environment / "bin" / "pip", "install", "--quiet", *sorted(Path(folder).glob("*.whl")))
    for name in names:
        print(conformance(environment / "bin" / "python", name))
    listed = run(environment / "bin" / "iree-cy", "list-devices", *names)
    assert listed == "".join(f"{name}://host  Host memory (runs no executables)\n" for name in names), listed
    run(environment / "bin" / "pip", "uninstall", "--quiet", "--yes", *(f"iree-cy-{name}" for name in names))
    left = run(environment / "bin" / "iree-cy", "list-drivers")
    assert not [name for name in names if name in left], left


def check_works_alone(wheel: Path) -> None:
    """Run a program in an empty environment with nothing but NumPy, then the conformance suite."""
    program = compile_program(PROGRAM)
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "venv"
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", wheel.resolve())
        print(run(environment / "bin" / "iree-cy", "list-drivers"), end="")
        print(run(environment / "bin" / "iree-cy", "list-devices"), end="")
        arguments = ("--function=main", "--input=4xf32=1,2,3,4", "--input=4xf32=5,6,7,8", "--device=local-sync")
        print(run(environment / "bin" / "iree-cy", "run", program, *arguments), end="")
        run(python, "-W", "error", "-c", USE, program)
        run(python, "-m", "pip", "install", "--quiet", f"{wheel.resolve()}[test]")
        for driver in ("local-sync", "local-task"):
            print(conformance(python, driver))
        check_two_new_drivers(environment)


def main() -> int:
    """Check the one wheel and the one sdist of the folder that the command line names."""
    folder = Path(sys.argv[1])
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    check_names(wheel, sdist)
    check_works_alone(wheel)
    follow_guide(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
