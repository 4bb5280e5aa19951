# SPDX-License-Identifier: GPL-2.0-only
"""The series that is reviewed, by its rows: base, patch by patch, and the whole; and what a review keeps of them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from kassay.labs.review import stages
from kassay.labs.review.choice import use_of
from kassay.labs.review.model import Key, PatchRow, PatchTable, PatchValue
from kassay.labs.review.stages import Sides
from kassay.model.patch import SeriesPatch
from kassay.model.progress import Tell
from kassay.model.series import OUTCOMES, Series
from kassay.supply.building.changes import FunctionOfFile, changed_functions
from kassay.supply.building.config import added_symbols
from kassay.supply.building.source import change_kernel
from kassay.tools.series import rows
from kassay.tools.series.variants import BASE, WHOLE, Asked


class PatchRows:
    """A series on a base. Its sources are patched when it is made, and its kernels are built when it is measured."""

    def __init__(self, base: str, patches: Path, arch: str, tell: Tell) -> None:
        """Raises BadInput and NotBuilt, as kassay.tools.series.rows.rows_of() does."""
        self._series = rows.rows_of(base, patches, Asked(), arch, tell)
        self._arch = arch
        self._tell = tell

    @property
    def patches(self) -> tuple[SeriesPatch, ...]:
        return self._series.patches

    @property
    def base_tree(self) -> str:
        """Tree of the sources without the series."""
        return rows.ends_in(self._series)[0]

    @property
    def ends(self) -> tuple[str, str]:
        """References of base and of the whole series."""
        refs = {row.name: row.ref for row in self._series.rows}
        whole = next(row for row in self._series.rows if row.name == WHOLE)
        return refs[BASE], refs[whole.same_as or WHOLE]

    @property
    def changes_only_texts(self) -> bool:
        """True if the series leaves every file alone that a kernel is built from."""
        return bool(self.base_tree) and not change_kernel(*rows.ends_in(self._series))

    @property
    def added_symbols(self) -> tuple[str, ...]:
        """Symbols of the configuration that the series adds."""
        return added_symbols(*rows.ends_in(self._series), self._arch)

    def functions(self) -> Mapping[int, tuple[FunctionOfFile, ...]]:
        """By the number of a patch the functions that it changes: base and the rows patch by patch have the trees."""
        kinds = ("base", "cumulative")
        trees = [row.tree for row in self._series.rows if row.kind in kinds and row.tree is not None]
        return {number: changed_functions(*pair) for number, pair in enumerate(pairwise(trees), 1)}

    def measured(
        self, sides: Sides, settings: Sequence[Key], directory: Path
    ) -> tuple[tuple[PatchTable, ...], tuple[PatchRow, ...]]:
        """(the rows in their primary phases, the rows without values). Raises NotBuilt."""
        built = rows.built(self._series, self._arch, self._tell, rows.image_of(stages.NO_FLAVOUR, self._tell))
        uses = map(use_of, settings)
        template = stages.experiment("series", sides, uses, self._tell, once=False, question="series")
        asked = rows.experiment_of(built, template)
        rows.keep(directory, built, asked)
        return _tables(stages.measured(asked, directory, self._tell).series), _without_values(built)


def _tables(series: Series | None) -> tuple[PatchTable, ...]:
    if series is None:
        return ()
    return tuple(
        PatchTable(
            workload=table.workload, settings=table.settings, phase=table.metric, unit=table.unit,
            values=tuple(
                PatchValue(
                    row=value.row, value=value.value, change=value.change, verdict=value.verdict, changed=value.changed
                )
                for value in table.values
            ),
        )
        for table in series.tables
        if table.primary
    )  # fmt: skip


def _without_values(series: Series) -> tuple[PatchRow, ...]:
    """Rows that are the same kernel as another one, and rows without a kernel."""
    return tuple(
        PatchRow(row=row.name, why=f"the same kernel as {row.same_as}" if row.same_as else row.detail or
                 OUTCOMES[row.outcome])
        for row in series.rows
        if row.outcome != "measured"
    )  # fmt: skip
