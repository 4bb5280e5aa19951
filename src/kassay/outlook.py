# SPDX-License-Identifier: GPL-2.0-only
"""Before the first boot of a timed session: how many boots, how long, and how small a change they can show."""

from pathlib import Path
from statistics import median

import msgspec

from kassay.analysis.looks import MINIMUM_BOOTS, looks, within
from kassay.analysis.statistics.planning import boots_needed, detectable, threshold
from kassay.effects.files import cache_directory, write_atomic
from kassay.model.experiment import Experiment
from kassay.model.plan import Plan
from kassay.model.records import Record, content_id, from_json, to_json
from kassay.model.run import RunRecord

_USUAL_CV = (0.02, 0.05)


class Pace(Record, frozen=True, kw_only=True):
    """What earlier sessions of the same workload and machine took. seconds: wall time of a boot, median. n: boots."""

    seconds: float
    n: int


def outlook(plan: Plan) -> str:
    """One line: boots and looks planned, what they cost, and the change they show in four of five sessions."""
    e = plan.experiment
    planned = looks(e.repeats)
    first = sum(1 for run in plan.runs if within(run, planned[0])) if e.order != "sequential" else len(plan.runs)
    boots = f"{first} to {len(plan.runs)} boots" if first < len(plan.runs) else f"{len(plan.runs)} boots"
    at = "/".join(map(str, planned))
    said = f"{boots}{_cost(e, first, len(plan.runs))}; looked at after {at} per kernel"
    if planned[-1] < MINIMUM_BOOTS:
        return f"{said}; no verdict is possible below {MINIMUM_BOOTS} boots per kernel, this only screens"
    level = threshold(len(planned)) / _questions(plan)
    shown = ", ".join(f"{detectable(cv, planned[-1], level):.1%} where boots scatter by {cv:.0%}" for cv in _USUAL_CV)
    needed = ", ".join(str(boots_needed(cv, e.margin, level)) for cv in _USUAL_CV)
    return f"{said}; shows a change of {shown}, in 4 of 5 sessions (one of {e.margin:.1%} takes {needed} boots)"


def _questions(plan: Plan) -> int:
    """Primary comparisons that share the level of a look."""
    groups = len({cell.setting_key for cell in plan.cells})
    return groups * (len(plan.kernels) - 1)


def _cost(e: Experiment, first: int, most: int) -> str:
    try:
        pace = from_json(_path(e).read_bytes(), Pace)
    except (OSError, msgspec.DecodeError):
        return " (each at least as long as the guest takes to boot)"
    return f" ({_minutes(first * pace.seconds)} to {_minutes(most * pace.seconds)} at {pace.seconds:.1f} s each)"


def remember(plan: Plan, records: tuple[RunRecord, ...]) -> None:
    """Keeps the pace of a timed session for the next one's outlook."""
    walls = [sum(msgspec.structs.astuple(record.wall)) for record in records if record.outcome == "ok"]
    if plan.experiment.timed and walls:
        write_atomic(_path(plan.experiment), to_json(Pace(seconds=median(walls), n=len(walls))))


def _path(e: Experiment) -> Path:
    like = msgspec.structs.replace(e, name="", kernels=(), repeats=0, seed=0, margin=0.0)
    return cache_directory() / "pace" / f"{content_id(like)[:16]}.json"


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
