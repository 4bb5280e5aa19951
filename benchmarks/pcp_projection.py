# SPDX-License-Identifier: GPL-2.0-only
"""The auto-tuning patch's own measurement on 224 CPUs, simulated: beside its figures, and what each assumption decides.

usage: python -m benchmarks.pcp_projection [PAGE] [PART...]     ten minutes; what was simulated before is kept

Prints the tables, and writes them between their markers in PAGE, such as docs/results/pcp-findings.md; with PARTs
(projection, sensitivity, alternative, releases, cpus) these alone. The base case was fixed
before it was first compared with the patch: the workload `kbuild` as it stands in src/kassay/labs/pcp/workloads, on the
machine of the patch. Nothing in it is fitted to the patch's figures.
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.predict_truth import placed
from kassay.commands._show import showing
from kassay.labs.pcp.model.simulated import SimulatedCell
from kassay.labs.pcp.simulate import Asked, simulate
from kassay.model.progress import Tell

BEFORE, PATCH = "fixed_scaled", "auto_patch"
POLICIES = (BEFORE, PATCH, "auto", "auto_7_3", "auto_on_drain")
MACHINE = {"cpus": "224", "nodes": "2", "memory": "256GiB"}
LONG = {"events": "1e9", "warmup_events": "1e8"}
SHORT = {"events": "1e8", "warmup_events": "3e7"}
ALTERNATIVE = ("one_way", "processes", "burst")
RELEASES = ("handover", "kbuild")
PUBLISHED = {"refilled_pages": -0.839, "free_high": -0.656}
CONTENTION = (0.110, 0.005)


class Assumption(NamedTuple):
    """One assumption moved. what: which, and from which value of the base case; to: its new values in words."""

    what: str
    to: str
    settings: Mapping[str, str]


ASSUMPTIONS = (
    Assumption("time of an instruction, 0.79 ns", "0.2 ns", {"instruction_ps": "200"}),
    Assumption("", "0.4 ns", {"instruction_ps": "400"}),
    Assumption("", "1.6 ns", {"instruction_ps": "1600"}),
    Assumption("lock from another CPU, 180 ns", "0", {"handover_ps": "0"}),
    Assumption("", "600 ns", {"handover_ps": "600000"}),
    Assumption("compiler: time between pages, 25 µs", "12.5 µs", {"compiler.alloc_ns": "12500"}),
    Assumption("", "50 µs", {"compiler.alloc_ns": "50000"}),
    Assumption("", "100 µs", {"compiler.alloc_ns": "100000"}),
    Assumption("compiler: pages, 5500 to 21 800", "1/4", {"compiler.depth_min": "1375", "compiler.depth_max": "5450"}),
    Assumption("", "half", {"compiler.depth_min": "2750", "compiler.depth_max": "10900"}),
    Assumption("", "double", {"compiler.depth_min": "11000", "compiler.depth_max": "43600"}),
    Assumption("compiler waits after each file, not at all", "0.3 s", {"compiler.idle_ns": "3e8"}),
    Assumption("", "3 s", {"compiler.idle_ns": "3e9"}),
    Assumption("cycles freed on another CPU, 5 %", "none", {"remote": "0"}),
    Assumption("", "20 %", {"remote": "200"}),
    Assumption("", "all", {"remote": "1000"}),
    Assumption("kernel's blocks: a cycle each 20 ms", "5 ms", {"kernel.idle_ns": "5000000"}),
    Assumption("", "100 ms", {"kernel.idle_ns": "100000000"}),
    Assumption("kernel's blocks of order 1 to 3, 90 %", "30 %", {"order3": "0", "order2": "0", "kernel.order1": "300"}),
    Assumption("kernel's blocks of a cycle, 4 to 12", "x 10", {"kernel.depth_min": "40", "kernel.depth_max": "120"}),
    Assumption("memory, 256 GiB", "128 GiB", {"memory": "128GiB"}),
    Assumption("", "512 GiB", {"memory": "512GiB"}),
    Assumption("data cache with room for 3 batches, yes", "no", {"free_high_batch": "0"}),
    Assumption("CONFIG_PCP_BATCH_SCALE_MAX, 5", "0", {"batch_scale_max": "0"}),
    Assumption("order of frees, oldest first", "newest first", {"newest_first": "1"}),
    Assumption("seed, 1", "2", {"seed": "2"}),
    Assumption("two at once: time between pages, cycles elsewhere", "50 µs, 20 %",
               {"compiler.alloc_ns": "50000", "remote": "200"}),
)  # fmt: skip


def cells(policies: tuple[str, ...], settings: Mapping[str, str], tell: Tell) -> dict[str, SimulatedCell]:
    """Cell of each policy."""
    asked = Asked("kbuild", policies, {name: (value,) for name, value in {**MACHINE, **settings}.items()})
    return {cell.policy: cell for cell in simulate(asked, tell).cells}


def change(base: SimulatedCell, head: SimulatedCell, name: str) -> float | None:
    """head / base - 1 of a counter for each page event."""
    before, after = (
        cell.counters[name] / (cell.counters["allocations"] + cell.counters["frees"]) for cell in (base, head)
    )
    return after / before - 1 if before else None


def projection(found: Mapping[str, SimulatedCell]) -> str:
    """The patch's figures beside the model's, of the patch by itself and of what became of it."""
    base = found[BEFORE]
    others = [policy for policy in POLICIES if policy != BEFORE]
    lines = [
        f"| against `{BEFORE}` | patch, measured | {' | '.join(f'`{policy}`' for policy in others)} |",
        "| --- | ---: |" + " ---: |" * len(others),
    ]
    for name, title in (("refilled_pages", "pages from the zone"), ("free_high", "high-order drains (free_high)")):
        values = (signed(change(base, found[policy], name)) for policy in others)
        lines.append(f"| {title} | {signed(PUBLISHED[name])} | {' | '.join(values)} |")
    waits = (share(found[policy].rates["contention"]) for policy in others)
    before, after = CONTENTION
    title = f"time waiting for the zone lock, `{BEFORE}` {share(base.rates['contention'])}"
    lines.append(f"| {title} | {share(before)} → {share(after)} | {' | '.join(waits)} |")
    for rate, title, text in (
        ("from_zone", "of the pages allocated, from the zone", share),
        ("lock_held", "time that a zone lock is held", share),
        ("idle_pages", "idle pages of a PCP", number),
        ("high", "high of a PCP", number),
    ):
        values = (text(found[policy].rates[rate]) for policy in others)
        lines.append(f"| {title}, `{BEFORE}` {text(base.rates[rate])} | not stated | {' | '.join(values)} |")
    return "\n".join(lines)


def sensitivity(rows: Iterable[tuple[Assumption, Mapping[str, SimulatedCell]]]) -> str:
    """One line for each assumption: what it makes of the three figures."""
    lines = [
        "| assumption, and its value in the base case | here | pages from the zone | free_high | waiting |",
        "| --- | --- | ---: | ---: | ---: |",
        f"| the patch, measured | | {signed(PUBLISHED['refilled_pages'])} | {signed(PUBLISHED['free_high'])} | "
        f"{' → '.join(map(share, CONTENTION))} |",
    ]
    for assumption, found in rows:
        base, head = found[BEFORE], found[PATCH]
        waits = f"{share(base.rates['contention'])} → {share(head.rates['contention'])}"
        lines.append(
            f"| {assumption.what} | {assumption.to} | {signed(change(base, head, 'refilled_pages'))} | "
            f"{signed(change(base, head, 'free_high'))} | {waits} |"
        )
    return "\n".join(lines)


def comparison(workload: str, policies: tuple[str, ...], settings: Mapping[str, str], tell: Tell) -> str:
    """One line for each policy on one workload."""
    asked = Asked(workload, policies, {name: (value,) for name, value in settings.items()})
    lines = [
        f"| `{workload}` | from zone | to zone | lock taken, of 1000 page events | free_high, of 10⁶ frees | lock held "
        "| high | idle pages of a PCP |",
        "| --- |" + " ---: |" * 7,
    ]
    for cell in simulate(asked, tell).cells:
        rates = cell.rates
        lines.append(
            f"| `{cell.policy}` | {share(rates['from_zone'])} | {share(rates['to_zone'])} | "
            f"{rates['acquisitions']:.3f} | {rates['free_high']:.1f} | {share(rates['lock_held'])} | "
            f"{number(rates['high'])} | {number(rates['idle_pages'])} |"
        )
    return "\n".join(lines)


def signed(value: float | None) -> str:
    """ "-83.9 %"."""
    return "-" if value is None else f"{value * 100:+.1f} %"


def share(value: float | None) -> str:
    """ "11.0 %", "0.021 %"."""
    return "-" if value is None else f"{value * 100:.1f} %" if value >= 0.01 else f"{value * 100:.2g} %"


def number(value: float | None) -> str:
    """Whole pages."""
    return "-" if value is None else f"{value:,.0f}".replace(",", " ")


def _projection(tell: Tell) -> str:
    return projection(cells(POLICIES, LONG, tell))


def _sensitivity(tell: Tell) -> str:
    every = (Assumption("base case", "", {}), *ASSUMPTIONS)
    return sensitivity([(one, cells((BEFORE, PATCH), {**SHORT, **one.settings}, tell)) for one in every])


def _alternative(tell: Tell) -> str:
    return "\n\n".join(comparison(name, ("fixed", "auto", "auto_on_drain"), {}, tell) for name in ALTERNATIVE)


def _releases(tell: Tell) -> str:
    return "\n\n".join(comparison(name, ("fixed", "auto", "auto_6_18", "auto_7_3"), {}, tell) for name in RELEASES)


def _cpus(tell: Tell) -> str:
    policies = (BEFORE, PATCH, "auto", "auto_7_3")
    lines = [
        f"| CPUs of the zone (`high_min`) | {' | '.join(f'`{policy}`' for policy in policies)} |",
        "| --- |" + " ---: |" * len(policies),
    ]
    for count in ("7", "14", "28", "56", "112"):
        settings = {"cpus": count, "nodes": "1", "memory": "128GiB", "events": "6e7", "warmup_events": "2e7"}
        found = cells(policies, settings, tell)
        texts = (
            f"{share(cell.rates['from_zone'])}, {share(cell.rates['contention'])}, {cell.rates['free_high'] or 0:.1f}"
            for cell in found.values()
        )
        lines.append(f"| {count} ({found[BEFORE].parameters['zone0.high_min']}) | {' | '.join(texts)} |")
    return "\n".join(lines)


PARTS = {"projection": _projection, "sensitivity": _sensitivity, "alternative": _alternative, "releases": _releases,
         "cpus": _cpus}  # fmt: skip


def main() -> None:
    """Prints the tables, and writes them to the page."""
    with showing() as tell:
        parts = {name: PARTS[name](tell) for name in sys.argv[2:] or PARTS}
    print("\n\n".join(parts.values()))
    if sys.argv[1:]:
        page = Path(sys.argv[1])
        page.write_text(placed(page.read_text(), parts))


if __name__ == "__main__":
    main()
