# SPDX-License-Identifier: GPL-2.0-only
"""The joint meaning of counts and time claims no more than either verdict allows."""

import msgspec
import pytest

from kassay.analysis.counts_and_time import meaning, side_by_side
from kassay.analysis.exact import judge_counts
from kassay.analysis.timed import Session, judge_times
from kassay.model.finding import Finding
from kassay.model.machine import MachineUse
from kassay.model.reason import Reason, reason
from kassay.supply.clocks import clock_of
from tests.analysis.sides import side

NOISE = (1.0, 1.004, 0.997, 1.002, 0.999, 1.001, 0.998, 1.003)


def finding(clock: str, change: float, **changes: object) -> Finding:
    if clock_of(clock).exact:
        sides = side("a", 1000.0, 1000.0), side("b", *[1000.0 * (1 + change)] * 2)
        judged = judge_counts(*sides, 0.01, None)
    else:
        sides = side("a", *(1000 * n for n in NOISE)), side("b", *(1000 * (1 + change) * n for n in NOISE))
        judged = judge_times(*sides, 0.02, Session(looks=(8,), threshold=0.05, look=8))
    return msgspec.structs.replace(
        Finding(
            workload="w", settings=(), machine=MachineUse(arch="x86_64", clock=clock, cpus=1, memory_bytes=1 << 30),
            metric="iteration", primary=True, unit="u", definition="d", better="lower", base="a", head="b",
            base_value=sides[0].value, head_value=sides[1].value, change=judged.change, interval=judged.interval,
            n_base=2, n_head=2, verdict=judged.verdict, evidence=judged.evidence, scope=clock_of(clock).scope,
            reasons=judged.reasons, sides=sides, timing=judged.timing,
        ),
        **changes,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("counted", "timed", "expected"),
    [
        (0.026, 0.54, reason("time-changed-more")),  # flistxattr on tmpfs from 7.0 to 7.1
        (1.10, 0.0, reason("counts-alone-changed", more_or_fewer="more")),
        (0.0, 0.20, reason("time-alone-changed")),
        (0.0, 0.0, reason("neither-changed")),
        (0.50, 0.48, reason("changed-alike", longer_or_shorter="longer")),
        (-0.50, -0.48, reason("changed-alike", longer_or_shorter="shorter")),
        (0.30, -0.20, reason("opposite-directions")),
        (1.20, 0.10, reason("counts-changed-more")),
        (-0.30, 0.0, reason("counts-alone-changed", more_or_fewer="fewer")),
    ],
)
def test_agreement_and_disagreement_have_a_meaning(counted: float, timed: float, expected: Reason) -> None:
    assert meaning(finding("icount", counted), finding("kvm", timed)) == expected


def test_a_wide_interval_claims_no_disagreement() -> None:
    """+60 % somewhere between +8 and +230 neither agrees nor disagrees with +121."""
    time = finding("kvm", 0.60, interval=(0.08, 2.3))
    assert meaning(finding("icount", 0.5), time) == reason("time-too-wide")
    assert meaning(finding("icount", 0.5), finding("kvm", 0.5)) != reason("time-too-wide")


def test_a_small_count_inside_the_interval_of_time_is_no_disagreement() -> None:
    time = finding("kvm", 0.015, interval=(0.012, 0.018), verdict="equivalent")
    assert meaning(finding("icount", 0.015), time) == reason("counts-within-time")


def test_without_a_verdict_of_either_nothing_is_read_into_it() -> None:
    refused = finding("kvm", 0.5, verdict="state-mismatch")
    assert meaning(finding("icount", 0.5), refused) == reason(
        "no-verdict-to-compare", which="time", verdict="state-mismatch"
    )
    why = reason("no-step-between")
    undecided = finding("kvm", 0.5, verdict="inconclusive", reasons=(why,))
    assert meaning(finding("icount", 0.5), undecided) == reason("time-undecided", because=why)


def test_emulated_time_is_said_to_be_the_emulators() -> None:
    found = meaning(finding("icount", 0.0), finding("tcg", 0.3))
    assert (found.code, found["because"]) == ("clock-remark", reason("time-alone-changed"))
    assert meaning(finding("icount", 0.0), finding("kvm", 0.3)) == reason("time-alone-changed")


def test_only_what_was_counted_and_timed_alike_stands_side_by_side() -> None:
    counts = (finding("icount", 0.5), finding("icount", 0.5, metric="protect"))
    (row,) = side_by_side(counts, (finding("kvm", 0.5), finding("kvm", 0.5, metric="other")))
    assert (row.metric, row.clock, row.counts_n, row.time_n) == ("iteration", "kvm", (2, 2), (2, 2))
    elsewhere = MachineUse(arch="x86_64", clock="kvm", cpus=2, memory_bytes=1 << 30)
    assert side_by_side(counts, (finding("kvm", 0.5, machine=elsewhere),)) == ()
