# SPDX-License-Identifier: GPL-2.0-only
"""QEMU's reads of the host's time are counted instead: else its table of translations shrinks when the host is slow."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.machines._plugin import FLAGS, sources

pytestmark = pytest.mark.slow

READER = Path(__file__).parent / "host_time_reader.c"


@pytest.mark.parametrize(
    "linked", [("-pie",), ("-no-pie",), ("-Wl,-z,now", "-Wl,-z,relro"), ("-Wl,-z,lazy",), ("-fno-plt",)]
)
def test_time_is_the_number_of_reads_however_qemu_is_linked(tmp_path: Path, linked: tuple[str, ...]) -> None:
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-fvisibility=hidden")]
    made = tmp_path / "reader"
    files = (str(READER), str(sources() / "host_time.c"))
    subprocess.run(("gcc", *flags, *linked, f"-I{sources()}", "-o", str(made), *files), check=True)
    done = subprocess.run((str(made),), check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["before 1", "held 200 400 600", "thread 200 400 600"]
    assert not done.stderr


def test_a_program_that_reads_no_time_is_reported(tmp_path: Path) -> None:
    made, code = tmp_path / "none", tmp_path / "none.c"
    code.write_text('#include "host_time.h"\nint main(void) { host_time_hold(); return 0; }\n')
    subprocess.run(("gcc", f"-I{sources()}", "-o", str(made), str(code), str(sources() / "host_time.c")), check=True)
    done = subprocess.run((str(made),), check=True, capture_output=True, text=True)
    assert "warning: QEMU reads the host's time in an unknown way: digits may depend on the host" in done.stderr
