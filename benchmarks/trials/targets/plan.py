# SPDX-License-Identifier: GPL-2.0-only
"""plan.json of a run directory."""

from collections.abc import Iterator
from pathlib import Path

from tests.history.directories import plan_with

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import written
from kassay.journal.directory import open_directory
from kassay.model.records import to_json


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield to_json(plan_with(("6.12.1", "6.17.1")))
    if made is not None:
        yield (made / "plan.json").read_bytes()


def _run(data: bytes) -> None:
    open_directory(written("run/plan.json", data).parent).pinned_spec()


TARGET = Target("plans", _seeds, _run)
