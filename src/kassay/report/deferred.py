# SPDX-License-Identifier: GPL-2.0-only
"""Work that the workload queued and the kernel did later, as every reader is told of it."""

from collections.abc import Iterator, Sequence

from kassay.model.experiment import APART
from kassay.model.profile import DEFERRED
from kassay.model.reason import Reason, reason
from kassay.model.run import CellEvidence

_LEAST = 0.001  # of the region: below it deferred work has only its rows
_OBJECTS = {"work-item": "work items", "rcu-callback": "RCU callbacks", "irq-work": "irq_works"}
"""Names of objects in the plural. Timers are left out: one that was cancelled looks like one that is outstanding."""


def deferred_work(evidence: Sequence[CellEvidence]) -> tuple[Reason, ...]:
    """Deferred work of each kernel, and the kinds of it that cannot be followed, for all readers."""
    return tuple(dict.fromkeys(told for item in evidence for told in _of_kernel(item)))


def _of_kernel(item: CellEvidence) -> Iterator[Reason]:
    plain = next((m for m in item.measurements if m.plain), None)
    region = plain.region if plain is not None else None
    if plain is None or region is None or region.problem or not region.deferred:
        return
    waiting = [(_OBJECTS[work.context], work.outstanding) for work in region.deferred if work.context in _OBJECTS]
    counts = [(work.context, work.count) for work in region.deferred if work.count]
    total = sum(count for _, count in region.counts)
    share = sum(count for _, count in counts) / total if total else 0.0
    if share >= _LEAST:
        part = "left out of the value" if plain.deferred == APART else "part of the value"
        outstanding = tuple((name, count) for name, count in waiting if count)
        yield reason("deferred-work", item.label, share=share, part=part, counts=tuple(counts), outstanding=outstanding)
    missing = [name for name in DEFERRED if name not in {work.context for work in region.deferred}]
    if missing:
        yield reason("deferred-not-followed", item.label, kinds=", ".join(missing))
