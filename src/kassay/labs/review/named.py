# SPDX-License-Identifier: GPL-2.0-only
"""Settings that a sentence names, by the words of the workloads' parameters: "for THP", "order-9", "64 MiB"."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from kassay.labs.review.model import Cell
from kassay.model.units import parse_bytes
from kassay.supply.guest import catalog

Value = tuple[str, str]
"""A parameter and its value."""

_DISTINCT = ("shared", "private", "anonymous", "thp", "zram", "mbind", "truncate", "punch")
"""Values that name a setting by themselves, as those of several words do; "write" and "none" are in any sentence."""
_OTHER_NAMES: Mapping[str, tuple[Value, ...]] = {
    r"\bTHPs?\b|\b(?:transparent )?huge ?pages?\b|\bPMD-(?:mapped|sized)\b": (("pages", "thp"), ("order", "9")),
    r"\b(?:small|order-0) folios?\b|\b(?:base|small|4 ?Ki?B?) pages?\b": (("pages", "base"), ("order", "0")),
}
_ARCHES: Mapping[str, str] = {
    "x86_64": r"x86(?:[_-]64)?|amd64|Xeon|EPYC|Ryzen|Skylake|Icelake|Sapphire Rapids",
    "arm64": r"arm64|aarch64|Neoverse|Cortex|Altra|Graviton\d?",
    "riscv": r"riscv\w*|RISC-V",
    "powerpc": r"ppc64\w*|powerpc|POWER ?\d+",
    "s390": r"s390x?",
    "loongarch": r"loongarch\w*",
}
"""Words for the architecture of a figure, the CPUs of one included."""
_SIZE = re.compile(r"(?<![\w.])(\d+) ?([KMG]i?B?)\b")


def arches_in(sentence: str) -> tuple[str, ...]:
    """The architectures that the sentence names."""
    return tuple(name for name, words in _ARCHES.items() if re.search(rf"\b(?:{words})\b", sentence, re.IGNORECASE))


def named_in(sentence: str, cells: Sequence[Cell]) -> tuple[tuple[Value, ...], tuple[Cell, ...]]:
    """(values that the sentence names, the cells that have them).

    A cell must have one of the named values of each parameter. If the sentence names workloads, parameters that these
    do not have name nothing. Without a named value all cells are returned.
    """
    groups: list[set[Value]] = []
    for alternatives in _mentioned(sentence, cells):
        parameters = {name for name, _ in alternatives}
        joined = [group for group in groups if parameters & {name for name, _ in group}]
        groups = [group for group in groups if group not in joined]
        groups.append(set(alternatives).union(*joined))
    workloads = workloads_in(sentence)
    found = tuple(cell for cell in cells if all(_has(cell, group, workloads) for group in groups))
    return tuple(sorted(value for group in groups for value in group)), found


def _has(cell: Cell, group: Iterable[Value], workloads: Container[str]) -> bool:
    """True if the cell has one of the values, or its workload, which the sentence names, has none of the parameters."""
    values = _values(cell)
    is_open = cell.workload in workloads and not {name for name, _ in group} & {name for name, _ in values}
    return is_open or not values.isdisjoint(group)


def workloads_in(text: str) -> frozenset[str]:
    """The workloads of the catalogue that a text names."""
    return frozenset(name for name in catalog.workloads() if re.search(rf"\b{re.escape(name)}\b", text))


def _values(cell: Cell) -> set[Value]:
    return {("workload", cell.workload), *((setting.name, setting.value) for setting in cell.settings)}


def _mentioned(sentence: str, cells: Sequence[Cell]) -> list[tuple[Value, ...]]:
    """Words of the sentence that name settings, each as the values that it may mean."""
    workloads = workloads_in(sentence)
    own = {value for cell in cells if not workloads or cell.workload in workloads for value in _values(cell)}
    known = {value for value in own if value[0] != "workload"}
    known |= set(_choices(workloads or {cell.workload for cell in cells}))
    found: list[tuple[Value, ...]] = [(("workload", name),) for name in sorted(workloads)]
    found += [(value,) for value in sorted(known) if _is_named(value, sentence)]
    for words, values in _OTHER_NAMES.items():
        possible = tuple(value for value in values if value in known)
        if possible and re.search(words, sentence, re.IGNORECASE):
            found.append(possible)
    sizes = {parse_bytes("".join(match.groups())) for match in _SIZE.finditer(sentence)}
    found += [(value,) for value in sorted(own) if value[0] == "size" and parse_bytes(value[1]) in sizes]
    return found


def _choices(workloads: Iterable[str]) -> Iterable[Value]:
    for name in workloads:
        for parameter in catalog.workloads()[name].parameters:
            yield from ((parameter.name, choice) for choice in parameter.choices)


def _is_named(value: Value, sentence: str) -> bool:
    name, text = value
    words = re.escape(text).replace("_", "[_ ]")
    alone = rf"|\b{words}\b" if text in _DISTINCT or "_" in text else ""
    return re.search(rf"\b{re.escape(name)}[ =-]{words}\b{alone}", sentence, re.IGNORECASE) is not None
