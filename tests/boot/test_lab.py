# SPDX-License-Identifier: GPL-2.0-only
"""A laboratory on real kernels: one turn finds the step of 6.17, a second one measures nothing, a new kernel little."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from kassay import pipeline
from kassay.journal.directory import open_directory
from kassay.labs.site.model import Site
from kassay.labs.site.turn.followed import Kernel, Line
from kassay.labs.site.turn.settings import Lab, load
from kassay.labs.site.turn.steps_file import read
from kassay.labs.site.turn.turn import Outside, Turned, turn
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell, silent
from kassay.tools.search.candidates import Range, listed

pytestmark = pytest.mark.boot
SUITE = """summary = "one small step"
[[workloads]]
name = "mprotect_toggle"
[workloads.set]
size = "512KiB"
"""


def measure_less(experiment: Experiment, directory: Path, tell: Tell, *, reuse: Sequence[Path] = ()) -> None:
    """Makes one perturbed run of each kernel at most."""
    less = structs.replace(experiment, perturb=min(1, experiment.perturb))
    pipeline.measure(less, directory, tell, reuse=reuse)


def only_ends(good: str, bad: str, *_: object) -> Range:
    """No kernel lies between two others, so that nothing is narrowed: test_bisect.py searches for a release."""
    return listed((good, bad))


class Following:
    """A laboratory that follows the given releases of the archive, and keeps its sites."""

    def __init__(self, place: Path) -> None:
        (place / "lab.toml").write_text('archive = ["6.16"]\nsuites = ["small"]\nbundles = false\n')
        self.lab = load(place / "lab.toml")
        self.sites: list[Site] = []

    def turn(self, *releases: str) -> Turned:
        def lines(lab: Lab, tell: Tell) -> tuple[tuple[Line, ...], tuple[str, ...]]:
            kernels = tuple(Kernel(name=release, ref=f"debian:{release}") for release in releases)
            return (Line(key="x86_64", arch="x86_64", kernels=kernels),), ()

        outside = Outside(
            lines=lines, measure=measure_less, between=only_ends,
            write_site=lambda site, directory, tell: self.sites.append(site),
        )  # fmt: skip
        return turn(self.lab, outside, silent)


def test_a_turn_finds_the_step_and_a_new_kernel_alone_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ext" / "suites").mkdir(parents=True)
    (tmp_path / "ext" / "suites" / "small.toml").write_text(SUITE)
    monkeypatch.setenv("KASSAY_PATH", str(tmp_path / "ext"))
    laboratory = Following(tmp_path)
    assert laboratory.turn("6.12", "6.16").measured == ("x86_64: 6.12 to 6.16, suite small",)
    assert read(Path(laboratory.lab.steps)) == ()
    turned = laboratory.turn("6.12", "6.16", "6.17")
    assert turned.measured == ("x86_64: 6.16 to 6.17, suite small",)
    folder = open_directory(Path(laboratory.lab.runs, "x86_64", "small", "6.16..6.17"))
    cells = {cell.id: cell.kernel for cell in folder.plan.cells}
    made = {cells[record.run.rpartition("-")[0]] for record in folder.records() if not record.reused}
    assert made == {1}
    (entry,) = read(Path(laboratory.lab.steps))
    assert entry.series == "mprotect_toggle,size=512KiB" and entry.state == "confirmed"
    step = next(step for step in laboratory.sites[-1].steps if step.life)
    assert (step.verdict, step.evidence) == ("regression", "exact") and "prot_commit_flush_ptes" in step.sentence
    assert "Subject: [PERF]" in step.mail
    again = laboratory.turn("6.12", "6.16", "6.17")
    assert (again.measured, again.found, again.confirmed) == ((), 0, 0)
