# SPDX-License-Identifier: GPL-2.0-only
"""Sentences of the answer: applications that notice a change, those that do not, and the functions looked for."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from kassay.labs.notice.model import NOTICED, CallSizes, Notice, Noticed, SoughtEntry, SoughtFunction, Subject
from kassay.model.texts import counted, listed, one_line, plural, settings_text
from kassay.model.units import format_change, format_number
from kassay.report.words import short_labels

_NAMED = 6  # applications that the sentence names
Names = Callable[[Noticed], str]
"""Name of an application in a sentence."""


def share_text(share: float | None) -> str:
    """ "+0.21 %"; "0 %" when it is nothing, "-" when it is not known."""
    if share is None:
        return "-"
    if share and abs(share) < _SMALLEST:
        return f"{'+' if share > 0 else '-'}<0.001 %"
    return f"{100 * share:+.2f} %" if abs(share) >= _TWO_PLACES else format_change(share)


def cost_share_text(application: Noticed) -> str:
    """The share of the functions' cost; its two ends if it is not known closer."""
    if application.bounds is None:
        return share_text(application.share)
    least, most = map(share_text, application.bounds)
    return least if least == most else f"{least} to {most}"


_SMALLEST, _TWO_PLACES = 0.00001, 0.0001


def title(notice: Notice) -> str:
    """The question."""
    about = notice.subject
    names = kernels(about)
    if len(names) == 1:
        return f"Who executes {_names(about)} on {names[0]}?"
    change = f"the change of {about.workload}" if about.workload else f"a change of {_names(about)}"
    return f"Who notices {change} from {names[0]} to {names[1]}?"


def kernels(about: Subject) -> tuple[str, ...]:
    """The names that people use for the kernels, one or two."""
    return short_labels(tuple(filter(None, (about.base, about.head))))


def verdict(notice: Notice) -> tuple[str, ...]:
    """The answer: how many applications notice it, and what it costs each."""
    by = {word: [application for application in notice.applications if application.verdict == word] for word in
          ("noticed", "below", "executed", "unexecuted", "unknown")}  # fmt: skip
    names = names_of(notice.applications)
    unknown = listed(list(map(names, by["unknown"])))
    unanswered = f"No answer for {unknown}." if unknown else ""
    return tuple(filter(None, (_count(by), _costs(by, names), _silent(by, names), unanswered)))


def _count(by: dict[str, list[Noticed]]) -> str:
    executing = len(by["noticed"]) + len(by["below"]) + len(by["executed"])
    answered = [application.application for word, each in by.items() if word != "unknown" for application in each]
    if not answered:
        return "No application has an answer."
    of = counted(len(answered), "application" if len(answered) == len(set(answered)) else "setting")
    if not executing:
        return f"Nobody of these: none of {of} executes the functions."
    if by["executed"]:
        return f"{executing} of {of} execute{'s' * (executing == 1)} the functions."
    part = f"{100 * NOTICED:g} % of all instructions or more"
    if not by["noticed"]:
        return (f"Nobody of these notices it ({part}): {executing} of {of} "
                f"execute{'s' * (executing == 1)} the functions.")  # fmt: skip
    count = len(by["noticed"])
    return f"{count} of {of} notice{'s' * (count == 1)} it ({part})."


def _costs(by: dict[str, list[Noticed]], names: Names) -> str:
    executing = [*by["noticed"], *by["below"]]
    if not executing:
        return ""
    parts = [f"{names(application)} {cost_share_text(application)}" for application in executing[:_NAMED]]
    more = len(executing) - len(parts)
    if more:
        rest = executing[_NAMED:]
        most = max(abs(share or 0) for application in rest for share in application.bounds or (application.share,))
        parts.append(f"{more} more at most {share_text(most).lstrip('+')}")
    return f"Of all their instructions it costs {listed(parts)}."


def _silent(by: dict[str, list[Noticed]], names: Names) -> str:
    silent = list(map(names, by["unexecuted"]))
    executing = sum(len(by[word]) for word in ("noticed", "below", "executed"))
    return f"{listed(silent)} {'does' if len(silent) == 1 else 'do'} not execute it." if silent and executing else ""


def looked_for(about: Subject) -> tuple[str, ...]:
    """Sentences on the functions that were looked for."""
    names = _names(about)
    if not about.workload:
        return (f"Looked for: {names}.",)
    assert about.base_value is not None and about.head_value is not None
    change = format_change(about.head_value / about.base_value - 1)
    text = f"The finding: {about.workload} executes {change} {about.unit}"
    explained = "" if about.explained is None else f", {100 * about.explained:.3g} % of it in {names}"
    reached = f"Reached by {entries_text(about.entries)}"
    way = f", through {' and '.join(about.callers)}" if about.callers else ""
    return f"{text}{explained}.", f"{reached}{way}."


def _names(about: Subject) -> str:
    return listed([function_text(function) for function in about.functions])


def function_text(function: SoughtFunction) -> str:
    """ "change_protection with what it calls"."""
    return f"{one_line(function.function)} {'with what it calls' if function.whole else 'itself'}"


def entry_name(entry: str) -> str:
    """The system call or fault; "entry and exit" for code of neither."""
    return one_line(entry) if entry else "entry and exit"


def entries_text(entries: Iterable[SoughtEntry]) -> str:
    """ "mprotect and execve"."""
    return listed([entry_name(entry.entry) for entry in entries]) or "nothing"


def shares_of_entries(entries: Sequence[SoughtEntry]) -> str:
    """ "mprotect 93 %, execve 7 %", by what the functions cost for each on the last kernel."""
    costs = [(entry_name(entry.entry), entry.head if entry.head is not None else entry.base or 0) for entry in entries]
    total = sum(cost for _, cost in costs)
    if not total:
        return "-"
    if len(costs) == 1:
        return costs[0][0]
    large = [f"{name} {100 * cost / total:.0f} %" for name, cost in costs if cost >= total / 100]
    return ", ".join(large)


def scale_of(application: Noticed) -> int:
    """For how many operations figures are shown: 1, 1000 ..., so that rare calls are not printed as 4e-05."""
    calls = max((f.base_calls or f.head_calls or 0 for f in application.functions), default=0)
    return next((scale for scale in _SCALES if calls * scale >= _LEAST), _SCALES[-1]) if calls else 1


_SCALES, _LEAST = (1, 1000, 1_000_000), 0.01


def per_text(application: Noticed) -> str:
    """ "start", "1 000 000 lines"."""
    scale, word = scale_of(application), application.unit.partition("/")[2]
    return word if scale == 1 else f"{format_number(scale)} {plural(word)}"


def sizes_text(notice: Notice) -> tuple[str, ...]:
    """For each kind of call that leads to the functions one sentence: how large it is in each application."""
    by_call: dict[str, list[str]] = {}
    names = names_of(notice.applications)
    for application in notice.applications:
        for size in relevant_sizes(application):
            text = f"{names(application)} {size.median}, {size.p90}, {size.largest}"
            by_call.setdefault(f"{size.what} ({'orders' if size.unit == 'order' else 'pages'})", []).append(text)
    legend = "median, 90 % up to, largest, as recorded in a further run"
    return tuple(f"Sizes of {name}, {legend}: {'; '.join(texts)}." for name, texts in by_call.items())


def relevant_sizes(application: Noticed) -> list[CallSizes]:
    """Sizes of the system calls that lead to the functions, and of the folios that faults allocate."""
    entries = {"folio order" if entry.entry == "page fault" else entry.entry for entry in application.entries}
    return [sizes for sizes in application.sizes if sizes.what in entries or sizes.what.partition(" ")[0] in entries]


def calls_text(application: Noticed) -> str:
    """Entries into the sought functions: "12", or "12 -> 24" where the kernels differ."""
    base, head = (
        scale_of(application) * sum(getattr(f, side) or 0 for f in application.functions)
        for side in ("base_calls", "head_calls")
    )
    if application.head_value is None or base == head:
        return format_number(base)
    return f"{format_number(base)} → {format_number(head)}"


def cost_text(application: Noticed, side: str) -> str:
    """Instructions of all sought functions on "base" or "head"; at most so many if their costs overlap."""
    text = format_number(scale_of(application) * sum(getattr(f, side) or 0 for f in application.functions))
    return f"up to {text}" if application.overlap else text


def problems(notice: Notice) -> list[str]:
    """The problems of applications and of their predictions, a line for each."""
    return [
        *(f"{a.application}: {a.problem}" for a in notice.applications if a.problem),
        *(f"{a.application}, time on {one.cpu}: {one.why}" for a in notice.applications for one in a.unpredicted),
    ]


def names_of(all_: Sequence[Noticed]) -> Names:
    """Name of each application, with its settings if it has several."""
    times = Counter(application.application for application in all_)

    def name(application: Noticed) -> str:
        several = times[application.application] > 1
        settings = f" {settings_text(application.settings)}" if several else ""
        return f"{application.application}{settings}"

    return name
