# SPDX-License-Identifier: GPL-2.0-only
"""The target of one import format."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import cut, files
from kassay.tools.imports.importer import Given, Importer
from kassay.tools.imports.read import importers


def imported(format_name: str, *patterns: str, kernel: str | None = "a", longest: int = 1 << 15) -> Target:
    """patterns: real files of the format below tests/data. kernel: None where the file itself names its kernels."""

    @cache
    def importer() -> Importer:
        return importers()[format_name]

    def seeds(made: Path | None) -> Iterator[bytes]:
        return cut(files(*patterns), longest)

    def run(data: bytes) -> None:
        file = Given(location="f", name="f_processes.txt", path=Path("/r/f"), raw=data, data=data, kernel=kernel)
        importer().recognise(file)
        importer().read((file,))

    return Target(f"imports: {importer().title}", seeds, run, longest=longest)
