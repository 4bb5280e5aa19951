# SPDX-License-Identifier: GPL-2.0-only
"""Policies on a synthetic workload, setting by setting: cells are simulated side by side, kept, and not run again."""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import product
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from kassay import __version__
from kassay.effects import files, process
from kassay.errors import BadInput
from kassay.model.pcp import LockCheck, PcpPolicy, PcpSimulation, SimulatedCell
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import Setting, to_json
from kassay.pcp import engine
from kassay.pcp.costs import INSTRUCTION_PS, costs
from kassay.pcp.queueing import lock_model, wait_bounds
from kassay.pcp.synthetic import Setup, Synthetic, setup, synthetic

DEFAULT_WORKLOAD = "processes"
DEFAULT_POLICIES = ("fixed", "auto")
SAMPLED_CPUS = 4
"""CPUs whose samples an answer has: a chart of more cannot be read."""
_SAMPLES = 240
_SPARSE_NS = 1_000_000
"""First time between two samples; the simulator doubles it until a run has no more than it may."""
ZONE = frozenset(
    (
        "start",
        "pages",
        "used",
        "cpu_first",
        "cpu_count",
        "batch",
        "high_min",
        "high_max",
        "low_watermark",
        "high_watermark",
    )
)


class Asked(NamedTuple):
    """What is asked for. settings: name -> values; several of them make a matrix."""

    workload: str = DEFAULT_WORKLOAD
    policies: tuple[str, ...] = DEFAULT_POLICIES
    settings: Mapping[str, tuple[str, ...]] = {}
    fresh: bool = False


class _Cell(NamedTuple):
    policy: str
    settings: tuple[Setting, ...]
    setup: Setup


def simulate(asked: Asked, tell: Tell = silent) -> PcpSimulation:
    """Runs what is not kept from before, as many at a time as there are CPUs. Raises BadInput before the first."""
    workload = synthetic(asked.workload)
    known = engine.policies(tell)
    cells = list(_cells(workload, asked))
    for name in asked.policies:
        if name not in known:
            engine.run(engine.Config(name, {}, ()))  # whose error lists the policies
    done = _all(cells, asked.fresh, tell)
    return PcpSimulation(
        kassay_version=__version__,
        workload=workload.name,
        summary=workload.summary,
        source=workload.source,
        policies=tuple(
            PcpPolicy(name=name, kernels=known[name].kernels, summary=known[name].summary) for name in asked.policies
        ),
        cells=tuple(done),
        costs=f"zone path from counted instructions of 6.12.117 at {INSTRUCTION_PS / 1000:g} ns each (docs/pcp.md)",
    )


def _cells(workload: Synthetic, asked: Asked) -> Iterator[_Cell]:
    names = list(asked.settings)
    for name in names:
        if not asked.settings[name]:
            raise BadInput(f"--set {name}: no value", f"write --set {name}=VALUE, or several separated by commas")
    varied = [name for name in names if len(asked.settings[name]) > 1]
    for values in product(*asked.settings.values()):
        chosen = dict(zip(names, values, strict=True))
        made = configured(workload, chosen)
        for policy in asked.policies:
            yield _Cell(policy, tuple(Setting(name=name, value=chosen[name]) for name in varied), made)


def configured(workload: Synthetic, settings: Mapping[str, str]) -> Setup:
    """The workload at one setting; its costs follow from the time of an instruction unless they are set themselves."""
    base = {**engine.RUN, **costs(), "sample_ns": _SPARSE_NS, "samples": _SAMPLES, "instruction_ps": INSTRUCTION_PS}
    made = setup(workload, settings, base, ZONE)
    run = dict(made.run)
    instruction = run.pop("instruction_ps")
    own = {*settings, *workload.machine}
    run |= {name: value for name, value in costs(instruction).items() if name not in own}
    if not run["events"] and not run["duration_ns"]:
        raise BadInput("events=0: the simulation would never end", "set events or duration_ns")
    if run["warmup_events"] >= run["events"] > 0:
        raise BadInput(
            f"warmup_events={run['warmup_events']}: not less than the {run['events']} events",
            "set fewer, or more events",
        )
    return made._replace(run=run)


def _all(cells: Sequence[_Cell], fresh: bool, tell: Tell) -> list[SimulatedCell]:
    """In the order of the cells, which end in any."""
    ended = 0
    counting = Lock()

    def one(cell: _Cell) -> SimulatedCell:
        nonlocal ended
        found = _kept_or_run(cell, fresh, _named(tell, cell))
        with counting:
            ended += 1
            tell(Progress(stage="simulate", subject=f"{ended} of {len(cells)} cells", done=ended / len(cells)))
        return found

    engine.simulator()  # built once, before the threads
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        waiting = [pool.submit(one, cell) for cell in cells]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            for each in waiting:
                each.cancel()
            with process.ending_all():
                pool.shutdown()
            raise


def _named(tell: Tell, cell: _Cell) -> Tell:
    where = " ".join((cell.policy, *(f"{setting.name}={setting.value}" for setting in cell.settings)))
    return lambda event: tell(Progress(stage=event.stage, subject=where, text=event.text, done=event.done))


def _kept_or_run(cell: _Cell, fresh: bool, tell: Tell) -> SimulatedCell:
    config = engine.Config(cell.policy, cell.setup.run, cell.setup.zones, cell.setup.groups)
    kept = _path(config)
    found = None if fresh else files.kept_record(kept, SimulatedCell)
    if found is None:
        found = simulated(cell.policy, cell.settings, cell.setup, engine.run(config, None, tell))
        files.write_atomic(kept, to_json(found))
    return SimulatedCell(
        **{name: getattr(found, name) for name in found.__struct_fields__} | {"settings": cell.settings}
    )


def _path(config: engine.Config) -> Path:
    """Where a cell's result is kept: what it depends on is its name, so that a killed sweep goes on where it was."""
    key = sha256(f"{engine.identity()} {__version__} {SAMPLED_CPUS}\n{config.text()}".encode()).hexdigest()
    return _kept_in() / key[:2] / f"{key}.json"


def _kept_in() -> Path:
    return files.cache_directory() / "pcp" / "cells"


def simulated(policy: str, settings: tuple[Setting, ...], made: Setup, outcome: engine.Outcome) -> SimulatedCell:
    """What an answer says of one run of the simulator."""
    sections = {"run": made.run}
    sections |= {f"zone{i}": zone for i, zone in enumerate(made.zones)}
    sections |= {f"group{i}": group for i, group in enumerate(made.groups)}
    counters = outcome.counters
    return SimulatedCell(
        policy=policy,
        settings=settings,
        parameters={f"{section}.{name}": value for section, of in sections.items() for name, value in of.items()},
        counters=counters,
        rates=_rates(counters, outcome, made),
        elapsed_ns=counters["cpu_ps"] // made.run["cpus"] // 1000,
        lock=_lock(counters, made),
        samples=tuple(sample for sample in outcome.samples if sample.cpu < SAMPLED_CPUS),
    )  # fmt: skip


def _rates(counters: Mapping[str, int], outcome: engine.Outcome, made: Setup) -> dict[str, float | None]:
    def per(part: float, whole: float) -> float | None:
        return part / whole if whole else None

    cpus, zones = made.run["cpus"], len(made.zones)
    bypassed_in = counters["allocated_pages"] - _listed(outcome, "allocations")
    bypassed_out = counters["freed_pages"] - _listed(outcome, "frees")
    own = {(cpu, zone) for zone, of in enumerate(made.zones)
           for cpu in range(of["cpu_first"], of["cpu_first"] + of["cpu_count"])}  # fmt: skip
    highs = [sample.high for sample in outcome.samples if (sample.cpu, sample.zone) in own]
    return {
        "from_zone": per(counters["refilled_pages"] + bypassed_in, counters["allocated_pages"]),
        "to_zone": per(counters["drained_pages"] + bypassed_out, counters["freed_pages"]),
        "acquisitions": per(1000 * counters["acquisitions"], counters["allocations"] + counters["frees"]),
        "handovers": per(counters["handovers"], counters["acquisitions"]),
        "free_high": per(1_000_000 * counters["free_high"], counters["frees"]),
        "lock_held": per(counters["hold_ps"], counters["cpu_ps"] / cpus * zones),
        "contention": per(counters["wait_ps"], counters["cpu_ps"] - counters["asleep_ps"]),
        "high": per(sum(highs), len(highs)),
        "idle_pages": per(counters["idle_page_ns"] * 1000, counters["cpu_ps"]),
    }


_LISTED_ORDERS = (0, 1, 2, 3, 9)
"""Orders that a PCP has lists for (PAGE_ALLOC_COSTLY_ORDER and below, and that of a huge page)."""


def _listed(outcome: engine.Outcome, what: str) -> int:
    return sum(getattr(of, what) << of.order for of in outcome.orders if of.order in _LISTED_ORDERS)


def _lock(counters: Mapping[str, int], made: Setup) -> LockCheck | None:
    asked, zones = counters["acquisitions"], len(made.zones)
    if not asked:
        return None
    cpus = max(1, made.run["cpus"] // zones)
    hold, wait = counters["hold_ps"] / asked / 1000, counters["wait_ps"] / asked / 1000
    think = counters["cpu_ps"] / asked / 1000 - hold - wait
    least, most = wait_bounds(cpus, think, hold)
    return LockCheck(
        cpus=cpus, think_ns=think, hold_ns=hold, wait_ns=wait, predicted_ns=lock_model(cpus, think, hold).wait,
        least_ns=least, most_ns=most,
    )  # fmt: skip
