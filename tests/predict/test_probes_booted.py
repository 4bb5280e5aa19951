# SPDX-License-Identifier: GPL-2.0-only
"""Do the privileged probes run on a KVM that runs ring 0 itself? QEMU emulates a CPU with AMD's virtualisation, and
Debian's kernel has KVM for it. Times mean nothing there."""

import platform
import subprocess
from pathlib import Path

import pytest

from kassay.labs.predict.calibrate import program
from kassay.labs.predict.calibrate.points import PRIVILEGED, groups
from kassay.labs.predict.calibrate.privileged import split_exits
from kassay.labs.predict.calibrate.samples import quantities, repeat_of
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.guest.cpio import archive, directory, file
from kassay.supply.kernels import fetch, load_modules

pytestmark = [
    pytest.mark.boot, pytest.mark.slow,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the probes are those of x86_64"),
]  # fmt: skip
QEMU = ("qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "EPYC,+svm", "-m", "512", "-nodefaults",
        "-nographic", "-no-reboot", "-append", "console=ttyS0 quiet panic=-1")  # fmt: skip
MAY_LACK = {"ring0_invpcid_page", "ring0_invpcid_pcid", "ring0_invpcid_all", "ring0_mov_cr3_keep"}
"""Probes of instructions that QEMU's EPYC has not in every version."""


def built(name: str, directory: Path, *paths: Path) -> bytes:
    """A program without shared libraries."""
    output = directory / name
    subprocess.run(["gcc", *program.FLAGS, "-static", "-o", str(output), *map(str, paths)], check=True)
    return output.read_bytes()


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Lines that the probes print in the guest."""
    words = next(group.words for group in groups() if group.name == "privileged")
    folder = tmp_path_factory.mktemp("guest")
    probes = built("probes", folder, *sorted(program.sources().glob("*.c")))
    init = built("init", folder, Path(__file__).with_name("virtual_machine_init.c"))
    (kernel,) = fetch([parse_ref("debian:6.12")], "cloud", silent)
    modules = [data for _, data in load_modules(kernel, ["kvm_amd"], silent)]
    initrd, serial = folder / "initrd", folder / "serial"
    initrd.write_bytes(
        archive([
            directory("dev"), file("init", init, executable=True), file("probes", probes, executable=True),
            file("words", "\n".join(("5", *words)).encode()),
            *(file(f"{number}.ko", data) for number, data in enumerate(modules)),
        ])
    )  # fmt: skip
    guest = ("-serial", f"file:{serial}", "-kernel", kernel.image, "-initrd", str(initrd))
    subprocess.run([*QEMU, *guest], check=True, timeout=300)
    lines = serial.read_text("utf-8", "replace").splitlines()
    assert "begin" in lines and "end" in lines, lines[-20:]
    return [line for line in lines[lines.index("begin") :] if line.startswith(("hz ", "reference ", "s ", "u "))]


def test_every_privileged_probe_runs_or_lacks_its_instruction(printed: list[str]) -> None:
    output = program.parse("\n".join(printed))
    words = {name for name in program.names() if name.startswith(PRIVILEGED)}
    assert {*output.samples, *output.refused} == words
    assert set(output.refused) <= MAY_LACK
    assert set(output.refused.values()) <= {"the virtual machine lacks this instruction"}
    assert {len(samples) for samples in output.samples.values()} == {5}


def test_ring_3_does_as_many_operations_as_asked(printed: list[str]) -> None:
    done = [(line.split()[1], int(line.split()[2])) for line in printed if line.startswith("s ring3_")]
    assert {count for name, count in done if "_sysret" in name or "_iret" in name} == {3000}
    assert {count for name, count in done if "_sysret" not in name and "_iret" not in name} == {300}


def test_instructions_that_kvm_takes_over_are_told_from_the_rest(printed: list[str]) -> None:
    measured = quantities([repeat_of(0, "privileged", program.parse("\n".join(printed)))])
    _, exits = split_exits(measured, hypervisor=False)
    assert exits.keys() == {"ring0_cpuid", "ring0_mov_cr4"}
