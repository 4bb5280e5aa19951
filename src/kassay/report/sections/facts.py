# SPDX-License-Identifier: GPL-2.0-only
"""The conditions of a result in a few rows: below it on a screen, above it on a drawn page."""

import re
from collections.abc import Iterable, Iterator, Sequence

from kassay.model.finding import EVIDENCE, REFUSED, Finding
from kassay.model.reason_texts import reason_text
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import one_line, shortened
from kassay.report.conditions import cpu_facts
from kassay.report.document import DRAWN, SCREEN, Fact, Facts, Section
from kassay.report.sections.brief import GROUPS, NAME
from kassay.report.sections.hosts import hosts_line
from kassay.report.sections.refused import failures_brief
from kassay.report.sentences import MOST_REASONS, joined_reasons, timing_words
from kassay.report.series import MetricGroup, MetricSeries, groups
from kassay.report.words import RUNS_COUNTED, compilers, floor_text, kernel_names, outcomes_text

_COMPILERS = 168  # characters at most: two lines


def header(report: Report) -> Iterator[Section]:
    """The first rows of a drawn page."""
    facts = (
        ("Scope", (report.scope,)),
        ("State", (reason_text(report.state),)),
        ("Compiler", tuple(f"{compiler}: {', '.join(refs)}" for compiler, refs in compilers(report))),
        ("Machine", (f"{report.machine.arch}, {report.machine.program}",)),
        ("Runs", (outcomes_text(report),)),
    )
    rows = tuple(Fact(name=name, texts=tuple(map(one_line, texts))) for name, texts in facts if any(texts))
    yield Section(blocks=(Facts(rows=rows),), readers=(DRAWN,))


def facts(report: Report) -> Iterator[Section]:
    """The last rows of a screen, and attempts that failed."""
    m = report.machine
    cpus = cpu_facts(report.cpus)
    found = [("metric", f"{s.metric}: {s.definition}") for s in _defined(groups(report))]
    if report.overview is not None or len(found) > GROUPS:
        found = [("metric", "each workload's primary one; --format markdown defines them, and has the other metrics")]
    found += [("evidence", _evidence(report))] if report.findings else []
    found += [("time", text) for text in timing_words(report)]
    found += [("state", reason_text(report.state))]
    found += [("work", reason_text(report.work))] if report.work is not None else []
    found += [("machine", f"{m.arch}, {m.clock} ({m.accelerator}), {m.program}")]
    found += [("on", m.host)] if report.experiment.on else []
    found += [("cpu", words if len(cpus) == 1 else f"{', '.join(labels)}: {words}") for labels, words in cpus]
    found += [("compiler", _compilers(report)), ("scope", report.scope)]
    found.append(("runs", f"{outcomes_text(report)}; n: {RUNS_COUNTED}"))
    found += [("hosts", hosts_line(report.hosts))] if report.hosts else []
    steps = (Fact(name="next", texts=(step,), shell=step.startswith("kassay ")) for step in report.next_steps)
    rows = (*(Fact(name=name, texts=(text,)) for name, text in found), *steps)
    yield Section(blocks=(Facts(rows=rows), *failures_brief(report)), readers=(SCREEN,))


def _evidence(report: Report) -> str:
    """The weakest word of the primary findings, with its meaning or the reasons for it, and how the rounds became
    numbers."""
    primary = [f for f in report.findings if f.primary] or list(report.findings)
    levels = sorted({f.evidence for f in primary}, key=list(EVIDENCE).index)
    floors = [f.floor for f in primary if f.floor is not None]
    floor = f"; all runs of one kernel differ by {floor_text(max(floors))} at most" if floors else ""
    return f"{levels[-1]}: {_meaning(levels[-1], primary)}{_methods(primary)}{floor}"


def _methods(primary: Sequence[Finding]) -> str:
    """How rounds became numbers, for each workload if that differs."""
    methods = grouped((f.workload, side.method) for f in primary for side in f.sides if side.value is not None)
    of_workloads = {workload: _ranged(of_sides) for workload, of_sides in methods.items()}
    texts = list(dict.fromkeys(of_workloads.values()))
    if len(texts) > 1:
        texts = [f"{workload} {text}" for workload, text in of_workloads.items()]
    return "".join(f"; {text}" for text in shortened(texts, MOST_REASONS, "and {} more"))


def _ranged(methods: Iterable[str]) -> str:
    """ "mode: 12 to 17 of 20 rounds" of methods that differ in their first number, else each method once."""
    numbers = grouped((re.sub(r"\d+", "{}", one, count=1), re.findall(r"\d+", one)[:1]) for one in methods)
    texts = []
    for text, found in numbers.items():
        values = sorted({int(number) for each in found for number in each})
        texts.append(text.format(" to ".join(str(value) for value in dict.fromkeys((*values[:1], *values[-1:])))))
    return " or ".join(texts)


def _meaning(word: str, primary: Sequence[Finding]) -> str:
    """The meaning of a word of evidence. "partial" has many possible reasons; those of these findings are named."""
    weak = [f for f in primary if f.evidence == word == "partial"]
    admitted = [reason for f in weak if f.verdict not in REFUSED for reason in f.reasons]
    if texts := joined_reasons(admitted):
        return "; ".join(shortened(texts, MOST_REASONS, "and {} more"))
    return "the comparison was refused" if any(f.verdict in REFUSED for f in weak) else EVIDENCE[word]


def _defined(metric_groups: Sequence[MetricGroup]) -> list[MetricSeries]:
    """The leading metrics that have a definition, each once."""
    leads = {(g.lead.workload, g.lead.metric): g.lead for g in reversed(metric_groups) if g.lead.definition}
    return list(reversed(leads.values()))


def _compilers(report: Report) -> str:
    """Compilers without their linkers, on at most two lines; the markdown format has them whole."""
    built = [(compiler.partition(", ")[0], refs) for compiler, refs in compilers(report)]
    if len(built) == 1:
        return f"{built[0][0]}, all kernels"
    texts = [f"{compiler}: {', '.join(kernel_names(refs, NAME))}" for compiler, refs in built]
    if len("; ".join(texts)) <= _COMPILERS:
        return "; ".join(texts)
    return f"{len(built)} different ones, from {built[0][0]} to {built[-1][0]}; which is whose: --format markdown"
