# SPDX-License-Identifier: GPL-2.0-only
"""Policies on a synthetic workload, setting by setting: cells are simulated in parallel, and their results cached."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import product
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from kassay import __version__
from kassay.effects import files, process, workers
from kassay.errors import BadInput
from kassay.labs.pcp import engine
from kassay.labs.pcp.costs import INSTRUCTION_PS, costs
from kassay.labs.pcp.model.simulated import LockCheck, PcpSimulation, SimulatedCell
from kassay.labs.pcp.queueing import lock_model, wait_bounds
from kassay.labs.pcp.synthetic import Setup, Synthetic, setup, synthetic
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import Setting, to_json
from kassay.model.texts import listed

DEFAULT_WORKLOAD = "processes"
DEFAULT_POLICIES = ("fixed", "auto")
SAMPLED_CPUS = 4
"""CPUs whose samples an answer has: a chart of more cannot be read."""
_SAMPLES = 240
_SPARSE_NS = 1_000_000
"""Initial time between two samples; the simulator doubles it while a run has too many samples."""


class Asked(NamedTuple):
    """Workload, policies and settings to simulate."""

    workload: str = DEFAULT_WORKLOAD
    policies: tuple[str, ...] = DEFAULT_POLICIES
    settings: Mapping[str, tuple[str, ...]] = {}
    """Values of each setting, by its name. Several values make a matrix."""
    fresh: bool = False


class _Cell(NamedTuple):
    policy: str
    settings: tuple[Setting, ...]
    setup: Setup


def simulate(asked: Asked, tell: Tell = silent) -> PcpSimulation:
    """Runs the cells without a cached result, one on each CPU. Raises BadInput before the first run."""
    workload = synthetic(asked.workload)
    available = engine.policies()
    cells = list(_cells(workload, asked))
    for name in asked.policies:
        if name not in available:
            engine.run(engine.Config(name, {}, ()))  # whose error lists the policies
    done = _all(cells, asked.fresh, tell)
    return PcpSimulation(
        kassay_version=__version__,
        workload=workload.name,
        summary=workload.summary,
        source=workload.source,
        policies=tuple(available[name] for name in asked.policies),
        cells=tuple(done),
        costs=_costs_text(workload, asked, [cell.setup for cell in cells]),
    )


def _costs_text(workload: Synthetic, asked: Asked, setups: Sequence[Setup]) -> str:
    """Origin of the costs of the zone path: the time of an instruction in each cell, and the costs that were set."""
    times = sorted({one.instruction_ps for one in setups})
    given = [name for name in costs() if name in {*asked.settings, *workload.machine}]
    return (
        f"zone path from counted instructions of 6.12.117 at {listed([f'{ps / 1000:g}' for ps in times])} ns each"
        + (", as the cell says" if len(times) > 1 else "")
        + (f", but for {listed(given)}, as set" if given else "")
        + " (docs/results/pcp-inputs.md)"
    )


def _cells(workload: Synthetic, asked: Asked) -> Iterator[_Cell]:
    names = list(asked.settings)
    for name in names:
        if not asked.settings[name]:
            raise BadInput(f"--set {name}: no value", f"write --set {name}=VALUE, or several separated by commas")
    varied = [name for name in names if len(asked.settings[name]) > 1]
    for values in product(*asked.settings.values()):
        chosen = dict(zip(names, values, strict=True))
        cell_setup = configured(workload, chosen)
        for policy in asked.policies:
            yield _Cell(policy, tuple(Setting(name=name, value=chosen[name]) for name in varied), cell_setup)


def configured(workload: Synthetic, settings: Mapping[str, str]) -> Setup:
    """The workload at one setting; its costs follow from the time of an instruction unless they are set themselves."""
    base = {**engine.RUN, **costs(), "sample_ns": _SPARSE_NS, "samples": _SAMPLES, "instruction_ps": INSTRUCTION_PS}
    cell_setup = setup(workload, settings, base)
    run = dict(cell_setup.run)
    instruction = run.pop("instruction_ps")
    given = {*settings, *workload.machine}
    run |= {name: value for name, value in costs(instruction).items() if name not in given}
    if not run["events"] and not run["duration_ns"]:
        raise BadInput("events=0: the simulation would never end", "set events or duration_ns")
    if run["warmup_events"] >= run["events"] > 0:
        raise BadInput(
            f"warmup_events={run['warmup_events']}: not less than the {run['events']} events",
            "set fewer, or more events",
        )
    return cell_setup._replace(run=run, instruction_ps=instruction)


def _all(cells: Sequence[_Cell], fresh: bool, tell: Tell) -> list[SimulatedCell]:
    """The results in the order of the cells; cells may end in any order."""
    ended = 0
    counting = Lock()

    def simulate_cell(cell: _Cell) -> SimulatedCell:
        nonlocal ended
        cell_result = _cached_or_run(cell, fresh, _named(tell, cell))
        with counting:
            ended += 1
            tell(Progress(stage="simulate", subject=f"{ended} of {len(cells)} cells", done=ended / len(cells)))
        return cell_result

    engine.simulator()  # built once, before the threads
    with ThreadPoolExecutor(workers.cpus()) as pool:
        futures = [pool.submit(simulate_cell, cell) for cell in cells]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            with process.ending_all():
                pool.shutdown()
            raise


def _named(tell: Tell, cell: _Cell) -> Tell:
    where = " ".join((cell.policy, *(f"{setting.name}={setting.value}" for setting in cell.settings)))
    return lambda event: tell(Progress(stage=event.stage, subject=where, text=event.text, done=event.done))


def _cached_or_run(cell: _Cell, fresh: bool, tell: Tell) -> SimulatedCell:
    config = engine.Config(cell.policy, cell.setup.run, cell.setup.zones, cell.setup.groups)
    path = _path(config)
    cached = None if fresh else files.kept_record(path, SimulatedCell)
    if cached is None:
        cached = simulated(cell.policy, cell.settings, cell.setup, engine.run(config, None, tell))
        files.write_atomic(path, to_json(cached))
    return SimulatedCell(
        **{name: getattr(cached, name) for name in cached.__struct_fields__} | {"settings": cell.settings}
    )


def _path(config: engine.Config) -> Path:
    """The file of a cell's result. Its name is a hash of all inputs, so that a killed sweep continues where it was."""
    key = sha256(f"{engine.identity()} {__version__} {SAMPLED_CPUS}\n{config.text()}".encode()).hexdigest()
    return _cells_directory() / key[:2] / f"{key}.json"


def _cells_directory() -> Path:
    return files.cache_directory() / "pcp" / "cells"


def simulated(policy: str, settings: tuple[Setting, ...], cell_setup: Setup, outcome: engine.Outcome) -> SimulatedCell:
    """The record of one run of the simulator."""
    sections = {"run": cell_setup.run}
    sections |= {f"zone{i}": zone for i, zone in enumerate(cell_setup.zones)}
    sections |= {f"group{i}": group for i, group in enumerate(cell_setup.groups)}
    counters = outcome.counters
    return SimulatedCell(
        policy=policy,
        settings=settings,
        parameters={f"{section}.{name}": value for section, of in sections.items() for name, value in of.items()},
        counters=counters,
        rates=_rates(counters, outcome, cell_setup),
        elapsed_ns=counters["cpu_ps"] // cell_setup.run["cpus"] // 1000,
        lock=_lock(outcome.locks),
        samples=tuple(sample for sample in outcome.samples if sample.cpu < SAMPLED_CPUS),
    )  # fmt: skip


def _rates(counters: Mapping[str, int], outcome: engine.Outcome, cell_setup: Setup) -> dict[str, float | None]:
    def per(part: float, whole: float) -> float | None:
        return part / whole if whole else None

    cpus, zones = cell_setup.run["cpus"], len(cell_setup.zones)
    bypassed_in = counters["allocated_pages"] - _listed(outcome, "allocations")
    bypassed_out = counters["freed_pages"] - _listed(outcome, "frees")
    lists = {(cpu, zone) for zone, of in enumerate(cell_setup.zones)
           for cpu in range(of["cpu_first"], of["cpu_first"] + of["cpu_count"])}  # fmt: skip
    held = per(counters["hold_ps"], counters["cpu_ps"] / cpus * zones)
    highs = [sample.high for sample in outcome.samples if (sample.cpu, sample.zone) in lists]
    return {
        "from_zone": per(counters["refilled_pages"] + bypassed_in, counters["allocated_pages"]),
        "to_zone": per(counters["drained_pages"] + bypassed_out, counters["freed_pages"]),
        "acquisitions": per(1000 * counters["acquisitions"], counters["allocations"] + counters["frees"]),
        "handovers": per(counters["handovers"], counters["acquisitions"]),
        "free_high": per(1_000_000 * counters["free_high"], counters["frees"]),
        # The last holds may end after the CPUs' mean time.
        "lock_held": held if held is None else min(held, 1.0),
        "contention": per(counters["wait_ps"], counters["cpu_ps"] - counters["asleep_ps"]),
        "high": per(sum(highs), len(highs)),
        "idle_pages": per(counters["idle_page_ns"] * 1000, counters["cpu_ps"]),
    }


_LISTED_ORDERS = (0, 1, 2, 3, 9)
"""Orders that a PCP has lists for (PAGE_ALLOC_COSTLY_ORDER and below, and that of a huge page)."""


def _listed(outcome: engine.Outcome, field: str) -> int:
    return sum(getattr(order, field) << order.order for order in outcome.orders if order.order in _LISTED_ORDERS)


_EDGES = 0.01
"""Part of the wait by which it may be outside of its bounds, as the first and last acquisitions are seen in part."""


def _lock(locks: Sequence[engine.LockCount]) -> LockCheck | None:
    """The zone locks beside a queue; None where no lock was taken, where different numbers of CPUs took those of the
    zones, and where no queue of these CPUs has such a wait."""
    taken = [lock for lock in locks if lock.acquisitions]
    if len({lock.cpus for lock in taken}) != 1:
        return None
    cpus, asked = taken[0].cpus, sum(lock.acquisitions for lock in taken)
    hold, wait = (sum(times) / asked / 1000 for times in zip(*((at.hold_ps, at.wait_ps) for at in taken), strict=True))
    think = sum(lock.time_ps for lock in taken) / asked / 1000 - hold - wait
    least, most = wait_bounds(cpus, think, hold)
    if not least * (1 - _EDGES) <= wait <= most * (1 + _EDGES):
        return None
    return LockCheck(
        cpus=cpus, think_ns=think, hold_ns=hold, wait_ns=wait, predicted_ns=lock_model(cpus, think, hold).wait,
        least_ns=least, most_ns=most,
    )  # fmt: skip
