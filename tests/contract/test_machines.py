# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every machine that discovery finds."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.files import cache_directory
from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import BOOTS
from kassay.model.progress import silent
from kassay.registry import discover
from kassay.supply.arches import arch_of, arches
from kassay.supply.clocks import clock_of, measuring
from kassay.supply.guest import cpio
from kassay.supply.machines import Ended, Job, Machine, _qemu, machine_for
from kassay.supply.machines._host import host_arch
from kassay.supply.machines._qmp import Qmp, QmpError

MACHINES = discover("kassay.supply.machines", "MACHINE", Machine)  # type: ignore[type-abstract]
BOOTING = [name for name, machine in MACHINES.items() if machine.isolated]
HERE = [name for name in BOOTING if machine_for(MACHINES[name].clock).takes_initramfs]
EMULATED = [name for name in BOOTING if not clock_of(MACHINES[name].clock).decides]

HANG = '#include <unistd.h>\nint main(void) { if (write(1, "here\\n", 5) == 5) for (;;) pause(); }\n'

each = pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)


def named(names: list[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("machine", [MACHINES[name] for name in names], ids=names)


@each
def test_it_says_what_it_is_in_known_words(machine: Machine) -> None:
    assert MACHINES[machine.name] is machine
    assert machine.summary and "\n" not in machine.summary
    assert machine.clock in measuring()
    assert machine.arches and set(machine.arches) <= set(arches())


def test_every_clock_has_a_machine() -> None:
    assert {machine.clock for machine in MACHINES.values()} == set(measuring())
    assert all(machine_for(clock).clock == clock for clock in measuring())


def test_an_unknown_clock_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="sundial") as caught:
        machine_for("sundial")
    assert all(clock in caught.value.remedy for clock in measuring())


@each
def test_the_kernel_parameters_are_the_same_each_time(machine: Machine) -> None:
    for boot in BOOTS:
        first = machine.cmdline(machine.arches[0], 1, boot)
        assert first == machine.cmdline(machine.arches[0], 1, boot)
        assert bool(first) == machine.isolated
        assert first.isprintable() or not first


@named(BOOTING)
def test_without_its_program_it_is_unusable_and_says_what_to_install(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "find", lambda program: None)
    for arch in machine.arches:
        probe = machine.probe(arch, silent)
        assert (probe.name, probe.usable) == (machine.name, False)
        assert "not found" in probe.detail
        assert probe.remedy in (install(arch_of(arch).qemu.package), install("openssh-client"))


@named(BOOTING)
def test_without_its_program_it_refuses_and_starts_nothing_else(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def started(*words: object, **options: object) -> None:
        raise AssertionError(f"{words} was started instead")

    monkeypatch.setattr(process, "find", lambda program: None)
    monkeypatch.setattr(process, "start", started)
    _qemu.version.forget()
    with pytest.raises(HostLacks, match="not found") as caught:
        machine.identify("x86_64", 1, "short")
    assert install("x").removesuffix("x") in caught.value.remedy
    with pytest.raises(HostLacks, match="not found"):
        machine.run(job(tmp_path, "/vmlinux", 5), "x86_64")


@pytest.mark.parametrize("arch", sorted(set(arches()) - {host_arch()}))
def test_the_host_is_refused_for_another_arch_with_the_way_out(arch: str) -> None:
    probe = MACHINES["host"].probe(arch, silent)
    assert not probe.usable
    assert arch in probe.detail and "--clock icount" in probe.remedy


def job(directory: Path, kernel: str | None, timeout_s: int, *program: str, cmdline: str = "") -> Job:
    return Job(
        directory=str(directory), program=program, kernel=kernel,
        initramfs=str(directory / "initramfs") if kernel else None,
        cmdline=cmdline, cpus=1, memory_bytes=512 << 20, seed=1, timeout_s=timeout_s,
    )  # fmt: skip


def holders(directory: Path) -> list[int]:
    """Processes that name the directory on their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            named = entry.name.isdigit() and str(directory).encode() in (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it ended while we looked
        if named and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def program(directory: Path, text: str) -> str:
    made = directory / "program"
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)
    return str(made)


@pytest.mark.slow
def test_a_program_on_the_host_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    hanging = program(tmp_path, f"sh -c 'sleep 1000; : {tmp_path}' & sleep 1000")
    ended = MACHINES["host"].run(job(tmp_path, None, 1, hanging), host_arch())
    assert ended.timed_out
    assert ended.status != 0
    assert gone(tmp_path)


def test_a_program_on_the_host_that_fails_says_so_in_one_line(tmp_path: Path) -> None:
    failing = program(tmp_path, "echo one >&2; echo two >&2; exit 3")
    ended = MACHINES["host"].run(job(tmp_path, None, 30, failing), host_arch())
    assert (ended.status, ended.timed_out, ended.detail) == (3, False, "two")
    assert (ended.stream, ended.console) == (b"", b"one\ntwo\n")
    assert str(tmp_path) not in " ".join(ended.argv[1:])


def test_a_program_on_the_host_that_somebody_killed_did_not_time_out(tmp_path: Path) -> None:
    killed = program(tmp_path, "kill -9 $$")
    ended = MACHINES["host"].run(job(tmp_path, None, 30, killed), host_arch())
    assert ended.status == -9
    assert not ended.timed_out


def gone(directory: Path) -> bool:
    """True if nobody holds the directory, at the latest after two seconds."""
    for _ in range(40):
        if not holders(directory):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="session")
def kernel() -> str:
    """Any x86_64 kernel of the store, entered directly."""
    found = sorted((cache_directory() / "kernels").glob("*/vmlinux"))
    if not found:
        pytest.skip("no kernel in the store: kassay kernels fetch debian:6.12")
    return str(found[0])


@pytest.fixture(scope="session")
def hanging(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An initramfs whose init is there and never does anything."""
    place = tmp_path_factory.mktemp("init")
    (place / "init.c").write_text(HANG)
    done = process.run(("gcc", "-static", "-O2", "-o", str(place / "init"), str(place / "init.c")))
    assert done.status == 0, done.err
    return cpio.archive((cpio.directory("dev"), cpio.character_device("dev/console", 5, 1),
                         cpio.file("init", (place / "init").read_bytes(), executable=True)))  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A job's directory whose name QEMU must not take apart."""
    made = tmp_path / "a,b =c"
    made.mkdir()
    return made


Boot = Callable[[Machine, str, bytes, int], Ended]


@pytest.fixture
def boot(place: Path) -> Boot:
    def run(machine: Machine, kernel: str, initramfs: bytes, timeout_s: int) -> Ended:
        (place / "initramfs").write_bytes(initramfs)
        words = machine.cmdline("x86_64", 1, "short")
        return machine.run(job(place, kernel, timeout_s, cmdline=words), "x86_64")

    return run


def test_a_qemu_that_ends_after_its_greeting_is_an_error_that_kassay_knows() -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(b'{"QMP": {"version": {}, "capabilities": []}}\n')
    theirs.close()
    raised: type[Exception] | None = None
    with ours:
        try:
            Qmp(ours, 5)
        except Exception as error:  # kept by name: its traceback would hold the socket open
            raised = type(error)
    assert raised is QmpError


@pytest.mark.boot
@named(EMULATED)
def test_a_guest_that_hangs_is_ended_at_its_timeout(
    machine: Machine, boot: Boot, place: Path, kernel: str, hanging: bytes
) -> None:
    ended = boot(machine, kernel, hanging, 10)
    assert ended.timed_out
    assert ended.status != 0
    assert b"here" in ended.console and b"Kernel panic" not in ended.console
    assert ended.wall.workload_s == 0
    assert gone(place)


@pytest.mark.boot
@named(EMULATED)
def test_a_guest_without_init_panics_and_the_machine_ends_by_itself(
    machine: Machine, boot: Boot, place: Path, kernel: str
) -> None:
    ended = boot(machine, kernel, b"", 60)
    assert not ended.timed_out
    assert b"Kernel panic - not syncing" in ended.console
    assert ended.stream == b""
    assert gone(place)


@pytest.mark.boot
@named(HERE)
@pytest.mark.parametrize("content", [b"\xa5garbage\0" * 4096, b"x", b""], ids=["garbage", "a byte", "empty"])
def test_an_image_that_is_no_kernel_ends_with_a_status_and_a_detail(
    machine: Machine, boot: Boot, place: Path, content: bytes
) -> None:
    if machine.clock == "kvm" and not Path("/dev/kvm").exists():
        pytest.skip("there is no /dev/kvm")
    (place / "kernel").write_bytes(content)
    ended = boot(machine, str(place / "kernel"), b"", 20)
    assert ended.status != 0
    assert ended.detail and "\n" not in ended.detail
    assert (ended.stream, ended.timed_out) == (b"", False)
    assert gone(place)


@pytest.mark.boot
def test_a_machine_that_never_comes_to_its_snapshot_times_out_and_leaves_none(
    place: Path, kernel: str, hanging: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(place / "cache"))
    machine = machine_for("icount")
    (place / "initramfs").write_bytes(hanging)
    (place / "job").write_bytes(b"")
    wanted = job(place, kernel, 8, str(place / "job"), cmdline=machine.cmdline("x86_64", 1, "snapshot"))
    ended = machine.run(msgspec.structs.replace(wanted, snapshot="kernel initramfs"), "x86_64")
    assert ended.timed_out
    assert ended.status != 0
    assert ended.detail and "\n" not in ended.detail
    assert gone(place)
    assert [
        path
        for path in (place / "cache" / "kassay" / "snapshots").rglob("*")
        if path.is_file() and path.suffix != ".lock"
    ] == []
