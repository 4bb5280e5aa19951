# SPDX-License-Identifier: GPL-2.0-only
"""A program that is compiled is reported before, to the innermost listener, and as one line of a terminal."""

from time import sleep

import pytest

from kassay.commands import _show
from kassay.commands._live import key_of
from kassay.commands._show import showing
from kassay.effects.compiling import report_compilation, reporting_compilations
from kassay.model.progress import Progress
from kassay.supply.guest import compile


def test_commands_show_what_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    with showing():
        report_compilation("core model")
    report_compilation("nobody listens")
    assert capsys.readouterr().err == "compile: core model\n"


def test_the_innermost_listener_gets_the_event() -> None:
    outer: list[Progress] = []
    inner: list[Progress] = []
    with reporting_compilations(outer.append):
        with reporting_compilations(inner.append):
            report_compilation("one")
        report_compilation("two")
    assert [event.subject for event in inner] == ["one"]
    assert [event.subject for event in outer] == ["two"]


def test_a_log_says_that_kassay_still_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_show, "_SILENCE_S", 0.05)
    said = ""
    with showing(), showing():
        for _ in range(1000):
            said += capsys.readouterr().err
            if said.count("\n") > 1:
                break
            sleep(0.01)
    assert set(said.splitlines()) == {"still working, 0 s"}


@pytest.mark.slow
@pytest.mark.usefixtures("cache")
def test_a_program_is_reported_once() -> None:
    events: list[Progress] = []
    with reporting_compilations(events.append):
        compile.build("calibrate", "x86_64")
        compile.build("calibrate", "x86_64")
    assert [event.subject for event in events] == ["guest program calibrate"]


def test_all_compilations_share_a_line() -> None:
    assert len({key_of(Progress(stage="compile", subject=name)) for name in ("init", "brk_cycle")}) == 1


def test_a_stage_that_counts_has_one_line_and_each_download_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with showing() as tell:
        for number in range(1, 4):
            tell(Progress(stage="read", subject=f"{number}/9", text="a run", done=number / 9))
            tell(Progress(stage="fetch", subject=f"linux-6.{number}", done=0.5))
    assert capsys.readouterr().err.splitlines() == [
        "read: 1/9 11% a run", "fetch: linux-6.1 50%", "fetch: linux-6.2 50%", "fetch: linux-6.3 50%",
    ]  # fmt: skip
