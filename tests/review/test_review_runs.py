# SPDX-License-Identifier: GPL-2.0-only
"""`kassay review`, step by step: which answer stands after each step, and what a small budget still does."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from kassay.labs.review import stages
from kassay.labs.review.exit_status import exit_status
from kassay.labs.review.model import SCREENED, UNDER_WAY, Left, Review
from kassay.labs.review.outcomes import Ways
from kassay.labs.review.patch_rows import PatchRows
from kassay.labs.review.report import REVIEW
from kassay.labs.review.report._words import changelog, verdict
from kassay.labs.review.review import Reviewer, Wanted
from kassay.labs.review.settings import setting_text
from kassay.labs.review.stages import BASE, HEAD, Seen, Sides
from kassay.model.experiment import Experiment
from kassay.model.lines import NOT_COMPILED, SourceChange, SourcePart
from kassay.model.patch import SeriesPatch
from kassay.model.progress import Progress, Tell, silent
from kassay.model.report import Report
from kassay.model.series import Series, SeriesRow
from kassay.tools.series import rows
from tests.review.laboratory import REFS, Laboratory

pytestmark = pytest.mark.slow  # seconds for the whole file

WANTED = Wanted(source="s.mbx", patches="s.mbx", base=REFS[0], arch="x86_64", suite="mm", settings=4)
PART = SourcePart(path="mm/mprotect.c", function="change_pte_range", lines=(5,), removed=(), code=(5,))
PATCH = SeriesPatch(number=1, subject="mm: do it", author="A", sha256="0", files=(), hunks=1, changes=(1, 1))
NOTHING = Ways(frozenset(), frozenset(), frozenset())
VALUES = {"mprotect_toggle": (100.0, 103.0), "mprot": (50.0, 50.0)}


@pytest.fixture
def laboratory(monkeypatch: pytest.MonkeyPatch) -> Laboratory:
    found = Laboratory(VALUES, monkeypatch)
    both = tuple(
        SeriesRow(name=name, kind=kind, title="", patches=(), against="", outcome="measured", ref=ref)
        for name, kind, ref in zip(("base", "whole"), ("base", "cumulative"), REFS, strict=True)
    )
    monkeypatch.setattr(rows, "rows_of", lambda *words: Series(base=REFS[0], patches=(PATCH,), rows=both))
    for name in ("read_mails", "read_patches"):
        monkeypatch.setattr(f"kassay.labs.review.review.{name}", lambda path: ())
    monkeypatch.setattr("kassay.labs.review.review.kernel_version", lambda tree, name: "6.16.12")
    monkeypatch.setattr(stages, "source_change", _change)
    monkeypatch.setattr(stages, "seen", lambda directory, functions: _seen(found, directory, functions))
    return found


def _change(sides: Sides) -> SourceChange:
    return SourceChange(base=BASE, head=HEAD, parts=(PART,), hunks=1)


def _seen(laboratory: Laboratory, directory: Path, functions: frozenset[str]) -> tuple[Seen, ...]:
    return tuple(Seen(key, kernel, functions, NOTHING) for key in laboratory.keys(directory) for kernel in (BASE, HEAD))


def reviewed(
    directory: Path, kept: list[Review], budget_s: float = 600, told: list[Progress] | None = None,
    corners: tuple[str, ...] = (), previous: str = "", settings: int = 4,
) -> Review:  # fmt: skip
    tell = silent if told is None else told.append
    wanted = structs.replace(WANTED, corners=corners, previous=previous, settings=settings)
    return Reviewer(wanted, directory, budget_s, "kassay review s.mbx", (), tell, kept.append).run()


def test_the_answer_so_far_stands_after_a_kill(tmp_path: Path, laboratory: Laboratory) -> None:
    laboratory.ends_at = "neighbours"
    kept: list[Review] = []
    with pytest.raises(KeyboardInterrupt):
        reviewed(tmp_path, kept)
    assert [len(one.left) for one in kept] == [3, 2]
    assert kept[0].left[0] == Left(what="settings once", why=UNDER_WAY)
    assert {cell.verdict for cell in kept[-1].cells} == {SCREENED}
    assert [left.what for left in kept[-1].left] == ["neighbours", "measured settings"]


def test_a_command_that_goes_on_stores_no_earlier_answer(tmp_path: Path, laboratory: Laboratory) -> None:
    laboratory.ends_at = "guard"
    for _ in range(2):
        kept: list[Review] = []
        with pytest.raises(KeyboardInterrupt):
            reviewed(tmp_path, kept)
    assert [[left.what for left in one.left] for one in kept] == [["measured settings"]]
    assert kept[0].cells


def test_no_answer_is_stored_or_told_twice(tmp_path: Path, laboratory: Laboratory) -> None:
    kept: list[Review] = []
    told: list[Progress] = []
    last = reviewed(tmp_path, kept, told=told)
    assert last.left == ()
    assert len({str(one) for one in kept}) == len(kept) == len([one for one in told if one.stage == "review"])


def test_every_command_goes_on_however_small_the_budget_is(tmp_path: Path, laboratory: Laboratory) -> None:
    left = [reviewed(tmp_path, [], budget_s=1).left for _ in range(3)]
    assert [[one.what for one in each] for each in left] == [
        ["neighbours", "measured settings"],
        ["measured settings"],
        [],
    ]
    assert laboratory.measured == ["screen", "neighbours", "guard"]


def test_a_corner_without_runs_is_a_step_once(tmp_path: Path, laboratory: Laboratory) -> None:
    """Every build of this laboratory makes the same two kernels, so that no corner has runs of its own."""
    corners = ("cc=gcc-13", "cc=gcc-14")
    laboratory.build_s = 2
    found = [reviewed(tmp_path, [], 1, corners=corners) for _ in range(5)]
    left = [[one.what for one in review.left] for review in found]
    assert left[2:] == [["cc=gcc-13", "cc=gcc-14"], ["cc=gcc-14"], []]
    assert [corner.same_as for corner in found[-1].corners] == ["the usual build"] * 2


def test_steps_that_an_equal_kernel_leaves_out_are_named(
    tmp_path: Path, laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sides, "same_image", True)
    found = reviewed(tmp_path, [], corners=("config=distro",), previous="v1.mbx")
    assert found.same_image and [one.what for one in found.left] == ["the earlier version", "config=distro"]
    assert "same kernel as base" in found.left[0].why and exit_status(found) == 4


def test_a_series_of_texts_is_answered_without_a_build(
    tmp_path: Path, laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "built", None)
    monkeypatch.setattr(PatchRows, "changes_only_texts", True)
    found = reviewed(tmp_path, [], corners=("config=distro",))
    assert (found.same_image, found.left, exit_status(found)) == (True, (), 0)
    assert verdict(found) == ["The whole series changes no file that a kernel is built from. No kernel was built."]
    assert "no file that a kernel is built from" in changelog(found)
    assert "unknown compiler" not in REVIEW.form("terminal").render(found)


def test_what_hurt_in_the_earlier_version_alone_is_measured(
    tmp_path: Path, laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mprot is not measured for this version, as it costs the same on base; the earlier version made it slower."""
    measured = stages.measured

    def of_version(asked: Experiment, directory: Path, tell: Tell, reuse: Sequence[Path] = ()) -> Report:
        laboratory.values = {"mprotect_toggle": (103.0, 103.0), "mprot": (90.0, 50.0)}
        if not asked.name.startswith("previous"):
            laboratory.values = VALUES
        return measured(asked, directory, tell, reuse)

    monkeypatch.setattr(stages, "measured", of_version)
    found = reviewed(tmp_path, [], previous="v1.mbx")
    assert "mprot" not in {cell.workload for cell in found.cells if cell.verdict != SCREENED}
    assert laboratory.measured[-2:] == ["previous-once", "previous"]
    assert found.previous is not None
    assert "mprot" in {cell.workload for cell in found.previous.cells}


def test_a_second_earlier_version_is_measured_as_well(
    tmp_path: Path, laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both earlier versions are held against the review in its own directory, whose other steps are there already."""
    built, ends = stages.built, {"v1.mbx": "debian:6.14", "v2.mbx": "debian:6.15"}

    def rows_of(base: str, patches: Path, *words: object) -> Series:
        refs = (base, ends.get(patches.name, REFS[1]))
        both = (SeriesRow(name=name, kind=kind, title="", patches=(), against="", outcome="measured", ref=ref)
                for name, kind, ref in zip(("base", "whole"), ("base", "cumulative"), refs, strict=True))  # fmt: skip
        return Series(base=base, patches=(PATCH,), rows=tuple(both))

    monkeypatch.setattr(rows, "rows_of", rows_of)
    monkeypatch.setattr(stages, "built", lambda *words: built(*words)._replace(refs=words[:2]))
    monkeypatch.setattr(
        "kassay.labs.review.review.read_patches",
        lambda path: (structs.replace(PATCH, sha256=path.name),) if path.name in ends else (),
    )
    for name in ends:
        found = reviewed(tmp_path, [], previous=name)
        assert found.previous is not None
        assert (found.previous.problem, len(found.previous.cells)) == ("", 1)
    assert laboratory.measured.count("previous") == 2


@pytest.mark.parametrize("part", [{"function": ""}, {"path": "tools/x.c", "code": (), "reason": NOT_COMPILED}])
def test_a_macro_or_a_default_is_measured_where_it_changes_most(
    tmp_path: Path, laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch, part: dict[str, object]
) -> None:
    """Such a change lies in no function that a kernel has. The whole suite runs, and tells what it does."""
    parts = (structs.replace(PART, **part),)
    monkeypatch.setattr(stages, "source_change", lambda sides: SourceChange(base=BASE, head=HEAD, parts=parts, hunks=1))
    more = {"page_fault": (10.0, 10.2), "mincore_scan": (10.0, 10.1)}
    laboratory.values = {**VALUES, **more}
    found = reviewed(tmp_path, [], settings=10)
    assert {cell.workload for cell in found.cells if cell.verdict != SCREENED} == {"mprotect_toggle", *more}
    assert found.others == ("mprot",)
    assert "Run once, and not among the largest changes: mprot." in REVIEW.form("markdown_full").render(found)


def test_a_setting_that_was_measured_is_never_listed_as_run_once(
    tmp_path: Path, laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measured, it changes less than another setting that was run once."""
    parts = (structs.replace(PART, function=""),)
    monkeypatch.setattr(stages, "source_change", lambda sides: SourceChange(base=BASE, head=HEAD, parts=parts, hunks=1))
    measured = stages.measured

    def by_chance(asked: Experiment, directory: Path, tell: Tell, reuse: Sequence[Path] = ()) -> Report:
        now = {"mprotect_toggle": (100.0, 100.1 if asked.name == "guard" else 103.0), "page_fault": (10.0, 10.2)}
        laboratory.values = {**VALUES, **now}
        return measured(asked, directory, tell, reuse)

    monkeypatch.setattr(stages, "measured", by_chance)
    found = reviewed(tmp_path, [], settings=2)
    keys = {setting_text(*cell.key) for cell in found.cells if cell.verdict != SCREENED}
    assert keys and keys.isdisjoint(found.others)
