# SPDX-License-Identifier: GPL-2.0-only
"""python -m benchmarks.timing.tables [NAME...]: writes the [instructions] of timing files anew, from llvm-mca.

Everything before that section is written by hand. What LLVM has no data for is left out; what it has wrong stands in
the file's [[overrides]], which come first.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

import kassay
from benchmarks.timing.forms import forms
from benchmarks.timing.mca import NO_DATA, Model, Row, ask, texts
from kassay.labs.predict.decode import CONTROL, Facts, decoder_of
from kassay.labs.predict.ports import MOST_GROUPS, spec_of

DATA = Path(kassay.__file__).parent / "labs" / "predict" / "data"
_PLAIN_LOAD = {"x86_64": "mov r64,m64", "arm64": "ldr x,[x]"}


class Source(NamedTuple):
    """llvm: name of the CPU. ports: LLVM's units, bit 0 first. counts: "fused" where LLVM counts the unfused
    micro-operations of Intel, "macro" where it counts the micro-operations of Arm and dispatch those before
    they are split, "split" where it counts a load by itself, "" where it counts what dispatch does."""

    arch: str
    llvm: str
    ports: tuple[str, ...]
    counts: str = ""


def _numbered(prefix: str, numbers: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{number}" for number in numbers.split())


_SKX = (*_numbered("SKXPort", "0 1 2 3 4 5 6 7"), "SKXDivider", "SKXFPDivider")
_ICX = (*_numbered("ICXPort", "0 1 2 3 4 5 6 7 8 9"), "ICXDivider", "ICXFPDivider")
_ADL = _numbered("ADLPPort", "00 01 02 03 04 05 06 07 08 09 10 11")


_N1 = _numbered("N1Unit", "B S.0 S.1 M L.0 L.1 D.0 D.1 V0 V1")
_V1 = _numbered("V1Unit", "B.0 B.1 S.0 S.1 M0 M1 L01.0 L01.1 L2 D.0 D.1 V0 V1 V2 V3")


def _zen(number: str, *more: str) -> tuple[str, ...]:
    return _numbered(f"Zn{number}", " ".join(("ALU0 ALU1 ALU2 ALU3 AGU0 AGU1 AGU2", *more)))


SOURCES = {
    "skylake_sp": Source("x86_64", "skylake-avx512", _SKX, "fused"),
    "icelake_sp": Source("x86_64", "icelake-server", _ICX, "fused"),
    "alderlake_p": Source("x86_64", "alderlake", _ADL, "fused"),
    "zen2": Source("x86_64", "znver2", _zen("2", "FPU0 FPU1 FPU2 FPU3 Divider Multiplier"), "split"),
    "zen3": Source("x86_64", "znver3", _zen("3", "BRU1 FP0 FP1 FP2 FP3 FP45.0 FP45.1 Store.0 Store.1")),
    "zen4": Source("x86_64", "znver4", _zen("4", "BRU1 FP0 FP1 FP2 FP3 FP45.0 FP45.1 Store.0 Store.1")),
    "neoverse_n1": Source("arm64", "neoverse-n1", _N1, "macro"),
    "neoverse_v1": Source("arm64", "neoverse-v1", _V1, "macro"),
}


def main(names: list[str]) -> None:
    spoken: dict[str, dict[str, str]] = {}
    for name in names or list(SOURCES):
        source = SOURCES[name]
        known = forms(source.arch)
        if source.arch not in spoken:
            spoken[source.arch] = texts(source.arch, known)
        model = ask(source.arch, source.llvm, spoken[source.arch])
        entries = _entries(source, model, known)
        path = DATA / f"{name}.toml"
        head = path.read_text().partition("[instructions]\n")[0] if path.exists() else ""
        lines = [f'"{form}" = [{uops}, {latency}, "{spec}"]\n' for form, (uops, latency, spec) in entries.items()]
        path.write_text(f"{head}[instructions]\n{''.join(lines)}")
        print(f"{name}: {len(entries)} of {len(known)} forms", file=sys.stderr)


def _entries(source: Source, model: Model, known: dict[str, bytes]) -> dict[str, tuple[int, int, str]]:
    decode = decoder_of(source.arch).facts
    load = model.rows[_PLAIN_LOAD[source.arch]].latency
    found = {}
    for form in sorted(known):
        row, facts = model.rows.get(form), decode(known[form])
        if row is None or row.latency >= NO_DATA or row.uops >= NO_DATA:
            continue
        spec = _ports(source, model, row, facts)
        found[form] = (_uops(source, row, facts, spec), _latency(model, row, facts, form, load), spec_of(spec))
    return found


def _latency(model: Model, row: Row, facts: Facts, form: str, load: int) -> int:
    """Cycles from operands to results, the loaded value among the operands."""
    if facts.kind in CONTROL:
        return 1
    if facts.store_bytes and not facts.writes:
        return 0  # nothing waits for it but loads of what it stores, which are the core model's
    plain = form.removeprefix("lock ")
    registers = re.sub(r"\bm(8|16|32|64)\b", r"r\1", plain, count=1)
    register = model.rows.get(registers) if registers != plain else None
    if facts.load_bytes and register is not None and not form.startswith(("mov", "pop")):
        return min(register.latency, 30)
    if facts.load_bytes:
        return row.bypass if row.bypass < row.latency else max(0, row.latency - load)
    return row.latency


def _ports(source: Source, model: Model, row: Row, facts: Facts) -> tuple[tuple[int, int], ...]:
    """Every group with what the groups inside it do not have; LLVM adds to a group what its parts do."""
    bits = {unit: 1 << number for number, unit in enumerate(source.ports)}
    cycles: dict[int, int] = {}
    for group, count in row.cycles:
        mask = sum(bits.get(unit, 0) for unit in set(model.units.get(group, ())))
        if mask:
            cycles[mask] = max(cycles.get(mask, 0), count)
    own: dict[int, int] = {}
    for mask in sorted(cycles, key=lambda mask: (mask.bit_count(), mask)):
        left = cycles[mask] - sum(count for part, count in own.items() if part & ~mask == 0)
        if left > 0:
            own[mask] = left
    if facts.form.startswith(("push ", "pop ", "call ", "ret")) and source.counts == "fused":
        own = _without_stack_pointer(own)  # the front end moves it on
    largest = sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_GROUPS]
    return tuple(sorted(largest))


def _without_stack_pointer(own: dict[int, int]) -> dict[int, int]:
    wide = max(own, key=int.bit_count, default=0)
    return (
        {mask: count - (mask == wide) for mask, count in own.items() if count > (mask == wide)}
        if wide.bit_count() > 3
        else own
    )


def _uops(source: Source, row: Row, facts: Facts, spec: tuple[tuple[int, int], ...]) -> int:
    """Number of micro-operations that dispatch counts."""
    if source.counts == "macro":
        return max(1, (row.uops + 1) // 2) if row.uops > 3 else 1
    if source.counts == "split":
        return max(1, row.uops - (1 if facts.load_bytes and not facts.store_bytes else 0))
    if source.counts != "fused":
        return row.uops
    total = row.uops - (1 if facts.form.startswith(("push ", "pop ", "call ", "ret")) else 0)
    loads = min(total - 1, 1) if facts.load_bytes else 0
    return max(1, total - loads - (1 if facts.store_bytes and total - loads > 1 else 0))


if __name__ == "__main__":
    main(sys.argv[1:])
