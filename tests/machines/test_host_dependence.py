# SPDX-License-Identifier: GPL-2.0-only
"""Digits that may depend on the host: a run says so, and so does the answer."""

import pytest

from kassay.model.reason_texts import reason_text
from kassay.model.run import RunRecord, WallTime
from kassay.report.conditions import host_dependent
from kassay.supply.machines import qemu_icount, qemu_tcg
from kassay.supply.machines._argv import Emulation
from kassay.supply.machines._qemu import _host_dependence

PLUGGED = ("qemu", "-plugin", "profile.so,halts=still")
WARNING = "kassay-profile: warning: QEMU's main loop never polls: digits may depend on the host\n"


@pytest.mark.parametrize(
    ("emulation", "command", "errors", "why"),
    [
        (qemu_icount.EMULATION, PLUGGED, "qemu: warning: TCG lacks a feature\n", ""),
        (qemu_icount.EMULATION, PLUGGED, f"qemu: warning: x\n{WARNING}", "QEMU's main loop never polls"),
        (qemu_icount.EMULATION, ("qemu",), "", "QEMU ran without kassay's plugin"),
        (qemu_tcg.EMULATION, ("qemu",), "", ""),
    ],
)
def test_a_run_knows_why(emulation: Emulation, command: tuple[str, ...], errors: str, why: str) -> None:
    assert _host_dependence(emulation, command, errors) == why


def test_an_answer_counts_the_runs_of_each_cause() -> None:
    records = [
        RunRecord(run=f"r{number}", attempt=1, outcome=outcome, detail="", stream_sha256=None, console_sha256=None,
                  wall=WallTime(), argv=(), started_utc="", host_dependence=why)
        for number, (outcome, why) in enumerate([("ok", "this"), ("ok", ""), ("panic", "this"), ("ok", "this")])
    ]  # fmt: skip
    assert [reason_text(why) for why in host_dependent(records)] == [
        "Digits of 2 runs of 3 may depend on the host: this."
    ]
