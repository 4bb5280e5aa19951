# SPDX-License-Identifier: GPL-2.0-only
"""Two people's directories side by side: what each has, whether they differ, and what cannot be compared."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest
from msgspec import structs

from kassay.journal.journal import append, read_journal
from kassay.model.host_comparison import HostsAnswer
from kassay.model.plan import Plan
from tests.commands.conftest import Ended, Kassay
from tests.history.directories import measured, plan_with

pytestmark = pytest.mark.slow  # seconds for the whole file

RELEASES = ("6.12.1", "6.17.1")


def answer_of(ended: Ended) -> HostsAnswer:
    return msgspec.json.decode(ended.out, type=HostsAnswer)


def timed_plan(releases: Sequence[str]) -> Plan:
    return plan_with(releases, repeats=8, perturb=0, clock="tcg")


def times(factor: float, seed: int) -> list[int | None]:
    draw = random.Random(seed)
    return [round(100_000 * factor * draw.gauss(1, 0.01)) for _ in range(8)]


def timed(directory: Path, change: float, speed: float = 1.0) -> Path:
    plan = timed_plan(RELEASES)
    return measured(directory, plan, {0: times(speed, 1), 1: times(speed * (1 + change), 2)})


def test_each_host_stands_beside_the_other_with_its_own_change(tmp_path: Path, kassay: Kassay) -> None:
    mine, yours = timed(tmp_path / "mine", 0.05), timed(tmp_path / "yours", 0.55, speed=3)
    ended = kassay("hosts", str(mine), str(yours))
    assert ended.status == 0, ended.err
    assert "The hosts differ by more than the boots of one host do" in ended.out
    (one,) = answer_of(kassay("hosts", str(mine), str(yours), "--format", "json")).comparisons
    assert [(row.host, row.n_base) for row in one.rows] == [("mine", 8), ("yours", 8)]
    assert [row.change for row in one.rows] == [pytest.approx(change, abs=0.03) for change in (0.05, 0.55)]


def test_a_change_that_is_the_same_on_both_is_one_change(tmp_path: Path, kassay: Kassay) -> None:
    mine, yours = timed(tmp_path / "mine", 0.2), timed(tmp_path / "yours", 0.2, speed=3)
    answer = answer_of(kassay("hosts", str(mine), str(yours), "--format", "json"))
    (one,) = answer.comparisons
    assert (one.meaning.code, [host.host for host in answer.hosts]) == ("hosts-agree", ["mine", "yours"])
    assert [(host.ok, host.failed) for host in answer.hosts] == [(16, 0)] * 2


def test_counts_are_the_same_to_the_digit_or_named(tmp_path: Path, kassay: Kassay) -> None:
    plan = plan_with(RELEASES, repeats=2, perturb=0)
    first = measured(tmp_path / "a", plan, {0: [300, 300], 1: [671, 671]})
    later, last = "2026-11-21T18:00:00Z", "2026-11-21T19:00:00Z"
    same = measured(tmp_path / "b", plan, {0: [300, 300], 1: [671, 671]}, started_utc=later)
    other = measured(tmp_path / "c", plan, {0: [300, 300], 1: [672, 672]}, started_utc=last)
    assert "same to the digit" in kassay("hosts", str(first), str(same), "--format", "markdown").out
    assert "has 671 on a and 672 on c" in kassay("hosts", str(first), str(other)).out.replace(".0", "")


def test_a_cluster_s_directory_is_enough_by_itself(tmp_path: Path, kassay: Kassay) -> None:
    directory = timed(tmp_path / "one", 0.2)
    journal = directory / "journal.jsonl"
    records = read_journal(journal)
    header, *_ = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(header)
    half = {run.id: "ab"[run.block >= 2] for run in timed_plan(RELEASES).runs}  # a block stays on one host
    for record in records:
        append(journal, msgspec.structs.replace(record, host=half[record.run]))
    found = json.loads(kassay("hosts", str(directory), "--format", "json").out)
    assert sorted(row["host"] for row in found["comparisons"][0]["rows"]) == ["a", "b"]


def test_what_cannot_be_compared_is_said(tmp_path: Path, kassay: Kassay) -> None:
    mine = timed(tmp_path / "mine", 0.2)
    assert "no comparison was made by two hosts" in kassay("hosts", str(mine)).err
    others = measured(tmp_path / "o", timed_plan(("5.1.1", "5.2.1")), {0: times(1, 1), 1: times(1, 2)})
    assert kassay("hosts", str(mine), str(others)).status == 2
    assert "named twice" in kassay("hosts", str(mine), str(mine)).err


@pytest.mark.parametrize("otherwise", [{"rounds": 40}, {"boot": "stock"}, {"background": 1}])
def test_another_question_is_not_held_against_this_one(
    tmp_path: Path, kassay: Kassay, otherwise: dict[str, Any]
) -> None:
    """The answer claimed that the counts differ "in something that is not recorded"."""
    plan = plan_with(RELEASES, repeats=2, perturb=0)
    other = structs.replace(plan, experiment=structs.replace(plan.experiment, **otherwise))
    mine = measured(tmp_path / "mine", plan, {0: [300, 300], 1: [671, 671]})
    yours = measured(tmp_path / "yours", other, {0: [310, 310], 1: [681, 681]}, started_utc="2026-11-21T18:00:00Z")
    ended = kassay("hosts", str(mine), str(yours))
    assert ended.status == 2 and "rounds and kind of boot must be the same" in ended.err


def test_a_kernel_with_other_parameters_is_another_kernel(tmp_path: Path, kassay: Kassay) -> None:
    plan = plan_with(RELEASES, repeats=2, perturb=0)
    uses = tuple(structs.replace(use, cmdline="mitigations=off") for use in plan.experiment.kernels)
    other = structs.replace(plan, experiment=structs.replace(plan.experiment, kernels=uses))
    mine = measured(tmp_path / "mine", plan, {0: [300, 300], 1: [671, 671]})
    yours = measured(tmp_path / "yours", other, {0: [310, 310], 1: [681, 681]}, started_utc="2026-11-21T18:00:00Z")
    assert kassay("hosts", str(mine), str(yours)).status == 2


def test_a_copy_of_a_directory_is_no_second_host(tmp_path: Path, kassay: Kassay) -> None:
    mine = timed(tmp_path / "mine", 0.2)
    copytree(mine, tmp_path / "yours")
    ended = kassay("hosts", str(mine), str(tmp_path / "yours"))
    assert ended.status == 2 and "the same runs as" in ended.err
