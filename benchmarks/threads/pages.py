# SPDX-License-Identifier: GPL-2.0-only
"""Writes the pages of the threads from their questions and from the figures that were kept."""

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks._pages import narrow
from benchmarks.threads.measure import Kept
from benchmarks.threads.questions import Question, Table, Thread, cell, runs_of
from benchmarks.threads.select import Figure, compute

PAGES = Path("docs/results/threads")

_LICENCE = "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
_MADE = "<!-- `make threads` writes this page. Edit benchmarks/threads instead. -->"
_START = """\
# Five threads of linux-mm, replayed

Look up here what was asked in five mail threads, what kassay answers, and by which command. Each page has the questions
of one thread in their order, with the evidence. `make threads` makes every figure again, and
`python -m benchmarks.threads --list` shows what that costs.
"""
_MEANING = """\
*confirms*: the replay finds what the thread says. *corrects*: it finds something else. *goes beyond*: it answers what
the thread leaves open. *not answered*: what it takes is not at hand, and the row says what.
"""
_TERMS = """\
## Words

- kassay's lab configuration: `config=lab`, a small configuration of kassay's own, without guest support. Threads call
  their own kernels lab kernels, which are others.
- Evidence is *exact* if repeats agree to the digit and runs that were disturbed on purpose (*perturbed*) bear the
  verdict, too. It is *partial* if one of these is missing.
- `n` counts the runs of the first and of the second kernel, perturbed ones included.
- The matrix of stock kernels has every workload on every kernel of Debian that could be had. It is stored in kassay's
  history, with the cost of each function with all that it calls.
"""


def figures_of(question: Question, kept: Mapping[str, Kept]) -> dict[str, Figure]:
    """Figures of a question by name."""
    found: dict[str, Figure] = {}
    for name, text in question.figures.items():
        found[name] = compute(text[1:], found) if text.startswith("=") else _kept(text, kept)
    return found


def holds(question: Question, kept: Mapping[str, Kept]) -> bool:
    """True if the figures still bear the answer's verdict."""
    return bool(compute(question.holds, figures_of(question, kept)))


def page(thread: Thread, kept: Mapping[str, Kept]) -> str:
    """The page of one thread."""
    commands = {run.name: f"{thread.shown(run)}    # {run.seconds} s" for run in thread.run}
    parts = [
        f"{_LICENCE}\n{_MADE}\n\n# {thread.subject}\n",
        f"This page has the questions of this thread and kassay's answers. The thread is by {thread.people}, "
        f"{thread.dates}. [reply-{thread.name}.txt](reply-{thread.name}.txt) is a draft of an answer to it, and "
        f"[mail-{thread.name}.txt](mail-{thread.name}.txt) one of a report. "
        f"[All threads](README.md) has what the words mean.\n",
    ]
    for number, question in enumerate(thread.question, 1):
        parts.append(f"## Question {number}\n\n> {question.asked} ({question.who})\n")
        parts.append(f"**{question.verdict.capitalize()}.** {answer(question, kept)}\n")
        if question.table is not None:
            parts.append(table(question.table, question, kept) + "\n")
        shown = [commands[run] for run in runs_of(question)]
        if shown:
            parts.append(_evidence(question, kept) + "```\n" + "\n".join(shown) + "\n```\n")
        if question.read:
            parts.append(_more(question.read) + "\n")
    return narrow("\n".join(parts))


def index(threads: list[Thread], kept: Mapping[str, Mapping[str, Kept]]) -> str:
    """The page of all threads."""
    parts = [f"{_LICENCE}\n{_MADE}\n\n{_START}", "## Where a replay corrects or sharpens what the thread says\n"]
    tops = [
        f"- **{thread.name}**: *{question.asked}* {_first(question, kept[thread.name], 2)} "
        f"([question {number}]({_link(thread, number)}))"
        for thread in threads
        for number, question in enumerate(thread.question, 1)
        if question.top
    ]
    parts += ["\n".join(tops) + "\n", "## Asked and answered\n", _MEANING, _TERMS]
    for thread in threads:
        parts.append(f"### {thread.subject}\n\n[The page of this thread]({thread.name}.md) has the evidence.\n")
        lines = ["| | asked | raised by | | answer |", "| ---: | --- | --- | --- | --- |"]
        for number, question in enumerate(thread.question, 1):
            cells = [
                f"[{number}]({_link(thread, number)})",
                question.asked,
                question.who,
                question.verdict,
                answer(question, kept[thread.name]).replace("\n\n", " ")
                if question.verdict == "not answered"
                else _first(question, kept[thread.name], 1),
            ]
            lines.append("| " + " | ".join(text.replace("|", "\\|") for text in cells) + " |")
        parts.append("\n".join(lines) + "\n")
    return narrow("\n".join(parts))


def table(shape: Table, question: Question, kept: Mapping[str, Kept]) -> str:
    """A Markdown table."""
    figures = figures_of(question, kept)
    lines = [[_words(text, figures) for text in line] for line in shape.lines]
    form = shape.form if shape.more else "{0:" + shape.form + "}"
    for row in shape.rows:
        cells = [[_kept(path, kept) for path in cell(shape, row, column)] for column in shape.columns]
        written = [_words(form, {}, *values) for values in cells]
        lines.append([row[0], *written, *(_change(cells[old][0], cells[new][0]) for old, new in shape.changes)])
    rule = ["---", *(["---:"] * (len(shape.head) - 1))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [shape.head, rule, *lines])


def _change(old: Figure, new: Figure) -> str:
    return _words("{0:+.1%}", {}, compute("new / old - 1", {"old": old, "new": new}))


def answer(question: Question, kept: Mapping[str, Kept]) -> str:
    """The answer with its figures; an empty line parts its paragraphs."""
    return _words(question.answer, figures_of(question, kept))


def _first(question: Question, kept: Mapping[str, Kept], count: int) -> str:
    """The first sentences of an answer."""
    return " ".join(re.split(r"(?<=[.!?])\s+(?=[A-Z`])", answer(question, kept))[:count])


def _words(text: str, figures: Mapping[str, Figure], *values: Figure) -> str:
    written = re.sub(r"(\d)%", r"\1 %", text.format(*values, **figures))
    return re.sub(r"(?<!\n)\n(?!\n)", " ", written).strip()


def _kept(text: str, kept: Mapping[str, Kept]) -> Figure:
    run, _, path = text.partition(": ")
    if run not in kept or path not in kept[run].figures:
        raise KeyError(f"{text}: not measured; run `make threads`")
    return kept[run].figures[path]


def _evidence(question: Question, kept: Mapping[str, Kept]) -> str:
    lines = [f"- `{run}`: {kept[run].evidence}" for run in runs_of(question) if run in kept and kept[run].evidence]
    unit = [f"Unit: {question.unit}."] if question.unit else []
    parts = [*unit, *(["Evidence:"] if lines else [])]
    return "\n\n".join([part for part in (" ".join(parts), "\n".join(lines)) if part] + [""])


def _more(read: str) -> str:
    target, _, words = read.partition(" ")
    return f"More: [{words}](../{target})."


def _link(thread: Thread, number: int) -> str:
    return f"{thread.name}.md#question-{number}"
