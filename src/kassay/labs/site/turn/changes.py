# SPDX-License-Identifier: GPL-2.0-only
"""History -> changes between neighbouring kernels that no step of the file covers; each with what can confirm it."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kassay.labs.site.kernels import site_kernels
from kassay.labs.site.model import TAKES_BACK, SiteKernel, SiteSeries
from kassay.labs.site.rows import Comparison, comparisons, groups_of, rows_of
from kassay.labs.site.turn.steps_file import Entry
from kassay.model.finding import CHANGES
from kassay.tools.history.archive import Archive
from kassay.tools.history.nominations import Known, nominations
from kassay.tools.history.query import SeriesFilter, all_series, lines, stored_kernels
from kassay.tools.history.records import KernelPoint, Nomination

_EXACT = "exact"
_HALF = 0.5
_ALL = 0.95
"""A kernel that takes back this part of a step takes it back."""


class Change(NamedTuple):
    """An exact change of a primary metric."""

    row: SiteSeries
    before: SiteKernel
    after: SiteKernel
    comparison: Comparison
    at: tuple[int, int]
    """Places of both kernels in their line, from 0."""
    neighbours: bool
    """True if no column of the matrix stands between the two. Heads of other branches do not."""
    group: int = 0
    """Number of the group of kernels that admitted comparisons of its series connect."""

    @property
    def id(self) -> str:
        """Address of the step: line, row and kernels."""
        return f"{self.row.arch}/{self.row.key}/{self.before.key}-{self.after.key}"


def changes_of(archive: Archive) -> tuple[Change, ...]:
    """Every exact change of a primary metric, oldest kernels first, then by row."""
    found = comparisons(archive) if archive.has_comparisons else ()
    kernels = site_kernels(archive, found)
    rows = rows_of(archive, found, kernels)
    places = {number: place for place, number in enumerate(kernels)}
    columns = [(places[number], kernel) for number, kernel in kernels.items() if kernel.column]
    groups = groups_of(found)
    newest: dict[str, Change] = {}
    for one in found:
        if not {one.base, one.head} <= kernels.keys() or one.series not in rows or places[one.base] > places[one.head]:
            continue
        before, after, row = kernels[one.base], kernels[one.head], rows[one.series]
        if before.arch != after.arch or not row.primary or one.verdict not in CHANGES or one.evidence != _EXACT:
            continue
        at, group = (places[one.base], places[one.head]), groups[one.series, one.head]
        between = (kernel for place, kernel in columns if at[0] < place < at[1])
        is_between = any(other.key not in after.apart and before.key not in other.apart for other in between)
        neighbours = before.column and after.column and not is_between
        change = Change(row, before, after, one, at, neighbours, group)
        newest[change.id] = change
    return tuple(sorted(newest.values(), key=lambda change: (*change.at, change.row.key)))


def new_changes(changes: Sequence[Change], entries: Sequence[Entry]) -> tuple[Change, ...]:
    """Changes of neighbours that no entry has. An entry covers changes of its row in the same direction whose kernels
    overlap with its own: when a further kernel is measured between two others, the same change is seen again. A change
    on another branch is not covered."""
    known = {change.id: change for change in changes}
    taken = list(entries)
    new = []
    for change in changes:
        if change.neighbours and not any(_covers(entry, change, known, changes) for entry in taken):
            new.append(change)
            taken.append(entry_of(change, "found", ""))
    return tuple(new)


def _covers(entry: Entry, change: Change, known: Mapping[str, Change], changes: Sequence[Change]) -> bool:
    if entry.id == change.id:
        return True
    if (entry.series, entry.arch) != (change.row.key, change.row.arch):
        return False
    places = {kernel.key: (place, kernel) for one in changes if one.row.arch == entry.arch
              for kernel, place in zip((one.before, one.after), one.at, strict=True)}  # fmt: skip
    first, last = places.get(entry.before), places.get(entry.after)
    if first is None or last is None or last[0] <= change.at[0] or first[0] >= change.at[1]:
        return False
    if entry.after in change.after.apart or change.after.key in last[1].apart:
        return False
    before = known.get(entry.id)
    return before is None or before.comparison.verdict == change.comparison.verdict


def entry_of(change: Change, state: str, since: str, text: str = "") -> Entry:
    """A new entry of the file."""
    return Entry(
        id=change.id, series=change.row.key, arch=change.row.arch, before=change.before.key, after=change.after.key,
        state=state, text=text, since=since,
    )  # fmt: skip


def fixed_before(change: Change, entries: Sequence[Entry], changes: Sequence[Change]) -> Entry | None:
    """The step that was fixed and is there again: of the same row and direction, older, and at least half as large."""
    known = {one.id: one for one in changes}
    for entry in reversed(entries):
        old = known.get(entry.id)
        if entry.state != "fixed" or (entry.series, entry.arch) != (change.row.key, change.row.arch):
            continue
        if old is not None and old.at[1] <= change.at[0] and _reaches(change, old):
            return entry
    return None


def _reaches(change: Change, old: Change) -> bool:
    """True if a change brings at least half of an older one back."""
    if old.comparison.verdict != change.comparison.verdict:
        return False
    return abs(change.comparison.change or 0.0) >= abs(old.comparison.change or 0.0) / 2


def words_of_taking_back(entry: Entry, changes: Sequence[Change]) -> str | None:
    """Words about the first later change after which the row has lost at least half of the step; "" without one.
    None if the history does not have the step. A change below a value that other steps raised takes back those, and one
    that no admitted comparisons connect with the step tells nothing of it."""
    step = next((one for one in changes if one.id == entry.id), None)
    if step is None or not step.comparison.head_value or step.comparison.base_value is None:
        return None
    size = step.comparison.head_value - step.comparison.base_value
    for change in changes:
        later = (change.row, change.group) == (step.row, step.group) and change.at[0] >= step.at[1]
        value = change.comparison.head_value
        if later and change.comparison.verdict != step.comparison.verdict and value is not None:
            part = (step.comparison.head_value - value) / size
            if part >= _HALF:
                share = f" {part * 100:.0f} % of" if part < _ALL else ""
                return f"{change.after.key} takes{share}{TAKES_BACK}"
    return ""


def nomination_of(archive: Archive, change: Change) -> tuple[Nomination, bool]:
    """The nomination that a fresh pair confirms. True if the history nominates the same two kernels itself, and in the
    same direction: the runs of other directories can have moved its points the other way."""
    series = dict(all_series(archive))[change.comparison.series]
    kernels = stored_kernels(archive)
    sides = [kernels[number] for number in (change.comparison.base, change.comparison.head)]
    key = (series.id, *(kernel.id for kernel in sides))
    wanted = SeriesFilter(metric=f"{series.workload}.{series.metric}", workload=series.workload)
    for line in lines(archive, wanted):
        for one in nominations(line, Known()):
            same = (one.series.id, one.before.kernel.id, one.after.kernel.id) == key
            if same and one.change * (change.comparison.change or 0.0) > 0:
                return one, True
    before, after = (
        KernelPoint(kernel=kernel, value=value, n=n, spread=None, floor=None, first="", last="")
        for kernel, value, n in zip(
            sides, (change.comparison.base_value, change.comparison.head_value),
            (change.comparison.base_n, change.comparison.head_n), strict=True,
        )
    )  # fmt: skip
    name = hashlib.sha256("\0".join(key).encode()).hexdigest()[:8]
    own = Nomination(
        id=name, series=series, before=before, after=after, change=change.comparison.change or 0.0, points=(1, 1),
        why="exact counts of neighbouring kernels",
    )  # fmt: skip
    return own, False
