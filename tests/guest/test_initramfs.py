# SPDX-License-Identifier: GPL-2.0-only
"""The initial file system of the guest is deterministic, and settings do not change its size."""

from pathlib import Path

import pytest

from kassay.errors import Defect
from kassay.supply.guest import initramfs
from tests.guest.test_cpio import members


@pytest.fixture
def programs(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "init").write_bytes(b"init")
    (tmp_path / "workload").write_bytes(b"workload")
    return tmp_path / "init", tmp_path / "workload"


def test_the_same_arguments_give_the_same_bytes_and_other_settings_the_same_layout(
    programs: tuple[Path, Path],
) -> None:
    init, workload = programs
    short = initramfs.build(init=init, workload=workload, job=initramfs.job(("--run", "size=1"), 0))
    assert short == initramfs.build(init=init, workload=workload, job=initramfs.job(("--run", "size=1"), 0))
    long = initramfs.build(init=init, workload=workload, job=initramfs.job(("--run", "size=1000000"), 5000))
    assert short != long
    assert [(name, mode, len(data)) for name, mode, data in members(short)] == [
        (name, mode, len(data)) for name, mode, data in members(long)
    ]


def test_modules_are_loaded_in_order_and_padding_only_adds_bytes(programs: tuple[Path, Path]) -> None:
    init, workload = programs
    modules = (("zsmalloc", b"one"), ("zram", b"two"))
    job = initramfs.job(("--run",), 0)
    archive = initramfs.build(init=init, workload=workload, job=job, modules=modules, padding_bytes=100)
    files = {name: data for name, _, data in members(archive)}
    conf = files["kassay.conf"].decode().splitlines()
    assert [line for line in conf if line.startswith("module=")] == [
        "module=/modules/00-zsmalloc.ko", "module=/modules/01-zram.ko",
    ]  # fmt: skip
    assert files["modules/01-zram.ko"] == b"two"
    assert files["padding"] == bytes(100)
    assert [line for line in conf if line.startswith("arg=")] == [
        "arg=/workload", "arg=--run", "arg=--out", "arg=/dev/ttyS1",
    ]  # fmt: skip


def test_arguments_that_do_not_fit_are_refused_and_not_cut() -> None:
    with pytest.raises(Defect, match="more than 4096"):
        initramfs.job(("x" * 5000,), 0)
    with pytest.raises(Defect, match="newline"):
        initramfs.job(("a\nmodule=/evil.ko",), 0)


def test_only_a_run_that_is_to_be_disturbed_says_so(programs: tuple[Path, Path]) -> None:
    init, workload = programs

    def conf(job: bytes | None, *, quiesce: bool) -> list[str]:
        built = initramfs.build(init=init, workload=workload, job=job, quiesce=quiesce)
        return {name: data for name, _, data in members(built)}["kassay.conf"].decode().split()

    plain, spinning = initramfs.job(("--run",), 0), initramfs.job(("--run",), 0, background=2)
    assert not {"quiesce=0", "background=2", "background=0"} & set(conf(plain, quiesce=True))
    assert "background=2" in conf(spinning, quiesce=True)
    assert "quiesce=0" in conf(None, quiesce=False)  # of the machine: what is restored did not wait either
    assert len(plain) == len(spinning)


def test_a_machine_that_is_to_be_saved_has_no_job_yet(programs: tuple[Path, Path]) -> None:
    init, workload = programs
    files = {name: data for name, _, data in members(initramfs.build(init=init, workload=workload, job=None))}
    conf = files["kassay.conf"].decode().split()
    assert "snapshot=1" in conf
    assert not [line for line in conf if line.startswith("arg=")]


def test_further_files_are_of_the_root_and_can_be_executed(programs: tuple[Path, Path]) -> None:
    init, workload = programs
    made = initramfs.build(init=init, workload=workload, job=initramfs.job((), 0), further={"recorded": b"a workload"})
    assert ("recorded", 0o100755, b"a workload") in members(made)
