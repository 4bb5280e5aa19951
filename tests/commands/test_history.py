# SPDX-License-Identifier: GPL-2.0-only
"""kassay history: from directories to a table, to a nomination, to its outcome; and what is refused."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import msgspec
import pytest
from msgspec import structs
from typer.testing import CliRunner, Result

from kassay import pipeline
from kassay.cli import build_app
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell
from kassay.tools.history.add import add
from kassay.tools.history.archive import writing
from tests.commands.conftest import Kassay
from tests.history.batches import batch_of, compared, series
from tests.history.directories import keep, measured, plan_with, runs_of

pytestmark = pytest.mark.slow  # files of a database, archives, whole commands: seconds, not milliseconds

RELEASES = ["6.12.1", "6.16.9", "6.17.2"]
Ask = Callable[..., Result]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    costs = {0: [30, 30], 1: [30, 30], 2: [60, 60]}
    return measured(tmp_path / "runs", plan_with(RELEASES, question="ladder"), costs)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def run(*words: str) -> Result:
        return CliRunner().invoke(build_app(), ["history", *words, "--archive", str(tmp_path / "h.duckdb")])

    return run


def refused(result: Result) -> KassayError:
    assert isinstance(result.exception, KassayError), result.output
    assert len(str(result.exception).splitlines()) <= 3
    return result.exception


def test_a_directory_is_added_once(ask: Ask, directory: Path) -> None:
    assert "6 runs and 6 values added, 0 runs added before" in ask("add", str(directory)).output
    assert "0 runs and 0 values added, 6 runs added before" in ask("add", str(directory), str(directory)).output


def test_what_was_timed_beside_counts_is_added_too(ask: Ask, directory: Path) -> None:
    measured(directory / "beside", plan_with(RELEASES, rounds=9), {0: [7], 1: [7]})
    assert len(ask("add", str(directory)).output.splitlines()) == 2
    shown = json.loads(ask("show", "--format", "json").output)
    assert sorted(len(series["points"]) for series in shown["series"]) == [2, 3]


def test_every_run_directory_of_a_bisection_is_added(ask: Ask, tmp_path: Path) -> None:
    search = tmp_path / "search"
    insides = ("steps/0000-good", "steps/0001-bad/boot-1", "culprit", "merge/steps/0000-good", "merge/culprit")
    for inside in insides:
        measured(search / inside, plan_with(RELEASES, rounds=9), {0: [7]})
    for found in (search, search / "merge"):
        (found / "bisect.json").write_text("{}")
    lines = ask("add", str(search)).output.splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"{search}/{inside}" for inside in insides]


def test_a_directory_without_runs_is_named_and_the_others_are_added(ask: Ask, directory: Path, tmp_path: Path) -> None:
    search = tmp_path / "search"
    search.mkdir()
    (search / "bisect.json").write_text("{}")
    result = ask("add", str(search), str(directory))
    assert "6 runs and 6 values added" in result.output
    error = refused(result)
    assert (error.what, error.remedy) == (
        f"{search}: a directory of kassay bisect, not a run directory",
        "it has no comparison yet: repeat bisect",
    )
    assert len(json.loads(ask("show", "--format", "json").output)["series"]) == 1


def test_a_metric_is_shown_over_kernels(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    lines = ask("show").output.splitlines()
    assert lines[0] == "w.iteration [instructions/page], icount, x86_64, 1 CPU, 1GiB"
    assert lines[1].split() == ["kernel", "measured", "value", "n", "spread", "change", "compiler"]
    assert [line.split()[:1] + line.split()[2:] for line in lines[2:]] == [
        ["debian:6.12.1-1", "30", "2", "0", "%", "-", "gcc", "12"],
        ["debian:6.16.9-1", "30", "2", "0", "%", "0", "%"],
        ["debian:6.17.2-1", "60", "2", "0", "%", "+100.0", "%"],
    ]


def test_csv_and_json_have_the_same_points(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    rows = list(csv.DictReader(io.StringIO(ask("show", "--format", "csv").output)))
    (series,) = json.loads(ask("show", "--format", "json").output)["series"]
    assert [float(row["value"]) for row in rows] == [point["value"] for point in series["points"]] == [30.0, 30.0, 60.0]
    assert [row["change"] for row in rows] == ["", "0.0", "1.0"]
    assert {row["series"] for row in rows} == {series["id"]}


def test_sessions_are_shown_over_dates(ask: Ask, directory: Path, tmp_path: Path) -> None:
    later = measured(tmp_path / "later", plan_with(RELEASES, question="ladder"), {0: [31]},
                     started_utc="2026-12-01T00:00:00Z")  # fmt: skip
    ask("add", str(directory), str(later))
    rows = list(csv.DictReader(io.StringIO(ask("show", "--over", "dates", "--format", "csv").output)))
    of_first = [row for row in rows if row["ref"] == "debian:6.12.1-1"]
    assert [(row["session"], row["value"]) for row in of_first] == [(str(directory), "30.0"), (str(later), "31.0")]
    assert "session" in ask("show", "--over", "dates").output.splitlines()[1]


def nominated(ask: Ask) -> str:
    (row,) = csv.DictReader(io.StringIO(ask("points", "--format", "csv").output))
    assert (row["from"], row["to"], float(row["change"])) == ("debian:6.16.9-1", "debian:6.17.2-1", 1.0)
    return row["id"]


def test_a_step_is_nominated_and_never_called_a_change(ask: Ask, directory: Path, tmp_path: Path) -> None:
    ask("add", str(directory))
    name = nominated(ask)
    archive = tmp_path / "h.duckdb"
    shown = ask("points").output
    assert f"{name}  debian:6.16.9-1" in shown and "nominated" in shown
    assert f"next: kassay history confirm {name} --archive {archive}  # measures" in shown
    assert "nominated" not in ask("points", "--over", "dates").output
    assert "regression" not in shown
    told = json.loads(ask("points", "--format", "json").output)
    assert [one["id"] for one in told["nominated"]] == [name]


@pytest.mark.parametrize(("costs", "outcome"), [((30, 60), "confirmed"), ((30, 30), "not confirmed")])
def test_a_fresh_pair_decides_and_is_remembered(
    ask: Ask, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, costs: tuple[int, int], outcome: str
) -> None:
    """The machine is replaced; what is measured, judged and kept is the product's."""
    asked: list[Experiment] = []

    def measure(experiment: Experiment, place: Path, tell: Tell, *, cluster: str) -> None:
        asked.append(experiment)
        plan = plan_with(["6.16.9", "6.17.2"])
        measured(place, plan, {0: [costs[0]] * 4, 1: [costs[1]] * 4})

    monkeypatch.setattr(pipeline, "measure", measure)
    ask("add", str(directory))
    name = nominated(ask)
    done = ask("confirm", name, "--out", str(tmp_path / "pair"))
    assert done.exit_code == 0, done.exception
    assert f"{name}: {outcome}: " in done.output
    assert [use.ref for use in asked[0].kernels] == ["debian:6.16.9-1", "debian:6.17.2-1"]
    shown = ask("points").output
    assert outcome in shown and "next:" not in shown
    again = ask("confirm", name, "--out", str(tmp_path / "pair"))  # as after a kill behind the verdict
    assert (again.output, len(asked)) == (done.output, 1)
    archive = duckdb.connect(str(tmp_path / "h.duckdb"))
    archive.execute("UPDATE t_confirmations SET nomination = 'another'")
    archive.close()
    assert "another nomination" in refused(ask("confirm", name, "--out", str(tmp_path / "pair"))).what


def test_a_kernel_that_cannot_be_had_any_more_is_an_outcome(
    ask: Ask, directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise BadInput("debian:6.16.9-1: no such kernel in the archive")

    monkeypatch.setattr(pipeline, "measure", gone)
    ask("add", str(directory))
    done = ask("confirm", nominated(ask), "--out", str(tmp_path / "pair"))
    assert "not reproducible: debian:6.16.9-1: no such kernel" in done.output
    assert "not reproducible" in ask("points").output


def test_what_the_host_lacks_is_no_outcome(ask: Ask, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(*_: object, **__: object) -> None:
        raise HostLacks("no network")

    monkeypatch.setattr(pipeline, "measure", lacks)
    ask("add", str(directory))
    assert refused(ask("confirm", nominated(ask))).what == "no network"
    assert "not reproducible" not in ask("points").output


def test_without_out_a_judged_pair_is_not_taken_for_a_fresh_one(
    ask: Ask, directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places: list[Path] = []

    def measure(experiment: Experiment, place: Path, tell: Tell, *, cluster: str) -> None:
        places.append(place)
        measured(place, plan_with(["6.16.9", "6.17.2"]), {0: [30, 30], 1: [60, 60]})

    monkeypatch.setattr(pipeline, "measure", measure)
    monkeypatch.chdir(tmp_path)
    ask("add", str(directory))
    name = nominated(ask)
    for _ in range(2):
        assert ask("confirm", name).exit_code == 0
    assert [str(place) for place in places] == [f"kassay-out/confirm-{name}", f"kassay-out/confirm-{name}-2"]


def test_an_unknown_nomination_is_refused_with_those_there_are(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    assert nominated(ask) in refused(ask("confirm", "ffffffff")).remedy


def test_sql_answers_in_every_form(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    query = "SELECT release, value, n, NULL AS nothing FROM points JOIN kernels USING (kernel) ORDER BY release LIMIT 1"
    assert json.loads(ask("sql", query, "--format", "json").output) == [
        {"release": "6.12.1", "value": 30.0, "n": 2, "nothing": None}
    ]
    assert ask("sql", query, "--format", "csv").output == "release,value,n,nothing\n6.12.1,30.0,2,\n"
    assert ask("sql", query).output.splitlines()[-1].split() == ["6.12.1", "30", "2", "-"]
    assert ask("sql", "SELECT DISTINCT started_utc FROM runs", "--format", "json").output.count("2026-11-21") == 1
    assert "one SELECT" in refused(ask("sql", "DROP TABLE t_runs")).what


def test_an_answer_of_sql_larger_than_memory_is_refused(
    ask: Ask, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(query: str) -> None:
        raise MemoryError

    ask("add", str(directory))
    monkeypatch.setattr(duckdb, "extract_statements", full)
    assert "the answer needs more memory" in refused(ask("sql", "SELECT * FROM range(100000000000)")).what


def test_json_of_a_query_has_numbers_and_every_column(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    query = "SELECT 'nan'::double a, [1.5, '-inf'::double] b, 1.5::decimal(4, 2) c, map {1: 2.5} d, 2::hugeint e"
    (row,) = json.loads(ask("sql", query, "--format", "json").output, parse_constant=pytest.fail)
    assert row == {"a": None, "b": [1.5, None], "c": 1.5, "d": {"1": 2.5}, "e": 2}
    twice = "SELECT e.name, k.name, 1 AS n FROM experiments e, kernels k LIMIT 1"
    assert "two columns have the name name" in refused(ask("sql", twice, "--format", "json")).what
    assert ask("sql", twice, "--format", "csv").output.startswith("name,name,n\n")


def test_a_text_in_csv_is_no_formula(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    assert ask("sql", "SELECT '=1+1' AS \"@a\", -1 AS b", "--format", "csv").output == "'@a,b\n'=1+1,-1\n"


def test_a_packed_history_is_refused_before_anything_is_measured(
    ask: Ask, directory: Path, kassay: Kassay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "measure", pytest.fail)
    ask("add", str(directory))
    packed = str(tmp_path / "h.duckdb.zst")
    ask("pack", packed)
    shown = kassay("history", "points", "--archive", packed).out
    assert "nominated" in shown and "next:" not in shown
    for archive in (packed, "stock"):
        ran = kassay("history", "confirm", nominated(ask), "--archive", archive)
        assert ran.status == 2 and "a packed history is only read" in ran.err


def test_points_of_value_0_are_said_to_be_left_out(kassay: Kassay, tmp_path: Path) -> None:
    with writing(tmp_path / "h.duckdb") as opened:
        add(opened, batch_of({"6.12": [0.0], "6.16": [303.0], "6.17": [671.0]}))
        add(opened, batch_of({"6.12": [0.0], "6.16": [303.0]}, plan="other", of=series(workload="v")))
    shown = " ".join(kassay("history", "points", "--archive", str(tmp_path / "h.duckdb")).out.split())
    assert shown.count("1 point at or below 0 is left out") == 2


def test_cells_of_a_listing_are_shown_as_they_are(ask: Ask, directory: Path) -> None:
    ask("add", str(directory))
    lines = ask("sql", "FROM (VALUES (1, 2), (1, 3)) t(a, b)").output.splitlines()
    assert [line.split() for line in lines] == [["2", "rows"], ["a", "b"], ["1", "2"], ["1", "3"]]
    assert ask("sql", "SELECT 1 AS a").output.splitlines()[0] == "1 row"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "--format", "xml"), "unknown 'xml'"), (("show", "--memory", "lots"), "'lots' is not a size"),
        (("show", "--set", "size"), "write NAME=VALUE"), (("show", "--over", "weeks"), "unknown 'weeks'"),
        (("show", "nothing"), "no series is as asked"), (("points", "--clock", "kvm"), "no series is as asked"),
    ],
)  # fmt: skip
def test_bad_words_are_refused_with_the_way_out(ask: Ask, directory: Path, words: tuple[str, ...], said: str) -> None:
    ask("add", str(directory))
    assert said in refused(ask(*words)).what


def test_a_directory_that_grew_is_added_to(ask: Ask, directory: Path) -> None:
    plan = plan_with(RELEASES, question="ladder")
    ask("add", str(directory))
    keep(directory, runs_of(plan, 2)[2], 61)
    assert "1 run and 1 value added, 6 runs added before" in ask("add", str(directory)).output


def test_hostile_names_do_not_reach_the_terminal(ask: Ask, tmp_path: Path) -> None:
    plan = plan_with(["6.12.1", "6.17.2"])
    kernel = msgspec.structs.replace(plan.kernels[0], compiler="\x1b[31mgcc\n", image_sha256="x")
    plan = msgspec.structs.replace(plan, kernels=(kernel, plan.kernels[1]))
    ask("add", str(measured(tmp_path / "d", plan, {0: [30]})))
    assert "\x1b" not in ask("show").output


def test_a_refused_pair_is_listed_as_such_and_not_measured_again(kassay: Kassay, tmp_path: Path) -> None:
    archive = ("--archive", str(tmp_path / "h.duckdb"))
    with writing(tmp_path / "h.duckdb") as opened:
        refusal = compared("different-work", "ops 5 on 6.16, 4 on 6.17")
        add(opened, structs.replace(batch_of({"6.16": [303.0], "6.17": [671.0]}), comparisons=(refusal,)))
    listed = kassay("history", "points", *archive)
    assert "refused: different-work" in " ".join(listed.out.split()) and "history confirm" not in listed.out
    (point,) = json.loads(kassay("history", "points", "--format", "json", *archive).out)["nominated"]
    ran = kassay("history", "confirm", point["id"], *archive)
    assert ran.status == 2
    assert f"{point['id']}: these kernels were compared, and refused: different-work; ops 5 on 6.16" in ran.err
