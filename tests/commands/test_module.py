# SPDX-License-Identifier: GPL-2.0-only
"""kassay as a module of Python, where its script is not on the path."""

import subprocess
import sys

import pytest

from kassay import __version__


@pytest.mark.slow
@pytest.mark.parametrize("module", ["kassay", "kassay.cli"])
def test_the_module_runs_the_command(module: str) -> None:
    done = subprocess.run((sys.executable, "-m", module, "--version"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"kassay {__version__}\n")
    wrong = subprocess.run((sys.executable, "-m", module, "weigh"), capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and "No such command" in wrong.stderr
