# SPDX-License-Identifier: GPL-2.0-only
"""Predicted time in words: what was counted, what it should cost on each CPU, and why."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from types import MappingProxyType
from typing import NamedTuple

from kassay.model.finding import REFUSED, Finding
from kassay.model.prediction import CAUSES, WAITING, PredictedCause, PredictedRow, Prediction
from kassay.model.reason import reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import grouped
from kassay.model.report import NO_LEAD, Report
from kassay.model.texts import counted, one_line, shortened
from kassay.model.units import format_decimals, format_signed
from kassay.report.document import DOUBT, LETTER, Block, Fact, Facts, Paragraph, Section, filled, section
from kassay.report.mail.names import mail_names
from kassay.report.mail.text import ascii_text, stopped
from kassay.report.series import ladders, step_pairs
from kassay.report.words import point_name

_NAMED, _CAUSED = 3, 2  # functions, and causes of each, that a sentence names
_HIDDEN, _FEWEST = 0.2, 5  # least share and least number of added instructions in the shadow
_PRESENT = 0.02  # least share of the time for an unchanged cause to be named
_STILL = 0.05  # least share of the change for a changed cause to be named
_FINDINGS, _SENTENCES, _DOUBTS = 4, 2, 5
_FIRST = ("kernel-mitigates", "other-cpu-booted")  # doubts that come first; the first one has a command
ABOUT = (
    "A model of each CPU executed the recorded instructions and memory accesses of chosen rounds. This is a "
    "prediction, no measurement and no verdict: its interval is how far the model was wrong on changes it had not "
    "seen. docs/explained/predict.md says what is in the model and what is not.",
)


def shown(report: Report) -> list[Finding]:
    """Comparisons of primary metrics with predictions: those that the answer is about, of a ladder its steps."""
    predicted = [f for f in report.findings if f.primary and f.predictions and f.verdict not in REFUSED]
    if report.lead.predicts_all:
        return predicted
    pairs = set(report.lead.pairs) or step_pairs(report)
    about = [f for f in predicted if f.kernels in pairs]
    return about or ([] if ladders(report) and report.lead == NO_LEAD else predicted)


def disagreements(report: Report, names: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """Where counts and prediction differ in size or sign: one sentence for each kind of difference, the largest change
    first. It names the CPU whose prediction is furthest from the counts, and of how many it is true. Then where CPUs
    differ in sign."""
    findings = shown(report)
    texts: dict[str, str] = {}
    for f in sorted(findings, key=lambda f: -abs(f.change or 0.0)):
        for prediction in _furthest_first(f):
            if prediction.meaning is not None and prediction.meaning.code not in texts:
                code = prediction.meaning.code
                holds = sum(one.meaning is not None and one.meaning.code == code for one in f.predictions)
                cpus = sum(not _is_refused(one) for one in f.predictions)
                of = f"; this holds on {holds} of {cpus} CPUs" if cpus > 1 else ""
                of += f" ({compared(f, findings, names)})" if len(findings) > 1 else ""
                of += _in_doubt(prediction)
                texts[code] = one_line(f"{reason_text(prediction.meaning, names)}{of}")
    sentences = [f"{text[:1].upper()}{text[1:]}." for text in texts.values()][:_SENTENCES]
    return (*sentences, *_opposed(findings, report.experiment.margin, names))


def _in_doubt(prediction: Prediction) -> str:
    """The mitigations that may be the whole of a predicted change, without the options that end them."""
    used = (doubt["mitigations"] for doubt in prediction.doubts if doubt.code == _FIRST[0])
    doubts = (reason(_FIRST[0], mitigations=names, options=None) for names in used)
    return "".join(f"; in doubt, as {reason_text(doubt)}" for doubt in doubts)


def _furthest_first(f: Finding) -> list[Prediction]:
    """Predictions by how far the predicted change is from the counted one; those that are refused last."""
    return sorted(f.predictions, key=lambda p: (_is_refused(p), -abs((p.change or 0.0) - (f.change or 0.0))))


def _opposed(findings: Sequence[Finding], margin: float, names: Mapping[str, str]) -> Iterator[str]:
    """The comparison whose predicted changes lie furthest apart in two directions, each beyond the margin."""
    opposed = []
    for f in findings:
        changes = sorted((p.change, p.cpu) for p in f.predictions if p.change is not None and not _is_refused(p))
        if changes and changes[0][0] < -margin and changes[-1][0] > margin:
            opposed.append((changes[-1][0] - changes[0][0], changes[0], changes[-1], f))
    if opposed:
        _, (low, faster), (high, slower), f = max(opposed, key=lambda one: one[0])
        of = f" ({compared(f, findings, names)})" if len(findings) > 1 else ""
        yield f"CPUs differ in sign: {rough(low)} % predicted time on {faster}, {rough(high)} % on {slower}{of}."


def prediction_blocks(report: Report) -> Iterator[Block]:
    """Counted, predicted, why: of each comparison shown; then what is in doubt. What is left out is counted."""
    every = shown(report)
    findings = _first(report, every)
    texts = _all_doubts(findings)
    for f in findings:
        doubtful = (Fact(name="doubt", texts=tuple(texts)),) if texts and f is findings[-1] else ()
        yield Section(title=compared(f, every) if len(every) > 1 else "", blocks=(Facts(rows=(*_facts(f), *doubtful)),))
    left = len(every) - len(findings)
    if left > 0:
        yield Paragraph(text=f"and {left} more predictions: see --format markdown", tone=DOUBT)


def _first(report: Report, every: Sequence[Finding]) -> Sequence[Finding]:
    """As many comparisons as are shown; of an overview those with the largest predicted changes."""
    if report.overview is not None:
        every = sorted(every, key=lambda f: -max(abs(prediction.change or 0.0) for prediction in f.predictions))
    return every[:_FINDINGS]


def _all_doubts(findings: Sequence[Finding], names: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Each doubt once, with the comparisons that have it unless all do. None of those with a command is cut."""
    points = [f.point for f in findings]
    points_of = grouped((doubt, f.point) for f in findings for doubt in _doubts(f, names))
    doubts = sorted(points_of, key=lambda doubt: doubt.rank)
    texts = []
    for doubt in doubts:
        of = dict.fromkeys(points_of[doubt])
        where = f" ({', '.join(point_name(point, points) for point in of)})" if len(of) < len({*points}) else ""
        texts.append(one_line(f"{doubt.cpus and f'{doubt.cpus}: '}{doubt.text}{where}"))
    return shortened(texts, max(_DOUBTS, sum(doubt.rank == 0 for doubt in doubts)), "and {} more")


def compared(f: Finding, findings: Sequence[Finding], names: Mapping[str, str] = MappingProxyType({})) -> str:
    """The kernels of a comparison, with the part of its point that tells it apart from the others."""
    points = [other.point for other in findings]
    point = f", {point_name(f.point, points)}" if len({*points}) > 1 else ""
    return one_line(" to ".join(names.get(kernel, kernel) for kernel in f.kernels) + point)


def _facts(f: Finding) -> Iterator[Fact]:
    yield Fact(name="counted", texts=(f"{rough(f.change)} % {f.unit}",), detail=f.evidence)
    for number, prediction in enumerate(f.predictions):
        text = _change_text(prediction, number)
        yield Fact(name="" if number else "predicted", texts=(text,), detail=_basis(f, prediction))
    why = next((because(f, prediction) for prediction in _furthest_first(f) if prediction.rows), "")
    if why:
        yield Fact(name="why", texts=(why,))


class _Doubt(NamedTuple):
    """A doubt on predictions of one comparison."""

    rank: int
    """Position of its code in _FIRST."""
    cpus: str
    """Names of the CPUs that it is of; "" if of all."""
    text: str


def _doubts(f: Finding, names: Mapping[str, str] = MappingProxyType({})) -> list[_Doubt]:
    """Each doubt once, those of _FIRST before the others."""
    doubts = ((doubt, p.cpu) for p in f.predictions for doubt in p.doubts)
    cpus_of = grouped(((_rank(doubt.code), reason_text(doubt, names)), cpu) for doubt, cpu in doubts)
    found = (
        _Doubt(rank, "" if len(cpus) == len(f.predictions) else ", ".join(cpus), text)
        for (rank, text), cpus in cpus_of.items()
    )
    return sorted(found, key=lambda doubt: doubt.rank)


def _rank(code: str) -> int:
    return _FIRST.index(code) if code in _FIRST else len(_FIRST)


def _change_text(prediction: Prediction, number: int) -> str:
    if _is_refused(prediction):
        return f"refused on {prediction.cpu}"
    words = " time on " if number == 0 else " on "
    return f"{rough(prediction.change)} %{_between(prediction)}{words}{prediction.cpu}"


def _is_refused(prediction: Prediction) -> bool:
    return prediction.refused is not None or prediction.change is None


def _between(prediction: Prediction) -> str:
    return f" [{', '.join(map(rough, prediction.interval))}]" if prediction.interval is not None else ""


def rough(change: float | None) -> str:
    """Percent as a prediction deserves: "+47", "-3.2", "0"; "-" for none."""
    if change is None:
        return "-"
    percent = change * 100
    text = f"{percent:+.0f}" if abs(percent) >= 10 else f"{percent:+.1f}"
    return "0" if not float(text) else text


def _basis(f: Finding, prediction: Prediction, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Both times, and where the model's figures come from; of a refusal its reason."""
    parts = (_times(f, prediction, names), "" if prediction.refused is not None else _checked(prediction))
    return "; ".join(filter(None, parts))


def _times(f: Finding, prediction: Prediction, names: Mapping[str, str]) -> str:
    per = f.unit.partition("/")[2]
    times = ""
    if prediction.base_ns is not None:
        times = f"{ns(prediction.base_ns)} -> {ns(prediction.head_ns)} ns{f'/{per}' if per else ''}"
    if prediction.refused is not None:
        without = f"; the model has {times}" if times else ""
        return f"{reason_text(prediction.refused, names)}{without}"
    return times


def _checked(prediction: Prediction) -> str:
    """How far the interval can be relied on."""
    if prediction.calibrated:
        return f"calibrated on this CPU, {prediction.level or 0:.0%} of held-out changes inside such intervals"
    # Figures of the CPU were measured, though no changes were.
    return _UNCHECKED[any(doubt.code == "no-changes-measured" for doubt in prediction.doubts)]


_UNCHECKED = {
    False: "no changes were measured on this CPU: the interval is an estimate",
    True: "figures of this CPU were measured, but no changes: the interval is an estimate",
}


def ns(value: float | None) -> str:
    """Nanoseconds: whole from 1000 on, with one decimal from 10 on, with three digits below."""
    if value is None:
        return "-"
    return format_decimals(value, 0 if value >= 1000 else 1) if value >= 10 else f"{value:.3g}"


def because(f: Finding, prediction: Prediction) -> str:
    """The largest functions of the predicted difference with their causes, all causes, then what did not change."""
    if prediction.base_ns is None or prediction.head_ns is None or not prediction.rows:
        return ""
    total, per = prediction.head_ns - prediction.base_ns, f.unit.partition("/")[2]
    places = _places(total)
    named = [row for row in _grouped(f, prediction) if abs(row.whole.delta_ns) > _STILL * abs(total)][:_NAMED]
    functions = ", ".join(_function(row, places) for row in named)
    largest = sorted(
        (c for c in prediction.causes if abs(c.delta_ns) > _STILL * abs(total)), key=lambda c: -abs(c.delta_ns)
    )  # fmt: skip
    causes = ", ".join(f"{_named(c)} {format_signed(c.delta_ns, places)}" for c in largest[:4])
    still = [_named(c) for c in prediction.causes if c not in largest and c.base_ns > _PRESENT * prediction.base_ns]
    of = f"of {format_signed(total, places)} ns{f'/{per}' if per else ''} on {prediction.cpu}"
    parts = [f"{of}: {functions or 'no function stands out'}"]
    parts += [f"by cause {causes}"] if causes else []
    parts += [f"{', '.join(still)} unchanged"] if still else []
    return "; ".join(parts)


def _places(total: float) -> int:
    """Decimals of a difference and of its parts: no more than a prediction deserves."""
    return next((places for places, least in enumerate((100, 10, 1)) if abs(total) >= least), 3)


class _Named(NamedTuple):
    """A function, or some that exchanged code, with the members of these that have a part of their own."""

    whole: PredictedRow
    members: tuple[PredictedRow, ...] = ()


def _grouped(f: Finding, prediction: Prediction) -> list[_Named]:
    """Functions that exchanged code count as one: taken alone, one of them vanished and the others are new."""
    rows = {row.function: row for row in prediction.rows}
    named = []
    for group in f.attribution.groups if f.attribution is not None else ():
        members = tuple(rows.pop(name) for name in group.functions if name in rows)
        if members:
            name = f"{group.root} with {counted(len(group.functions) - 1, 'callee')}"
            inside = sorted((row for row in members if row.function != group.root), key=lambda r: -abs(r.delta_ns))
            named.append(_Named(_sum(name, members), tuple(inside[:_CAUSED])))
    named += [_Named(row) for row in rows.values()]
    return sorted(named, key=lambda n: -abs(n.whole.delta_ns))


def _sum(name: str, rows: Sequence[PredictedRow]) -> PredictedRow:
    causes = grouped((cause.cause, cause) for row in rows for cause in row.causes)

    def added(parts: "Sequence[PredictedRow | PredictedCause]") -> dict[str, float]:
        fields = ("base_ns", "head_ns", "base_instructions", "head_instructions")
        return {field: fsum(getattr(part, field) for part in parts) for field in fields}

    summed = (PredictedCause(cause=cause, **added(parts)) for cause, parts in causes.items())
    return PredictedRow(function=name, **added(rows), causes=tuple(sorted(summed, key=lambda c: -abs(c.delta_ns))))


def _function(named: _Named, places: int) -> str:
    row = named.whole
    more = row.head_instructions - row.base_instructions
    words = []
    if round(more):
        words.append(f"{format_signed(more, 0)} instructions{_shadow(row, more)}")
    causes = [c for c in row.causes if abs(c.delta_ns) > 0.2 * abs(row.delta_ns)][:_CAUSED]
    words += [f"{_named(c)} {format_signed(c.delta_ns, places)}" for c in causes]
    if named.members:
        parts = (f"{one_line(part.function)} {format_signed(part.delta_ns, places)}" for part in named.members)
        words.append(f"of it {', '.join(parts)}")
    inside = f" ({'; '.join(words)})" if words else ""
    return f"{one_line(row.function)} {format_signed(row.delta_ns, places)}{inside}"


def _shadow(row: PredictedRow, more: float) -> str:
    """How many of the added instructions are done while another one waits, where these are many."""
    waits = [(c.head_instructions - c.base_instructions, c) for c in row.causes if c.cause in WAITING]
    hidden, cause = max(waits, key=lambda pair: pair[0], default=(0.0, None))
    if cause is None or more < _FEWEST or hidden < _HIDDEN * more:
        return ""
    return f", {format_signed(hidden, 0)} of them in the shadow of {_named(cause)}"


def _named(cause: PredictedCause) -> str:
    return CAUSES.get(cause.cause, cause.cause)


_MODEL = "Predicted time, by a model of the CPU over the recorded instructions, not measured"


def mail_blocks(report: Report, f: Finding) -> Iterator[Section]:
    """In a mail: the predictions, of several comparisons as a list, then where they disagree with the counts. f: the
    comparison of the headline."""
    names, every = mail_names(report), shown(report)
    findings = _first(report, every)
    disagree = disagreements(report, names)
    if len(findings) < 2:
        if text := mail_text(report, f):
            yield section("", text=(" ".join((text, *disagree)),), readers=(LETTER,))
        return
    items = (
        f"{compared(one, every, names)}: {rough(one.change)}% {one.unit} counted, predicted "
        + ", ".join(_mail_prediction(prediction, _times(one, prediction, names)) for prediction in one.predictions)
        for one in findings
    )
    left = len(every) - len(findings)
    more = (f"{left} more predictions are in the full report",) if left else ()
    checked = grouped((_checked(p), p.cpu) for one in findings for p in one.predictions if not _is_refused(p))
    notes = (f"{', '.join(dict.fromkeys(cpus))}: {text}" for text, cpus in checked.items())
    yield section(_MODEL, items=map(ascii_text, (*items, *more, *notes)), readers=(LETTER,))
    yield from filled("In doubt", items=map(ascii_text, _all_doubts(findings, names)), readers=(LETTER,))
    if disagree:
        yield section("", text=(ascii_text(" ".join(disagree)),), readers=(LETTER,))


def mail_text(report: Report, f: Finding) -> str:
    """The prediction for one comparison in a mail, on every CPU, then each doubt; "" if nothing was to be predicted."""
    if not f.predictions or f.verdict in REFUSED:
        return ""
    names = mail_names(report)
    texts = (_mail_prediction(prediction, _basis(f, prediction, names)) for prediction in f.predictions)
    doubts = (f"In doubt{cpus and f' on {cpus}'}: {stopped(text)}" for _, cpus, text in _doubts(f, names))
    return ascii_text(" ".join((f"{_MODEL}: {', '.join(texts)}.", *doubts)))


def _mail_prediction(prediction: Prediction, basis: str) -> str:
    what = "refused" if _is_refused(prediction) else f"{rough(prediction.change)}%{_between(prediction)}"
    return f"{what} on {prediction.cpu}{basis and f' ({basis})'}"
