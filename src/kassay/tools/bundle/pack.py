# SPDX-License-Identifier: GPL-2.0-only
"""A directory -> a bundle that a stranger can check: runs, sources, a reproducer, the report in all its forms."""

from pathlib import Path
from shlex import quote
from textwrap import fill
from typing import NamedTuple

import msgspec

from kassay import __version__, pipeline
from kassay.effects.files import disk_errors, publish_directory, swept, write_atomic
from kassay.errors import BadInput, KassayError
from kassay.evidence.changes import FILE as CHANGES
from kassay.evidence.codes import FILE as CODES
from kassay.journal.directory import BESIDE, open_directory
from kassay.journal.journal import read_journal
from kassay.journal.later_lines import FILE as LINES
from kassay.journal.later_lines import read_lines
from kassay.model.experiment import labels
from kassay.model.kernel import parse_ref
from kassay.model.kinds import kinds
from kassay.model.prediction import TIMINGS
from kassay.model.progress import Progress, Tell
from kassay.model.report import Report
from kassay.report.formats import formats
from kassay.spec.load import dump
from kassay.spec.rules import question_of
from kassay.tools.bundle import tar
from kassay.tools.bundle.builds import PackedBuild, builds_into
from kassay.tools.bundle.contents import artifact_path, copy_files, copy_journal, files_below
from kassay.tools.bundle.manifest import NAME, Absent, Manifest, packed_files, write_manifest
from kassay.tools.bundle.paths import ShortNames, rewrite
from kassay.tools.bundle.sources import sources_into
from kassay.tools.imports import store

_TEXT = """\
{title}

{verdict}

This is a bundle of kassay: everything that the sentence above was made of.

    kassay bundle verify PATH              every file is whole, and every finding follows from the raw results
{again}    kassay report run --format NAME        the answer again, in another form

What is where:

    manifest.json    size and sha256 of every other file, and what is not here, with the reason
    report/          the answer in every form, and its charts
{where}
Sources: {sources}.
"""
_RUN_AGAIN = (
    "    kassay bundle rerun PATH --out DIR     measures it again on your machine, and says whether it is the same\n"
)
_RUN_WHERE = """\
    run/             experiment (spec.toml; pinned.toml names each kernel exactly), plan, journal, raw results
    source/guest/    the programs that ran inside the measured machine
    reproducer*.c    a workload as one C file: gcc -pthread, then run it; checks state, prints ns per operation
{built}
Kernels are not part of it; run/plan.json has their versions and hashes:

{kernels}
"""
_BUILT_WHERE = """\
    source/kernels/  kernels that were built: public sources by their hash (builds.json), patch, configuration
"""
_IMPORT_WHERE = """\
    run/             samples.json, and the files it was read from in source/
"""


def readme(report: Report, sources: str, *, imported: bool, built: bool = False) -> str:
    """Plain text; the same report gives the same text. built: whether the bundle has what kernels are built of."""
    kernels = "\n".join(
        f"    {kernel.ref}: {kernel.release}, image sha256 {kernel.image_sha256 or 'unknown'}"
        for kernel in report.kernels
    )
    where = _IMPORT_WHERE if imported else _RUN_WHERE.format(kernels=kernels, built=_BUILT_WHERE if built else "")
    return _TEXT.format(title=report.title, verdict=fill(report.verdict, 100), where=where, sources=sources,
                        again="" if imported else _RUN_AGAIN)  # fmt: skip


RUN, REPORT = "run", "report"
_NAMING = ("next_steps", "commands")
_ARCHIVE = ".tar.zst"
_OTHER_ARCHIVES = (".tar", ".gz", ".tgz", ".xz", ".zst", ".zip")


class Packing(NamedTuple):
    """A bundle that was made."""

    manifest: Manifest
    builds: tuple[PackedBuild, ...]
    """Kernels of the bundle that were built."""


def pack(directory: Path, out: Path, tell: Tell, base: str = "") -> Packing:
    """Makes `out`: a directory, or an archive when its name ends in .tar.zst. The same directory gives the same bytes.

    base: public sources for kernels that were built of private ones; "" for none. Raises BadInput when `out` exists or
    `directory` is none of kassay's.
    """
    archive = out.name.endswith(_ARCHIVE)
    if out.exists():
        raise BadInput(f"{out}: is there already", "choose another --out, or remove it")
    if not archive and out.suffix in _OTHER_ARCHIVES:
        raise BadInput(f"{out}: not a kind of archive that kassay makes", f"end its name in {_ARCHIVE}")
    with swept(out.parent / f".{out.name}.packing") as scratch:
        root = scratch / "bundle"
        manifest, builds = _fill(directory, root, base, tell)
        if archive:
            tell(Progress(stage="pack", subject=out.name, text="compressing"))
            names = [NAME, *(file.path for file in manifest.files)]
            tar.write(out, f"kassay-bundle-{manifest.plan[:12]}", names, root)
        else:
            publish_directory(root, out)
    return Packing(manifest, builds)


def kernel_files(root: Path) -> tuple[str, ...]:
    """Kernels of a run directory that were given as files, as reports call them; none of imported values."""
    if not (root / "plan.json").exists():
        return ()
    plan = open_directory(root).plan
    named = zip(labels(plan.experiment), plan.kernels, strict=True)
    return tuple(name for name, kernel in named if kinds()[parse_ref(kernel.ref, plan.experiment.arch).kind].files)


def _fill(directory: Path, root: Path, base: str, tell: Tell) -> Packing:
    """Fills the bundle's directory. The report is computed from the copy, which proves that the copy is sufficient."""
    tell(Progress(stage="pack", subject=directory.name, text="copying"))
    imported = store.is_import(directory)
    with disk_errors(root):
        (root / RUN).mkdir(parents=True)
        builds: tuple[PackedBuild, ...] = ()
        if imported:
            _copy_import(directory, root / RUN)
        else:
            names = _copy_run(directory, root / RUN)
            builds = builds_into(root, open_directory(directory).plan, names, base, tell)
        report = answered(root / RUN, tell)
        absent = _write_reports(report, root / REPORT, tell)
        sources = "none: the values were imported" if imported else sources_into(root / RUN, root)
        (root / "README").write_text(readme(report, sources, imported=imported, built=bool(builds)))
        manifest = Manifest(
            name=report.experiment.name, kind="import" if imported else "run", plan=report.plan_id,
            kassay_version=__version__, sources=sources, files=packed_files(root), absent=absent,
        )  # fmt: skip
        write_manifest(root, manifest)
    return Packing(manifest, builds)


def _copy_import(directory: Path, into: Path) -> None:
    source = directory / "source"
    copy_files(directory, into, ("samples.json",))
    copy_files(source, into / "source", files_below(source) if source.is_dir() else ())


def _copy_run(directory: Path, into: Path) -> ShortNames:
    """Copies the files that plan and journal name, the changed source lines and the files of the question.

    Copies the same of the timed runs in BESIDE. Nothing else is copied. Paths of this host are replaced by the names
    that are returned.
    """
    plan = open_directory(directory).plan  # raises BadInput for anything but a run directory
    extra = [
        name for name in (CHANGES, CODES, LINES, *question_of(plan.experiment).files) if (directory / name).is_file()
    ]
    copy_files(directory, into, ("spec.toml", "plan.json", *extra))
    copy_journal(directory, into)
    names = rewrite(into, plan, extra)
    folder = open_directory(into)
    if folder.plan != plan:
        write_atomic(into / "spec.toml", dump(folder.plan.experiment).encode())
    write_atomic(into / "pinned.toml", folder.pinned_spec().encode())
    records = read_journal(folder.journal, folder.plan_id)
    contents = {name for record in records for name in record.artifacts}
    programs = {program.value for program in folder.plan.guest_sha256}
    contents |= {one.lines_sha256 for one in read_lines(into)}
    contents |= {name for name in programs if (directory / artifact_path(name)).is_file()}
    copy_files(directory, into, sorted(map(artifact_path, contents)))
    if (directory / TIMINGS).is_dir():
        copy_files(directory, into, sorted(f"{TIMINGS}/{path.name}" for path in (directory / TIMINGS).glob("*.toml")))
    if (directory / BESIDE / "plan.json").exists():
        (into / BESIDE).mkdir()
        _copy_run(directory / BESIDE, into / BESIDE)
    return names


def answered(directory: Path, tell: Tell) -> Report:
    """The report of a packed directory. Its commands name the directory `run`, wherever it is now."""
    report = pipeline.answer(directory, tell)
    words = quote(str(directory))
    texts = {name: tuple(line.replace(words, RUN) for line in getattr(report, name)) for name in _NAMING}
    return msgspec.structs.replace(report, **texts)


def _write_reports(report: Report, directory: Path, tell: Tell) -> tuple[Absent, ...]:
    """Writes every form of the report, and its charts; returns the forms that this report cannot have."""
    from kassay.report.charts import charts  # what draws them is slow to load

    directory.mkdir(parents=True)
    absent = []
    for name, form in formats().items():
        tell(Progress(stage="pack", subject="report", text=name))
        try:
            (directory / f"{name}{form.suffix}").write_text(form.render(report))
        except KassayError as error:
            absent.append(Absent(form=name, why=error.what))
    tell(Progress(stage="pack", subject="report", text="charts"))
    for name, data in charts(report):
        (directory / name).write_bytes(data)
    return tuple(absent)
