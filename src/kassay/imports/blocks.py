# SPDX-License-Identifier: GPL-2.0-only
"""Were repetitions made as blocks? Only the start times can tell."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

_NOT_KNOWN = "the order of the boots is not known as blocks"


def blocks_of(runs: Mapping[str, tuple[int, str, str] | None]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Run id -> block, for runs of (repetition, start, what ran), and what a reader must be told.

    Repetitions are blocks when no repetition starts before the one ahead of it has started all its runs, and when
    what ran did not always come in the same order; a fixed order does not protect against drift.
    """
    groups: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for run_id, run in runs.items():
        if run is None:
            return {}, (f"{_NOT_KNOWN}: run {run_id[-60:]!r} does not name its repetition and start time",)
        groups[run[0]].append((run[1], run[2], run_id))
    ordered = [sorted(groups[key]) for key in sorted(groups)]
    if any(later[0][0] < earlier[-1][0] for earlier, later in pairwise(ordered)):
        return {}, (f"{_NOT_KNOWN}: the start times of the repetitions overlap",)
    orders = {tuple(what for _, what, _ in group) for group in ordered}
    if len(orders) == 1 and len(next(iter(orders))) > 1:
        return {}, (f"{_NOT_KNOWN}: every repetition ran the kernels in the same order, which lets drift in",)
    note = f"each of the {len(ordered)} repetitions is a block: start times show one after the other, in varying order"
    return {run_id: key for key in groups for _, _, run_id in groups[key]}, (note,)
