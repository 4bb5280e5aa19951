# SPDX-License-Identifier: GPL-2.0-only
"""`kassay ci`, step by step: which runs it makes, and which it takes from an earlier job."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.review import stages
from kassay.labs.review.gate import GateWanted, exit_status, gate
from kassay.labs.review.gate_model import Gate
from kassay.labs.review.limits import Limits
from kassay.labs.review.report import GATE
from kassay.labs.review.report._gate import counts_text, headline
from kassay.labs.review.stages import Failure
from kassay.model.experiment import Experiment, KernelUse
from kassay.model.progress import Tell, silent
from tests.review.laboratory import REFS, Laboratory

WANTED = GateWanted(base=REFS[0], head=REFS[1], arch="x86_64", suite="mm")


SIX = {
    "mprotect_toggle": (100.0, 103.0), "page_fault": (50.0, 51.0), "folio_fork": (50.0, 52.0),
    "process_start": (50.0, 53.0), "mremap_move": (50.0, 54.0), "folio_munmap": (50.0, 55.0),
}  # fmt: skip
"""More settings that differ than are measured between two looks at the budget."""


def answered(
    directory: Path, *, fail_over: float = 0.005, budget_s: float = 600, kept: list[Gate] | None = None
) -> Gate:
    return gate(
        WANTED, directory, names=("main", "HEAD"), fail_over=fail_over, limits=Limits(), budget_s=budget_s, command="",
        tell=silent, keep=(kept if kept is not None else []).append,
    )  # fmt: skip


def test_another_limit_judges_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laboratory = Laboratory({"mprotect_toggle": (100.0, 103.0), "page_fault": (50.0, 50.0)}, monkeypatch)
    assert exit_status(answered(tmp_path)) == 1
    assert laboratory.measured == ["screen", "measured"]
    assert exit_status(answered(tmp_path, fail_over=0.05)) == 0
    assert exit_status(answered(tmp_path, fail_over=0.0)) == 1
    assert laboratory.measured == ["screen", "measured"]
    assert headline(answered(tmp_path, fail_over=0.05)) == "nothing over the limit; 1 cost more below it"


def test_the_runs_of_base_are_those_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laboratory = Laboratory({"mprotect_toggle": (100.0, 103.0)}, monkeypatch)
    answered(tmp_path)
    assert laboratory.reused == {"screen": (Path("baseline"),), "measured": ()}
    answered(tmp_path)  # needs no run, and so none of base
    assert laboratory.bases == [REFS[0]]


@pytest.mark.parametrize(("is_certain", "status"), [(True, 0), (False, 4)])
def test_a_workload_whose_run_on_base_was_lost_is_not_called_impossible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_certain: bool, status: int
) -> None:
    """The machine may have ended because the host had no memory: that says nothing of the kernel."""
    laboratory = Laboratory({"mprotect_toggle": (None, 103.0), "page_fault": (50.0, 50.0)}, monkeypatch)

    def failures(directory: Path) -> tuple[Failure, ...]:
        found = [key for key in laboratory.keys(directory) if key[0] == "mprotect_toggle"]
        return tuple(Failure(key, stages.BASE, "ended by signal 9", is_certain) for key in found)

    monkeypatch.setattr(stages, "failures", failures)
    found = answered(tmp_path)
    assert (exit_status(found), len(found.impossible)) == (status, 1 if is_certain else 0)
    assert ("ended by signal 9" in GATE.form("junit").render(found)) and (
        "1 refused" in counts_text(found)
    ) != is_certain
    assert exit_status(found, ("mprotect_toggle",)) == 0


def test_only_the_runs_of_base_that_were_lost_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made: list[tuple[str, ...]] = []

    def measure(asked: Experiment, directory: Path, tell: Tell, reuse: Sequence[Path] = ()) -> None:
        directory.mkdir(exist_ok=True)
        if not (directory / "plan.json").exists():
            made.append(tuple((other / "plan.json").read_text() for other in reuse))
            (directory / "plan.json").write_text(f"plan {len(made)}")

    monkeypatch.setattr("kassay.pipeline.measure", measure)
    kernels = tuple(KernelUse(ref=ref) for ref in REFS)
    asked = Experiment(name="screen", question="compare", kernels=kernels, workloads=(), arch="x86_64")
    for is_certain in (True, True, False, True):
        lost = Failure(("mprot", ()), stages.BASE, "no end within the allowed time", is_certain)
        monkeypatch.setattr(stages, "failures", lambda directory, lost=lost: (lost,))
        directory = stages.runs_of_base(asked, silent)
    assert made == [(), ("plan 1",)]
    assert [path for path in directory.parent.iterdir() if path.is_dir()] == [directory]


def test_a_baseline_whose_mending_was_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    reused: list[list[str]] = []

    def measure(asked: Experiment, directory: Path, tell: Tell, reuse: Sequence[Path] = ()) -> None:
        reused.append([path.name for path in reuse if (path / "plan.json").exists()])
        directory.mkdir(exist_ok=True)
        if len(reused) == 2:
            raise KeyboardInterrupt
        (directory / "plan.json").touch()

    monkeypatch.setattr("kassay.pipeline.measure", measure)
    lost = Failure(("mprot", ()), stages.BASE, "no end within the allowed time", is_certain=False)
    monkeypatch.setattr(stages, "failures", lambda _: (lost,))
    kernels = tuple(KernelUse(ref=ref) for ref in REFS)
    asked = Experiment(name="screen", question="compare", kernels=kernels, workloads=(), arch="x86_64")
    name = stages.runs_of_base(asked, silent).name
    with pytest.raises(KeyboardInterrupt):
        stages.runs_of_base(asked, silent)
    stages.runs_of_base(asked, silent)
    assert reused == [[], [f"{name}.lost"], [f"{name}.lost"]]


def test_bad_input_is_told_before_anything_of_base_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object, **__: object) -> None:
        raise BadInput("no such workload", "name another one")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("kassay.pipeline.measure", measure)
    kernels = tuple(KernelUse(ref=ref) for ref in REFS)
    asked = Experiment(name="screen", question="compare", kernels=kernels, workloads=(), arch="x86_64")
    with pytest.raises(BadInput, match="no such workload"):
        stages.runs_of_base(asked, silent)


def test_every_job_goes_on_however_small_the_budget_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laboratory = Laboratory(SIX, monkeypatch)
    first = answered(tmp_path, budget_s=1)
    assert (laboratory.measured, len(first.left)) == (["screen"], 6)
    assert first.left[0].why == "the budget of 1 s: 10 s were used"
    assert [len(answered(tmp_path, budget_s=1).left) for _ in range(3)] == [2, 0, 0]
    assert laboratory.measured == ["screen", "measured", "measured"]


def test_the_answer_so_far_is_stored_before_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Laboratory(SIX, monkeypatch)
    kept: list[Gate] = []
    answered(tmp_path, kept=kept)
    assert [len(one.left) for one in kept] == [6, 2, 0]
    assert exit_status(kept[0]) == 4
    assert "not done yet" in kept[0].left[0].why


def test_a_change_below_the_floor_is_judged_by_the_limit_of_its_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runs of each kernel lie 5 % apart, and the kernels 4 %."""
    laboratory = Laboratory({"mprotect_toggle": (100.0, 104.0)}, monkeypatch)
    laboratory.apart = 0.05
    found = answered(tmp_path)
    assert [row.cell.verdict for row in found.cells] == ["inconclusive"]
    assert (exit_status(found), headline(found)) == (4, "not decided: 1 phase inconclusive")
    assert exit_status(answered(tmp_path, fail_over=0.045)) == 0
