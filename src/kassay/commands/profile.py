# SPDX-License-Identifier: GPL-2.0-only
"""kassay profile: where the cost is, and where a difference is; measures nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from typer import Argument, Option

from kassay import pipeline
from kassay.analysis.attribution import itemise
from kassay.analysis.folding import folded
from kassay.analysis.itemised import Profiled
from kassay.clocks import clock_of, profiling
from kassay.commands import Command
from kassay.commands._covered import coverage_table
from kassay.commands._lines import lines_table
from kassay.commands._show import say, say_table
from kassay.effects.files import write_atomic
from kassay.errors import BadInput
from kassay.journal.directory import open_directory
from kassay.model.experiment import labels
from kassay.model.profile import CONTEXTS, Executed
from kassay.model.texts import one_line
from kassay.profile import coverage as covered
from kassay.profile.lines import rows as source_lines
from kassay.registry import discover
from kassay.report.exports import Export, exported
from kassay.report.itemised import Difference, profile_table, top_table


def _profile(
    directory: Annotated[Path, Argument(metavar="DIR", help="A directory that run, compare or ladder made.")],
    kernel: Annotated[str | None, Option(help="Show this kernel alone.")] = None,
    base: Annotated[str | None, Option(help="The kernel to compare with.", show_default="the first")] = None,
    head: Annotated[str | None, Option(help="The kernel in question.", show_default="the last")] = None,
    metric: Annotated[str | None, Option(help="Which phase.", show_default="the primary one")] = None,
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of several settings that with this value; NAME may be cpus, memory.",
            show_default="the first",
        ),
    ] = None,
    fold: Annotated[bool, Option("--fold", help="Merge .isra, .part, .constprop and .cold copies.")] = False,
    top: Annotated[int, Option(min=0, help="How many functions; 0 shows all, unchanged ones too.")] = 20,
    context: Annotated[str | None, Option(help=f"Only functions of one context: {', '.join(CONTEXTS)}.")] = None,
    export: Annotated[
        str | None,
        Option(metavar="NAME", help="Write one kernel's profile for a viewer: callgrind, folded, speedscope."),
    ] = None,
    out: Annotated[Path | None, Option(help="File of --export.", show_default="standard output")] = None,
    coverage: Annotated[
        list[Path] | None, Option(metavar="FILE.c", help="Which functions of a kernel source file were executed.")
    ] = None,
    lines: Annotated[
        Path | None, Option(metavar="VMLINUX", help="Source lines of --kernel, from the DWARF of its vmlinux.")
    ] = None,
) -> int:
    """Where the cost is, function by function, or where the difference between two kernels is. Measures nothing.

    Without options: the first kernel against the last one, in the primary metric. The column
    of differences adds up to the whole difference. Values are per operation.

    Example: kassay profile kassay-out/demo --base debian:6.16 --head debian:6.17 --top 0
    """
    known = labels(open_directory(directory).plan.experiment)
    pair = (base or known[0], head or known[-1])
    _check(kernel, base, head, pair, context)
    _check_outputs(kernel, known, export=export, out=out, coverage=coverage, lines=lines)
    wanted = (kernel,) if kernel is not None else pair if base or head or not coverage else known
    settings = _settings(set_ or ())
    found = tuple(_counted(one) for one in pipeline.profiles(directory, wanted, metric, settings))
    if fold:
        found = tuple(msgspec.structs.replace(one, profile=folded(one.profile)) for one in found)
    for refused in dict.fromkeys(one.refused for one in found if one.refused):
        say(f"{one_line(refused)}\n", error=export is not None)
    contexts = (context,) if context else ()
    if lines is not None:
        _lines(found[0], pipeline.executed(directory, wanted[0], metric, settings), lines, top)
    elif export is not None:
        _export(found[0], export, out)
    elif coverage:
        _cover(found, coverage)
    elif kernel is not None:
        say_table(profile_table(found[0].profile, found[0].unit, top, contexts, found[0].where))
    else:
        _compare(found[0], found[1], top, contexts)
    return 0


def _settings(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not (name and value):
            raise BadInput(f"--set {text!r}: not a setting", "write NAME=VALUE, for example --set size=16MiB")
        if found.setdefault(name, value) != value:
            raise BadInput(f"--set {name}: given twice", "one setting is shown at a time; give one value")
    return found


def _lines(of: Profiled, executed: Executed, vmlinux: Path, top: int) -> None:
    say_table(lines_table(of, source_lines(vmlinux, executed.places, executed.blocks), top))


def _counted(one: Profiled) -> Profiled:
    """Under a clock that measures time the functions explain the instructions they executed, not the metric."""
    if one.profile.ticks is not None:
        return one
    count = sum(cost.instructions + cost.iterations for cost in one.profile.functions)
    unit = f"{clock_of(profiling()[0]).unit}/{one.unit.partition('/')[2]}"
    return msgspec.structs.replace(one, unit=unit, value=count / one.profile.operations)


def _check(kernel: str | None, base: str | None, head: str | None, pair: tuple[str, str], context: str | None) -> None:
    if kernel is not None and (base is not None or head is not None):
        raise BadInput("--kernel: shows one kernel, --base and --head compare two", "give one or the other")
    if kernel is None and pair[0] == pair[1]:
        raise BadInput(f"--base and --head: both are {pair[0]}", "name two kernels, or show one with --kernel")
    if context is not None and context not in CONTEXTS:
        raise BadInput(f"--context: unknown {context!r}", f"known: {', '.join(CONTEXTS)}")


def _check_outputs(kernel: str | None, known: Sequence[str], *, export: str | None, out: Path | None,
                   coverage: list[Path] | None, lines: Path | None) -> None:  # fmt: skip
    asked = {"--export": export is not None, "--coverage": bool(coverage), "--lines": lines is not None}
    given = [name for name, there in asked.items() if there]
    if len(given) > 1:
        raise BadInput(f"{given[0]} and {given[1]}: each is an answer of its own", "give one of them")
    if out is not None and export is None:
        raise BadInput("--out: there is no --export whose file it would be", "add --export, or redirect the output")
    if out is not None and not out.parent.is_dir():
        raise BadInput(f"--out {out}: there is no directory {out.parent}", "make it, or name a file elsewhere")
    if kernel is None and (export is not None or lines is not None):
        what = "--export: writes one kernel's profile" if export is not None else "--lines: is about one kernel"
        raise BadInput(what, f"add --kernel, one of {', '.join(known)}")


def _compare(base: Profiled, head: Profiled, top: int, contexts: Sequence[str]) -> None:
    itemised = itemise(base.profile, head.profile, base.value, head.value, unit=head.unit)
    difference = Difference(
        base=base.profile.kernel, head=head.profile.kernel, metric=head.profile.phase, unit=head.unit,
        base_value=base.value, head_value=head.value, itemised=itemised, where=head.where,
    )  # fmt: skip
    say(f"{itemised.sentence}\n\n")
    say_table(top_table(difference, top, contexts))


def _export(of: Profiled, name: str, out: Path | None) -> None:
    known = discover("kassay.report.exports", "EXPORT", Export)
    if name not in known:
        summaries = "; ".join(f"{export.name} ({export.summary})" for export in known.values())
        raise BadInput(f"--export: unknown {name!r}", f"known: {summaries}")
    text = exported(known[name], of.profile)
    if out is None:
        say(text)
    else:
        write_atomic(out, text.encode())


def _cover(found: Sequence[Profiled], sources: Sequence[Path]) -> None:
    profiles, known = [one.profile for one in found], [one.known for one in found]
    for number, source in enumerate(sources):
        rows = covered.rows(covered.functions_of(source), profiles, known)
        say("\n" if number else "")
        say_table(coverage_table(source.name, [profile.kernel for profile in profiles], rows, found[0].where))


COMMAND = Command(name="profile", order=45, run=_profile)
