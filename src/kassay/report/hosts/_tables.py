# SPDX-License-Identifier: GPL-2.0-only
"""Several hosts in words and tables: who measured what, each host's own values, what their difference comes to."""

from collections.abc import Mapping, Sequence

from kassay.model.across import AcrossHosts, HostRuns, HostsAnswer
from kassay.model.reason_texts import reason_text
from kassay.model.texts import Table, cells, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_change, format_numbers
from kassay.report.words import interval_text, spoken

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
    """What a host is called."""
    return one_line(host) or OWN


def hosts_table(hosts: Sequence[HostRuns]) -> Table:
    """A host a row."""
    columns = ("host", *figures("runs ok", "failed attempts"), "CPU", "kernel of the host", "emulator")
    rows = (
        cells(host_name(one.host), str(one.ok), str(one.failed), *(text or "-" for text in _words(one)))
        for one in hosts
    )
    return table("Hosts", columns, rows)


def _words(host: HostRuns) -> tuple[str, str, str]:
    return host.cpu, host.kernel, host.program


def host_text(one: HostRuns) -> str:
    """ "b: 11 runs, 1 failed, on Intel Xeon 6330"."""
    runs = f"{host_name(one.host)}: {one.ok} run{'' if one.ok == 1 else 's'}"
    return f"{runs}{f', {one.failed} failed,' if one.failed else ''}{f' on {one_line(one.cpu)}' if one.cpu else ''}"


def hosts_line(hosts: Sequence[HostRuns]) -> str:
    """All of them in one line."""
    return "; ".join(map(host_text, hosts))


def across_table(one: AcrossHosts, called: Mapping[str, str]) -> Table:
    """Each host's own values and change. called: kernels' labels as people call them."""
    base, head = (one_line(called.get(label, label)) for label in (one.base, one.head))
    values = format_numbers([value for row in one.rows for value in (row.base_value, row.head_value)])
    columns = ("host", *figures(base, f"n {base}", head, f"n {head}", "change", "interval"))
    rows = (
        cells(host_name(row.host), values[2 * i], str(row.n_base), values[2 * i + 1], str(row.n_head),
              format_change(row.change), interval_text(row.interval))
        for i, row in enumerate(one.rows)
    )  # fmt: skip
    return table(f"{across_name(one, called)} [{one_line(one.unit)}]", columns, rows)


def across_name(one: AcrossHosts, called: Mapping[str, str]) -> str:
    """ "mprotect_toggle size=8MiB, x86_64, kvm, 1 CPU: 6.16 to 6.17"."""
    base, head = (one_line(called.get(label, label)) for label in (one.base, one.head))
    settings = f" {settings_text(one.settings)}" if one.settings else ""
    return f"{one_line(one.workload)}{settings}, {machine_text(one.machine)}: {base} to {head}"


def across_sentence(one: AcrossHosts, called: Mapping[str, str]) -> str:
    """What the hosts' difference comes to."""
    text = reason_text(one.meaning, called)
    return f"{across_name(one, called)}: {text}."


def level_text(comparisons: Sequence[AcrossHosts]) -> str:
    """How the hosts were judged."""
    known = next((one for one in comparisons if one.level is not None and one.threshold is not None), None)
    if known is None or known.level is None:
        return ""
    return (
        f"Intervals are at the {known.level:.1%} level, each by the boots of one host. Hosts are said to differ at "
        f"p ≤ {known.threshold:.2g}."
    )


def tables(answer: HostsAnswer) -> tuple[Table, ...]:
    """The hosts, then each comparison."""
    called = _called(answer)
    return (hosts_table(answer.hosts), *(across_table(one, called) for one in answer.comparisons))


def sentence(one: AcrossHosts) -> str:
    """What the hosts' difference comes to, as a sentence."""
    text = reason_text(one.meaning)
    return f"{text[:1].upper()}{text[1:]}."


def notes_of(answer: HostsAnswer) -> tuple[str, ...]:
    """What must be known to read the tables."""
    found = (reason_text(note) for note in answer.notes)
    notes = (f"{text[:1].upper()}{text[1:]}." for text in found)
    judged = level_text(answer.comparisons)
    return (*notes, *((judged, ABOUT) if judged else ()))


def _called(answer: HostsAnswer) -> dict[str, str]:
    labels = tuple(dict.fromkeys(label for one in answer.comparisons for label in (one.base, one.head)))
    return dict(zip(labels, spoken(labels), strict=True))
