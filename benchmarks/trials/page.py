# SPDX-License-Identifier: GPL-2.0-only
"""The page of a campaign: what was run, for how long, and what was found."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.predict_truth import placed
from benchmarks.trials import fuzz
from benchmarks.trials.campaign import FIND, Trial, read

GOALS = {"kills": 1000, "faults": 100, "selves": 1000}
"""Kills, faults and comparisons that a whole campaign has; of fuzzing it is fuzz.ENOUGH for each target."""

_COLUMNS = {"kills": ("command", "kills"), "faults": ("fault", "faults"), "selves": ("workload", "findings")}


def write(directory: Path, page: Path) -> None:
    """Replaces the tables of the page, each between its markers."""
    trials = read(directory)
    tables = {f"trials: {kind}": "\n".join(_table(trials, kind)) + "\n" for kind in GOALS}
    tables["trials: fuzz"] = "\n".join(_fuzzed(directory, trials)) + "\n"
    page.write_text(placed(page.read_text(), tables))


def _table(trials: Sequence[Trial], kind: str) -> Iterator[str]:
    own = [trial for trial in trials if trial.kind == kind]
    name_of, counted = _COLUMNS[kind]
    yield f"| {name_of} | trials | {counted} | good | finds | others |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for name in dict.fromkeys(trial.name for trial in own):
        yield _row(name, [trial for trial in own if trial.name == name])
    yield _row("all", own)
    yield ""
    reached = len(own) if kind == "selves" else sum(trial.count for trial in own)
    yield f"{reached} of {GOALS[kind]} {'comparisons' if kind == 'selves' else counted}, {_hours(own)}."
    yield from _details(own)


def _row(name: str, own: Sequence[Trial]) -> str:
    outcomes = Counter(trial.outcome for trial in own)
    others = ", ".join(f"{word} {count}" for word, count in sorted(outcomes.items()) if word not in ("ok", FIND))
    count = sum(trial.count for trial in own)
    return f"| {name} | {len(own)} | {count} | {outcomes['ok']} | {outcomes[FIND]} | {others} |"


def _details(own: Sequence[Trial]) -> Iterator[str]:
    lines: dict[str, list[int]] = defaultdict(list)
    for trial in own:
        if trial.outcome == FIND:
            lines[f"{trial.name}: {trial.detail[:160]}"].append(trial.number)
    if lines:
        yield ""
    yield from (f"- {line} (trial {', '.join(map(str, numbers))})" for line, numbers in lines.items())


def _fuzzed(directory: Path, trials: Sequence[Trial]) -> Iterator[str]:
    yield "| input | target | executions | minutes | inputs kept as finds |"
    yield "| --- | --- | ---: | ---: | ---: |"
    rows = fuzz.summary(directory, trials)
    for name, (executions, seconds, finds) in rows.items():
        yield f"| {fuzz.title_of(name)} | `{name}` | {executions:,} | {seconds / 60:.1f} | {finds} |"
    whole = sum(executions >= fuzz.ENOUGH for executions, _, _ in rows.values())
    executions = sum(row[0] for row in rows.values())
    yield ""
    yield (f"{executions:,} executions of {len(rows)} targets; {whole} of them reached {fuzz.ENOUGH:,}. "
           f"{_hours([trial for trial in trials if trial.kind == 'fuzz'])}.")  # fmt: skip


def _hours(own: Sequence[Trial]) -> str:
    seconds = sum(trial.seconds for trial in own)
    commits = list(dict.fromkeys(trial.commit for trial in own))
    return f"{seconds / 3600:.1f} hours, at {', '.join(commits) or 'no commit'}"
