# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay predict --scale`."""

from collections.abc import Iterator
from itertools import groupby

from kassay.labs.predict.asked import name_of, pair_name
from kassay.labs.predict.contention.scale_model import THREADS, Scaled, ScalePoint, ScaleReport
from kassay.model.texts import Table, cells, figures, one_line, plural, settings_text, table
from kassay.model.units import format_number, format_numbers
from kassay.report.answers import Kind
from kassay.report.document import DOUBT, VERDICT, Document, Items, Paragraph, Section, section_of_table

_NOTICED = 0.005
"""Share of the CPUs' time from which on a lock is named."""
_MOST_LOCKS = 12
_ASSUMED = (
    "Each CPU repeats the traced sequence of locks and shared lines, from a place of its own. Hold and think times are "
    "those of each acquisition in the trace. Waiting is simulated, not computed from means.",
    "A lock of a node exists once in each socket, and the CPUs of a socket share it.",
    "Bend: from this number of CPUs on, one more brings less than half of what the first one does.",
    "Interval: all times of the path and all line transfers at the ends of what is known of them, and fewest or most "
    "moves of a line when a lock is handed over.",
    "Not in it: memory bandwidth, a third level that CPUs share, hyperthreads, lower clock rates with many CPUs, "
    "interrupts between CPUs, and lines that are only read where others write them.",
)

PUBLISHED_ERROR = "60%"
"""Median difference from published points with more than one CPU; the score of docs/results/contention.md."""
_HELD_AGAINST = (
    f"The throughput of published curves with more than one CPU is missed by {PUBLISHED_ERROR} in the median "
    "(docs/results/contention.md). Read which lock bends the curve and what a change moves, not the throughput alone."
)


def document(report: ScaleReport) -> Document:
    """The answer of each CPU, what a change moves, then the curves and the locks."""
    named = [(answer, name_of(answer, report.answers)) for answer in report.answers]
    return Document(
        title="throughput by number of CPUs", kicker="kassay predict", kassay_version=report.kassay_version,
        width=120, level=3,
        blocks=(
            *(Paragraph(text=_sentence(answer, name), tone=VERDICT) for answer, name in named),
            *(Paragraph(text=text, tone=VERDICT) for base, head in _pairs(report)
              for text in moved(base, head, pair_name(base, head, report.answers))),
            *(Paragraph(text=one_line(f"{name}: {doubt}."), tone=DOUBT)
              for answer, name in named for doubt in _doubts(answer)),
            *((Paragraph(text=_HELD_AGAINST, tone=DOUBT),) if any(one.points for one in report.answers) else ()),
            *(section_of_table(_curve(answer, name)) for answer, name in named if answer.points),
            *(section_of_table(_locks(answer, name)) for answer, name in named if answer.points),
            Section(title="How to read this", blocks=(Items(texts=tuple(_notes(report))),)),
        ),
    )  # fmt: skip


def _sentence(answer: Scaled, name: str) -> str:
    if answer.problem or not answer.points:
        return one_line(f"{name}: no curve: {answer.problem}.")
    if not answer.sound:
        return one_line(f"{name}: the figures do not hold at any number of CPUs.")
    last = answer.sound[-1]
    reach = f"{_cpus(last.cpus)} {'does' if last.cpus == 1 else 'do'} the work of {_speedup(last)}"
    if last.cpus == 1:
        return one_line(f"{name}: {reach}. More CPUs are needed to see a bend.")
    if answer.bend is None:
        up_to = "" if last is answer.points[-1] else f" up to {last.cpus} CPUs"
        return one_line(f"{name}: {reach}. The curve does not bend{up_to}.")
    lock = f", by the {answer.bend_lock}" if answer.bend_lock else ""
    peak = f" The most is at {_cpus(answer.peak)}." if answer.peak is not None else ""
    return one_line(f"{name}: the curve bends at {answer.bend} CPUs{lock}; {reach}.{peak}")


def _cpus(number: int) -> str:
    return "1 CPU" if number == 1 else f"{number} CPUs"


def _speedup(point: ScalePoint) -> str:
    value, low, high = format_numbers([point.speedup, *point.interval])
    return f"{value} [{low}, {high}]"


def _pairs(report: ScaleReport) -> Iterator[tuple[Scaled, Scaled]]:
    """Kernels of the same point and CPU, the first one with each other one."""

    def key(answer: Scaled) -> tuple[str, ...]:
        return answer.workload, settings_text(answer.settings), str(answer.machine), answer.metric, answer.cpu

    for _, group in groupby(sorted(report.answers, key=key), key=key):
        first, *others = group
        yield from ((first, other) for other in others)


def moved(base: Scaled, head: Scaled, name: str) -> Iterator[str]:
    """Sentences on what a change moves: the share of waiting for each lock, with the most CPUs for which the figures of
    both hold."""
    both = list(zip(base.sound, head.sound, strict=False))
    if not both:
        return
    before, after = both[-1]
    shares = [{one.lock: one.share for one in point.waiting} for point in (before, after)]
    for lock in sorted(
        shares[0].keys() | shares[1].keys(), key=lambda name: -shares[1].get(name, shares[0].get(name, 0))
    ):
        old, new = (share.get(lock, 0.0) for share in shares)
        if max(old, new) >= _NOTICED:
            yield one_line(
                f"{name}: waiting for the {lock} from {old:.1%} to {new:.1%} of the time at {after.cpus} CPUs."
            )


def _doubts(answer: Scaled) -> Iterator[str]:
    yield from answer.doubts
    first = next((point for point in answer.points if point.problem), None)
    if first is not None:
        yield f"from {first.cpus} CPUs on the figures do not hold: {first.problem}"
    assumed = [lock for lock in answer.locks if not lock.known and lock.hold_ns and lock.held >= _NOTICED]
    for lock in assumed:
        yield (f"{lock.name}: kassay does not know this lock and assumes that nobody shares it; it is held "
               f"{lock.held:.1%} of the time. --scale-shared names the function if all CPUs share it")  # fmt: skip


def _curve(answer: Scaled, name: str) -> Table:
    sound = len(answer.sound)
    marked = sound < len(answer.points)
    rows = [
        cells(
            str(point.cpus), *format_numbers([point.per_second]), f"{point.speedup:.2f}",
            f"{point.interval[0]:.2f} to {point.interval[1]:.2f}", f"{sum(one.share for one in point.waiting):.1%}",
            ", ".join(f"{one.lock} {one.share:.1%}" for one in point.waiting if one.share >= _NOTICED) or "-",
            *(("yes" if index < sound else "no",) if marked else ()),
        )
        for index, point in enumerate(answer.points)
    ]  # fmt: skip
    rate = f"{plural(answer.operation or 'operation')}/s"
    columns = (*figures("CPUs", rate, "speedup", "interval", "waiting"), "for",
               *(("holds",) if marked else ()))  # fmt: skip
    return table(one_line(name), columns, rows)


def _locks(answer: Scaled, name: str) -> Table:
    shown = [lock for lock in answer.locks if lock.hold_ns or lock.sharers not in ("own", "cpu")][:_MOST_LOCKS]
    rows = [
        cells(
            lock.name, lock.sharers if lock.known else f"{lock.sharers}, assumed", format_number(lock.takes),
            format_number(lock.hold_ns), f"{lock.held:.1%}", format_number(lock.lines),
        )
        for lock in shown
    ]  # fmt: skip
    per = answer.operation or "operation"
    columns = ("lock or line", "shared by", *figures(f"per {per}", "held, ns", "share of time", "lines that move"))
    return table(one_line(f"Locks on one CPU: {name}"), columns, rows)


def _notes(report: ScaleReport) -> Iterator[str]:
    if report.scale_as == THREADS:
        yield ("CPUs run threads of one process. They share its mmap_lock and its counters. Each thread works on "
               "mappings and files of its own.")  # fmt: skip
    else:
        yield "CPUs run a process each. Locks of a process, such as its mmap_lock, are nobody else's."
    if report.shared:
        yield f"Shared by all CPUs, as --scale-shared says: what {', '.join(report.shared)} takes."
    yield from _ASSUMED
    rough = dict.fromkeys(answer.cpu for answer in report.answers if not answer.calibrated)
    if rough:
        yield (f"{', '.join(rough)}: not checked against measured changes. The time of a path is taken to be known "
               "within a factor of 2.")  # fmt: skip


SCALE = Kind(document=document)
