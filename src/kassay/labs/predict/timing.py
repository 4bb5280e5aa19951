# SPDX-License-Identifier: GPL-2.0-only
"""Timing files: everything that is known of one CPU's time, in one TOML file, each number with its source.

kassay's own are data/NAME.toml beside this file. Those of `kassay calibrate` are in calibrations(). Any FILE.toml may
be named as well. docs/reference/calibrate.md has the sections.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import field, structs

from kassay import registry
from kassay.effects.files import data_directory
from kassay.errors import BadInput, nearest_of
from kassay.labs.predict.interval import IntervalTable, unlearned
from kassay.labs.predict.parameters import parameters
from kassay.labs.predict.ports import groups_of
from kassay.model.records import Record, from_plain
from kassay.supply.arches import arches
from kassay.supply.cpus import spelt

_DATA = Path(__file__).parent / "data"
SCHEMA = "kassay-timing/1"
LINE_LEVELS = ("core complex", "socket", "machine")
"""Values of [[lines]] within, the smallest first."""
UNKNOWN_KINDS = ("plain", "load", "store", "vector", "system")
"""Kinds that [unknown] has a default for. An instruction without data is taken for one of these."""


_ADDED: Mapping[str, str | float] = {
    "lock_value": "lock_latency", "lock_reload": 0, "lock_same": "lock_interval", "lock_apart": "lock_interval",
    "lock_again": "lock_same", "lock_overwritten": "lock_same", "lock_fetches": 0, "memory_write": "memory_interval",
    "l2_write": 0, "memory_scheduler": 0, "opcache_uops": 0, "near_branches": 0, "taken_far": "taken_branch",
    "rep_word_start": 0, "rep_short_stores": 1, "predecode": 0, "decoders": 1, "prefix_stall": 0, "jump_boundary": 0,
    "early_ports": 0, "stack_sync": 0, "microcode_switch": 0, "l1d_chase": 0,
    "mispredict_return": "mispredict",
    "store_together": "store_interval", "fence_behind": 0, "lock_near": 64, "lock_soon": 6, "lock_stores": 1,
}  # fmt: skip
"""Parameter that a file of an earlier version lacks -> the parameter, or the value, that is as if it did not exist."""


MEASURED, STATED, ASSUMED = "measured", "stated", "assumed"
STATUSES = (MEASURED, STATED, ASSUMED)


class Quantity(Record, frozen=True, kw_only=True):
    """A number, what it is surely between, and who says so."""

    value: float
    low: float
    high: float
    source: str
    status: str = ""
    """"measured" on this core, "stated" by its vendor, or "assumed", which may be the value of another core. "" in
    files of earlier versions."""


class Machine(Record, frozen=True, kw_only=True):
    """The machine that was calibrated."""

    cpuinfo: dict[str, str]
    """Lines of /proc/cpuinfo that name it."""
    when: str
    """An ISO 8601 date."""
    hypervisor: str = ""
    kernel: str = ""
    thp: str = ""
    """Policy of huge pages."""
    missing: dict[str, str] = field(default_factory=dict)
    """Reason for each quantity that could not be measured, by name."""
    measured: dict[str, Quantity] = field(default_factory=dict)
    """Cycles of whole operations of that machine's kernel and CPUs. They are no parameters; predictions can be
    compared with them."""


class Fusion(Record, frozen=True, kw_only=True):
    """Neighbours that become one micro-operation."""

    flags: tuple[str, ...]
    """Mnemonics that fuse with a conditional branch after them."""
    memory: bool
    """True if they fuse with an operand in memory."""
    immediate: bool
    """True if they fuse with an operand in memory and an immediate."""
    source: str


class LineLevel(Record, frozen=True, kw_only=True):
    """CPUs between which a cache line moves in about the same time."""

    within: str
    """The part that they share, a word of LINE_LEVELS. The smallest comes first."""
    cpus: int
    """Number of CPUs in one, without hyperthreads."""
    cpus_source: str
    ns: Quantity
    """Time from a write by one CPU until another one has the line."""


Entry = tuple[int, float, str]
"""Micro-operations of dispatch; cycles from operands to results, without the access of memory; ports."""


class Override(Record, frozen=True, kw_only=True):
    """An entry that comes before those of [instructions], which are LLVM's."""

    forms: tuple[str, ...]
    """Shell patterns. The first override that matches counts."""
    entry: Entry
    source: str


class MicroOps(Record, frozen=True, kw_only=True):
    """How many micro-operations some forms are, where that is not what their entries say."""

    forms: tuple[str, ...]
    """Shell patterns. The first rule that matches counts."""
    count: int = 0
    """0 for as many as in the entry."""
    indexed: bool = False
    """True if dispatch takes a load or a store with an index register apart from what it was decoded with."""
    rip_immediate: int = 0
    """Number of further ones if the address is relative to the instruction and there is an immediate."""
    source: str


class Timing(Record, frozen=True, kw_only=True):
    """One timing file."""

    schema: str
    name: str
    summary: str
    """Name of the CPU for readers."""
    arch: str
    """Architecture of its machine code."""
    ghz: Quantity
    """Clock under a lasting load."""
    calibrated: bool
    llvm: str
    """Version of LLVM from whose tables [instructions] began, and LLVM's name of the CPU."""
    ports: tuple[str, ...]
    """Names of the execution ports, bit 0 first."""
    fusion: Fusion
    interval: IntervalTable
    parameters: dict[str, Quantity]
    """Parameters of the core model."""
    system: dict[str, Quantity]
    """Cycles of system instructions, by the names of predict/decode."""
    unknown: dict[str, Entry]
    """Entry for instructions without data, by kind (UNKNOWN_KINDS)."""
    instructions: dict[str, Entry]
    first_decoder: tuple[str, ...] = ()
    """Patterns of mnemonics that only the first decoder takes, although they are one micro-operation."""
    overrides: tuple[Override, ...] = ()
    micro_ops: tuple[MicroOps, ...] = ()
    lines: tuple[LineLevel, ...] = ()
    """Levels of [[lines]]; none for a CPU whose contention cannot be predicted."""
    machine: Machine | None = None
    """Machine that was calibrated; None for a file that was not calibrated."""

    @property
    def learned(self) -> bool:
        """True if its intervals come from changes measured on this CPU."""
        return self.calibrated and self.interval.n > 0

    def params_text(self) -> str:
        """PARAMS of the core model."""
        return "".join(f"{name} {number_text(quantity.value)}\n" for name, quantity in self.parameters.items())


_CORRECT = "correct the file; docs/reference/calibrate.md has its sections"


@cache
def timing_for(name: str) -> Timing:
    """The timing file of a CPU (zen3, skylake-sp, alder-lake-p: hyphens do not count), or of a path that ends in .toml.

    Raises BadInput for an unknown CPU, with those that are known, and for a file that is wrong, with each problem.
    """
    return read(path_of(name))


def path_of(name: str) -> Path:
    """The timing file that timing_for() reads. Raises BadInput for an unknown CPU."""
    if name.endswith(".toml"):
        return Path(name)
    paths = timings()
    path = next((path for cpu, path in paths.items() if spelt(cpu) == spelt(name)), None)
    if path is None:
        near = nearest_of(name, [cpu.replace("_", "-") for cpu in paths])
        raise BadInput(f"no timing file for CPU {name!r}",
                       f"{near}\n  for this machine's own CPU: kassay calibrate; or name a FILE.toml")  # fmt: skip
    return path


def is_shipped(path: Path) -> bool:
    """True if every installation of kassay has the file."""
    return path.parent == _DATA


def timings() -> Mapping[str, Path]:
    """Name of a CPU -> its file: kassay's, those of KASSAY_PATH, and those that were calibrated on this machine.

    A calibrated one has a name of its own. Raises BadInput when two have the same name.
    """
    shipped = registry.files(_DATA, "predict/data", "*.toml")
    paths = {path.stem: path for path in shipped.values()}
    for path in sorted(calibrations().glob("*.toml")):
        if path.stem in paths:
            raise BadInput(f"{path}: there is a {paths[path.stem]} already", "give the file another name")
        paths[path.stem] = path
    return MappingProxyType(paths)


def calibrations() -> Path:
    """Directory in which `kassay calibrate` puts the files of this machine."""
    return data_directory() / "calibrations"


def read(path: Path) -> Timing:
    """Reads a timing file. Raises BadInput with every problem, each with its key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}", "name a timing file, as in docs/reference/calibrate.md") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text (byte {error.start})", "name a timing file") from error
    return parse(text, str(path))


def parse(text: str, origin: str) -> Timing:
    """Reads the text of a timing file; `origin` names it in errors."""
    table = _table(text, origin, ())
    if table.get("schema", SCHEMA) != SCHEMA:
        raise BadInput(f"{origin}: schema: {table['schema']!r}, but this version reads {SCHEMA!r}",
                       "calibrate anew, or use the version of kassay that wrote it")  # fmt: skip
    try:
        timing = from_plain(table, Timing)
    except msgspec.ValidationError as error:
        raise BadInput(f"{origin}: {error}", _CORRECT) from error
    timing = _completed(timing)
    found = list(problems(timing))
    if found:
        lines = "\n".join(f"{origin}: {problem}" for problem in found[:10])
        raise BadInput(lines, _CORRECT)
    return timing


def like_of(text: str) -> str:
    """Name of the CPU whose values stand where the text of a timing file has none; "" for none."""
    like: str = tomllib.loads(text).get("like", "")
    return like


def _table(text: str, origin: str, heirs: tuple[str, ...]) -> dict[str, Any]:
    """The sections of a file, with those of the CPU that it is like: instructions and their overrides where it has no
    instructions, and single quantities. heirs: files that are like this one.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{origin}: {error}", _CORRECT) from error
    like = table.pop("like", "")
    if not like:
        return table
    path = path_of(str(like))
    if str(path) in heirs:
        raise BadInput(f"{origin}: like: {like} is like this file", "name a CPU whose file is complete")
    whole = _table(path.read_text(encoding="utf-8"), str(path), (*heirs, origin, str(path)))
    whole.pop("machine", None)
    merged = {**whole, **table}
    for section in ("parameters", "system"):
        assumed = {name: _assumed(entry, like) for name, entry in whole[section].items()}
        merged[section] = {**assumed, **table.get(section, {})}
    if "lines" not in table:
        merged["lines"] = [_assumed_level(level, like) for level in whole.get("lines", ())]
    if "interval" not in table and whole["interval"].get("n"):
        merged["interval"] = structs.asdict(unlearned(f"no changes were measured on this CPU, only on {like}"))
    if "instructions" not in table:
        merged["overrides"] = [*table.get("overrides", ()), *whole.get("overrides", ())]
    return merged


def _assumed(quantity: dict[str, Any], like: str) -> dict[str, Any]:
    return {**quantity, "status": ASSUMED, "source": f"assumed, as of {like}: {quantity['source']}"}


def _assumed_level(level: dict[str, Any], like: str) -> dict[str, Any]:
    source = f"assumed, as of {like}: {level['cpus_source']}"
    return {**level, "cpus_source": source, "ns": _assumed(level["ns"], like)}


def _completed(timing: Timing) -> Timing:
    """The file with the parameters that were added after it was written, so that runs of then are answered as then."""
    parameters = dict(timing.parameters)
    for name, instead in _ADDED.items():
        if name not in parameters:
            if isinstance(instead, str) and instead in parameters:
                parameters[name] = structs.replace(
                    parameters[instead], source=f"not in this file: as {instead}", status=ASSUMED
                )
            elif not isinstance(instead, str):
                parameters[name] = Quantity(value=instead, low=instead, high=instead, source="not in this file",
                                            status=ASSUMED)  # fmt: skip
    return structs.replace(timing, parameters=parameters)


def problems(timing: Timing) -> Iterator[str]:
    """Problems of a timing file whose types are right."""
    if timing.arch not in arches():
        yield f"arch: unknown arch {timing.arch!r}; known: {', '.join(arches())}"
    expected_parameters = parameters()
    for name in expected_parameters:
        if name not in timing.parameters:
            yield f"parameters.{name}: missing: {expected_parameters[name].meaning}"
    for name, quantity in timing.parameters.items():
        if name not in expected_parameters:
            yield f"parameters.{name}: unknown; {nearest_of(name, expected_parameters)}"
            continue
        expected = expected_parameters[name]
        if not expected.low <= quantity.value <= expected.high:
            yield f"parameters.{name}: {number_text(quantity.value)} is not from {expected.low} to {expected.high}"
        if expected.whole and quantity.value != int(quantity.value):
            yield f"parameters.{name}: {number_text(quantity.value)} is not a whole number"
    for key, quantity in quantities(timing):
        if not quantity.low <= quantity.value <= quantity.high:
            yield f"{key}: {number_text(quantity.value)} is not from its low to its high"
        if not quantity.source:
            yield f"{key}: without a source"
        if quantity.status not in ("", *STATUSES):
            yield f"{key}: status {quantity.status!r} is none of {', '.join(STATUSES)}"
    yield from _wrong_lines(timing)
    for kind in UNKNOWN_KINDS:
        if kind not in timing.unknown:
            yield f"unknown.{kind}: missing"
    if timing.calibrated != (timing.machine is not None):
        yield "machine: a calibrated file has it, another has not"
    yield from _wrong_ports(timing)
    for rule in timing.micro_ops:
        if min(rule.count, rule.rip_immediate) < 0:
            yield f"micro_ops.{', '.join(rule.forms)}: negative"
        if not rule.source:
            yield f"micro_ops.{', '.join(rule.forms)}: without a source"


def quantities(timing: Timing) -> Iterator[tuple[str, Quantity]]:
    """Every number of a file with a source, by its key."""
    yield "ghz", timing.ghz
    yield from ((f"parameters.{name}", quantity) for name, quantity in timing.parameters.items())
    yield from ((f"system.{name}", quantity) for name, quantity in timing.system.items())
    yield from ((f"lines.{level.within}.ns", level.ns) for level in timing.lines)


def _wrong_lines(timing: Timing) -> Iterator[str]:
    names = [level.within for level in timing.lines]
    if names and ("socket" not in names or names != [name for name in LINE_LEVELS if name in names]):
        yield f"lines: {', '.join(names)}; but a socket is needed, and the order is {', '.join(LINE_LEVELS)}"
    for small, large in pairwise(timing.lines):
        if large.cpus <= small.cpus or large.cpus % small.cpus:
            yield f"lines.{large.within}.cpus: {large.cpus} is no multiple of the {small.cpus} of a {small.within}"
    for level in timing.lines:
        if level.cpus < 1:
            yield f"lines.{level.within}.cpus: {level.cpus} is not positive"
        if not level.cpus_source:
            yield f"lines.{level.within}.cpus: without a source"


def _wrong_ports(timing: Timing) -> Iterator[str]:
    count = timing.parameters.get("ports")
    if count is not None and count.value != len(timing.ports):
        yield f"ports: {len(timing.ports)} names, but parameters.ports is {number_text(count.value)}"
    overrides = {", ".join(override.forms): override.entry for override in timing.overrides}
    sections = {"instructions": timing.instructions, "unknown": timing.unknown, "overrides": overrides}
    for section, entries in sections.items():
        for form, (uops, latency, spec) in entries.items():
            if uops < 0 or latency < 0:
                yield f'{section}."{form}": negative'
            try:
                groups = groups_of(spec)
            except ValueError as error:
                yield f'{section}."{form}": {error}'
                continue
            if any(mask >> len(timing.ports) for mask, _ in groups):
                yield f'{section}."{form}": {spec}: there are {len(timing.ports)} ports'


def number_text(value: float) -> str:
    """Number in the form that the core model reads: at most two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
