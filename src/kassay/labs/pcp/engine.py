# SPDX-License-Identifier: GPL-2.0-only
"""The simulator of per-CPU page lists (pcp/, docs/explained/pcp-model.md): built with gcc when first used, and run."""

import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from kassay import registry
from kassay.effects import compiler, files, process
from kassay.effects.compiler import COMPILER
from kassay.effects.distribution import install
from kassay.errors import BadInput, Defect, HostLacks, KassayError, unknown
from kassay.labs.pcp.model.simulated import PcpPolicy, PcpSample
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import R, Record, from_json

FLAGS = ("-std=gnu11", "-O3", "-flto", "-flto-partition=one", "-Werror=implicit-function-declaration")
_PROGRESS_S = 0.5
_POLICIES = "pcp/policies"

RUN: Mapping[str, int] = MappingProxyType(
    {
        "cpus": 1, "events": 0, "duration_ns": 0, "warmup_events": 0, "seed": 1, "batch_scale_max": 5,
        "decay_shift": 3, "free_high_batch": 1, "vmstat_ns": 1_000_000_000, "sample_ns": 10_000_000, "samples": 200,
        "check_every": 0,
        "alloc_ps": 60_000, "free_ps": 50_000, "lock_ps": 50_000, "refill_block_ps": 25_000, "drain_block_ps": 25_000,
        "split_ps": 5_000, "merge_ps": 10_000, "handover_ps": 100_000,
    }
)  # fmt: skip
"""Defaults of the parameters of a run (pcp/params.def). docs/explained/pcp-model.md says where the costs come from."""


@dataclass(frozen=True, slots=True)
class PcpState:
    """Blocks of one list of a PCP at the begin of a run, and its high; zone is the index in Config.zones."""

    cpu: int
    zone: int
    blocks: int
    high: int
    order: int = 0
    type: int = 1


@dataclass(frozen=True, slots=True)
class Config:
    """Input of a simulation: names and values of all parameters in pcp/params.def. Without groups a file has the
    events."""

    policy: str
    run: Mapping[str, int]
    zones: tuple[Mapping[str, int], ...]
    groups: tuple[Mapping[str, int], ...] = ()
    pcps: tuple[PcpState, ...] = ()

    def text(self) -> str:
        """The simulator's input."""
        lines = [f"policy {self.policy}", *_lines(self.run)]
        for title, sections in (("zone", self.zones), ("group", self.groups)):
            for values in sections:
                lines += [title, *_lines(values)]
        lines += [f"pcp {pcp.cpu} {pcp.zone} {pcp.blocks} {pcp.high} {pcp.order} {pcp.type}" for pcp in self.pcps]
        return "\n".join(lines) + "\n"


class OrderCount(Record, frozen=True, kw_only=True, array_like=True):
    """Blocks of one order."""

    order: int
    allocations: int
    frees: int
    refilled: int
    """Blocks that went from the zone to PCPs."""
    drained: int
    """Blocks that went from PCPs back to the zone."""


class PcpCount(Record, frozen=True, kw_only=True, array_like=True):
    """One PCP: its state at the end, and what was counted. Pages, but for refills, drains (zone-lock acquisitions) and
    free_high (times)."""

    cpu: int
    zone: int
    count: int
    high: int
    most_count: int
    least_high: int
    most_high: int
    refills: int
    refilled_pages: int
    drains: int
    drained_pages: int
    free_high: int
    idle_page_ns: int
    """Sum of each count multiplied by the time for which it held."""
    decay_pages: int
    """Part of the drained pages that the vmstat worker drained."""
    high_order_drained: int
    """Drained pages in blocks of order 1 to 3."""


class LockCount(Record, frozen=True, kw_only=True, array_like=True):
    """One zone lock."""

    zone: int
    cpus: int
    """CPUs that took it."""
    time_ps: int
    """Simulated time of these CPUs together."""
    acquisitions: int
    hold_ps: int
    wait_ps: int


class Outcome(Record, frozen=True, kw_only=True):
    """Counts of a simulation."""

    policy: str
    counters: dict[str, int]
    """Values by the names of pcp/counters.def."""
    orders: tuple[OrderCount, ...]
    pcps: tuple[PcpCount, ...]
    samples: tuple[PcpSample, ...]
    locks: tuple[LockCount, ...]
    free: tuple[int, ...]
    """Free pages of each zone at the end."""
    pages: int
    """Number of pages that were checked: none was lost or doubled."""
    seconds: float
    """Time that the simulation took on the host."""


def policies() -> Mapping[str, PcpPolicy]:
    """Every policy by name, those of KASSAY_PATH as well. Raises HostLacks without a compiler."""
    return _policies(simulator())


def run(config: Config, events: Path | None = None, tell: Tell = silent) -> Outcome:
    """Simulates. events: a file of kassay-pages/1 in place of the groups.

    The same input gives the same Outcome, but for its seconds. Raises BadInput for an unknown policy, impossible
    parameters or a file that is no recording; HostLacks without a compiler or memory; Defect where a page is lost.
    """
    if config.policy not in policies():
        raise unknown("unknown policy", config.policy, policies())
    with tempfile.TemporaryDirectory(prefix="kassay-pcp-") as scratch:
        given, out = Path(scratch) / "config", Path(scratch) / "out"
        given.write_text(config.text(), "utf-8")
        argv = (str(simulator()), *((str(events),) if events else ()))
        started = time.monotonic()
        status, why = _run(argv, given, out, config, tell)
        seconds = time.monotonic() - started
        if status:
            raise _error(status, why, events)
        return parse(out.read_text("utf-8"), config.policy, seconds)


def _run(argv: tuple[str, ...], stdin: Path, out: Path, config: Config, tell: Tell) -> tuple[int, str]:
    """Status of the simulator, and the last line that it printed on stderr."""
    errors = out.with_name("errors")
    with stdin.open("rb") as given, out.open("wb") as output, errors.open("wb") as messages:
        child = process.start(argv, out=output, err=messages, stdin=given)
        try:
            while not process.wait(child, _PROGRESS_S):
                match _last_line(errors).split():
                    case ["progress", events, time_ns]:
                        tell(_progress(config, int(events), int(time_ns)))
        finally:
            process.end(child)
    return child.returncode, _last_line(errors)


def _last_line(path: Path) -> str:
    return (path.read_text("utf-8", "replace").rstrip().splitlines() or [""])[-1]


def _progress(config: Config, events: int, time_ns: int) -> Progress:
    parts = [(events, config.run["events"]), (time_ns, config.run["duration_ns"])]
    done = max((min(part / whole, 1.0) for part, whole in parts if whole), default=None)
    return Progress(stage="simulate", subject=config.policy, text=f"{events / 1e6:.0f} million page events", done=done)


def _error(status: int, why: str, events: Path | None) -> KassayError:
    if status == 3:
        return HostLacks(f"the simulator has {why}", "free some memory, or simulate fewer pages")
    if status == 2 and events and why.startswith(str(events)):
        return BadInput(why, "record the trace anew")
    if status == 2:
        problem = re.sub(r"config: line \d+: ", "", why)  # the user wrote no such file
        return BadInput(f"the simulator refuses its parameters: {problem}", "give another value, such as with --set")
    return Defect(f"the simulator ended with status {status}: {why}")


def parse(text: str, policy: str, seconds: float) -> Outcome:
    """The simulator's output as a record. Raises Defect if a line is not one of these, or the last one is not `end`.

    counter NAME VALUE: names and meanings are in pcp/counters.def; from the end of the warm-up on.
    order N ALLOCATIONS FREES REFILLED DRAINED: blocks of order N; refilled from a zone, drained to it.
    cpu CPU ZONE COUNT HIGH MOST_COUNT LEAST_HIGH MOST_HIGH REFILLS REFILLED_PAGES DRAINS DRAINED_PAGES FREE_HIGH
    IDLE_PAGE_NS DECAY_PAGES HIGH_ORDER_PAGES: a PCP: its state at the end, then counters.
    zone N FREE: free pages at the end.
    lock ZONE CPUS TIME_PS ACQUISITIONS HOLD_PS WAIT_PS: CPUs that took a zone's lock, their time, its counters.
    sample NS CPU ZONE COUNT HIGH REFILLED DRAINED: a PCP at a time; pages refilled and drained up to then.
    checked PAGES: each of so many pages was found once: free, in one PCP, or owned.
    """
    counters: dict[str, int] = {}
    rows: dict[str, list[str]] = {"order": [], "cpu": [], "sample": [], "zone": [], "lock": [], "checked": []}
    lines = text.splitlines()
    for line in lines[:-1]:
        kind, *values = line.split()
        if kind == "counter":
            counters[values[0]] = int(values[1])
        elif kind in rows:
            rows[kind].append(",".join(values))
        else:
            raise Defect(f"the simulator printed {line!r}")
    if not lines or lines[-1] != "end":
        raise Defect("the simulator's output has no end")
    return Outcome(
        policy=policy,
        counters=counters,
        orders=_records(OrderCount, rows["order"]),
        pcps=_records(PcpCount, rows["cpu"]),
        samples=_records(PcpSample, rows["sample"]),
        locks=_records(LockCount, rows["lock"]),
        free=tuple(int(row.split(",")[1]) for row in rows["zone"]),
        pages=int(rows["checked"][0]),
        seconds=seconds,
    )


def _records(kind: type[R], rows: Sequence[str]) -> tuple[R, ...]:
    """A record for each row of integers, in the order of its fields."""
    return from_json(f"[{','.join(f'[{row}]' for row in rows)}]", tuple[kind, ...])  # type: ignore[valid-type]


def _lines(values: Mapping[str, int]) -> Iterator[str]:
    return (f"{name} {value}" for name, value in values.items())


def simulator() -> Path:
    """The compiled simulator, built when it is not yet there.
    Raises HostLacks without a compiler, BadInput for a policy of KASSAY_PATH that does not compile.
    """
    remedy = f"install it: {install(COMPILER, 'libc6-dev')}"
    if process.find(COMPILER) is None:
        raise HostLacks(f"no simulation: {COMPILER} is not there to build the simulator", remedy)
    cached = files.cache_directory() / "pcp" / _key()
    first = compiler.program("simulator of page lists", cached, (COMPILER, *_arguments()), sources())
    if first:
        raise _not_built(first, remedy)
    return cached


def _arguments() -> tuple[str, ...]:
    entries = " ".join(f"ENTRY({Path(name).stem})" for name in _policy_files())
    names = sorted(path.name for path in sources().glob("*.c"))
    return (*FLAGS, f"-I{sources()}", f"-DPOLICIES={entries}", *names, *map(str, _policy_files().values()))


def _policy_files() -> Mapping[str, Path]:
    paths = registry.files(sources() / "policies", _POLICIES, "*.c")
    for path in paths.values():
        if not path.stem.isidentifier():
            raise BadInput(f"{path}: a policy's name has letters, digits and _", "give the file another name")
    return paths


def _not_built(first: str, remedy: str) -> KassayError:
    others = [str(path) for path in _policy_files().values() if registry.is_extension(path)]
    if others:
        problem = f"the simulator does not compile with {', '.join(others)}: {first}"
        return BadInput(problem, f"correct the file: POLICY(name) and what is in it, as {_POLICIES} has them")
    return HostLacks(f"no simulation: the simulator does not compile with {COMPILER}: {first}", remedy)


def sources() -> Path:
    """The folder with params.def: in a checkout, or inside the installed package."""
    return compiler.sources("pcp", "params.def", "the simulator's")


def identity() -> str:
    """A hash over the simulator's sources and all policies: digits of different ones are not comparable."""
    return _identity(tuple(path for path in _policy_files().values() if registry.is_extension(path)))


@cache
def _identity(others: tuple[Path, ...]) -> str:
    contained = (path for path in sources().rglob("*") if path.suffix in (".c", ".h", ".def"))
    named = {str(path.relative_to(sources())): path for path in contained} | {path.name: path for path in others}
    return compiler.digest(sorted(named.items()))[:16]


def _key() -> str:
    return compiler.digest((), (identity(), compiler.version(COMPILER), FLAGS))[:16]


@cache
def _policies(binary: Path) -> Mapping[str, PcpPolicy]:
    done = process.run((str(binary), "--policies"))
    rows = (line.split("\t") for line in done.out.splitlines())
    found = (PcpPolicy(name=name, kernels=kernels, summary=summary) for name, kernels, summary in rows)
    return MappingProxyType({policy.name: policy for policy in found})
