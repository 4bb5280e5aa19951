# SPDX-License-Identifier: GPL-2.0-only
"""Why a series does something else in a corner: the symbol of the configuration, or the function's machine code."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kassay.labs.review.corners import parts_of
from kassay.labs.review.model import Cell
from kassay.labs.review.settings import setting_text
from kassay.model.finding import Attribution, AttributionRow, Finding
from kassay.model.kernel import KernelArtifact
from kassay.model.profile import base_name
from kassay.model.texts import listed
from kassay.model.units import format_numbers

_NAMED = 2
"""Functions that a text names."""


class Build(NamedTuple):
    """The series in one build."""

    findings: Sequence[Finding]
    images: tuple[KernelArtifact, KernelArtifact]
    """Kernels without and with the series."""


def deciding(corner: str, config: str, own: Build, there: Build, cells: Sequence[Cell]) -> tuple[str, ...]:
    """One text for each setting whose verdict in the corner is another one.

    config: of the usual build. own, there: that build, and the corner. cells: of the corner.
    """
    usual = {(f.workload, f.settings, f.metric): f for f in own.findings}
    found = {(f.workload, f.settings, f.metric): f for f in there.findings}
    symbols = tuple(_functions(image) for image in (*own.images, *there.images))
    texts = []
    for cell in cells:
        key = cell.workload, cell.settings, cell.phase
        if key not in usual or usual[key].verdict == cell.verdict:
            continue
        why = cell.reason or _why(corner, config, usual[key], found[key], symbols)
        texts.append(f"{corner}, {setting_text(*cell.key)}: {why}.")
    return tuple(texts)


_Symbols = Sequence[frozenset[str] | None]
"""Names of the functions of four images: the usual build, then the corner, each without and with the series. None for
an image without a symbol table."""


def _functions(image: KernelArtifact) -> frozenset[str] | None:
    if image.symbols is None:
        return None
    try:
        return frozenset(map(base_name, Path(image.symbols).read_text("utf-8").split()[2::3]))
    except OSError:
        return None


def _why(corner: str, config: str, own: Finding, there: Finding, symbols: _Symbols) -> str:
    if own.attribution is None or there.attribution is None:
        return "without profiles of both, kassay cannot say which function decides"
    rows = _rows(own.attribution, there.attribution)
    return "; ".join((*_symbol(corner, config), *_code(rows, symbols))) or _largest(rows, own.unit)


def _symbol(corner: str, config: str) -> Iterator[str]:
    """The symbols, if the corner changes some and nothing else."""
    parts = parts_of(corner)
    base, *fragments = parts.get("config", "").split("+")
    if parts.keys() == {"config"} and base in ("", config) and all(one.startswith("CONFIG_") for one in fragments):
        yield f"{listed(fragments)} decide{'s' * (len(fragments) == 1)}, because nothing else is changed"


_Row = tuple[float, float]
"""Instructions per operation of a function, base and head; zeros for one that did not run as one of its own."""


def _code(rows: Mapping[str, tuple[_Row, _Row]], symbols: _Symbols) -> Sequence[str]:
    """Changed functions that ran, or have code of their own, in one build and not in the other, most instructions
    first."""
    words = []
    for name, (usual, corner) in sorted(rows.items(), key=lambda item: -max(*item[1][0], *item[1][1])):
        changes = usual[0] != usual[1] or corner[0] != corner[1]
        states = _states(name, usual, symbols[:2], symbols), _states(name, corner, symbols[2:], symbols)
        if changes and states[0] != states[1]:
            words.append(f"{name} {_WORDS[states[1]]} there, and {_WORDS[states[0]]} in the usual build")
    return words[:_NAMED]


_RAN, _IDLE, _ABSENT = "ran", "idle", "absent"
"""States of a function in one kernel. _ABSENT: the image has no code of its own for it."""
_WORDS = {
    (_RAN, _RAN): "ran without and with the series",
    (_RAN, _IDLE): "did not run with the series",
    (_RAN, _ABSENT): "is inlined or removed by the series",
    (_IDLE, _RAN): "ran only with the series",
    (_IDLE, _IDLE): "did not run",
    (_IDLE, _ABSENT): "did not run, and has no code of its own with the series",
    (_ABSENT, _RAN): "gets code of its own by the series",
    (_ABSENT, _IDLE): "gets code of its own by the series, which did not run",
    (_ABSENT, _ABSENT): "has no code of its own",
}
"""By the states without and with the series."""


def _rows(own: Attribution, there: Attribution) -> Mapping[str, tuple[_Row, _Row]]:
    """The kernel's functions, each in the usual build and in the corner."""
    usual, corner = _of_build(own), _of_build(there)
    return {name: (usual.get(name, (0.0, 0.0)), corner.get(name, (0.0, 0.0))) for name in {**usual, **corner}}


def _of_build(attribution: Attribution) -> Mapping[str, _Row]:
    """The kernel's functions in one build; copies of one function together."""
    rows: dict[str, _Row] = {}
    for row in filter(_of_kernel, attribution.rows):
        base, head = rows.get(base_name(row.function), (0.0, 0.0))
        rows[base_name(row.function)] = base + row.base, head + row.head
    return rows


def _of_kernel(row: AttributionRow) -> bool:
    return row.place == "kernel" and row.context == "kernel"


def _states(name: str, row: _Row, own: _Symbols, symbols: _Symbols) -> tuple[str, str]:
    """States without and with the series. A function that no image names may have another name there: it is idle."""
    is_named = any(names is not None and name in names for names in symbols)
    base, head = (
        _RAN if value > 0 else _ABSENT if is_named and names is not None and name not in names else _IDLE
        for value, names in zip(row, own, strict=True)
    )
    return base, head


def _largest(rows: Mapping[str, tuple[_Row, _Row]], unit: str) -> str:
    """The function whose change differs most, with both changes."""
    changes = {name: tuple(after - before for before, after in builds) for name, builds in rows.items()}
    if not changes:
        return "no function of the kernel ran"
    name = max(changes, key=lambda one: abs(changes[one][0] - changes[one][1]))
    before, after = format_numbers(changes[name])
    return f"the same functions ran; {name} changes by {after} {unit} there, and by {before} in the usual build"
