# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a series are the trees they claim to be."""

from pathlib import Path

import pytest

from kassay.errors import NotBuilt
from kassay.model.progress import silent
from kassay.model.series import SeriesRow
from kassay.supply.building import git
from kassay.supply.building.patches import Patch, read_patches
from kassay.tools.series.variants import Asked, patch_records, variants
from tests.building._repository import BASE, FIRST, SECOND, THIRD, commit, run, series

pytestmark = pytest.mark.slow  # dozens of calls of git


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, tuple[str, ...], tuple[Patch, ...]]:
    repository, trees = series(tmp_path, monkeypatch)
    git.tree_of(repository, "HEAD")
    mbox = tmp_path / "series.mbox"
    mbox.write_text(run(repository, "format-patch", "--stdout", "HEAD~3"))
    return repository, trees, read_patches(mbox)


Linux = tuple[Path, tuple[str, ...], tuple[Patch, ...]]


def by_name(rows: tuple[SeriesRow, ...]) -> dict[str, SeriesRow]:
    assert len({row.name for row in rows}) == len(rows)
    return {row.name: row for row in rows}


def text(row: SeriesRow) -> str:
    assert row.tree is not None
    return git.read(row.tree, "mm/walk.c") or ""


def test_cumulative_rows_are_the_contributors_own_trees(linux: Linux) -> None:
    _, trees, patches = linux
    rows = variants(trees[0], patches, Asked(), silent)
    assert [row.tree for row in rows[:4]] == list(trees)
    assert [row.name for row in rows] == ["base", "1", "1..2", "whole", "without 1", "without 2", "without 3"]
    assert [row.against for row in rows[:5]] == ["", "base", "1", "1..2", "whole"]
    assert rows[6].outcome == "same-source" and rows[6].same_as == "1..2"


def test_a_row_without_one_patch_has_the_others(linux: Linux) -> None:
    _, trees, patches = linux
    row = by_name(variants(trees[0], patches, Asked(), silent))["without 1"]
    assert text(row) == THIRD.replace("likely(n == 1)", "n == 1")
    assert row.patches == (2, 3)


def test_a_row_without_one_hunk_takes_back_that_hunk_alone(linux: Linux) -> None:
    _, trees, patches = linux
    rows = by_name(variants(trees[0], patches, Asked(hunks=True), silent))
    assert text(rows["without hunk 2.1"]) == THIRD.replace("static __always_inline int batch", "static int batch")
    assert text(rows["without hunk 2.2"]) == THIRD.replace("while (left > 0)", "while (left)")
    assert rows["without hunk 2.2"].title.startswith("mm/walk.c")
    assert rows["without hunk 1.1"].same_as == "without 1"


def test_an_annotation_is_taken_back_and_put_alone_on_base(linux: Linux) -> None:
    _, trees, patches = linux
    rows = by_name(variants(trees[0], patches, Asked(annotations=True), silent))
    found = {row.title: row for row in rows.values() if row.kind == "annotation"}
    assert sorted(found) == ["__always_inline of batch(), mm/walk.c", "likely() at mm/walk.c:27"]
    assert found["likely() at mm/walk.c:27"].same_as == "without 1"
    assert found["__always_inline of batch(), mm/walk.c"].tree is not None
    alone = {row.title: row for row in rows.values() if row.name.startswith("only ")}
    inlined = alone["__always_inline of batch(), mm/walk.c, alone on base"]
    assert text(inlined) == BASE.replace("static int batch", "static __always_inline int batch")
    assert alone["likely() at mm/walk.c:27, alone on base"].same_as == "1"


def test_each_patch_alone_is_a_row_on_request(linux: Linux) -> None:
    _, trees, patches = linux
    rows = by_name(variants(trees[0], patches, Asked(alone=True), silent))
    assert text(rows["alone 2"]) == SECOND.replace("likely(n == 1)", "n == 1")
    assert rows["alone 2"].against == "base"


def test_what_cannot_be_left_out_stays_as_a_row_with_the_reason(linux: Linux, tmp_path: Path) -> None:
    repository, trees, patches = linux
    commit(repository, THIRD.replace("likely(n == 1)", "likely(n <= 1)"), "mm/walk: builds on the first")
    run(repository, "format-patch", "-q", "-1", "-o", str(tmp_path / "more"), "HEAD")
    more = (*patches, *read_patches(tmp_path / "more"))
    row = by_name(variants(trees[0], more, Asked(hunks=True), silent))
    assert row["without 1"].outcome == "not-applied" and "mm/walk.c" in row["without 1"].detail
    assert row["without hunk 1.1"].outcome == "not-applied"
    assert row["without 1"].tree is None


def test_a_series_that_does_not_apply_is_refused_at_once(linux: Linux) -> None:
    _, trees, patches = linux
    with pytest.raises(NotBuilt, match=r"patch 1 \(mm/walk: größere Schritte\) does not apply|patch 1"):
        variants(trees[3], patches[1:], Asked(), silent)


def test_the_patches_are_told_with_their_numbers(linux: Linux) -> None:
    numbers = [(one.number, one.subject, one.changes) for one in patch_records(linux[2])]
    assert numbers[0] == (1, "mm/walk: expect small ones", (1, 1))
    assert FIRST != BASE
