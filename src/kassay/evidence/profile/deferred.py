# SPDX-License-Identifier: GPL-2.0-only
"""A run without the deferred work in it: its profile, and the ticks of its rounds."""

from dataclasses import replace
from functools import lru_cache

from msgspec import structs

from kassay.evidence.profile.counters import CONTEXTS_IN_FILE, DEFERRED, RawProfile
from kassay.evidence.profile.totals import intervals_of, totals
from kassay.model.guest import GuestReport


@lru_cache(maxsize=8)
def without_deferred(raw: RawProfile) -> RawProfile:
    """The profile with nothing counted in the contexts of deferred work."""
    changes = [[(since, _kept(flat)) for since, flat in changes] for changes in raw.changes]
    return replace(raw, changes=changes)


def _kept(flat: tuple[int, ...]) -> tuple[int, ...]:
    pairs = zip(flat[::2], flat[1::2], strict=True)
    return tuple(word for pair in pairs if pair[0] % CONTEXTS_IN_FILE not in DEFERRED for word in pair)


def ticks_without_deferred(report: GuestReport, raw: RawProfile) -> GuestReport:
    """The report with the instructions of deferred work taken out of each round. raw: the whole profile of the run,
    with as many rounds. Where instructions are counted, a tick is one."""
    phases = []
    counts = totals(raw)
    for phase in report.phases:
        intervals = intervals_of(report, phase.phase)
        slots = [interval * CONTEXTS_IN_FILE + context for interval in intervals for context in DEFERRED]
        rows = zip(phase.ticks, counts.user[1:], counts.kernel[1:], strict=True)
        ticks = tuple(whole - sum(user[slot] + kernel[slot] for slot in slots) for whole, user, kernel in rows)
        phases.append(structs.replace(phase, ticks=ticks))
    return structs.replace(report, phases=tuple(phases))
