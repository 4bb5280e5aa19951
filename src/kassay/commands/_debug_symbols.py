# SPDX-License-Identifier: GPL-2.0-only
"""`--debug-symbols`: source lines of archive kernels, from their debug packages, for the runs of a directory."""

from collections.abc import Iterator
from pathlib import Path

from kassay.effects.distribution import install
from kassay.errors import BadInput, HostLacks
from kassay.evidence.profile.line_table import Resolver, addresses_of, table_bytes
from kassay.evidence.profile.lines import check_code
from kassay.evidence.profiles import raw_of
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, open_directory
from kassay.journal.later_lines import LinesOfRun, keep_lines
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelIdentity, parse_ref
from kassay.model.progress import Progress, Tell
from kassay.model.run import RunRecord
from kassay.supply import kernels

_KINDS = ("debian", "build")
"""Kernels of the archive have debug packages; runs of kernels that kassay built keep their lines."""


def check_debug_symbols(experiment: Experiment) -> None:
    """Raises BadInput for an experiment whose runs could not have source lines."""
    if experiment.profile == "none" or not experiment.repeats_exactly:
        raise BadInput("--debug-symbols: names the lines of counted instructions, and this measurement counts none",
                       "measure with --clock icount and a profile, or leave it out")  # fmt: skip
    for use in experiment.kernels:
        if parse_ref(use.ref, experiment.arch).kind not in _KINDS:
            raise BadInput(f"--debug-symbols: {use.ref!r} is not of the archive, so no package has its debug symbols",
                           "leave it out; afterwards: kassay profile DIR --kernel K --lines VMLINUX")  # fmt: skip


def add_lines(directory: Path, tell: Tell) -> None:
    """Finds the source lines of every plain run that has a profile and no lines, and keeps them with the runs.

    Raises BadInput and HostLacks as kernels.debug_symbols() does, and BadInput for a package of another build.
    """
    folder = open_directory(directory)
    kernel_of = {cell.id: cell.kernel for cell in folder.plan.cells}
    cell_of = {run.id: run.cell for run in folder.plan.runs if not run.perturbation.number}
    lacking: dict[int, list[RunRecord]] = {}
    for record in folder.records():
        if record.run in cell_of and record.outcome == "ok" and record.profile_sha256 and not record.lines_sha256:
            lacking.setdefault(kernel_of[cell_of[record.run]], []).append(record)
    for number, records in sorted(lacking.items()):
        keep_lines(directory, tuple(_lines(folder, folder.plan.kernels[number], records, tell)))


def _lines(
    folder: RunDirectory, identity: KernelIdentity, records: list[RunRecord], tell: Tell
) -> Iterator[LinesOfRun]:
    vmlinux = kernels.debug_symbols(identity, tell)
    resolver = Resolver(vmlinux, identity.arch)
    for number, record in enumerate(records):
        tell(Progress(stage="lines", subject=identity.ref, text="reading source lines", done=number / len(records)))
        raw = raw_of(folder.path, record)
        assert raw is not None and record.profile_sha256 is not None  # add_lines() chose such records
        if not number:
            check_code(vmlinux, tuple((block.address, block.code) for block in raw.blocks.values()))
        table = resolver.table(addresses_of(raw))
        if table is None:
            raise HostLacks("addr2line: not found on this host", f"install it: {install('binutils')}")
        lines = artifacts.put(folder.path, table_bytes(table))
        yield LinesOfRun(run=record.run, profile_sha256=record.profile_sha256, lines_sha256=lines)
