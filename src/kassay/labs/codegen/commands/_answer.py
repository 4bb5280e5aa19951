# SPDX-License-Identifier: GPL-2.0-only
"""`kassay codegen`: the function's code in each reference, in classes, with executions."""

from collections.abc import Sequence
from pathlib import Path

from kassay.commands._experiment import checked_from, directory_for, experiment_from, one_workload
from kassay.commands._inputs import check_file, check_kernels
from kassay.commands._options import Measuring
from kassay.commands._set_option import one_value_each
from kassay.commands._show import say_answer, showing
from kassay.commands._together import check_together
from kassay.effects.files import write_atomic
from kassay.errors import BadInput
from kassay.journal.directory import open_directory
from kassay.labs.codegen.classes import classified, verdict
from kassay.labs.codegen.commands._bodies import FoundCode, in_images, in_objects, with_compiler
from kassay.labs.codegen.commands._counts import Measured, with_executions
from kassay.labs.codegen.commands._options import Comparing
from kassay.labs.codegen.report import CODEGEN, disclosures
from kassay.labs.codegen.report.words import CodegenAnswer
from kassay.model.codegen import Body, CodegenReport
from kassay.model.kernel import KernelRef, parse_ref
from kassay.model.progress import Tell
from kassay.supply.arches import arch_of
from kassay.supply.kernels.build import check_object

_NEEDS = {
    "--cc": ("--source",),
    "--cluster": ("--measure",),
    "--metric": ("--runs", "--measure"),
    "--set": ("--runs", "--measure"),
}


def answer(function: str, refs: Sequence[str], asked: Comparing) -> None:
    """Prints the answer, and writes it to --out. Raises BadInput before anything is built or measured."""
    form = CODEGEN.form(asked.format_)
    _check(asked)
    parsed = [parse_ref(text, arch_of(asked.arch).name) for text in dict.fromkeys(refs)]
    compilers = tuple(dict.fromkeys(filter(None, (asked.cc or "").split(","))))
    _check_kernels(parsed, compilers, asked)
    with showing() as tell:
        rows = (
            in_objects(function, asked.source, parsed, compilers, tell)
            if asked.source is not None
            else in_images(function, parsed, asked.flavour, tell)
        )
        shown = _pair(asked.show, classified(row.body for row in rows))  # before anything is measured
        directory = asked.runs or (_measured(asked.measure, rows, asked, tell) if asked.measure else None)
        counts = _counts(function, rows, directory, asked, tell)
    codegen_answer = CodegenAnswer(_report(function, asked.source, counts), shown)
    if asked.out is not None:
        write_atomic(asked.out, CODEGEN.of_suffix(asked.out.suffix).render(codegen_answer).encode())
    say_answer(codegen_answer, form)


def _check(asked: Comparing) -> None:
    check_together(_NEEDS)
    if asked.runs is not None and asked.measure is not None:
        raise BadInput("--runs and --measure: both say where executions come from", "give one of them")
    if asked.out is not None:
        CODEGEN.of_suffix(asked.out.suffix)
        check_file(asked.out)


def _check_kernels(refs: Sequence[KernelRef], compilers: Sequence[str], asked: Comparing) -> None:
    """Raises BadInput or HostLacks for a kernel, a compiler, runs or a workload that is not there, before the first
    object is built."""
    if asked.source is not None:
        check_object(asked.source)
        refs = [with_compiler(ref, cc) for cc in compilers or ("",) for ref in refs]
    check_kernels(refs, asked.flavour)
    if asked.runs is not None:
        open_directory(asked.runs)
        one_value_each(asked.set_ or ())
    if asked.measure is not None:
        texts = list(dict.fromkeys(ref.text for ref in refs))
        question = "ladder" if len(texts) > 1 else "value"
        checked_from(question, one_workload(asked.measure), texts, _measuring(asked))


def _measuring(asked: Comparing) -> Measuring:
    return Measuring(set_=asked.set_, arch=asked.arch, flavour=asked.flavour)


def _measured(workload: str, rows: Sequence[FoundCode], asked: Comparing, tell: Tell) -> Path:
    """Measures every kernel that could be built; returns the directory of the runs."""
    from kassay import pipeline
    from kassay.supply.prepare.pin import pin_experiment

    refs = list(dict.fromkeys(row.ref.text for row in rows if row.body.outcome != "not-built"))
    experiment = experiment_from("ladder" if len(refs) > 1 else "value", workload, refs, _measuring(asked))
    experiment = pin_experiment(experiment, tell)
    directory = directory_for(experiment, None, fresh=False)
    pipeline.measure(experiment, directory, tell, cluster=asked.cluster)
    return directory


def _counts(function: str, rows: Sequence[FoundCode], directory: Path | None, asked: Comparing, tell: Tell) -> Measured:
    if directory is None:
        return Measured(tuple(row.body for row in rows), "", "", "")
    wanted = one_value_each(asked.set_ or ()) if asked.runs else {}
    return with_executions(function, rows, directory, asked.metric, wanted, asked.flavour, tell)


def _report(function: str, source: str | None, counts: Measured) -> CodegenReport:
    bodies = classified(counts.bodies)
    return CodegenReport(
        function=function, source=source or "", verdict=verdict(function, bodies), bodies=bodies,
        disclosures=disclosures(image=source is None, counted=bool(counts.unit)),
        workload=counts.workload, metric=counts.metric, unit=counts.unit, changed=counts.changed,
        elsewhere=counts.elsewhere,
    )  # fmt: skip


def _pair(show: str | None, bodies: Sequence[Body]) -> tuple[str, str] | None:
    if show is None:
        return None
    classes = list(dict.fromkeys(body.own_class for body in bodies if body.own_class))
    wanted = show.split(",")
    if len(classes) == 1:
        raise BadInput(f"--show {show!r}: all code is of class {classes[0]}",
                       "leave --show out, or name kernels whose code differs")  # fmt: skip
    if len(wanted) != 2 or any(letter not in classes for letter in wanted):
        raise BadInput(f"--show {show!r}: not two classes", f"there are {', '.join(classes)}; write --show A,B")
    return wanted[0], wanted[1]
