# SPDX-License-Identifier: GPL-2.0-only
"""A CPU halts only while QEMU's main loop sleeps, with any number of CPUs: else guest time depends on the host."""

import subprocess
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.supply.machines._plugin import FLAGS, plugin, sources
from kassay.supply.machines._qemu import version

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


@pytest.mark.parametrize(("mode", "said"), [("none", ""), ("counts", "more than 64 CPUs")])
def test_only_a_profile_is_limited_in_cpus(mode: str, said: str) -> None:
    qemu = "qemu-system-x86_64"
    if process.find(qemu) is None:
        pytest.skip(f"no {qemu}")
    machine = (qemu, "-M", "q35", "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-smp", "65")
    alone = ("-m", "128", "-S", "-display", "none", "-nodefaults", "-monitor", "stdio")
    option = f"{plugin('x86_64', version('x86_64'))},mode={mode},halts=still"
    done = subprocess.run((*machine, *alone, "-plugin", option), input="quit\n", capture_output=True, text=True)
    assert (done.returncode == 0) == (not said)
    assert said in done.stderr
