# SPDX-License-Identifier: GPL-2.0-only
"""One measured directory that all boot tests ask their questions of.

A boot takes some seconds of a core. Where it is not what a test is about, the test restores a snapshot (RESTORED): only
the first of all tests that ask for a kernel and a workload boots it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from kassay import pipeline
from kassay.commands._exit import Passing
from kassay.commands._experiment import experiment_in
from kassay.effects.files import cache_directory
from kassay.effects.lock import locked
from kassay.model.progress import silent
from kassay.report.formats.json import render

OLD, NEW = "debian:6.12", "debian:6.17"
QUICK = ("--set", "size=2MiB", "--rounds", "8")
RESTORED = (*QUICK, "--boot", "snapshot")
ONCE = ("--repeats", "1", "--perturb", "0", "--format", "json")
NONE = MappingProxyType[str, object]({})
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


def toml(value: object) -> str:
    """A value as TOML; a table is an inline one."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(entry)}" for name, entry in value.items()) + " }"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def restored(workload: str, *kernels: object, settings: Mapping[str, object] = NONE, **keys: object) -> str:
    """An experiment file: one plain run of each kernel, restored from a snapshot. One kernel is compared with nothing.

    keys: further keys of the file, or other values of those that it has; None leaves one out.
    """
    usual = {"question": "compare" if kernels[1:] else "value", "boot": "snapshot", "repeats": 1, "perturb": 0}
    measured = {"kernels": list(kernels), "workloads": [{"name": workload, "set": dict(settings)}]}
    wanted = {**usual, "rounds": 4, **measured, **keys}
    return "".join(f"{name} = {toml(value)}\n" for name, value in wanted.items() if value is not None)


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


def share_snapshots(own: Path) -> None:
    """Puts the snapshots of the tests' cache into another one, for a test that is not about boots."""
    shared = cache_directory() / "snapshots"
    shared.mkdir(parents=True, exist_ok=True)
    (own / "snapshots").symlink_to(shared)


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
