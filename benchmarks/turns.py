# SPDX-License-Identifier: GPL-2.0-only
"""Many boots of one machine of several CPUs, host idle and then busy: the same digits and the same function table.

usage: python -m benchmarks.turns [repeats] [cpus,...] [arch] [short|snapshot]     20 2,4,8,16 x86_64 short: hours

Under icount QEMU's virtual CPUs take turns. Whatever ends a turn at a moment of the host's time shows in the digits.
Each repeat carries no profile, call stacks or counts, in turn. "streams": different results of the guest, every byte
of them. "profiles": different files of the plugin, of one mode. "tables": different function tables.
"""

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kassay.evidence.profile.functions import profile_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profiles import region_of
from kassay.journal import artifacts
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.model.run import RunRecord
from kassay.plan.prepare import prepare
from kassay.run.boot import Measurer
from kassay.supply.guest import protocol
from kassay.supply.guest.audit import sections

MODES = ("none", "stacks", "counts")
KERNEL, ROUNDS = "debian:6.12", 6


class Boot(NamedTuple):
    """One run. stream, profile: hashes of what the guest and the plugin wrote. table: rows of the function table."""

    mode: str
    stream: str
    profile: str | None
    table: frozenset[tuple[str, str, str, int, int, int]]
    wall_s: float


def main() -> None:
    """Prints one line for each number of CPUs and state of the host; fails when anything differs."""
    words = [*sys.argv[1:], *("20", "2,4,8,16", "x86_64", "short")[len(sys.argv) - 1 :]]
    repeats, counts, arch, boot = int(words[0]), tuple(map(int, words[1].split(","))), words[2], words[3]
    print(f"{KERNEL}, {arch}, boot={boot}, page_fault size=1MiB, a task on each CPU, {ROUNDS} rounds")
    print(f"{'CPUs':>4}  {'host':5} {'boots':>5} {'streams':>8} {'profiles':>9} {'tables':>7} {'s a boot':>9}  stream")
    for cpus in counts:
        with tempfile.TemporaryDirectory(prefix="turns-") as name:
            _compare(cpus, arch, boot, repeats, Path(name))


def _compare(cpus: int, arch: str, boot: str, repeats: int, place: Path) -> None:
    run = _runner(cpus, arch, boot, place)
    seen: list[Boot] = []
    for host in ("idle", "busy"):
        with _spinning(os.cpu_count() or 1 if host == "busy" else 0):
            made = [run(MODES[number % len(MODES)]) for number in range(repeats)]
        seen += made
        streams = {one.stream for one in seen}
        profiles = [{one.profile for one in seen if one.mode == mode} for mode in MODES[1:]]
        tables = {one.table for one in seen if one.profile}
        walls = sum(one.wall_s for one in made) / repeats
        files = "+".join(str(len(found)) for found in profiles)
        print(f"{cpus:4}  {host:5} {repeats:5} {len(streams):8} {files:>9} {len(tables):7} {walls:9.1f}  "
              f"{min(streams)[:12]}", flush=True)  # fmt: skip
    assert len(streams) == len(tables) == 1 and all(len(found) == 1 for found in profiles), "repeats differ"


@contextmanager
def _spinning(count: int) -> Iterator[None]:
    processes = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        pass


def _runner(cpus: int, arch: str, boot: str, place: Path) -> Callable[[str], Boot]:
    def ready(mode: str) -> tuple[Measurer, Callable[[], RunRecord]]:
        axes = (Axis(name="size", values=("1MiB",)), Axis(name="tasks", values=(str(cpus),)))
        experiment = Experiment(
            name="turns", question="compare", kernels=(KernelUse(ref=KERNEL), KernelUse(ref=KERNEL)), cpus=(cpus,),
            workloads=(WorkloadUse(name="page_fault", axes=axes),), rounds=ROUNDS, boot=boot, arch=arch, profile=mode,
            timeout_s=900,
        )  # fmt: skip
        prepared = prepare(experiment, None, silent)
        measurer = Measurer(prepared, place, place)
        return measurer, lambda: measurer.measure(prepared.plan.runs[0], 1)

    measurers = {mode: ready(mode)[1] for mode in MODES}

    def run(mode: str) -> Boot:
        started = time.monotonic()
        record = measurers[mode]()
        wall = time.monotonic() - started
        assert record.outcome == "ok" and record.stream_sha256 is not None, record.detail
        return Boot(mode, record.stream_sha256, record.profile_sha256, _table(place, record), wall)

    return run


def _table(place: Path, record: RunRecord) -> frozenset[tuple[str, str, str, int, int, int]]:
    """Every function of the whole region, in each context."""
    if record.profile_sha256 is None or record.stream_sha256 is None:
        return frozenset()
    report = protocol.parse(artifacts.get(place, record.stream_sha256))
    region = region_of(place, record)
    assert region is not None and not region.problem, region
    symbols = Symbols.load([artifacts.get(place, name) for name in record.symbols], dict(sections(report)))
    raw = parse(artifacts.get(place, record.profile_sha256))
    found = profile_of(raw, symbols, report, phase="iteration", rounds=range(ROUNDS), kernel="", run="")
    assert not found.problem, found.problem
    return frozenset((c.function, c.place, c.context, c.instructions, c.iterations, c.calls) for c in found.functions)


if __name__ == "__main__":
    main()
