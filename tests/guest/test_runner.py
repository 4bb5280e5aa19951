# SPDX-License-Identifier: GPL-2.0-only
"""The runner every workload shares: strict arguments, whole streams, perturbations that change nothing."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kassay.supply.guest import audit
from tests.guest.native import Programs, run


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("size=0",), "size=0"),
        (("size=4097",), "size=4097"),
        (("size=8XiB",), "size=8XiB"),
        (("size=-4096",), "size=-4096"),
        (("size=99999999999999999999GiB",), "not a value"),
        (("size=18446744073709551615GiB",), "not a value"),
        (("size",), "parameter size"),
        (("size=",), "size="),
        (("sizes=4096",), "unknown parameter sizes=4096"),
        (("=1",), "unknown parameter =1"),
        (("share=Shared",), "share=Shared"),
        (("--frobnicate", "1"), "unknown option --frobnicate"),
        (("--stack-bytes", "-1"), "--stack-bytes -1"),
        (("--stack-bytes", "+3"), "--stack-bytes +3"),
        (("--stack-bytes", " 3"), "--stack-bytes  3"),
        (("--stack-bytes", "3x"), "--stack-bytes 3x"),
        (("--stack-bytes", "99999999999999999999"), "--stack-bytes 99999999999999999999"),
        (("--mmap-pages", "many"), "--mmap-pages many"),
        (("--clock", "sundial"), "--clock sundial"),
    ],
)
def test_an_argument_that_is_not_understood_is_an_error(
    programs: Programs, arguments: tuple[str, ...], words: str
) -> None:
    ran = run(programs("mprotect_toggle"), *arguments)
    assert (ran.status, ran.stderr) == (2, "")
    assert ran.refusal.startswith("guest-error: ")
    assert words in ran.refusal


def test_rounds_must_be_asked_for(programs: Programs) -> None:
    assert run(programs("calibrate"), "iterations=5", rounds=0).status == 2
    assert run(programs("calibrate"), "iterations=5", rounds=10**7).status == 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
@pytest.mark.slow
def test_no_parameter_text_breaks_a_program(programs: Programs, text: str) -> None:
    ran = run(programs("calibrate"), "iterations=5", "syscalls=5", f"iterations={text}")
    assert ran.stderr == ""
    if ran.report is None:
        assert ran.status == 2
        assert ran.refusal.startswith("guest-error: parameter iterations=")
    else:
        assert text.isascii() and text.isdigit()


def test_without_a_place_to_write_the_status_tells(programs: Programs, tmp_path: Path) -> None:
    program = str(programs("calibrate"))
    argv = (program, "--run", "iterations=5", "syscalls=5", "--rounds", "1", "--out", str(tmp_path / "no" / "where"))
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 3
    assert "No such file" in done.stderr
    assert subprocess.run((program,), capture_output=True).returncode == 2


def test_perturbations_move_memory_and_change_no_state(programs: Programs) -> None:
    program = programs("mincore_scan")
    plain = run(program, "size=256KiB").report
    moved = run(program, "size=256KiB", "--stack-bytes", "4096", "--mmap-pages", "700").report
    assert plain is not None and moved is not None
    assert moved.check == "ok"
    fields = [audit.fields(report, "after") for report in (plain, moved)]
    names = ("range.vmas", "range.Rss", "range.AnonHugePages", "pagemap.present")
    assert [fields[0].get(name) for name in names] == [fields[1].get(name) for name in names] == ["1", "256", "0", "64"]


def test_a_report_has_both_moments_and_the_tasks_of_the_host(programs: Programs) -> None:
    report = run(programs("page_fault"), "size=64KiB", "tasks=3").report
    assert report is not None
    captured = {(file.moment, file.path) for file in report.files}
    for path in ("/proc/self/smaps", "/proc/vmstat", "/proc/zoneinfo", "kassay/tasks", "kassay/range"):
        assert {("before", path), ("after", path)} <= captured
    own = next(file.content for file in report.files if file.path == "kassay/own")
    assert own is not None and len(own.splitlines()) == 4  # the program and its three workers
