# SPDX-License-Identifier: GPL-2.0-only
"""samples.json of an import."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import DATA, written
from kassay.model.records import to_json
from kassay.tools.imports.read import read
from kassay.tools.imports.store import load


def _seeds(made: Path | None) -> Iterator[bytes]:
    words = [f"{kernel}={DATA / 'imports' / f'pyperf-{kernel}.json'}" for kernel in ("a", "b")]
    yield to_json(read(words, name="x")[0])
    yield to_json(read([str(DATA / "imports" / "plain.csv")], name="x")[0])


def _run(data: bytes) -> None:
    load(written("import/samples.json", data).parent)


TARGET = Target("imports that were stored", _seeds, _run)
