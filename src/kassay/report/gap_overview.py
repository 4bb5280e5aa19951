# SPDX-License-Identifier: GPL-2.0-only
"""The gaps of many workloads: one table, and in how many of them how much is taken back."""

from collections.abc import Mapping, Sequence

from kassay.model.finding import Gap
from kassay.model.texts import Table, cells, figures, listed, one_line, table
from kassay.model.units import format_change, format_numbers, relative_change
from kassay.report.words import point_name

_ALL, _HALF = 0.995, 0.5


def gap_counts(gaps: Sequence[Gap], name_of: Mapping[str, str]) -> tuple[str, ...]:
    """ "30 of 40 workloads cost more or less on 6.19 than on 6.12. 7.3 takes back all of that in 2, ..." """
    if not gaps:
        return ()
    old, new, candidate = (name_of[label] for label in (gaps[0].old, gaps[0].new, gaps[0].candidate))
    open_ = [gap for gap in gaps if gap.share is not None]
    settings = f"{len(open_)} of {len(gaps)} primary metrics differ between {old} and {new}."
    shares = [gap.share or 0.0 for gap in open_]
    counts = (
        ("all of it", sum(share >= _ALL for share in shares)),
        ("at least half", sum(_HALF <= share < _ALL for share in shares)),
        ("less than half", sum(0 < share < _HALF for share in shares)),
        ("nothing", sum(share <= 0 for share in shares)),
    )
    parts = [f"{amount} in {count}" for amount, count in counts if count]
    return (settings, f"{candidate} takes back {listed(parts)}.") if open_ else (settings,)


def gap_overview(gaps: Sequence[Gap], name_of: Mapping[str, str], *, narrow: bool = False) -> Table:
    """One row for each workload and setting, in its primary metric; those that have no gap say so.

    narrow: without what a mail has no room for: units, and the change from old to new.
    """
    old, new, candidate = (one_line(name_of[label]) for label in (gaps[0].old, gaps[0].new, gaps[0].candidate))
    rows, points = [], [gap.point for gap in gaps]
    for gap in gaps:
        change = relative_change(gap.old_value, gap.new_value)
        name = point_name(gap.point, points)
        values = format_numbers([gap.old_value, gap.new_value, gap.candidate_value])
        closed = "no gap" if gap.share is None else f"{round(gap.share * 100, 1) + 0.0:.1f} %"
        mark = "" if gap.share is not None else "inconclusive"
        rows.append(cells(name, gap.unit.partition("/")[2], *values, format_change(change), closed, mark=mark))
    counted = gaps[0].unit.partition("/")[0]
    title = f"How much {candidate} takes back [{counted} per unit]"
    if narrow:
        few = [(row[0], *row[2:5], row[6]) for row in rows]
        return table(title, ("workload", *figures(old, new, candidate, "gap closed")), few)
    columns = ("workload", "unit", *figures(old, new, candidate, f"{new} vs {old}", "gap closed"))
    return table(title, columns, rows)
