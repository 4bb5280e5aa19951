# SPDX-License-Identifier: GPL-2.0-only
"""kassay codegen: what compilers made of one function, and what that costs."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay import pipeline
from kassay.codegen.classes import classified, verdict
from kassay.commands import Command, _options
from kassay.commands._codegen_bodies import Found, in_images, in_objects
from kassay.commands._codegen_counts import Measured, with_executions
from kassay.commands._show import say, showing
from kassay.effects.files import write_atomic
from kassay.errors import BadInput
from kassay.model.codegen import Body, CodegenReport
from kassay.model.kernel import checked_arch, parse_ref
from kassay.model.progress import Tell
from kassay.plan.prepare import pinned
from kassay.report.codegen.formats import FORMATS, of_suffix
from kassay.report.codegen.words import DISCLOSURES

_C = "Compilers"
_E = "Executed"


def _codegen(
    function: Annotated[str, Argument(metavar="FUNCTION", help="Its name, as in the source.")],
    refs: Annotated[list[str], Argument(metavar="REF...", help="Kernels; with --source build: references.")],
    source: Annotated[
        str | None,
        Option(metavar="FILE.c", help="Build this one object of each REF, not the kernel.", rich_help_panel=_C),
    ] = None,
    cc: Annotated[
        str | None,
        Option(help="Compilers for --source: gcc-12,clang-16.", show_default="each REF's own", rich_help_panel=_C),
    ] = None,
    arch: Annotated[str, Option(help="x86_64 or arm64.", rich_help_panel=_C)] = "x86_64",
    flavour: Annotated[str, Option(help="Of archive kernels.", rich_help_panel=_C)] = "cloud",
    runs: Annotated[
        Path | None, Option(metavar="DIR", help="Count executions out of these runs.", rich_help_panel=_E)
    ] = None,
    measure: Annotated[
        str | None,
        Option(metavar="WORKLOAD", help="Measure all REFs with this workload first.", rich_help_panel=_E),
    ] = None,
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="A parameter of WORKLOAD, or which of DIR's.", rich_help_panel=_E),
    ] = None,
    metric: Annotated[
        str | None, Option(help="Per operation of which phase.", show_default="the primary one", rich_help_panel=_E)
    ] = None,
    show: Annotated[str | None, Option(metavar="A,B", help="Disassemble two classes side by side.")] = None,
    out: Annotated[Path | None, Option(metavar="FILE", help="Write it to a file: .html, .md, .json or .txt.")] = None,
    format_: Annotated[str, Option("--format", help=f"{', '.join(FORMATS)}.")] = "terminal",
) -> int:
    """Do compilers make the same code of a function? Sizes, classes of equal code, and what each executes.

    Addresses, relocations and alignment do not count as differences. Of kernel images, no source is needed.

    Example: kassay codegen mincore_pte_range debian:6.16 debian:6.19 --show A,B

    Example: kassay codegen mincore_pte_range build:linux@v6.16 build:linux@v6.16+fix.patch
    --source mm/mincore.c --cc gcc-11,gcc-12,clang-16 --measure mincore_scan --out codegen.html
    """
    _check(source, cc, runs, measure, format_, out)
    parsed = [parse_ref(text, checked_arch(arch)) for text in dict.fromkeys(refs)]
    compilers = tuple(dict.fromkeys(filter(None, (cc or "").split(","))))
    settings = tuple(set_ or ())
    with showing() as tell:
        found = (
            in_objects(function, source, parsed, compilers, tell)
            if source is not None
            else in_images(function, parsed, flavour, tell)
        )
        shown = _pair(show, classified(one.body for one in found))  # before anything is measured
        directory = runs or (_measured(measure, found, settings, arch, flavour, tell) if measure else None)
        counts = _counts(function, found, directory, metric, settings if runs else (), flavour, tell)
    report = _report(function, source, found, counts)
    if out is not None:
        write_atomic(out, of_suffix(out.suffix).render(report, shown).encode())
    say(FORMATS[format_].render(report, shown))
    return 0


def _check(
    source: str | None, cc: str | None, runs: Path | None, measure: str | None, format_: str, out: Path | None
) -> None:
    if cc and source is None:
        raise BadInput("--cc: kernel images are compiled already", "add --source FILE.c to build one object by each")
    if runs is not None and measure is not None:
        raise BadInput("--runs and --measure: both say where executions come from", "give one of them")
    if format_ not in FORMATS:
        raise BadInput(f"--format: unknown {format_!r}", f"known: {', '.join(FORMATS)}")
    if out is not None:
        of_suffix(out.suffix)
        if not out.parent.is_dir():
            raise BadInput(f"--out {out}: there is no directory {out.parent}", "make it, or name a file elsewhere")


def _measured(
    workload: str, found: Sequence[Found], settings: Sequence[str], arch: str, flavour: str, tell: Tell
) -> Path:
    """The directory of the runs of every kernel that has the function; measures what it still owes."""
    refs = list(dict.fromkeys(one.ref.text for one in found if one.body.outcome != "not-built"))
    defaults = {p.name: p.default for p in inspect.signature(_options._shared).parameters.values()}
    options = defaults | {"set_": list(settings), "arch": arch, "flavour": flavour}
    experiment = _options.experiment_from("ladder" if len(refs) > 1 else "value", workload, refs, options)
    experiment = pinned(experiment, tell)
    directory = _options.directory_for(experiment, None, fresh=False)
    pipeline.measure(experiment, directory, tell)
    return directory


def _counts(
    function: str, found: Sequence[Found], directory: Path | None, metric: str | None, settings: Sequence[str],
    flavour: str, tell: Tell,
) -> Measured:  # fmt: skip
    if directory is None:
        return Measured(tuple(one.body for one in found), "", "", "")
    wanted = dict(text.partition("=")[::2] for text in settings)
    return with_executions(function, found, directory, metric, wanted, flavour, tell)


def _report(function: str, source: str | None, found: Sequence[Found], counts: Measured) -> CodegenReport:
    bodies = classified(counts.bodies)
    said = [*DISCLOSURES["normalised"], *(() if source is not None else DISCLOSURES["image"])]
    said += DISCLOSURES["executed"] if counts.unit else ()
    return CodegenReport(
        function=function, source=source or "", verdict=verdict(function, bodies), bodies=bodies,
        disclosures=tuple(said), workload=counts.workload, metric=counts.metric, unit=counts.unit,
    )  # fmt: skip


def _pair(show: str | None, bodies: Sequence[Body]) -> tuple[str, str] | None:
    if show is None:
        return None
    classes = list(dict.fromkeys(body.own_class for body in bodies if body.own_class))
    wanted = show.split(",")
    if len(wanted) != 2 or any(letter not in classes for letter in wanted):
        raise BadInput(f"--show {show!r}: not two classes", f"there are {', '.join(classes)}; write --show A,B")
    return wanted[0], wanted[1]


COMMAND = Command(name="codegen", order=46, run=_codegen)
