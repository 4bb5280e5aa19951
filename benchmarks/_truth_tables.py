# SPDX-License-Identifier: GPL-2.0-only
"""The corpus as tables, scores and a list of sources."""

import statistics
from collections.abc import Iterator, Sequence

from benchmarks._truth import STATES, Entry, Outcome

_CPU_IS = {"same": "", "near": " (near)", "unknown": " (CPU not published)"}
_EARLIER = " †"
"""An answer of an earlier model, or of an earlier timing file."""
CLOSE = 0.2
"""How far an absolute time may be off to be called right."""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _published(entry: Entry) -> str:
    if entry.published is None:
        return ""
    low, high = entry.published
    return f"{low:.3f}" if low == high else f"{low:.3g} to {high:.3g}"


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}" if len(values) > 1 else ""


def table(found: Sequence[Outcome]) -> str:
    """One row for each entry with a ratio, and its first CPU."""
    titles = ("entry", "state", "published", "counted", "error", "CPU", "predicted", "interval", "error", "inside",
              "other builds")  # fmt: skip
    lines = [
        f"| {' | '.join(titles)} |", "| --- | --- | ---: | ---: | ---: | --- | ---: | --- | ---: | --- | --- |"
    ]  # fmt: skip
    for made in found:
        entry, first = made.entry, made.predicted[0] if made.predicted else None
        if entry.published is None:
            continue
        counted = f"{entry.error(made.counted):+.0%}" if made.counted else ""
        name = f"[{entry.id}](#{entry.id.replace('.', '')}){_EARLIER if made.earlier else ''}"
        words = [name, entry.state, _published(entry), _number(made.counted), counted]
        if first is None:
            lines.append(f"| {' | '.join(words)} | {entry.cpu[0]} | | | | {made.problem} | |")
            continue
        error = f"{entry.error(first.ratio):+.0%}" if first.ratio else ""
        interval = "{:.2f} to {:.2f}".format(*made.interval) if made.interval else ""
        verdict = f"refused: {first.refused}" if first.refused else "yes" if made.inside else "**no**"
        cpu, builds = first.cpu + _CPU_IS[entry.cpu_is], _range(made.ratios)
        lines.append(f"| {' | '.join([*words, cpu, _number(first.ratio), interval, error, verdict, builds])} |")
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
    lines = [
        "| entry | state | unit | published | CPU | predicted | error |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for made in found:
        if made.times:
            published, predicted = (" → ".join(f"{pair[side]:.4g}" for pair in made.times) for side in (0, 1))
            errors = ", ".join(f"{error:+.0%}" for error in _errors(made))
            cpu = made.predicted[0].cpu + _CPU_IS[made.entry.cpu_is]
            name = made.entry.id + (_EARLIER if made.earlier else "")
            row = (name, made.entry.state, made.entry.unit, published, cpu, predicted, errors)
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _errors(made: Outcome) -> Iterator[float]:
    return (predicted / published - 1 for published, predicted in made.times)


def score(entries: Sequence[Entry], found: Sequence[Outcome]) -> str:
    """The whole corpus in a few lines: by class, then absolute times."""
    ratios = [made for made in found if made.entry.published is not None]
    answered = [made for made in ratios if made.first]
    refused = sum(bool(made.predicted and made.predicted[0].refused) for made in ratios)
    lines = [f"{len(entries)} entries, {len(found)} with kernels to run, {len(ratios)} of them a change; "
             f"{len(answered)} predicted, {refused} refused."]  # fmt: skip
    for state, words in STATES.items():
        chosen = [made for made in answered if made.entry.state == state]
        lines += _scored(words, chosen)
        known = [made for made in chosen if made.entry.cpu_is == "same"]
        lines += _scored(f"of these, CPU published and its core modelled ({state})", known)
    lines += _scored("all", answered)
    timed = [made for made in found if made.times and made.entry.cpu_is == "same"]
    errors = [abs(error) for made in timed for error in _errors(made)]
    if errors:
        close = sum(error <= CLOSE for error in errors)
        lines.append(f"\n- absolute times, CPU published and its core modelled, {len(errors)}: {close} within "
                     f"{CLOSE:.0%}, median error {statistics.median(errors):.0%}.")  # fmt: skip
    return "".join(lines) + "\n"


def _scored(title: str, chosen: Sequence[Outcome]) -> Iterator[str]:
    if not chosen:
        return
    predicted = [abs(made.entry.error(made.first.ratio)) for made in chosen if made.first and made.first.ratio]
    counted = [abs(made.entry.error(made.counted)) for made in chosen if made.counted]
    yield (
        f"\n- {title}, {len(chosen)}: interval holds the publication in {sum(made.inside for made in chosen)}; "
        f"median error {statistics.median(predicted):.0%} predicted, {statistics.median(counted):.0%} counted."
    )


def sources(entries: Sequence[Entry]) -> str:
    """Every entry: where it is from, and what it says."""
    return "".join(_source(entry) for entry in entries)


def _source(entry: Entry) -> str:
    what = f"{entry.change}" + (f", commit {entry.commit}" if entry.commit else "")
    figures = f"{entry.base:.10g} → {entry.head:.10g} {entry.unit}" if entry.base and entry.head else entry.unit
    ratio = f", ratio of times {_published(entry)}" if entry.absolute is None else ""
    if entry.absolute is not None:
        figures = f"{entry.absolute:.10g} {entry.unit}"
    lines = [
        f"### {entry.id}\n",
        f"- {what}",
        f"- source: {entry.source}",
        f"- machine: {entry.machine}. Published: {figures}{ratio}" + (f", n = {entry.n}" if entry.n else ""),
    ]
    if entry.run:
        lines.append(
            f"- run: `kassay compare {' '.join(entry.run)}`, {entry.metric}; {STATES[entry.state].partition(':')[0]}"
        )
        lines += [f"- also {' and '.join(f'`{kernel}`' for kernel in pair)}" for pair in entry.builds]
    else:
        lines.append(f"- not run: {entry.why}")
    return "\n".join(lines + ([f"- {entry.notes}"] if entry.notes else [])) + "\n\n"
