# SPDX-License-Identifier: GPL-2.0-only
"""Files of a bundle that follow from its runs, compared with what this version of kassay makes of the runs."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from kassay.errors import HostLacks, KassayError
from kassay.journal.directory import BESIDE, open_directory, pinned
from kassay.model.experiment import Experiment
from kassay.model.report import Report
from kassay.registry import own_names
from kassay.report.formats import FORMATS, Format, complete_format, formats
from kassay.report.writers import WRITERS
from kassay.spec.load import dump, load
from kassay.tools.bundle.builds import read_builds
from kassay.tools.bundle.manifest import Manifest
from kassay.tools.bundle.pack import REPORT, RUN, readme
from kassay.tools.bundle.sources import sources_of
from kassay.tools.imports import store


def form_path(form: Format) -> str:
    """Path of the report in one form."""
    return f"{REPORT}/{form.name}{form.suffix}"


COMPLETE = complete_format()
JSON = form_path(COMPLETE)
"""The form that is compared field by field, whichever version packed it."""


class Agreement(NamedTuple):
    """Result of the comparison. Paths are relative to the bundle."""

    differing: tuple[str, ...]
    """Texts that this version writes differently."""
    missing: tuple[str, ...]
    """Forms and charts that this version writes, and that the manifest does not list as absent."""
    unchecked: tuple[str, ...]
    """Files outside run/ that nothing was compared with, or that this host makes differently; not `differing`."""
    notes: tuple[str, ...]
    """Forms that this host cannot render, with the reason."""


def agreement(root: Path, manifest: Manifest, report: Report) -> Agreement:
    """Compares README, the experiment files, every form of the report, charts, sources and reproducers."""
    same = {"README": _equal(root / "README", _readme(root, manifest, report)), **dict(experiments(root))}
    missing, notes = [], []
    listed, own = {absent.form for absent in manifest.absent}, own_names(FORMATS) | own_names(WRITERS)
    for name, form in formats().items():
        path = form_path(form)
        if not (root / path).is_file():
            missing += [path] if name not in listed and name in own else []
            continue
        try:
            same[path] = _equal(root / path, form.render(report))
        except HostLacks as error:
            notes.append(f"{path}: not rendered again: {error.what}")
    made = dict(_made(root, report))
    missing += [path for path in made if path.startswith(f"{REPORT}/") and not (root / path).is_file()]
    equal = {path for path, data in made.items() if (root / path).is_file() and (root / path).read_bytes() == data}
    others = (file.path for file in manifest.files if not file.path.startswith(f"{RUN}/"))
    return Agreement(
        differing=tuple(path for path, is_same in same.items() if not is_same),
        missing=tuple(missing),
        unchecked=tuple(path for path in others if path not in same and path not in equal),
        notes=tuple(notes),
    )


def _readme(root: Path, manifest: Manifest, report: Report) -> str:
    imported, built = store.is_import(root / RUN), bool(read_builds(root))
    return readme(report, manifest.sources, imported=imported, built=built)


def _equal(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def experiments(root: Path) -> Iterator[tuple[str, bool]]:
    """Path of each experiment file, and True if it is the experiment of its plan. Another version may write the same
    experiment in other words."""
    for directory in (RUN, f"{RUN}/{BESIDE}"):
        if (root / directory / "plan.json").is_file():
            plan = open_directory(root / directory).plan
            for name, experiment in (("pinned.toml", pinned(plan)), ("spec.toml", plan.experiment)):
                yield f"{directory}/{name}", _is_experiment(root / directory / name, experiment)


def _is_experiment(path: Path, experiment: Experiment) -> bool:
    try:
        return _equal(path, dump(experiment)) or load(path) == experiment
    except KassayError:
        return False


def _made(root: Path, report: Report) -> Iterator[tuple[str, bytes]]:
    """Charts, sources and reproducers of this version, as far as this host can make them. The runs are files of others:
    after any exception the rest is not made, and verify() names it as not checked."""
    from kassay.report.charts import charts  # what draws them is slow to load

    with suppress(Exception):
        yield from ((f"{REPORT}/{name}", data) for name, data in charts(report))
    if not store.is_import(root / RUN):
        with suppress(Exception):
            yield from sources_of(root / RUN)
