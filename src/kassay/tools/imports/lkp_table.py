# SPDX-License-Identifier: GPL-2.0-only
"""The robot's table: axes, commits, and rows "mean ±dev% change mean ±dev% key", with any white space between.

From its shares of cycles come cycles per operation and function, which the robot never prints.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.model.samples import FunctionShares, LkpHeader, Spread

_NUM = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?"
_SIDE = rf"({_NUM})(?:\s*±\s*(\d+)%)?"
_ROW = re.compile(rf"{_SIDE}\s+([+-]\d+(?:\.\d+)?(?:e[+-]\d+)?%?)\s+{_SIDE}\s+(\S+)")
_FAILS = re.compile(r"(\d*:\d+)\s+([+-]?\d+%)\s+(\d*:\d+)\s+(\S+)")
_COMMIT = re.compile(r'(\S+)(?:\s+\("(.*)"\))?')
_DASHES = re.compile(r"-{8,}(\s+-{8,})+")
_STARTS_ROW = re.compile(r"[-\d:±]")
_CUT = "the mail is cut off or changed; give it as the robot sent it"


class TableRow(NamedTuple):
    """One row."""

    location: str
    """Place of the row, such as "file: line 3", for errors."""
    key: str
    base: Spread
    """Value of base as printed."""
    head: Spread
    """Value of head as printed."""


class LkpTable(NamedTuple):
    """One comparison of a mail."""

    header: LkpHeader
    commits: tuple[str, str]
    rows: tuple[TableRow, ...]
    end: int
    """Index of the first line after the table."""


def read_table(lines: list[str], start: int, file: str) -> LkpTable:
    """The table whose line of "=" is lines[start]. Raises BadInput with the line of what does not fit."""
    at = start + 1
    names = _line(lines, at, file).rstrip(":").split("/")
    values = _line(lines, at + 1, file).split("/")
    if len(names) != len(values):
        raise BadInput(f"{file}: line {at + 2}: {len(values)} values for {len(names)} axes", _CUT)
    if _line(lines, at + 2, file) != "commit:":
        raise BadInput(f"{file}: line {at + 3}: 'commit:' should stand here", _CUT)
    dashes = next((i for i in range(at + 3, min(at + 12, len(lines))) if _DASHES.fullmatch(lines[i])), None)
    if dashes is None:
        raise BadInput(f"{file}: line {at + 3}: no line of dashes below the commits", _CUT)
    ids = lines[dashes - 1].split()
    commits = [match for line in lines[at + 3 : dashes - 1] if line and (match := _COMMIT.fullmatch(line))]
    if len(ids) != 2 or len(commits) != 2:
        raise BadInput(f"{file}: line {dashes}: {len(ids)} columns and {len(commits)} commits",
                       "tables of two commits can be read; cut the mail to one comparison")  # fmt: skip
    header = LkpHeader(axes=tuple(zip(names, values, strict=True)), base_id=ids[0], head_id=ids[1],
                       base_subject=commits[0].group(2) or "", head_subject=commits[1].group(2) or "")  # fmt: skip
    rows, end = _rows(lines, dashes + 1, file)
    return LkpTable(header, (commits[0].group(1), commits[1].group(1)), rows, end)


def _line(lines: list[str], at: int, file: str) -> str:
    if at >= len(lines):
        raise BadInput(f"{file}: line {len(lines)}: the table ends in its header", _CUT)
    return lines[at]


def _rows(lines: list[str], at: int, file: str) -> tuple[tuple[TableRow, ...], int]:
    """Rows until the first line that cannot be a row. Headers are skipped, also one below rows: rows of failures have
    their own above that of the others."""
    rows: list[TableRow] = []
    locations: dict[str, str] = {}
    while at < len(lines) and not (rows and not lines[at]):
        line, location = lines[at], f"{file}: line {at + 1}"
        if _STARTS_ROW.match(line):
            row = _row(line, location)
            if row.key in locations:
                raise BadInput(f"{location}: {row.key} again, first at {locations[row.key]}", "remove one of the two")
            locations[row.key] = location
            rows.append(row)
        elif not _header_line(line):
            break
        at += 1
    if not rows:
        raise BadInput(f"{file}: line {at}: no rows below the table's header", _CUT)
    _check_last_row(rows[-1], len(lines), file)
    return tuple(rows), at


def _check_last_row(last: TableRow, lines: int, file: str) -> None:
    """Raises BadInput for a row whose key may be cut off: a whole file ends with a newline, a key is NAME.STATISTIC."""
    if last.location == f"{file}: line {lines}":
        raise BadInput(f"{last.location}: the file ends inside this row", _CUT)
    if "." not in last.key or last.key.endswith("."):
        raise BadInput(f"{last.location}: {last.key[:40]!r} is no name of a statistic", _CUT)


def is_row(line: str) -> bool:
    """True for a row of a table, wherever it stands."""
    return bool(_ROW.fullmatch(line) or _FAILS.fullmatch(line))


def _header_line(line: str) -> bool:
    return "%stddev" in line or "fail:runs" in line or set(line) <= set("\\| ")


def _row(line: str, location: str) -> TableRow:
    match = _ROW.fullmatch(line)
    if match:
        base, base_dev, change, head, head_dev, key = match.groups()
        return TableRow(location, key, _spread(base, base_dev, "", location), _spread(head, head_dev, change, location))
    fails = _FAILS.fullmatch(line)
    if fails:
        base, change, head, key = fails.groups()
        return TableRow(location, key, _failures(base, "", location), _failures(head, change, location))
    raise BadInput(f"{location}: {line[:50]!r} is not a row of the table",
                   "a row is: mean, ± spread, change, mean, ± spread, key")  # fmt: skip


def _spread(mean: str, deviation: str | None, change: str, location: str) -> Spread:
    value = float(mean)
    if len(mean) > 60 or value in (float("inf"), float("-inf")):
        raise BadInput(f"{location}: {mean[:40]!r} is too large", _CUT)
    if deviation is not None and len(deviation) > 6:
        raise BadInput(f"{location}: ± {deviation[:20]}% is too large", _CUT)
    return Spread(mean=value, deviation=None if deviation is None else int(deviation) / 100, n=None,
                  mean_text=mean, deviation_text="" if deviation is None else f"{deviation}%",
                  change_text=change)  # fmt: skip


def _failures(text: str, change: str, location: str) -> Spread:
    """ "1:6" as the share of runs that failed, with its n; nothing before the colon means that none failed."""
    failed, _, runs = text.partition(":")
    if len(text) > 20 or int(runs) == 0 or int(failed or 0) > int(runs):
        raise BadInput(f"{location}: {text[:20]!r} is no count of failures", "it reads failed:runs")
    return Spread(mean=int(failed or 0) / int(runs), deviation=None, n=int(runs), mean_text=text, change_text=change)


Sides = Mapping[str, tuple[Spread, Spread]]
_SELF = "perf-profile.self.cycles-pp."
_UNIT = "cycles/op"
_COUNTERS = ("perf-stat.i.cpi", "perf-stat.i.instructions")
_OF_WHOLE_RUN = ("perf-stat.overall.cpi", "perf-stat.ps.instructions")
_AGREE = 0.02  # means are printed with three to four digits, and a mean of ratios is not the ratio of means


def function_shares(workload: str, sides: Sides) -> tuple[FunctionShares | None, tuple[str, ...]]:
    """The cost of every printed function per operation, and notes; None, with a note why, when a factor is missing.

    Shares sum to 100 %, so a function's share grows merely because another one shrank; its cost does not.
    """
    work = next((key for key in sides if key.endswith(".workload")), None)
    functions = [key for key in sides if key.startswith(_SELF)]
    missing = [name for name in _COUNTERS if name not in sides]
    missing += ["row that ends in .workload"] * (work is None) + [f"{_SELF}*"] * (not functions)
    if work is None or missing:
        return None, (f"no cycles per operation: the mail has no {', '.join(missing)}",)
    zero = _zero(sides, (*_COUNTERS, work))
    if zero:
        where = [name for name, side in zip(("base", "head"), sides[zero[0]], strict=True) if side.mean <= 0]
        return None, (f"no cycles per operation: {zero[0]} is zero in {' and in '.join(where)}",)
    base, head = _cycles(sides, _COUNTERS, work)
    rows = tuple((key.removeprefix(_SELF), _part(sides[key][0], base), _part(sides[key][1], head)) for key in functions)
    shares = FunctionShares(
        workload=workload, unit=_UNIT, base_total=base, head_total=head, rows=rows,
        how=f"share of cycles in the function itself (perf-profile.self) x cycles per second (perf-stat.i.cpi x "
            f"perf-stat.i.instructions) / operations per second ({work}); functions the mail does not print make up "
            "the rest of the total; one it prints as 0.00 is absent",
    )  # fmt: skip
    return shares, _cross_check(sides, work, base, head)


def _zero(sides: Sides, keys: Sequence[str]) -> list[str]:
    """Keys of rows that are zero on a side; a small mean is printed as zero."""
    return [key for key in keys if any(side.mean <= 0 for side in sides[key])]


def _cycles(sides: Sides, counters: tuple[str, str], work: str) -> tuple[float, float]:
    """Cycles per operation of base and head. counters: keys of cycles per instruction, and of instructions."""
    cpi, instructions = (sides[key] for key in counters)
    base, head = (cpi[i].mean * instructions[i].mean / sides[work][i].mean for i in (0, 1))
    return base, head


def _part(share: Spread, total: float) -> float | None:
    return share.mean / 100 * total if share.mean > 0 else None


def _cross_check(sides: Sides, work: str, base: float, head: float) -> tuple[str, ...]:
    """Notes: the same totals from the counters of the whole run, when the mail has them."""
    if not sides.keys() >= set(_OF_WHOLE_RUN) or _zero(sides, _OF_WHOLE_RUN):
        return (f"cycles per operation could not be checked: no {' and '.join(_OF_WHOLE_RUN)}",)
    others = _cycles(sides, _OF_WHOLE_RUN, work)
    agree = all(abs(other - total) <= _AGREE * total for other, total in zip(others, (base, head), strict=True))
    return (
        f"cycles per operation, as the mail has the commits: {base:.0f} -> {head:.0f}; by the counters of the whole "
        f"run {others[0]:.0f} -> {others[1]:.0f}, which {'agrees' if agree else 'does NOT agree'} within {_AGREE:.0%}",
    )
