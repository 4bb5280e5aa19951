# SPDX-License-Identifier: GPL-2.0-only
"""`kassay notice` refuses wrong arguments before anything is measured, and measures only what the atlas lacks."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.labs.notice.commands import _answer
from kassay.labs.notice.commands._answer import answer
from kassay.labs.notice.commands._options import Noticing
from kassay.labs.notice.model import Notice
from kassay.model.experiment import WorkloadUse
from kassay.model.records import from_json
from kassay.supply import kernels
from kassay.tools.atlas import read
from tests.atlas.histories import Costs, costs_batch, history


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["change_protection"], "functions are looked for on one kernel, or on two"),
        (["change_protection", "6.12", "6.16", "6.17"], "functions are looked for on one kernel, or on two"),
        (["6.16", "6.17"], "functions are looked for"),
        (["change_protection", "6.17", "debian:6.17"], "the same kernel twice"),
        (["no/such/directory", "6.17"], "neither a directory of runs nor a function's name"),
    ],
)
def test_words_that_ask_nothing(words: list[str], part: str) -> None:
    with pytest.raises(BadInput, match=part):
        answer(words, Noticing(apps="mprot"))


def test_a_suite_that_is_not_there_and_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_answer, "from_atlas", lambda *_: ())
    with pytest.raises(BadInput, match="unknown suite"):
        answer(["do_wp_page", "6.17"], Noticing(suite="no_such_suite"))
    with pytest.raises(BadInput, match="no runs of applications"):
        answer(["do_wp_page", "6.17"], Noticing(suite="mm", measure=False))
    with pytest.raises(BadInput, match="not a run directory"):
        answer(["do_wp_page", "6.17"], Noticing(runs=[tmp_path]))


COSTS: Costs = {"6.16.12": {"f": (10, 20), "g": (10, 100)}, "6.17.13": {"f": (20, 40), "g": (20, 150)}}


@pytest.fixture
def atlas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history with page_fault and file_fault on two kernels; the archive's lists cannot be read."""

    def no_lists(*_: object) -> NoReturn:
        raise HostLacks("no network")

    monkeypatch.setattr(kernels, "versions", no_lists)
    monkeypatch.setattr(read, "STOCK", tmp_path / "absent")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "kassay").mkdir()
    for name in ("page_fault", "file_fault"):
        history(tmp_path / "kassay" / "history.duckdb", costs_batch(COSTS, name))
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str, **options: object) -> tuple[int, Notice]:
    status = answer(words, Noticing(format_="json", **options))  # type: ignore[arg-type]
    return status, from_json(capsys.readouterr().out.encode(), Notice)


@pytest.mark.slow
def test_named_functions_on_stock_kernels_are_answered_from_the_atlas(
    atlas: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = said(capsys, "f", "6.16", "6.17", apps="page_fault,file_fault")
    assert status == 0
    assert [(one.application, one.verdict, one.share) for one in found.applications] == [
        ("file_fault", "noticed", 0.02), ("page_fault", "noticed", 0.02),
    ]  # fmt: skip
    (origin,) = [text for text in found.disclosures if "atlas" in text]
    assert "page_fault and file_fault (debian:6.16.12-1, 2 runs until 2026-11-21; debian:6.17.13-1, 2 runs" in origin
    assert found.commands == ("kassay notice f 6.16 6.17 --apps page_fault,file_fault",)


@pytest.mark.slow
def test_what_the_atlas_lacks_is_said_or_measured(
    atlas: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = said(capsys, "f", "6.16", "6.17", apps="page_fault,mincore_scan", measure=False)
    assert [(one.application, one.verdict) for one in found.applications] == [
        ("page_fault", "noticed"), ("mincore_scan", "unknown"),
    ]  # fmt: skip
    assert found.commands == ("kassay notice f 6.16 6.17 --apps page_fault,mincore_scan --no-measure",)
    measured: list[str] = []

    def stopped(_: object, uses: Sequence[WorkloadUse], *__: object) -> NoReturn:
        measured.extend(use.name for use in uses)
        raise BadInput("stopped")

    monkeypatch.setattr(_answer, "_measured", stopped)
    cases: list[tuple[dict[str, object], list[str]]] = [
        ({}, ["mincore_scan"]),
        ({"atlas": False}, ["page_fault", "mincore_scan"]),
        ({"perturb": 2}, ["page_fault", "mincore_scan"]),
        ({"predict": "zen3"}, ["page_fault", "mincore_scan"]),
    ]
    for options, names in cases:
        measured.clear()
        with pytest.raises(BadInput, match="stopped"):
            said(capsys, "f", "6.16", "6.17", apps="page_fault,mincore_scan", **options)
        assert measured == names


@pytest.mark.slow
def test_names_are_checked_before_anything_is_measured(atlas: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[frozenset[str]] = []

    def stopped(names: frozenset[str], *_: object) -> NoReturn:
        checked.append(names)
        raise BadInput("no such function")

    monkeypatch.setattr(_answer, "check_before", stopped)
    monkeypatch.setattr(_answer, "check_kernels", lambda *_: None)
    monkeypatch.setattr(_answer, "pin_experiment", lambda experiment, _: experiment)
    with pytest.raises(BadInput, match="no such function"):
        answer(["nosuch", "6.16", "6.17"], Noticing(apps="page_fault", out=atlas / "out"))
    assert checked == [{"nosuch"}] and not (atlas / "out").exists()


@pytest.mark.slow
def test_an_answer_of_bounds_is_shown_as_such(atlas: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(["f", "g", "6.16", "6.17"], Noticing(apps="page_fault")) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "costs page_fault +3.00 % to +9.00 %" in text and "up to 120" in text and "up to 190" in text
