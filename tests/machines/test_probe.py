# SPDX-License-Identifier: GPL-2.0-only
"""A machine is usable when a kernel was seen to boot on it, and for no lesser reason."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.errors import BadInput
from kassay.model.machine import MachineProbe
from kassay.model.progress import Progress, silent
from kassay.model.run import WallTime
from kassay.supply.machines import Ended, Job, machine_for
from kassay.supply.machines._probe import probe_by_boot

BOOTED = b"[    0.0] Linux version 6.12\n[ 1.0] Kernel panic - not syncing: No working init found.\n"


def ending(console: bytes = b"", detail: str = "", status: int = 1, timed_out: bool = False) -> Ended:
    return Ended(
        status=status, timed_out=timed_out, detail=detail, stream=b"", console=console, wall=WallTime(), argv=(),
    )  # fmt: skip


def probed(ended: Ended | None, *, device: str = "", arch: str = "x86_64",
           tell: Callable[[Progress], None] = silent) -> tuple[MachineProbe, list[Job]]:  # fmt: skip
    """The probe, and the jobs it ran. ended: None when nothing may be run."""
    jobs: list[Job] = []

    def run(job: Job, arch: str) -> Ended:
        assert ended is not None, "nothing may be run"
        assert job.initramfs is not None and Path(job.initramfs).read_bytes() == b""
        jobs.append(job)
        return ended

    return probe_by_boot("toy", device, "another way", arch, run, tell), jobs


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with every program and an empty store of kernels."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(process, "find", lambda program: f"/usr/bin/{program}")
    return tmp_path / "kassay" / "kernels"


def keep(store: Path, name: str, arch: str, *files: str) -> Path:
    place = store / name
    place.mkdir(parents=True)
    (place / "kernel.json").write_text(f'{{"artifact": {{"identity": {{"arch": "{arch}"}}}}}}')
    for file in files:
        (place / file).write_bytes(b"kernel")
    return place


def test_a_kernel_that_reaches_the_start_of_init_is_the_proof(store: Path) -> None:
    place = keep(store, "aa", "x86_64", "image", "vmlinux")
    told: list[Progress] = []
    probe, (job,) = probed(ending(BOOTED), tell=told.append)
    assert (probe.name, probe.usable, probe.remedy) == ("toy", True, "")
    assert job.kernel == str(place / "vmlinux")
    assert not Path(job.directory).exists()  # nothing is left behind
    assert job.timeout_s >= 60  # as a busy host needs
    assert [(event.stage, event.subject) for event in told] == [("probe", "toy")]


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (ending(timed_out=True, status=-9), "no end within"),
        (ending(b"[ 0.0] Linux version 6.12\n", timed_out=True, status=-9), "no end within"),
        (ending(detail="Could not access KVM kernel module", status=1), "Could not access KVM"),
        (ending(b"Kernel panic - not syncing: before it said its name, in init\n", status=0), "Kernel panic"),
        (ending(b"Booting from ROM..\n", status=0), "Booting from ROM"),
        (ending(status=0), "no output"),
    ],
)
def test_anything_less_is_not_usable_and_the_reason_is_said(store: Path, ended: Ended, said: str) -> None:
    keep(store, "aa", "x86_64", "image", "vmlinux")
    probe, jobs = probed(ended)
    assert not probe.usable
    assert said in probe.detail and probe.remedy == "another way"
    assert len(jobs) == 1  # tried once, and no other machine instead


def test_without_a_kernel_it_says_that_nothing_was_tried(store: Path) -> None:
    probe, jobs = probed(None)
    assert (probe.usable, jobs) == (False, [])
    assert "not tried" in probe.detail and "kassay kernels fetch" in probe.remedy


def test_a_kernel_of_another_arch_is_not_tried(store: Path) -> None:
    keep(store, "aa", "arm64", "image")
    assert "not tried" in probed(None, arch="x86_64")[0].detail
    probe, (job,) = probed(ending(BOOTED), arch="arm64")
    assert probe.usable
    assert job.kernel == str(store / "aa" / "image")  # arm64 has no vmlinux beside it


def test_an_arch_that_qemu_is_not_known_for_is_named(store: Path) -> None:
    with pytest.raises(BadInput, match="unknown arch 'sparc'"):
        probed(None, arch="sparc")


def test_without_the_device_that_it_needs_nothing_is_tried(store: Path) -> None:
    keep(store, "aa", "x86_64", "image", "vmlinux")
    probe, _ = probed(None, device="/dev/kassay-none")
    assert (probe.usable, probe.detail, probe.remedy) == (False, "there is no /dev/kassay-none", "another way")


def test_without_dev_kvm_the_other_clocks_are_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(store, "aa", "x86_64", "image", "vmlinux")
    real = Path.exists
    monkeypatch.setattr(Path, "exists", lambda self: str(self) != "/dev/kvm" and real(self))
    probe = machine_for("kvm").probe("x86_64", silent)
    assert not probe.usable
    assert "/dev/kvm" in probe.detail and "--clock icount" in probe.remedy
