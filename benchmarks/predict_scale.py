# SPDX-License-Identifier: GPL-2.0-only
"""Curves of throughput by number of CPUs: published ones, and those of this host, beside the model's.

python -m benchmarks.predict_scale record DIR     traces of the programs in benchmarks/contention, in the guest
python -m benchmarks.predict_scale host [N]       two threads on this host, N samples; writes contention/host.json
python -m benchmarks.predict_scale table DIR [PAGE.md]
    prints the tables, and writes them between their markers in PAGE, such as docs/results/contention.md
"""

import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from benchmarks._kassay import kassay
from benchmarks.predict_truth import placed
from kassay import answers
from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.labs.predict.contention.names import LINE, SPIN, SYSTEM
from kassay.labs.predict.contention.queues import (
    ASSUMED,
    FEWEST,
    GIVE,
    MOST,
    TAKE,
    TOUCH,
    Action,
    Level,
    Load,
    Machine,
    contended,
)
from kassay.labs.predict.contention.scale import Wanted, machine_of, scaled
from kassay.labs.predict.contention.scale_model import THREADS, Scaled
from kassay.labs.predict.predictions import Traces, replays_of
from kassay.labs.predict.timing import LineLevel, Quantity, Timing, timing_for
from kassay.model.progress import silent

HERE = Path(__file__).with_name("contention")
HOST = HERE / "host.json"
REAL_TIME = ("chrt", "-f", "1")
"""Nobody takes a CPU from the threads, which run for some seconds. Needs root."""
HEADER = HERE.parents[1] / "guest" / "program"
CALLS = {"lock_same_file": 400, "open_own_file": 400}
"""Operations of a round of each program, as its source says."""
RUNS = (
    ("lock_same_file", "x86_64", "alderlake_p", "debian:6.12"),
    ("open_own_file", "arm64", "neoverse_n1", "debian:6.12"),
)
"""Program, architecture, CPU that is booted, kernel."""


class Curve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One published curve; curves.toml describes the fields."""

    id: str
    what: str
    cpu: str
    source: str
    unit: str
    model: str
    published: dict[int, float]
    timing: str = ""
    ghz: float = 0.0
    shared: tuple[str, ...] = ()
    lines: tuple[tuple[int, float, float, float], ...] = ()
    lines_source: str = ""


class Predicted(NamedTuple):
    """Time of an operation of one thread, in ns, or operations in millions a second: low, usual, high."""

    cpus: int
    low: float
    usual: float
    high: float


def curves() -> tuple[Curve, ...]:
    return msgspec.convert(
        tomllib.loads((HERE / "curves.toml").read_text())["curves"], tuple[Curve, ...], strict=False
    )  # fmt: skip


def record(directory: Path) -> None:
    """Measures each program once, with a trace."""
    for program, arch, cpu, kernel in RUNS:
        words = ["--program", str(HERE / f"{program}.c"), f"--cflags=-I{HEADER}", "--arch", arch]
        words += ["--cpu", cpu, "--predict", cpu]
        times = ("--rounds", "2", "--repeats", "1", "--perturb", "0", "--out", str(directory / program))
        done = kassay("compare", kernel, kernel.replace("6.12", "6.17"), *words, *times)
        if done.status > 1:
            sys.exit(f"{program}: {done.errors}")


def timing_of(curve: Curve) -> Timing:
    """The timing file with the clock and the line transfers of the published machine."""
    timing = timing_for(curve.timing or "skylake_sp")
    if curve.ghz:
        ghz = Quantity(value=curve.ghz, low=curve.ghz, high=curve.ghz, source=curve.cpu)
        timing = structs.replace(timing, ghz=ghz)
    if not curve.lines:
        return timing
    names = ("socket", "machine")
    lines = tuple(
        LineLevel(within=name, cpus=cpus, cpus_source=curve.cpu,
                  ns=Quantity(value=value, low=low, high=high, source=curve.lines_source))
        for name, (cpus, value, low, high) in zip(names, curve.lines, strict=False)
    )  # fmt: skip
    return structs.replace(timing, lines=lines)


def predicted(curve: Curve, directory: Path) -> list[Predicted]:
    """The model's curve. User code: from the published time of one thread. Programs: from their traces."""
    counts = tuple(sorted(curve.published))
    if curve.model in CALLS:
        answer = from_trace(directory / curve.model, timing_of(curve), Wanted(counts, THREADS, curve.shared))
        if answer.problem:
            sys.exit(f"{curve.id}: {answer.problem}")
        calls = CALLS[curve.model] / 1e6
        return [Predicted(point.cpus, *(end * point.per_second / point.speedup * calls
                                        for end in (point.interval[0], point.speedup, point.interval[1])))
                for point in answer.points]  # fmt: skip
    load = by_hand(curve.model, curve.published[1])
    return [_times(load, [machine_of(timing_of(curve), end) for end in (FEWEST, ASSUMED, MOST)], cpus)
            for cpus in counts]  # fmt: skip


def by_hand(model: str, ns: float, think: float = 0.0, lines: int = 1) -> Load:
    """An operation of so many ns on one thread: a write to a line, or a lock around a counter in a line of its own."""
    if model == "line":
        return Load((Action(round((ns - think) * 1000), TOUCH, 0, LINE),), round(think * 1000), (SYSTEM,))
    hold = round((ns - think) * 500)
    return Load(
        (Action(hold, TAKE, 0, SPIN, loads=lines), Action(hold, GIVE, 0, SPIN)), round(think * 1000), (SYSTEM,)
    )  # fmt: skip


def _times(load: Load, machines: Sequence[Machine], cpus: int) -> Predicted:
    ns = [cpus / contended(load, machine, cpus, end).repeats / 1000 for end, machine in enumerate(machines)]
    return Predicted(cpus, min(ns), ns[ASSUMED], max(ns))


def from_trace(directory: Path, timing: Timing, wanted: Wanted) -> Scaled:
    """The curve of the first kernel of a directory."""
    folder = open_directory(directory)
    records = folder.records()
    traces = Traces(folder, records, collect(folder, records, silent))
    finding = next(one for one in answers.findings(directory) if one.primary)
    sides = ((finding, finding.sides[0]),)
    timings = {timing.name: timing}
    whole = replays_of(directory, [traces.of(*side) for side in sides], timings, silent)
    return scaled(sides, traces, whole, timings, wanted, silent)[0]


def published_tables(directory: Path) -> tuple[str, list[float]]:
    """All curves, and the errors of their points with more than one CPU."""
    parts, errors = [], []
    for curve in curves():
        rows = []
        for point in predicted(curve, directory):
            truth = curve.published[point.cpus]
            inside = point.low * (1 - 1e-9) <= truth <= point.high * (1 + 1e-9)
            if point.cpus > 1:
                errors.append(abs(point.usual / truth - 1))
            rows.append((str(point.cpus), f"{truth:g}", f"{point.usual:.3g}", f"{point.low:.3g} to {point.high:.3g}",
                         f"{round(point.usual / truth - 1, 9) + 0:+.0%}", "yes" if inside else "no"))  # fmt: skip
        title = (
            f"**{curve.id}**: {curve.what}. {curve.cpu}. {curve.source}. Lines: {curve.lines_source or 'timing file'}."
        )
        columns = ("CPUs", f"published, {curve.unit}", "predicted", "interval", "difference", "inside")
        parts.append(f"{title}\n\n{table(columns, rows)}")
    return "\n".join(parts), errors


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def host(samples: int) -> None:
    """Compiles and runs two_threads.c; keeps the samples."""
    with tempfile.TemporaryDirectory() as scratch:
        binary = Path(scratch) / "two_threads"
        subprocess.run(["gcc", "-O2", "-pthread", "-o", binary, HERE / "two_threads.c"], check=True)
        text = subprocess.run([*REAL_TIME, binary, str(samples)], check=True, capture_output=True, text=True).stdout
    found: dict[str, list[float]] = {}
    for line in text.splitlines():
        name, think, threads, ns = line.split("\t")
        found.setdefault(f"{name}|{think}|{threads}", []).append(float(ns))
    HOST.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    for key, values in found.items():
        print(key, len(values), statistics.median(values))


def host_rows(samples: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, ...]]:
    """Rows of measured and predicted times with two threads. The model has one thread's time and the line transfer."""
    middle = {key: statistics.median(values) for key, values in samples.items()}
    low, usual, high = (round(1000 * value) for value in _quartiles(samples["transfer|0|2"]))
    machines = [Machine((Level(2, ps),), 2) for ps in (low, usual, high)]
    for name, model in (("atomic add", "line"), ("ticket lock", "lock"), ("queued lock", "lock"), ("mutex", "lock")):
        for think in ("0", "1"):
            one, two = middle.get(f"{name}|{think}|1"), samples.get(f"{name}|{think}|2", [])
            if one is None or len(two) < 5:
                continue
            outside = one - middle[f"{name}|0|1"] if think == "1" else 0.0
            point = _times(by_hand(model, one, max(0.0, outside)), machines, 2)
            truth = statistics.median(two)
            yield (name, f"{outside:.0f}", f"{one:.1f}", f"{truth:.1f}", str(len(two)), f"{point.usual:.1f}",
                   f"{point.low:.1f} to {point.high:.1f}", f"{point.usual / truth - 1:+.0%}")  # fmt: skip


def _quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    low, middle, high = statistics.quantiles(values, n=4)
    return low, middle, high


def main() -> None:
    match sys.argv[1:]:
        case ["record", directory]:
            record(Path(directory))
        case ["host", *rest]:
            host(int(rest[0]) if rest else 31)
        case ["table", directory, *rest]:
            text, errors = published_tables(Path(directory))
            samples = msgspec.json.decode(HOST.read_bytes(), type=dict[str, list[float]])
            columns = ("test", "outside, ns", "one thread, ns", "two threads, ns", "n", "predicted", "interval",
                       "difference")  # fmt: skip
            transfers = samples["transfer|0|2"]
            parts = {
                "score": f"{len(errors)} points with more than one CPU: median difference "
                         f"{statistics.median(errors):.0%}.\n",
                "curves": text,
                "host": f"Line transfer: median {statistics.median(transfers):.1f} ns, n = {len(transfers)}.\n\n"
                        + table(columns, list(host_rows(samples))),
            }  # fmt: skip
            print("\n".join(parts.values()))
            if rest:
                page = Path(rest[0])
                page.write_text(placed(page.read_text(), parts))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
