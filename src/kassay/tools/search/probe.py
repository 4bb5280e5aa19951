# SPDX-License-Identifier: GPL-2.0-only
"""One boot of one candidate of a search: what it costs, or why that is not known."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import UNSET, UnsetType, structs

from kassay.analysis.rounds import METHODS, method_of, run_value
from kassay.analysis.value import primary_values
from kassay.effects import clock
from kassay.errors import NotBuilt
from kassay.evidence.collect import collect
from kassay.journal.directory import RunDirectory, open_directory
from kassay.model.bisect import Candidate, SearchQuestion
from kassay.model.experiment import Experiment, KernelUse
from kassay.model.progress import Progress, Tell
from kassay.model.reason import reason
from kassay.model.reason_texts import reasons_text
from kassay.model.records import Record
from kassay.model.run import CellEvidence, RunRecord
from kassay.tools.search.decision import Ask
from kassay.tools.search.state import state_of


class BootProbe(Record, frozen=True, kw_only=True):
    """Result of a boot: see Observation."""

    outcome: str
    value: float | None = None
    metric: str = ""
    """Metric of the value."""
    unit: str = ""
    """Unit of the value."""
    detail: str = ""
    image_sha256: str | None = None
    build_s: float = 0.0
    boot_s: float = 0.0
    method: str | UnsetType = UNSET
    readings: dict[str, float] | UnsetType = UNSET
    state: str | UnsetType = UNSET


Measure = Callable[[SearchQuestion, Ask, Path, Tell], BootProbe]
MeasureRun = Callable[[Experiment, Path, Tell], None]
"""Makes every run that a run directory still owes: pipeline.measure."""


def prober(measure_run: MeasureRun) -> Measure:
    """probe() by these means."""
    return lambda question, ask, directory, tell: probe(question, ask, directory, tell, measure_run)


def probe(question: SearchQuestion, ask: Ask, directory: Path, tell: Tell, measure_run: MeasureRun) -> BootProbe:
    """Measures one boot in a run directory of its own; when it is there already, reads it.

    Raises BadInput, HostLacks or Defect for what is not the candidate's fault.
    """
    started = clock.monotonic_s()
    try:
        measure_run(experiment_of(question, ask), directory, _without_outlook(tell))
    except NotBuilt as error:
        tell(Progress(stage="build", subject=question.candidates[ask.candidate].title, text=error.what))
        return BootProbe(outcome="not-built", detail=_line(str(error)), build_s=_since(started))
    folder = open_directory(directory)
    records = folder.records()
    boot_s = sum(sum(structs.astuple(record.wall)) for record in records)
    found = _read(folder, records, question.state or "")
    return structs.replace(
        found, image_sha256=folder.plan.kernels[0].image_sha256, boot_s=round(boot_s, 2),
        build_s=round(max(0.0, _since(started) - boot_s), 2),
    )  # fmt: skip


def experiment_of(question: SearchQuestion, ask: Ask) -> Experiment:
    """The experiment of one boot. Boots of a timed search differ in their seed, so that none is taken for another."""
    use = kernel_use(question.kind, question.probe.kernels[0], question.candidates[ask.candidate])
    seed = question.probe.seed + (0 if question.one_boot_decides else ask.boot - 1)
    return structs.replace(question.probe, kernels=(use,), seed=seed)


def kernel_use(kind: str, like: KernelUse, candidate: Candidate) -> KernelUse:
    """The candidate under the parameters of `like`; a commit is called by its short name, a symbol by itself."""
    name = {"git": candidate.name[:12], "configuration": candidate.title}.get(kind, "")
    return structs.replace(like, ref=candidate.ref, name=name)


def _read(folder: RunDirectory, records: tuple[RunRecord, ...], field: str) -> BootProbe:
    evidence = collect(folder, records)
    failures = [record for record in records if record.outcome != "ok"]
    if not any(item.measurements for item in evidence):
        text = f"{failures[-1].outcome}: {failures[-1].detail}" if failures else "no boot was made"
        return BootProbe(outcome="not-booted", detail=_line(text))
    if field:
        state = state_of(field, next(item.measurements[0] for item in evidence if item.measurements))
        return BootProbe(outcome="value", metric="state", unit=field, state=state)
    (primary,) = primary_values(folder.plan, evidence)  # a search has one setting
    if primary.refused or primary.side.value is None or primary.side.value <= 0:
        why = reasons_text(primary.refused or (reason("zero-count"),))
        return BootProbe(outcome="refused", detail=_line(why), metric=primary.metric, unit=primary.unit)
    found = BootProbe(outcome="value", value=primary.side.value, metric=primary.metric, unit=primary.unit)
    return found if folder.plan.experiment.timed else _with_readings(found, evidence)


def _with_readings(found: BootProbe, evidence: Sequence[CellEvidence]) -> BootProbe:
    """The value by each method, of the run whose value it is."""
    item = next(item for item in evidence if item.measurements)
    first = next(m for m in item.measurements if m.plain)
    readings = {by: run_value(first, found.metric, by) for by in METHODS}
    return structs.replace(found, method=method_of((item,), found.metric), readings=readings)


def _without_outlook(tell: Tell) -> Tell:
    """Drop the outlook of a session, which says nothing about a single boot."""

    def filtered(event: Progress) -> None:
        if event.stage not in ("plan", "look"):
            tell(event)

    return filtered


def _since(started: float) -> float:
    return round(clock.monotonic_s() - started, 2)


def _line(text: str) -> str:
    """One line that fits a log."""
    return " ".join(text.split())[:400]
