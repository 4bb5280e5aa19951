# SPDX-License-Identifier: GPL-2.0-only
"""Checks a bundle: are its files and findings correct, and does a new measurement give the same?"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kassay import __version__, pipeline
from kassay.effects.files import write_atomic
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.evidence.cmdlines import cmdlines_of
from kassay.evidence.collect import collect
from kassay.journal import artifacts
from kassay.journal.directory import BESIDE, open_directory
from kassay.model.experiment import Experiment
from kassay.model.guest import Programs
from kassay.model.plan import Plan
from kassay.model.prediction import TIMINGS
from kassay.model.progress import Progress, Tell
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.spec.load import load
from kassay.spec.rules import question_of
from kassay.supply.guest.compile import received_programs
from kassay.supply.machines import machine_for
from kassay.tools.bundle import tar
from kassay.tools.bundle.agreement import COMPLETE, JSON, agreement, experiments
from kassay.tools.bundle.builds import not_built_again, read_builds
from kassay.tools.bundle.contents import artifact_path, checked_artifacts
from kassay.tools.bundle.digits import Repeated, container_offer, same_counts, same_findings, unlike, values
from kassay.tools.bundle.manifest import Manifest, checked, few
from kassay.tools.bundle.pack import RUN, answered
from kassay.tools.bundle.rebuild import Given, Rebuilt, rebuild, with_refs
from kassay.tools.imports import store

# Fields that name a directory or a version: they may differ while every finding is the same.
APART = ("commands", "next_steps", "kassay_version", "charts")


_NUMBER = re.compile(r"\[\d+\]")
_ROUNDING = 1e-12
"""Relative. Versions of Python, of libraries and of kassay may round the last digit of a computed value otherwise."""


class FieldDifference(NamedTuple):
    """A field that differs."""

    path: str
    """Dotted path of the field."""
    packed: str
    """Value in the bundle, or "absent" if it has none."""
    computed: str
    """Value as it is computed now, or "absent" if it has none."""

    def __str__(self) -> str:
        return f"{self.path} is {self.packed}, computed {self.computed}"


def differences(packed: Any, computed: Any) -> tuple[FieldDifference, ...]:
    """Every field of the packed report whose computed value differs. Fields that only `computed` has are later
    additions to the report's format."""
    if isinstance(packed, dict):
        packed = {name: value for name, value in packed.items() if name not in APART}
    return tuple(_walk(packed, computed, ""))


def lacking(packed: Any, computed: Any) -> tuple[str, ...]:
    """Fields that only the computed report has, without the numbers of list items."""
    gone = (found.path for found in differences(computed, packed) if found.computed == "absent")
    return tuple(dict.fromkeys(_NUMBER.sub("[]", path) for path in gone))


def _walk(packed: Any, computed: Any, path: str) -> Iterator[FieldDifference]:
    if isinstance(packed, dict) and isinstance(computed, dict):
        for name, value in packed.items():
            inner = f"{path}.{name}" if path else name
            if name in computed:
                yield from _walk(value, computed[name], inner)
            else:
                yield FieldDifference(inner, _text(value), "absent")
    elif isinstance(packed, list) and isinstance(computed, list):
        for index, (old, new) in enumerate(zip(packed, computed, strict=False)):
            yield from _walk(old, new, f"{path}[{index}]")
        if len(packed) != len(computed):
            yield FieldDifference(f"length of {path}", str(len(packed)), str(len(computed)))
    elif isinstance(packed, float) and isinstance(computed, float) and isclose(packed, computed, rel_tol=_ROUNDING):
        pass
    elif packed != computed or isinstance(packed, bool) != isinstance(computed, bool):
        yield FieldDifference(path, _text(packed), _text(computed))


def _text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


LIMIT = 4 << 30
"""Bytes that a bundle may unpack to, unless more are allowed."""


class Verified(NamedTuple):
    """The result for a correct bundle."""

    manifest: Manifest
    findings: int
    unchecked: tuple[str, ...]
    """Files outside run/ that no file of this host could be compared with."""
    notes: tuple[str, ...]
    """Notes that a reader should know although nothing is wrong."""


@contextmanager
def _opened(path: Path, limit: int, tell: Tell) -> Iterator[tuple[Path, Manifest]]:
    """A bundle's directory with every file checked; an archive is unpacked until the block ends."""
    tell(Progress(stage="verify", subject=path.name, text="hashing every file"))
    with tempfile.TemporaryDirectory(prefix="kassay-bundle-") as scratch:
        root = path if path.is_dir() else tar.unpack(path, Path(scratch), limit)
        manifest = checked(root, limit)
        checked_artifacts(root / RUN, limit)
        yield root, manifest


def verify(path: Path, limit: int, tell: Tell) -> Verified:
    """Checks every file, then computes the whole report again from the raw results and compares it with the packed one.

    Raises BadInput that names what is wrong.
    """
    with _opened(path, limit, tell) as (root, manifest):
        tell(Progress(stage="verify", subject=path.name, text="computing every finding again"))
        report = _recomputed(root, path, tell)
        if report.plan_id != manifest.plan:
            raise BadInput(f"{path}: the manifest is of another plan than the runs", "get the bundle anew")
        of_runs = {"kind": "import" if store.is_import(root / RUN) else "run", "name": report.experiment.name}
        for field, value in of_runs.items():
            if (said := getattr(manifest, field)) != value:
                problem = f"{path}: the manifest's {field} is {said!r}, that of its runs is {value!r}"
                raise BadInput(problem, "get the bundle anew")
        packed, computed = _packed_report(root, path), json.loads(COMPLETE.render(report))
        changed = differences(packed, computed)
        if changed:
            by = "" if manifest.kassay_version == __version__ else f", packed by kassay {manifest.kassay_version}"
            first = few([str(difference) for difference in changed])
            raise BadInput(f"{path}: its report is not what its runs give{by}: {first}",
                           "do not rely on it; or verify it with the version that packed it")  # fmt: skip
        tell(Progress(stage="verify", subject=path.name, text="making every other file again"))
        return _compared(root, manifest, report, path, lacking(packed, computed))


def packed_report(path: Path, limit: int, tell: Tell) -> Report:
    """The report of a bundle, computed from its raw results. Every file is checked before; raises BadInput."""
    with _opened(path, limit, tell) as (root, _):
        return _recomputed(root, path, tell)


def _recomputed(root: Path, path: Path, tell: Tell) -> Report:
    """The answer from files of others: any exception is reported as damage of the files, not as a defect of kassay."""
    try:
        return answered(root / RUN, tell)
    except KassayError:
        raise
    except Exception as error:
        problem = f"{path}: its runs contradict each other ({type(error).__name__}: {error})"
        raise BadInput(problem, "do not rely on it; get the bundle anew") from error


def _packed_report(root: Path, path: Path) -> Any:
    try:
        return json.loads((root / JSON).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path}: {JSON}: {error}", "get the bundle anew") from error


def _compared(root: Path, manifest: Manifest, report: Report, path: Path, lacks: Sequence[str]) -> Verified:
    """Compares the other files with the report. Raises BadInput for a text that differs and for a form that is missing;
    if another version packed them, these count as not checked."""
    found = agreement(root, manifest, report)
    notes = []
    if manifest.kassay_version == __version__:
        if found.differing:
            trust = "its values hold, its commands may not" if JSON in found.differing else f"rely on {JSON} alone"
            problem = f"{path}: {few(found.differing)}: not what kassay makes of its runs"
            raise BadInput(problem, f"{trust}; get the bundle anew")
        if found.missing:
            problem = f"{path}: {few(found.missing)}: missing, and not listed as absent"
            raise BadInput(problem, f"rely on {JSON} alone, or get the bundle anew")
    elif found.differing or found.missing:
        packed = f"kassay {one_line(manifest.kassay_version)} packed it"
        notes.append(f"{packed}: {JSON} was compared with the runs, other words were not checked")
        notes += [f"missing, and not listed as absent: {few(found.missing)}"] if found.missing else []
        notes += [f"{JSON} lacks fields that this version writes: {few(lacks)}"] if lacks else []
    unchecked = tuple(name for name in (*found.differing, *found.unchecked) if name != JSON)
    notes += [f"not checked: {few(unchecked)}"] if unchecked else []
    notes += (*found.notes, *not_built_again(read_builds(root)))
    notes += [f"no {one_line(absent.form)}, says its packer: {one_line(absent.why)}" for absent in manifest.absent]
    notes.append(f"sources, says its packer (not checked): {one_line(manifest.sources)}")
    return Verified(manifest, len(report.findings), unchecked, tuple(notes))


_NONE = Given()


class Rerun(NamedTuple):
    """Results of a repetition."""

    directory: Path
    """Directory of the new runs."""
    kernels: tuple[Rebuilt, ...]
    """Kernels that were built again."""
    results: tuple[Repeated, ...]
    """Result for the experiment, and one more for its timed runs, if any."""


def rerun(
    path: Path,
    directory_of: Callable[[Experiment], Path],
    limit: int,
    tell: Tell,
    cluster: str = "",
    given: Given = _NONE,
) -> Rerun:
    """Builds the kernels of the bundle again, makes every run again (or resumes), and compares with the packed ones.

    directory_of: where the runs of an experiment go. cluster: see pipeline.measure(). Raises BadInput for an imported
    bundle.
    """
    with _opened(path, limit, tell) as (root, manifest):
        if store.is_import(root / RUN):
            raise BadInput(f"{path}: measured elsewhere, with another tool", "kassay can verify it, not repeat it")
        wrong = [name for name, same in experiments(root) if not same]
        if wrong and manifest.kassay_version == __version__:
            raise BadInput(f"{path}: {few(wrong)}: not the experiment of its plan", "get the bundle anew")
        experiment = load(root / RUN / "pinned.toml")
        out = directory_of(experiment)
        plan = open_directory(root / RUN).plan
        _offer_container(plan, path, tell)
        refs, built = rebuild(root, plan, experiment, given, tell)
        pairs = [(root / RUN, out)]
        if (root / RUN / BESIDE).is_dir():
            pairs.append((root / RUN / BESIDE, out / BESIDE))
        return Rerun(out, built, tuple(_repeated(packed, again, refs, tell, cluster) for packed, again in pairs))


def _offer_container(plan: Plan, path: Path, tell: Tell) -> None:
    """Tells before anything is measured if the container has the QEMU of the bundle, and this host another or none."""
    try:
        program = machine_for(plan.machine.clock).identify(plan.machine.arch, 1, "short").program
    except HostLacks:
        program = "none"
    if plan.machine.program.startswith("QEMU ") and (text := container_offer(plan.machine, program)):
        tell(Progress(stage="container", subject=path.name, text=text))


def _programs(packed: Path) -> Programs | None:
    """The programs that were measured; None if some of them were not packed."""
    folder = open_directory(packed)
    asked = {program.name: program.value for program in folder.plan.guest_sha256}
    if not asked or not all((packed / artifact_path(name)).is_file() for name in asked.values()):
        return None
    contents = {name: artifacts.get(packed, value) for name, value in asked.items()}
    programs = received_programs(contents, folder.plan.guest_compiler, folder.plan.workloads)
    return msgspec.structs.replace(programs, cmdlines=cmdlines_of(folder.plan, folder.records()))


def with_inputs(experiment: Experiment, packed: Path, again: Path) -> Experiment:
    """Copies what a question keeps beside its runs, such as the rows of a series, and timing files. Returns the
    experiment that predicts with these files."""
    timings = {path.stem: f"{TIMINGS}/{path.name}" for path in sorted((packed / TIMINGS).glob("*.toml"))}
    for name in (*question_of(experiment).files, *timings.values()):
        if (packed / name).is_file() and not (again / name).exists():
            write_atomic(again / name, (packed / name).read_bytes())
    if not timings or not experiment.predict:
        return experiment
    own = {stem: str((again / name).resolve()) for stem, name in timings.items()}
    stems = {name: Path(name).stem for name in experiment.predict}
    predict = tuple(own.get(stem) or own.get(stem.lower().replace("-", "_"), name) for name, stem in stems.items())
    return msgspec.structs.replace(experiment, predict=predict)


def _repeated(packed: Path, again: Path, refs: Mapping[str, str], tell: Tell, cluster: str) -> Repeated:
    experiment = with_inputs(with_refs(load(packed / "pinned.toml"), refs), packed, again)
    pipeline.measure(experiment, again, tell, _programs(packed), cluster=cluster)
    old, new = open_directory(packed), open_directory(again)
    before = unlike(old.plan, new.plan)
    first, second = (pipeline.answer(directory, tell).findings for directory in (packed, again))
    if old.plan.experiment.repeats_exactly:
        then, now = (collect(folder, folder.records(), tell) for folder in (old, new))
        return msgspec.structs.replace(same_counts(then, now), unlike=before, values=values(first, second))
    return msgspec.structs.replace(same_findings(first, second), unlike=before)
