# SPDX-License-Identifier: GPL-2.0-only
"""`kassay profile`: show the requested profiles in one of five forms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from kassay import __version__, answers
from kassay.analysis.attribution import itemise
from kassay.analysis.itemised import Profiled
from kassay.analysis.pairing import folded
from kassay.commands._inputs import check_file, check_given
from kassay.commands._profile_options import Profiling
from kassay.commands._profile_tables import coverage_table, lines_table
from kassay.commands._set_option import one_value_each
from kassay.commands._show import say, say_answer, say_table, showing
from kassay.commands._together import check_together
from kassay.effects.files import write_atomic
from kassay.errors import BadInput, unknown
from kassay.evidence.profile import coverage as covered
from kassay.evidence.profile.lines import rows as source_lines
from kassay.evidence.profile.lines import rows_of_table
from kassay.journal.directory import open_directory
from kassay.model.branches import BranchReport
from kassay.model.contexts import CONTEXTS
from kassay.model.costs import DEFAULT, Cost, cost_of, weighed
from kassay.model.experiment import labels
from kassay.model.kernel import full_ref
from kassay.model.reason_texts import reasons_text
from kassay.model.texts import one_line
from kassay.registry import discover
from kassay.report.branches import BRANCHES
from kassay.report.exports import Export, exported
from kassay.report.itemised import ItemisedDifference, places_in_sources, profile_table, top_table
from kassay.supply import kernels


class _Shown(NamedTuple):
    """The input of an answer."""

    directory: Path
    asked: Profiling
    kernels: Sequence[str]
    """Kernels of `profiles`, in the same order."""
    settings: Mapping[str, str]
    profiles: Sequence[Profiled]

    @property
    def contexts(self) -> Sequence[str]:
        return (self.asked.context,) if self.asked.context else ()


def answer(directory: Path, asked: Profiling) -> None:
    """Prints the answer, or writes the file of --export. Raises BadInput for options that do not go together."""
    check_together(unused=_UNUSED)
    kernels = labels(open_directory(directory).plan.experiment)
    asked = _with_labels(asked, kernels)
    pair = (asked.base or kernels[0], asked.head or kernels[-1])
    _check_kernels(asked, pair)
    _check_forms(asked, kernels)
    alone = (asked.kernel,) if asked.kernel is not None else None
    wanted = alone or (pair if asked.base or asked.head or not asked.coverage else kernels)
    settings = one_value_each(asked.set_ or ())
    cost = cost_of(asked.cost)
    profiles = tuple(_counted(profile, cost) for profile in answers.profiles(directory, wanted, asked.metric, settings))
    if asked.fold:
        profiles = tuple(msgspec.structs.replace(profiled, profile=folded(profiled.profile)) for profiled in profiles)
    for verdict, reasons in dict.fromkeys(
        (profiled.verdict, profiled.reasons) for profiled in profiles if profiled.verdict
    ):
        say(
            f"{one_line(f'no verdict ({verdict}): {reasons_text(reasons)}')}\n",
            error=asked.export is not None or asked.branches is not None,
        )
    found = {function.context for profiled in profiles for function in profiled.profile.functions}
    if asked.context is not None and asked.context not in found:
        contexts = ", ".join(name for name in CONTEXTS if name in found)
        others = f"there are functions of: {contexts}" if contexts else "the profile has no functions"
        say(f"no function of context {asked.context}; {others}\n")
        return
    form = next(iter(_forms_of(asked)), None)
    show = _FORMS[form][1] if form is not None else _kernel if alone else _pair
    show(_Shown(directory, asked, wanted, settings, profiles))


def _pair(shown: _Shown) -> None:
    base, head = shown.profiles
    cost = cost_of(shown.asked.cost)
    itemised = itemise(base.profile, head.profile, base.value, head.value, unit=head.unit, cost=cost)
    difference = ItemisedDifference(
        base=base.profile.kernel, head=head.profile.kernel, metric=head.profile.phase, unit=head.unit,
        base_value=base.value, head_value=head.value, itemised=itemised, where=head.where,
    )  # fmt: skip
    say(f"{itemised.sentence}\n\n")
    say_table(top_table(difference, shown.asked.top, shown.contexts, sources=False))
    if lines := places_in_sources(difference, shown.asked.top, shown.contexts):
        say("\n".join(("", "in the sources:", *(f"  {line}" for line in lines), "")))


def _kernel(shown: _Shown) -> None:
    profiled, cost = shown.profiles[0], cost_of(shown.asked.cost)
    say_table(profile_table(profiled.profile, profiled.unit, shown.asked.top, shown.contexts, profiled.where, cost))


def _export(shown: _Shown) -> None:
    name, out = shown.asked.export or "", shown.asked.out
    exports = discover("kassay.report.exports", "EXPORT", Export)
    if name not in exports:
        summaries = "; ".join(f"{export.name} ({export.summary})" for export in exports.values())
        raise BadInput(f"--export: unknown {name!r}", f"known: {summaries}")
    text = exported(exports[name], shown.profiles[0].profile)
    if out is None:
        say(text)
    else:
        write_atomic(out, text.encode())


def _coverage(shown: _Shown) -> None:
    profiles = [folded(profiled.profile) for profiled in shown.profiles]
    functions = [profiled.known for profiled in shown.profiles]
    for number, source in enumerate(shown.asked.coverage or ()):
        rows = covered.rows(covered.functions_of(source), profiles, functions)
        say("\n" if number else "")
        say_table(coverage_table(source.name, [profile.kernel for profile in profiles], rows, shown.profiles[0].where))


def _lines(shown: _Shown) -> None:
    assert shown.asked.lines is not None
    executed = answers.executed(shown.directory, shown.kernels[0], shown.asked.metric, shown.settings)
    rows = source_lines(shown.asked.lines, executed.places, executed.blocks)
    say_table(lines_table(shown.profiles[0], rows, shown.asked.top))


def _branches(shown: _Shown) -> None:
    asked, function = shown.asked, shown.asked.branches or ""
    found = answers.branches(shown.directory, shown.kernels, asked.metric, shown.settings, function)
    report = BranchReport(function=function, kernels=found, kassay_version=__version__)
    say_answer(report, BRANCHES.form(asked.format_))


def _debug_symbols(shown: _Shown) -> None:
    """The lines that the run kept, or those of the package with the debug symbols of an archive kernel."""
    (kernel,) = shown.kernels
    executed = answers.executed(shown.directory, kernel, shown.asked.metric, shown.settings)
    if executed.lines is not None:
        rows = rows_of_table(executed.lines, executed.places)
    else:
        plan = open_directory(shown.directory).plan
        identity = plan.kernels[labels(plan.experiment).index(kernel)]
        with showing() as tell:
            vmlinux = kernels.debug_symbols(identity, tell)
        rows = source_lines(vmlinux, executed.places, executed.blocks)
    say_table(lines_table(shown.profiles[0], rows, shown.asked.top))


_FORMS: Mapping[str, tuple[Callable[[Profiling], bool], Callable[[_Shown], None]]] = MappingProxyType(
    {
        "--export": (lambda asked: asked.export is not None, _export),
        "--coverage": (lambda asked: bool(asked.coverage), _coverage),
        "--branches": (lambda asked: asked.branches is not None, _branches),
        "--lines": (lambda asked: asked.lines is not None, _lines),
        "--debug-symbols": (lambda asked: asked.debug_symbols, _debug_symbols),
    }
)
"""For each option if it is given, and the function that shows it. Without one of these options the answer is a table
of one kernel, or of two."""


_UNUSED = {
    "--export": ("--top", "--context"),
    "--coverage": ("--top", "--context"),
    "--branches": ("--top", "--context", "--fold"),
    "--lines": ("--context", "--fold"),
    "--debug-symbols": ("--context", "--fold"),
}
"""For each form the options that it makes no use of."""


def _forms_of(asked: Profiling) -> list[str]:
    return [name for name, (is_given, _) in _FORMS.items() if is_given(asked)]


def _counted(profiled: Profiled, cost: Cost) -> Profiled:
    """The profile, weighed by `cost`: unless this is the metric itself, the total becomes the sum of the functions."""
    if profiled.profile.ticks is not None and cost.name == DEFAULT:
        return profiled
    unit = f"{cost.unit}/{profiled.unit.partition('/')[2]}"
    return msgspec.structs.replace(
        profiled, unit=unit, value=weighed(profiled.profile, cost) / profiled.profile.operations
    )


def _with_labels(asked: Profiling, kernels: Sequence[str]) -> Profiling:
    """The options with kernels named as in reports, also where the user wrote 6.17 for debian:6.17."""

    def label(ref: str | None) -> str | None:
        return ref if not ref or ref in kernels else full_ref(ref)

    return replace(asked, kernel=label(asked.kernel), base=label(asked.base), head=label(asked.head))


def _check_kernels(asked: Profiling, pair: tuple[str, str]) -> None:
    if asked.kernel is not None and (asked.base is not None or asked.head is not None):
        raise BadInput("--kernel: shows one kernel, --base and --head compare two", "give one or the other")
    if asked.kernel is None and pair[0] == pair[1]:
        raise BadInput(f"--base and --head: both are {pair[0]}", "name two kernels, or show one with --kernel")
    if asked.context is not None and asked.context not in CONTEXTS:
        raise unknown("--context: unknown", asked.context, CONTEXTS)


def _check_forms(asked: Profiling, kernels: Sequence[str]) -> None:
    given, out = _forms_of(asked), asked.out
    if len(given) > 1:
        raise BadInput(f"{given[0]} and {given[1]}: each is an answer of its own", "give one of them")
    if given and asked.cost != DEFAULT:
        raise BadInput(f"{given[0]}: counts {DEFAULT}, not {asked.cost}", f"leave out --cost or {given[0]}")
    if out is not None and asked.export is None:
        raise BadInput("--out: there is no --export whose file it would be", "add --export, or redirect the output")
    check_file(out)
    check_given(asked.lines, "--lines")
    for source in asked.coverage or ():
        check_given(source, "--coverage")
    if asked.branches is None and asked.format_ != Profiling().format_:
        raise BadInput("--format: only --branches has other forms", "add --branches FUNCTION, or leave out --format")
    BRANCHES.form(asked.format_)
    if asked.kernel is None and given and given[0] not in ("--coverage", "--branches"):
        writes = "writes one kernel's profile" if asked.export is not None else "is about one kernel"
        raise BadInput(f"{given[0]}: {writes}", f"add --kernel, one of {', '.join(kernels)}")
