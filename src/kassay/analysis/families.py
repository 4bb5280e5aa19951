# SPDX-License-Identifier: GPL-2.0-only
"""Many cells of one comparison: one statement about all of them first, then which single cells stand."""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

import msgspec

from kassay.analysis.statistics.multiplicity import benjamini_hochberg, holm, pooled
from kassay.analysis.timed import Session, boots_of
from kassay.model.finding import CHANGES, Finding
from kassay.model.reason import reason
from kassay.model.timing import Family


class Held(NamedTuple):
    """Findings as they stand among their cells, and one family for each comparison of several cells."""

    findings: tuple[Finding, ...]
    families: tuple[Family, ...]


def held(findings: Sequence[Finding], session: Session) -> Held:
    """Judges the primary findings of one workload, base and head together; a single cell stays as it is."""
    groups: dict[tuple[str, str, str, str], list[int]] = {}
    for index, f in enumerate(findings):
        if f.primary and f.timing is not None and f.timing.p is not None:
            groups.setdefault((f.workload, f.metric, f.sides[0].kernel, f.sides[1].kernel), []).append(index)
    changed = list(findings)
    families = []
    for members in (group for group in groups.values() if len(group) > 1):
        cells = [findings[index] for index in members]
        standing = _standing(cells, session)
        for index, word in zip(members, standing, strict=True):
            changed[index] = _placed(findings[index], word, len(members))
        families.append(_family(cells, standing, session))
    return Held(tuple(changed), tuple(families))


def _standing(cells: Sequence[Finding], session: Session) -> list[str]:
    """One word of STANDING for each cell. Its p is held against the level of a look, as that of a single cell is."""
    ps = [f.timing.p for f in cells if f.timing is not None and f.timing.p is not None]
    first = holm(ps, session.threshold)
    second = benjamini_hochberg(ps, session.threshold)
    words = []
    for f, sure, likely in zip(cells, first, second, strict=True):
        word = "confirmed" if sure else "candidate" if likely else "alone"
        words.append(word if f.verdict in CHANGES else "")
    return words


def _placed(f: Finding, word: str, settings: int) -> Finding:
    """The finding with its standing; one that stands alone has no verdict."""
    if word != "alone" or f.timing is None:
        return msgspec.structs.replace(f, standing=word)
    lost = reason("lost-among-settings", p=f.timing.p, settings=settings)
    return msgspec.structs.replace(
        f, standing=word, verdict="inconclusive", evidence="partial", reasons=(lost, *f.reasons)
    )


def _family(cells: Sequence[Finding], standing: Sequence[str], session: Session) -> Family:
    first = cells[0]
    p, shift, interval = pooled([boots_of(*f.sides, session) for f in cells], session.threshold)
    changes = [f.change for f in cells if f.change is not None]
    return Family(
        workload=first.workload, metric=first.metric, base=first.sides[0].kernel, head=first.sides[1].kernel,
        cells=len(cells), change=exp(shift) - 1,
        interval=None if interval is None else (exp(interval[0]) - 1, exp(interval[1]) - 1), p=p,
        smallest=min(changes), largest=max(changes),
        confirmed=standing.count("confirmed"), candidates=standing.count("confirmed") + standing.count("candidate"),
    )  # fmt: skip
