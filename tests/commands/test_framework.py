# SPDX-License-Identifier: GPL-2.0-only
"""The evidence directory of the seeds' framework: its files, and `kassay import` reads the same verdicts from it."""

import csv
import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kassay.journal.directory import open_directory, started
from kassay.journal.journal import append, open_journal, read_journal
from kassay.model.plan import Plan
from tests.commands.conftest import Kassay
from tests.history.directories import keep, measured, plan_with

pytestmark = pytest.mark.slow  # seconds for the whole file

NAMES = ("raw.csv", "summary.csv", "execution-order.csv", "coverage.csv", "README.md")
BOOTS = 14
CONTROLS = 14
START = datetime(2026, 11, 26, 9, tzinfo=UTC)


def costs(factor: float, seed: int, spread: float) -> list[int | None]:
    draw = random.Random(seed)
    return [round(100_000 * factor * draw.gauss(1, spread)) for _ in range(BOOTS)]


def session(directory: Path, factors: Sequence[float], spread: float = 0.01, lost: int | None = None,
            margin: float = 0.02) -> Path:  # fmt: skip
    """Boots in the order of the plan. lost: number of the boot in which the last kernel panics."""
    question = "compare" if len(factors) == 2 else "ladder"
    releases = tuple(f"6.{12 + number}.1" for number in range(len(factors)))
    plan: Plan = plan_with(releases, repeats=BOOTS, perturb=0, clock="tcg", question=question, margin=margin)
    here = started(directory, plan)
    open_journal(here.journal, here.plan_id)
    kernels = {cell.id: cell.kernel for cell in plan.cells}
    draws = {(number, control): costs(factor, 2 * number + control, spread)
             for number, factor in enumerate(factors) for control in (False, True)}  # fmt: skip
    for number, run in enumerate(plan.runs):
        kernel = kernels[run.cell]
        cost = None if run.repeat == lost and kernel == len(factors) - 1 else draws[kernel, run.control].pop()
        when = START + timedelta(seconds=10 * number)
        for attempt in range(1, 2 + (plan.experiment.retries if cost is None else 0)):
            keep(directory, run, cost, attempt=attempt, started_utc=when.strftime("%Y-%m-%dT%H:%M:%SZ"), spread=17)
    return directory


def verdicts(kassay: Kassay, directory: Path) -> dict[tuple[str, str], tuple[str, Any]]:
    answer = json.loads(kassay("report", str(directory), "--format", "json").out)
    return {(f["base"], f["head"]): (f["verdict"], pytest.approx(f["change"])) for f in answer["findings"]
            if f["primary"]}  # fmt: skip


def read_back(kassay: Kassay, directory: Path, tmp_path: Path) -> Path:
    evidence, back = tmp_path / "evidence", tmp_path / "back"
    written = kassay("report", str(directory), "--format", "framework", "--out", str(evidence))
    assert written.status == 0, written.err
    assert "kassay import" in written.out
    assert sorted(path.name for path in evidence.iterdir()) == sorted(NAMES)
    ended = kassay("import", str(evidence), "--out", str(back))
    assert ended.status == 0, ended.err
    return back


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize(
    ("factors", "spread", "wanted"),
    [
        ((1, 1.6), 0.01, ["regression"]),
        ((1.2, 1), 0.01, ["improvement"]),
        ((1, 1), 0.01, ["equivalent"]),
        ((1, 1.015), 0.04, ["inconclusive"]),
        ((1, 1.6, 1.4), 0.01, ["regression", "improvement", "regression"]),
    ],
)
def test_an_import_of_the_evidence_has_the_same_verdicts(
    factors: tuple[float, ...], spread: float, wanted: list[str], kassay: Kassay, tmp_path: Path
) -> None:
    directory = session(tmp_path / "runs", factors, spread)
    own = verdicts(kassay, directory)
    assert verdicts(kassay, read_back(kassay, directory, tmp_path)) == own
    assert [verdict for verdict, _ in own.values()] == wanted


def test_the_margin_and_the_level_of_the_session_come_back(kassay: Kassay, tmp_path: Path) -> None:
    """A change of 3 % with a margin of 10 % is none, and by an import's own margin it would be one."""
    directory = session(tmp_path / "runs", (1, 1.03), 0.004, margin=0.1)
    ((verdict, _),) = verdicts(kassay, directory).values()
    assert verdict == "equivalent"
    assert verdicts(kassay, read_back(kassay, directory, tmp_path)) == verdicts(kassay, directory)


def test_a_failed_boot_is_in_every_file(kassay: Kassay, tmp_path: Path) -> None:
    directory = session(tmp_path / "runs", (1, 1.6), lost=3)
    back = read_back(kassay, directory, tmp_path)
    (failed,) = [row for row in rows(tmp_path / "evidence" / "raw.csv") if row["status"] == "failed"]
    assert (failed["failure_reason"], failed["metric"]) == ("panic: why", "")
    assert re.search(r"_r\d\d-bench-20261126T09\d{4}Z$", failed["run_id"])
    (summary,) = rows(tmp_path / "evidence" / "summary.csv")
    assert (summary["head_runs"], summary["head_failed"], summary["head_status"]) == (str(BOOTS), "1", "partial")
    order = rows(tmp_path / "evidence" / "execution-order.csv")
    assert [row["outcome"] for row in order].count("panic") == 2 and len(order) == 2 * BOOTS + CONTROLS + 1
    assert {row["coverage_enabled"] for row in rows(tmp_path / "evidence" / "coverage.csv")} == {"false"}
    assert verdicts(kassay, back) == verdicts(kassay, directory)


def test_boots_that_kassay_does_not_judge_yet_are_not_given_to_others(kassay: Kassay, tmp_path: Path) -> None:
    """Seven boots of each kernel without the controls of the first look."""
    directory = session(tmp_path / "runs", (1, 1.6))
    controls = {run.id for run in open_directory(directory).plan.runs if run.control}
    journal = directory / "journal.jsonl"
    records = [record for record in read_journal(journal) if record.run not in controls]
    header, *_ = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(header)
    for record in records[:14]:
        append(journal, record)
    ended = kassay("report", str(directory), "--format", "framework")
    assert ended.status == 2 and "refused every comparison" in ended.err


def test_counts_are_refused_with_a_way_out(kassay: Kassay, tmp_path: Path) -> None:
    directory = measured(tmp_path / "runs", plan_with(("6.12.1", "6.17.1"), repeats=2, perturb=0), {0: [3, 3]})
    ended = kassay("report", str(directory), "--format", "framework", "--out", str(tmp_path / "evidence"))
    assert ended.status == 2 and "no boots were timed" in ended.err and "--clock kvm" in ended.err
    assert not (tmp_path / "evidence").exists()


def test_a_directory_with_other_files_stays_as_it_is(kassay: Kassay, tmp_path: Path) -> None:
    directory = session(tmp_path / "runs", (1, 1.6))
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "notes").write_text("mine")
    ended = kassay("report", str(directory), "--format", "framework", "--out", str(tmp_path / "evidence"))
    assert ended.status == 2 and "holds other files" in ended.err
    assert [path.name for path in (tmp_path / "evidence").iterdir()] == ["notes"]


def test_only_a_format_that_is_a_directory_takes_out(kassay: Kassay, tmp_path: Path) -> None:
    ended = kassay("report", str(session(tmp_path / "runs", (1, 1.6))), "--format", "csv", "--out", str(tmp_path / "e"))
    assert ended.status == 2 and "--format csv writes no directory" in ended.err


def test_imports_are_no_boots(kassay: Kassay, tmp_path: Path) -> None:
    back = read_back(kassay, session(tmp_path / "runs", (1, 1.6)), tmp_path)
    ended = kassay("report", str(back), "--format", "framework")
    assert ended.status == 2 and "no boots were timed" in ended.err
