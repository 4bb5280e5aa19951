# SPDX-License-Identifier: GPL-2.0-only
"""Tables and sentences of a codegen answer, without layout."""

from typing import NamedTuple

from kassay.model.codegen import LINKED_IS_OTHER, Body, CodegenReport
from kassay.model.records import grouped
from kassay.model.texts import Table, cells, figures, one_line, table
from kassay.model.units import format_numbers, format_signed, places_of
from kassay.report.sections.changed_lines import NOT_BY_THIS, changed_text, elsewhere_sentences

# Largest relative difference that interrupts and the like cause between two runs of the same code.
_ALIKE = 0.001


class CodegenAnswer(NamedTuple):
    """The answer of `kassay codegen`."""

    report: CodegenReport
    classes: tuple[str, str] | None = None
    """Two classes of code that are shown side by side, if the user named two."""


def functions_table(report: CodegenReport) -> Table:
    """A row per reference and compiler: size as nm prints it, instructions, class, executed."""
    with_cc, with_counts = any(b.cc for b in report.bodies), bool(report.unit)
    last = figures("insns", "executed", "in all") if with_counts else figures("insns")
    columns = ["reference", *(["cc"] if with_cc else []), "class", "bytes", *figures("size", "size"), "parts", *last]
    executed = format_numbers([b.executed for b in report.bodies])
    values = format_numbers([b.value for b in report.bodies])
    rows = [
        cells(body.reference, *([body.cc] if with_cc else []), *_sizes(body), *([ran, value] if with_counts else []))
        for body, ran, value in zip(report.bodies, executed, values, strict=True)
    ]
    return table(report.function, columns, rows)


def _sizes(body: Body) -> tuple[str, ...]:
    if not body.own_class:
        return (body.outcome, "-", "-", "-", "-", "-")
    same = {True: "same", False: "differ", None: "-"}[body.same_bytes]
    others = ", ".join(f"{_suffix(part.name)} {part.size:#x}" for part in body.parts[1:]) or "-"
    return (body.own_class, same, f"{body.size:#x}", f"{body.size}", others, f"{body.instruction_count}")


def _suffix(name: str) -> str:
    _, dot, rest = name.partition(".")
    return dot + rest or name


def calls_table(report: CodegenReport) -> Table | None:
    """Functions that were not inlined, a column per class; None when no class calls anything."""
    leads = leaders(report)
    counts = [{call.callee: call.sites for call in body.calls} for body in leads]
    callees = list(dict.fromkeys(call.callee for body in leads for call in body.calls))
    if not callees:
        return None
    # What differs between classes comes first: it is what the user asked for.
    callees.sort(key=lambda name: len({count.get(name, 0) for count in counts}) == 1)
    rows = tuple(
        cells(name, *(str(count.get(name, "-")) for count in counts),
              mark="differs" if len({count.get(name, 0) for count in counts}) > 1 else "")
        for name in callees
    )  # fmt: skip
    columns = ("calls not inlined (sites)", *figures(*(body.own_class for body in leads)))
    return table("calls that were not inlined", columns, rows)


def leaders(report: CodegenReport) -> list[Body]:
    """The first body of each class; one with counted instructions, where there is one."""
    first: dict[str, Body] = {}
    for body in report.bodies:
        if body.own_class and (body.own_class not in first or (_counted(body) and not _counted(first[body.own_class]))):
            first[body.own_class] = body
    return list(first.values())


def _counted(body: Body) -> bool:
    return any(instruction.count is not None for instruction in body.instructions)


def executed_sentences(report: CodegenReport) -> list[str]:
    """ "B executes +6 instructions/page more than A": each class against the first that was counted."""
    counted = [body for body in leaders_by_count(report) if body.executed is not None]
    if counted and not any(body.executed for body in report.bodies):
        idle = f"{report.function}() was {NOT_BY_THIS} ({report.workload}): its counts say nothing about its code."
        return [idle, *elsewhere_sentences(report.elsewhere), *_changed(report)]
    if refused := next((body.refused for body in counted if body.refused), ""):
        return [f"Executions are not compared: {one_line(refused)}.", *_changed(report)]
    sentences = [*_unequal(report), *_changed(report)]
    for body in counted[1:]:
        base = counted[0]
        assert body.executed is not None and base.executed is not None
        difference = body.executed - base.executed
        places = max(places_of(difference), 1)
        bytes_ = f"{body.size:#x} instead of {base.size:#x}"
        sentences.append(
            f"{bytes_} ({body.own_class} instead of {base.own_class}) is {format_signed(difference, min(places, 2))} "
            f"{report.unit} in {report.function} ({_fixed(body.executed)} instead of {_fixed(base.executed)})."
        )
    return sentences


def _changed(report: CodegenReport) -> list[str]:
    """Sentences on the changed lines that the workload executed, for each pair of measured kernels."""
    texts = ((pair, changed_text(pair.changed)) for pair in report.changed)
    return [one_line(f"{pair.base} to {pair.head}: {text}") for pair, text in texts if text]


def _unequal(report: CodegenReport) -> list[str]:
    """The same code may be executed more or less, because of what calls it: not a matter of the compiler."""
    sentences = []
    for name in dict.fromkeys(body.own_class for body in report.bodies if body.own_class):
        own = [b for b in report.bodies if b.own_class == name and LINKED_IS_OTHER not in b.note]
        of_class = [b.executed for b in own if b.executed is not None]
        if of_class and max(of_class) - min(of_class) > _ALIKE * max(of_class):
            low, high = format_numbers([min(of_class), max(of_class)])
            sentences.append(
                f"Class {name} is executed {low} to {high} {report.unit}: the same code, reached in other ways."
            )
    return sentences


def _fixed(value: float) -> str:
    return format_numbers([value])[0]


def leaders_by_count(report: CodegenReport) -> list[Body]:
    """The first body of each class whose own executions are known: not those of another function that was linked."""
    first: dict[str, Body] = {}
    for body in report.bodies:
        if body.own_class and body.executed is not None and LINKED_IS_OTHER not in body.note:
            first.setdefault(body.own_class, body)
    return list(first.values())


def notes(report: CodegenReport) -> list[str]:
    """The meaning of the columns, and remarks on rows that have no code or need care."""
    sentences = []
    if report.unit:
        per = one_line(f"executed: {report.unit} in {report.function}; in all: of {report.workload}, {report.metric}")
        sentences.append(per)
    for body in report.bodies:
        text = "; ".join(filter(None, (body.detail, body.note)))
        if text:
            sentences.append(one_line(f"{_title(body)}: {text}"))
    return sentences


def compilers(report: CodegenReport) -> list[tuple[str, str]]:
    """(first line of the compiler's version, what was built by it)."""
    built = ((body.compiler, body.cc or body.reference) for body in report.bodies)
    references = grouped((one_line(compiler), whose) for compiler, whose in built if compiler)
    return [(name, ", ".join(dict.fromkeys(whose))) for name, whose in references.items()]


def _title(body: Body) -> str:
    return " ".join(filter(None, (body.reference, body.cc)))


def title_of(body: Body) -> str:
    """ "A: build:... gcc-12, 0x245 bytes"."""
    return one_line(f"{body.own_class}: {_title(body)}, {body.size:#x} bytes")


def asked_pair(answer: CodegenAnswer) -> list[tuple[Body, Body]]:
    """The two classes asked for; none where none were."""
    if answer.classes is None:
        return []
    first = {body.own_class: body for body in leaders(answer.report)}
    return [(first[answer.classes[0]], first[answer.classes[1]])]


def tables(report: CodegenReport) -> list[Table]:
    """The functions, then what they call where any calls anything."""
    return [table for table in (functions_table(report), calls_table(report)) if table is not None]
