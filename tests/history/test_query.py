# SPDX-License-Identifier: GPL-2.0-only
"""Series as asked, never mixed, in the order of releases or dates, with what sets them apart."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.model.records import Setting
from kassay.tools.history import texts
from kassay.tools.history.add import add
from kassay.tools.history.archive import Archive, writing
from kassay.tools.history.nominations import Known, nominations
from kassay.tools.history.query import SeriesFilter, apart, lines
from kassay.tools.history.records import StoredSeries
from tests.history.batches import batch_of, kernel, series

pytestmark = pytest.mark.slow  # seconds for the whole file


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with writing(tmp_path / "h.duckdb") as opened:
        yield opened


def keep(archive: Archive, of: StoredSeries, **values: list[float]) -> None:
    named = {name.replace("_", "."): ones for name, ones in values.items()}
    add(archive, batch_of(named, plan=of.id, of=of))


def test_points_stand_in_the_order_of_releases(archive: Archive) -> None:
    add(archive, batch_of({"6.17.1": [3.0], "6.9": [1.0], "6.17-rc10": [2.5], "6.17-rc2": [2.0], "6.17": [4.0]}))
    (line,) = lines(archive, SeriesFilter())
    assert [p.kernel.release for p in line.points] == ["6.9", "6.17-rc2", "6.17-rc10", "6.17", "6.17.1"]
    assert [p.change for p in line.points] == [None, 1.0, 0.25, pytest.approx(0.6), -0.25]


def test_without_releases_they_stand_in_the_order_of_dates(archive: Archive) -> None:
    one = batch_of({"b": [1.0], "a": [2.0]})
    runs = tuple(
        msgspec.structs.replace(run, started_utc=f"2026-01-0{2 - i}T00:00:00Z") for i, run in enumerate(one.runs)
    )
    add(archive, msgspec.structs.replace(one, runs=runs))
    (line,) = lines(archive, SeriesFilter())
    assert [p.kernel.release for p in line.points] == ["a", "b"]
    assert [p.first for p in line.points] == ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]


def test_over_dates_only_the_points_of_one_kernel_are_neighbours(archive: Archive) -> None:
    """From the last kernel of a directory to the first one of the next, nothing changed but the kernel."""
    for day, plan in enumerate(("new", "old")):
        one = batch_of({"6.16": [100.0], "6.17": [200.0], "6.12": [100.0]}, plan=plan)
        runs = tuple(
            msgspec.structs.replace(run, started_utc=f"2026-01-0{3 - day}T00:0{3 - i}:00Z")
            for i, run in enumerate(one.runs)
        )
        add(archive, msgspec.structs.replace(one, runs=runs))
    found = lines(archive, SeriesFilter(dates=True))
    assert [line.development for line in found] == ["debian:6.12-1", "debian:6.16-1", "debian:6.17-1"]
    for line in found:
        assert {point.kernel.ref for point in line.points} == {line.development}
        assert [(point.first[:10], point.session) for point in line.points] == [
            ("2026-01-02", "/d/old"), ("2026-01-03", "/d/new"),
        ]  # fmt: skip
        assert [point.change for point in line.points] == [None, 0.0]
        assert nominations(line, Known()) == ()
    assert texts.heading(found[0], ()).endswith("; kernel: debian:6.12-1")


def test_without_releases_and_dates_they_stand_in_the_order_in_which_they_were_added(archive: Archive) -> None:
    one = batch_of({"zebra": [1.0], "apple": [2.0], "mango": [3.0]})
    runs = tuple(msgspec.structs.replace(run, started_utc="") for run in one.runs)
    add(archive, msgspec.structs.replace(one, runs=runs))
    for dates in (False, True):
        points = [point for line in lines(archive, SeriesFilter(dates=dates)) for point in line.points]
        assert [point.kernel.release for point in points] == ["zebra", "apple", "mango"]


def test_a_point_is_median_spread_and_floor(archive: Archive) -> None:
    one = batch_of({"6.12": [10.0, 12.0, 14.0, 30.0]})
    plain = tuple(msgspec.structs.replace(s, counted=s.value < 30) for s in one.samples)
    add(archive, msgspec.structs.replace(one, samples=plain))
    ((point,),) = [line.points for line in lines(archive, SeriesFilter())]
    assert (point.value, point.n) == (12.0, 3)
    assert point.spread == pytest.approx(2 / 12)
    assert point.floor == pytest.approx(20 / 12)


def test_one_run_has_no_spread(archive: Archive) -> None:
    add(archive, batch_of({"6.12": [10.0]}))
    ((point,),) = [line.points for line in lines(archive, SeriesFilter())]
    assert (point.n, point.spread, point.floor) == (1, None, None)


def test_only_the_metrics_that_verdicts_are_about_are_shown_unless_asked(archive: Archive) -> None:
    keep(archive, series(), a=[1.0])
    keep(archive, series("touch", primary=False), a=[1.0])
    assert [line.series.metric for line in lines(archive, SeriesFilter())] == ["iteration"]
    assert [line.series.metric for line in lines(archive, SeriesFilter(metric="touch"))] == ["touch"]
    assert [line.series.metric for line in lines(archive, SeriesFilter(metric="w.touch"))] == ["touch"]
    assert len(lines(archive, SeriesFilter(every_metric=True))) == 2


FITS = (
    SeriesFilter(workload="w"),
    SeriesFilter(clock="icount"),
    SeriesFilter(arch="x86_64"),
    SeriesFilter(cpus=1),
    SeriesFilter(memory_bytes=1 << 30),
    SeriesFilter(machine="sho"),
    SeriesFilter(settings=(Setting(name="size", value="8MiB"),)),
    SeriesFilter(settings=(Setting(name="size", value="8192KiB"),)),
    SeriesFilter(settings=(Setting(name="boot", value="short"),)),
)
DOES_NOT = (
    SeriesFilter(metric="other"),
    SeriesFilter(workload="v"),
    SeriesFilter(clock="kvm"),
    SeriesFilter(arch="arm64"),
    SeriesFilter(cpus=2),
    SeriesFilter(memory_bytes=1),
    SeriesFilter(machine="QEMU 99"),
    SeriesFilter(settings=(Setting(name="size", value="4KiB"),)),
)


def test_each_filter_selects_series_and_lists_known_values_if_none_match(archive: Archive) -> None:
    keep(archive, series(), a=[1.0])
    for wanted in FITS:
        assert len(lines(archive, wanted)) == 1, wanted
    for wanted in DOES_NOT:
        with pytest.raises(BadInput, match="no series is as asked") as caught:
            lines(archive, wanted)
        known = ("there are: w.iteration", "known: icount", "known: x86_64", "known: 1", "known: 1GiB", "known: 8MiB")
        assert caught.value.remedy.endswith(known), wanted
    with pytest.raises(BadInput, match="none has --set sise") as caught:
        lines(archive, SeriesFilter(settings=(Setting(name="sise", value="8MiB"),)))
    assert caught.value.remedy.startswith("did you mean size? known: ")


def test_a_workload_means_its_primary_metric(archive: Archive) -> None:
    keep(archive, series(), a=[1.0])
    keep(archive, series("touch", primary=False), a=[2.0])
    (line,) = lines(archive, SeriesFilter(metric="w"))
    assert line.series.metric == "iteration"


def test_names_of_the_nearest_workload_come_first(archive: Archive) -> None:
    keep(archive, series(workload="aaa"), a=[1.0])
    keep(archive, series(workload="mprotect_toggle"), a=[1.0])
    with pytest.raises(BadInput) as caught:
        lines(archive, SeriesFilter(metric="mprotect_togle.iteration"))
    assert caught.value.remedy == "there are: mprotect_toggle.iteration, aaa.iteration"


def test_series_are_kept_apart_and_what_differs_is_named(archive: Archive) -> None:
    other = (Setting(name="kernel parameters", value="thp=never"), Setting(name="boot", value="short"))
    keep(archive, series(), a=[1.0], b=[1.0])
    keep(archive, series(conditions=other), a=[9.0])
    found = lines(archive, SeriesFilter())
    assert [len(line.points) for line in found] == [2, 1]
    said = apart([line.series for line in found])
    assert [said[line.series.id] for line in found] == [
        (("kernel parameters", ""),), (("kernel parameters", "thp=never"),),
    ]  # fmt: skip
    heading = texts.heading(found[1], said[found[1].series.id])
    assert "kernel parameters thp=never" in heading and "boot" not in heading and "\n" not in heading


def test_metrics_are_not_told_apart_by_their_settings(archive: Archive) -> None:
    keep(archive, series(), a=[1.0])
    keep(archive, series(workload="v", settings=()), a=[1.0])
    assert set(apart([line.series for line in lines(archive, SeriesFilter())]).values()) == {()}


def test_the_compiler_is_shown_where_it_changes(archive: Archive) -> None:
    one = batch_of({"6.12": [1.0], "6.16": [1.0], "6.17": [1.0]})
    kernels = (*one.kernels[:2], msgspec.structs.replace(kernel("6.17"), compiler="clang 21"))
    add(archive, msgspec.structs.replace(one, kernels=kernels))
    (line,) = lines(archive, SeriesFilter())
    assert [row[6] for row in texts.point_rows(line)] == ["gcc 12", "", "clang 21"]


def test_the_machine_readable_forms_carry_every_point(archive: Archive) -> None:
    add(archive, batch_of({"6.12": [1.0, 1.5], "6.17": [2.0]}))
    found = lines(archive, SeriesFilter())
    shown = texts.show_object(found)
    assert [p["value"] for p in shown["series"][0]["points"]] == [1.25, 2.0]
    assert shown["series"][0]["settings"] == {"size": "8MiB"}
    (first, _) = texts.point_values(found[0])
    assert dict(zip(texts.POINT_FIELDS, first, strict=True))["value"] == 1.25
