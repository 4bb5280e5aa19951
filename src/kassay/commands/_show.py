# SPDX-License-Identifier: GPL-2.0-only
"""Output: answers on stdout, progress on stderr (drawn live on a terminal, else plain lines).

Quick to import: rich is loaded when the first event is drawn, report code when there is a report.
"""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeVar

from kassay.commands._live import key_of, live
from kassay.effects import clock, terminal
from kassay.effects.compiling import reporting_compilations

if TYPE_CHECKING:
    from pathlib import Path

    from kassay.commands import Again
    from kassay.model.progress import Progress, Tell
    from kassay.model.texts import Table
    from kassay.report.answer_form import Form, Given
    from kassay.report.answers import Kind
    from kassay.report.columns import ScreenLine

A = TypeVar("A")
_PLAIN_EVERY_S = 2.0
_SILENCE_S = 30.0
"""A log without a line for so long says that kassay still works."""
_UNLIMITED = 100_000
_drawn: "list[Tell]" = []  # at most one: a showing() inside another one shares it
_UNSHOWN = dict.fromkeys((7, 8, 11, 12, 13))  # control characters that ring the bell or move the cursor


def say(text: str, *, error: bool = False) -> None:
    """Writes text to stdout (error: to stderr) unchanged: no markup, no wrapping."""
    stream = sys.stderr if error else sys.stdout
    stream.write(text.translate(_UNSHOWN))
    stream.flush()


def say_lines(lines: "Iterable[ScreenLine]") -> None:
    """Writes lines to stdout, in their styles where it is a terminal."""
    coloured = terminal.in_colours(sys.stdout)
    say("".join(terminal.styled(line.text.rstrip(), line.style if coloured else "") + "\n" for line in lines))


def say_answer(answer: A, form: "Form[A]", given: "Given | None" = None) -> None:
    """Writes an answer in one form, in its styles where stdout is a terminal. given: for the options of the form."""
    if form.screen is not None:
        say_lines(form.screen(answer))
    else:
        say(form.render(answer, given) if given else form.render(answer))


def keep_answer(answer: A, kind: "Kind[A]", directory: "Path", name: str = "report") -> None:
    """Writes an answer into a directory in every format: report.html, report.json ..."""
    from kassay.effects.files import write_atomic

    for form in kind.forms():
        write_atomic(directory / f"{name}{form.suffix}", form.render(answer).encode())


def give_answer(answer: A, kind: "Kind[A]", form: "Form[A]", out: "Path | None") -> None:
    """Writes an answer into `out`, if that is named, in every format, and shows it in one."""
    if out is not None:
        keep_answer(answer, kind, out)
    say_answer(answer, form)
    if out is not None and form.screen is not None:  # another form may be read by a program
        say(f"report: {out / 'report.html'}\n")


def say_kept(kind: "Kind[A]", name: str, record: type[A], again: "Again") -> A:
    """Shows the answer that keep_answer() wrote, in another format. Raises BadInput."""
    from kassay.errors import BadInput
    from kassay.model.records import from_json

    path = again.directory / f"{name}.json"
    form = kind.form(again.format_)
    try:
        answer = from_json(path.read_bytes(), record)
    except ValueError as error:
        raise BadInput(f"{path}: {error}", "repeat the command that wrote it") from error
    say_answer(answer, form, again.given)
    return answer


def say_table(table: "Table") -> None:
    """Writes a table to stdout; names are shortened where the terminal is narrow, never in a file or a pipe."""
    from kassay.report.columns import ScreenLine, aligned, room_for_names

    width = max(60, terminal.columns()) if terminal.is_terminal(sys.stdout) else _UNLIMITED
    say_lines([ScreenLine(table.title, "bold"), *aligned(table, width, room_for_names(table, width))])


@contextmanager
def showing() -> "Iterator[Tell]":
    """A Tell that shows events until the block ends; safe to call from several threads. Inside another
    showing() it is the Tell of that one."""
    with ExitStack() as drawn:
        if _drawn:
            tell = _drawn[0]
        else:
            tell = live(drawn) if terminal.is_terminal(sys.stderr) else _plain(drawn)
            _drawn.append(tell)
            drawn.callback(_drawn.clear)
        drawn.enter_context(reporting_compilations(tell))
        yield tell


def _plain(drawn: ExitStack) -> "Tell":
    started, last = clock.monotonic_s(), dict[str, float]()
    shown = dict[str, str]()
    lock, ended = threading.Lock(), threading.Event()
    drawn.callback(ended.set)

    def watch() -> None:
        while not ended.wait(_SILENCE_S / 10):
            with lock:
                silent = clock.monotonic_s() - max((started, *last.values()))
                if silent >= _SILENCE_S:
                    say(f"still working, {clock.monotonic_s() - started:.0f} s\n", error=True)
                    last[""] = clock.monotonic_s()

    def tell(event: "Progress") -> None:
        key = key_of(event)
        now = clock.monotonic_s()
        with lock:
            done = "" if event.done is None else f" {event.done:.0%}"
            line = f"{event.stage}: {event.subject}{done} {event.text}".rstrip() + "\n"
            soon = now - last.get(key, -_PLAIN_EVERY_S) < _PLAIN_EVERY_S
            is_repeated = bool(done) and shown.get(key) == line
            if event.passing or is_repeated or (soon and event.done not in (None, 1.0)):
                return
            last[key], shown[key] = now, line
            say(line, error=True)

    threading.Thread(target=watch, daemon=True).start()
    return tell
