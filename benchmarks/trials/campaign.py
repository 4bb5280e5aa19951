# SPDX-License-Identifier: GPL-2.0-only
"""A campaign's directory: KIND.jsonl, one checksummed line for each trial that ended, so that a kill loses one trial.

Trials are numbered for each kind and name, and a trial's seed follows from its number: the same number is the same
trial on every host.
"""

import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import MappingProxyType

from kassay.journal.journal import append_line, cut, read_lines
from kassay.model.records import Record

FIND = "find"
NONE: Mapping[str, int] = MappingProxyType({})
"""No trials of other campaigns."""
_UNITS = {"s": 1, "m": 60, "h": 3600}


class Trial(Record, frozen=True, kw_only=True):
    """One trial that ended."""

    kind: str
    """kills, faults, fuzz or selves."""
    name: str
    """The command, fault, target or comparison."""
    number: int
    """From 0, for each kind and name."""
    count: int
    """Kills, faults, executions or findings in it."""
    outcome: str
    """"ok", "find", or a word that the kind counts apart, such as "refused"."""
    detail: str = ""
    """One line on a find."""
    seconds: float
    ended_utc: str
    commit: str
    """The source tree's commit; "+" behind it stands for changes that were not committed."""


@dataclass(frozen=True)
class Result:
    """The result of one trial, as the kinds return it."""

    count: int
    outcome: str = "ok"
    detail: str = ""


def read(directory: Path) -> tuple[Trial, ...]:
    """All trials of a campaign, of each kind in order. A line that a kill cut short, or that is being written, is left
    out."""
    return tuple(trial for path in sorted(directory.glob("*.jsonl")) for trial in read_lines(path).records(Trial))


def _append(path: Path, trial: Trial) -> None:
    """Adds a trial, after a line that a kill cut short was taken off. One process at a time makes trials of a kind."""
    if path.is_file() and (lines := read_lines(path)).torn is not None:
        cut(path, lines.sound_bytes)
    append_line(path, trial)


def generator(kind: str, name: str, number: int) -> Random:
    """The random numbers of one trial."""
    return Random(zlib.crc32(f"{kind} {name} {number}".encode()))


def next_numbers(trials: Iterable[Trial], kind: str) -> Counter[str]:
    """The number of the next trial of each name."""
    return Counter(trial.name for trial in trials if trial.kind == kind)


def run(directory: Path, kind: str, name: str, number: int, trial: Callable[[Random], Result]) -> Trial:
    """Makes one trial and adds it to the journal. An exception is a find, and its last line is kept."""
    started = time.monotonic()
    try:
        result = trial(generator(kind, name, number))
    except Exception as error:
        result = find_of(error)
    return keep(directory, kind, name, number, result, time.monotonic() - started)


def find_of(error: Exception) -> Result:
    """An exception as a find: its last line."""
    return Result(0, FIND, f"{type(error).__name__}: {error}"[:400].replace("\n", " "))


def keep(directory: Path, kind: str, name: str, number: int, result: Result, seconds: float) -> Trial:
    """Adds the result of one trial to the journal."""
    ended = Trial(
        kind=kind, name=name, number=number, count=result.count, outcome=result.outcome, detail=result.detail,
        seconds=round(seconds, 1), ended_utc=datetime.now(UTC).isoformat(timespec="seconds"), commit=commit(),
    )  # fmt: skip
    _append(directory / f"{kind}.jsonl", ended)
    return ended


def commit() -> str:
    """The commit of this source tree."""
    here = Path(__file__).parent
    head = subprocess.run(("git", "rev-parse", "--short=12", "HEAD"), cwd=here, capture_output=True, text=True)
    dirty = subprocess.run(("git", "status", "--porcelain", "-uno"), cwd=here, capture_output=True, text=True)
    return head.stdout.strip() + ("+" if dirty.stdout.strip() else "")


def turns(
    names: Sequence[str], trials: Iterable[Trial], kind: str, deadline: float, earlier: Mapping[str, int] = NONE
) -> Iterator[tuple[str, int]]:
    """(name, number) of the next trials: always the name with the fewest, until the deadline of time.monotonic().

    earlier: trials that other campaigns made, whose numbers are not used again.
    """
    numbers = next_numbers(trials, kind)
    numbers.update(earlier)
    while names and time.monotonic() < deadline:
        name = min(names, key=lambda one: (numbers[one], names.index(one)))
        yield name, numbers[name]
        numbers[name] += 1


def tell(trial: Trial) -> None:
    """One line of progress on stderr."""
    detail = f": {trial.detail}" if trial.detail else ""
    line = f"{trial.kind} {trial.name} {trial.number}: {trial.outcome}, {trial.count}, {trial.seconds:.0f} s{detail}"
    print(line, file=sys.stderr, flush=True)


def seconds_of(text: str) -> float:
    """ "20m" -> 1200. Raises ValueError for what is no time."""
    if text[-1:] in _UNITS:
        return float(text[:-1]) * _UNITS[text[-1]]
    return float(text)
