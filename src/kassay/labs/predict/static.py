# SPDX-License-Identifier: GPL-2.0-only
"""The blocks of a trace and a timing file -> the PROGRAM that the core model reads (docs/explained/core.md)."""

from collections import Counter
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.labs.predict.decode import (
    BRANCH,
    FIRST_DECODER,
    INDEXED,
    MOVE,
    NOP,
    PLAIN,
    RELATIVE_IMMEDIATE,
    REPEAT,
    SPLIT,
    UNREADABLE,
    ZERO,
    Facts,
    FactsDecoder,
    decoder_of,
)
from kassay.labs.predict.forms import Entries, Entry
from kassay.labs.predict.timing import Timing, number_text
from kassay.labs.predict.trace import Trace
from kassay.supply.arches import of_target

_UNKNOWN = "unknown"
REMOVED = "removed"
_REPEAT = Entry(4, 0, "-")


class _Line(NamedTuple):
    """One instruction, before it is known whether it fuses with the one before."""

    facts: Facts
    kind: str
    entry: Entry
    fixed: float
    missing: bool
    """True if the form of the instruction has no data."""
    traits: int = 0
    """FIRST_DECODER, SPLIT, or both."""


Removes = Callable[[int, Facts], bool]
"""(address of an instruction, facts about it) -> whether it is left out of a replay."""


def keeps_all(address: int, facts: Facts) -> bool:
    """Leaves no instruction out."""
    return False


Alters = Callable[[Facts], Facts]
"""Facts about an instruction -> those of the instruction whose cost it has in a replay."""


def as_it_is(facts: Facts) -> Facts:
    """Alters no instruction."""
    return facts


def program_text(
    trace: Trace, timing: Timing, function_of: Callable[[int], int], removes: Removes = keeps_all,
    alters: Alters = as_it_is,
) -> tuple[str, Mapping[str, int]]:  # fmt: skip
    """PROGRAM, and form -> how often it is in the blocks, for instructions without data.

    function_of: address of a block -> number of its function. Raises BadInput where the timing file is that of another
    architecture, or has no cost for an altered instruction.
    """
    arch = of_target(trace.target)
    if arch is None or arch.name != timing.arch:
        raise BadInput(f"{timing.name}: a CPU for {timing.arch}, but the trace is of {trace.target}",
                       f"name a CPU for {arch.name if arch else trace.target}")  # fmt: skip
    decoder, entries = decoder_of(arch.name), Entries(timing)
    lines: dict[bytes, _Line] = {}
    missing: Counter[str] = Counter()
    text = []
    for block in trace.blocks:
        text.append(f"b {block.id} {block.start} {len(block.lengths)} {function_of(block.start)}\n")
        before: _Line | None = None
        at = 0
        for length in block.lengths:
            code = block.code[at : at + length]
            at += length
            line = lines.get(code)
            if line is None:
                line = lines[code] = _altered(decoder.facts(code), alters, timing, entries)
            # A block may end with the first bytes of an instruction. It never executes it: another block has it.
            cut = line.facts.form == UNREADABLE and at == len(block.code)
            if removes(block.start + at - length, line.facts):
                text.append(_written(length, line._replace(kind=REMOVED), joined=False))
                before = None
                continue
            missing[line.facts.form] += line.missing and not cut
            joined = before is not None and _joins(before, line, timing, decoder)
            text.append(_written(length, line, joined))
            before = line
    return "".join(text), {form: count for form, count in missing.items() if count}


def _altered(facts: Facts, alters: Alters, timing: Timing, entries: Entries) -> _Line:
    other = alters(facts)
    if other != facts and entries.of(other.form) is None:
        raise BadInput(f"{timing.name}: no cost of {other.form!r}, which is to stand for {facts.form!r}",
                       "name an instruction with the same operands")  # fmt: skip
    line, mnemonic = _line(other, timing, entries), other.form.partition(" ")[0]
    traits = FIRST_DECODER * any(fnmatchcase(mnemonic, pattern) for pattern in timing.first_decoder)
    if rule := entries.micro_ops(other.form):
        count = (rule.count or line.entry.uops) + rule.rip_immediate * (other.address == RELATIVE_IMMEDIATE)
        line = line._replace(entry=line.entry._replace(uops=count))
        traits |= SPLIT * (rule.indexed and other.address == INDEXED)
    return line._replace(traits=traits)


def _line(facts: Facts, timing: Timing, entries: Entries) -> _Line:
    entry = entries.of(facts.form)
    if facts.kind == REPEAT:
        return _Line(facts, REPEAT, _REPEAT, 0, False)
    if facts.system and facts.system in timing.system:
        cost = timing.system[facts.system].value
        return _Line(facts, facts.kind, entry or Entry(1, 1, "-"), cost, False)
    if facts.kind == NOP or facts.kind == ZERO:
        return _Line(facts, facts.kind, Entry(1, 0, "-"), 0, False)
    if entry is None:
        kind = _UNKNOWN if facts.kind in (PLAIN, MOVE) else facts.kind
        return _Line(facts, kind, entries.default(facts), 0, kind == _UNKNOWN)
    eliminated = entry.latency == 0 and entry.ports == "-"
    kind = PLAIN if facts.kind == MOVE and not eliminated else facts.kind
    return _Line(facts, kind, entry, 0, False)


def _joins(first: _Line, second: _Line, timing: Timing, decoder: FactsDecoder) -> bool:
    """True if the second instruction, a conditional branch, is one micro-operation with the first."""
    fusion = timing.fusion
    mnemonic, _, operands = first.facts.form.partition(" ")
    if second.kind != BRANCH or mnemonic not in fusion.flags or first.facts.store_bytes:
        return False
    if first.facts.load_bytes and not (fusion.memory and (fusion.immediate or not operands.endswith("i"))):
        return False
    return decoder.fuses(first.facts.form, second.facts.form)


def _written(length: int, line: _Line, joined: bool) -> str:
    facts, (uops, latency, ports) = line.facts, line.entry
    if joined:
        uops, latency, ports = 0, 0, "-"
    return (
        f"i {length} {line.kind} {uops} {number_text(latency)} {facts.locked + facts.exchanges} "
        f"{_list(facts.address_reads)} {_list(facts.data_reads)} {_list(facts.writes)} {facts.load_bytes} "
        f"{facts.store_bytes} {ports} {number_text(line.fixed)} {facts.traits | line.traits} "
        f"{facts.opcode}\n"
    )


def _list(registers: tuple[int, ...]) -> str:
    return ",".join(map(str, registers)) or "-"
