# SPDX-License-Identifier: GPL-2.0-only
"""Questions to the atlas. Several histories are one: a series and a kernel have the same identity in each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kassay.errors import KassayError
from kassay.model.progress import Progress, Tell
from kassay.model.records import from_json
from kassay.model.workload import Workload
from kassay.supply.arches import arch_of, arches
from kassay.supply.archive.versions import series_of, upstream_of, version_key
from kassay.tools.atlas.records import AtlasCell, AtlasCost, AtlasKernel, AtlasSeries, AtlasVerdict
from kassay.tools.history.archive import Archive, Row, default_path, reading
from kassay.tools.history.linked import linked
from kassay.tools.history.packed import STOCK
from kassay.tools.history.records import ComparisonDetail

Cell = tuple[str, str]
"""Ids of a series and a kernel."""

FLAVOUR = "cloud"
"""Usual flavour of stock kernels."""
_USUAL = {"kernel parameters": "", "background tasks": "0", "waits until quiet": "yes"}
_FREE = frozenset((
    "value", "rounds", "boot", "boot parameters", "flavour", "emulator", "accelerator", "machine options", "program",
    "init", "plugin",
))  # fmt: skip
"""Conditions that any series may have. One with further conditions answers another question."""
_CELL = """
    k.id, k.ref, k.release, k.arch, k.image_sha256, s.id, s.workload, s.metric, s.unit, s.arch, s.settings,
    s.conditions, p.value, p.n, strftime(p.last_utc, '%Y-%m-%d')
"""
_CELLS = """
    FROM (SELECT DISTINCT series, kernel FROM t_functions) JOIN t_points p USING (series, kernel)
    JOIN t_series s USING (series) JOIN t_kernels k USING (kernel)
    WHERE s.is_primary AND s.clock = 'icount' AND s.cpus = 1 AND p.value > 0 AND p.n > 0
"""
_COSTS = """
    FROM t_functions f JOIN t_series s USING (series) JOIN t_kernels k USING (kernel) WHERE list_contains(?, function)
"""


class Atlas:
    """Function costs of the primary metrics in exact counts, on one CPU of the usual model and machine."""

    def __init__(self, archives: Sequence[Archive]) -> None:
        self._archives = archives
        kernels: dict[str, AtlasKernel] = {}
        series: dict[str, AtlasSeries] = {}
        cells: dict[Cell, AtlasCell] = {}
        for row in self._rows(f"SELECT {_CELL} {_CELLS}"):
            kernel, one = AtlasKernel(*(value or "" for value in row[:5])), AtlasSeries(*row[5:12])
            if one.conditions.get("flavour") == FLAVOUR and _is_usual(one):
                kernels[kernel.id], series[one.id] = kernel, one
                cells.setdefault((one.id, kernel.id), AtlasCell(row[12], row[13], row[14] or ""))
        self.kernels: Mapping[str, AtlasKernel] = kernels
        """By id, as the others."""
        self.series: Mapping[str, AtlasSeries] = series
        self.cells: Mapping[Cell, AtlasCell] = cells

    def nearest(self, version: str, arch: str) -> str:
        """Id of the stock kernel nearest to an upstream version: of its series, else the last before it, else the first
        after it; the newest of several. "" if the atlas has none of this architecture."""
        stock = {id_: one for id_, one in self.kernels.items() if one.arch == arch and one.locator}
        wanted = version_key(version)
        keys = {
            id_: (series_of(one.locator) == series_of(version), version_key(upstream_of(one.locator)))
            for id_, one in stock.items()
        }
        before = [id_ for id_, (same, key) in keys.items() if same or key <= wanted]
        if before:
            return max(before, key=lambda id_: keys[id_])
        return min(keys, key=lambda id_: keys[id_][1], default="")

    def costs(self, functions: Collection[str]) -> Mapping[Cell, Mapping[str, AtlasCost]]:
        """By cell the cost of each of these functions that was executed in it."""
        found: dict[Cell, dict[str, AtlasCost]] = {}
        query = f"SELECT s.id, k.id, function, own, whole, calls {_COSTS}"
        for series, kernel, function, *cost in self._rows(query, [list(functions)]):
            if (series, kernel) in self.cells:
                found.setdefault((series, kernel), {}).setdefault(function, AtlasCost(*cost))
        return found

    def defaults(self) -> Mapping[str, Mapping[str, str]]:
        """By workload its parameters with their defaults."""
        described = self._rows("SELECT name, description FROM t_workloads")
        workloads = {name: from_json(text.encode(), Workload) for name, text in described}
        return {name: {p.name: p.default for p in workload.parameters} for name, workload in workloads.items()}

    def verdict(self, series: str, base: str, head: str) -> AtlasVerdict | None:
        """The newest comparison of two kernels in a series, whichever of them was the base. If there is none, the two
        are comparable where comparisons that were admitted lead from one to the other. None where none do: nobody
        knows whether these two did the same work on the same state."""
        rows = self._rows(
            "SELECT b.id, h.id, verdict, evidence, floor, detail FROM t_comparisons c JOIN t_series s USING (series)"
            " JOIN t_kernels b ON c.base = b.kernel JOIN t_kernels h ON c.head = h.kernel"
            " WHERE s.id = ? ORDER BY c.rowid DESC", [series],
        )  # fmt: skip
        found: dict[tuple[str, str], AtlasVerdict] = {}
        for one, other, verdict, evidence, floor, detail in rows:
            reasons = from_json(detail.encode(), ComparisonDetail).reasons
            place = (other, one) if (other, one) in found else (one, other)
            found.setdefault(place, AtlasVerdict(verdict, evidence, floor, reasons))
        direct = found.get((base, head), found.get((head, base)))
        if direct is not None:
            return direct
        groups = linked((one, other) for (one, other), judged in found.items() if not judged.refused)
        is_linked = base in groups and groups[base] == groups.get(head)
        return AtlasVerdict("", "", None, ()) if is_linked else None

    def _rows(self, query: str, parameters: Sequence[object] = ()) -> Iterator[Row]:
        return (row for archive in self._archives for row in archive.rows(query, parameters))


def _is_usual(series: AtlasSeries) -> bool:
    conditions = series.conditions
    cpu = f"-cpu {arch_of(series.arch).qemu.cpu} " if series.arch in arches() else ""
    named = conditions.keys() <= _FREE | _USUAL.keys() and bool(cpu)
    return named and cpu in conditions.get("machine options", cpu) and all(
        conditions.get(name, value) == value for name, value in _USUAL.items()
    )  # fmt: skip


@contextmanager
def reading_atlas(tell: Tell, histories: Sequence[Path] | None = None) -> Iterator[Atlas]:
    """The atlas of all histories on this host; empty if there is none. A history that cannot be read is left out.

    histories: their paths, the most trusted first; by default those of this host.
    """
    with ExitStack() as opened:
        archives = []
        for path in known_histories() if histories is None else histories:
            try:
                archive = opened.enter_context(reading(path, tell))
            except KassayError as error:
                tell(Progress(stage="atlas", subject=path.name, text=f"left out: {error.what}"))
                continue
            archives += [archive] if archive.has_comparisons else []
        yield Atlas(archives)


def known_histories() -> tuple[Path, ...]:
    """The user's own history, and that of stock kernels that kassay brings."""
    return tuple(path for path in (default_path(), STOCK) if path.is_file())
