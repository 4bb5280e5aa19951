# SPDX-License-Identifier: GPL-2.0-only
"""Each laboratory is deleted once, with the tests that are about it or name it; everything else passes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT, SOURCE

pytestmark = [pytest.mark.release, pytest.mark.timeout(3600)]
LABORATORIES = sorted(path.name for path in (SOURCE / "labs").iterdir() if (path / "__init__.py").is_file())
IGNORED = shutil.ignore_patterns(".git", ".venv", "__pycache__", "build", "kassay-out", ".*_cache", ".hypothesis")
ABOUT_ALL = (
    "tests/trials", "tests/commands/test_documented.py", "tests/commands/test_pages.py",
    "tests/contract/test_inputs.py",
)  # fmt: skip
"""Tests about all inputs, all commands or all pages, and so about each laboratory."""
TABLES = (
    "--deselect", "tests/test_layers.py", "--deselect", "tests/test_layers_picture.py",
    "--deselect", "tests/model/test_reasons.py",
)  # fmt: skip
"""Tests of the map of all parts, and of the one table of reasons."""


@pytest.mark.parametrize("laboratory", LABORATORIES)
def test_everything_else_passes_its_tests_without_it(laboratory: str, tmp_path: Path) -> None:
    copy = tmp_path / "kassay"
    shutil.copytree(ROOT, copy, ignore=IGNORED)
    shutil.rmtree(copy / "src" / "kassay" / "labs" / laboratory)
    shutil.rmtree(copy / "tests" / laboratory)
    for name in ABOUT_ALL:
        shutil.rmtree(copy / name) if (copy / name).is_dir() else (copy / name).unlink()
    about = re.compile(rf"kassay\.labs\.{laboratory}\b|tests\.{laboratory}\b|labs/{laboratory}\b")
    for path in copy.glob("tests/**/*.py"):
        if about.search(path.read_text()):
            path.unlink()
    argv = (sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-p", "no:cacheprovider",
            "-m", "not (boot or network or browser or slow or release)", "-k", f"not {laboratory}", *TABLES,
            "tests")  # fmt: skip
    done = subprocess.run(argv, cwd=copy, env={"PYTHONPATH": str(copy / "src"), **_environment()}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH" and "PYTEST" not in name}
