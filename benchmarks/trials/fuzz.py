# SPDX-License-Identifier: GPL-2.0-only
"""Coverage-guided fuzzing in pieces: each target in turn, in a process of its own, until each had enough executions."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from benchmarks.trials import native
from benchmarks.trials.campaign import FIND, NONE, Result, read, run, tell
from benchmarks.trials.target import names, target_of

ENOUGH = 1_000_000
"""Executions of each target."""
PIECE_S = 60
_GRACE_S = 60
_CRASHES = ("crash-", "timeout-", "oom-", "leak-", "slow-unit-")


def campaign(
    directory: Path,
    chosen: Sequence[str],
    deadline: float,
    made: Path | None,
    piece_s: float,
    earlier: Mapping[str, int] = NONE,
) -> None:
    """Fuzzes the targets in turn until the deadline, each until it had enough executions.

    earlier: executions of each target in other campaigns.
    """
    known = [name for name in all_names() if not chosen or name in chosen]
    numbers = {name: sum(trial.name == name for trial in read(directory) if trial.kind == "fuzz") for name in known}
    while time.monotonic() < deadline:
        done = executed(directory, known)
        left = [name for name in known if done[name] + earlier.get(name, 0) < ENOUGH]
        if not left:
            return
        name = min(left, key=lambda one: (numbers[one], done[one]))
        seconds = max(1.0, min(piece_s, deadline - time.monotonic()))
        tell(run(directory, "fuzz", name, numbers[name], lambda r, n=name, s=seconds: _piece(directory, n, r, s, made)))  # type: ignore[misc]
        numbers[name] += 1


def all_names() -> tuple[str, ...]:
    """Python's targets and those in C."""
    return (*names(), *native.NAMES)


def title_of(name: str) -> str:
    """The kind of input."""
    return native.TITLES[name] if name in native.TITLES else target_of(name).title


def executed(directory: Path, targets: Sequence[str]) -> Mapping[str, int]:
    """Executions of each target so far, also of pieces that were killed."""
    paths = {name: directory / "fuzz" / name / "executions" for name in targets}
    return {name: int.from_bytes(path.read_bytes(), "little") if path.is_file() else 0 for name, path in paths.items()}


def finds(directory: Path, name: str) -> Mapping[str, str]:
    """Inputs that are finds, by path, with one line for each."""
    place = directory / "fuzz" / name
    kept = {str(path.with_suffix("")): path.read_text().partition("\n")[0] for path in place.glob("finds/*.txt")}
    crashes = [path for path in place.iterdir() if path.name.startswith(_CRASHES)] if place.is_dir() else []
    return kept | {str(path): path.name.partition("-")[0] for path in crashes}


def _piece(directory: Path, name: str, random: Random, seconds: float, made: Path | None) -> Result:
    place = directory / "fuzz" / name
    place.mkdir(parents=True, exist_ok=True)
    before, known = executed(directory, [name])[name], finds(directory, name)
    options = [f"-max_total_time={seconds:.0f}", f"-runs={ENOUGH - before}", f"-seed={random.randrange(1, 1 << 31)}",
               "-print_final_stats=1", "-verbosity=1"]  # fmt: skip
    with (place / "log").open("ab") as log:
        argv = _argv(name, place, made, options)
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
        child = subprocess.Popen(argv, stdout=log, stderr=log, env=environment, start_new_session=True)
        try:
            child.wait(seconds + _GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        except BaseException:
            child.kill()
            raise
    count = executed(directory, [name])[name] - before
    found = [line for path, line in finds(directory, name).items() if path not in known]
    if found:
        return Result(count, FIND, "; ".join(sorted(found))[:400])
    return Result(count) if child.returncode == 0 else Result(count, "failed", f"status {child.returncode}; see log")


def _argv(name: str, place: Path, made: Path | None, options: Sequence[str]) -> list[str]:
    if name in native.NAMES:
        return native.argv(name, place, options)
    return [sys.executable, "-m", "benchmarks.trials.worker", name, str(place), str(made or "-"), *options]
