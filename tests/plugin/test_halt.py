# SPDX-License-Identifier: GPL-2.0-only
"""A CPU halts only while QEMU's main loop sleeps: else guest time depends on when the host let that loop run."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.machines._plugin import FLAGS, sources

pytestmark = pytest.mark.slow

HARNESS = Path(__file__).parent / "halt_main_loop.c"


def test_a_halt_waits_until_the_main_loop_polls_and_other_blocks_do_not(tmp_path: Path) -> None:
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-fvisibility=hidden")]
    own = [str(sources() / name) for name in ("halt.c", "code.c", "arch-x86_64.c")]
    made = tmp_path / "halt"
    subprocess.run(
        ("gcc", *flags, "-DKASSAY_QEMU_API=1", f"-I{sources()}", "-o", str(made), str(HARNESS), *own), check=True
    )
    printed = subprocess.run((str(made),), check=True, capture_output=True, text=True).stdout
    assert printed.splitlines() == ["waits at 0x21", "halted while the main loop polls"]
