# SPDX-License-Identifier: GPL-2.0-only
"""Exact counts do not depend on the host: where two hosts show otherwise, both are named."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from msgspec import structs

from kassay.model.count_differences import disagreement_reason, first_difference
from kassay.model.run import CellEvidence, Disagreement, Measurement
from kassay.supply.clocks import clock_of


def with_disagreements(evidence: Iterable[CellEvidence]) -> tuple[CellEvidence, ...]:
    """The evidence, each cell knowing of all pairs of hosts that disagree anywhere in it."""
    cells = tuple(evidence)
    disagreements = tuple({(d.host, d.other): d for item in cells for d in _of(item)}.values())
    return tuple(structs.replace(item, disagreements=disagreements) for item in cells) if disagreements else cells


def _of(item: CellEvidence) -> Iterator[Disagreement]:
    if not clock_of(item.cell.machine.clock).repeats_exactly:
        return
    plain = [m for m in item.measurements if m.plain]
    for a, b in combinations(plain, 2):
        if a.host != b.host and (difference := first_difference(a.phases, b.phases)) is not None:
            yield _disagreement(item.label, a, b, difference)


def _disagreement(label: str, a: Measurement, b: Measurement, difference: tuple[str, int, int, int]) -> Disagreement:
    why = disagreement_reason(label, (a.run, b.run), (a.host, b.host), difference)
    return Disagreement(host=a.host, other=b.host, reason=why)
