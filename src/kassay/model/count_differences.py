# SPDX-License-Identifier: GPL-2.0-only
"""First difference between two runs that must have the same counts."""

from kassay.model.guest import PhaseRounds
from kassay.model.reason import Reason, reason

THIS_HOST = "this host"
"""The name of the host that keeps the journal."""


def first_difference(a: tuple[PhaseRounds, ...], b: tuple[PhaseRounds, ...]) -> tuple[str, int, int, int] | None:
    """The first round that two runs count otherwise: phase, round from 1, and both counts; None where they agree."""
    other = {phase.phase: phase.ticks for phase in b}
    for phase in a:
        ticks = other.get(phase.phase, ())
        for number, (count, other_count) in enumerate(zip(phase.ticks, ticks, strict=False), start=1):
            if count != other_count:
                return phase.phase, number, count, other_count
        if len(ticks) != len(phase.ticks):
            return phase.phase, min(len(ticks), len(phase.ticks)) + 1, len(phase.ticks), len(ticks)
    return None


def disagreement_reason(label: str, runs: tuple[str, str], hosts: tuple[str, str],
                        difference: tuple[str, int, int, int]) -> Reason:  # fmt: skip
    """Two runs of one cell on two hosts. label: of the kernel. difference: see first_difference()."""
    phase, number, count, other_count = difference
    return reason(
        "hosts-disagree", label, host=hosts[0] or THIS_HOST, other=hosts[1] or THIS_HOST, phase=phase, round=number,
        count=count, run=runs[0], other_count=other_count, other_run=runs[1],
    )  # fmt: skip
