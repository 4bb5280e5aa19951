# SPDX-License-Identifier: GPL-2.0-only
"""Predictions of kassay for kernel changes whose time others have published.

usage: python -m benchmarks.predict_truth [PAGE] [ID...]     boots two kernels for each runnable entry, some minutes

Reads benchmarks/truth.toml, runs `kassay compare ... --predict` for each entry that has a pair of kernels, prints the
tables, and writes them between their markers in PAGE, such as docs/results/truth.md; "-" is for no page. With IDs only
those are run, and no page is written. A published ratio is that of times, head / base.
error: predicted / published - 1; of a range, from its nearer end.
"""

import os
import statistics
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks._kassay import kassay
from benchmarks._pages import narrow
from kassay.model.records import Record

CORPUS = Path(__file__).with_name("truth.toml")
OPTIONS = ("--rounds", "8", "--repeats", "1", "--perturb", "0", "--profile", "none")
STORE = "KASSAY_TRUTH_RUNS"
"""Environment variable: a directory for the runs, which the next call answers from."""


class Entry(Record, frozen=True, kw_only=True):
    """One published measurement; the fields are described at the top of truth.toml."""

    id: str
    source: str
    change: str
    machine: str
    cpu: tuple[str, ...]
    cpu_is: str
    unit: str
    commit: str = ""
    base: float | None = None
    head: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    rate: bool = False
    per: float | None = None
    run: tuple[str, ...] = ()
    metric: str = ""
    why: str = ""
    notes: str = ""

    @property
    def published(self) -> tuple[float, float]:
        """The lowest and the highest published ratio of times; the same one where no range was published."""
        if self.base is None or self.head is None:
            assert self.low is not None and self.high is not None, self.id
            return self.low, self.high
        ratio = self.base / self.head if self.rate else self.head / self.base
        return ratio, ratio

    def error(self, ratio: float) -> float:
        """How far a ratio is from the published one; 0 inside a range."""
        low, high = self.published
        return ratio / min(max(ratio, low), high) - 1


class Predicted(NamedTuple):
    """An answer for one CPU. ns: of base and head. ratio: head / base, of what is left where a part is refused. low,
    high: its interval.
    """

    cpu: str
    ns: tuple[float, float] | None
    ratio: float | None
    low: float | None
    high: float | None
    refused: str


class Outcome(NamedTuple):
    """Result of one entry."""

    entry: Entry
    counted: float | None
    """Ratio of instructions."""
    predicted: tuple[Predicted, ...]
    problem: str
    """Reason why there is no answer."""

    @property
    def first(self) -> Predicted | None:
        """That of the CPU which is compared with the publication, when it is not refused."""
        return next((p for p in self.predicted[:1] if p.ratio is not None and not p.refused), None)

    @property
    def inside(self) -> bool:
        """True if the interval holds a published ratio."""
        first, (low, high) = self.first, self.entry.published
        return first is not None and first.low is not None and first.high is not None and (
            first.low <= high and low <= first.high
        )  # fmt: skip


def corpus(path: Path = CORPUS) -> tuple[Entry, ...]:
    """All entries. Raises msgspec.ValidationError for what is not of the form."""
    return msgspec.convert(tomllib.loads(path.read_text())["entry"], type=tuple[Entry, ...])


def outcomes(entries: Sequence[Entry]) -> list[Outcome]:
    """Runs what can be run; entries that ask the same question share its runs and differ in the metric they read."""
    found: dict[tuple[str, ...], tuple[Mapping[str, Any] | None, str]] = {}
    made = []
    for entry in entries:
        if not entry.run:
            continue
        if entry.run not in found:
            cpus = {cpu: None for other in entries if other.run == entry.run for cpu in other.cpu}
            found[entry.run] = _asked(entry, tuple(cpus))
        made.append(outcome(entry, *found[entry.run]))
    return made


def _asked(entry: Entry, cpus: Sequence[str]) -> tuple[Mapping[str, Any] | None, str]:
    words = [*entry.run, *OPTIONS, "--predict", ",".join(cpus), "--format", "json"]
    if "arm64" not in entry.run:
        words += ["--boot", "snapshot"]
    if store := os.environ.get(STORE):
        words += ["--out", str(Path(store) / entry.id)]
    print(f"{entry.id}: kassay compare {' '.join(words)}", file=sys.stderr)
    answer = kassay("compare", *words)
    if not answer.text.startswith("{"):
        return None, next((line for line in answer.errors.splitlines() if line.startswith("kassay: ")), "no answer")
    return answer.json(), ""


def outcome(entry: Entry, answer: Mapping[str, Any] | None, problem: str) -> Outcome:
    """An entry beside kassay's answer, a `kassay-report/1`; without one problem says why."""
    findings = answer["findings"] if answer else []
    finding = next((f for f in findings if f["metric"] == entry.metric), None)
    if finding is None:
        return Outcome(entry, None, (), problem or f"no metric {entry.metric}")
    base, head = finding["base_value"], finding["head_value"]
    counted = head / base if base and head else None
    answers = {made["cpu"]: _predicted(made) for made in finding.get("predictions", ())}
    predicted = tuple(answers[cpu] for cpu in entry.cpu if cpu in answers)
    return Outcome(entry, counted, predicted, "" if predicted else "; ".join(finding["reasons"]) or "no prediction")


def _predicted(made: Mapping[str, Any]) -> Predicted:
    base, head, refused = made["base_ns"], made["head_ns"], made["refused"]
    low, high = (1 + bound for bound in made["interval"]) if made["interval"] else (None, None)
    ns = (base, head) if base and head else None
    return Predicted(made["cpu"], ns, head / base if ns else None, low, high, refused["code"] if refused else "")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _published(entry: Entry) -> str:
    low, high = entry.published
    return f"{low:.3f}" if low == high else f"{low:.3g} to {high:.3g}"


def table(found: Sequence[Outcome]) -> str:
    """One row for each entry and its first CPU."""
    titles = ("entry", "published", "counted", "error", "CPU", "predicted", "interval", "error", "inside")
    lines = [f"| {' | '.join(titles)} |", "| --- | ---: | ---: | ---: | --- | ---: | --- | ---: | --- |"]
    for made in found:
        entry, first = made.entry, made.predicted[0] if made.predicted else None
        counted = f"{entry.error(made.counted):+.0%}" if made.counted else ""
        words = [f"[{entry.id}](#{entry.id.replace('.', '')})", _published(entry), _number(made.counted), counted]
        if first is None:
            lines.append(f"| {' | '.join(words)} | {entry.cpu[0]} | | | | {made.problem} |")
            continue
        error = f"{entry.error(first.ratio):+.0%}" if first.ratio else ""
        interval = f"{first.low:.2f} to {first.high:.2f}" if first.low and first.high else ""
        verdict = f"refused: {first.refused}" if first.refused else "yes" if made.inside else "**no**"
        cpu = first.cpu + {"same": "", "near": " (near)", "unknown": " (CPU not published)"}[entry.cpu_is]
        lines.append(f"| {' | '.join([*words, cpu, _number(first.ratio), interval, error, verdict])} |")
    return "\n".join(lines) + "\n"


def cpus(found: Sequence[Outcome]) -> str:
    """The entries that were predicted for several CPUs."""
    lines = ["| entry | published | CPU | predicted | interval |", "| --- | ---: | --- | ---: | --- |"]
    for made in found:
        for one in made.predicted if len(made.predicted) > 1 else ():
            interval = one.refused or (f"{one.low:.2f} to {one.high:.2f}" if one.low and one.high else "")
            lines.append(
                f"| {made.entry.id} | {_published(made.entry)} | {one.cpu} | {_number(one.ratio)} | {interval} |"
            )
    return "\n".join(lines) + "\n"


def absolute(found: Sequence[Outcome]) -> str:
    """Table of entries that publish a time of the workload's own operations: both times, in the publication's unit."""
    lines = ["| entry | unit | published | CPU | predicted |", "| --- | --- | --- | --- | --- |"]
    for made in found:
        entry, first = made.entry, made.predicted[0] if made.predicted else None
        if entry.per and entry.base and entry.head and first and first.ns:
            before, after = (ns / entry.per for ns in first.ns)
            times = f"{entry.base:.5g} → {entry.head:.5g} | {first.cpu} | {before:.4g} → {after:.4g}"
            lines.append(f"| {entry.id} | {entry.unit} | {times} |")
    return "\n".join(lines) + "\n"


def score(entries: Sequence[Entry], found: Sequence[Outcome]) -> str:
    """The whole corpus in a few lines."""
    answered = [made for made in found if made.first]
    lines = [f"{len(entries)} entries, {len(found)} with kernels to run, {len(answered)} predicted, "
             f"{sum(bool(made.predicted and made.predicted[0].refused) for made in found)} refused."]  # fmt: skip
    for title, chosen in (
        ("all", answered),
        ("CPU published and its core modelled", [made for made in answered if made.entry.cpu_is == "same"]),
        (
            "of these, a figure and no range",
            [made for made in answered if made.entry.cpu_is == "same" and made.entry.base],
        ),
    ):
        if not chosen:
            continue
        predicted = [abs(made.entry.error(made.first.ratio)) for made in chosen if made.first and made.first.ratio]
        counted = [abs(made.entry.error(made.counted)) for made in chosen if made.counted]
        lines.append(
            f"\n- {title}, {len(chosen)}: interval holds the publication in {sum(made.inside for made in chosen)}; "
            f"median error {statistics.median(predicted):.0%} predicted, {statistics.median(counted):.0%} counted."
        )
    return "".join(lines) + "\n"


def sources(entries: Sequence[Entry]) -> str:
    """Every entry: where it is from, and what it says."""
    return "".join(_source(entry) for entry in entries)


def _source(entry: Entry) -> str:
    what = f"{entry.change}" + (f", commit {entry.commit}" if entry.commit else "")
    figures = f"{entry.base:.10g} → {entry.head:.10g} {entry.unit}" if entry.base and entry.head else entry.unit
    lines = [
        f"### {entry.id}\n",
        f"- {what}",
        f"- source: {entry.source}",
        f"- machine: {entry.machine}. Published: {figures}, ratio of times {_published(entry)}"
        + (f", n = {entry.n}" if entry.n else ""),
        f"- run: `kassay compare {' '.join(entry.run)}`, {entry.metric}" if entry.run else f"- not run: {entry.why}",
    ]
    return "\n".join(lines + ([f"- {entry.notes}"] if entry.notes else [])) + "\n\n"


def placed(page: str, parts: Mapping[str, str]) -> str:
    """PAGE with each part between its markers. Raises ValueError where a marker is missing."""
    for name, text in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"no markers for {name}")
        page = before + begin + "\n" + narrow(text) + "\n" + end + after
    return page


def main() -> None:
    """Prints the tables, and writes them to the page."""
    entries = corpus()
    words = sys.argv[1:]
    page = Path(words[0]) if words and words[0] != "-" else None
    if page and not page.is_file():
        sys.exit(f"{page}: is not there; name a page that has the markers, as docs/results/truth.md")
    found = outcomes([entry for entry in entries if not words[1:] or entry.id in words[1:]])
    parts = {"score": score(entries, found), "table": table(found), "cpus": cpus(found), "absolute": absolute(found),
             "sources": sources(entries)}  # fmt: skip
    print("\n".join(text for name, text in parts.items() if name != "sources"))
    if page and not words[1:]:
        page.write_text(placed(page.read_text(), parts))


if __name__ == "__main__":
    main()
