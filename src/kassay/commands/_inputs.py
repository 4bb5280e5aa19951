# SPDX-License-Identifier: GPL-2.0-only
"""Checks of a command's inputs, before anything is fetched, built or measured. Each raises BadInput or HostLacks."""

from collections.abc import Iterable
from pathlib import Path

from kassay.commands._options import Measuring
from kassay.commands._show import showing
from kassay.effects.files import cache_directory, check_writable, readable
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelRef, parse_ref
from kassay.model.units import parse_bytes
from kassay.report.formats import format_named
from kassay.supply.guest import catalog

_LEAST_FREE = 1 << 20
"""Bytes. The smallest run directory with its report takes as much, so that a command without them cannot end well."""


def check_experiment(experiment: Experiment) -> None:
    """Check the workloads of an experiment, their settings, and its kernels."""
    for use in experiment.workloads:
        if not use.program:
            catalog.check_name(use.name)
    from kassay.supply.prepare.workloads import check_settings  # late: a wrong name is told before this is loaded

    check_kernels((parse_ref(use.ref, experiment.arch) for use in experiment.kernels), experiment.flavour)
    with showing():  # a workload is compiled to describe its parameters
        check_settings(experiment)


def check_kernels(refs: Iterable[KernelRef], flavour: str) -> None:
    """Check that the files, revisions and versions that references name are there."""
    from kassay.supply import kernels

    with showing() as tell:
        kernels.check(refs, flavour, tell)


def check_answer(options: Measuring, *experiments: Experiment) -> None:
    """Check how a measured answer is to be given: its format, its directory, its exit status."""
    check_format(options.format_, *experiments)
    check_directory(options.out)
    options.passing.check(use.name for use in experiments[0].workloads)


def check_format(name: str, *experiments: Experiment) -> None:
    """Check that a format can have the values of one of these experiments."""
    if format_named(name).timed_only and not any(experiment.timed for experiment in experiments):
        raise BadInput(f"--format {name}: has times alone, and clock {experiments[0].clock} counts",
                       "use --format csv or json, or measure with --clock kvm")  # fmt: skip


def check_directory(out: Path | None, option: str = "--out") -> None:
    """Check a directory that a command makes or writes into. None is one below the working directory."""
    if out is not None and (str(out) in (".", "") or out.name in ("", "..")):
        raise BadInput(
            f"{option} {str(out)!r}: not a name for a new directory",
            f"name one, such as {f'{option} runs'.removeprefix('DIR ')}",
        )
    if out is not None and out.exists() and not out.is_dir():
        raise BadInput(f"{option} {out}: not a directory", "name a directory")
    for path in (out if out is not None else Path("kassay-out"), cache_directory()):
        check_writable(path, _LEAST_FREE)


def check_file(out: Path | None) -> None:
    """Check a file that a command writes; its directory must be there."""
    if out is None:
        return
    if not out.parent.is_dir():
        raise BadInput(f"--out {out}: there is no directory {out.parent}", "make it, or name a file elsewhere")
    if out.is_dir():
        raise BadInput(f"--out {out}: a directory", "name a file in it")
    check_writable(out.parent, _LEAST_FREE)


def check_writable_place(path: Path) -> None:
    """Check that something can be made at `path`; directories above it may be missing."""
    check_writable(path, _LEAST_FREE)


def size_in(text: str, option: str, remedy: str = "") -> int:
    """Bytes of a size such as 2GiB. option: as the error names it."""
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise BadInput(f"{option}: {error}", remedy) from error


def check_given(path: Path | None, option: str) -> None:
    """Check a file that a command reads."""
    if path is None:
        return
    if not path.is_file():
        what = "not a file" if path.exists() else "No such file"
        raise BadInput(f"{option} {path}: {what}", "name a file that is there")
    if not readable(path):
        raise BadInput(f"{option} {path}: Permission denied", "name a file that you may read")
