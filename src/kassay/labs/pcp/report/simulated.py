# SPDX-License-Identifier: GPL-2.0-only
"""The document of a simulation: sentences, tables and charts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kassay.labs.pcp.model.simulated import RATES, PcpSimulation, SimulatedCell
from kassay.labs.pcp.report.lab import ListGroup, PagePart, lab_document
from kassay.labs.pcp.report.lists import ListPoint, ListSource
from kassay.labs.pcp.report.sweep import sweep_sections
from kassay.model.records import Setting, grouped
from kassay.model.texts import Table, cells, figures, listed, one_line, settings_text, shortened, table
from kassay.model.units import format_change, format_number
from kassay.report.answers import Kind
from kassay.report.document import Document

_MOST_SETTINGS = 4
"""Settings that have charts; the tables have all."""
_BARS = "Share of time that the zone lock is held, and of CPU time that is spent on waiting for it."
Grouped = Sequence[tuple[tuple[Setting, ...], Sequence[SimulatedCell]]]


def document(answer: PcpSimulation) -> Document:
    """Charts of the lists over time and of the lock's work, then every table."""
    groups = cells_by_setting(answer)
    return lab_document(
        kicker="kassay: per-CPU page lists, simulated", title=answer.workload, verdict=verdict(answer),
        parts=[_part(settings_text(settings) if settings else "", of) for settings, of in groups[:_MOST_SETTINGS]],
        tables=tables(answer), notes=notes(answer), definitions=definitions(), cpus=2 if len(groups) == 1 else 1,
        more=max(0, len(groups) - _MOST_SETTINGS), sweeps=sweep_sections(answer),
        kassay_version=answer.kassay_version,
    )  # fmt: skip


def cells_by_setting(answer: PcpSimulation) -> Grouped:
    """The cells of each setting, in order: one for each policy."""
    return list(grouped((cell.settings, cell) for cell in answer.cells).items())


def verdict(answer: PcpSimulation) -> str:
    """Every policy at the first setting: pages from the zone, waiting for its lock, idle pages."""
    settings, of = cells_by_setting(answer)[0]
    where = f", with {settings_text(settings)}" if settings else ""
    zone = listed([f"{_text('from_zone', cell)} with {cell.policy}" for cell in of])
    waiting = listed([_text("contention", cell) for cell in of])
    idle = listed([_text("idle_pages", cell).replace(" ", ",") for cell in of])  # spaces would part the list
    order = ", in this order" if len(of) > 1 else ""
    return (
        f"Share of the pages that come from the zone{where}: {zone}. CPUs wait for its lock for {waiting} of their time"
        f"{order}. A list holds {idle} idle pages on average."
    )


def tables(answer: PcpSimulation) -> Iterable[Table]:
    """Rates by policy, one row for each cell; then changes against the first policy; then the lock."""
    head = ("policy", *figures(*(rate.title for rate in RATES.values())))
    yield table(
        "By policy", head,
        [cells(_name(cell), *(_text(name, cell) for name in RATES)) for cell in answer.cells],
    )  # fmt: skip
    if len(answer.policies) > 1:
        yield table(
            f"Change against {answer.policies[0].name}, for each page event",
            ("policy", *figures(*(one.title for one in CHANGED.values()))),
            [cells(_name(cell), *(_change_text(of[0], cell, name) for name in CHANGED))
             for _, of in cells_by_setting(answer) for cell in of[1:]],
        )  # fmt: skip
    if any(cell.lock is not None for cell in answer.cells):
        yield lock_table(answer)


def lock_table(answer: PcpSimulation) -> Table:
    """The lock as simulated, beside queueing theory."""
    titles = figures("CPUs", "think ns", "hold ns", "wait ns", "queue theory", "least", "most")
    rows = []
    for cell in answer.cells:
        lock = cell.lock
        if lock is not None:
            values = (lock.think_ns, lock.hold_ns, lock.wait_ns, lock.predicted_ns, lock.least_ns, lock.most_ns)
            texts = (str(lock.cpus), *(format_number(float(f"{value:.4g}")) for value in values))
            rows.append(cells(_name(cell), *texts))
    return table("The zone lock, of one acquisition", ("policy", *titles), rows)


class Changed(NamedTuple):
    """A counter whose change is shown."""

    title: str
    events: str
    """Counter of the events that it adds up."""


CHANGED = {
    "refilled_pages": Changed("pages from zone", "refills"), "drained_pages": Changed("pages to zone", "drains"),
    "free_high": Changed("free_high", "free_high"), "acquisitions": Changed("lock taken", "acquisitions"),
    "hold_ps": Changed("lock time", "acquisitions"), "wait_ps": Changed("wait for lock", "contended"),
}  # fmt: skip
"""Counters whose change against the first policy is shown, for the same number of page events."""
_FEW = 100
"""If a policy has fewer events than this, the change may be random, and the table shows the numbers of events."""


def change(base: SimulatedCell, head: SimulatedCell, name: str) -> float | None:
    """head / base - 1 of a counter, for each page event; None where base has none."""
    events = ((cell, cell.counters["allocations"] + cell.counters["frees"]) for cell in (base, head))
    before, after = (cell.counters[name] / (count or 1) for cell, count in events)
    return after / before - 1 if before else None


def _change_text(base: SimulatedCell, head: SimulatedCell, name: str) -> str:
    """ "+40.0 %", "+40.0 % (n 10 and 6)"."""
    text, events = format_change(change(base, head, name)), CHANGED[name].events
    n = base.counters[events], head.counters[events]
    return f"{text} (n {n[0]} and {n[1]})" if text != "-" and min(n) < _FEW else text


def notes(answer: PcpSimulation) -> tuple[str, ...]:
    """Notes that explain the tables."""
    parameters = answer.cells[0].parameters
    sizes = listed([f"{name} {parameters[f'zone0.{name}']}" for name in ("batch", "high_min", "high_max")])
    sections = {name.partition(".")[0] for name in parameters}
    zones = sum(section.startswith("zone") for section in sections)
    return (
        *(f"{policy.name}: {policy.summary} ({policy.kernels})" for policy in answer.policies),
        f"machine: {parameters['run.cpus']} CPUs, {zones} zone{'s' * (zones > 1)} of "
        f"{parameters['zone0.pages']} pages; {sizes}",
        f"workload: {answer.summary}" + (f"; {answer.source}" if answer.source else ""),
        f"costs: {answer.costs}; times and contention are modelled, pages and acquisitions are counted in the model",
        *_queue_notes(answer),
        *((f"n: events that a change rests on, where they are fewer than {_FEW}",) if len(answer.policies) > 1 else ()),
    )


def _queue_notes(answer: PcpSimulation) -> Iterator[str]:
    if any(cell.lock is not None for cell in answer.cells):
        yield ("queue theory: the wait in a closed queue of the CPUs that took the lock, with the same mean think and "
               "hold time, if both were exponential; least and most bound every queue in the long run")  # fmt: skip
    left_out = [_name(cell) for cell in answer.cells if cell.lock is None and cell.counters["acquisitions"]]
    if left_out:
        yield (f"no queue for {listed(shortened(left_out, 4))}: different numbers of CPUs took the locks of the zones, "
               "or too seldom for mean times")  # fmt: skip


def definitions() -> tuple[str, ...]:
    """One line for each rate."""
    return tuple(f"{rate.title}: {rate.definition}" for rate in RATES.values())


def share_text(value: float | None) -> str:
    """ "8.16 %"."""
    return "-" if value is None else f"{value * 100:.3g} %" if value < 0.1 else f"{value * 100:.1f} %"


def _text(name: str, cell: SimulatedCell) -> str:
    value = cell.rates[name]
    if RATES[name].share:
        return share_text(value)
    return "-" if value is None else format_number(float(f"{value:.3g}") if value < 100 else float(round(value)))


def _name(cell: SimulatedCell) -> str:
    """ "auto depth=256": unique, since equal names get numbers at a terminal."""
    return " ".join((cell.policy, *(f"{setting.name}={setting.value}" for setting in cell.settings)))


def _part(title: str, of: Sequence[SimulatedCell]) -> PagePart:
    bars = [
        (one_line(cell.policy), cell.rates["lock_held"] or 0.0,
         f"{share_text(cell.rates['lock_held'])} held, {share_text(cell.rates['contention'])} waited")
        for cell in of
    ]  # fmt: skip
    groups = [ListGroup(one_line(cell.policy), (ListSource("", _points(cell)),)) for cell in of]
    return PagePart(title, bars, _BARS, groups)


def _points(cell: SimulatedCell) -> list[ListPoint]:
    """Samples of the first zone."""
    return [
        ListPoint(sample.time_ns / 1e9, sample.cpu, sample.count, sample.high)
        for sample in cell.samples
        if sample.zone == 0
    ]


SIMULATED = Kind(document=document)
