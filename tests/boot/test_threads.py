# SPDX-License-Identifier: GPL-2.0-only
"""One cheap run of each replayed thread gives the figures that its page has."""

from pathlib import Path

import pytest
from benchmarks.threads.measure import measure, stored
from benchmarks.threads.questions import load, names
from msgspec import structs

pytestmark = pytest.mark.boot
BOOTED = ("pageout",)
"""Threads whose figure is another one on a restored machine."""


@pytest.mark.parametrize("name", names())
def test_cheap_run_gives_the_stored_figures(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = load(name)
    run = next(run for run in thread.run if run.test)
    monkeypatch.chdir(tmp_path)
    known = stored(thread)[run.name].figures
    boot = "short" if name in BOOTED else "snapshot"
    cheap = structs.replace(run, command=f"{run.command} --boot {boot} --perturb 0 --profile none")
    measured = measure(thread, cheap).figures
    assert known and measured == pytest.approx(known, rel=0.02, abs=0.002)  # kernels of the archive get updates
