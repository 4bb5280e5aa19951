# SPDX-License-Identifier: GPL-2.0-only
"""Several hosts in words and tables: which host measured what, its own values, whether the hosts differ."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from kassay.model.host_comparison import HostComparison, HostRuns, HostsAnswer
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.model.texts import Table, cells, counted, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_change, format_numbers
from kassay.report.answers import Kind
from kassay.report.document import (
    DOUBT,
    LETTER,
    PAGE,
    SCREEN,
    Document,
    Items,
    Paragraph,
    Section,
    section,
    section_of_table,
)
from kassay.report.sections.brief import NAME, first_tables
from kassay.report.words import interval_text, names_by_label, short_labels

ABOUT = (
    "Blocks of boots that are compared stay on one host, and ranks are compared inside them, so no host's own speed is "
    "part of a change. Whether hosts differ in a change is judged against how far boots of one host differ."
)
OF_COUNTS = (
    "Exact counts do not depend on the host: hosts that give the same cell other digits are never put together in one "
    "answer."
)
OWN = "this host"


def host_name(host: str) -> str:
    """Name of a host for people."""
    return one_line(host) or OWN


def hosts_table(hosts: Sequence[HostRuns]) -> Table:
    """A host a row."""
    columns = ("host", *figures("runs ok", "failed attempts"), "CPU", "kernel of the host", "emulator")
    rows = (
        cells(host_name(host.host), str(host.ok), str(host.failed), host.cpu or "-", host.kernel or "-",
              host.program or "-")
        for host in hosts
    )  # fmt: skip
    return table("Hosts", columns, rows)


def host_text(host: HostRuns) -> str:
    """ "b: 11 runs, 1 failed, on Intel Xeon 6330"."""
    runs = f"{host_name(host.host)}: {counted(host.ok, 'run')}"
    return f"{runs}{f', {host.failed} failed,' if host.failed else ''}{f' on {one_line(host.cpu)}' if host.cpu else ''}"


def hosts_line(hosts: Sequence[HostRuns]) -> str:
    """All of them in one line."""
    return "; ".join(map(host_text, hosts))


def across_table(comparison: HostComparison, name_of: Mapping[str, str]) -> Table:
    """Each host's own values and change. name_of: kernels' labels as people call them."""
    base, head = _kernels(comparison, name_of)
    values = format_numbers([value for row in comparison.rows for value in (row.base_value, row.head_value)])
    columns = ("host", *figures(base, f"n {base}", head, f"n {head}", "change", "interval"))
    rows = (
        cells(host_name(row.host), values[2 * i], str(row.n_base), values[2 * i + 1], str(row.n_head),
              format_change(row.change), interval_text(row.interval))
        for i, row in enumerate(comparison.rows)
    )  # fmt: skip
    return table(f"{across_name(comparison, name_of)} [{one_line(comparison.unit)}]", columns, rows)


def across_name(comparison: HostComparison, name_of: Mapping[str, str]) -> str:
    """ "mprotect_toggle size=8MiB, x86_64, kvm, 1 CPU: 6.16 to 6.17"."""
    base, head = _kernels(comparison, name_of)
    settings = f" {settings_text(comparison.settings)}" if comparison.settings else ""
    return f"{one_line(comparison.workload)}{settings}, {machine_text(comparison.machine)}: {base} to {head}"


def _kernels(comparison: HostComparison, name_of: Mapping[str, str]) -> tuple[str, str]:
    base, head = (one_line(name_of.get(label, label)) for label in (comparison.base, comparison.head))
    return base, head


def level_text(comparisons: Sequence[HostComparison]) -> str:
    """How the hosts were judged."""
    for comparison in comparisons:
        if comparison.level is not None and comparison.threshold is not None:
            return (
                f"Intervals are at the {comparison.level:.1%} level, each by the boots of one host. Hosts are said to "
                f"differ at p ≤ {comparison.threshold:.2g}."
            )
    return ""


def document(answer: HostsAnswer) -> Document:
    """A table and a sentence for each comparison, the hosts, and the notes."""
    name_of = _names_by_label(answer)
    lines = (f"{host_text(host)}; {one_line(host.program) or 'emulator not on record'}" for host in answer.hosts)
    return Document(
        title=answer.title, kicker="kassay: one question on several hosts", kassay_version=answer.kassay_version,
        width=120, level=3,
        blocks=(
            *(_compared(comparison, name_of) for comparison in answer.comparisons),
            Section(blocks=(Items(texts=tuple(lines)),), readers=(SCREEN, LETTER)),
            Section(blocks=(section_of_table(hosts_table(answer.hosts)),), readers=(PAGE,)),
            Section(blocks=(Items(texts=notes_of(answer)),)),
        ),
    )  # fmt: skip


def _compared(comparison: HostComparison, name_of: Mapping[str, str]) -> Section:
    """Each host's values and change, and whether the hosts differ."""
    shown = section_of_table(across_table(comparison, name_of))
    return structs.replace(shown, blocks=(*shown.blocks, Paragraph(text=_sentence(comparison.meaning))))


def _sentence(why: Reason) -> str:
    text = reason_text(why)
    return f"{text[:1].upper()}{text[1:]}."


def notes_of(answer: HostsAnswer) -> tuple[str, ...]:
    """Notes that explain the tables."""
    judged = level_text(answer.comparisons)
    return (*map(_sentence, answer.notes), *((judged, ABOUT) if judged else ()))


def _names_by_label(answer: HostsAnswer) -> dict[str, str]:
    pairs = ((comparison.base, comparison.head) for comparison in answer.comparisons)
    labels = tuple(dict.fromkeys(label for pair in pairs for label in pair))
    return dict(zip(labels, short_labels(labels), strict=True))


def times_by_host(report: Report) -> Iterator[Section]:
    """Each host's own values, and whether the hosts differ."""
    name_of, compared = names_by_label(report), report.across_hosts
    across = tuple(across_table(one, name_of) for one in compared)
    meanings = [
        Paragraph(text=reason_text(one.meaning, name_of), tone=DOUBT if one.meaning.code == "hosts-differ" else "")
        for one in compared
    ]
    yield from first_tables(report, across, NAME, "more comparisons host by host", meanings)
    if report.hosts:
        text = (ABOUT, level_text(compared)) if compared else (OF_COUNTS,)
        yield section(
            "Which host measured what", text=text,
            items=(f"{across_name(one, name_of)}: {reason_text(one.meaning, name_of)}." for one in compared),
            tables=(hosts_table(report.hosts), *across), readers=(PAGE,),
        )  # fmt: skip


HOSTS = Kind(document=document)
