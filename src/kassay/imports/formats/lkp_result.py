# SPDX-License-Identifier: GPL-2.0-only
"""LKP result directories: <test>.json of one run, matrix.json of one run or of all runs of a commit."""

import re
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import msgspec

from kassay.errors import BadInput
from kassay.imports.figures import not_negative
from kassay.imports.importer import Given, Importer, Reading
from kassay.imports.json_at import At, json_of, opens_object
from kassay.imports.lkp_keys import headline_of, metric_of
from kassay.imports.lkp_paths import Where, result_files, where
from kassay.imports.rows import FileRow, kernel_of, merged_kernels, series_of, settings_of
from kassay.model.samples import ImportedKernel, Sample, SampleSeries

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
    places = [where(given.path) for given in givens]
    varying = _varying(place.axes for place in places)
    for given, place in zip(givens, places, strict=True):
        kernel = _kernel(given, place)
        kernels.append((kernel, given.place))
        rows += _rows(given, place, kernel.label, varying, notes)
    notes["LKP fills a missing value with 0; a 0 in these series may be an absent value"] = None
    merged = merged_kernels(kernels)
    return Reading(
        format="LKP result", kernels=merged, series=_with_primary(series_of(rows)), replication="unknown",
        machine=", ".join(dict.fromkeys(place.axes["tbox_group"] for place in places if "tbox_group" in place.axes))
        or "unknown", notes=tuple(notes), order_doubt=_doubt(givens, len(merged)),
    )  # fmt: skip


def _doubt(givens: tuple[Given, ...], kernels: int) -> str:
    """Commits found below one directory come in the order of their names, which says nothing about their age."""
    if kernels > 1 and any(given.kernel is None for given in givens):
        return "a result directory does not tell which commit is the base"
    return ""


def _varying(all_axes: Iterable[dict[str, str]]) -> tuple[str, ...]:
    """Axes that make a setting: the parameters always, the others where the files differ in them."""
    seen: dict[str, set[str]] = {}
    for axes in all_axes:
        for name, value in axes.items():
            seen.setdefault(name, set()).add(value)
    return tuple(name for name, values in seen.items()
                 if name == "parameters" or (len(values) > 1 and name not in _FIXED))  # fmt: skip


def _kernel(given: Given, place: Where) -> ImportedKernel:
    commit = place.commit
    label = kernel_of(given, commit[:10] if commit and _HEX.fullmatch(commit) else commit, "a path outside of result/")
    return ImportedKernel(label=label, compiler=place.axes.get("compiler"),
                          commit=commit if commit and _HEX.fullmatch(commit) else None,
                          named_by=f"the path of {given.name}")  # fmt: skip


def _rows(given: Given, place: Where, label: str, varying: tuple[str, ...], notes: dict[str, None]) -> list[FileRow]:
    fields = json_of(given).fields()
    sources = fields.pop("stats_source", None)
    of_runs = sources is not None or (place.run is None and given.path.name.startswith("matrix.json"))
    broken = [bool(value.value) for value in fields[_INCOMPLETE].items()] if _INCOMPLETE in fields else []
    settings = settings_of({name: place.axes.get(name, "") for name in varying})
    workload = place.axes.get("testcase") or _testcase(given, list(fields))
    rows: list[FileRow] = []
    skipped = 0
    for key, found in fields.items():
        numbers = _numbers(found)
        if numbers is None:
            skipped += 1
        elif key != _INCOMPLETE:
            samples = _columns(numbers, broken, given) if of_runs else [_run(key, numbers, broken, given, place)]
            rows += [FileRow(kernel=label, workload=workload, metric=metric_of(key), sample=sample, settings=settings,
                         place=f"{given.place}: {key}") for sample in samples]  # fmt: skip
    if skipped:
        notes[f"{given.name}: {skipped} keys hold text, and are left out"] = None
    if not rows:
        raise BadInput(f"{given.place}: no numbers", "give <test>.json or matrix.json of a finished run")
    return rows


def _testcase(given: Given, keys: list[str]) -> str:
    """The file's name where its keys begin with it; else what the keys begin with, for files that somebody renamed."""
    name = given.path.name.split(".json")[0]
    if any(key.startswith(f"{name}.") for key in keys):
        return name
    told = next((key.removesuffix(".workload") for key in keys if key.endswith(".workload")), "")
    return told or next((key.split(".")[0] for key in keys), name)


def _numbers(found: At) -> list[float] | None:
    """The list's numbers; None when it holds text."""
    values = list(found.items())
    if not values:
        raise BadInput(f"{found.place}: an empty list", "it is damaged; remove the key")
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


def _run(key: str, numbers: list[float], broken: list[bool], given: Given, place: Where) -> Sample:
    """One run's values over its intervals, as one value by LKP's own rules."""
    run = place.run or given.name
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
    heads = {name: headline_of([one.metric for one in series if one.workload == name], name)
             for name in {one.workload for one in series}}  # fmt: skip
    marked = []
    for one in series:
        primary = one.metric == heads[one.workload]
        for sample in one.samples if primary else ():
            not_negative(sample.value or 0.0, f"{sample.run}: {one.metric}")
        marked.append(msgspec.structs.replace(one, primary=primary))
    return tuple(marked)


def _below(directory: Path) -> tuple[Path, ...]:
    return result_files(directory)


IMPORTER = Importer(
    name="lkp_result", title="LKP result: <test>.json, matrix.json, or a directory of them", recognise=_recognise,
    read=_read, below=_below,
)  # fmt: skip
