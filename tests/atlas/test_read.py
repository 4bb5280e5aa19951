# SPDX-License-Identifier: GPL-2.0-only
"""The atlas: what it reads out of histories, several of which are one, and which it leaves out."""

from pathlib import Path

import duckdb
import pytest

from kassay.model.progress import Progress, silent
from kassay.tools.atlas import read
from kassay.tools.atlas.read import reading_atlas
from kassay.tools.atlas.records import AtlasCost
from tests.atlas.histories import Costs, costs_batch, history

pytestmark = pytest.mark.slow  # files of a database
COSTS: Costs = {"6.16.12": {"f": (10.0, 20.0), "g": (5.0, None)}, "6.17.13": {"f": (30.0, 70.0)}}


def test_costs_of_a_function_by_series_and_kernel(tmp_path: Path) -> None:
    with reading_atlas(silent, [history(tmp_path / "h", costs_batch(COSTS))]) as atlas:
        assert sorted(kernel.locator for kernel in atlas.kernels.values()) == ["6.16.12-1", "6.17.13-1"]
        (series,) = atlas.series.values()
        assert (series.workload, series.unit, series.settings, series.emulator) == (
            "w", "instructions/page", {"size": "8MiB"}, "QEMU 7.2",
        )  # fmt: skip
        by_release = {
            atlas.kernels[kernel].locator: costs for (_, kernel), costs in atlas.costs(["f", "g", "h"]).items()
        }
        assert by_release == {
            "6.16.12-1": {"f": AtlasCost(10, 20, 1), "g": AtlasCost(5, None, 1)},
            "6.17.13-1": {"f": AtlasCost(30, 70, 1)},
        }
        assert {(cell.value, cell.n, cell.date) for cell in atlas.cells.values()} == {(1000.0, 2, "2026-11-21")}
        assert atlas.defaults() == {"w": {"size": "8MiB"}}


def test_a_comparison_of_two_kernels(tmp_path: Path) -> None:
    made = history(tmp_path / "h", costs_batch(COSTS, verdict="state-mismatch"))
    with reading_atlas(silent, [made]) as atlas:
        (series,) = atlas.series
        ids = {kernel.locator: number for number, kernel in atlas.kernels.items()}
        found = atlas.verdict(series, ids["6.16.12-1"], ids["6.17.13-1"])
        assert found is not None and found.refused and found.reasons == ("the reason",)
        assert atlas.verdict(series, ids["6.17.13-1"], ids["6.16.12-1"]) == found


@pytest.mark.parametrize(("verdict", "comparable"), [("equivalent", True), ("different-work", False), ("", False)])
def test_kernels_that_nobody_compared_are_comparable_by_way_of_others(
    tmp_path: Path, verdict: str, comparable: bool
) -> None:
    costs = {release: {"f": (1.0, 1.0)} for release in ("6.16.12", "6.17.13", "6.18.5")}
    made = history(tmp_path / "h", costs_batch(costs, values=(1, 1, 1), verdict=verdict))
    with reading_atlas(silent, [made]) as atlas:
        (series,) = atlas.series
        ids = {kernel.locator: number for number, kernel in atlas.kernels.items()}
        for ends in (("6.16.12-1", "6.18.5-1"), ("6.18.5-1", "6.16.12-1")):
            found = atlas.verdict(series, *(ids[end] for end in ends))
            assert (found is not None) == comparable and not (found and (found.refused or found.evidence))


@pytest.mark.parametrize(
    "conditions",
    [
        {"kernel parameters": "nokaslr"},
        {"thp": "always"},
        {"background tasks": "2"},
        {"flavour": "generic"},
        {"machine options": "-cpu Skylake-Server,+rdrand -smp 1"},
    ],
)
def test_series_under_other_conditions_are_left_out(tmp_path: Path, conditions: dict[str, str]) -> None:
    with reading_atlas(silent, [history(tmp_path / "h", costs_batch(COSTS, conditions=conditions))]) as atlas:
        assert not atlas.series and not atlas.cells and not atlas.costs(["f"])


def test_several_histories_are_one_and_the_first_counts(tmp_path: Path) -> None:
    newer: Costs = {"6.17.13": {"f": (40.0, 80.0)}, "7.3.4": {"f": (1.0, 1.0)}}
    paths = [history(tmp_path / "a", costs_batch(COSTS)), history(tmp_path / "b", costs_batch(newer))]
    with reading_atlas(silent, paths) as atlas:
        assert len(atlas.series) == 1 and len(atlas.cells) == 3
        own = {atlas.kernels[kernel].locator: costs["f"].own for (_, kernel), costs in atlas.costs(["f"]).items()}
        assert own == {"6.16.12-1": 10.0, "6.17.13-1": 30.0, "7.3.4-1": 1.0}


def test_a_history_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "damaged").write_bytes(b"no database")
    said: list[Progress] = []
    with reading_atlas(said.append, [tmp_path / "damaged", tmp_path / "absent"]) as atlas:
        assert not atlas.kernels and not atlas.costs(["f"])
    assert [event.subject for event in said] == ["damaged", "absent"]


def test_a_history_of_version_1_has_no_costs(tmp_path: Path) -> None:
    path = history(tmp_path / "h", costs_batch(COSTS))
    with duckdb.connect(str(path)) as connection:
        for name in ("comparisons", "functions", "workloads"):
            connection.execute(f"DROP VIEW {name}; DROP TABLE t_{name}")
        connection.execute("UPDATE about SET value = 'kassay-history/1'")
    with reading_atlas(silent, [path]) as atlas:
        assert not atlas.kernels and not atlas.costs(["f"]) and not atlas.defaults()


def test_the_users_history_comes_before_the_one_that_kassay_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(read, "STOCK", tmp_path / "stock")
    assert read.known_histories() == ()
    for name in ("stock", "kassay/history.duckdb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert read.known_histories() == (tmp_path / "kassay/history.duckdb", tmp_path / "stock")


@pytest.mark.parametrize(
    ("version", "locator"),
    [("6.17.1", "6.17.13-1"), ("6.17.99", "6.17.13-1"), ("7.0.0-rc3", "6.17.13-1"), ("6.18.5", "6.17.13-1"),
     ("6.16.1", "6.16.12-1"), ("6.1.5", "6.16.12-1")],
)  # fmt: skip
def test_the_nearest_stock_kernel_of_a_version(tmp_path: Path, version: str, locator: str) -> None:
    with reading_atlas(silent, [history(tmp_path / "h", costs_batch(COSTS))]) as atlas:
        assert atlas.kernels[atlas.nearest(version, "x86_64")].locator == locator
        assert atlas.nearest(version, "arm64") == ""
