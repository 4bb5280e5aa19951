# SPDX-License-Identifier: GPL-2.0-only
"""How long the boots of a timed session took, kept in the cache for the forecast of the next one."""

from pathlib import Path
from statistics import median

import msgspec

from kassay.effects.files import cache_directory, write_atomic
from kassay.model.experiment import Experiment
from kassay.model.plan import Plan
from kassay.model.records import content_id, from_json, to_json
from kassay.model.run import RunRecord
from kassay.model.timing import Pace


def known_pace(experiment: Experiment) -> Pace | None:
    """The pace of the last session like this one; None when there was none."""
    try:
        return from_json(_path(experiment).read_bytes(), Pace)
    except (OSError, msgspec.DecodeError):
        return None


def remember_pace(plan: Plan, records: tuple[RunRecord, ...]) -> None:
    """Keeps the pace of a timed session for the next one."""
    walls = [sum(msgspec.structs.astuple(record.wall)) for record in records if record.outcome == "ok"]
    if not plan.experiment.exact and walls:
        write_atomic(_path(plan.experiment), to_json(Pace(seconds=median(walls), n=len(walls))))


def _path(experiment: Experiment) -> Path:
    like = msgspec.structs.replace(experiment, name="", kernels=(), repeats=0, seed=0, margin=0.0)
    return cache_directory() / "pace" / f"{content_id(like)[:16]}.json"
