# SPDX-License-Identifier: GPL-2.0-only
"""Small texts that every format shares: names of kernels, names cut, runs and outcomes in words, the glossary."""

from collections.abc import Callable, Iterable, Sequence

from kassay.model.experiment import Experiment, labels
from kassay.model.finding import DERIVED, EVIDENCE, VERDICTS, Side
from kassay.model.kernel import short_ref
from kassay.model.machine import Point
from kassay.model.plan import Plan
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import counted, machine_text, one_line
from kassay.model.units import format_change, format_number
from kassay.report.series import ladders
from kassay.supply.clocks import clock_of

GLOSSARY = {
    "n": "plain runs behind a value; one run is one boot of one kernel",
    "plain run": "a run with nothing perturbed; values come from these",
    "perturbed run": "a run with things moved that should not matter (memory size, stack, seed); it shows how far a "
    "value moves by chance",
    "round": "one timed repetition inside a run",
    "warm-up": "first rounds that differ from the later ones; shown, and not part of the value",
    "change": "head / base - 1",
    "interval": "the range of changes that the runs allow",
    "margin": "the relative change below which two values are called equivalent",
    "floor": "how far values of one kernel lie apart that should not differ, plain and perturbed runs together",
    "unattributed": "what no function explains of a value or a difference",
    "step": "a change between two neighbours that is larger than the margin",
}


def short_names(names: Sequence[str], width: int) -> tuple[str, ...]:
    """One-line names of at most `width` characters, cut in the middle. All are numbered if that makes two equal."""
    whole = tuple(map(one_line, names))
    short = tuple(cut(name, width) for name in whole)
    if len(set(short)) == len(set(whole)):
        return short
    return tuple(f"{i}: {cut(name, width - 4)}" for i, name in enumerate(whole, 1))


def kernel_names(labels_: Sequence[str], width: int) -> tuple[str, ...]:
    """Labels of kernels in at most `width` characters: whole if all fit, else as people say them, else cut."""
    fits = all(len(one_line(label)) <= width for label in labels_)
    return short_names(labels_ if fits else short_labels(tuple(labels_)), width)


def cut(text: str, width: int) -> str:
    """`text`, or when it is longer than `width` characters, its start and end with an ellipsis between."""
    head = (width - 1) // 2
    return text if len(text) <= width else f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def point_name(point: Point, points: Sequence[Point]) -> str:
    """The workload, with what tells it apart from its other points among `points`."""
    others = [other for other in points if other.workload == point.workload]
    differing = [s for i, s in enumerate(point.settings) if len({other.settings[i].value for other in others}) > 1]
    parts = [point.workload, *(f"{setting.name}={setting.value}" for setting in differing)]
    machines = [machine_text(other.machine).split(", ") for other in others]
    own = machine_text(point.machine).split(", ")
    return " ".join((*parts, *(word for word in own if any(word not in words for words in machines))))


def point_names(plan: Plan) -> tuple[str, ...]:
    """The points of a plan, in the order of its cells, each with what tells it apart."""
    points = tuple(dict.fromkeys(cell.point for cell in plan.cells))
    return tuple(one_line(point_name(point, points)) for point in points)


RUNS_COUNTED = "plain runs (unmodified) + perturbed runs (modified layout)"


def count_text(side: Side) -> str:
    """Plain and perturbed runs of a side: "2 + 2"; "-" for a value that comes without any."""
    if side.value is not None and not side.runs:
        return "-"
    return f"{len(side.runs)} + {len(side.perturbed)}"


def derived(sides: Iterable[Side]) -> bool:
    """True if the figures are in no imported file but were computed from figures that are."""
    return all(side.method == DERIVED for side in sides)


def run_length(values: Sequence[float]) -> str:
    """Values in order, equal neighbours counted: "608.1, 301.6 ×19"; "-" when there are none."""
    parts: list[tuple[float, int]] = []
    for value in values:
        count = parts.pop()[1] + 1 if parts and parts[-1][0] == value else 1
        parts.append((value, count))
    return ", ".join(format_number(v) + (f" ×{n}" if n > 1 else "") for v, n in parts) or "-"


def interval_text(
    interval: tuple[float, float] | None, text_of: Callable[[float], str] = format_change
) -> str:  # fmt: skip
    """ "+1.2 % to +3.4 %", or "-"; one figure when both ends read the same, as for exact counts."""
    if interval is None:
        return "-"
    low, high = map(text_of, interval)
    return low if low == high else f"{low} to {high}"


def p_text(p: float | None) -> str:
    """ "0.0043", "<0.0001"; "-" when there is none."""
    return "-" if p is None else "<0.0001" if p < 0.0001 else f"{p:.2g}"


def compilers(report: Report) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every compiler with the kernels it built, in the order of the kernels; an unknown one is "not known"."""
    built = grouped((one_line(kernel.compiler or "not known"), one_line(kernel.ref)) for kernel in report.kernels)
    return tuple((compiler, tuple(refs)) for compiler, refs in built.items())


def outcomes_text(report: Report) -> str:
    """ "20 runs planned: 19 ok, 1 failed, 0 refused; 1 retried". Refused runs are ok, too."""
    r = report.runs
    unmade = f", {r.unmade} not made yet" if r.unmade else ""
    unmade += f", {r.unneeded} not needed any more" if r.unneeded else ""
    refused = f"{r.refused} of the ok ones refused" if r.refused else "0 refused"
    ends = f"{r.ok} ok, {r.failed} failed{unmade}, {refused}; {r.retried} retried"
    return f"{counted(r.planned, 'run')} planned: {ends}"


def glossary(report: Report) -> tuple[tuple[str, str], ...]:
    """Every technical term of this report with its meaning: verdicts, evidence, clocks, and the fixed vocabulary."""
    verdicts = {f.verdict for f in report.findings} | {s.verdict for ladder in ladders(report) for s in ladder.steps}
    evidence = {f.evidence for f in report.findings}
    evidence |= {prediction.evidence for f in report.findings for prediction in f.predictions}
    meanings = [(w, m) for w, m in VERDICTS.items() if w in verdicts]
    meanings += [(w, m) for w, m in EVIDENCE.items() if w in evidence]
    clock = clock_of(report.experiment.clock)
    meanings.append((clock.name, clock.scope))
    return (*meanings, *GLOSSARY.items())


def short_kernel_names(experiment: Experiment) -> tuple[str, ...]:
    """One name per kernel, in order: the label without its kind and folders where that stays unique."""
    return short_labels(labels(experiment))


def short_labels(full: tuple[str, ...]) -> tuple[str, ...]:
    """One short name per label, with the configuration of builds where that is needed to tell them apart; the labels
    themselves where no short names do."""
    short = (tuple(_strip(label, configured=configured) for label in full) for configured in (False, True))
    return next((names for names in short if len(set(names)) == len(names)), full)


def names_by_label(report: Report) -> dict[str, str]:
    """Each kernel's label with the name people use."""
    return dict(zip(labels(report.experiment), short_kernel_names(report.experiment), strict=True))


def _strip(label: str, *, configured: bool) -> str:
    body, bracket, rest = label.partition(" [")
    name = short_ref(body, configured=configured)
    return label if name is None else f"{name}{bracket}{rest}"


def floor_text(floor: float | None) -> str:
    """How far runs that should not differ do: "0.4 %"; "-" when that is not known."""
    return format_change(floor).lstrip("+")
