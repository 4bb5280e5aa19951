# SPDX-License-Identifier: GPL-2.0-only
"""`kassay pcp simulate`: cells, what is kept of them, its forms; and the simulated lock beside queueing theory."""

import json
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.errors import BadInput
from kassay.labs.pcp import engine, simulate
from kassay.labs.pcp.model.simulated import RATES, PcpSimulation, SimulatedCell
from kassay.labs.pcp.report.simulated import SIMULATED
from kassay.labs.pcp.report.sweep import sweep_sections
from kassay.labs.pcp.simulate import Asked
from kassay.model.progress import Tell
from kassay.report.answers import answer_formats
from kassay.report.document import Chart
from tests.pcp.queue import simulated_wait

pytestmark = pytest.mark.slow  # seconds for the whole file

SMALL = {"events": ("60000",), "memory": ("1GiB",), "cpus": ("4",)}


@pytest.fixture(autouse=True)
def own_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cells are kept in a directory of the test; the built simulator stays where it is."""
    engine.simulator()
    monkeypatch.setattr(simulate, "_cells_directory", lambda: tmp_path / "cells")
    return tmp_path / "cells"


def small(*, policies: tuple[str, ...] = ("fixed", "auto"), **settings: tuple[str, ...]) -> PcpSimulation:
    return simulate.simulate(Asked("depth", policies, {**SMALL, **settings}))


def test_cells_stand_by_setting_then_policy() -> None:
    answer = small(depth=("100", "1000"), seed=("1", "2"))
    shown = [(cell.policy, *(one.value for one in cell.settings)) for cell in answer.cells]
    assert shown[:3] == [("fixed", "100", "1"), ("auto", "100", "1"), ("fixed", "100", "2")]
    assert len(shown) == 8 and all(set(cell.rates) == set(RATES) for cell in answer.cells)


def test_a_sweep_goes_on_where_it_was_stopped(own_cells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = small(depth=("100", "1000"))
    ran: list[str] = []
    run = engine.run

    def counted(config: engine.Config, events: Path | None, tell: Tell) -> engine.Outcome:
        ran.append(config.policy)
        return run(config, events, tell)

    monkeypatch.setattr(engine, "run", counted)
    assert small(depth=("100", "1000")) == first and ran == []
    next(own_cells.rglob("*.json")).unlink()
    assert small(depth=("100", "1000")) == first and len(ran) == 1


def test_a_kept_cell_that_cannot_be_read_is_simulated_again(own_cells: Path) -> None:
    first = small()
    for path in own_cells.rglob("*.json"):
        path.write_text("{")
    assert small() == first


def test_auto_takes_less_from_the_zone_where_depth_is_above_high() -> None:
    fixed, auto = small(depth=("8000",), events=("1e6",)).cells
    assert (auto.rates["from_zone"] or 0) < 0.2 < (fixed.rates["from_zone"] or 0)
    assert (auto.rates["idle_pages"] or 0) > (fixed.rates["idle_pages"] or 0)


@pytest.mark.parametrize(("cpus", "alloc_ns"), [
    (4, 400), (16, 1000),
    *(pytest.param(*rest, marks=pytest.mark.slow) for rest in ((16, 1500), (16, 400), (64, 4500))),
])  # fmt: skip
def test_the_lock_waits_as_a_naive_queue_does(cpus: int, alloc_ns: int) -> None:
    """Nothing is freed, so that refills of one batch alone take the lock: constant holds, thinks of 63 allocations."""
    settings = {
        "events": (str(40_000 * cpus),), "warmup_events": (str(8_000 * cpus),), "memory": ("64GiB",), "depth": ("1e6",),
        "cpus": (str(cpus),), "alloc_ns": (str(alloc_ns),), "handover_ps": ("0",), "jitter": ("1",),
    }  # fmt: skip
    (cell,) = simulate.simulate(Asked("depth", ("fixed",), settings)).cells
    lock, run, draw = cell.lock, cell.parameters, Random(3)
    assert lock is not None and cell.counters["drains"] == 0
    batch, hold = run["zone0.batch"], (run["run.lock_ps"] + run["zone0.batch"] * run["run.refill_block_ps"]) / 1000

    def think() -> float:
        return sum(draw.uniform(0, 2 * alloc_ns) for _ in range(batch)) + batch * run["run.alloc_ps"] / 1000

    turns = 40_000 * cpus // batch
    naive = simulated_wait(cpus, think, lambda: hold, turns, turns // 5)
    assert lock.hold_ns == pytest.approx(hold, rel=0.001)
    assert lock.wait_ns == pytest.approx(naive, rel=0.1)
    assert lock.least_ns * 0.999 <= lock.wait_ns <= lock.predicted_ns * 1.05


def test_a_saturated_lock_serves_one_cpu_after_the_other() -> None:
    settings = {"events": ("800000",), "depth": ("1e6",), "cpus": ("32",), "alloc_ns": ("1",), "memory": ("64GiB",)}
    (cell,) = simulate.simulate(Asked("depth", ("fixed",), settings)).cells
    assert cell.lock is not None
    assert cell.rates["lock_held"] == pytest.approx(1, abs=0.01)
    assert cell.lock.wait_ns == pytest.approx(cell.lock.predicted_ns, rel=0.02)


def test_a_lock_is_held_for_no_more_than_the_time() -> None:
    settings = {"events": ("10000",), "alloc_ns": ("0",)}
    for cell in simulate.simulate(Asked("processes", ("fixed", "auto"), settings)).cells:
        assert (cell.rates["lock_held"] or 0) <= 1


def test_the_costs_say_the_time_of_an_instruction_that_was_set() -> None:
    def text(**settings: tuple[str, ...]) -> str:
        answer = small(policies=("fixed",), **settings)
        assert answer.costs in SIMULATED.form("markdown").render(answer).replace("\n", " ")
        return answer.costs

    start = "zone path from counted instructions of 6.12.117 at"
    assert text() == f"{start} 0.79 ns each (docs/results/pcp-inputs.md)"
    assert text(instruction_ps=("400",)) == f"{start} 0.4 ns each (docs/results/pcp-inputs.md)"
    assert (
        text(instruction_ps=("400", "790"))
        == f"{start} 0.4 and 0.79 ns each, as the cell says (docs/results/pcp-inputs.md)"
    )
    assert text(lock_ps=("9000",)) == f"{start} 0.79 ns each, but for lock_ps, as set (docs/results/pcp-inputs.md)"


ONE_OF_EIGHT = """
summary = "one busy CPU of eight"
[machine]
cpus = 8
events = 200_000
warmup_events = 10_000
[[groups]]
name = "a"
cpu_count = 1
tasks_per_cpu = 1
depth_min = 4096
depth_max = 4096
"""


def test_the_queue_is_that_of_the_cpus_that_took_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(ONE_OF_EIGHT)
    (cell,) = simulate.simulate(Asked(str(path), ("fixed",))).cells
    assert cell.lock is not None and cell.counters["wait_ps"] == 0
    assert (cell.lock.cpus, cell.lock.wait_ns, cell.lock.predicted_ns, cell.lock.most_ns) == (1, 0, 0, 0)
    busy = cell.elapsed_ns / cell.counters["acquisitions"]
    assert cell.lock.think_ns + cell.lock.hold_ns == pytest.approx(busy, rel=0.01)


def test_zones_with_different_numbers_of_cpus_have_no_queue() -> None:
    answer = small(depth=("16384",), nodes=("2",), cpus=("3",), events=("400000",), warmup_events=("20000",))
    for cell in answer.cells:
        assert cell.lock is None and cell.counters["acquisitions"]
    text = SIMULATED.form("markdown").render(answer)
    assert "no queue for fixed and auto: different numbers of CPUs" in text
    assert "The zone lock" not in text and "least and most" not in text


@pytest.mark.parametrize("cpus", ["4", "6"])
def test_the_wait_of_equal_zones_lies_within_its_bounds(cpus: str) -> None:
    answer = small(depth=("16384",), nodes=("2",), cpus=(cpus,), events=("400000",), warmup_events=("20000",))
    for lock in [cell.lock for cell in answer.cells]:
        assert lock is not None and lock.cpus == int(cpus) // 2
        assert lock.least_ns * 0.99 <= lock.wait_ns <= lock.most_ns * 1.01


@pytest.mark.parametrize("name", answer_formats())
def test_every_form_names_every_policy_and_ends_with_a_newline(name: str) -> None:
    text = SIMULATED.form(name).render(small(depth=("500", "2000")))
    assert text.endswith("\n") and all(policy in text for policy in ("fixed", "auto"))


def test_rates_of_few_events_are_not_zero_and_changes_of_few_name_them() -> None:
    answer = small()
    first, second = (with_acquisitions(cell, n) for cell, n in zip(answer.cells, (10, 6), strict=True))
    text = SIMULATED.form("markdown").render(replace(answer, cells=(first, second)))
    assert "| 0.0005 |" in text and "| 0.0003 |" in text
    assert "Change against fixed, for each page event" in text and "| lock time | wait for lock |" in text
    assert "-40.0 % (n 10 and 6)" in text and "events that a change rests on, where they are fewer than 100" in text
    many = SIMULATED.form("markdown").render(replace(answer, cells=(first, with_acquisitions(second, 6000))))
    assert "(n 10 and 6000)" in many


def with_acquisitions(cell: SimulatedCell, count: int) -> SimulatedCell:
    """The cell with so many acquisitions in 20 million page events."""
    counters = {**cell.counters, "allocations": 10_000_000, "frees": 10_000_000, "acquisitions": count}
    return replace(cell, counters=counters, rates={**cell.rates, "acquisitions": count / 20_000})


def test_json_gives_policies_counters_and_parameters() -> None:
    value = json.loads(SIMULATED.form("json").render(small()))
    assert value["schema"] == "kassay-pcp-simulation/1"
    assert [policy["name"] for policy in value["policies"]] == ["fixed", "auto"]
    assert value["cells"][0]["counters"]["acquisitions"] > 0
    assert value["cells"][0]["parameters"]["zone0.high_min"] > 0


def test_a_page_holds_nothing_that_a_name_brought_in(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('summary = "<script>alert(1)</script>"\n[machine]\nevents = 1000\n[[groups]]\nname = "a"\n')
    page = SIMULATED.form("html").render(simulate.simulate(Asked(str(path))))
    assert "<script" not in page and "&lt;script" in page


def test_unknown_policies_are_refused_before_anything_runs() -> None:
    with pytest.raises(BadInput, match="did you mean auto_7_3"):
        small(policies=("fixed", "auto_73"))


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(build_app(), ["pcp", "simulate", *words])
    return (2 if isinstance(done.exception, BadInput) else done.exit_code), done.output or str(done.exception)


def test_the_command_writes_its_reports(tmp_path: Path) -> None:
    status, text = run("depth", "--set", "events=20000", "--set", "memory=1GiB", "--out", str(tmp_path / "out"))
    assert status == 0 and "from zone" in text
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "report.html", "report.json", "report.mail", "report.markdown", "report.md", "report.txt",
    ]  # fmt: skip
    subject, empty, *text_of_mail = (tmp_path / "out" / "report.mail").read_text().splitlines()
    assert (subject, empty, text_of_mail[0]) == ("Subject: [RFC] mm: per-CPU pages, depth", "", "Hi,")


def test_a_form_for_programs_is_printed_alone(tmp_path: Path) -> None:
    small_run = ("depth", "--set", "events=20000", "--set", "memory=1GiB", "--format", "json")
    done = CliRunner().invoke(build_app(), ["pcp", "simulate", *small_run, "--out", str(tmp_path / "out")])
    assert json.loads(done.stdout)["schema"] == "kassay-pcp-simulation/1"


@pytest.mark.parametrize(
    "words",
    [("nothing",), ("depth", "--set", "cpus"), ("depth", "--set", "cpus=1", "--set", "cpus=2"),
     ("depth", "--policy", ","), ("depth", "--set", "cpus="), ("depth", "--set", "cpus=5000"),
     ("depth", "--format", "yaml")],
)  # fmt: skip
def test_the_command_refuses_what_cannot_be(words: tuple[str, ...]) -> None:
    assert run(*words)[0] == 2


def test_the_list_names_workloads_policies_and_parameters() -> None:
    status, text = run("--list")
    assert status == 0 and all(word in text for word in ("kbuild", "auto_on_drain", "depth_max", "high_fraction"))


def test_a_sweeps_rows_are_named_by_policy_and_setting() -> None:
    text = SIMULATED.form("terminal").render(small(depth=("500", "2000")))
    assert [line.split()[:2] for line in text.splitlines() if line.startswith(("  fixed ", "  auto "))][:4] == [
        ["fixed", "depth=500"], ["auto", "depth=500"], ["fixed", "depth=2000"], ["auto", "depth=2000"],
    ]  # fmt: skip


def test_a_workload_of_an_extension_has_a_name_as_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pcp" / "workloads"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('summary = "own"\n[machine]\nevents = 1000\n[[groups]]\nname = "a"\n')
    monkeypatch.setenv("KASSAY_PATH", str(tmp_path))
    status, text = run("mine", "--policy", "auto")
    assert status == 0 and "workload: own" in text


def test_a_sweep_over_one_number_is_drawn_and_another_is_not() -> None:
    assert [section.title for section in sweep_sections(small(depth=("100", "1000", "10000")))] == [
        "from zone over depth", "contention over depth", "idle pages over depth",
    ]  # fmt: skip
    chart = sweep_sections(small(memory=("1GiB", "2GiB")))[0].blocks[-1]
    assert isinstance(chart, Chart) and [key.text for key in chart.legend] == ["fixed", "auto"]
    assert sweep_sections(small()) == ()
    assert sweep_sections(small(depth=("100", "1000"), seed=("1", "2"))) == ()
    assert sweep_sections(small(huge_pages=("yes", "no"))) == ()
