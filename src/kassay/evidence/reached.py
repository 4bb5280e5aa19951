# SPDX-License-Identifier: GPL-2.0-only
"""Workloads of the catalogue that execute a function, from a table that was measured once.

`python -m benchmarks.reached` makes the table.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from kassay.model.lines import Reached, ReachedRow, ReachedTable
from kassay.model.records import from_json

TABLE = Path(__file__).parent / "data" / "reached.json"
MOST = 5
"""Workloads that are named for one function."""


class _Functions(Mapping[str, Reached]):
    """Every name has an entry; a function that no workload executes has one without workloads."""

    def __init__(self, table: ReachedTable) -> None:
        self._table = table
        self._rows = {row.function: row for row in table.functions}

    def __getitem__(self, function: str) -> Reached:
        if not function:
            raise KeyError(function)
        row = self._rows.get(function) or ReachedRow(function=function, workloads=(), count=0)
        workloads = tuple(self._table.workloads[number] for number in row.workloads)
        return Reached(function=function, workloads=workloads, count=row.count, kernel=self._table.kernel)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@cache
def reached() -> Mapping[str, Reached]:
    """Workloads that execute a function, by function of the sources."""
    return _Functions(from_json(TABLE.read_bytes(), ReachedTable))
