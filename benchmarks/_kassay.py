# SPDX-License-Identifier: GPL-2.0-only
"""Runs kassay as its users do, as a process of its own."""

import json
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """Output of one command."""

    status: int
    text: str
    errors: str
    answered_s: float
    """Wall seconds until its first output."""
    ended_s: float
    """Wall seconds until it ended."""

    def json(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.text)
        return parsed


def argv(*words: str) -> list[str]:
    """kassay's command line, from the interpreter that runs this."""
    return [sys.executable, "-c", "from kassay.cli import main; main()", *words]


def kassay(*words: str) -> Answer:
    """One command, waited for. answered_s: until the first byte of the answer."""
    started = time.monotonic()
    with (
        tempfile.TemporaryFile("w+") as errors,  # no pipe: progress of an hour would fill it
        subprocess.Popen(argv(*words), stdout=subprocess.PIPE, stderr=errors, text=True) as child,
    ):
        assert child.stdout is not None
        first = child.stdout.read(1)
        answered = time.monotonic() - started
        text = first + child.stdout.read()
        child.wait()
        errors.seek(0)
        return Answer(child.returncode, text, errors.read(), answered, time.monotonic() - started)
