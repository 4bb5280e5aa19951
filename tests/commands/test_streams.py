# SPDX-License-Identifier: GPL-2.0-only
"""Standard streams that are closed, full, or have no reader any more: a command goes on and keeps its exit status."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # each starts a process

_COMMAND = """
import sys
import typer
import kassay.cli as cli
from kassay.commands._bisect_step import guarded
from kassay.commands._show import say, showing
from kassay.model.progress import Progress
def answer():
    with showing() as tell:
        tell(Progress(stage="run", subject="1/8"))
    say("answer\\n" * 4000)
    print("the end", file=sys.stderr)
    return 1
def run(step: bool = False):
    return guarded(answer) if step else answer()
app = typer.Typer()
app.command()(run)
cli.whole_parser = lambda: typer.main.get_command(app)
cli.main()
"""


def status(redirections: str, *words: str) -> tuple[int, str]:
    """Status of the command, and what it wrote on standard error."""
    line = f'"$@" {redirections}'
    ended = subprocess.run(("sh", "-c", line, "sh", sys.executable, "-c", _COMMAND, *words), capture_output=True,
                           env={**os.environ, "PYTHONUNBUFFERED": ""}, text=True, timeout=60)  # fmt: skip
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("redirections", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2>/dev/full", ""])
def test_a_stream_that_cannot_be_used_changes_no_status(redirections: str) -> None:
    ended, errors = status(redirections)
    assert (ended, "Traceback" in errors) == (1, False)


@pytest.mark.parametrize("words", [(), ("--step",)])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_ends_early_changes_no_status(stream: str, words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: write}
    ended = subprocess.run((sys.executable, "-c", _COMMAND, *words), **streams, text=True, timeout=60)  # type: ignore[call-overload]
    os.close(write)
    assert (ended.returncode, "Traceback" in (ended.stderr or "")) == (1, False)


def test_a_child_of_a_command_has_open_streams() -> None:
    code = "import os; from kassay.effects import streams; streams.set_up(); os.system('echo to; cat; echo end >&2')"
    line = '"$@" >&- <&-'
    ended = subprocess.run(("sh", "-c", line, "sh", sys.executable, "-c", code), stderr=subprocess.PIPE, timeout=60)
    assert ended.stderr == b"end\n"


def test_a_pipe_to_another_program_that_breaks_is_told() -> None:
    command = _COMMAND.replace("return 1", "raise BrokenPipeError(32, 'Broken pipe')")
    ended = subprocess.run((sys.executable, "-c", command), capture_output=True, text=True, timeout=60)
    assert ended.returncode == 141 and "to which kassay was writing has ended" in ended.stderr


def test_an_answer_that_cannot_be_written_is_an_error() -> None:
    ended, errors = status(">/dev/full")
    assert (ended, "the disk is full" in errors, "Traceback" in errors) == (3, True, False)
