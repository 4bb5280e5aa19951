# SPDX-License-Identifier: GPL-2.0-only
"""pyperf JSON, read by pyperf itself: processes of one boot, each with several values."""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from statistics import median
from typing import Any, NamedTuple

from kassay.errors import BadInput
from kassay.model.samples import ImportedKernel, Sample
from kassay.tools.imports.importer import (
    FileRow,
    Given,
    Importer,
    Metric,
    Reading,
    kernel_of,
    merged_kernels,
    series_of,
)
from kassay.tools.imports.json_at import At, json_of, opens_object
from kassay.tools.imports.text import text_of

# Python's platform: release, machine, and often the processor's name, which repeats the machine's.
_PLATFORM = re.compile(r"Linux-(.+?)-([a-z]\w+)(?:-\2)?(?:-with-.*)?$")
_SAME_BOOT_S = 10.0  # a kernel's boot time moves a little when its clock is adjusted
_METRICS = {
    "second": Metric(name="time", unit="ns", better="lower", definition="time of one loop, without warm-ups"),
    "byte": Metric(name="memory", unit="byte", better="lower", definition="memory, as the benchmark measures it"),
    "integer": Metric(name="value", unit="", better="unknown", definition="a whole number that the benchmark counts"),
}


class _Process(NamedTuple):
    """One worker process."""

    file: str
    location: str
    kernel: ImportedKernel
    benchmark: str
    metric: Metric
    values: tuple[float, ...]
    boot: float | None
    """Time at which its kernel booted, in seconds; None if the file does not tell."""
    cpus: int | None
    machine: str


def _recognise(given: Given) -> bool:
    return opens_object(given) and all(word in given.data for word in (b'"benchmarks"', b'"runs"'))


def _read(givens: tuple[Given, ...]) -> Reading:
    import pyperf  # slow to import, and needed by this format alone

    processes = [process for given in givens for process in _processes(pyperf, given)]
    groups: dict[tuple[str, str, str], list[_Process]] = defaultdict(list)
    boots = _boots(processes)
    for process in processes:
        groups[process.kernel.label, process.benchmark, boots[_boot_key(process)]].append(process)
    series = series_of(_row(key[2], group) for key, group in groups.items())
    machines = dict.fromkeys(process.machine for process in processes if process.machine)
    return Reading(
        format=f"pyperf {pyperf.__version__}", series=series, machine="; ".join(machines) or "unknown",
        kernels=merged_kernels((process.kernel, process.location) for process in processes),
        replication=_replication(processes, max(len(s.samples) for s in series)), notes=_notes(processes),
    )  # fmt: skip


def _processes(pyperf: Any, given: Given) -> Iterable[_Process]:
    _check(json_of(given))
    try:
        benchmarks = pyperf.BenchmarkSuite.loads(text_of(given)).get_benchmarks()
        return [
            _process(given, benchmark, run, run.get_metadata())
            for benchmark in benchmarks for run in benchmark.get_runs() if run.values
        ]  # fmt: skip
    except BadInput:
        raise
    except Exception as error:  # whatever the library raises at a file that it does not understand
        raise BadInput(f"{given.location}: pyperf {pyperf.__version__} cannot read it: {error!s:.80}",
                       "is this a file that pyperf wrote?") from error  # fmt: skip


def _check(top: At) -> None:
    """Raises BadInput for a wrong kind or number with its location, which the library's own errors do not name."""
    benchmarks = list(top.field("benchmarks").items())
    if not benchmarks:
        raise BadInput(f"{top.file}: benchmarks: none", "give a file with at least one benchmark")
    for benchmark in benchmarks:
        runs = [run.fields() for run in benchmark.field("runs").items()]
        values = [value.cost() for run in runs if "values" in run for value in run["values"].items()]
        if not values:
            raise BadInput(f"{benchmark.location}: no values, only calibration or warm-ups", "let the benchmark finish")


def _process(given: Given, benchmark: Any, run: Any, metadata: dict[str, Any]) -> _Process:
    match = _PLATFORM.match(str(metadata.get("platform", "")))
    release, arch = (match.group(1), match.group(2)) if match else (None, None)
    label = kernel_of(given, release, "pyperf's metadata")
    cpus = metadata.get("cpu_count")
    scale = 1e9 if benchmark.get_unit() == "second" else 1
    return _Process(
        file=given.name, location=given.location, benchmark=str(benchmark.get_name() or "unnamed"),
        kernel=ImportedKernel(label=label, release=release, arch=arch, named_by=given.name),
        metric=_METRICS[benchmark.get_unit()],
        values=tuple(float(value) * scale for value in run.values), boot=_seconds(metadata.get("boot_time")),
        cpus=cpus if isinstance(cpus, int) else None,
        machine=", ".join(str(metadata[name]) for name in ("hostname", "cpu_model_name") if metadata.get(name)),
    )  # fmt: skip


def _seconds(when: object) -> float | None:
    """A time of day as pyperf writes it, without a zone: good for differences within one machine only."""
    try:
        return datetime.fromisoformat(str(when)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _boot_key(process: _Process) -> tuple[str, float | str]:
    return process.kernel.label, process.file if process.boot is None else process.boot


def _boots(processes: Iterable[_Process]) -> dict[tuple[str, float | str], str]:
    """Name of the boot that each process belongs to. Equal boot times are one boot. A file without them is one boot,
    too."""
    keys = {_boot_key(process) for process in processes}
    named = {key: key[1] for key in keys if isinstance(key[1], str)}
    timed = sorted((label, when) for label, when in keys if not isinstance(when, str))
    last: tuple[str, float] | None = None
    name = ""
    for label, when in timed:
        if last is None or last[0] != label or when - last[1] > _SAME_BOOT_S:
            name = f"booted {datetime.fromtimestamp(when):%Y-%m-%d %H:%M:%S}"
        named[label, when] = name
        last = (label, when)
    return named


def _row(boot: str, group: list[_Process]) -> FileRow:
    first = group[0]
    inner = tuple(median(process.values) for process in group)
    definition = f"{first.metric.definition}; median over processes of each process's median"
    metric = Metric(name=first.metric.name, unit=first.metric.unit, better=first.metric.better, definition=definition)
    return FileRow(
        kernel=first.kernel.label, workload=first.benchmark, metric=metric, location=first.location, cpus=first.cpus,
        sample=Sample(value=median(inner), run=boot, inner=inner),
    )  # fmt: skip


def _replication(processes: list[_Process], samples: int) -> str:
    if samples == 1:
        return "process"
    return "unknown" if any(process.boot is None for process in processes) else "boot"


def _notes(processes: list[_Process]) -> tuple[str, ...]:
    if any(process.boot is None for process in processes):
        return ("pyperf's metadata names no boot time; each file counts as one boot",)
    return ("processes with the same boot_time count as one boot",)


IMPORTER = Importer(name="pyperf", title="pyperf JSON", recognise=_recognise, read=_read)
