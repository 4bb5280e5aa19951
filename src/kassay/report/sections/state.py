# SPDX-License-Identifier: GPL-2.0-only
"""The measured work, and the state of memory that the kernels worked on."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import Finding
from kassay.model.reason_texts import reason_text
from kassay.model.records import grouped
from kassay.model.report import AuditTable, Report
from kassay.model.texts import Table, TableCell, cells, machine_text, one_line, settings_text, table
from kassay.report.document import LETTER, PAGE, Section, filled, letter, section
from kassay.report.mail.headline import headline, told
from kassay.report.mail.names import everyday_text, mail_name, mail_names, point_text, work_text
from kassay.report.mail.text import ascii_text, sentence, stopped
from kassay.report.parted import audits_of, parted_sentences
from kassay.report.sections.refused import differences_letter
from kassay.report.series import all_series
from kassay.supply.clocks import clock_of

_DIFFERS = "A field may differ and not matter; those that must agree and do not are listed with the verdict."
_PREFIXES = {
    "range.": "range.* is /proc/PID/smaps of the mapping (sizes in kB)",
    "pagemap.": "pagemap.* counts its pages in /proc/PID/pagemap",
    "pageflags.": "pageflags.* counts them in /proc/kpageflags",
}


def definitions(report: Report) -> Iterator[Section]:
    """On a page each metric. In a mail what was done, what one figure is, how often, and by which clock."""
    shown = _definitions_table(report)
    yield from filled("What the metrics are", tables=(shown,) if shown.rows else (), readers=(PAGE,))
    topic = headline(report)
    if topic is None:
        return
    rounds = report.experiment.rounds
    items = [
        *(text for f in told(report) for text in _measured(report, f)),
        f"A round is one repetition of the work inside a boot; a boot has {rounds} of them." if rounds else "",
        clock_of(topic.finding.machine.clock).mechanism,
    ]
    yield section("What was measured", items=filter(None, items), readers=(LETTER,))


def _measured(report: Report, f: Finding) -> tuple[str, str, str]:
    """The work of a comparison, the state that it needs, and its metric; "" for what is not known."""
    workload = next((w for w in report.workloads if w.name == f.workload), None)
    settings = ", ".join(f"{setting.name}={setting.value}" for setting in f.settings)
    summary = workload.summary if workload is not None else work_text(report, f)
    more = f"; {settings}" if settings and workload is not None else ""
    return (
        stopped(f"{f.workload}: {summary}{more}") if summary != f.workload else "",
        sentence(f"State it needs: {workload.state}") if workload is not None and workload.state else "",
        stopped(f"{f.metric}: {f.definition}") if f.definition else "",
    )


def _definitions_table(report: Report) -> Table:
    """Each metric with its unit, its direction, and from where to where it is measured."""
    rows: dict[tuple[str, str], tuple[TableCell, ...]] = {}
    for s in all_series(report):
        better = f"{s.better} is better" if s.better else "-"
        row = cells(s.metric, s.unit, better, s.workload or "-", s.definition or "-")
        rows.setdefault((s.workload or "", s.metric), row)
    return table("Metrics", ("metric", "unit", "direction", "workload", "definition"), rows.values())


def state(report: Report) -> Iterator[Section]:
    """On a page all audited fields. In a mail where the state differs, or field by field that it does not."""
    audited = _audit_tables(report)
    texts = (one_line(reason_text(report.state)), one_line(f"Work: {reason_text(report.work)}") if report.work else "",
             _DIFFERS if audited else "No audited state is on record.")  # fmt: skip
    yield section("State the kernels worked on", text=filter(None, texts), tables=audited, readers=(PAGE,))
    topic = headline(report)
    if apart := next((f for f in report.findings if f.differences), None):
        parted = map(ascii_text, parted_sentences(report, apart, mail_names(report)))
        title = "State that should have been the same and was not"
        yield section(title, text=parted, tables=(differences_letter(report, apart),), readers=(LETTER,))
    elif topic is not None and (audits := audits_of(report, topic.finding)):
        yield _agreeing(report, topic.finding, audits)
    elif (
        text := everyday_text(report, report.state)
    ) and not report.sources:  # imported files have it among the limits
        yield section("", text=(stopped(f"State of memory: {text}"),), readers=(LETTER,))


def _audit_tables(report: Report) -> tuple[Table, ...]:
    """The audited state, kernels side by side: the fields the gate compares, others that differ, then all."""
    together = grouped(((a.workload, a.settings, a.machine, a.moment), a) for a in report.audits)
    return tuple(side for audits in together.values() for side in _side_by_side(report.gate_fields, audits))


def _side_by_side(gate: tuple[str, ...], audits: list[AuditTable]) -> tuple[Table, ...]:
    fields = [dict(audit.fields) for audit in audits]
    rows = {name: _state_row(name, [values.get(name) for values in fields]) for values in fields for name in values}
    compared = [rows[name] for name in gate if name in rows]
    differing = [row for name, row in rows.items() if name not in gate and any(c.mark for c in row)]
    columns = ("field", *(one_line(a.kernel) for a in audits))
    first = audits[0]
    parts = (one_line(first.moment), one_line(first.workload), settings_text(first.settings))
    point = ", ".join(part for part in (*parts, machine_text(first.machine) if first.machine else "") if part)
    tables = (
        table(f"What must agree ({point})", columns, compared),
        table(f"Other fields that differ ({point})", columns, differing, folded=True),
        table(f"All {len(rows)} fields ({point})", columns, rows.values(), folded=True),
    )
    return tuple(t for t in tables if t.rows)


def _state_row(name: str, values: list[str | None]) -> tuple[TableCell, ...]:
    mark = "differs" if len(set(values)) > 1 else ""
    return cells(name) + cells(*("-" if v is None else v or '""' for v in values), mark=mark)


def _agreeing(report: Report, f: Finding, audits: Sequence[AuditTable]) -> Section:
    """ "name = before / after" for what must agree and is not zero; the zeros in one line; what differs by kernel."""
    kernels = list(dict.fromkeys(a.kernel for a in audits))
    values = {(a.moment, a.kernel): dict(a.fields) for a in audits}
    moments = [moment for moment in ("before", "after") if any(a.moment == moment for a in audits)]
    rows: list[str] = []
    zeros: list[str] = []
    for name in report.gate_fields:
        texts = [_over(values, moment, kernels, name, report) for moment in moments]
        if name.startswith("cpus."):
            numbers = " / ".join(f"CPU {text}" for text in dict.fromkeys(texts))
            rows.append(f"{numbers} {name.removeprefix('cpus.')}")
        elif set(texts) == {"0"}:
            zeros.append(name)
        elif set(texts) != {"-"}:
            rows.append(f"{name} = {' / '.join(texts)}")
    point = point_text(report, f)
    who = "both kernels" if len(kernels) == 2 else f"all {len(kernels)} kernels" if len(kernels) > 2 else "the kernel"
    moment = " and ".join(moments)
    title = f"State of the mapping on {who}, read {moment} the measured part{f' ({point})' if point else ''}"
    rows += [f"0 {moment}: {', '.join(zeros)}"] if zeros else []
    shown = [text for prefix, text in _PREFIXES.items() if any(n.startswith(prefix) for n in report.gate_fields)]
    notes = (f"Here {stopped('; '.join(shown))}",) if shown else ()
    return letter(f"{title} ({' / '.join(moments)})", (), notes, tuple(rows))


def _over(values: dict[tuple[str, str], dict[str, str | None]], moment: str, kernels: Sequence[str], name: str,
          report: Report) -> str:  # fmt: skip
    """The value where all kernels have the same, else the value of each kernel."""
    by_kernel = {kernel: values.get((moment, kernel), {}).get(name) for kernel in kernels}
    if len(set(by_kernel.values())) == 1:
        return next(iter(by_kernel.values())) or "-"
    return ", ".join(f"{text or '-'} on {mail_name(report, kernel)}" for kernel, text in by_kernel.items())
