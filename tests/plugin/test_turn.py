# SPDX-License-Identifier: GPL-2.0-only
"""Memory that QEMU frees ends no turn of a CPU: with several CPUs their turns would depend on the host's time."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.machines._plugin import FLAGS, sources

pytestmark = pytest.mark.slow

WARNING = "kassay-profile: warning: QEMU ends turns in an unknown way: digits may depend on the host\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Its functions can be found by name, as those of QEMU."""
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-fvisibility=hidden")]
    made = tmp_path / "reader"
    files = (str(Path(__file__).parent / "turn_reader.c"), str(sources() / "turn.c"))
    subprocess.run(("gcc", *flags, "-rdynamic", f"-I{sources()}", "-o", str(made), *files), check=True)
    return made


def test_no_turn_ends_any_more(program: Path) -> None:
    done = subprocess.run((str(program),), check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("the turn ends\nfreed\nfreed\n", "")


def test_an_unknown_list_is_left_and_reported(program: Path) -> None:
    done = subprocess.run((str(program), "unknown"), check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (2 * "the turn ends\nfreed\n", WARNING)


def test_a_program_without_the_functions_is_reported(tmp_path: Path) -> None:
    code, other = tmp_path / "none.c", tmp_path / "none"
    code.write_text('#include "turn.h"\nint main(void) { turns_hold(); return 0; }\n')
    subprocess.run(("gcc", f"-I{sources()}", "-o", str(other), str(code), str(sources() / "turn.c")), check=True)
    assert subprocess.run((str(other),), check=True, capture_output=True, text=True).stderr == WARNING
