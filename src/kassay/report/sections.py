# SPDX-License-Identifier: GPL-2.0-only
"""A complete report in reading order, without layout; markdown and HTML write the same sections."""

from collections.abc import Iterable

from kassay.model.finding import REFUSED
from kassay.model.reason_texts import reason_text
from kassay.model.report import KernelStacks, Lead, Report
from kassay.model.texts import Table, machine_text, one_line, settings_text, verbatim
from kassay.model.units import format_bytes
from kassay.report import appendix, changed_lines, hosts, itemised, kernel_share, predicted, predictions, tables
from kassay.report.calls import calls_tables
from kassay.report.chart import series_chart
from kassay.report.counters import contention_tables, counters_tables, levels_tables
from kassay.report.document import Code, Section, Stacks, section, section_of
from kassay.report.printed import printed_tables
from kassay.report.series import MetricGroup, groups
from kassay.report.words import called, outcomes_text
from kassay.supply.clocks import clock_of

_INDENTED = (
    "Indented functions were inlined on one side into the function above them, or are called by it on one side only."
)


_JUDGED = (
    "One value per boot. Boots are made in blocks, in random order; ranks are compared inside the blocks, which holds "
    "under drift, outliers and failed boots. The session is looked at only after the planned numbers of boots, each "
    "time at the p given, so that all looks at one comparison together err in 5 % of sessions. The change is what "
    "these ranks say; it need not be the ratio of the two medians.",
)
_CHECKED = "A prediction is for the CPU that it names; the measured machine need not have that one."
_JUDGED_ELSEWHERE = (
    "One value per boot, or what the file has instead. Values are compared by their ranks, inside blocks where the "
    "file tells which were made one after the other; where it does not, drift cannot be told from a change.",
)
_CALLS = (
    "What the kernel executes for one call or fault of the program, with all that it calls, and the faults inside of "
    "a call. It does not depend on how many calls there were, if each does the same.",
)
_PRINTED = (
    "The program's own figures; kassay judges what it counted. Clocks that a program reads are the guest's: under "
    "exact counts a nanosecond is an instruction, so a time is no wall time.",
)
_SEED_RULES = (
    "As the framework of the seeds judges: means only, no test and no interval; one failed run makes a side partial. "
    "docs/explained/statistics.md shows how often these rules are wrong.",
)


def sections(report: Report) -> tuple[Section, ...]:
    """All sections with content; an empty one is left out only where the reader needs no word on it."""
    lead = report.lead or Lead()
    # A question may replace the results by tables of its own; the section of all findings still has every one.
    replaced = "page" in lead.replaces
    results = () if replaced else tuple(_result(group) for group in groups(report))
    if not (results or replaced):
        results = (section("Result", text=("No comparison was made, so there is no value to show.",)),)
    parts = (
        *map(section_of, lead.page),
        _predicted(report), *results, _hosts(report), _shares(report), _calls(report), _printed(report),
        _counts_and_time(report), _timed(report), _seed_rules(report), _refused(report), _attributed(report),
        _changed(report),
        _counters(report), _claim(report), _next_steps(report), _state(report), _definitions(report),
        _kernels(report), _runs(report), _all_findings(report), _repeat(report),
        section("Words", tables=(appendix.words_table(report),)),
    )  # fmt: skip
    return tuple(section for section in parts if section is not None)


def _present(*optional: Table | None) -> tuple[Table, ...]:
    return tuple(table for table in optional if table is not None)


def _result(group: MetricGroup) -> Section:
    lead = group.lead
    direction = f", {lead.better} is better" if lead.better in ("lower", "higher") else ""
    point = f"{settings_text(lead.settings)} on {machine_text(lead.machine)}"
    text = [f"{one_line(lead.metric)}, {one_line(lead.unit)}{direction}; {point}; n is plain + perturbed runs."]
    if lead.definition:
        text.append(f"{one_line(lead.metric)}: {one_line(lead.definition).rstrip('.')}.")
    across = tables.across_table(group) if group.across else None
    phases = tables.phases_table(group) if len(group.series) > 1 else None
    first_tables = _present(tables.series_table(lead), across, phases, tables.contexts_table(group))
    title = one_line(lead.workload) if lead.workload else one_line(lead.metric)
    return section(
        f"Result: {title}", text=text, chart=series_chart(lead),
        tables=(*first_tables, *tables.rounds_tables(group), tables.runs_table(group)),
    )  # fmt: skip


def _refused(report: Report) -> Section | None:
    refused = tables.refusals(report)
    unequal = tables.unequal_findings(report)
    differing = [
        table for f in unequal for table in (tables.differences_table(f), tables.one_sided_table(report, f)) if table
    ]
    items = (*refused, *dict.fromkeys(filter(None, map(tables.parted_text, unequal))))
    return section("Why there is no verdict", items=items, tables=tuple(differing)) if items or differing else None


def _predicted(report: Report) -> Section | None:
    shown = predicted.prediction_tables(report)
    about = [f for f in predictions.shown(report) if f.predictions]
    items = tuple(
        f"{f.sides[0].kernel} to {f.sides[1].kernel}, {text}"
        for f in about for prediction in f.predictions if (text := predictions.because(f, prediction))
    )  # fmt: skip
    return section("Predicted time", text=predictions.ABOUT, items=items, tables=shown) if shown else None


def _printed(report: Report) -> Section | None:
    printed = printed_tables(report)
    return section("What the program printed", text=_PRINTED, tables=printed) if printed else None


def _calls(report: Report) -> Section | None:
    shown = calls_tables(report)
    return section("What one call costs", text=_CALLS, tables=shown) if shown else None


def _shares(report: Report) -> Section | None:
    """Nothing for an overview of many workloads, which has a table of its own."""
    mixed = () if report.overview is not None else kernel_share.mixed_groups(report)
    items = tuple(kernel_share.share_sentence(share) for group in mixed for share in group)
    shown = tuple(
        table for group in mixed
        for table in (kernel_share.entries_table(group, limit=0), kernel_share.functions_table(group))
    )  # fmt: skip
    text = kernel_share.kinds_text()
    return section("Whose instructions", text=text, items=items, tables=shown) if mixed else None


def _counts_and_time(report: Report) -> Section | None:
    table = appendix.beside_table(report)
    if table is None:
        return None
    machine, clock = report.beside_machine, report.beside[0].clock
    under = f" under {one_line(machine.program)} on {one_line(machine.host)}" if machine else ""
    text = (f"Time was measured with clock {clock}{under}.", f"{clock_of(clock).scope.capitalize()}.")
    checked = predicted.checked_table(report)
    if checked is None:
        return section("Counts and time", text=text, tables=(table,))
    return section("Counts and time", text=(*text, _CHECKED), tables=(table, checked))


def _hosts(report: Report) -> Section | None:
    if not report.hosts:
        return None
    names, compared = called(report), report.across_hosts
    text = (hosts.ABOUT, hosts.level_text(compared)) if compared else (hosts.OF_COUNTS,)
    return section(
        "Which host measured what", text=text,
        items=tuple(hosts.across_sentence(comparison, names) for comparison in compared),
        tables=(hosts.hosts_table(report.hosts), *(hosts.across_table(comparison, names) for comparison in compared)),
    )  # fmt: skip


def _timed(report: Report) -> Section | None:
    judged = _present(
        appendix.timing_table(report), appendix.families_table(report), appendix.controls_table(report),
        appendix.failed_boots_table(report),
    )  # fmt: skip
    text = _JUDGED_ELSEWHERE if report.sources else _JUDGED
    return section("How time was judged", text=text, tables=judged) if judged else None


def _seed_rules(report: Report) -> Section | None:
    table = appendix.seed_table(report)
    return None if table is None else section("By the seeds' rules", text=_SEED_RULES, tables=(table,))


def _counters(report: Report) -> Section | None:
    if report.overview is not None:  # a table for each comparison of many workloads would fill most of the page
        return None
    counted = (*contention_tables(report), *counters_tables(report), *levels_tables(report))
    text = (
        "Events that the kernels counted themselves while the primary metric was measured, divided by its operations. "
        "Counters of the whole region include what the audit itself did beside it. Levels are the mean of the boots.",
    )
    return section("What the kernels counted", text=text, tables=counted) if counted else None


def _attributed(report: Report) -> Section | None:
    """Sentences of the primary findings, then their tables; those of the other phases only in full."""
    if report.lead is not None and not report.lead.itemised:
        return None
    texts = dict.fromkeys(itemised.functions_text_at(f, report) for f in report.findings if f.primary)
    items = tuple(text for text in texts if text)
    differences = itemised.differences(report)
    primary = {f.metric for f in report.findings if f.primary}
    shown = [
        table for d in differences
        for table in (*([itemised.top_table(d)] if d.metric in primary else []), itemised.full_table(d))
    ]  # fmt: skip
    text = (_INDENTED,) if any(d.itemised.groups for d in differences) else ()
    stacks = (_stacks_text(report),) if report.experiment.exact else ()
    if not (items or shown or stacks):
        return None
    return section(
        "Where the difference is", text=(*text, *stacks), items=items, tables=shown, stacks=_stacks(report),
    )  # fmt: skip


def _stacks(report: Report) -> Iterable[Stacks]:
    """One drawing for each metric, workload, setting and machine that has call stacks."""
    grouped: dict[tuple[str, ...], list[KernelStacks]] = {}
    for kernel in report.stacks:
        point = f"{settings_text(kernel.settings)}, {machine_text(kernel.machine)}"
        grouped.setdefault((kernel.workload, point, kernel.metric), []).append(kernel)
    for (workload, point, metric), kernels in grouped.items():
        yield Stacks(title=one_line(f"{workload}, {metric}; {point}"), kernels=tuple(kernels))


def _changed(report: Report) -> Section | None:
    """Nothing for an overview of many workloads."""
    shown = changed_lines.changed_tables(report) if report.overview is None else ()
    items = tuple(changed_lines.changed_sentences(report))
    if not (items or shown):
        return None
    return section("Changed lines", text=changed_lines.ABOUT, items=items, tables=shown)


def _stacks_text(report: Report) -> str:
    if report.stacks:
        return (
            "The call stacks stand under the tables of report.html; kassay profile DIR --export writes them as files."
        )
    if all(f.verdict in REFUSED for f in report.findings):
        return "No call stacks are shown: there is no verdict whose cost they would explain."
    return (
        "No run carries call stacks: measure with --profile stacks (under icount the default does) to see them drawn."
    )


def _claim(report: Report) -> Section:
    items = tuple(one_line(reason_text(reason)) for reason in report.disclosures)
    return section("How far this claim reaches", text=_paragraph(report.scope), items=items)


def _next_steps(report: Report) -> Section | None:
    items = tuple(map(one_line, report.next_steps))
    return section("What to run next", items=items) if items else None


def _state(report: Report) -> Section:
    audits = appendix.audit_tables(report)
    note = "A field may differ and not matter; those that must agree and do not are listed with the verdict."
    work = _paragraph(f"Work: {reason_text(report.work)}") if report.work is not None else ()
    text = (*_paragraph(reason_text(report.state)), *work, note if audits else "No audited state is on record.")
    return section("State the kernels worked on", text=text, tables=audits)


def _definitions(report: Report) -> Section | None:
    table = appendix.definitions_table(report)
    return section("What the metrics are", tables=(table,)) if table.rows else None


def _kernels(report: Report) -> Section:
    identities = (appendix.kernels_table(report), appendix.identity_table(report)) if report.kernels else ()
    configurations = _present(appendix.configurations_table(report))
    return section("Kernels and machine", tables=(*identities, *configurations, appendix.machine_table(report)))


def _runs(report: Report) -> Section:
    e, wall = report.experiment, report.wall
    shape = (
        f"{e.repeats} plain and {e.perturb} perturbed runs a kernel and cell, {e.rounds} rounds a run, "
        f"{e.order} order, seed {e.seed}, margin {e.margin:g}, "
        f"memory {', '.join(format_bytes(m) for m in e.memory_bytes)}."
    )
    times = (
        f"Median wall time of an ok run: boot {wall.boot_s:.2f} s, quiescence {wall.quiescence_s:.2f} s, "
        f"workload {wall.workload_s:.2f} s, shutdown {wall.shutdown_s:.2f} s; for planning, not a result."
    )
    text = (f"{outcomes_text(report)}.", shape, *((times,) if report.runs.ok else ()))
    return section("Runs", text=text, tables=(appendix.failures_table(report),) if report.runs.failures else ())


def _all_findings(report: Report) -> Section | None:
    return section("All findings", tables=(tables.findings_table(report),)) if report.findings else None


def _repeat(report: Report) -> Section:
    commands = "\n".join(map(one_line, report.commands))
    code = [Code(caption="The exact commands", text=commands)] if report.commands else []
    if report.spec_toml:
        caption = f"The experiment, {one_line(report.experiment.name)}.toml"
        code.append(Code(caption=caption, text=verbatim(report.spec_toml)))
    origin = f"Made by kassay {one_line(report.kassay_version)} from plan {one_line(report.plan_id)}."
    return section("Repeat it", text=(origin,), code=code)


def _paragraph(text: str) -> tuple[str, ...]:
    return (one_line(text),) if text else ()
