# SPDX-License-Identifier: GPL-2.0-only
"""The document of a choice of constants: for each trace sentences, each constant alone, and the compromises."""

from collections.abc import Iterator, Sequence
from math import prod

from kassay import __version__
from kassay.labs.pcp.model.tuned import MEASURES, Choice, PcpTuning, TunedTrace
from kassay.model.records import grouped
from kassay.model.texts import Table, cells, counted, cpus_text, figures, listed, memory_text, table
from kassay.model.units import format_change, format_number
from kassay.report.answers import Kind
from kassay.report.document import VERDICT, Block, Document, Envelope, Items, Paragraph, Section, section_of_table

_FEW_PAGES = 1000
"""Zone traffic below which a percentage says little."""
_MOST_ROWS = 80
"""Compromises of a trace that are shown."""


def document(answer: PcpTuning) -> Document:
    """Three sections for each trace."""
    blocks: list[Block] = [Paragraph(text=verdict(answer), tone=VERDICT)]
    for trace in answer.traces:
        texts = tuple(Paragraph(text=text) for text in sentences(trace))
        blocks += [Section(title=title(trace), blocks=texts), *map(section_of_table, (_alone(trace), _rows(trace)))]
    blocks.append(Section(title="How to read this", blocks=(Items(texts=notes()),)))
    return Document(
        title="constants of a policy", kicker="kassay: per-CPU page lists, other constants", width=120, level=3,
        kassay_version=answer.kassay_version, blocks=tuple(blocks),
        envelope=Envelope(subject="[RFC] mm: per-CPU pages, constants of a policy", trailer="",
                          signature=f"Written by kassay {__version__}."),
    )  # fmt: skip


def verdict(answer: PcpTuning) -> str:
    """Number of guests in which each constant makes a difference, and in which the kernel's are beaten."""
    names = list(dict.fromkeys(one.name for trace in answer.traces for one in trace.ranges))
    moved = listed([f"{name} in {_moved(answer, name)}" for name in names])
    beaten = sum(not _kernels(trace).is_compromise for trace in answer.traces)
    return (
        f"{counted(len(answer.traces), 'recorded guest')}, replayed with other constants. Changed alone, they make a "
        f"difference: {moved}. Guests in which another choice beats the kernel's constants: {beaten}."
    )


def _moved(answer: PcpTuning, name: str) -> int:
    found = [one for trace in answer.traces for one in trace.ranges if one.name == name]
    return sum((one.least, one.most) != (min(one.tried), max(one.tried)) for one in found)


def sentences(trace: TunedTrace) -> Iterator[str]:
    """Sentences on whether the kernel's constants are beaten, and on what the trace cannot show."""
    own = _kernels(trace)
    compromises = sum(choice.is_compromise for choice in trace.choices)
    words = "none beats the kernel's" if own.is_compromise else "some beat the kernel's"
    yield (
        f"{counted(len(trace.choices), 'choice')} of constants, replayed with the policy {trace.policy}; {words}. "
        f"Compromises, which no other choice beats: {compromises}."
    )
    if trace.left_out:
        left = listed([f"{one.name} {format_number(int(one.value))}" for one in trace.left_out])
        yield f"Left out, as high_min would be above high_max: {left}."
    if any(one.name == "decay_shift" for one in trace.ranges):
        drains = any(choice.decayed_pages for choice in trace.choices)
        yield (
            f"The vmstat worker ran {counted(trace.worker_runs, 'time')} in {trace.span_ns / 1e9:.3g} s (it does not "
            f"run while its CPU idles), and drained {format_number(own.decayed_pages)} pages with the kernel's decay."
            + ("" if drains else " So this trace cannot show what the decay is good for.")
        )
    yield (
        f"The model's error, by the policy of the guest's kernel ({trace.own_policy}): zone traffic "
        f"{format_change(trace.moved_error)}, idle pages {format_change(trace.idle_error)}. A smaller difference in "
        "the same measure is no evidence."
    )
    if own.measures["moved_pages"] < _FEW_PAGES:
        yield f"Only {format_number(own.measures['moved_pages'])} pages passed the zone lock: a percentage says little."


def title(trace: TunedTrace) -> str:
    """Kernel, workload and machine."""
    release = trace.release.partition("+")[0]
    return f"{release}, {trace.workload}, {cpus_text(trace.cpus)}, {memory_text(trace.memory_bytes)}"


def _alone(trace: TunedTrace) -> Table:
    """Each value of each constant, the others as in the kernel."""
    own = _kernels(trace)
    kernels = {setting.name: setting.value for setting in own.settings}
    by_settings = {tuple(setting.value for setting in choice.settings): choice for choice in trace.choices}
    rows = [cells("the kernel's", "", *_measures(own, own), "")]
    for one in trace.ranges:
        for value in one.tried:
            choice = by_settings[tuple({**kernels, one.name: str(value)}.values())]
            if choice is not own:
                same = "no difference" if one.least <= value <= one.most else ""
                rows.append(cells(one.name, format_number(value), *_measures(choice, own), same))
    margins = listed([f"{MEASURES[name].title.partition(',')[0]} {_share(of)}" for name, of in trace.margins.items()])
    head = ("constant", *figures("value", *_titles()), "")
    return table(f"Each constant alone; margins: {margins}", head, rows)


def _rows(trace: TunedTrace) -> Table:
    """The kernel's constants, and the compromises; the least zone traffic first."""
    own = _kernels(trace)
    alike = grouped((tuple(choice.measures[name] for name in MEASURES), choice)
                    for choice in trace.choices
                    if choice.is_compromise and choice.measures != own.measures)  # fmt: skip
    rows = [cells("the kernel's", *(format_number(int(s.value)) for s in own.settings), *_measures(own, own))]
    for measures in sorted(alike):
        for of in _together(alike[measures]):
            rows.append(cells("", *_constants(of, trace), *_measures(of[0], own)))
    left = f", {len(rows) - _MOST_ROWS} more in the JSON" if len(rows) > _MOST_ROWS else ""
    head = ("", *figures(*(setting.name for setting in own.settings), *_titles()))
    return table(f"Compromises{left}", head, rows[:_MOST_ROWS])


def _together(alike: Sequence[Choice]) -> list[list[Choice]]:
    """All in one row if they are every combination of their values; otherwise each in its own."""
    count = prod(len({setting.value for setting in of}) for of in zip(*(c.settings for c in alike), strict=True))
    return [list(alike)] if count == len(alike) else [[choice] for choice in alike]


def _constants(alike: Sequence[Choice], trace: TunedTrace) -> list[str]:
    texts = []
    for settings in zip(*(choice.settings for choice in alike), strict=True):
        values = sorted({int(setting.value) for setting in settings})
        every = {s.value for choice in trace.choices for s in choice.settings if s.name == settings[0].name}
        texts.append("any" if len(values) == len(every) > 1 else ", ".join(map(format_number, values)))
    return texts


def _measures(choice: Choice, own: Choice) -> list[str]:
    return [_text(choice.measures[name], own.measures[name], choice is own) for name in MEASURES]


def _text(value: float, kernels: float, is_kernels: bool) -> str:
    return format_number(float(round(value))) if is_kernels or not kernels else format_change(value / kernels - 1)


def _titles() -> list[str]:
    return [measure.title for measure in MEASURES.values()]


def _kernels(trace: TunedTrace) -> Choice:
    return next(choice for choice in trace.choices if choice.is_kernels)


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def notes() -> tuple[str, ...]:
    """Meanings of the columns, and what is not shown."""
    return (
        *(f"{measure.title}: {measure.definition}; less is better" for measure in MEASURES.values()),
        "the kernel's row has values, the others their changes from it; the JSON has the values of all",
        "a choice beats another if it is better in one measure by more than the margin, and worse in none by more",
        "margin: 5 %, or what one page more or less of batch changes, if that is more",
        "any: each value that was tried gives the same measures",
        "decay_shift: the vmstat worker lowers high by 1 / 2^decay_shift of it; batch: pages of a plain refill",
        "high_min, high_max: bounds of high, pages, in a fixed policy high_min is high; batch_scale_max: refills and "
        "drains grow up to batch times 2 to this; free_high_batch: 1 if the CPU's cache has room for three batches",
        "batch, high_min and high_max are changed in the main zone",
        "the guest's page events stay as they were recorded: what tasks would do with another policy is not modelled",
    )


TUNED = Kind(document=document)
