# SPDX-License-Identifier: GPL-2.0-only
"""Do the scripts that are executed on a machine do what they are for? By sh itself, on files of the test's own."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.effects.files import sha256_bytes
from kassay.supply.machines._metal.facts import Facts, facts
from kassay.supply.machines._metal.steps import script
from kassay.supply.machines._metal.stream import captured

Execute = Callable[..., Facts]
GOVERNOR = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"


@pytest.fixture
def execute(tmp_path: Path) -> Execute:
    """Executes a script whose /sys, /proc/sys, /proc/irq, /run, /var/lib and /var/tmp/kassay-* are directories of the
    test. It never waits long, and starts no kernel."""

    def run(name: str, *words: str) -> Facts:
        text = (
            script(name)
            .replace(">/dev/kmsg", ">/dev/null")
            .replace("sleep 2", "sleep 0.01")
            .replace("setsid sh -c", "would_start")
            .replace("/var/tmp/kassay-", f"{tmp_path}/var/tmp/kassay-")
            .replace("-le 4", "-le 999")
            .replace("$waited -lt 60 ", "$waited -lt 99999 ")
        )
        for path in ("/sys/", "/proc/sys/", "/proc/irq/", "/run/", "/var/lib/"):
            for before in (" ", "\t", "="):
                text = text.replace(f"{before}{path}", f"{before}{tmp_path}{path}")
        (tmp_path / "script").write_text(text)
        with (tmp_path / "script").open("rb") as file:
            done = process.run(("sh", "-s", "--", *words), stdin=file)
        assert (done.status, done.err) == (0, ""), done.err
        return facts(done.out)

    return run


def put(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")
    return path


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Puts a command of the test's own in front of the system's: its name, and its lines of sh."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")

    def make(name: str, lines: str) -> None:
        put(tmp_path, f"bin/{name}", f"#!/bin/sh\n{lines}").chmod(0o755)

    return make


@pytest.fixture
def directory(tmp_path: Path, execute: Execute) -> Path:
    execute("open", f"{tmp_path}/there", "node boot 1")
    return tmp_path / "there"


def test_settings_are_told_and_put_in_order_and_put_back(tmp_path: Path, directory: Path, execute: Execute) -> None:
    governor = put(tmp_path, GOVERNOR, "powersave")
    boost = put(tmp_path, "sys/devices/system/cpu/cpufreq/boost", "1")
    smt = put(tmp_path, "sys/devices/system/cpu/smt/control", "on")
    thp = put(tmp_path, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")
    found = execute("inspect")
    settings = [value.removeprefix(f"{tmp_path}/") for value in found.all("setting")]
    assert f"{GOVERNOR} powersave" in settings and "sys/kernel/mm/transparent_hugepage/enabled madvise" in settings
    (directory / "found").write_text(found.text)
    told = execute("order", str(directory), "", f"{thp} never")
    assert told.all("refused") == ()
    assert [path.read_text() for path in (governor, boost, smt, thp)] == ["performance\n", "0\n", "off\n", "never\n"]
    told = execute("restore", str(directory))
    assert [path.read_text() for path in (governor, boost, smt, thp)] == ["powersave\n", "1\n", "on\n", "madvise\n"]
    assert len(told.all("restored")) == 4 and told.all("differs") == ()
    assert execute("restore", str(directory)).values == {}


def test_limits_of_dirty_memory_in_bytes_are_kept_and_no_ratio_is_zero(
    tmp_path: Path, directory: Path, execute: Execute
) -> None:
    names = ("dirty_ratio", "dirty_bytes", "dirty_background_ratio", "dirty_background_bytes")
    by_hand, usual = ("0", "1048576", "10", "0"), ("20", "0", "10", "0")

    def write(values: tuple[str, ...]) -> list[Path]:
        return [put(tmp_path, f"proc/sys/vm/{name}", value) for name, value in zip(names, values, strict=True)]

    write(by_hand)
    (directory / "found").write_text(execute("inspect").text)
    files = write(usual)
    assert execute("restore", str(directory)).all("differs") == ()
    # Where the kernel has these files, it sets the ratio to 0 by itself.
    assert [path.read_text() for path in files] == ["20\n", "1048576\n", "10\n", "0\n"]


def test_a_number_of_the_kernel_is_read_whole(tmp_path: Path) -> None:
    file = "/proc/sys/vm/swappiness"
    (tmp_path / "script").write_text(f'{script("common")}\nfirst_line {file} && fact is "$line"\n')
    told = process.run(("sh", str(tmp_path / "script"))).out
    assert facts(told).get("is") == Path(file).read_text().strip()


def test_what_cannot_be_set_is_named(tmp_path: Path, directory: Path, execute: Execute) -> None:
    (tmp_path / GOVERNOR).parent.mkdir(parents=True)
    (tmp_path / GOVERNOR).symlink_to("/proc/sys/kernel/ostype")
    told = execute("order", str(directory), "no_such_module", f"{tmp_path}/sys/kernel/none 1")
    refused = "; ".join(told.all("refused"))
    assert "scaling_governor is Linux and cannot be set to performance" in refused
    assert "module no_such_module cannot be loaded" in refused
    assert "sys/kernel/none: this kernel has none" in refused


def test_the_machine_is_told_apart_by_what_it_says(execute: Execute, directory: Path) -> None:
    found = execute("inspect")
    assert found.get("boot") == Path("/proc/sys/kernel/random/boot_id").read_text().strip() or not found.get("boot")
    assert found.get("banner") == Path("/proc/version").read_text().strip()
    assert found.get("machine") and found.get("root") and found.get("free_kb") and found.get("busy")


def stored(directory: Path, program: str) -> str:
    data = f"#!/bin/sh\n{program}\n".encode()
    (directory / "content" / sha256_bytes(data)).write_bytes(data)
    return sha256_bytes(data)


@pytest.mark.slow
def test_a_program_runs_by_itself_once_and_is_waited_for_asleep(directory: Path, execute: Execute) -> None:
    sha = stored(directory, 'echo "$*" > args; echo result > "${3}"; sleep 0.3; echo last >&2; exit 3')
    for _ in range(2):  # the second time as after a cut connection
        execute("run", str(directory), "r1", sha, "9", "it's", "--out")
    assert execute("wait", str(directory), "r1", "0").get("running") == "yes"
    told = execute("wait", str(directory), "r1", "9")
    assert (told.get("running"), told.get("status"), told.get("detail")) == ("", "3", "last")
    place = directory / "runs" / "r1"
    assert (place / "args").read_text() == f"it's --out --out {place}/stream\n"


def test_a_program_starts_when_who_waits_for_it_has_come(directory: Path, execute: Execute) -> None:
    execute("run", str(directory), "r1", stored(directory, "ls > seen"), "9")
    assert execute("wait", str(directory), "r1", "9").get("status") == "0"
    assert "waiting" in (directory / "runs" / "r1" / "seen").read_text().split()


def test_a_program_that_hangs_is_killed_and_says_so_by_its_status(directory: Path, execute: Execute) -> None:
    execute("run", str(directory), "r1", stored(directory, "sleep 99"), "0.2")
    told = execute("wait", str(directory), "r1", "9")
    assert told.get("status") == "137"
    assert 0.2 <= float(told.get("elapsed")) < 9


def test_the_state_of_a_boot_is_captured_by_path(tmp_path: Path, directory: Path, execute: Execute) -> None:
    put(tmp_path, GOVERNOR, "performance")
    put(directory, "runs/r1/quiescence", "state quiet")
    found = dict(captured(execute("state", str(directory), "r1").text))
    assert found["kassay/quiescence"] == "state quiet\n"
    assert found[f"{tmp_path}/{GOVERNOR}"] == "performance\n"
    assert found["/proc/cmdline"].strip() == Path("/proc/cmdline").read_text().strip()


def test_content_is_had_only_when_it_is_whole(directory: Path, execute: Execute) -> None:
    whole, damaged = stored(directory, "true"), "0" * 64
    (directory / "content" / damaged).write_text("else")
    assert execute("content", str(directory), whole, damaged, "1" * 64).all("have") == (whole,)
    assert not (directory / "content" / damaged).exists()


def test_only_directories_of_experiments_are_reported_and_removed(tmp_path: Path, execute: Execute) -> None:
    ours = tmp_path / "var/tmp/kassay-0123456789ab"
    execute("open", str(ours), "node boot 1")
    foreign = [ours.with_name(f"kassay-{name}") for name in ("thesis", "my results", "0123456789a", "0123456789AB")]
    for path in foreign:
        put(path, "owner", "me")
    put(ours.with_name("kassay-ffffffffffff"), "data", "no owner")
    told = execute("inspect")
    assert len(told.all("session")) == 1
    ((name, _, kb, owner),) = told.sessions
    assert (name, owner) == ("0123456789ab", "node boot 1")
    assert kb > 0
    for path in (*foreign, tmp_path):
        done = process.run(("sh", "-c", script("leave"), "sh", str(path)))
        assert (done.status, path.exists()) == (1, True)
        assert "cannot be removed" in done.err
    execute("leave", str(ours))
    assert not ours.exists()


@pytest.mark.slow
def test_experiment_whose_program_runs_is_not_idle(tmp_path: Path, execute: Execute) -> None:
    directory = tmp_path / "var/tmp/kassay-0123456789ab"
    execute("open", str(directory), "node boot 1")
    execute("run", str(directory), "r1", stored(directory, "sleep 0.4"), "9")
    for ended in (False, True):
        os.utime(directory / "alive", (1, 1))
        (session,) = execute("inspect").sessions
        assert (session.idle_s > 900) == ended
        execute("wait", str(directory), "r1", "9")


@pytest.mark.parametrize(
    ("manner", "kexec", "systemd", "starts", "reason"),
    [
        ("kexec", "exit 0", True, "systemctl kexec", ""),
        ("kexec", "exit 0", False, "kexec -e", ""),
        ("kexec", "echo no syscall >&2; exit 1", True, "systemctl reboot", "kexec: no syscall"),
        ("kexec", "echo no syscall >&2; exit 1", False, "reboot", "kexec: no syscall"),
        ("reboot", "echo never called", True, "systemctl reboot", ""),
    ],
)
def test_way_home_is_a_reboot_where_kexec_fails(
    tmp_path: Path, directory: Path, execute: Execute, tools: Callable[[str, str], None], manner: str, kexec: str,
    systemd: bool, starts: str, reason: str,
) -> None:  # fmt: skip
    tools("kexec", kexec)
    tools("would_start", f'printf "%s\\n" "$*" >{tmp_path}/starting; mv {tmp_path}/starting {tmp_path}/started')
    if systemd:
        (tmp_path / "run/systemd/system").mkdir(parents=True)
    (directory / "found").write_text(f"image\t{put(tmp_path, 'vmlinuz', 'own')}\ncmdline\tBOOT_IMAGE=x ro quiet\n")
    assert execute("home", str(directory), manner).get("reboots") == reason
    started = tmp_path / "started"
    while not started.exists():
        time.sleep(0.01)
    assert started.read_text() == f"sleep 1; {starts}\n"


def test_machine_without_a_note_reboots(tmp_path: Path, execute: Execute, tools: Callable[[str, str], None]) -> None:
    tools("would_start", "exit 0")
    assert execute("home", f"{tmp_path}/var/tmp/kassay-0123456789ab", "reboot").values == {}


def test_log_of_a_crash_is_read_where_the_firmware_or_systemd_keeps_it(
    tmp_path: Path, directory: Path, execute: Execute
) -> None:
    places = ("sys/fs/pstore", "var/lib/systemd/pstore", "var/lib/systemd/pstore/17", "var/lib/systemd/pstore/17/001")
    old = put(tmp_path, "sys/fs/pstore/dmesg-efi-0", "Kernel panic of another day")
    os.utime(old, (1, 1))
    os.utime(put(directory, "cmdline", "of the boot that crashed"), (9, 9))
    for number, place in enumerate(places):
        put(tmp_path, f"{place}/dmesg-efi-{number}", f"Panic#1\n<0>[ 1.0] line {number}\n<6>[ 1.0] <1> later")
    put(tmp_path, "sys/fs/pstore/console-efi-1", "no crash")
    told = execute("crash", str(directory)).text
    assert sorted(told.splitlines()) == sorted(
        line for number in range(4) for line in ("Panic#1", f"[ 1.0] line {number}", "[ 1.0] <1> later")
    )
