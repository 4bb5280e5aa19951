# SPDX-License-Identifier: GPL-2.0-only
"""Error of a predicted ratio: conformal intervals, and causes for which there is none.

A score of a measured change is |ln(measured ratio / predicted ratio)| / (FLOOR + distance). The distance is that of the
change from no change at all: ln(1 + sum of what every cause gained or lost / the smaller total). It is |ln ratio| where
all causes move the same way, and larger where one cause gains what another one loses. The interval of a new change is
its predicted ratio, times and divided by exp(quantile of the scores x (FLOOR + distance)): the larger the change, the
wider it is.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import field

from kassay.errors import BadInput, nearest_of
from kassay.model.prediction import CAUSES
from kassay.model.reason import Reason, reason
from kassay.model.records import Record

FLOOR = 0.05
"""Error that a prediction of no change is assumed to have, as if it were a change of 5 %."""
LEVEL = 0.9
UNLEARNED = 0.6
"""Quantile of a table without measured changes: an estimate."""
FEWEST = 3
"""Changes in which a cause must have moved before an interval speaks for it."""
NOTICED = 0.1
"""A cause moved in a change when it has this share of all that moved."""
SMALL = 0.02
"""Below this share of the base's time no cause is asked for: the whole change is inside FLOOR."""

Shifts = Mapping[str, tuple[float, float]]
"""Cause -> predicted time of base and of head, in one unit."""


class IntervalTable(Record, frozen=True, kw_only=True):
    """The [interval] section of a timing file."""

    level: float
    """Share of changes that are inside."""
    quantile: float
    """Quantile of the scores, at that level."""
    n: int
    """Number of changes that the scores come from; 0 if the quantile is not from measurements on this CPU."""
    source: str
    causes: dict[str, int]
    """Number of changes in which each cause moved."""
    weights: dict[str, float] = field(default_factory=dict)
    """Factor of each cause's time, fitted on differences; 1 for a cause that is not named."""


class Interval(Record, frozen=True, kw_only=True):
    """Interval of a predicted ratio."""

    low: float
    """Lower end of head / base."""
    high: float
    """Upper end of head / base."""
    level: float
    """Share of changes whose measured ratio is inside."""


def unlearned(source: str) -> IntervalTable:
    """The table of a CPU on which no changes were measured."""
    return IntervalTable(level=LEVEL, quantile=UNLEARNED, n=0, source=source, causes={})


def problems(table: IntervalTable) -> Iterator[str]:
    """Mistakes in the section of a file, each with its key."""
    if not 0 < table.level < 1:
        yield f"interval.level: {table.level:g} is not between 0 and 1"
    numbers = {"quantile": table.quantile, "n": table.n}
    numbers |= {f"weights.{cause}": weight for cause, weight in table.weights.items()}
    numbers |= {f"causes.{cause}": count for cause, count in table.causes.items()}
    for key, number in numbers.items():
        if not 0 <= number < math.inf:
            yield f"interval.{key}: {number:g} is not from 0 on"
    for section, causes in (("weights", table.weights), ("causes", table.causes)):
        for cause in causes:
            if cause not in CAUSES:
                yield f"interval.{section}.{cause}: no cause; {nearest_of(cause, CAUSES)}"


def ratio_of(shifts: Shifts) -> float:
    """head / base, over all causes. Raises ValueError without time in the base."""
    base, head = _totals(shifts)
    if base <= 0 or head <= 0:
        raise ValueError("a side without predicted time")
    return head / base


def distance_of(shifts: Shifts) -> float:
    """How far a change is from no change; 0 for none. Raises ValueError as ratio_of() does."""
    ratio_of(shifts)
    return math.log1p(math.fsum(abs(head - base) for base, head in shifts.values()) / min(_totals(shifts)))


def score_of(measured_ratio: float, shifts: Shifts) -> float:
    """Error of a prediction, in units of the error that changes of its size may have."""
    return abs(math.log(measured_ratio / ratio_of(shifts))) / (FLOOR + distance_of(shifts))


def notable_causes(shifts: Shifts) -> tuple[str, ...]:
    """Causes with a notable share of all that moved, largest first; none where the change is small."""
    moves = {cause: abs(head - base) for cause, (base, head) in shifts.items()}
    gross = math.fsum(moves.values())
    if gross <= SMALL * min(_totals(shifts)):
        return ()
    large = [cause for cause in moves if moves[cause] >= NOTICED * gross]
    return tuple(sorted(large, key=lambda cause: (-moves[cause], cause)))


def weighted(weights: Mapping[str, float], shifts: Shifts) -> dict[str, tuple[float, float]]:
    """Every cause's time times its weight."""
    return {cause: (base * weights.get(cause, 1.0), head * weights.get(cause, 1.0))
            for cause, (base, head) in shifts.items()}  # fmt: skip


def refusals(table: IntervalTable, shifts: Shifts) -> tuple[Reason, ...]:
    """A reason for each cause that moved and was not calibrated; an interval for that part would be a guess.

    None for a table without measured changes: its intervals are wide for every cause.
    """
    if not table.n:
        return ()
    gross = math.fsum(abs(head - base) for base, head in shifts.values())
    return tuple(
        reason("cause-not-calibrated", cause=cause, share=abs(shifts[cause][1] - shifts[cause][0]) / gross,
               calibrated=table.causes.get(cause, 0), needed=FEWEST)
        for cause in notable_causes(shifts)
        if table.causes.get(cause, 0) < FEWEST
    )  # fmt: skip


def interval_of(table: IntervalTable, shifts: Shifts) -> Interval:
    """The interval of a change, weights of the table not applied: apply them to what is predicted first, by weighted().

    Call refusals() as well. Raises ValueError as ratio_of() does.
    """
    half = table.quantile * (FLOOR + distance_of(shifts))
    ratio = ratio_of(shifts)
    return Interval(low=ratio * math.exp(-half), high=ratio * math.exp(half), level=table.level)


def conformal_quantile(scores: Sequence[float], level: float) -> float:
    """The score that a new change exceeds with a probability of at most 1 - level, if it is drawn as these were.

    Raises BadInput with fewer scores than any such statement needs: 9 for a level of 0.9.
    """
    rank = math.ceil((len(scores) + 1) * level - 1e-9)
    if rank > len(scores):
        needed = math.ceil(level / (1 - level) - 1e-9)
        raise BadInput(f"{len(scores)} measured changes are too few for intervals that hold {level:.0%}",
                       f"measure {needed} or more; those of one group or name count once")  # fmt: skip
    return sorted(scores)[rank - 1]


def counts_of_causes(changes: Iterable[Shifts]) -> dict[str, int]:
    """Cause -> number of changes in which it moved, by name."""
    counts: dict[str, int] = {}
    for shifts in changes:
        for cause in notable_causes(shifts):
            counts[cause] = counts.get(cause, 0) + 1
    return dict(sorted(counts.items()))


def _totals(shifts: Shifts) -> tuple[float, float]:
    return math.fsum(base for base, _ in shifts.values()), math.fsum(head for _, head in shifts.values())
