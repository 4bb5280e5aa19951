# SPDX-License-Identifier: GPL-2.0-only
"""A bundle -> whether it holds, and whether it happens again."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kassay import __version__, pipeline
from kassay.bundle import tar
from kassay.bundle.contents import artifact_path, checked_artifacts
from kassay.bundle.digits import Repeated, same_counts, same_findings, unlike, values
from kassay.bundle.manifest import Manifest, checked, few
from kassay.bundle.pack import REPORT, RUN, answered
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.evidence.collect import collect
from kassay.guest.compile import brought
from kassay.journal import artifacts
from kassay.journal.directory import BESIDE, open_directory
from kassay.model.experiment import Experiment
from kassay.model.guest import Programs
from kassay.model.progress import Progress, Tell
from kassay.model.report import Report
from kassay.report.formats import formats
from kassay.spec.load import load

# What names a directory or a version, and no finding.
APART = ("commands", "next_steps", "kassay_version", "charts")


class FieldDifference(NamedTuple):
    """One field: its dotted place, as packed, as computed now; "absent" where one has none."""

    place: str
    packed: str
    found: str

    def __str__(self) -> str:
        return f"{self.place} is {self.packed}, computed {self.found}"


def differences(packed: Any, found: Any) -> tuple[FieldDifference, ...]:
    """Every field of the packed report that is another one now. Fields that only `found` has are later additions."""
    kept = {name: value for name, value in packed.items() if name not in APART} if isinstance(packed, dict) else packed
    return tuple(_walk(kept, found, ""))


def _walk(packed: Any, found: Any, place: str) -> Iterator[FieldDifference]:
    if isinstance(packed, dict) and isinstance(found, dict):
        for name, value in packed.items():
            inner = f"{place}.{name}" if place else name
            if name in found:
                yield from _walk(value, found[name], inner)
            else:
                yield FieldDifference(inner, _text(value), "absent")
    elif isinstance(packed, list) and isinstance(found, list):
        for index, (old, new) in enumerate(zip(packed, found, strict=False)):
            yield from _walk(old, new, f"{place}[{index}]")
        if len(packed) != len(found):
            yield FieldDifference(f"length of {place}", str(len(packed)), str(len(found)))
    elif packed != found or isinstance(packed, bool) != isinstance(found, bool):
        yield FieldDifference(place, _text(packed), _text(found))


def _text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


LIMIT = 4 << 30
"""Bytes that a bundle may unpack to, unless more are allowed."""

_JSON = f"{REPORT}/json.json"


class Verified(NamedTuple):
    """A bundle that holds. notes: what a reader should know although nothing is wrong."""

    manifest: Manifest
    findings: int
    notes: tuple[str, ...]


@contextmanager
def _opened(path: Path, limit: int, tell: Tell) -> Iterator[tuple[Path, Manifest]]:
    """A bundle's directory, unpacked for the time of the block if need be, with every file checked."""
    tell(Progress(stage="verify", subject=path.name, text="hashing every file"))
    with tempfile.TemporaryDirectory(prefix="kassay-bundle-") as scratch:
        root = path if path.is_dir() else tar.unpack(path, Path(scratch), limit)
        manifest = checked(root, limit)
        checked_artifacts(root / RUN, limit)
        yield root, manifest


def verify(path: Path, limit: int, tell: Tell) -> Verified:
    """Checks every file, then computes the whole report again from the raw results and holds it against the packed one.

    Raises BadInput that says what does not hold.
    """
    with _opened(path, limit, tell) as (root, manifest):
        tell(Progress(stage="verify", subject=path.name, text="computing every finding again"))
        report = _recomputed(root, path, tell)
        if report.plan_id != manifest.plan:
            raise BadInput(f"{path}: the manifest is of another plan than the runs", "get the bundle anew")
        found = differences(_packed_report(root, path), json.loads(formats()["json"].render(report)))
        if found:
            by = "" if manifest.kassay_version == __version__ else f", packed by kassay {manifest.kassay_version}"
            first = few([str(one) for one in found])
            raise BadInput(f"{path}: its report is not what its runs give{by}: {first}",
                           "do not rely on it; or verify it with the version that packed it")  # fmt: skip
        return Verified(manifest, len(report.findings), _notes(root, manifest, report, path))


def _recomputed(root: Path, path: Path, tell: Tell) -> Report:
    """The answer from a stranger's files: whatever they make stumble, the files are to blame, not kassay."""
    try:
        return answered(root / RUN, tell)
    except KassayError:
        raise
    except Exception as error:
        what = f"{path}: its runs contradict each other ({type(error).__name__}: {error})"
        raise BadInput(what, "do not rely on it; get the bundle anew") from error


def _packed_report(root: Path, path: Path) -> Any:
    try:
        return json.loads((root / _JSON).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path}: {_JSON}: {error}", "get the bundle anew") from error


def _notes(root: Path, manifest: Manifest, report: Report, path: Path) -> tuple[str, ...]:
    """The other forms must say what the findings do; those of another version word them differently, which is told."""
    other, unchecked = [], []
    for name, form in formats().items():
        file = root / REPORT / f"{name}{form.suffix}"
        if not file.is_file():
            continue
        try:
            if file.read_text() != form.render(report):
                other.append(f"{REPORT}/{file.name}")
        except HostLacks as error:
            unchecked.append(f"{REPORT}/{file.name}: not rendered again: {error.what}")
    if other and manifest.kassay_version == __version__:
        remedy = f"rely on {_JSON} alone, or get the bundle anew"
        raise BadInput(f"{path}: {few(other)}: not what its findings say", remedy)
    worded = (f"kassay {manifest.kassay_version} packed it and words differently: {few(other)}",) if other else ()
    return (
        *worded,
        *unchecked,
        *(f"no {one.form}: {one.why}" for one in manifest.absent),
        f"sources: {manifest.sources}",
    )


def rerun(
    path: Path, directory_of: Callable[[Experiment], Path], limit: int, tell: Tell, cluster: str = ""
) -> tuple[Path, tuple[Repeated, ...]]:
    """Makes every run of the bundle again (or resumes), and holds the results against the packed ones.

    directory_of: where the runs of an experiment go. cluster: as of pipeline.measure(). Returned: that directory, one
    Repeated for the experiment and one more for what was timed beside it. Raises BadInput for an imported bundle.
    """
    with _opened(path, limit, tell) as (root, manifest):
        if manifest.kind == "import":
            raise BadInput(f"{path}: measured elsewhere, with another tool", "kassay can verify it, not repeat it")
        out = directory_of(load(root / RUN / "pinned.toml"))
        places = [(root / RUN, out)]
        if (root / RUN / BESIDE).is_dir():
            places.append((root / RUN / BESIDE, out / BESIDE))
        return out, tuple(_repeated(packed, again, tell, cluster) for packed, again in places)


def _programs(packed: Path) -> Programs | None:
    """The very programs that were measured, where all of them were packed."""
    folder = open_directory(packed)
    asked = {program.name: program.value for program in folder.plan.guest_sha256}
    if not asked or not all((packed / artifact_path(name)).is_file() for name in asked.values()):
        return None
    contents = {name: artifacts.get(packed, value) for name, value in asked.items()}
    return brought(contents, folder.plan.guest_compiler, folder.plan.workloads)


def _repeated(packed: Path, again: Path, tell: Tell, cluster: str) -> Repeated:
    pipeline.measure(load(packed / "pinned.toml"), again, tell, _programs(packed), cluster=cluster)
    old, new = open_directory(packed), open_directory(again)
    before = unlike(old.plan, new.plan)
    first, second = (pipeline.answer(directory, tell).findings for directory in (packed, again))
    if old.plan.experiment.exact:
        then, now = (collect(folder, folder.records(), tell) for folder in (old, new))
        return msgspec.structs.replace(same_counts(then, now), unlike=before, values=values(first, second))
    return msgspec.structs.replace(same_findings(first, second), unlike=before)
