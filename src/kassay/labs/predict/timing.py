# SPDX-License-Identifier: GPL-2.0-only
"""Timing files: everything that is known of one CPU's time, in one TOML file, each number with its source.

kassay's own are data/NAME.toml beside this file. Those of `kassay calibrate` are in calibrations(). Any FILE.toml may
be named as well. docs/reference/calibrate.md has the sections.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import field, structs

from kassay import registry
from kassay.effects.files import data_directory
from kassay.errors import BadInput, nearest_of
from kassay.labs.predict.decode import decoder_of
from kassay.labs.predict.entries import Entry, Fusion, MicroOps, Override
from kassay.labs.predict.interval import IntervalTable, unlearned
from kassay.labs.predict.interval import problems as wrong_interval
from kassay.labs.predict.parameters import ADDED, parameters
from kassay.labs.predict.ports import problem_of
from kassay.model.records import Record, from_plain
from kassay.supply.arches import arches
from kassay.supply.cpus import spelt

_DATA = Path(__file__).parent / "data"
SCHEMA = "kassay-timing/1"
LINE_LEVELS = ("core complex", "socket", "machine")
"""Values of [[lines]] within, the smallest first."""
UNKNOWN_KINDS = ("plain", "load", "store", "vector", "system")
"""Kinds that [unknown] has a default for. An instruction without data is taken for one of these."""
MEASURED, STATED, ASSUMED = "measured", "stated", "assumed"
STATUSES = (MEASURED, STATED, ASSUMED)
_SLOWEST_GHZ, _FASTEST_GHZ = 0.1, 20
_FENCES = frozenset(("lfence", "mfence", "sfence", "isb", "sb"))
"""Names in [system] that the core model does not read: it has parameters of fences."""


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


class LineLevel(Record, frozen=True, kw_only=True):
    """CPUs between which a cache line moves in about the same time."""

    within: str
    """The part that they share, a word of LINE_LEVELS. The smallest comes first."""
    cpus: int
    """Number of CPUs in one, without hyperthreads."""
    cpus_source: str
    ns: Quantity
    """Time from a write by one CPU until another one has the line."""


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

    Raises BadInput for an unknown CPU, with those that are known, for a file that is wrong, with each problem, and for
    one whose name is not that of the CPU: a plan would take another file for it.
    """
    path = path_of(name)
    timing = read(path)
    if not name.endswith(".toml") and spelt(timing.name) != spelt(path.stem):
        raise BadInput(f"{path}: name: {timing.name!r}, but the file is called {path.stem}",
                       f'write name = "{path.stem}" in it, or rename the file')  # fmt: skip
    return timing


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
    return parse(_text(path), str(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}", "name a timing file, as in docs/reference/calibrate.md") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text (byte {error.start})", "name a timing file") from error


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
    like: str = _loaded(text).get("like", "")
    return like


@lru_cache(maxsize=32)
def _loaded(text: str) -> Mapping[str, Any]:
    """The TOML of a file. It takes most of the time, and several files are like the same one. Nobody writes to it."""
    return tomllib.loads(text)


def _table(text: str, origin: str, heirs: tuple[str, ...]) -> dict[str, Any]:
    """The sections of a file, with those of the CPU that it is like: instructions and their overrides where it has no
    instructions, and single quantities. heirs: files that are like this one.
    """
    try:
        table = dict(_loaded(text))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{origin}: {error}", _CORRECT) from error
    like = table.pop("like", "")
    if not like:
        return table
    path = path_of(str(like))
    if str(path) in heirs:
        raise BadInput(f"{origin}: like: {like} is like this file", "name a CPU whose file is complete")
    whole = _table(_text(path), str(path), (*heirs, origin, str(path)))
    if missing := [name for name in ("parameters", "system", "interval", "ghz") if not whole.get(name)]:
        raise BadInput(f"{origin}: like: {path} has no {missing[0]}", "name a CPU whose file is complete")
    if (arch := table.get("arch", whole.get("arch"))) != whole.get("arch"):
        raise BadInput(f"{origin}: like: {like} is a CPU of {whole.get('arch')}, not of {arch}", _CORRECT)
    for name in ("machine", "name"):
        whole.pop(name, None)
    merged = {**whole, **table}
    for section in ("parameters", "system"):
        assumed = {name: _assumed(entry, like) for name, entry in whole[section].items()}
        own = table.get(section, {})
        merged[section] = {**assumed, **own} if isinstance(own, dict) else own
    if "ghz" not in table:
        merged["ghz"] = _assumed(whole["ghz"], like)
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
    for name, instead in ADDED.items():
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
    """Every problem, with its key."""
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
    if not _SLOWEST_GHZ <= timing.ghz.value <= _FASTEST_GHZ:
        yield f"ghz: {number_text(timing.ghz.value)} is not from {_SLOWEST_GHZ} to {_FASTEST_GHZ} GHz"
    for key, quantity in quantities(timing):
        if not (quantity.low >= 0 and quantity.high < inf):
            yield f"{key}: not from 0 on, or without end"
        if not quantity.low <= quantity.value <= quantity.high:
            yield f"{key}: {number_text(quantity.value)} is not from its low to its high"
        if not quantity.source:
            yield f"{key}: without a source"
        if quantity.status not in ("", *STATUSES):
            yield f"{key}: status {quantity.status!r} is none of {', '.join(STATUSES)}"
    yield from _wrong_lines(timing)
    yield from _wrong_names(timing)
    yield from wrong_interval(timing.interval)
    if timing.calibrated != (timing.machine is not None):
        yield "machine: a calibrated file has it, another has not"
    yield from _wrong_ports(timing)
    for rule in timing.micro_ops:
        if min(rule.count, rule.rip_immediate) < 0:
            yield f"micro_ops.{', '.join(rule.forms)}: negative"
        if not rule.source:
            yield f"micro_ops.{', '.join(rule.forms)}: without a source"


def _wrong_names(timing: Timing) -> Iterator[str]:
    """Names of system instructions and of kinds of instructions without data."""
    known = decoder_of(timing.arch).system | _FENCES if timing.arch in arches() else timing.system.keys()
    for name in timing.system:
        if name not in known:
            yield f"system.{name}: unknown; {nearest_of(name, sorted(known))}"
    for kind in UNKNOWN_KINDS:
        if kind not in timing.unknown:
            yield f"unknown.{kind}: missing"
    for kind in timing.unknown:
        if kind not in UNKNOWN_KINDS:
            yield f"unknown.{kind}: unknown; {nearest_of(kind, UNKNOWN_KINDS)}"


def _wrong_lines(timing: Timing) -> Iterator[str]:
    names = [level.within for level in timing.lines]
    if names and ("socket" not in names or names != [name for name in LINE_LEVELS if name in names]):
        yield f"lines: {', '.join(names)}; but a socket is needed, and the order is {', '.join(LINE_LEVELS)}"
    for small, large in pairwise(timing.lines):
        if small.cpus > 0 and (large.cpus <= small.cpus or large.cpus % small.cpus):
            yield f"lines.{large.within}.cpus: {large.cpus} is no multiple of the {small.cpus} of a {small.within}"
        if large.ns.value < small.ns.value:
            yield f"lines.{large.within}.ns: less than within a {small.within}"
    for level in timing.lines:
        if level.cpus < 1:
            yield f"lines.{level.within}.cpus: {level.cpus} is not positive"
        if not level.cpus_source:
            yield f"lines.{level.within}.cpus: without a source"


def _wrong_ports(timing: Timing) -> Iterator[str]:
    count = timing.parameters.get("ports")
    if count is not None and count.value != len(timing.ports):
        yield f"ports: {len(timing.ports)} names, but parameters.ports is {number_text(count.value)}"
    entries = [(f'{name}."{form}"', entry) for name, section in (("instructions", timing.instructions),
               ("unknown", timing.unknown)) for form, entry in section.items()]  # fmt: skip
    for override in timing.overrides:
        key = f'overrides."{", ".join(override.forms)}"'
        entries.append((key, override.entry))
        if not override.forms or not override.source:
            yield f"{key}: without {'a source' if override.forms else 'forms'}"
    for key, (uops, latency, spec) in entries:
        if uops < 0 or not 0 <= latency < inf:
            yield f"{key}: negative, or without end"
        if problem := problem_of(spec, len(timing.ports)):
            yield f"{key}: {problem}"


def quantities(timing: Timing) -> Iterator[tuple[str, Quantity]]:
    """Every number of a file with a source, by its key."""
    yield "ghz", timing.ghz
    yield from ((f"parameters.{name}", quantity) for name, quantity in timing.parameters.items())
    yield from ((f"system.{name}", quantity) for name, quantity in timing.system.items())
    yield from ((f"lines.{level.within}.ns", level.ns) for level in timing.lines)


def number_text(value: float) -> str:
    """Number in the form that the core model reads: at most two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
