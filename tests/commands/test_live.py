# SPDX-License-Identifier: GPL-2.0-only
"""The table of runs below the progress of a terminal."""

import io
import sys
from contextlib import ExitStack
from time import sleep

import pytest

from kassay.commands import _show
from kassay.commands._live import count_lines, live
from kassay.commands._show import showing
from kassay.model.progress import CellCount, HostCount, Progress, RunCounts

KERNELS = ("6.12", "6.17")


def counts(points: int = 1, kernels: tuple[str, ...] = KERNELS, **changes: object) -> RunCounts:
    cells = [CellCount(point=p, kernel=k, planned=4, ok=k) for p in range(points) for k in range(len(kernels))]
    fields: dict[str, object] = {
        "points": tuple(f"w size={p}MiB" for p in range(points)), "kernels": kernels, "cells": tuple(cells), **changes,
    }  # fmt: skip
    return RunCounts(**fields)  # type: ignore[arg-type]


def texts(given: RunCounts, width: int = 100, height: int = 20) -> list[str]:
    return [line.text for line in count_lines(given, width, height)]


def test_a_point_is_a_row_and_a_kernel_a_column() -> None:
    first = CellCount(point=0, kernel=0, planned=4, ok=4)
    second = CellCount(point=0, kernel=1, planned=4, ok=1, under_way=2, failed=1)
    cells = (first, second)
    found = texts(counts(cells=cells, left_s=130.0))
    assert [line.split() for line in found[1:]] == [
        ["6.12", "6.17"], ["w", "size=0MiB", "4/4", "1/4", "+2,", "1", "failed"],
        ["about", "2", "min", "left", "for", "all", "planned", "runs"],
    ]  # fmt: skip


def test_kernels_that_do_not_fit_are_added_up() -> None:
    found = texts(counts(kernels=tuple(f"6.{i}.117-rc" for i in range(12))), width=80)
    assert [line.split() for line in found[1:]] == [["runs"], ["w", "size=0MiB", "66/48"]]
    assert all(len(line) <= 80 for line in found)


def test_more_points_than_lines_are_counted_and_those_at_work_come_first() -> None:
    base = counts(points=30)
    at_work = base.cells[-1]
    cells = (*base.cells[:-1], CellCount(point=29, kernel=1, planned=4, ok=1, under_way=1))
    assert at_work.point == 29
    found = texts(counts(points=30, cells=cells), height=6)
    assert any("size=29MiB" in line for line in found)
    assert found[-1] == "  and 24 more, 0 of them finished"


def test_hosts_are_named_where_there_are_others() -> None:
    own = HostCount(host="", ok=3, failed=0, seconds=2.0)
    other = HostCount(host="b", ok=1, failed=2, seconds=None)
    assert not any("host" in line for line in texts(counts(hosts=(own,))))
    assert texts(counts(hosts=(own, other)))[-2:] == ["  this host: 3 ok, 2.0 s a run", "  b: 1 ok, 2 failed"]


def test_it_is_drawn_below_the_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with ExitStack() as drawn:
        tell = live(drawn)
        tell(Progress(stage="run", subject="1/8", text="ok", done=0.125, counts=counts()))
        tell(Progress(stage="run", subject="1/8", done=0.125, counts=counts(), passing=True))
    assert "w size=0MiB" in shown.getvalue() and "1/8" in shown.getvalue()


def test_a_log_leaves_passing_events_out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with showing() as tell:
        tell(Progress(stage="run", subject="0/8", done=0.0, counts=counts(), passing=True))
        tell(Progress(stage="run", subject="1/8", text="ok (b)", done=0.125, counts=counts()))
    assert capsys.readouterr().err == "run: 1/8 12% ok (b)\n"


def test_a_log_has_a_percentage_once_and_then_says_that_kassay_still_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(_show, "_SILENCE_S", 0.05)
    monkeypatch.setattr(_show, "_PLAIN_EVERY_S", 0.0)
    said = ""
    with showing() as tell:
        for _ in range(1000):
            tell(Progress(stage="fetch", subject="lists", done=0.171))
            said += capsys.readouterr().err
            if "still" in said:
                break
            sleep(0.01)
    assert said.splitlines()[:2] == ["fetch: lists 17%", "still working, 0 s"]
