# SPDX-License-Identifier: GPL-2.0-only
"""Is a machine elsewhere measured on in order, and is it left as it was found, whatever happens in between?"""

from pathlib import Path
from typing import get_args

import pytest

from kassay.commands._options import Reset, Start
from kassay.effects import process
from kassay.errors import BadInput, HostLacks
from kassay.model.experiment import WorkloadUse
from kassay.model.machine import MachineUse
from kassay.model.plan import Cell
from kassay.model.remote_machine import parse_ssh
from kassay.run.outcome import outcome_of
from kassay.supply.guest import audit, protocol
from kassay.supply.machines import Ended, Visit, machine_for
from kassay.supply.machines._metal import visit as visits
from kassay.supply.machines._metal.facts import facts, refusals
from kassay.supply.machines._metal.stream import since_the_run
from kassay.supply.machines._metal.visit import NOTE
from kassay.supply.measured import measured_of
from tests.machines.fake_host import ADDRESS, ID, NAMES, OWN, FakeHost, job, reached, runs, session


def test_every_run_is_a_boot_and_the_machine_is_then_as_it_was_found(host: FakeHost, visit: Visit) -> None:
    ended = runs(visit, 0, 1, 1)
    assert [one.outcome for one in ended] == ["", "", ""]
    assert [call[2] for call in host.calls if call[0] == "boot"] == [visit.kernels[k].image_sha256 for k in (0, 1, 1)]
    assert host.steps.count("prepare") == 2
    assert host.steps[-4:] == ["home", "inspect", "restore", "leave"]
    assert (host.banner, host.files) == (OWN, {})
    assert not Path(visit.directory, NOTE).exists()


def test_a_visit_without_runs_changes_nothing(host: FakeHost, visit: Visit) -> None:
    assert runs(visit) == []
    assert host.calls == []


def test_a_kernel_that_does_not_come_up_ends_the_visit_and_names_the_machine(host: FakeHost, visit: Visit) -> None:
    host.ends[visit.kernels[1].image_sha256] = "dead"
    with pytest.raises(HostLacks, match=r"ssh://root@fake: new did not come up .* left as it is"):
        runs(visit, 0, 1)
    assert "home" not in host.steps
    assert Path(visit.directory, NOTE).exists()  # for the next call


@pytest.mark.parametrize(("end", "answers"), [("dead", 0), ("not started", 3)])
def test_with_a_way_to_reset_it_is_an_outcome_and_the_runs_go_on(
    host: FakeHost, visit: Visit, monkeypatch: pytest.MonkeyPatch, end: str, answers: int
) -> None:
    """The machine may still answer for a while when the command is over."""
    host.ends[visit.kernels[0].image_sha256] = end
    ran = []

    def switch(argv: tuple[str, ...], **options: object) -> process.Completed:
        ran.append(argv[-1])
        host.resets_after = answers
        if not answers:
            host.reset()
        return process.Completed(0, "", "")

    monkeypatch.setattr(process, "run", switch)
    ended = runs(reached(visit, reset="power cycle"), 0, 1)
    assert [one.outcome for one in ended] == ["no-boot", ""]
    assert "did not come up" in ended[0].detail
    assert ran == ["power cycle"]
    assert (host.banner, host.files) == (OWN, {})


def test_a_kernel_that_panics_and_starts_the_machine_anew_is_an_outcome(host: FakeHost, visit: Visit) -> None:
    host.ends[visit.kernels[0].image_sha256] = "panic"
    ended = runs(visit, 0, 1)
    assert [one.outcome for one in ended] == ["no-boot", ""]
    assert "came back by itself on 6.12.1-own" in ended[0].detail


def test_panic_that_the_firmware_has_kept_is_the_outcome(host: FakeHost, visit: Visit) -> None:
    host.ends[visit.kernels[0].image_sha256] = "panic"
    host.crash = "Panic#1 Part1\n[   12.345678] Kernel panic - not syncing: Fatal exception\n"
    (ended,) = runs(visit, 0)
    assert said_of(ended) == ("panic", "Kernel panic - not syncing: Fatal exception")
    assert ("crash", f"/var/tmp/kassay-{ID}") in host.calls


def said_of(ended: Ended) -> tuple[str, str]:
    """Outcome and detail of a run without a result."""
    cell = Cell(id="c0", kernel=0, workload="mprotect_toggle", settings=(), cmdline="", setting_key="",
                machine=MachineUse(arch="x86_64", clock="metal", cpus=1, memory_bytes=1 << 30))  # fmt: skip
    return outcome_of(ended, measured_of(WorkloadUse(name="mprotect_toggle")), cell, logs_kernel=True)


@pytest.mark.parametrize(("elapsed", "outcome"), [("4.2", "guest-error"), ("5.01", "timeout"), ("", "timeout")])
def test_workload_that_was_killed_before_its_time_did_not_time_out(
    host: FakeHost, visit: Visit, elapsed: str, outcome: str
) -> None:
    host.ended = f"status\t137\nelapsed\t{elapsed}\n"  # none by scripts of earlier versions
    host.log = b"[ 1.0] kassay: run begins\n[ 12.0] Out of memory: Killed process 77 (program) total-vm:1kB\n"
    (ended,) = runs(visit, 0)
    found, detail = said_of(ended)
    assert found == outcome
    if outcome == "guest-error":
        assert detail == "the workload was killed by signal 9 after 4.2 s; the kernel had killed program: out of memory"


def test_kernel_without_kexec_goes_by_way_of_the_machines_own(host: FakeHost, visit: Visit) -> None:
    host.without_kexec = {visit.kernels[0].image_sha256}
    assert [one.outcome for one in runs(visit, 0, 1, 0, 0)] == [""] * 4
    assert host.steps.count("home") == 3
    assert (host.banner, host.files) == (OWN, {})


def test_machine_whose_own_kernel_lacks_kexec_ends_the_visit(host: FakeHost, visit: Visit) -> None:
    host.without_kexec, host.banners["own"] = {"own"}, OWN
    with pytest.raises(HostLacks, match="kexec_file_load not available"):
        runs(visit, 0)
    assert "home" not in host.steps


def test_a_kassay_that_is_ended_while_a_kernel_boots_does_not_wait_for_it(
    host: FakeHost, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def ending(words: tuple[str, ...], **_: object) -> bytes:
        asked.append(words)
        raise HostLacks("ssh: not started, kassay is ending")

    monkeypatch.setattr(host, "fetch", ending)
    with session(visit) as machine:
        with pytest.raises(HostLacks, match="kassay is ending"):
            machine.run(job(visit, 0), "x86_64")
        assert len(asked) == 1
        monkeypatch.undo()
        monkeypatch.setattr("kassay.effects.clock.sleep", lambda seconds: None)
    assert (host.banner, host.files) == (OWN, {})


def test_another_kernel_than_the_image_is_never_measured(host: FakeHost, visit: Visit) -> None:
    host.banners[visit.kernels[0].image_sha256] = "Linux version 6.3.0-old (another gcc) #1 SMP"
    (ended,) = runs(visit, 0)
    assert ended.outcome == "no-boot"
    assert "another image runs: Linux version 6.3.0-old (another gcc)" in ended.detail
    assert "run" not in host.steps


@pytest.mark.parametrize("step", ["boot", "order", "content", "prepare", "run", "wait", "state"])
def test_a_connection_that_is_cut_for_a_while_loses_no_run(host: FakeHost, visit: Visit, step: str) -> None:
    host.lost[step] = 2
    with session(visit) as machine:
        machine.run(job(visit, 0), "x86_64")
        host.lost[step] = 2
        assert machine.run(job(visit, 1, 2), "x86_64").outcome == ""
    assert (host.banner, host.files) == (OWN, {})


def test_a_machine_that_starts_anew_in_the_middle_of_a_run_is_an_outcome(host: FakeHost, visit: Visit) -> None:
    host.restarts_in_run = True
    ended = runs(visit, 0)
    assert [(one.outcome, one.stream) for one in ended] == [("machine-died", b"")]


def test_what_cannot_be_put_in_order_is_refused_and_the_machine_goes_home(host: FakeHost, visit: Visit) -> None:
    host.order = "refused\tscaling_governor is powersave and cannot be set to performance\n"
    with pytest.raises(HostLacks, match="not in order: scaling_governor is powersave"):
        runs(visit, 0)
    assert "run" not in host.steps
    assert (host.banner, host.files) == (OWN, {})


def test_a_machine_that_never_becomes_quiet_or_is_throttled_measures_nothing(host: FakeHost, visit: Visit) -> None:
    host.quiescence = "state busy\nbusy apt 120\n"
    assert [(one.outcome, one.detail) for one in runs(visit, 0)] == [
        ("busy", "the machine never became quiet: apt 120 ticks of 200")
    ]
    host.quiescence, host.facts = "state quiet\nwaited 6\n", {"throttled": "3"}
    assert [one.outcome for one in runs(visit, 0)] == ["throttled"]


def test_time_that_other_guests_of_a_hypervisor_had_is_no_time_of_the_run(host: FakeHost, visit: Visit) -> None:
    host.ended = "status\t0\nelapsed\t10\n"
    for ticks, outcome in (("20", ""), ("21", "busy")):
        host.facts = {"stolen": ticks}
        assert [one.outcome for one in runs(visit, 0)] == [outcome]
    assert "21 ticks of the run's 10 s" in runs(visit, 0)[0].detail


def test_a_file_that_arrives_damaged_is_refused(host: FakeHost, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "send", lambda data, to, **_: host.files.__setitem__(to, b"damaged"))
    with pytest.raises(HostLacks, match="old arrives damaged"):
        runs(visit, 0)


def test_the_stream_of_a_run_is_that_of_a_boot(host: FakeHost, visit: Visit, stream: bytes) -> None:
    host.stream = stream
    (ended,) = runs(visit, 0)
    report = protocol.parse(ended.stream)
    assert protocol.outcome(report) == ("ok", "")
    found = audit.fields(report, "boot")
    assert found["boot.quiescence"] == "quiet"
    assert "kassay.run=" in str(found["cmdline"])


@pytest.fixture
def stream() -> bytes:
    """The output of a workload."""
    from kassay.supply.machines._metal.stream import _frame

    texts = (("workload", "w", b""), ("clock", "-", b"clock monotonic\nticks_per_second 1000000000\noverhead 1\n"),
             ("phase", "iteration", b"operations 2"), ("phase", "on", b"operations 2"), ("rounds", "-", b"0 1\n2 3\n"),
             ("check", "-", b"ok"))  # fmt: skip
    records = [_frame(*text) for text in texts]
    around = f"section=workload records={len(records)}".encode()
    return b"".join((_frame("begin", "-", around), *records, _frame("end", "-", around)))


def test_what_drivers_say_before_the_run_is_told_apart() -> None:
    log = b"[    1.0] WARNING: driver\n[    9.0] kassay: run begins\n[   10.0] BUG: bad page\n"
    assert since_the_run(log) == b"  [    1.0] WARNING: driver\n[    9.0] kassay: run begins\n[   10.0] BUG: bad page\n"
    assert since_the_run(b"BUG: x\n") == b"BUG: x\n"


SOUND = {"machine": "x86_64", "root": "0", "kexec": "/sbin/kexec", "initrd_tool": "dracut", "free_kb": "9999999"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, ""),
        ({"machine": "aarch64"}, "not x86_64"),
        ({"root": "1000"}, "no root by sudo"),
        ({"kexec": ""}, "kexec is not there"),
        ({"kexec_off": "1"}, "switched off"),
        ({"lockdown": "integrity"}, "lockdown"),
        ({"initrd_tool": ""}, "no initrd"),
        ({"lacking": "flock"}, "lacks flock"),
        ({"free_kb": "1000"}, "1000 kB left"),
        ({"busy": "100"}, "50 % of one CPU"),
    ],
)
def test_why_a_machine_is_refused(wrong: dict[str, str], words: str) -> None:
    text = "".join(f"{name}\t{value}\n" for name, value in (SOUND | wrong).items() if value)
    found = [what for what, _ in refusals(facts(text), "x86_64", False)]
    assert len(found) == bool(words)
    assert words in "".join(found)


def test_commands_of_the_user_get_what_their_help_names(
    host: FakeHost, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, str] = {}

    def run(argv: tuple[str, ...], *, env: dict[str, str], **_: object) -> process.Completed:
        given.update(env)
        return process.Completed(0, "", "")

    monkeypatch.setattr(process, "run", run)
    assert [one.outcome for one in runs(reached(visit, start="grub-reboot"), 0)] == [""]
    assert given["KASSAY_HOST"] == ADDRESS
    assert len(given) == 4
    start, reset = (get_args(option)[1].help for option in (Start, Reset))
    assert [name for name in given if name not in start] == []
    assert "KASSAY_HOST" in reset


def test_a_dry_run_shows_every_script_and_connects_to_nothing(host: FakeHost, visit: Visit) -> None:
    machine = machine_for("metal", "", "ssh://root@fake:22")
    text = machine.steps(lambda: reached(visit, reset="power cycle"), "nokaslr")
    assert host.calls == []
    assert "kexec -s -l" in text and "rm -rf" in text and "power cycle" in text
    scripts = Path(visits.__file__).with_name("scripts")
    assert all(path.read_text().rstrip() in text for path in scripts.glob("*.sh"))
    commands = {line.split()[0] for line in text.partition("#### common.sh")[0].splitlines() if line}
    assert set(NAMES) <= commands
    assert "cat /proc/sys/kernel/random/boot_id " in text


@pytest.mark.parametrize(
    "text", ["host", "ssh://", "http://host", "ssh://-oProxy", "ssh://h/path", "ssh://h:x", "ssh://a:b@h", "ssh://a b"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="not the address of a machine"):
        parse_ssh(text)


@pytest.mark.parametrize(
    "text",
    ["ssh://host", "ssh://me@host:2222", "ssh://me@[::1]:22", "ssh://BigBox", "ssh://Me@BigBox:22", "ssh://[FE80::1]"],
)
def test_an_address_reads_as_it_was_written(text: str) -> None:
    assert parse_ssh(text).text == text


def test_identity_of_a_machine_is_that_of_earlier_versions(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kassay.supply.machines.metal._facts", lambda _: facts(host._inspect()))
    identities = {
        machine_for("metal", "", address).identify("x86_64", 1, "stock").host
        for address in ("ssh://Me@BigBox", "ssh://Me@bigbox")
    }
    assert identities == {"Fake CPU, CPUs 0-3, 8 GiB, ssh://Me@bigbox"}
