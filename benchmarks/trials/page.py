# SPDX-License-Identifier: GPL-2.0-only
"""The page of all campaigns: what was run, for how long, and what was found."""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from pathlib import Path

from benchmarks.predict_truth import placed
from benchmarks.trials import fuzz
from benchmarks.trials.campaign import FIND
from benchmarks.trials.totals import CAMPAIGNS, Campaign, Total, save, saved, summed

GOALS = {"kills": 1000, "faults": 100, "selves": 1000}
"""Kills, faults and comparisons in all; of fuzzing it is fuzz.ENOUGH for each target."""

_COLUMNS = {"kills": ("command", "kills"), "faults": ("fault", "faults"), "selves": ("workload", "findings")}


def write(directory: Path, page: Path, campaigns: Path = CAMPAIGNS) -> None:
    """Saves the totals of the campaign in `directory`, then replaces the tables of the page between their markers."""
    save(directory, campaigns)
    known = saved(campaigns)
    totals = tuple(summed(known).values())
    tables = {f"trials: {kind}": "\n".join(_table(totals, kind)) + "\n" for kind in GOALS}
    tables["trials: fuzz"] = "\n".join(_fuzzed(totals)) + "\n"
    tables["trials: campaigns"] = "\n".join(_campaigns(known)) + "\n"
    page.write_text(placed(page.read_text(), tables))


def _table(totals: Sequence[Total], kind: str) -> Iterator[str]:
    own = [total for total in totals if total.kind == kind]
    name_of, counted = _COLUMNS[kind]
    yield f"| {name_of} | trials | {counted} | good | finds | others |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    yield from (_row(total.name, total) for total in own)
    if not own:
        return
    whole = reduce(add, own)
    yield _row("all", whole)
    yield ""
    reached = _compared(own) if kind == "selves" else whole.count
    yield f"{reached} of {GOALS[kind]} {'comparisons' if kind == 'selves' else counted}, {_hours(own)}."
    lines = [f"- {total.name}: {line}" for total in own for line in total.finds]
    yield from ("", *lines) if lines else ()


def _compared(own: Sequence[Total]) -> int:
    return sum(total.trials - total.outcomes.get("not possible", 0) for total in own)


def _row(name: str, total: Total) -> str:
    outcomes = total.outcomes
    others = ", ".join(f"{word} {count}" for word, count in sorted(outcomes.items()) if word not in ("ok", FIND))
    good, found = outcomes.get("ok", 0), outcomes.get(FIND, 0)
    return f"| {name} | {total.trials} | {total.count} | {good} | {found} | {others} |"


def _fuzzed(totals: Sequence[Total]) -> Iterator[str]:
    yield "| input | target | executions | minutes | inputs kept as finds |"
    yield "| --- | --- | ---: | ---: | ---: |"
    rows = {total.name: total for total in totals if total.kind == "fuzz"}
    names = fuzz.all_names()
    for name in names:
        total = rows.get(name)
        count, seconds, finds = (total.count, total.seconds, len(total.finds)) if total else (0, 0.0, 0)
        yield f"| {fuzz.title_of(name)} | `{name}` | {count:,} | {seconds / 60:.1f} | {finds} |"
    own = [rows[name] for name in names if name in rows]
    whole = sum(total.count >= fuzz.ENOUGH for total in own)
    yield ""
    yield (f"{sum(total.count for total in own):,} executions of {len(names)} targets; {whole} of them reached "
           f"{fuzz.ENOUGH:,}. {_hours(own)}.")  # fmt: skip


def _hours(own: Sequence[Total]) -> str:
    return f"{sum(total.seconds for total in own) / 3600:.1f} hours"


def _campaigns(known: Sequence[Campaign]) -> Iterator[str]:
    yield "| began (UTC) | hours | kills | faults | comparisons | executions | at |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for one in known:
        of = {kind: [total for total in one.totals if total.kind == kind] for kind in (*GOALS, "fuzz")}
        counts = [sum(total.count for total in of[kind]) for kind in ("kills", "faults", "fuzz")]
        hours = sum(total.seconds for total in one.totals) / 3600
        yield (f"| {one.began} | {hours:.1f} | {counts[0]} | {counts[1]} | {_compared(of['selves'])} | "
               f"{counts[2]:,} | {', '.join(one.commits)} |")  # fmt: skip
