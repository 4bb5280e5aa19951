# SPDX-License-Identifier: GPL-2.0-only
"""One measured directory that all boot tests ask their questions of.

A boot takes some seconds of a core. Where it is not what a test is about, the test restores a snapshot (RESTORED): only
the first of all tests that ask for a kernel and a workload boots it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kassay import pipeline
from kassay.commands._exit import Passing
from kassay.commands._experiment import experiment_in
from kassay.effects.lock import locked
from kassay.model.progress import silent
from kassay.report.formats.json import render

OLD, NEW = "debian:6.12", "debian:6.17"
QUICK = ("--set", "size=2MiB", "--rounds", "8")
RESTORED = (*QUICK, "--boot", "snapshot")
ONCE = ("--repeats", "1", "--perturb", "0", "--format", "json")
LADDER = ("ladder", "mprotect_toggle", OLD, "debian:6.16", NEW, *QUICK, "--perturb", "1")


class Ran(NamedTuple):
    """An ended kassay."""

    status: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed


Kassay = Callable[..., Ran]


def command(*words: str) -> list[str]:
    """kassay's argv, from the interpreter that runs the tests."""
    return [sys.executable, "-c", "from kassay.cli import main; main()", *words]


def measured(text: str, directory: Path) -> None:
    """Makes the runs of an experiment file in this process."""
    spec = directory.with_suffix(".toml")
    spec.write_text(text)
    pipeline.measure(experiment_in(spec, Passing(False, ()), ""), directory, silent)


def answered(text: str, directory: Path) -> dict[str, Any]:
    """Report of an experiment file as `kassay run --format json` prints it. No process starts, no page is drawn."""
    measured(text, directory)
    report: dict[str, Any] = json.loads(render(pipeline.answer(directory)))
    return report


@pytest.fixture(scope="session")
def kassay() -> Kassay:
    def run(*words: str, **options: Any) -> Ran:
        done = subprocess.run(command(*words), capture_output=True, text=True, timeout=600, **options)
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def ladder(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mprotect_toggle on 6.12, 6.16 and 6.17: two plain and one perturbed run each."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    directory = shared / "ladder"
    with locked(shared / "ladder.lock"):  # the first process measures it, for all others
        if not directory.exists():
            ran = kassay(*LADDER, "--out", str(directory))
            assert ran.status == 0, ran.err
    return directory


@pytest.fixture(scope="session")
def ladder_report(kassay: Kassay, ladder: Path) -> dict[str, Any]:
    """Report of the ladder as `kassay report` prints it; not to be changed."""
    return kassay("report", str(ladder), "--format", "json").json()
