# SPDX-License-Identifier: GPL-2.0-only
"""Nominations: where, with an id that stays; the pair that confirms one, and what its report then means."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.model.experiment import KernelUse
from kassay.model.program import ProgramUse
from kassay.model.reason import own_words
from kassay.model.records import Setting
from kassay.model.report import Report
from kassay.plan.expand import expand
from kassay.tools.history import texts
from kassay.tools.history.add import add
from kassay.tools.history.archive import Archive, reading, writing
from kassay.tools.history.gather import gather
from kassay.tools.history.nominations import (
    Known,
    experiment_for,
    judged,
    judged_directories,
    known,
    left_out,
    nominations,
    not_reproducible,
    remember,
    too_short,
    why_not,
)
from kassay.tools.history.packed import STOCK
from kassay.tools.history.query import SeriesFilter, lines
from kassay.tools.history.records import OUTCOMES, Nomination
from tests.analysis.plans import plan_input
from tests.history.batches import batch_of, compared, series
from tests.history.directories import measured, plan_with
from tests.report.reports import compare

pytestmark = pytest.mark.slow  # seconds for the whole file


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with writing(tmp_path / "h.duckdb") as opened:
        yield opened


def nominated(archive: Archive, **wanted: object) -> list[Nomination]:
    facts = known(archive)
    return [one for line in lines(archive, SeriesFilter(**wanted)) for one in nominations(line, facts)]  # type: ignore[arg-type]


def test_a_step_of_counts_is_nominated_between_its_two_kernels(archive: Archive) -> None:
    add(archive, batch_of({"6.12": [303.0], "6.16": [303.0], "6.17": [671.0], "6.19": [671.0]}))
    (one,) = nominated(archive)
    assert (one.before.kernel.release, one.after.kernel.release) == ("6.16", "6.17")
    assert one.change == pytest.approx(671 / 303 - 1)
    assert one.points == (2, 2)
    assert one.confirmation is None


def test_a_change_of_counts_is_that_of_its_two_kernels(archive: Archive) -> None:
    add(archive, batch_of({"6.12": [303.0], "6.16": [303.5], "6.17": [671.0], "6.18": [671.0], "6.19": [697.0]}))
    assert [one.change for one in nominated(archive)] == [671 / 303.5 - 1, 697 / 671 - 1]


def test_no_step_of_the_stock_history_is_missed() -> None:
    with reading(STOCK) as stock:
        found_lines = lines(stock, SeriesFilter(every_metric=True))
    for line in found_lines:
        changes = {one.after.kernel.id: one.change for one in nominations(line, Known())}
        for before, after in pairwise(line.points):
            explained = max(0.01, 2 * (before.floor or 0), 2 * (after.floor or 0))
            if after.change is not None and abs(after.change) > explained:
                assert changes[after.kernel.id] == after.change, (line.series.workload, after.kernel.release)


@pytest.mark.parametrize("order", [("6.16", "6.17"), ("6.17", "6.16")])
def test_a_pair_that_was_refused_is_listed_as_such_until_it_is_compared_anew(
    archive: Archive, order: tuple[str, str]
) -> None:
    values = {"6.16": [303.0], "6.17": [671.0]}
    refused = compared("different-work", "the program did different work: ops 5 on 6.16, 4 on 6.17")
    add(archive, structs.replace(batch_of({name: values[name] for name in order}), comparisons=(refused,)))
    (one,) = nominated(archive)
    assert one.refusal == "different-work; the program did different work: ops 5 on 6.16, 4 on 6.17"
    assert texts.nomination_row(one)[5] == f"refused: {one.refusal}"
    add(archive, structs.replace(batch_of(values, plan="again"), comparisons=(compared("regression"),)))
    (one,) = nominated(archive)
    assert (one.refusal, texts.nomination_row(one)[5]) == ("", "nominated")


def test_a_comparison_that_was_renewed_is_the_latest(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    days = iter(("21", "22", "23"))
    monkeypatch.setattr("kassay.effects.clock.utc_now", lambda: f"2026-11-{next(days)}T00:00:00Z")
    values = {"6.16": [303.0], "6.17": [671.0]}
    begun = structs.replace(batch_of(values), comparisons=(compared("incomplete", "runs are missing"),))
    other = structs.replace(batch_of(values, plan="other"), comparisons=(compared("state-mismatch", "huge pages"),))
    for batch in (begun, other, structs.replace(begun, comparisons=(compared("regression"),)), other):
        add(archive, batch)
    (one,) = nominated(archive)
    assert one.refusal == ""


def test_the_id_stays_when_the_series_grows(archive: Archive) -> None:
    add(archive, batch_of({"6.16": [303.0], "6.17": [671.0]}))
    (before,) = nominated(archive)
    add(archive, batch_of({"6.12": [303.0], "7.0": [900.0]}, plan="more"))
    assert before.id in [one.id for one in nominated(archive)]
    assert len({one.id for one in nominated(archive)}) == 2


def test_times_need_six_points_and_say_so(archive: Archive) -> None:
    timed = series(clock="kvm")
    values = {f"6.{i}": [25.0 if i < 4 else 37.0] for i in range(1, 6)}
    add(archive, batch_of(values, plan="a", of=timed))
    (line,) = lines(archive, SeriesFilter())
    assert nominations(line, known(archive)) == ()
    assert too_short(line) == "5 points; at least 6 are needed to nominate one"
    add(archive, batch_of({"6.6": [37.0]}, plan="b", of=timed))
    (one,) = nominated(archive)
    assert (one.before.kernel.release, one.after.kernel.release) == ("6.3", "6.4")


def test_one_point_of_counts_is_too_short_and_two_are_not(archive: Archive) -> None:
    add(archive, batch_of({"6.12": [1.0]}))
    assert [too_short(line) for line in lines(archive, SeriesFilter())] == [
        "1 point; at least 2 are needed to nominate one"
    ]
    add(archive, batch_of({"6.13": [1.0]}, plan="more"))
    assert [too_short(line) for line in lines(archive, SeriesFilter())] == [""]


@pytest.mark.parametrize(("clock", "others"), [("icount", 1), ("kvm", 5)])
def test_points_of_value_0_are_left_out_and_named(archive: Archive, clock: str, others: int) -> None:
    values = {f"6.{i}": [25.0] for i in range(1, others + 1)} | {"7.0": [0.0, 0.0]}
    add(archive, batch_of(values, of=series(clock=clock)))
    (line,) = lines(archive, SeriesFilter())
    zero = line.points[-1]
    assert (zero.value, zero.spread, nominations(line, Known())) == (0, None, ())
    assert too_short(line).startswith(f"{others} point") and too_short(line).endswith(left_out(line))
    assert left_out(line) == "1 point at or below 0 is left out: no change from or to 0 is nominated"


def test_the_pair_is_the_stored_experiment_narrowed_to_both_sides(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.16.9", "6.17.2"], question="ladder", rounds=7, repeats=1, perturb=0, seed=5)
    add(archive, gather(measured(tmp_path / "d", plan, {0: [30], 1: [30], 2: [60]})))
    (one,) = nominated(archive)
    pair = experiment_for(archive, one)
    assert why_not(one) == ""
    assert pair.kernels == (KernelUse(ref="debian:6.16.9-1"), KernelUse(ref="debian:6.17.2-1"))
    assert (pair.question, pair.order, pair.rounds, pair.seed) == ("compare", "interleaved", 7, 5)
    assert (pair.cpus, pair.memory_bytes, pair.clock) == ((1,), (1 << 30,), "icount")
    assert [use.name for use in pair.workloads] == ["w"]
    # one run could never be a verdict
    assert (pair.repeats, pair.perturb) == (2, 2)


def test_the_extra_kernel_parameters_of_the_series_are_those_of_the_pair(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"], cmdline="thp=never")
    add(archive, gather(measured(tmp_path / "d", plan, {0: [30], 1: [60]})))
    (one,) = nominated(archive)
    assert {use.cmdline for use in experiment_for(archive, one).kernels} == {"thp=never"}


def test_the_pair_runs_on_the_cpu_of_the_series(archive: Archive, tmp_path: Path) -> None:
    both = plan_with(["6.12.1", "6.17.2"], cpu=("nehalem", "zen3"))
    uses = tuple(structs.replace(use, cpu="haswell") for use in both.experiment.kernels)
    experiment = structs.replace(both.experiment, kernels=uses, cpu=msgspec.UNSET)
    of_kernels = expand(experiment, plan_input(both.kernels, (("w", ()),)))
    add(archive, gather(measured(tmp_path / "both", both, {0: [30] * 8, 1: [60] * 8})))
    add(archive, gather(measured(tmp_path / "of kernels", of_kernels, {0: [30], 1: [60]})))
    found = {next(c.value for c in one.series.conditions if c.name == "cpu"): one for one in nominated(archive)}
    assert found.keys() == {"nehalem", "zen3", "haswell"}
    for cpu, one in found.items():
        assert experiment_for(archive, one).cpu == (cpu,)


def test_the_pair_runs_on_the_remote_machine_of_the_series(archive: Archive, tmp_path: Path) -> None:
    releases = [f"6.{number}.1" for number in range(10, 18)]
    plan = plan_with(releases, clock="metal", on="ssh://u@h", question="ladder", repeats=6, perturb=0, control=False)
    costs = {kernel: [(1000 if kernel < 4 else 2000) + kernel % 3] * 6 for kernel in range(8)}
    add(archive, gather(measured(tmp_path / "d", plan, costs)))
    (one,) = nominated(archive)
    assert one.series.machine.cpus is None
    pair = experiment_for(archive, one)
    assert (pair.clock, pair.on) == ("metal", "ssh://u@h")
    assert (pair.cpus, pair.memory_bytes) == (plan.experiment.cpus, plan.experiment.memory_bytes)


def test_the_pair_runs_the_program_of_the_stored_experiment(archive: Archive, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    program = ProgramUse(path="/tmp/prog.c", sha256="0" * 64)
    uses = tuple(msgspec.structs.replace(use, program=program) for use in plan.experiment.workloads)
    plan = msgspec.structs.replace(plan, experiment=msgspec.structs.replace(plan.experiment, workloads=uses))
    add(archive, gather(measured(tmp_path / "d", plan, {0: [30], 1: [60]})))
    (one,) = nominated(archive)
    assert [use.program for use in experiment_for(archive, one).workloads] == [program]


def test_imported_values_and_unnamed_kernels_cannot_be_measured_again(archive: Archive) -> None:
    add(archive, batch_of({f"6.{i}": [25.0 if i < 4 else 37.0] for i in range(1, 7)}, of=series(clock="imported")))
    (one,) = nominated(archive)
    assert "imported" in why_not(one)
    unnamed = msgspec.structs.replace(one.after, kernel=msgspec.structs.replace(one.after.kernel, ref=""))
    counted = msgspec.structs.replace(one, series=series(), after=unnamed)
    assert "no reference names" in why_not(counted)
    host = msgspec.structs.replace(one.after, kernel=msgspec.structs.replace(one.after.kernel, ref="host"))
    assert "one at a time" in why_not(msgspec.structs.replace(counted, after=host))
    assert "one kernel" in why_not(msgspec.structs.replace(counted, after=one.before))


def test_without_a_stored_experiment_that_is_said(archive: Archive) -> None:
    add(archive, msgspec.structs.replace(batch_of({"6.12": [1.0], "6.17": [2.0]}), kind="import"))
    (one,) = nominated(archive)
    with pytest.raises(BadInput, match="no experiment of it is stored"):
        experiment_for(archive, one)


def report_with(verdict: str, evidence: str = "exact", metric: str = "iteration", better: str = "lower") -> Report:
    report = compare()
    finding = msgspec.structs.replace(
        report.findings[0],
        workload="w",
        settings=series().settings,
        machine=series().machine,
        metric=metric,
        verdict=verdict,
        evidence=evidence,
        better=better,
        reasons=(own_words("because"),),
    )
    return msgspec.structs.replace(report, findings=(finding,))


@pytest.fixture
def growth(archive: Archive) -> Nomination:
    add(archive, batch_of({"6.16": [303.0], "6.17": [671.0]}))
    return nominated(archive)[0]


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        (report_with("regression"), "confirmed"),
        (report_with("regression", "reliable"), "confirmed"),
        (report_with("regression", "robust-only"), "confirmed"),
        (report_with("regression", "partial"), "undecided"),
        (report_with("different-work", "partial"), "undecided"),
        (report_with("improvement"), "not confirmed"),
        (report_with("improvement", better="higher"), "confirmed"),
        (report_with("equivalent"), "not confirmed"),
        (report_with("inconclusive", "partial"), "undecided"),
        (report_with("state-mismatch", "partial"), "undecided"),
        (report_with("regression", metric="another"), "undecided"),
    ],
)
def test_only_a_verdict_in_the_same_direction_confirms(growth: Nomination, report: Report, outcome: str) -> None:
    found = judged(growth, report, "/d")
    assert (found.outcome, found.directory, found.nomination) == (outcome, "/d", growth.id)
    assert found.outcome in OUTCOMES and found.words


def test_only_the_finding_of_the_whole_point_is_judged(growth: Nomination) -> None:
    report = report_with("regression")
    (own,) = report.findings
    others = [
        structs.replace(own, verdict="improvement", **{name: value})
        for name, value in (("workload", "v"), ("settings", ()), ("machine", structs.replace(own.machine, cpu="zen3")))
    ]
    assert judged(growth, structs.replace(report, findings=(*others, own)), "/d").outcome == "confirmed"
    on_zen3 = structs.replace(growth.series, conditions=(*growth.series.conditions, Setting(name="cpu", value="zen3")))
    found = judged(structs.replace(growth, series=on_zen3), structs.replace(report, findings=(own, *others)), "/d")
    assert (found.outcome, found.verdict) == ("not confirmed", "improvement")
    assert judged(growth, structs.replace(report, findings=tuple(others)), "/d").words == (
        "the fresh pair has no value of this series"
    )


def test_outcomes_are_kept_and_the_latest_is_shown(archive: Archive, growth: Nomination) -> None:
    remember(archive, not_reproducible(growth, "no network"))
    remember(archive, judged(growth, report_with("regression"), "/d"))
    (one,) = nominated(archive)
    assert one.confirmation is not None
    assert (one.confirmation.outcome, one.confirmation.verdict) == ("confirmed", "regression")
    assert archive.rows("SELECT count(*) FROM confirmations") == [(2,)]
    assert judged_directories(archive) == {"", "/d"}
