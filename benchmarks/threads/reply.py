# SPDX-License-Identifier: GPL-2.0-only
"""A draft of the mail that answers a thread: its questions, each with the answer and the command that gives it."""

import re
from collections.abc import Mapping
from textwrap import fill

from benchmarks.threads.measure import Kept
from benchmarks.threads.pages import answer
from benchmarks.threads.questions import Question, Thread, runs_of
from kassay import __version__
from kassay.report.mail.text import ascii_text

WIDTH = 72
_START = """\
This replays the thread with kassay. Where an answer says nothing else, its kernels are Debian's, booted in an \
emulator, and its figures are instructions that were counted, not times. Simulated and predicted ones are named."""
_END = "The tables, their evidence and the other questions are in docs/results/threads/{name}.md of kassay."
_COMMANDS, _LONGEST = 2, 400
"""Commands that are shown of a question, and characters of one."""
_SEE = re.compile(r" \((?:question \d+|the table)\)")
"""References to other places of the page."""


def reply(thread: Thread, kept: Mapping[str, Kept]) -> str:
    """The mail as text: ASCII, 72 columns but for commands, which are not broken."""
    parts = [f"Subject: Re: {ascii_text(thread.subject)}", "Hi,", _paragraph(_START)]
    for question in thread.question:
        if question.top:
            parts += list(_answered(thread, question, kept))
    missing = [question.asked for question in thread.question if question.verdict == "not answered"]
    if missing:
        parts.append(_paragraph(f"Not answered, as what it takes is not at hand: {' '.join(missing)}"))
    parts += [_paragraph(_END.format(name=thread.name)), f"-- \nWritten by kassay {__version__}."]
    return "\n\n".join(parts) + "\n"


def _answered(thread: Thread, question: Question, kept: Mapping[str, Kept]) -> list[str]:
    who = "Not asked" if question.who == "not asked" else question.who
    shown = [thread.shown(run) for run in thread.run if run.name in runs_of(question)]
    short = [command for command in shown if len(command) <= _LONGEST]
    return [
        _paragraph(f"* {question.asked} ({who})"),
        *map(_paragraph, _SEE.sub("", answer(question, kept)).replace("`", "").split("\n\n")),
        *([_paragraph(f"Unit: {question.unit.replace('`', '')}.")] if question.unit else []),
        *(["\n".join(f"  {command.partition(' --out ')[0]}" for command in short[:_COMMANDS])] if short else []),
    ]


def _paragraph(text: str) -> str:
    return fill(ascii_text(text), WIDTH, break_long_words=False, break_on_hyphens=False)
