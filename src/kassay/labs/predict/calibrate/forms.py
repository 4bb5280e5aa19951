# SPDX-License-Identifier: GPL-2.0-only
"""Latency and throughput of every form of instruction that user mode may execute on registers: entries for the forms
whose measured times differ from the file's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from kassay.labs.predict.calibrate.program import sources
from kassay.labs.predict.calibrate.samples import Measured
from kassay.labs.predict.entries import Entry, Override
from kassay.labs.predict.forms import Entries
from kassay.labs.predict.forms import Entry as FormEntry
from kassay.labs.predict.ports import groups_of, spec_of
from kassay.labs.predict.timing import Timing

_LINE = re.compile(r'FORM\("([^"]+)", "([^"]*)", (\d+), "([^"]*)", \d+\)')
_MEMORY = re.compile(r"\bm(8|16|32|64|128|256|512)\b")
_VECTORS = {"128": "xmm", "256": "ymm", "512": "zmm"}
_NEAR, _SHARE = 0.25, 0.15
"""A latency is corrected if it is off by so many cycles, a throughput by such a share."""
_SLACK = 0.1
"""Operations a cycle by which a measured rate may be above what the ports allow."""
_WHOLE = 0.15
"""A latency that is so near to a whole number is that number."""
_MOST_CYCLES = 80
_ROOT = "sqrt"
"""A chain of square roots tends to one, and the root of one is quicker than others."""
_PREFIXED = "r16,i"
"""The decoders are slow with copies of these: a prefix changes the length of the immediate (prefix_stall)."""
_PLAIN = "add r64,r64"
"""The form whose throughput shows how many ports plain instructions have."""

Groups = tuple[tuple[int, int], ...]


class Form(NamedTuple):
    """One form that the probes know."""

    name: str
    extra: int
    """Cycles that other instructions in its chain take."""
    kinds: tuple[str, ...]
    """Kinds of points that the probes have for it: "chain", "many"."""


@cache
def forms() -> tuple[Form, ...]:
    """Every form that the probes know, in the order of their numbers."""
    text = (sources() / "forms-x86_64.inc").read_text()
    return tuple(
        Form(name, int(extra), tuple(kind for kind, code in (("chain", chain), ("many", many)) if code))
        for name, chain, extra, many in _LINE.findall(text)
    )


def points(kind: str) -> tuple[str, ...]:
    """The points of all forms that have a chain, or copies ("many")."""
    return tuple(f"form_{kind}:{number}" for number, form in enumerate(forms()) if kind in form.kinds)


def times_of(measured: Mapping[str, Measured]) -> dict[str, tuple[Measured | None, Measured | None]]:
    """Form -> cycles from operand to result, and from one to the next that does not wait for it."""
    times = {}
    for number, form in enumerate(forms()):
        chain, many = (measured.get(f"form_{kind}:{number}") for kind in ("chain", "many"))
        if chain is not None:
            chain = chain._replace(value=max(0.0, chain.value - form.extra))
        if chain is not None or many is not None:
            times[form.name] = chain, many
    return times


def with_ports(timing: Timing, measured: Mapping[str, Measured]) -> tuple[Timing, tuple[str, ...]]:
    """The file with as many ports as additions and loads were seen to need, and the parameters that changed."""
    plain = times_of(measured).get(_PLAIN, (None, None))[1]
    groups = groups_of(timing.instructions[_PLAIN][2]) if _PLAIN in timing.instructions else ()
    if plain is None or not groups:
        return timing, ()
    loads, load = int(timing.parameters["load_ports"].value), measured.get("load_many")
    wider = _more_ports(timing, groups[0][0], plain)
    wider = _more_ports(wider, loads, load) if load is not None else wider
    if wider is timing:
        return timing, ()
    parameters = dict(wider.parameters)
    count = len(wider.ports)
    source = f"measured: as many as additions and loads need (form_many, load_many), else as of {timing.name}"
    for name, value in (("ports", count), ("load_ports", _widened(timing, wider, loads))):
        parameters[name] = replace(parameters[name], value=value, low=value, high=value, source=source)
    return replace(wider, parameters=parameters), ("ports", "load_ports")


def _more_ports(timing: Timing, mask: int, measured: Measured) -> Timing:
    """Adds ports to those of `mask`, so that so many can start in a cycle."""
    more = ceil(1 / measured.value - _SLACK) - mask.bit_count()
    if more <= 0:
        return timing
    last = timing.ports[mask.bit_length() - 1]
    prefix, number = last.rstrip("0123456789"), int(last[len(last.rstrip("0123456789")) :] or 0)
    added = ((1 << more) - 1) << len(timing.ports)

    def wide(entry: Entry) -> Entry:
        groups = ((own | added if own & mask == mask else own, cycles) for own, cycles in groups_of(entry[2]))
        return entry[0], entry[1], spec_of(tuple(groups))

    return replace(
        timing, ports=(*timing.ports, *(f"{prefix}{number + step}" for step in range(1, more + 1))),
        instructions={form: wide(entry) for form, entry in timing.instructions.items()},
        unknown={kind: wide(entry) for kind, entry in timing.unknown.items()},
        overrides=tuple(replace(override, entry=wide(override.entry)) for override in timing.overrides),
    )  # fmt: skip


def _widened(before: Timing, after: Timing, mask: int) -> int:
    """The mask in the file with more ports: new ports have the name of those in it."""
    prefix = before.ports[mask.bit_length() - 1].rstrip("0123456789")
    new = after.ports[len(before.ports) :]
    return mask | sum(1 << (len(before.ports) + at) for at, name in enumerate(new) if name.startswith(prefix))


def overrides_of(measured: Mapping[str, Measured], timing: Timing) -> tuple[Override, ...]:
    """Entries for the forms whose times differ from the file's; the same form with an operand in memory follows."""
    entries, changed, n = Entries(timing), {}, 0
    for form, (chain, many) in times_of(measured).items():
        entry = entries.of(form)
        if entry is None:
            continue
        n += sum(point.n for point in (chain, many) if point is not None)
        corrected = _corrected(
            entry, None if _ROOT in form else chain, None if form.endswith(_PREFIXED) else many, timing
        )
        if corrected != (entry.uops, entry.latency, entry.ports.removeprefix("-")):
            changed[form] = corrected
    changed |= dict(_in_memory(changed, entries, timing))
    by_entry: dict[Entry, list[str]] = {}
    for form, new in changed.items():
        by_entry.setdefault(new, []).append(form)
    source = f"measured: a chain and independent copies of each form; {n} samples of all forms (form_chain, form_many)"
    return tuple(Override(forms=tuple(names), entry=entry, source=source) for entry, names in by_entry.items())


def left_overrides(measured: Mapping[str, Measured], nearest: Timing) -> Iterator[Override]:
    """The nearest CPU's overrides, each with a source that names that CPU.

    An override becomes two if only some of its patterns match a form that was measured.
    """
    known = times_of(measured)
    for override in nearest.overrides:
        left = tuple(pattern for pattern in override.forms if not any(fnmatchcase(form, pattern) for form in known))
        agreeing = tuple(pattern for pattern in override.forms if pattern not in left)
        if agreeing:
            how = f"as of {nearest.name}; measured forms agree with it unless an override above has them"
            yield replace(override, forms=agreeing, source=f"{how}: {override.source}")
        if left:
            yield replace(override, forms=left, source=f"not measured, as of {nearest.name}: {override.source}")


def _corrected(entry: FormEntry, chain: Measured | None, many: Measured | None, timing: Timing) -> Entry:
    uops, latency, spec = entry
    if chain is not None and abs(chain.value - latency) >= _NEAR:
        nearest = round(chain.value)
        latency = float(nearest) if abs(chain.value - nearest) < _WHOLE else round(chain.value, 1)
    if many is not None:
        uops, spec = _fitted(uops, groups_of(spec), many.value, timing)
    return uops, latency, spec.removeprefix("-")


def _fitted(uops: int, groups: Groups, cycles: float, timing: Timing) -> tuple[int, str]:
    """Micro-operations and ports with which one operation starts every so many cycles."""
    width = timing.parameters["width"].value
    if uops / width > cycles * (1 + _SHARE):
        uops = max(1, int(cycles * width + 0.5))
    for _ in range(len(groups)):
        costs = [_cost(mask, groups) for mask, _ in groups]
        bound = max(costs)
        slow = bound > cycles * (1 + _SHARE)
        if not slow and max(bound, uops / width) >= cycles * (1 - _SHARE):
            break
        at = costs.index(bound)
        mask = _family(groups[at][0], timing) if slow else groups[at][0]
        groups = (*groups[:at], _group(mask, cycles), *groups[at + 1 :])
        if not slow:
            break
    return uops, spec_of(groups)


def _cost(mask: int, groups: Groups) -> float:
    """Cycles for which the ports of a mask are taken by what may go nowhere else."""
    return sum(cycles for own, cycles in groups if own & ~mask == 0) / mask.bit_count()


def _group(mask: int, cycles: float) -> tuple[int, int]:
    """The lowest ports of a mask, and how long they are taken, so that one operation starts every so many cycles; the
    shortest time that is near enough."""
    bits = [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    pairs = [(count, taken) for count in range(len(bits), 0, -1) for taken in range(1, _MOST_CYCLES)]
    near = [pair for pair in pairs if abs(pair[1] / pair[0] - cycles) <= _SHARE / 2 * cycles] or pairs
    count, taken = min(near, key=lambda pair: (pair[1] if near is not pairs else 0, abs(pair[1] / pair[0] - cycles)))
    return sum(bits[:count]), taken


def _family(mask: int, timing: Timing) -> int:
    """All ports whose names differ from those of a mask in their numbers alone. If names are only numbers, the ports of
    plain instructions are added."""
    if all(name.isdecimal() for name in timing.ports):
        plain = groups_of(timing.instructions[_PLAIN][2])[0][0] if _PLAIN in timing.instructions else 0
        return mask | plain if mask & plain else mask
    prefixes = {_prefix(name) for bit, name in enumerate(timing.ports) if mask >> bit & 1}
    return sum(1 << bit for bit, name in enumerate(timing.ports) if _prefix(name) in prefixes)


def _prefix(name: str) -> str:
    return name.rstrip("0123456789.")


def _in_memory(changed: Mapping[str, Entry], entries: Entries, timing: Timing) -> Iterator[tuple[str, Entry]]:
    """Entries for the forms that load their last operand and do on it what a changed form does on a register."""
    load_ports = int(timing.parameters["load_ports"].value)
    for form in timing.instructions:
        first, comma, _ = form.partition(",")
        found = [name for name in _on_registers(form) if name in changed]
        entry, same = entries.of(form), entries.of(found[0]) if found else None
        if not comma or _MEMORY.search(first) or entry is None or same is None:
            continue
        work = {mask for mask, _ in groups_of(same.ports)}
        loads = tuple(one for one in groups_of(entry.ports) if one[0] & ~load_ports == 0 or one[0] not in work)
        if loads == groups_of(entry.ports):
            continue  # a plain load: nothing is done on what it loads
        _, latency, ports = changed[found[0]]
        yield form, (entry.uops, latency, spec_of(tuple(sorted((*groups_of(ports)[:3], *loads[:1])))))


def _on_registers(form: str) -> Sequence[str]:
    match = _MEMORY.search(form)
    if match is None:
        return ()
    kinds = (f"r{match[1]}", _VECTORS.get(match[1], "xmm"))
    return tuple(f"{form[: match.start()]}{kind}{form[match.end() :]}" for kind in kinds)
