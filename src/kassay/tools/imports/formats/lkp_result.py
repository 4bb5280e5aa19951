# SPDX-License-Identifier: GPL-2.0-only
"""LKP result directories: <test>.json of one run, matrix.json of one run or of all runs of a commit.

result/testcase/parameters/tbox_group/rootfs/kconfig/compiler/commit/run/ is where LKP stores them.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import msgspec

from kassay.errors import BadInput
from kassay.model.samples import ImportedKernel, Sample, SampleSeries
from kassay.tools.imports.importer import (
    FileRow,
    Given,
    Importer,
    Reading,
    kernel_of,
    merged_kernels,
    series_of,
    settings_of,
)
from kassay.tools.imports.json_at import At, json_of, opens_object
from kassay.tools.imports.lkp_keys import headline_of, metric_of
from kassay.tools.imports.text import not_negative

_AXES = ("testcase", "parameters", "tbox_group", "rootfs", "kconfig", "compiler", "commit")
_RUN = re.compile(r"\d{1,6}")
_MATRIX = ("matrix.json", "matrix.json.gz")
_ROOT = "result"


class Where(NamedTuple):
    """Facts about a file that its path tells."""

    axes: dict[str, str]
    """Axes from a path with LKP's whole layout, below a directory named result. Other paths give the commit alone, or
    nothing."""
    run: str | None
    """Name of the run's directory; None for the file that holds all runs of a commit."""

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
        files = [matrix] if matrix is not None else _benchmark_files(directory)
    # The matrix in a compiler's directory mixes the last hundred runs of all commits; these have their own files below.
    else:
        files = [matrix] if matrix is not None and all(_RUN.fullmatch(child.name) for child in children) else []
    return tuple(files) or tuple(file for child in children for file in result_files(child))


def _benchmark_files(run: Path) -> list[Path]:
    """<testcase>.json of one run; where the layout does not tell the test case, the only JSON that is no summary."""
    testcase = where(run / "x").axes.get("testcase")
    files = sorted([*run.glob("*.json"), *run.glob("*.json.gz")])
    if testcase is not None:
        return [file for file in files if file.name.split(".json")[0] == testcase][:1]
    others = [file for file in files if file.name.split(".json")[0] not in ("stats", "avg", "stddev", "job")]
    return others[:1] if len(others) == 1 else []


_FIRST_KEY = re.compile(rb'^\s*\{\s*("stats_source"\s*:|"[A-Za-z0-9_-]+\.[^"\n]+"\s*:\s*\[)')
_SUMS = re.compile(r"(perf-stat\.(ps|total|overall)|time)\..*")
_EVENTS = re.compile(r"(proc-vmstat\.(pg|numa_|thp_|compact_)|interrupts\.|softirqs?\.).*")
_INCOMPLETE = "last_state.is_incomplete_run"
_HEX = re.compile(r"[0-9a-f]{12,40}")
_FIXED = ("testcase", "commit", "compiler")


def _recognise(given: Given) -> bool:
    return opens_object(given) and _FIRST_KEY.match(given.data[:65536]) is not None


def _read(givens: tuple[Given, ...]) -> Reading:
    rows: list[FileRow] = []
    kernels: list[tuple[ImportedKernel, str]] = []
    notes: dict[str, None] = {}
    origins = [where(given.path) for given in givens]
    varying = _varying(origin.axes for origin in origins)
    for given, origin in zip(givens, origins, strict=True):
        kernel = _kernel(given, origin)
        kernels.append((kernel, given.location))
        rows += _rows(given, origin, kernel.label, varying, notes)
    notes["LKP fills a missing value with 0; a 0 in these series may be an absent value"] = None
    merged = merged_kernels(kernels)
    return Reading(
        format="LKP result", kernels=merged, series=_with_primary(series_of(rows)), replication="unknown",
        machine=", ".join(dict.fromkeys(origin.axes["tbox_group"] for origin in origins if "tbox_group" in origin.axes))
        or "unknown", notes=tuple(notes), order_doubt=_doubt(givens, len(merged)),
    )  # fmt: skip


def _doubt(givens: tuple[Given, ...], kernels: int) -> str:
    """Commits found below one directory come in the order of their names, which says nothing about their age."""
    if kernels > 1 and any(given.kernel is None for given in givens):
        return "a result directory does not tell which commit is the base"
    return ""


def _varying(all_axes: Iterable[dict[str, str]]) -> tuple[str, ...]:
    """Axes that make a setting: the parameters always, the others where the files differ in them."""
    values_of: dict[str, set[str]] = {}
    for axes in all_axes:
        for name, value in axes.items():
            values_of.setdefault(name, set()).add(value)
    return tuple(name for name, values in values_of.items()
                 if name == "parameters" or (len(values) > 1 and name not in _FIXED))  # fmt: skip


def _kernel(given: Given, origin: Where) -> ImportedKernel:
    commit = origin.commit
    label = kernel_of(given, commit[:10] if commit and _HEX.fullmatch(commit) else commit, "a path outside of result/")
    return ImportedKernel(label=label, compiler=origin.axes.get("compiler"),
                          commit=commit if commit and _HEX.fullmatch(commit) else None,
                          named_by=f"the path of {given.name}")  # fmt: skip


def _rows(given: Given, origin: Where, label: str, varying: tuple[str, ...], notes: dict[str, None]) -> list[FileRow]:
    fields = json_of(given).fields()
    sources = fields.pop("stats_source", None)
    of_runs = sources is not None or (origin.run is None and given.path.name.startswith("matrix.json"))
    broken = [bool(value.value) for value in fields[_INCOMPLETE].items()] if _INCOMPLETE in fields else []
    settings = settings_of({name: origin.axes.get(name, "") for name in varying})
    workload = origin.axes.get("testcase") or _testcase(given, list(fields))
    rows: list[FileRow] = []
    skipped = 0
    for key, member in fields.items():
        numbers = _numbers(member)
        if numbers is None:
            skipped += 1
        elif key != _INCOMPLETE:
            samples = _columns(numbers, broken, given) if of_runs else [_run(key, numbers, broken, given, origin)]
            rows += [FileRow(kernel=label, workload=workload, metric=metric_of(key), sample=sample, settings=settings,
                             location=f"{given.location}: {key}") for sample in samples]  # fmt: skip
    if skipped:
        notes[f"{given.name}: {skipped} keys hold text, and are left out"] = None
    if not rows:
        raise BadInput(f"{given.location}: no numbers", "give <test>.json or matrix.json of a finished run")
    return rows


def _testcase(given: Given, keys: list[str]) -> str:
    """The file's name where its keys begin with it; else what the keys begin with, as the file may be renamed."""
    name = given.path.name.split(".json")[0]
    if any(key.startswith(f"{name}.") for key in keys):
        return name
    prefix = next((key.removesuffix(".workload") for key in keys if key.endswith(".workload")), "")
    return prefix or next((key.split(".")[0] for key in keys), name)


def _numbers(member: At) -> list[float] | None:
    """The list's numbers; None when it holds text."""
    values = list(member.items())
    if not values:
        raise BadInput(f"{member.location}: an empty list", "it is damaged; remove the key")
    if all(isinstance(value.value, str) for value in values):
        return None
    return [value.number() for value in values]


def _columns(numbers: list[float], broken: list[bool], given: Given) -> list[Sample]:
    """One sample for each run of a matrix."""
    return [
        Sample(value=None, run=f"{given.name}[{i}]", detail="LKP: incomplete run")
        if i < len(broken) and broken[i] else Sample(value=number, run=f"{given.name}[{i}]")
        for i, number in enumerate(numbers)
    ]  # fmt: skip


def _run(key: str, numbers: list[float], broken: list[bool], given: Given, origin: Where) -> Sample:
    """One run's values over its intervals, as one value by LKP's own rules."""
    run = origin.run or given.name
    if any(broken):
        return Sample(value=None, run=run, detail="LKP: incomplete run")
    if len(numbers) == 1:
        return Sample(value=numbers[0], run=run)
    if _SUMS.fullmatch(key):
        return Sample(value=sum(numbers), run=run)
    if _EVENTS.fullmatch(key):
        return Sample(value=numbers[-1] - numbers[0], run=run)
    return Sample(value=mean(numbers), run=run)


def _with_primary(series: tuple[SampleSeries, ...]) -> tuple[SampleSeries, ...]:
    """Marks the headline of each test case. Raises BadInput when it is negative: kernels are compared by ratio."""
    heads = {name: headline_of([s.metric for s in series if s.workload == name], name)
             for name in {s.workload for s in series}}  # fmt: skip
    marked = []
    for s in series:
        primary = s.metric == heads[s.workload]
        for sample in s.samples if primary else ():
            not_negative(sample.value or 0.0, f"{sample.run}: {s.metric}")
        marked.append(msgspec.structs.replace(s, primary=primary))
    return tuple(marked)


IMPORTER = Importer(
    name="lkp_result", title="LKP result: <test>.json, matrix.json, or a directory of them", recognise=_recognise,
    read=_read, below=result_files,
)  # fmt: skip
