# SPDX-License-Identifier: GPL-2.0-only
"""Adding a directory: every value once, whatever was there, and the rest when it grew."""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kassay.journal import artifacts
from kassay.journal.directory import open_directory
from kassay.journal.later_lines import LinesOfRun, keep_lines
from kassay.model.finding import Finding
from kassay.model.prediction import Prediction
from kassay.model.records import Setting, content_id, to_json
from kassay.model.run import Origin
from kassay.model.samples import ImportedKernel, Sample, Samples, SampleSeries, Source, Spread
from kassay.pipeline import answer
from kassay.tools.history.add import add
from kassay.tools.history.archive import Archive, writing
from kassay.tools.history.gather import gather
from kassay.tools.history.query import SeriesFilter, lines
from kassay.tools.history.records import Batch
from tests.history.batches import batch, batch_of, compared, series
from tests.history.directories import keep, measured, plan_with, runs_of

pytestmark = pytest.mark.slow  # seconds for the whole file


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with writing(tmp_path / "h.duckdb") as opened:
        yield opened


def values(archive: Archive, **wanted: object) -> list[list[tuple[str | None, float | None, int | None]]]:
    found = lines(archive, SeriesFilter(**wanted))  # type: ignore[arg-type]
    return [[(p.kernel.release, p.value, p.n) for p in line.points] for line in found]


def test_the_same_batch_again_adds_nothing(archive: Archive) -> None:
    first = add(archive, batch(3))
    assert (first.runs, first.samples, first.known) == (6, 6, 0)
    again = add(archive, batch(3))
    assert (again.runs, again.samples, again.known) == (0, 0, 6)
    assert values(archive) == [[("6.12", 101.0, 3), ("6.17", 201.0, 3)]]


def test_kernels_and_series_of_another_plan_are_the_same_ones(archive: Archive) -> None:
    add(archive, batch(2))
    add(archive, batch_of({"6.17": [300.0, 300.0, 300.0], "6.19": [400.0]}, plan="other"))
    assert values(archive) == [[("6.12", 100.5, 2), ("6.17", 300.0, 5), ("6.19", 400.0, 1)]]
    assert archive.rows("SELECT count(*) FROM t_kernels") == [(3,)]


def test_a_fresh_measurement_of_the_same_plan_is_another_session(archive: Archive) -> None:
    add(archive, batch(2))
    fresh = msgspec.structs.replace(batch(2), session="t", directory="/d/fresh")
    assert add(archive, fresh).runs == 4
    for line in lines(archive, SeriesFilter(dates=True)):
        assert sorted(point.session for point in line.points) == ["/d/fresh", "/d/plan"]


def test_predicted_times_are_kept_beside_the_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def predicted(findings: tuple[Finding, ...], *_: object, **__: object) -> tuple[Finding, ...]:
        prediction = Prediction(cpu="zen4", calibrated=True, change=0.1, interval=(0.05, 0.2), base_accesses=7.0,
                                head_accesses=9.0)  # fmt: skip
        return tuple(msgspec.structs.replace(one, predictions=(prediction,)) for one in findings)

    monkeypatch.setattr("kassay.labs.predict.predictions.with_predictions", predicted)
    kept = []
    for name, cpus in (("asked", ("zen4",)), ("not", msgspec.UNSET)):
        directory = measured(tmp_path / name, plan_with(["6.12.1", "6.17.2"], predict=cpus), {0: [30, 30], 1: [60, 60]})
        kept.append({(one.detail.predictions, one.detail.accesses) for one in gather(directory).comparisons})
    assert kept == [{((("zen4", 0.1, 0.05, 0.2),), (7.0, 9.0))}, {((), None)}]


def test_a_directory_that_grew_adds_the_rest(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    directory = measured(tmp_path / "d", plan, {0: [30, 30]})
    assert add(archive, gather(directory)).runs == 2
    for run, cost in zip(runs_of(plan, 1), (60, 62, 70, 71), strict=True):
        keep(directory, run, cost)
    grown = add(archive, gather(directory))
    assert (grown.runs, grown.samples, grown.known) == (4, 4, 2)
    # the runs from the third on are perturbed: they are kept, and not part of the value
    assert values(archive) == [[("6.12.1", 30.0, 2), ("6.17.2", 61.0, 2)]]
    assert archive.rows("SELECT count(*) FILTER (NOT counted) FROM samples") == [(2,)]
    assert add(archive, gather(directory)).runs == 0


def test_a_run_that_failed_and_succeeded_later_is_renewed(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    directory = measured(tmp_path / "d", plan, {0: [None], 1: [60]})
    add(archive, gather(directory))
    assert archive.rows("SELECT outcome, count(*) FROM runs GROUP BY ALL ORDER BY ALL") == [("ok", 1), ("panic", 1)]
    keep(directory, runs_of(plan, 0)[0], 30, attempt=2)
    assert add(archive, gather(directory)).runs == 1
    assert archive.rows("SELECT outcome, sum(attempts) FROM runs GROUP BY ALL") == [("ok", 3)]
    assert values(archive) == [[("6.12.1", 30.0, 1), ("6.17.2", 60.0, 1)]]


def test_boots_with_other_parameters_are_another_series(archive: Archive, tmp_path: Path) -> None:
    """Parameters that all kernels of a directory share are those of the version that measured it."""
    for number, parameters in enumerate(("quiet", "quiet panic=-1")):
        plan = msgspec.structs.replace(plan_with(["6.12.1"]), cmdlines=(Setting(name="1", value=parameters),))
        add(archive, gather(measured(tmp_path / str(number), plan, {0: [30 + number]})))
    assert values(archive) == [[("6.12.1", 30.0, 1)], [("6.12.1", 31.0, 1)]]


def test_a_directory_whose_series_is_named_otherwise_now_leaves_the_former_one(
    archive: Archive, tmp_path: Path
) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    directory = measured(tmp_path / "d", plan, {0: [30, 30], 1: [60, 60]})
    former = gather(directory)
    now = msgspec.structs.replace(
        former, series=(msgspec.structs.replace(former.series[0], conditions=former.series[0].conditions[1:]),)
    )
    for found in (former, now):
        assert add(archive, found).runs == 4
    assert values(archive) == [[("6.12.1", 30.0, 2), ("6.17.2", 60.0, 2)]]
    assert add(archive, now).runs == 0


def test_verdicts_of_a_directory_are_those_of_its_report(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    directory = measured(tmp_path / "d", plan, {0: [30, 30, 30, 30], 1: [60, 60, 60, 60]})
    add(archive, gather(directory))
    query = "SELECT verdict, evidence, change, base_value, head_value, base_n, head_n FROM comparisons"
    report = answer(directory)
    assert archive.rows(query) == [
        (f.verdict, f.evidence, f.change, f.base_value, f.head_value, f.n_base, f.n_head) for f in report.findings
    ]
    assert archive.rows("SELECT name FROM workloads") == [(report.workloads[0].name,)]
    older = measured(tmp_path / "older", plan, {0: [30, 30]})
    add(archive, gather(older))
    assert len(archive.rows(query)) == len(report.findings)


def test_an_older_copy_takes_nothing_away(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    old = gather(measured(tmp_path / "d", plan, {0: [30]}))
    for run, cost in zip(runs_of(plan, 0)[1:], (32,), strict=False):
        keep(tmp_path / "d", run, cost)
    add(archive, gather(tmp_path / "d"))
    assert add(archive, old).runs == 0
    assert values(archive) == [[("6.12.1", 31.0, 2)]]


def test_the_value_of_a_run_is_that_of_the_report(tmp_path: Path) -> None:
    directory = measured(tmp_path / "d", plan_with(["6.12.1", "6.17.2"]), {0: [30, 31], 1: [60]})
    made = gather(directory)
    assert [sample.value for sample in made.samples] == [30.0, 31.0, 60.0]
    (one,) = made.series
    assert (one.workload, one.metric, one.unit, one.primary) == ("w", "iteration", "instructions/page", True)
    conditions = {c.name: c.value for c in one.conditions}
    assert conditions["value"] == "mode of its rounds"
    assert (conditions["boot"], conditions["emulator"], conditions["kernel parameters"]) == ("short", "QEMU", "")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rounds", 7),
        ("boot", "stock"),
        ("background", 1),
        ("quiesce", False),
        ("flavour", "amd64"),
        ("deferred", "apart"),
    ],
)
def test_what_moves_a_value_makes_another_series(tmp_path: Path, field: str, value: object) -> None:
    plain = gather(measured(tmp_path / "a", plan_with(["6.12.1", "6.17.2"]), {0: [30]}))
    changes: dict[str, Any] = {field: value}
    other = gather(measured(tmp_path / "b", plan_with(["6.12.1", "6.17.2"], **changes), {0: [30]}))
    assert plain.series[0].id != other.series[0].id
    assert plain.kernels[0].id == other.kernels[0].id


def test_what_cannot_move_a_count_makes_no_other_series(tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    elsewhere = msgspec.structs.replace(plan, machine=msgspec.structs.replace(plan.machine, host="another"))
    made = [gather(measured(tmp_path / str(i), p, {0: [30]})) for i, p in enumerate((plan, elsewhere))]
    assert made[0].series[0].id == made[1].series[0].id


def test_another_plugin_makes_another_series(tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    plans = (plan, *(msgspec.structs.replace(plan, plugin_sha256=name) for name in ("1", "2")))
    made = [gather(measured(tmp_path / str(i), p, {0: [30]})) for i, p in enumerate(plans)]
    assert len({one.series[0].id for one in made}) == 3


def test_times_of_a_host_with_the_same_description_make_another_series(tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"], clock="host")
    plans = [
        msgspec.structs.replace(plan, machine=msgspec.structs.replace(plan.machine, host_id=name)) for name in "12"
    ]
    made = [gather(measured(tmp_path / str(i), p, {0: [30]})) for i, p in enumerate(plans)]
    assert made[0].series[0].id != made[1].series[0].id


def imported(directory: Path, **changes: object) -> Path:
    kernels = (ImportedKernel(label="6.12", release="6.12"), ImportedKernel(label="6.19", release="6.19"))
    common = {"workload": "w", "metric": "ns", "unit": "ns", "definition": "x", "better": "lower", "primary": True}
    many = SampleSeries(kernel="6.12", samples=(Sample(value=1.0), Sample(value=3.0), Sample(value=None)), **common)  # type: ignore[arg-type]
    printed = SampleSeries(kernel="6.19", spread=Spread(mean=4.0, deviation=0.5, n=None), **common)  # type: ignore[arg-type]
    source = Source(name="a.csv", sha256="0" * 64, format="csv")
    fields: dict[str, object] = {"name": "i", "sources": (source,), "kernels": kernels, "series": (many, printed),
                                 "replication": "boot", **changes}  # fmt: skip
    directory.mkdir()
    (directory / "samples.json").write_bytes(to_json(Samples(**fields)))  # type: ignore[arg-type]
    return directory


def test_imported_values_and_means_stand_in_the_archive(archive: Archive, tmp_path: Path) -> None:
    added = add(archive, gather(imported(tmp_path / "i")))
    assert (added.runs, added.samples) == (4, 3)
    (line,) = lines(archive, SeriesFilter(clock="imported"))
    assert [(p.value, p.n, p.spread) for p in line.points] == [(2.0, 2, 0.5), (4.0, None, 0.5)]
    assert archive.rows("SELECT count(*) FROM runs WHERE outcome = 'failed'") == [(1,)]
    assert add(archive, gather(tmp_path / "i")).runs == 0


def test_imports_of_unknown_machines_are_never_mixed(archive: Archive, tmp_path: Path) -> None:
    add(archive, gather(imported(tmp_path / "a")))
    add(archive, gather(imported(tmp_path / "b", notes=("another file",))))
    assert len(lines(archive, SeriesFilter())) == 2


def test_imports_of_one_named_machine_are_one_series(archive: Archive, tmp_path: Path) -> None:
    add(archive, gather(imported(tmp_path / "a", machine="m1")))
    add(archive, gather(imported(tmp_path / "b", machine="m1", notes=("another file",))))
    (line,) = lines(archive, SeriesFilter())
    assert [point.n for point in line.points] == [4, None]


@pytest.mark.parametrize(
    ("text", "kept"),
    [("2026-05-13T10:11:12Z", "2026-05-13 10:11:12"), ("2026-05-13T12:11:12+02:00", "2026-05-13 10:11:12"),
     ("yesterday", None), ("", None)],
)  # fmt: skip
def test_a_moment_that_cannot_be_read_is_absent(archive: Archive, text: str, kept: str | None) -> None:
    one = batch(1)
    runs = tuple(msgspec.structs.replace(run, started_utc=text) for run in one.runs)
    add(archive, msgspec.structs.replace(one, runs=runs))
    assert archive.rows("SELECT DISTINCT started_utc::VARCHAR FROM samples") == [(kept,)]


def test_series_differ_by_everything_but_their_words() -> None:
    plain = series()
    assert series(definition="other", primary=False).id == plain.id
    for name, value in (("metric", "m"), ("unit", "u"), ("better", "higher"), ("settings", ()), ("conditions", ())):
        assert msgspec.structs.replace(plain, **{name: value}).id != plain.id


def test_points_are_those_of_all_samples_after_every_addition(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    directory = measured(tmp_path / "d", plan, {0: [30, 31, 35], 1: [60]})
    batches = [gather(directory), batch(3), batch_of({"6.17": [300.0], "6.19": [400.0, 401.0]}, plan="other")]
    keep(directory, runs_of(plan, 1)[1], 66)
    for one in (*batches, gather(directory), gather(imported(tmp_path / "i"))):
        add(archive, one)
        live = archive.rows(
            "SELECT series, kernel, median(value) FILTER (counted), min(value), max(value), count(*), max(started_utc)"
            " FROM samples GROUP BY ALL ORDER BY ALL"
        )
        kept = archive.rows(
            "SELECT series, kernel, value, lowest, highest, all_runs, last_utc FROM points ORDER BY ALL"
        )
        assert kept == live


def test_lines_that_are_found_later_make_no_other_session(archive: Archive, tmp_path: Path) -> None:
    directory = measured(tmp_path / "d", plan_with(["6.12.1", "6.17.2"]), {0: [30, 30], 1: [60, 60]})
    add(archive, gather(directory))
    first = runs_of(open_directory(directory).plan, 0)[0]
    lines_sha256 = artifacts.put(directory, b"{}")
    keep_lines(directory, [LinesOfRun(run=first.id, profile_sha256="", lines_sha256=lines_sha256)])
    assert add(archive, gather(directory)).runs == 0
    assert values(archive) == [[("6.12.1", 30.0, 2), ("6.17.2", 60.0, 2)]]


def test_a_session_that_an_earlier_version_named_by_its_lines_is_known(archive: Archive, tmp_path: Path) -> None:
    directory = measured(tmp_path / "d", plan_with(["6.12.1", "6.17.2"]), {0: [30, 30], 1: [60, 60]})
    record = open_directory(directory).records()[0]
    lines_sha256 = artifacts.put(directory, b"{}")
    keep_lines(directory, [LinesOfRun(run=record.run, profile_sha256="", lines_sha256=lines_sha256)])
    named = content_id(msgspec.structs.replace(record, lines_sha256=lines_sha256))[:12]
    add(archive, msgspec.structs.replace(gather(directory), session=named))
    assert add(archive, gather(directory)).runs == 0
    assert archive.rows("SELECT session FROM experiments") == [(named,)]


def test_a_block_that_another_host_makes_again_replaces_its_first_runs(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"], clock="kvm", repeats=6, perturb=0, control=False)
    directory = measured(tmp_path / "d", plan, {})
    keep(directory, plan.runs[0], 100, host="lost")
    for run in plan.runs:
        if run.block:
            keep(directory, run, 100, host="other")
    assert add(archive, gather(directory)).samples == 9
    for run in plan.runs:
        if not run.block:
            keep(directory, run, 300, host="other", started_utc="2026-11-21T18:00:00Z")
    assert add(archive, gather(directory)).samples == 4
    assert [[n for _, _, n in line] for line in values(archive)] == [[6, 6]]
    assert archive.rows("SELECT count(*), sum(value) FROM samples") == [(12, 8 * 100.0 + 4 * 300.0)]
    assert archive.rows("SELECT count(*) FROM runs") == [(12,)]
    assert add(archive, gather(directory)).runs == 0


def reusing(values: dict[str, list[float]], plan: str) -> Batch:
    """A batch whose first run is r1 of the plan `plan`."""
    made = batch_of(values, plan=plan)
    first = msgspec.structs.replace(made.runs[0], origin=Origin(plan="plan", run="r1"))
    return msgspec.structs.replace(made, runs=(first, *made.runs[1:]))


ONCE = {
    "origin": batch(1),
    "reuses": reusing({"6.17": [200.0], "6.19": [400.0]}, plan="other"),
    "reuses too": reusing({"6.17": [200.0], "6.20": [500.0]}, plan="third"),
}


@pytest.mark.parametrize("order", list(permutations(ONCE)))
def test_samples_of_a_run_that_several_directories_have_count_once(archive: Archive, order: tuple[str, ...]) -> None:
    added = [add(archive, ONCE[name]).samples for name in order]
    assert added[0] == 2
    counts = [("6.12", 100.0, 1), ("6.17", 200.0, 1), ("6.19", 400.0, 1), ("6.20", 500.0, 1)]
    assert values(archive) == [counts]
    again = msgspec.structs.replace(ONCE["origin"], session="measured anew")
    assert add(archive, again).samples == 2
    assert values(archive)[0][:2] == [("6.12", 100.0, 2), ("6.17", 200.0, 2)]
    assert [add(archive, ONCE[name]).runs for name in order] == [0, 0, 0]


def test_an_archive_of_an_earlier_version_learns_origins_when_its_directories_are_added_again(archive: Archive) -> None:
    for name in ("reuses", "origin"):
        forgetful = [msgspec.structs.replace(run, origin=None) for run in ONCE[name].runs]
        add(archive, msgspec.structs.replace(ONCE[name], runs=tuple(forgetful)))
    assert values(archive)[0][1] == ("6.17", 200.0, 2)
    add(archive, ONCE["reuses"])
    assert values(archive)[0][1] == ("6.17", 200.0, 1)


def test_samples_of_a_reused_run_are_added_where_its_directory_is_not_known(archive: Archive) -> None:
    alone = batch(1)
    runs = tuple(msgspec.structs.replace(run, origin=Origin(plan="elsewhere", run=run.name)) for run in alone.runs)
    assert add(archive, msgspec.structs.replace(alone, runs=runs)).samples == 2


def test_verdicts_on_a_series_that_its_values_leave_are_dropped(archive: Archive) -> None:
    """A directory whose runs are all those of another one has verdicts, and no values of its own."""
    alone = msgspec.structs.replace(batch(1), comparisons=(compared("regression"),))
    runs = tuple(msgspec.structs.replace(run, origin=Origin(plan="plan", run=run.name)) for run in alone.runs)
    of_now = series(conditions=(Setting(name="boot parameters", value="quiet"),))
    copy = msgspec.structs.replace(alone, plan="copy", runs=runs)
    for one in (alone, copy, msgspec.structs.replace(alone, series=(of_now,))):
        add(archive, one)
    assert archive.rows("SELECT DISTINCT series FROM comparisons") == archive.rows("SELECT series FROM series")
