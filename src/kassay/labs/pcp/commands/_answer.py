# SPDX-License-Identifier: GPL-2.0-only
"""The end of the commands that compute an answer: it is kept where a directory was named, and shown."""

from pathlib import Path
from typing import TypeVar

from kassay.commands._show import keep_answer, say, say_answer
from kassay.report.answer_form import Form
from kassay.report.answers import Kind

A = TypeVar("A")


def give(answer: A, kind: Kind[A], form: Form[A], out: Path | None) -> None:
    """Writes the answer into `out` in every format, and shows it in one."""
    if out is not None:
        keep_answer(answer, kind, out)
    say_answer(answer, form)
    if out is not None and form.screen is not None:  # another form may be read by a program
        say(f"report: {out / 'report.html'}\n")
