# SPDX-License-Identifier: GPL-2.0-only
"""Records of a stream, undamaged and complete -> GuestReport."""

import re
from collections.abc import Iterable, Sequence

from kassay.model.guest import CapturedFile, GuestReport, PhaseRounds, Requirement

Found = tuple[str, str, str]
"""kind, name, payload"""

_CLOCK = re.compile(r"clock (tsc|monotonic)\nticks_per_second (unknown|[1-9]\d{0,11})\noverhead (\d{1,19})\n")
_OPERATIONS = re.compile(r"operations (\d{1,19})")
_REQUIRE = re.compile(r"(before|after) (\S{1,80}) (==|!=|<=|>=) (\S{1,80})")
_KINDS = ("workload", "clock", "phase", "rounds", "file", "absent", "require", "check", "note")


def assemble(records: Iterable[Found]) -> GuestReport:
    """Builds the report. Raises ValueError with a sentence when a record is missing, doubled or not understood."""
    by_kind: dict[str, list[Found]] = {kind: [] for kind in _KINDS}
    for record in records:
        if record[0] not in by_kind:
            raise ValueError(f"unknown record kind {record[0]!r}")
        by_kind[record[0]].append(record)
    clock = _match(_CLOCK, _only(by_kind, "clock"))
    phases = [(name, int(_match(_OPERATIONS, text).group(1))) for _, name, text in by_kind["phase"]]
    counted = _only(by_kind, "rounds") == "profile\n"
    _only(by_kind, "workload")
    return GuestReport(
        workload=by_kind["workload"][0][1],
        clock=clock.group(1),
        ticks_per_second=None if clock.group(2) == "unknown" else int(clock.group(2)),
        overhead_ticks=int(clock.group(3)),
        phases=_uncounted(phases) if counted else _phases(phases, _boundaries(_only(by_kind, "rounds"))),
        requirements=tuple(_requirement(text) for _, _, text in by_kind["require"]),
        files=tuple(_file(*record) for record in (*by_kind["file"], *by_kind["absent"])),
        check=_only(by_kind, "check"),
        notes=tuple(text for _, _, text in by_kind["note"]),
        intervals=tuple(name for name, _ in phases if name != "iteration"),
        counted=counted,
    )


def _only(by_kind: dict[str, list[Found]], kind: str) -> str:
    matching = by_kind[kind]
    if len(matching) != 1:
        raise ValueError(f"{len(matching)} records {kind!r} instead of one")
    return matching[0][2]


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(f"a record is not understood: {text[:80]!r}")
    return match


def _requirement(text: str) -> Requirement:
    moment, field, operator, value = _match(_REQUIRE, text).groups()
    return Requirement(moment=moment, field=field, operator=operator, value=value)


def _file(kind: str, name: str, text: str) -> CapturedFile:
    moment, colon, path = name.partition(":")
    if moment not in ("boot", "before", "after") or not colon:
        raise ValueError(f"a captured file without a moment: {name!r}")
    if kind == "absent":
        return CapturedFile(moment=moment, path=path, content=None, absent=text)
    return CapturedFile(moment=moment, path=path, content=text)


def _boundaries(text: str) -> list[list[int]]:
    """One row of ticks per round."""
    rows = []
    for line in text.splitlines():
        fields = line.split(" ")
        if not all(word.isascii() and word.isdigit() and len(word) < 20 for word in fields):
            raise ValueError(f"a round is not understood: {line[:80]!r}")
        rows.append([int(word) for word in fields])
    flat = [tick for row in rows for tick in row]
    if not flat or flat != sorted(flat):
        raise ValueError("the rounds are empty, or time runs backwards in them")
    return rows


def _uncounted(declared: Sequence[tuple[str, int]]) -> tuple[PhaseRounds, ...]:
    """Phases of which only the profile knows the rounds."""
    return tuple(PhaseRounds(phase=name, operations=operations, ticks=()) for name, operations in declared)


def _phases(declared: Sequence[tuple[str, int]], rows: Sequence[Sequence[int]]) -> tuple[PhaseRounds, ...]:
    """Ticks per phase. "-" is not reported; "iteration" is from the first to the last reported boundary."""
    timed = [phase for phase in declared if phase[0] != "iteration"]
    names = [name for name, _ in declared if name != "-"]
    if len(set(names)) != len(names) or any(len(row) != len(timed) + 1 for row in rows):
        raise ValueError(f"the rounds do not fit the phases {', '.join(name for name, _ in declared)}")
    spans = {name: (index, index + 1) for index, (name, _) in enumerate(timed) if name != "-"}
    if not spans:
        raise ValueError("no phase is reported")
    spans["iteration"] = (min(first for first, _ in spans.values()), max(last for _, last in spans.values()))
    phases = []
    for name, operations in declared:
        if name == "-":
            continue
        if not operations:
            raise ValueError(f"phase {name}: no operations")
        first, last = spans[name]
        phases.append(PhaseRounds(phase=name, operations=operations, ticks=tuple(r[last] - r[first] for r in rows)))
    return tuple(phases)
