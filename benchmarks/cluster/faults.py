# SPDX-License-Identifier: GPL-2.0-only
"""Faults of a cluster, one after the other. Each time the answer must be the same.

usage: python -m benchmarks.cluster.faults [DIR] [FAULT...]     As root. About 7 minutes on 2 cores.

Four workers on hosts of their own, encrypted. The suite of three.toml is measured once in one process and once on the
cluster, which begins with nothing; then once more for each fault. DIR: what is measured goes there; by default a
directory that is removed. FAULT: only these; `python -m benchmarks.cluster.faults --list` names them.
"""

import json
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks._kassay import kassay
from benchmarks.cluster.fleet import DESK, HUB, Asked, Fleet, fleet
from benchmarks.cluster.network import obstacle
from kassay.journal.journal import read_journal

SPEC = str(Path(__file__).parent / "three.toml")
WORKERS = ("alpha", "beta", "gamma", "delta")
MALLORY = "mallory"
_COMPARED = ("findings", "ladders", "verdict", "audits")

Streams = Mapping[str, tuple[str | None, str | None]]
Ask = Callable[[], Asked]


class Times(NamedTuple):
    """early: runs that are kept when a fault comes. The others: seconds of a cut link, of a worker that stands still,
    and without a process that was killed."""

    early: int = 8
    cut_s: float = 30
    stopped_s: float = 20
    without_s: float = 5


Fault = Callable[[Fleet, Ask, Times], Asked]


class Seen(NamedTuple):
    """Result of one experiment."""

    runs: int
    doubled: int
    """Runs with more than one good record."""
    failed: int
    hosts: Counter[str]
    same: bool
    seconds: float
    told: tuple[str, ...]
    """Messages about the hosts."""


def undisturbed(fleet: Fleet, ask: Ask, times: Times) -> Asked:
    """Nothing goes wrong."""
    return ask()


def worker_killed(fleet: Fleet, ask: Ask, times: Times) -> Asked:
    """A worker is killed with the run that it makes, and started again later."""
    asked = ask()
    asked.wait_for(times.early)
    fleet.send("beta", signal.SIGKILL)
    time.sleep(times.without_s)
    fleet.worker("beta")
    return asked


def link_cut(fleet: Fleet, ask: Ask, times: Times) -> Asked:
    """A host's cable is cut for 30 s."""
    asked = ask()
    asked.wait_for(times.early)
    fleet.network.cut("gamma")
    time.sleep(times.cut_s)
    fleet.network.mend("gamma")
    return asked


def worker_stopped(fleet: Fleet, ask: Ask, times: Times) -> Asked:
    """A worker's processes stand still for 20 s."""
    asked = ask()
    asked.wait_for(times.early)
    fleet.send("delta", signal.SIGSTOP)
    time.sleep(times.stopped_s)
    fleet.send("delta", signal.SIGCONT)
    return asked


def submitter_killed(fleet: Fleet, ask: Ask, times: Times) -> Asked:
    """The kassay that asks is killed twice, and the same command given again."""
    for count in (times.early, 2 * times.early):
        asked = ask()
        asked.wait_for(count)
        fleet.send(DESK, signal.SIGKILL)
    return ask()


def scheduler_restarted(fleet: Fleet, ask: Ask, times: Times) -> Asked:
    """The scheduler is killed, and started again after 5 s."""
    asked = ask()
    asked.wait_for(times.early)
    fleet.send(HUB, signal.SIGKILL)
    time.sleep(times.without_s)
    fleet.scheduler()
    return asked


def _lied_to(lie: str) -> Fault:
    def fault(fleet: Fleet, ask: Ask, times: Times) -> Asked:
        fleet.liar(MALLORY, lie)
        try:
            asked = ask()
            asked.ended()
        finally:
            fleet.stop(MALLORY)
        return asked

    return fault


FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        "undisturbed": undisturbed,
        "worker-killed": worker_killed,
        "link-cut": link_cut,
        "worker-stopped": worker_stopped,
        "submitter-killed": submitter_killed,
        "scheduler-restarted": scheduler_restarted,
        "garbage": _lied_to("garbage"),
        "other-run": _lied_to("other"),
        "damaged-files": _lied_to("content"),
        "wrong-digits": _lied_to("digits"),
    }
)


def streams(directory: Path) -> Streams:
    """Hashes of the stream and the profile of each run that succeeded, by its id."""
    records = read_journal(directory / "journal.jsonl")
    return {record.run: (record.stream_sha256, record.profile_sha256) for record in records if record.outcome == "ok"}


def seen(asked: Asked, seconds: float, right: Streams) -> Seen:
    """Result of one experiment, compared with the right streams."""
    records = read_journal(asked.out / "journal.jsonl")
    good = Counter(record.run for record in records if record.outcome == "ok")
    told = tuple(dict.fromkeys(line for line in asked.text.splitlines() if line.startswith("cluster:")))
    return Seen(
        runs=len(good), doubled=sum(count > 1 for count in good.values()), failed=len(records) - good.total(),
        hosts=Counter(str(record.host) for record in records if record.outcome == "ok"),
        same=streams(asked.out) == right, seconds=seconds, told=told,
    )  # fmt: skip


def answer(directory: Path) -> dict[str, Any]:
    """The report of a run directory, but for what names the directory and the hosts."""
    report = json.loads((directory / "report.json").read_text())
    return {name: report[name] for name in _COMPARED}


def _show(name: str, found: Seen, status: int, alike: bool) -> None:
    hosts = ", ".join(f"{host} {count}" for host, count in sorted(found.hosts.items()))
    verdict = "same digits, same answer" if found.same and alike else "DIFFERENT"
    print(f"{name}: exit {status}, {found.runs} runs in {found.seconds:.0f} s, {found.doubled} doubled, "
          f"{found.failed} failed; {hosts}; {verdict}", flush=True)  # fmt: skip
    for line in found.told:
        print(f"    {line}", flush=True)


def _all(directory: Path, names: tuple[str, ...]) -> bool:
    own = kassay("run", SPEC, "--out", str(directory / "local"), "--format", "json")
    assert own.status == 0, own.errors
    right, wanted = streams(directory / "local"), answer(directory / "local")
    print(f"in one process: {len(right)} runs in {own.ended_s:.0f} s", flush=True)
    good = True
    with fleet(directory, *WORKERS, MALLORY) as made:
        for name in WORKERS:
            made.worker(name)
        for name in names:
            started = time.monotonic()
            asked = FAULTS[name](made, lambda name=name: made.asks("run", SPEC, out=name), Times())  # type: ignore[misc]
            status = asked.ended()
            found = seen(asked, time.monotonic() - started, right)
            if name == "wrong-digits":  # nobody can know which host is right: neither is believed
                said = [line for line in asked.text.splitlines() if "disagree" in line and MALLORY in line]
                print(f"{name}: exit {status}; {said[0] if said else 'NOBODY IS NAMED'}", flush=True)
                good = good and bool(status and said)
                continue
            alike = status == 0 and json.dumps(answer(asked.out)) == json.dumps(wanted)
            _show(name, found, status, alike)
            good = good and alike and found.same and found.runs == len(right) and not found.doubled
    return good


def main() -> None:
    """Prints what came of each fault, and asserts that every answer was that of one process."""
    words = sys.argv[1:]
    if "--list" in words:
        print("\n".join(f"{name}: {fault.__doc__ or 'a worker lies'}" for name, fault in FAULTS.items()))
        return
    if problem := obstacle():
        raise SystemExit(f"skipped: {problem}")
    names = tuple(word for word in words if word in FAULTS) or tuple(FAULTS)
    given = [word for word in words if word not in FAULTS]
    if given:
        Path(given[0]).mkdir(parents=True, exist_ok=True)
        assert _all(Path(given[0]).resolve(), names)
        return
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        assert _all(Path(name), names)


if __name__ == "__main__":
    main()
