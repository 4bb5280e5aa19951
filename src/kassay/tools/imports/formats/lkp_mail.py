# SPDX-License-Identifier: GPL-2.0-only
"""A mail of the kernel test robot: means and spreads of two commits, single values unknown."""

import math
import re
from collections.abc import Sequence

import msgspec

from kassay.errors import BadInput
from kassay.model.records import Setting, repeats
from kassay.model.samples import FunctionShares, ImportedKernel, SampleSeries, Spread
from kassay.tools.imports.importer import Given, Importer, Reading, no_kernel_given, settings_of
from kassay.tools.imports.lkp_keys import headline_of, metric_of
from kassay.tools.imports.lkp_table import LkpTable, TableRow, function_shares, is_row, read_table
from kassay.tools.imports.text import lines_of

_QUOTE = re.compile(r"^(?:[ \t]*>)+[ \t]?")
_AXES_ABOVE = re.compile(rb"^[> \t]*={20,}[ \t\r]*$", re.MULTILINE)
_FACT = re.compile(r"(commit|test machine|testcase):\s+(\S.*)")
_IDENTITY = ("compiler", "kconfig", "rootfs", "tbox_group", "testcase")
_VISIBLE = 40  # %; a spread above this most likely comes from runs in which the value was zero


def _recognise(given: Given) -> bool:
    return b"%stddev" in given.data and b"%change" in given.data and _AXES_ABOVE.search(given.data) is not None


def _read(givens: tuple[Given, ...]) -> Reading:
    if len(givens) > 1:
        raise BadInput(f"{givens[1].location}: a second mail", "import one mail at a time, each into its own directory")
    given = givens[0]
    no_kernel_given(givens)
    lines = [_QUOTE.sub("", line).strip() for line in lines_of(given)]
    facts = _facts(lines)
    tables = _tables(lines, given.location)
    varying = _varying(tables, given.location)
    series: list[SampleSeries] = []
    shares: list[FunctionShares] = []
    notes = ["the mail has means and spreads only: no single values, no order, no n"]
    for table in tables:
        table_shares, remarks = function_shares(_workload(table), {row.key: (row.base, row.head) for row in table.rows})
        settings = _settings(table, varying)
        series += _series(table, facts, settings, varying)
        if table_shares is not None:
            shares.append(
                msgspec.structs.replace(table_shares, settings=settings if len(tables) > 1 else msgspec.UNSET)
            )
        notes += [*remarks, *_implied_n(table.rows)]
    notes.append("functions that vanished and had less than 5 % of the cycles are not in the robot's table")
    first = tables[0]
    boxes = dict.fromkeys(dict(table.header.axes).get("tbox_group") for table in tables)
    machine = ", ".join(filter(None, (*boxes, facts.get("test machine")))) or "unknown"
    return Reading(
        format="LKP mail", kernels=_kernels(tables, facts, given.location), series=tuple(series), replication="unknown",
        machine=machine, notes=tuple(dict.fromkeys(notes)), shares=tuple(shares),
        lkp_header=first.header if len(tables) == 1 else None,
    )  # fmt: skip


def _facts(lines: list[str]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for line in lines:
        match = _FACT.fullmatch(line)
        if match:
            facts.setdefault(match.group(1), match.group(2))
    return facts


def _tables(lines: list[str], file: str) -> list[LkpTable]:
    tables: list[LkpTable] = []
    at = 0
    while at < len(lines):
        if len(lines[at]) >= 20 and set(lines[at]) == {"="}:
            tables.append(read_table(lines, at, file))
            at = tables[-1].end
        elif tables and is_row(lines[at]):
            raise BadInput(f"{file}: line {at + 1}: a row below other text than a table",
                           "remove what was written between the rows")  # fmt: skip
        else:
            at += 1
    if not tables:
        raise BadInput(f"{file}: no table below a line of =", "give the robot's mail with its table")
    return tables


def _workload(table: LkpTable) -> str:
    return dict(table.header.axes).get("testcase", "unknown")


def _varying(tables: list[LkpTable], file: str) -> tuple[str, ...]:
    """Axes of _IDENTITY in which the tables differ: a setting each, as values of two machines are not compared.
    Raises BadInput for a table that comes twice."""
    for table, first in repeats(((table.header.axes, table.commits), table) for table in tables):
        raise BadInput(
            f"{table.rows[0].location}: the table of {first.rows[0].location} again", "remove one of the two"
        )
    axes = [dict(table.header.axes) for table in tables]
    return tuple(name for name in _IDENTITY if name != "testcase" and len({own.get(name) for own in axes}) > 1)


def _settings(table: LkpTable, varying: Sequence[str]) -> tuple[Setting, ...]:
    return settings_of({name: value for name, value in table.header.axes if name not in _IDENTITY or name in varying})


def _series(
    table: LkpTable, facts: dict[str, str], settings: tuple[Setting, ...], varying: Sequence[str]
) -> list[SampleSeries]:
    headline = headline_of([row.key for row in table.rows], _workload(table))
    machine = "" if "tbox_group" in varying else facts.get("test machine", "")
    threads = re.match(r"(\d{1,6}) threads", machine)
    plain = SampleSeries(
        kernel="", workload=_workload(table), metric="", unit="", definition="", better="unknown", settings=settings,
        cpus=int(threads.group(1)) if threads else None,
    )  # fmt: skip
    return [
        _commit_series(plain, row, spread, _label(commit), row.key == headline)
        for row in table.rows
        for commit, spread in zip(table.commits, (row.base, row.head), strict=True)
    ]


def _commit_series(plain: SampleSeries, row: TableRow, spread: Spread, label: str, primary: bool) -> SampleSeries:
    metric = metric_of(row.key)
    unit, better, definition = metric.unit, metric.better, metric.definition
    if spread.n is not None:
        unit, better, definition = "share", "unknown", "runs in which this happened, of all runs"
    return msgspec.structs.replace(plain, kernel=label, metric=row.key, unit=unit, better=better,
                                   definition=definition, spread=spread, primary=primary)  # fmt: skip


def _label(commit: str) -> str:
    return commit[:10] if re.fullmatch(r"[0-9a-f]{10,40}", commit) else commit


def _kernels(tables: list[LkpTable], facts: dict[str, str], file: str) -> tuple[ImportedKernel, ...]:
    """Base and head, with the longest form of each commit that the mail prints."""
    pairs = {tuple(_label(commit) for commit in table.commits) for table in tables}
    if len(pairs) > 1:
        raise BadInput(f"{file}: its tables compare different commits", "cut the mail to one comparison")
    table = tables[0]
    long_form = facts.get("commit", "").split(" ")[0]
    kernels = []
    for commit, printed in zip(table.commits, (table.header.base_id, table.header.head_id), strict=True):
        forms = [form for form in (commit, printed, long_form) if form.startswith(_label(commit))]
        full = max(forms, key=len)
        compilers = {dict(one.header.axes).get("compiler") for one in tables}
        kernels.append(ImportedKernel(label=_label(commit), compiler=compilers.pop() if len(compilers) == 1 else None,
                                      commit=full if re.fullmatch(r"[0-9a-f]{7,40}", full) else None))  # fmt: skip
    if kernels[0].label == kernels[1].label:
        raise BadInput(f"{file}: both columns are {kernels[0].label}", "a comparison has two commits")
    return tuple(kernels)


def _implied_n(rows: tuple[TableRow, ...]) -> tuple[str, ...]:
    """Number of values n, derived from the largest spreads. The spread of n values that are never negative is largest,
    sqrt(n - 1), when only one of them is not zero; when k of them are not zero it is sqrt((n - k) / k)."""
    spreads = [spread.deviation for row in rows for spread in (row.base, row.head)]
    printed = sorted(
        {round(100 * spread) for spread in spreads if spread is not None and 100 * spread >= _VISIBLE}, reverse=True
    )
    if not printed or not 100 <= printed[0] <= 1000:
        return ()
    least = math.ceil((printed[0] / 100) ** 2 + 1)
    fits = [
        k for k in range(1, least) if any(abs(100 * math.sqrt((least - k) / k) - percent) < 1.5 for percent in printed)
    ]
    return (
        f"n is not printed. Spreads of {', '.join(map(str, printed))} % occur: {printed[0]} % needs at least "
        f"{least} runs, and k of {least} runs that are not zero give sqrt(({least} - k) / k), which matches for k = "
        f"{', '.join(map(str, fits))}; so n = {least} is likely. It is an inference, and is not used",
    )


IMPORTER = Importer(name="lkp_mail", title="mail of the kernel test robot (LKP)", recognise=_recognise, read=_read)
