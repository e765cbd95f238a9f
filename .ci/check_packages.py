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
    for name in names:
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


def main() -> int:
    """Check the one wheel and the one sdist of the folder that the command line names."""
    folder = Path(sys.argv[1])
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    check_names(wheel, sdist)
    check_works_alone(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
