# SPDX-License-Identifier: GPL-2.0-only
"""The document of a choice of constants: for each trace sentences, the compromises, and what makes no difference."""

from collections.abc import Iterator, Sequence

from kassay import __version__
from kassay.labs.pcp.model.tuned import MEASURES, Choice, PcpTuning, Range, TunedTrace
from kassay.model.records import grouped
from kassay.model.texts import Table, cells, counted, cpus_text, figures, listed, memory_text, table
from kassay.model.units import format_change, format_number
from kassay.report.answers import Kind
from kassay.report.document import VERDICT, Block, Document, Envelope, Items, Paragraph, Section, section_of_table

_FEW_PAGES = 1000
"""Zone traffic below which a percentage says little."""
_MOST_ROWS = 20
"""Compromises of a trace that are shown."""


def document(answer: PcpTuning) -> Document:
    """One section for each trace."""
    blocks: list[Block] = [Paragraph(text=verdict(answer), tone=VERDICT)]
    for trace in answer.traces:
        texts = tuple(Paragraph(text=text) for text in sentences(trace))
        blocks.append(Section(title=title(trace), blocks=(*texts, *section_of_table(_compromises(trace)).blocks)))
        blocks.append(section_of_table(_ranges(trace)))
    blocks.append(Section(title="How to read this", blocks=(Items(texts=notes()),)))
    return Document(
        title="constants of a policy", kicker="kassay: per-CPU page lists, other constants", width=120, level=3,
        kassay_version=answer.kassay_version, blocks=tuple(blocks),
        envelope=Envelope(subject="[RFC] mm: per-CPU pages, constants of a policy", trailer="",
                          signature=f"Written by kassay {__version__}."),
    )  # fmt: skip


def verdict(answer: PcpTuning) -> str:
    """Number of traces in which each constant makes a difference, and in which the kernel's are beaten."""
    names = list(dict.fromkeys(one.name for trace in answer.traces for one in trace.ranges))
    moved = listed([f"{name} in {_moved(answer, name)}" for name in names])
    beaten = sum(not _kernels(trace).is_compromise for trace in answer.traces)
    return (
        f"{counted(len(answer.traces), 'recorded guest')}, replayed with other constants. Changed alone, they make a "
        f"difference: {moved}. Another choice beats the kernel's constants: in {beaten}."
    )


def _moved(answer: PcpTuning, name: str) -> int:
    found = [one for trace in answer.traces for one in trace.ranges if one.name == name]
    return sum((one.least, one.most) != (min(one.tried), max(one.tried)) for one in found)


def sentences(trace: TunedTrace) -> Iterator[str]:
    """Sentences on whether the kernel's constants are beaten, and on what the trace cannot show."""
    own = _kernels(trace)
    count = sum(choice.is_compromise for choice in trace.choices)
    words = "none beats" if own.is_compromise else "another one beats"
    yield (
        f"{counted(len(trace.choices), 'choice')} of constants, replayed with the policy {trace.policy}; {words} the "
        f"kernel's. {count} are compromises: no other choice is as good in every measure and better in one."
    )
    if any(one.name == "decay_shift" for one in trace.ranges):
        yield (
            f"The vmstat worker ran {counted(trace.worker_runs, 'time')} in {trace.span_ns / 1e9:.3g} s and drained "
            f"{format_number(own.decayed_pages)} pages with the kernel's decay."
            + (" So this trace cannot show what the decay is good for." if not _decays(trace) else "")
        )
    error = trace.moved_error
    yield f"With the kernel's constants the model moves {format_change(error)} pages against the guest." + (
        " Differences below that are no evidence." if error else ""
    )
    if own.measures["moved_pages"] < _FEW_PAGES:
        yield f"Only {format_number(own.measures['moved_pages'])} pages passed the zone lock: a percentage says little."


def _decays(trace: TunedTrace) -> bool:
    return any(choice.decayed_pages for choice in trace.choices)


def title(trace: TunedTrace) -> str:
    """Kernel, workload and machine."""
    release = trace.release.partition("+")[0]
    return f"{release}, {trace.workload}, {cpus_text(trace.cpus)}, {memory_text(trace.memory_bytes)}"


def _compromises(trace: TunedTrace) -> Table:
    own = _kernels(trace)
    idle = [one.name for one in trace.ranges if one.is_idle]
    names = [setting.name for setting in own.settings if setting.name not in idle]
    columns = figures(*names, *(measure.title for measure in MEASURES.values()))
    alike = grouped((tuple(choice.measures[name] for name in MEASURES), choice) for choice in trace.choices)
    groups = [alike.pop(tuple(own.measures[name] for name in MEASURES))]
    groups += [alike[measures] for measures in sorted(alike) if alike[measures][0].is_compromise]
    rows = [cells(f"{len(of)} alike" if number else "the kernel's", *_row(of, own, names))
            for number, of in enumerate(groups)]  # fmt: skip
    left = f", {len(rows) - _MOST_ROWS} more in the JSON" if len(rows) > _MOST_ROWS else ""
    without = f"; {listed(idle)} changed nothing" if idle else ""
    return table(f"Compromises{left}{without}", ("", *columns), rows[:_MOST_ROWS])


def _row(alike: Sequence[Choice], own: Choice, names: Sequence[str]) -> tuple[str, ...]:
    """A row of the choice that is nearest to the kernel's, of some with the same measures."""
    kernels = {setting.name: setting.value for setting in own.settings}
    nearest = min(alike, key=lambda choice: sum(setting.value != kernels[setting.name] for setting in choice.settings))
    constants = [format_number(int(setting.value)) for setting in nearest.settings if setting.name in names]
    return (*constants, *(_text(name, nearest, own) for name in MEASURES))


def _text(name: str, choice: Choice, own: Choice) -> str:
    value, kernels = choice.measures[name], own.measures[name]
    return format_change(value / kernels - 1) if kernels and choice is not own else format_number(float(round(value)))


def _ranges(trace: TunedTrace) -> Table:
    margins = listed([f"{MEASURES[name].title.partition(',')[0]} {_share(of)}" for name, of in trace.margins.items()])
    rows = [
        cells(one.name, format_number(one.kernels), _values(one), ", ".join(map(format_number, one.tried)))
        for one in trace.ranges
    ]
    head = ("constant", *figures("the kernel's"), "no difference", "replayed, the others as in the kernel")
    return table(f"Values that make no difference by more than: {margins}", head, rows)


def _values(one: Range) -> str:
    if len(one.tried) == 1:
        return "no other value was replayed"
    return " to ".join(dict.fromkeys((format_number(one.least), format_number(one.most))))


def _kernels(trace: TunedTrace) -> Choice:
    return next(choice for choice in trace.choices if choice.is_kernels)


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def notes() -> tuple[str, ...]:
    """Meanings of the columns, and what is not shown."""
    return (
        *(f"{measure.title}: {measure.definition}; less is better" for measure in MEASURES.values()),
        "the kernel's row has values, the others their changes from it; the JSON has the values of all",
        "alike: choices that have all these measures in common; the row has the constants of the one nearest to the "
        "kernel's",
        "decay_shift: the vmstat worker lowers high by 1 / 2^decay_shift of it; batch: pages of a plain refill",
        "high_min, high_max: bounds of high, pages; batch_scale_max: refills and drains grow up to batch times 2 to "
        "this; free_high_batch: 1 if the CPU's cache has room for three batches",
        "batch, high_min and high_max are changed in the main zone; a high_min above high_max is left out",
        "a difference counts from 5 %, or from what one page more or less of batch changes, if that is more",
        "the guest's page events stay as they were recorded: what tasks would do with another policy is not modelled",
    )


TUNED = Kind(document=document)
