# SPDX-License-Identifier: GPL-2.0-only
"""The corpus of published measurements, and an entry beside kassay's answers."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kassay.labs.predict.timing import timing_for
from kassay.model.records import Record

CORPUS = Path(__file__).with_name("truth.toml")
STATES = {
    "same": "same source state",
    "near": "near: other releases or patch versions around the change, or a change undone",
    "other": "other binary: the compiler, the configuration or the state is known to differ",
}
_KERNELS = ("debian:", "build:")


class Entry(Record, frozen=True, kw_only=True):
    """One published measurement; the fields are described at the top of truth.toml."""

    id: str
    source: str
    change: str
    machine: str
    cpu: tuple[str, ...]
    cpu_is: str
    unit: str
    state: str = ""
    commit: str = ""
    base: float | None = None
    head: float | None = None
    low: float | None = None
    high: float | None = None
    absolute: float | None = None
    n: int | None = None
    rate: bool = False
    per: float | None = None
    run: tuple[str, ...] = ()
    builds: tuple[tuple[str, str], ...] = ()
    metric: str = ""
    why: str = ""
    notes: str = ""

    @property
    def published(self) -> tuple[float, float] | None:
        """The lowest and the highest published ratio of times, which are often the same. None where a time of one
        kernel was published.
        """
        if self.absolute is not None:
            return None
        if self.base is None or self.head is None:
            assert self.low is not None and self.high is not None, self.id
            return self.low, self.high
        ratio = self.base / self.head if self.rate else self.head / self.base
        return ratio, ratio

    def error(self, ratio: float) -> float:
        """How far a ratio is from the published one; 0 inside a range."""
        assert self.published is not None, self.id
        low, high = self.published
        return ratio / min(max(ratio, low), high) - 1

    @property
    def questions(self) -> tuple[tuple[str, ...], ...]:
        """Arguments of `kassay compare` for the nearest build, then for each further one."""
        return (self.run, *(self._with_kernels(pair) for pair in self.builds))

    def _with_kernels(self, pair: tuple[str, str]) -> tuple[str, ...]:
        kernels = iter(pair)
        return tuple(next(kernels) if word.startswith(_KERNELS) else word for word in self.run)


class Predicted(NamedTuple):
    """An answer for one CPU."""

    cpu: str
    ns: tuple[float, float] | None
    """Time of base and head."""
    ratio: float | None
    """head / base, of what is left where a part is refused."""
    low: float | None
    high: float | None
    """Interval of the ratio."""
    refused: str


class Outcome(NamedTuple):
    """Result of one entry."""

    entry: Entry
    counted: float | None
    """Ratio of instructions."""
    predicted: tuple[Predicted, ...]
    """By the nearest build, for each CPU of the entry."""
    problem: str
    """Reason why there is no answer."""
    builds: tuple[Predicted, ...] = ()
    """By the further builds, for the entry's first CPU."""
    earlier: bool = False
    """A part is the answer of an earlier model or timing file."""

    @property
    def first(self) -> Predicted | None:
        """That of the CPU which is compared with the publication, when it is not refused."""
        return next((p for p in self.predicted[:1] if p.ratio is not None and not p.refused), None)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Predicted ratios of all builds, the nearest one first."""
        return tuple(p.ratio for p in (*self.predicted[:1], *self.builds) if p.ratio is not None)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval over all builds: the configuration and the compiler are a part of the uncertainty."""
        bounds = [(p.low, p.high) for p in (*self.predicted[:1], *self.builds) if p.low and p.high]
        return (min(low for low, _ in bounds), max(high for _, high in bounds)) if bounds else None

    @property
    def inside(self) -> bool:
        """True if the interval holds a published ratio."""
        published, interval = self.entry.published, self.interval
        if self.first is None or published is None or interval is None:
            return False
        return interval[0] <= published[1] and published[0] <= interval[1]

    @property
    def times(self) -> tuple[tuple[float, float], ...]:
        """Published and predicted time of each kernel whose time was published, in the publication's unit."""
        entry, first = self.entry, self.predicted[0] if self.predicted else None
        if not entry.per or first is None or first.ns is None:
            return ()
        scale = timing_for(first.cpu).ghz.value if entry.unit == "cycles" else 1.0
        before, after = (ns * scale / entry.per for ns in first.ns)
        if entry.absolute is not None:
            return ((entry.absolute, after),)
        return ((entry.base, before), (entry.head, after)) if entry.base and entry.head else ()


def corpus(path: Path = CORPUS) -> tuple[Entry, ...]:
    """All entries. Raises msgspec.ValidationError for what is not of the form."""
    return msgspec.convert(tomllib.loads(path.read_text())["entry"], type=tuple[Entry, ...])


Answer = tuple[Mapping[str, Any] | None, str]
"""A `kassay-report/1`, and the reason where there is none."""


def outcome(entry: Entry, answer: Mapping[str, Any] | None, problem: str, further: Sequence[Answer] = ()) -> Outcome:
    """An entry beside the answers for its nearest build and for further ones."""
    finding = _finding(entry, answer)
    if finding is None:
        return Outcome(entry, None, (), problem or f"no metric {entry.metric}")
    base, head = finding["base_value"], finding["head_value"]
    counted = head / base if base and head else None
    predicted = _predictions(entry, finding)
    builds = (_predictions(entry, other)[:1] for one, _ in further if (other := _finding(entry, one)) is not None)
    why = "" if predicted else "; ".join(finding["reasons"]) or "no prediction"
    return Outcome(entry, counted, predicted, why, tuple(one for found in builds for one in found))


def _finding(entry: Entry, answer: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    findings = answer["findings"] if answer else []
    return next((f for f in findings if f["metric"] == entry.metric), None)


def _predictions(entry: Entry, finding: Mapping[str, Any]) -> tuple[Predicted, ...]:
    answers = {made["cpu"]: _predicted(entry, made) for made in finding.get("predictions", ())}
    return tuple(answers[cpu] for cpu in entry.cpu if cpu in answers)


def _predicted(entry: Entry, made: Mapping[str, Any]) -> Predicted:
    base, head = made["base_ns"], made["head_ns"]
    low, high = (1 + bound for bound in made["interval"]) if made["interval"] else (None, None)
    if entry.absolute is not None:
        low = high = None
    ns = (base, head) if base and head else None
    refused = made["refused_code"]["code"] if made["refused_code"] else ""
    return Predicted(made["cpu"], ns, head / base if ns else None, low, high, refused)
