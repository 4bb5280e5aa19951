# SPDX-License-Identifier: GPL-2.0-only
"""Stages of a review or a gate without a machine: kernels are names, and values are given for each workload."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.review import stages
from kassay.labs.review.model import Key
from kassay.labs.review.stages import Failure, Sides
from kassay.model.experiment import Experiment
from kassay.model.finding import Finding
from kassay.model.kernel import KernelArtifact
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.report import Report
from tests.report.parts import finding, report_of

REFS = ("debian:6.16.12", "debian:6.17.13")
Values = Mapping[str, tuple[float | None, float]]
"""By workload the values of base and head."""


class Laboratory:
    """Counts what is measured; a directory refuses another experiment, as a real one does. ends_at: the stage in which
    the command is interrupted."""

    def __init__(self, values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values = values
        self.measured: list[str] = []
        self.bases: list[str] = []
        self.reused: dict[str, tuple[Path, ...]] = {}
        self._asked: dict[Path, Experiment] = {}
        self.seconds = self.build_s = 0.0
        self.ends_at = ""
        self.apart: float | None = None
        """Distance between the runs of each kernel, relative to its value; None for those of `finding`."""
        monkeypatch.setattr(stages, "built", self._built)
        monkeypatch.setattr(stages, "measured", self._measured)
        monkeypatch.setattr(stages, "runs_of_base", self._runs_of_base)
        monkeypatch.setattr(stages, "failures", _no_failures)
        monkeypatch.setattr(stages, "finished", lambda directory: directory.exists())
        monkeypatch.setattr(stages, "pin_experiment", lambda experiment, tell: experiment)
        monkeypatch.setattr("kassay.effects.clock.monotonic_s", lambda: self.seconds)

    def _built(self, base: str, head: str, arch: str, tell: Tell) -> Sides:
        kernels = report_of(REFS).kernels
        self.seconds += self.build_s
        first, second = (KernelArtifact(directory="", image="", identity=identity) for identity in kernels)
        return Sides(arch, REFS, first, second)

    def _runs_of_base(self, asked: Experiment, tell: Tell) -> Path:
        self.bases.append(asked.kernels[0].ref)
        return Path("baseline")

    def _measured(self, asked: Experiment, directory: Path, tell: Tell, reuse: Sequence[Path] = ()) -> Report:
        self.reused[asked.name] = tuple(reuse)
        if self._asked.setdefault(directory, asked) != asked:
            raise BadInput(f"{directory}: holds another experiment")
        if not (directory / "plan.json").exists():
            if asked.name == self.ends_at:
                raise KeyboardInterrupt
            directory.mkdir(parents=True)
            (directory / "plan.json").write_text("")
            self.measured.append(asked.name)
            self.seconds += 10
        findings = tuple(self._finding(use.name, asked) for use in asked.workloads if use.name in self.values)
        return report_of(REFS, findings=findings)

    def keys(self, directory: Path) -> tuple[Key, ...]:
        """The settings that a stage measured."""
        asked = self._asked[directory]
        found = [self._finding(use.name, asked) for use in asked.workloads if use.name in self.values]
        return tuple((one.workload, one.settings) for one in found)

    def _finding(self, workload: str, asked: Experiment) -> Finding:
        found = finding(*REFS, self.values[workload])
        axes = next(use.axes for use in asked.workloads if use.name == workload)
        settings = tuple(Setting(name=axis.name, value=axis.values[0]) for axis in axes)
        found = structs.replace(found, workload=workload, settings=settings)
        if self.apart is None:
            return found
        values = zip(found.sides, self.values[workload], strict=True)
        base, head = (structs.replace(side, perturbed=(one, one * (1 + self.apart)))
                      for side, one in values if one is not None)  # fmt: skip
        return structs.replace(found, sides=(base, head), floor=self.apart)


def _no_failures(directory: Path) -> tuple[Failure, ...]:
    return ()
