# SPDX-License-Identifier: GPL-2.0-only
"""series: a patch series, row by row: a table for its cover letter, and what follows from it in words."""

from collections.abc import Mapping, Sequence
from math import fsum

from msgspec import structs

from kassay.model.experiment import KernelUse
from kassay.model.finding import CHANGES, REFUSED
from kassay.model.lines import NO_CODE, NOT_EXECUTED
from kassay.model.question import Answered, Kernels, Pairs, Question
from kassay.model.report import Lead, Report
from kassay.model.series import OUTCOMES, ROWS, Series, SeriesRow, SeriesTable, SeriesValue
from kassay.model.texts import (
    Table,
    TextBlock,
    cells,
    figures,
    listed,
    machine_text,
    one_line,
    settings_text,
    shortened,
    table,
)
from kassay.model.units import format_change, format_numbers, format_signed, places_of
from kassay.report.mail.names import mail_names, point_text, unit_text, work_text
from kassay.report.mail.text import ascii_text
from kassay.report.sections.changed_lines import (
    NO_CODE_HERE,
    NOT_MEASURED,
    elsewhere_sentences,
    unexecuted,
    verdict_word,
)
from kassay.report.sentences import strength, work_at

BASE, WHOLE = "base", "whole"
_N = 'n: boots with nothing moved. "not executed": none of the lines that differ ran, so an equal cost says nothing.'
_WHERE = 8  # rows of a mail that say in which functions they differ
AGAINST = (
    "diff, step, step is: rows of the first patches are compared with the row before, rows that leave something out "
    "with the whole series, rows of one thing alone with base. to base, series is: each row is compared with base."
)
_SAME = ("same-source", "same-image")
_NO_KERNEL = ("not-applied", "not-built", "not-measured")


def series_sentences(subject: str, series: Series, metric: SeriesTable) -> list[str]:
    """Sentences on the whole series, its largest patch, patches that do nothing or harm, parts to leave out, and rows
    without figures. subject: the work, as the start of a sentence."""
    values = {value.row: value for value in metric.values}
    rows = {row.name: row for row in series.rows}
    whole = values.get(_stands(rows[WHOLE], rows))
    sentences = [f"{subject}: {_whole(values.get(BASE), whole, metric.unit)}"]
    sentences += _patches(series, rows, values)
    sentences += _other_phases(series, metric)
    sentences += _left_out(series, metric)
    missing = [row for row in series.rows if row.outcome in _NO_KERNEL]
    if missing:
        why = "; ".join(f"{row.name}: {one_line(row.detail) or OUTCOMES[row.outcome]}" for row in missing[:3])
        more = f"; and {len(missing) - 3} more" if len(missing) > 3 else ""
        sentences.append(f"No figures for {len(missing)} of {len(series.rows)} rows ({why}{more}).")
    return sentences


def _whole(base: SeriesValue | None, whole: SeriesValue | None, unit: str) -> str:
    if base is None or whole is None or base.value is None or whole.value is None:
        return "no figure for the whole series."
    if whole.row == BASE:
        return "the whole series makes the same kernel as base, byte for byte."
    values = " to ".join(format_numbers([base.value, whole.value]))
    judged = {"equivalent": "no difference beyond the margin"}.get(whole.base_verdict, whole.base_verdict)
    if unexecuted(whole.base_verdict, whole.base_changed):
        judged = f"its changed lines were {NOT_MEASURED}"
    return f"the whole series changes it by {format_change(whole.to_base)}, {values} {unit}: {judged}."


def _patches(
    series: Series, rows: Mapping[str, SeriesRow], values: Mapping[str, SeriesValue], *, primary: bool = True
) -> list[str]:
    """Sentences on the cumulative rows: the patch that did most, those that did nothing, and those that harm.

    primary: of the primary phase; only there it is said which patch never ran, as this is the same in every phase.
    """
    from kassay.analysis.series import compared_with  # see _complete()

    steps = [(row.patches[-1], row, values.get(row.name)) for row in series.rows if row.kind == "cumulative"]
    if len(steps) == 1:
        value = steps[0][2]
        idle_whole = primary and value is not None and unexecuted(value.verdict, value.changed)
        return elsewhere_sentences(value.elsewhere) if value is not None and idle_whole else []
    alone: dict[int, tuple[str, ...]] = {}  # a row whose neighbour has no figures tells of more patches than its own
    before = 0
    for n, row, value in steps:
        if value is not None or row.outcome in _SAME:
            alone[n], before = tuple(map(str, range(before + 1, n + 1))), n
    back = {n: row for n, row, _ in steps if row.outcome in _SAME and row.same_as != compared_with(row, series.rows)}
    taken = {n: range(max(rows[row.same_as].patches, default=0) + 1, n) for n, row in back.items()}
    undone = {number for numbers in taken.values() for number in numbers}
    done = [
        (alone[n], value)
        for n, _, value in steps
        if n not in undone and value and value.delta is not None and value.verdict in CHANGES
    ]
    idle = [(n, value) for n, _, value in steps if value and unexecuted(value.verdict, value.changed)]
    equal = [
        n
        for n, row, value in steps
        if (row.outcome in _SAME and n not in back)
        or (value and value.verdict == "equivalent" and (n, value) not in idle)
    ]
    nothing = [number for n in equal for number in alone[n]]
    open_ = [
        number for n, _, value in steps if value and value.verdict in ("inconclusive", *REFUSED) for number in alone[n]
    ]
    sentences = _largest(series, done)
    worse = [f"{_patch(numbers)} ({_size(value)})" for numbers, value in done if value.verdict == "regression"]
    sentences += [f"It costs more from {listed(worse)} on."] if worse else []
    for n, row in back.items():
        size = _between(values.get(compared_with(row, series.rows)), values.get(row.same_as))
        numbers = _patch([str(number) for number in taken[n]])
        restored = "the base kernel" if row.same_as == "base" else f"the kernel of row {row.same_as}"
        sentences.append(f"Patch {n} takes back {numbers} and restores {restored}{size}.")
    sentences += [f"No difference beyond the margin from {_patch(nothing)}."] if nothing else []
    if primary:
        sentences += _not_executed([(alone[n], value) for n, value in idle])
        around = [number for numbers, value in done if value.changed == NOT_EXECUTED for number in numbers]
        text = f"No changed line of {_patch(around)} ran. Code around them may be new, or they set a default."
        sentences += [text] if around else []
        bare = [number for n, _, value in steps if value and value.changed == NO_CODE for number in alone[n]]
        sentences += [f"{NO_CODE_HERE}: {_patch(bare)}."] if bare else []
    return sentences + ([f"No verdict on {_patch(open_)}."] if open_ else [])


def _not_executed(idle: Sequence[tuple[Sequence[str], SeriesValue]]) -> list[str]:
    """Patches whose changed lines never ran, and the workloads that execute these functions."""
    if not idle:
        return []
    numbers = [number for patches, _ in idle for number in patches]
    elsewhere = dict.fromkeys(one for _, value in idle for one in value.elsewhere)
    text = _patch(numbers)
    return [f"{text[:1].upper()}{text[1:]}: {NOT_MEASURED}.", *elsewhere_sentences(elsewhere)]


def _largest(series: Series, done: Sequence[tuple[Sequence[str], SeriesValue]]) -> list[str]:
    """The patch that did most of what the patches did together, in the direction of it all."""
    total = fsum(value.delta or 0.0 for _, value in done)
    if not total:
        return []
    numbers, value = max(done, key=lambda pair: (pair[1].delta or 0.0) / total)
    share = (value.delta or 0.0) / total
    part = "all" if len(done) == 1 else f"{share * 100:.0f} %" if share <= 1 else "more than all"  # others lose some
    if len(numbers) > 1:
        return [f"Patches {listed(numbers)}, which have one figure together, do {part} of it: {_size(value)}."]
    subject = one_line(series.patches[int(numbers[0]) - 1].subject)
    return [f"Patch {numbers[0]} ({subject}) does {part} of it: {_size(value)}."]


def _phases(series: Series, metric: SeriesTable) -> list[SeriesTable]:
    """The tables of a workload's other phases at the same setting."""
    return [table for table in series.tables if table.point == metric.point and table.metric != metric.metric]


def _other_phases(series: Series, metric: SeriesTable) -> list[str]:
    """Sentences on the other phases of the workload that the patches change."""
    sentences = []
    for other in _phases(series, metric):
        changed = [value for value in other.values if value.verdict in CHANGES or value.base_verdict in CHANGES]
        if not changed:
            continue
        values = {value.row: value for value in other.values}
        rows = {row.name: row for row in series.rows}
        whole = _whole(values.get(BASE), values.get(_stands(rows[WHOLE], rows)), other.unit)
        sentences += [f"Phase {other.metric}: {whole}", *_patches(series, rows, values, primary=False)]
    return sentences


def _left_out(series: Series, metric: SeriesTable) -> list[str]:
    """Sentences on parts that can be left out in every phase of this workload, and on those that cost."""
    values = {value.row: value for value in metric.values}
    phases = [{value.row: value for value in table.values} for table in (metric, *_phases(series, metric))]
    by_name = {row.name: row for row in series.rows}
    if _stands(by_name[WHOLE], by_name) not in values:  # then these rows are held against something else
        return []
    rows = [row for row in series.rows if row.kind in ("without", "hunk", "annotation")]
    idle = [_part(row) for row in rows if all(_idle(row, by_name, phase) for phase in phases)]
    better = [f"{_part(row)} ({_size(values[row.name])})" for row in rows
              if (value := values.get(row.name)) is not None and value.verdict == "improvement"]  # fmt: skip
    sentences = (
        [f"Can be left out without a difference beyond the margin, for this workload: {listed(idle)}."] if idle else []
    )
    without = [row for row in rows if _is_whole(row, by_name)]
    gone = [_part(row) for row in without if row.tree == by_name[WHOLE].tree]
    sentences += [f"The rest of the series takes back {listed(gone)}."] if gone else []
    same = [part for row in without if (part := _part(row)) not in gone]
    sentences += [f"No part of this kernel's code: {listed(same)}."] if same else []
    return sentences + ([f"It costs less without {listed(better)}."] if better else [])


def _part(row: SeriesRow) -> str:
    """ "patch 2", "hunk 3.1", "__always_inline of foo(), mm/x.c"."""
    if row.kind == "annotation":
        return row.title
    name = row.name.removeprefix("without ")
    return name if row.kind == "hunk" else f"patch {name}"


def _patch(numbers: Sequence[str]) -> str:
    return f"{'patches' if len(numbers) > 1 else 'patch'} {listed(numbers)}"


def _idle(row: SeriesRow, rows: Mapping[str, SeriesRow], values: Mapping[str, SeriesValue]) -> bool:
    """True if the series costs the same without this part, whose lines were executed.

    Without the last patch the series is the row before: then that row's comparison with the whole counts.
    """
    whole = rows[WHOLE]
    value = values.get(row.name)
    if row.outcome in _SAME:
        value = values.get(WHOLE) if row.same_as == whole.against else None
    return value is not None and value.verdict == "equivalent" and not unexecuted(value.verdict, value.changed)


def _is_whole(row: SeriesRow, rows: Mapping[str, SeriesRow]) -> bool:
    """True if the kernel is the same without this part."""
    return row.outcome in _SAME and row.same_as in (WHOLE, _stands(rows[WHOLE], rows))


def _size(value: SeriesValue) -> str:
    return f"{format_signed(value.delta or 0.0, places_of(value.value))}, {format_change(value.change)}"


def _between(before: SeriesValue | None, now: SeriesValue | None) -> str:
    """The size of a change that no comparison has, in parentheses; "" if a figure is lacking."""
    if before is None or now is None or now.value is None or not before.value:
        return ""
    delta = now.value - before.value
    return f" ({_size(structs.replace(now, delta=delta, change=delta / before.value))})"


def _stands(row: SeriesRow, rows: Mapping[str, SeriesRow]) -> str:
    return rows[row.same_as].name if row.same_as in rows else row.name


def cover_table(series: Series, metric: SeriesTable) -> Table:
    """Every row that was asked for, whatever became of it; narrow enough for a mail."""
    values = {value.row: value for value in metric.values}
    places = max((places_of(value.value) for value in values.values()), default=1)
    texts = dict(zip(values, format_numbers([value.value for value in values.values()]), strict=True))
    rows = []
    for row in series.rows:
        value = values.get(row.name)
        same = row.outcome in _SAME
        if value is None:
            word = f"= {row.same_as}" if same else row.outcome
            rows.append(cells(row.name, "", "", "", word, "", "", "", mark="" if same else "inconclusive"))
            continue
        delta = "" if value.delta is None else format_signed(value.delta, places)
        step, to_base = (format_change(value.change), format_change(value.to_base)) if value.verdict else ("", "")
        verdict = verdict_word(value.verdict, value.changed)
        verdict += f" ({value.evidence})" if value.evidence in ("partial", "unstable") else ""
        mark = "" if value.verdict in ("", "equivalent") else value.verdict
        judged = (texts[row.name], delta, step, verdict, to_base, verdict_word(value.base_verdict, value.base_changed))
        rows.append(cells(row.name, *judged, str(value.n), mark=mark))
    unit, machine = one_line(metric.unit), machine_text(metric.machine)
    title = f"{one_line(metric.metric)} [{unit}]; {settings_text(metric.settings)}; {machine}"
    columns = ("row", *figures("value", "diff", "step"), "step is", *figures("to base"), "series is", *figures("n"))
    return table(title, columns, rows)


def rows_table(series: Series) -> Table:
    """Each row's name with its title and its fate."""
    rows = (
        cells(row.name, row.title, "" if row.outcome == "measured" else _fate(row))
        for row in series.rows
        if row.name != BASE
    )
    return table("The rows", ("row", "what it is", "note"), rows)


def _fate(row: SeriesRow) -> str:
    if row.outcome in _SAME:
        return f"{OUTCOMES[row.outcome]}: {row.same_as}"
    return one_line(row.detail) or OUTCOMES[row.outcome]


def where_lines(series: Series, metric: SeriesTable) -> list[str]:
    """ "1..2: change_pte_range -12, ...": in which functions each row differs from what it is compared with."""
    values = {value.row: value for value in metric.values}
    return [f"{row.name}: {value.where}" for row in series.rows if (value := values.get(row.name)) and value.where
            and value.verdict in CHANGES]  # fmt: skip


def primary_tables(series: Series) -> tuple[SeriesTable, ...]:
    """The tables that decide, one for each setting."""
    return tuple(metric for metric in series.tables if metric.primary) or series.tables


def legend(series: Series) -> list[str]:
    """A line for each row that its name does not explain, and for each that has no figures of its own."""
    lines = []
    for row in series.rows:
        fate = "" if row.outcome == "measured" else _fate(row)
        title = "" if row.kind in ("base", "without") else _titled(row)
        text = "; ".join(text for text in (title, fate) if text)
        lines += [f"{row.name}: {text}"] if text else []
    return lines


def _titled(row: SeriesRow) -> str:
    return f"with patch {row.patches[-1]}, {one_line(row.title)}" if row.kind == "cumulative" else one_line(row.title)


def _pairs(kernels: Sequence[KernelUse]) -> Pairs:
    """Each row with the one that it names, then with base."""
    named = [(use.against or 0, index) for index, use in enumerate(kernels) if index]
    return list(dict.fromkeys((*named, *((0, index) for index in range(1, len(kernels))))))


def _complete(answered: Answered) -> Report:
    from kassay.analysis.series import tabled  # slow to load, and not needed to check an experiment
    from kassay.tools.series.rows import read_rows

    rows, report = read_rows(answered.directory), answered.report
    if rows is None:
        return report
    series = tabled(rows, report.findings)
    primary = [metric for metric in series.tables if metric.primary]
    sentences = [
        text for metric in primary for text in series_sentences(work_at(answered.plan, metric), series, metric)
    ]
    verdict = " ".join((*sentences, *strength(report.findings))) if sentences else report.verdict
    report = structs.replace(report, series=series, verdict=verdict)
    return structs.replace(report, lead=lead_of(report, series))


def lead_of(report: Report, series: Series) -> Lead:
    """The blocks of a series, for each kind of reader."""
    shown = primary_tables(series)
    covers = [cover_table(series, metric) for metric in shown]
    others = [cover_table(series, metric) for metric in series.tables if metric not in shown]
    where = tuple(line for metric in shown for line in where_lines(series, metric))
    whole = next((row for row in series.rows if row.name == WHOLE), None)
    blocks = (
        *(TextBlock(title=cover.title, tables=(cover,), readers=("screen",)) for cover in covers),
        TextBlock(text=(f"{AGAINST} {_N}",), readers=("screen",)),
        TextBlock(title="the rows", items=tuple(legend(series)), readers=("screen",)),
        TextBlock(title="in which functions", items=where, readers=("screen",)),
        TextBlock(
            title="Result: patch by patch", text=(AGAINST.capitalize(), _N), items=where,
            tables=(*covers, *others, rows_table(series)), readers=("page",),
        ),
        *_mail(series, covers, where),
    )  # fmt: skip
    return Lead(
        blocks=tuple(block for block in blocks if not block.is_empty),
        replaces=("screen", "page", "mail"),
        pairs=() if whole is None else ((BASE, whole.same_as or whole.name),),
        sentences=False,
        names_unexecuted=True,
        mail_answer=_mail_answer(report, series),
        lacks_kernel=any(row.outcome in _NO_KERNEL for row in series.rows),
        of_patches=True,
        mail_open=(),  # each row is one patch: nothing has to be searched
        repeat=("series", "--base", series.base, "--patches", series.source),
    )


def _mail_answer(report: Report, series: Series) -> str:
    """The sentences of the verdict, for people who do not know kassay."""
    sentences = []
    for metric in primary_tables(series):
        where = point_text(report, metric)
        sentences += series_sentences(f"{work_text(report, metric)}{f' ({where})' if where else ''}", series, metric)
    return ascii_text(" ".join((*sentences, *strength(report.findings, mail_names(report), everyday=True))))


def _mail(series: Series, covers: Sequence[Table], where: Sequence[str]) -> tuple[TextBlock, ...]:
    """Blocks to paste into a cover letter."""
    untitled = [(unit_text(cover.title), structs.replace(cover, title="")) for cover in covers]
    note = f"{AGAINST[:1].upper()}{AGAINST[1:]} {_N}"
    functions = tuple(shortened(where, _WHERE, "and {} more in the full report."))
    return (
        *(TextBlock(title=title, tables=(cover,), readers=("mail",)) for title, cover in untitled),
        TextBlock(title="The rows", items=tuple(legend(series)), text=(note,), readers=("mail",)),
        TextBlock(title="In which functions", items=functions, readers=("mail",)),
    )


QUESTION = Question(
    name="series",
    kernels=Kernels(least=2, most=None, rule="a series needs at least two kernels"),
    pairs=_pairs,
    against=True,
    title=lambda work, _: f"What does each patch of the series do to {work}?",
    complete=_complete,
    files=(ROWS,),
)
