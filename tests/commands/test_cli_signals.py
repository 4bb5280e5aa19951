# SPDX-License-Identifier: GPL-2.0-only
"""A command that is told to end takes with it what it started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_COMMAND = """
import subprocess, sys, time
import typer
import kassay.cli as cli
from kassay.effects import process
def run():
    child = process.start(("sleep", "60"), out=subprocess.DEVNULL, err=subprocess.DEVNULL)
    try:
        print(child.pid, flush=True)
        for _ in range(6000):  # short ones: a signal just before a sleep does not end it
            time.sleep(0.01)
    finally:
        process.end(child)
app = typer.Typer()
app.command()(run)
cli.whole_parser = lambda: typer.main.get_command(app)
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_children_and_says_how_to_go_on(number: signal.Signals) -> None:
    # As in a terminal: what runs the tests may ignore the signal, and that is inherited.
    argv = ("env", f"--default-signal={number.name}", sys.executable, "-c", _COMMAND)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        started = int(child.stdout.readline())
        os.kill(child.pid, number)
        _, errors = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "the same command resumes" in errors
    for _ in range(100):
        if not Path(f"/proc/{started}").exists():
            return
        time.sleep(0.05)
    raise AssertionError("what it started is still there")


@pytest.mark.slow
def test_what_nohup_protects_goes_on() -> None:
    code = _COMMAND.replace('("sleep", "60")', '("sleep", "1")').replace("range(6000)", "range(100)")
    argv = ("nohup", sys.executable, "-c", code)
    with subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        os.kill(child.pid, signal.SIGHUP)
        assert child.wait(timeout=30) == 0
