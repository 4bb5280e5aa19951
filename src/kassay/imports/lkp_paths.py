# SPDX-License-Identifier: GPL-2.0-only
"""Where LKP stores results, and what a path tells.

result/testcase/parameters/tbox_group/rootfs/kconfig/compiler/commit/run/
"""

import re
from pathlib import Path
from typing import NamedTuple

_AXES = ("testcase", "parameters", "tbox_group", "rootfs", "kconfig", "compiler", "commit")
_RUN = re.compile(r"\d{1,2}")
_MATRIX = ("matrix.json", "matrix.json.gz")
_ROOT = "result"


class Where(NamedTuple):
    """What a path tells. run: None for the file that holds all runs of a commit. axes: only for a path whose whole
    layout is there, below a directory named result; else empty, or the commit alone."""

    axes: dict[str, str]
    run: str | None

    @property
    def commit(self) -> str | None:
        return self.axes.get("commit")


def where(path: Path) -> Where:
    """Axes and run of one result file."""
    parts = path.parts[:-1]
    run = parts[-1] if parts and _RUN.fullmatch(parts[-1]) else None
    above = parts[:-1] if run is not None else parts
    if len(above) > len(_AXES) and above[-len(_AXES) - 1] == _ROOT:
        return Where(dict(zip(_AXES, above[-len(_AXES) :], strict=True)), run)
    known = run is not None or path.name in _MATRIX
    return Where({"commit": above[-1]} if known and above and above[-1] != "/" else {}, run)


def result_files(directory: Path) -> tuple[Path, ...]:
    """The files to read below a directory: for each commit its matrix, else one file for each run."""
    children = sorted(child for child in directory.iterdir() if child.is_dir() and not child.is_symlink())
    matrix = next((directory / name for name in _MATRIX if (directory / name).is_file()), None)
    if _RUN.fullmatch(directory.name):
        found = [matrix] if matrix is not None else _benchmark_files(directory)
    # A compiler's own matrix mixes its last hundred runs of all commits; those are below it again.
    else:
        found = [matrix] if matrix is not None and all(_RUN.fullmatch(child.name) for child in children) else []
    return tuple(found) or tuple(file for child in children for file in result_files(child))


def _benchmark_files(run: Path) -> list[Path]:
    """<testcase>.json of one run; where the layout does not tell the test case, the only JSON that is no summary."""
    testcase = where(run / "x").axes.get("testcase")
    files = sorted([*run.glob("*.json"), *run.glob("*.json.gz")])
    if testcase is not None:
        return [file for file in files if file.name.split(".json")[0] == testcase][:1]
    others = [file for file in files if file.name.split(".json")[0] not in ("stats", "avg", "stddev", "job")]
    return others[:1] if len(others) == 1 else []
