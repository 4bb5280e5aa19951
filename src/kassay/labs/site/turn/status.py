# SPDX-License-Identifier: GPL-2.0-only
"""The memory of a laboratory between turns. Without the file nothing is lost but time: run directories resume."""

from datetime import datetime, timedelta
from pathlib import Path

from msgspec import structs

from kassay.effects.files import kept_record, write_atomic
from kassay.model.records import Record, to_indented_json

_AGAIN = timedelta(days=1)
"""Time after which something that failed is tried again."""
_SOON = timedelta(hours=1)
"""The same if this host or the network failed, and not the thing itself."""
_FIRST_PACE_S = 1.0
"""Seconds of a run before any was made."""


class Failure(Record, frozen=True, kw_only=True):
    """Something that failed: a kernel, a pair, or the narrowing of a step."""

    what: str
    """Its reference, directory or id."""
    why: str
    since_utc: str
    until_utc: str
    """Time at which it is tried again."""
    kind: str = "kernel"
    """kernel, pair or step."""


class Finished(Record, frozen=True, kw_only=True):
    """A pair whose runs were made and added to the history."""

    directory: str
    """Directory of the pair, below the directory of all runs."""
    utc: str
    runs: int
    """Number of runs that the last turn made for it. Reused runs and those of earlier turns are not counted."""
    seconds: float
    workloads: tuple[str, ...] | None = None
    """Workloads that it has, each with its settings, as of workload_texts(). None if an earlier kassay finished it."""


class Waiting(Record, frozen=True, kw_only=True):
    """A pair that is missing."""

    directory: str
    since_utc: str


class Status(Record, frozen=True, kw_only=True):
    """The file status.json."""

    failures: tuple[Failure, ...] = ()
    finished: tuple[Finished, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    turn_utc: str = ""
    """End of the last turn."""
    schema: str = "kassay-lab/1"

    def failed(self, what: str, now: str) -> Failure | None:
        """The failure of something that is not to be tried again yet."""
        found = next((failure for failure in self.failures if failure.what == what), None)
        return found if found is not None and now < found.until_utc else None

    def with_failure(self, what: str, why: str, now: str, kind: str, *, soon: bool = False) -> "Status":
        """The status with one more failure, in place of an earlier one of the same. soon: it is tried again soon."""
        others = tuple(failure for failure in self.failures if failure.what != what)
        end = datetime.fromisoformat(now) + (_SOON if soon else _AGAIN)
        until = end.strftime("%Y-%m-%dT%H:%M:%SZ")
        failure = Failure(what=what, why=" ".join(why.split())[:400], since_utc=now, until_utc=until, kind=kind)
        return structs.replace(self, failures=(*others, failure))

    def without_failures(self, *succeeded: str) -> "Status":
        """The status after these succeeded."""
        return structs.replace(self, failures=tuple(one for one in self.failures if one.what not in succeeded))

    def with_finished(self, done: Finished) -> "Status":
        """The status with one more pair."""
        others = tuple(one for one in self.finished if one.directory != done.directory)
        return structs.replace(self, finished=(*others, done))

    @property
    def pace_s(self) -> float:
        """Seconds of a run, by the last pairs."""
        last = [done for done in self.finished if done.runs][-5:]
        return sum(done.seconds for done in last) / sum(done.runs for done in last) if last else _FIRST_PACE_S


def read(path: Path) -> Status:
    """The status of a laboratory; an empty one where there is none, or one of another version."""
    return kept_record(path, Status) or Status()


def write(path: Path, status: Status) -> None:
    """Stores the status."""
    write_atomic(path, to_indented_json(status).encode())
