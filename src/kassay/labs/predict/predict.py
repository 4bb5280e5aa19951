# SPDX-License-Identifier: GPL-2.0-only
"""Two replays on one CPU -> a prediction: the time of each side, where and why, and whether it may be reported."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from types import MappingProxyType
from typing import NamedTuple

from msgspec import structs

from kassay.labs.predict.guest import chosen_by_kernel, chosen_by_library, features_of
from kassay.model.finding import Finding
from kassay.model.prediction import CAUSES, PredictedCause, PredictedRow, Prediction
from kassay.model.reason import Reason, reason
from kassay.model.records import Record
from kassay.model.traced_rounds import ROUNDS_MOST
from kassay.supply.cpus import Cpu, NeedlessMitigation

UNKNOWN_MOST = 0.05
"""Share of the time in instructions without data above which nothing is predicted; below it is a doubt."""
_UNKNOWN_REPORTED, _SPREAD_REPORTED, _ROUNDS_REPORTED = 0.005, 0.05, 0.01
_DEFAULT_CPU = "the default CPU of the emulator"
SAME, _CLEAR = 0.01, 0.05
"""Relative changes of counts: below SAME they are the same; from _CLEAR on, unchanged time is reported."""
_IPIS = (
    "smp_call_function_many_cond", "smp_call_function_single", "native_flush_tlb_multi", "ipi_mux_send_mask",
    "gic_ipi_send_mask", "gic_send_sgi", "native_send_call_func_ipi", "native_send_call_func_single_ipi",
    "x2apic_send_IPI", "x2apic_send_IPI_mask", "default_send_IPI_single_phys", "flat_send_IPI_mask",
)  # fmt: skip
"""Functions whose execution interrupts another CPU."""


class ReplayedRow(Record, frozen=True, kw_only=True):
    """Time of one function for one cause, in hundredths of a cycle, in one interval of one predicted round."""

    round: int
    interval: int
    function: str
    cause: str
    cycles100: int
    instructions: int


class Replay(Record, frozen=True, kw_only=True):
    """One trace on one CPU."""

    rounds: tuple[int, ...]
    """Rounds that were predicted, in order."""
    complete: int
    """Complete rounds of the trace."""
    asked: int
    """Rounds that the trace was asked for."""
    cut: bool
    """True if its budget ended the trace."""
    rows: tuple[ReplayedRow, ...]
    unknown: tuple[str, ...] = ()
    """Forms of instructions without data, most frequent first."""
    others: tuple[tuple[int, int, int], ...] = ()
    """Round, interval and instructions of interrupts and other tasks, whose time is not in the rows."""
    accesses: tuple[tuple[int, int, int], ...] = ()
    """Round, interval, and loads and stores that the measured task executed."""
    cpus: int = 1
    """Number of CPUs that executed."""
    left_out: tuple[str, ...] = ()
    """Reasons why rounds that were recorded are not predicted."""


class TracedSide(NamedTuple):
    """One kernel's side."""

    replay: Replay | None
    """Replay of the side's trace; None if there is none, and `problem` is the reason then."""
    operations: int = 0
    """Operations of a round of the metric."""
    intervals: range = range(0)
    """Intervals of a round that the metric covers."""
    chosen: frozenset[int] = frozenset()
    """Rounds (the first of a run is 1) that the counted value stands for. The others were disturbed."""
    problem: Reason | None = None
    cpu: str = ""
    """Name by which its machine's CPU was asked for, or ""."""
    lacking: tuple[str, ...] = ()
    """Features by which a C library chooses functions, and which its machine's CPU lacked."""
    needless: tuple[NeedlessMitigation, ...] = ()
    """Mitigations that its kernel used and would not use on the predicted CPU."""
    huge_kb: int = 0
    """Memory in anonymous huge pages, kB."""

    @property
    def rounds(self) -> tuple[int, ...]:
        """Answered for and steady; where none is steady, all that are answered for."""
        answered = self.replay.rounds if self.replay is not None else ()
        return tuple(number for number in answered if number in self.chosen) or answered


class OnCpu(NamedTuple):
    """The CPU whose time is predicted."""

    name: str
    calibrated: bool
    ghz: float
    """Number by which cycles are divided."""
    model: str
    """Content of timing file and core."""
    weights: Mapping[str, float] = MappingProxyType({})
    """Factor of each cause's time; 1 for a cause that is not named."""
    guest: str = ""
    """Name by which QEMU may be asked for it, where that is another one."""
    real: Cpu | None = None
    """The CPU as it is known to QEMU; None if it is not."""


Nanoseconds = Mapping[str, float]
IntervalOf = Callable[[Nanoseconds, Nanoseconds], "tuple[float, float, float] | Reason"]
"""(ns by cause of base, of head) -> (lowest change, highest change, level), or why there is none."""


class _Share(NamedTuple):
    """Share of one cause, per operation: ns, and the instructions that waited for it or that it hid."""

    ns: float = 0.0
    instructions: float = 0.0


_Shares = Mapping[str, _Share]
"""Share of each cause."""


class SideTime(NamedTuple):
    """One side: ns of each round answered for, shares of all functions together and of each."""

    rounds: tuple[float, ...]
    causes: _Shares
    functions: Mapping[str, _Shares]

    @property
    def ns(self) -> float:
        return fsum(share.ns for share in self.causes.values())

    @property
    def ns_by_cause(self) -> dict[str, float]:
        return {cause: share.ns for cause, share in self.causes.items()}

    @property
    def executed(self) -> float:
        return fsum(share.instructions for share in self.causes.values())

    def ns_in(self, function: str) -> float:
        return fsum(share.ns for share in self.functions.get(function, {}).values())

    def executed_in(self, function: str) -> float:
        return fsum(share.instructions for share in self.functions.get(function, {}).values())


def prediction(finding: Finding, cpu: OnCpu, base: TracedSide, head: TracedSide, interval_of: IntervalOf) -> Prediction:
    """The finding's metric as time. Never raises for what a trace holds: it refuses."""
    nothing = Prediction(cpu=cpu.name, calibrated=cpu.calibrated, model=cpu.model)
    problem = next((side.problem for side in (base, head) if side.problem is not None), None)
    if base.replay is None or head.replay is None or problem is not None:
        return structs.replace(nothing, refused=problem or reason("no-trace"))
    if not base.replay.rounds or not head.replay.rounds:
        kernel = finding.sides[0 if not base.replay.rounds else 1].kernel
        return structs.replace(nothing, refused=reason("trace-too-short", kernel))
    timed = (side_time(base, base.replay, cpu), side_time(head, head.replay, cpu))
    predicted = structs.replace(
        nothing,
        base_ns=timed[0].ns, head_ns=timed[1].ns, causes=_causes(timed[0].causes, timed[1].causes),
        rows=_rows(*timed), base_instructions=timed[0].executed, head_instructions=timed[1].executed,
        base_rounds=timed[0].rounds, head_rounds=timed[1].rounds,
        base_accesses=_accesses(base, base.replay), head_accesses=_accesses(head, head.replay),
        doubts=doubts_of(finding, cpu, (base, head), timed),
    )  # fmt: skip
    refused = refused_because(finding, (base, head), (base.replay, head.replay), timed)
    between = interval_of(timed[0].ns_by_cause, timed[1].ns_by_cause) if refused is None else refused
    if isinstance(between, Reason):
        return structs.replace(predicted, refused=between)
    low, high, level = between
    whole = structs.replace(predicted, change=timed[1].ns / timed[0].ns - 1, interval=(low, high), level=level)
    return structs.replace(whole, meaning=_meaning(finding, whole))


def side_time(side: TracedSide, replay: Replay, cpu: OnCpu) -> SideTime:
    """Time of one side per operation.

    Sums of a cause are made of whole hundredths of a cycle, so that rows and causes have one total.
    """
    per, many = 100 * cpu.ghz * side.operations, len(side.rounds)
    rounds: dict[int, float] = dict.fromkeys(side.rounds, 0.0)
    sums: dict[str, dict[str, tuple[int, int]]] = {}
    for row in replay.rows:
        if row.interval in side.intervals and row.round in rounds:
            rounds[row.round] += row.cycles100 * cpu.weights.get(row.cause, 1.0)
            by_cause = sums.setdefault(row.function, {})
            cycles, executed = by_cause.get(row.cause, (0, 0))
            by_cause[row.cause] = (cycles + row.cycles100, executed + row.instructions)

    def share(cause: str, cycles: int, executed: int) -> _Share:
        return _Share(cycles * cpu.weights.get(cause, 1.0) / per / many, executed / side.operations / many)

    causes = sorted({cause for by_cause in sums.values() for cause in by_cause}, key=_cause_order)
    wholes = {
        cause: [sum(by_cause.get(cause, (0, 0))[i] for by_cause in sums.values()) for i in (0, 1)] for cause in causes
    }  # fmt: skip
    return SideTime(
        tuple(cycles / per for cycles in rounds.values()),
        {cause: share(cause, *whole) for cause, whole in wholes.items()},
        {name: {cause: share(cause, *values) for cause, values in by_cause.items()} for name, by_cause in sums.items()},
    )


def _accesses(side: TracedSide, replay: Replay) -> float:
    """Loads and stores per operation."""
    counts = (count for number, i, count in replay.accesses if i in side.intervals and number in side.rounds)
    return sum(counts) / side.operations / len(side.rounds)


def _cause_order(cause: str) -> tuple[int, str]:
    """A sort key: known causes in their order, then those of a later core."""
    order = list(CAUSES)
    return (order.index(cause) if cause in CAUSES else len(order), cause)


def _causes(base: _Shares, head: _Shares) -> tuple[PredictedCause, ...]:
    causes = []
    for cause in sorted(base.keys() | head.keys(), key=_cause_order):
        before, after = base.get(cause, _Share()), head.get(cause, _Share())
        causes.append(
            PredictedCause(cause=cause, base_ns=before.ns, head_ns=after.ns, base_instructions=before.instructions,
                           head_instructions=after.instructions)
        )  # fmt: skip
    return tuple(causes)


def _rows(base: SideTime, head: SideTime) -> tuple[PredictedRow, ...]:
    rows = []
    for name in base.functions.keys() | head.functions.keys():
        causes = _causes(base.functions.get(name, {}), head.functions.get(name, {}))
        rows.append(
            PredictedRow(
                function=name, base_ns=fsum(c.base_ns for c in causes), head_ns=fsum(c.head_ns for c in causes),
                base_instructions=base.executed_in(name), head_instructions=head.executed_in(name),
                causes=tuple(sorted(causes, key=lambda c: (-abs(c.delta_ns), _cause_order(c.cause)))),
            )
        )  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (-abs(row.delta_ns), row.function)))


def refused_because(
    finding: Finding, sides: tuple[TracedSide, TracedSide], replays: tuple[Replay, Replay],
    timed: tuple[SideTime, SideTime],
) -> Reason | None:  # fmt: skip
    """Reason why a change is not reported although both sides were replayed. None if it is reported."""
    if max(replay.cpus for replay in replays) > 1:
        return reason("several-cpus", cpus=max(replay.cpus for replay in replays))
    sent = [name for name in _IPIS if any(side.executed_in(name) > 0 for side in timed)]
    if sent and (finding.machine.cpus or 1) > 1:
        counted = tuple((name, f"{max(side.executed_in(name) for side in timed):.3g}") for name in sent)
        return reason("interrupts-between-cpus", functions=counted)
    for side, traced, replay, predicted in zip(finding.sides, sides, replays, timed, strict=True):
        executed = _executed(traced, replay, predicted)
        if side.value and abs(executed / side.value - 1) > ROUNDS_MOST:
            return reason("traced-rounds-differ", side.kernel, traced=executed, value=side.value)
    if _share(timed) > UNKNOWN_MOST:
        return _without_data(replays, timed)
    return reason("trace-too-short") if timed[0].ns <= 0 or timed[1].ns <= 0 else None


def _share(timed: tuple[SideTime, SideTime]) -> float:
    """The larger share of a side's time that is in instructions without data."""
    return max(side.ns_by_cause.get("unknown", 0.0) / side.ns if side.ns else 0.0 for side in timed)


def _without_data(replays: tuple[Replay, Replay], timed: tuple[SideTime, SideTime]) -> Reason:
    forms = tuple((form, 0) for form in dict.fromkeys(form for replay in replays for form in replay.unknown))[:4]
    return reason("instructions-without-data", share=_share(timed), forms=forms)


def _executed(traced: TracedSide, replay: Replay, predicted: SideTime) -> float:
    """Instructions per operation of the rounds answered for, other tasks included, as in the counted value."""
    others = (n for number, i, n in replay.others if i in traced.intervals and number in traced.rounds)
    return predicted.executed + sum(others) / traced.operations / len(traced.rounds)


def doubts_of(
    finding: Finding, cpu: OnCpu, sides: Sequence[TracedSide], timed: tuple[SideTime, SideTime]
) -> tuple[Reason, ...]:
    """Doubts of a prediction: they do not refuse it."""
    doubts: list[Reason] = []
    replays = [side.replay for side in sides if side.replay is not None]
    for side, traced, replay, predicted in zip(finding.sides, sides, replays, timed, strict=True):
        if replay.cut:
            doubts.append(reason("trace-cut", side.kernel, complete=replay.complete, rounds=replay.asked))
        doubts += [reason("traced-round-left-out", side.kernel, problem=problem) for problem in replay.left_out]
        spread = (max(predicted.rounds) - min(predicted.rounds)) / predicted.ns if predicted.ns else 0.0
        if spread > _SPREAD_REPORTED:
            doubts.append(reason("rounds-spread", side.kernel, spread=spread))
        if traced.huge_kb:
            doubts.append(reason("huge-pages-as-small", side.kernel, size=traced.huge_kb))
        executed = _executed(traced, replay, predicted)
        if side.value and _ROUNDS_REPORTED < abs(executed / side.value - 1) <= ROUNDS_MOST:
            doubts.append(reason("traced-rounds-differ", side.kernel, traced=executed, value=side.value))
        if executed and (share := 1 - predicted.executed / executed) > _ROUNDS_REPORTED:
            doubts.append(reason("others-not-predicted", side.kernel, share=share))
    if _UNKNOWN_REPORTED < _share(timed) <= UNKNOWN_MOST:
        doubts.append(_without_data((replays[0], replays[1]), timed))
    other = dict.fromkeys(
        side.cpu or _DEFAULT_CPU for side in sides if not side.cpu or side.cpu not in (cpu.name, cpu.guest)
    )
    if other:
        doubts.append(reason("other-cpu-booted", booted=" and ".join(other)))
    lacking = tuple(dict.fromkeys(name for side in sides for name in side.lacking))
    if lacking and (functions := chosen_by_library(_times_of(replays))):
        doubts.append(reason("library-chose", functions=_names(functions), features=_names(lacking)))
    if functions := chosen_by_kernel(_times_of(replays), cpu.real):
        doubts.append(reason("kernel-chose", functions=_names(functions), features=_names(features_of(functions))))
    if needless := tuple(dict.fromkeys(one for side in sides for one in side.needless)):
        used = dict.fromkeys(one.mitigation for one in needless)
        doubts.append(reason("kernel-mitigates", mitigations=_names(used), options=_ending(needless, cpu.real)))
    return tuple(doubts)


def _ending(needless: Iterable[NeedlessMitigation], cpu: Cpu | None) -> str | None:
    """Options that end these mitigations on the CPU that needs none of them; None if none of them can be ended."""
    if cpu is None or not any(one.parameter for one in needless):
        return None
    every = dict.fromkeys(one.parameter for one in cpu.needless if one.parameter)
    return f"--cpu {cpu.name} --cmdline '{' '.join(every)}'"


def _times_of(replays: Sequence[Replay]) -> Mapping[str, float]:
    times: Counter[str] = Counter()
    for replay in replays:
        for row in replay.rows:
            times[row.function] += row.cycles100
    return times


def _names(words: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple((word, 0) for word in words)


def _meaning(finding: Finding, predicted: Prediction) -> Reason | None:
    """Remark on counts and prediction that differ in size by more than the interval, or in sign. None if they do
    not. It holds for the whole interval."""
    counts, time, between = finding.change, predicted.change, predicted.interval
    if counts is None or time is None or between is None or between[0] <= counts <= between[1]:
        return None
    if abs(counts) < SAME:
        return _of_cause("counts-blind", counts, finding, predicted) if abs(time) >= SAME else None
    same_sign = counts * time > 0
    if same_sign and abs(counts) < abs(time):
        return _of_cause("counts-under-state", counts, finding, predicted)
    if same_sign and max(map(abs, between)) <= abs(counts):
        return _over_stated(counts, predicted)
    if between[0] > 0 or between[1] < 0:
        return _of_cause("counts-mislead", counts, finding, predicted)
    if abs(counts) < _CLEAR:
        return None
    return reason("counts-without-time", counts=counts, cpu=predicted.cpu, low=between[0], high=between[1])


def _over_stated(counts: float, predicted: Prediction) -> Reason | None:
    """ns of each instruction that came or went, and of each one before."""
    assert predicted.base_ns is not None and predicted.head_ns is not None and predicted.interval is not None
    assert predicted.base_instructions is not None and predicted.head_instructions is not None
    more = predicted.head_instructions - predicted.base_instructions
    each = (predicted.head_ns - predicted.base_ns) / more if more else 0.0
    if each <= 0 or not predicted.base_instructions:  # other tasks changed the count
        return None
    low, high = predicted.interval
    return reason(
        "counts-over-state", counts=counts, time=predicted.change, cpu=predicted.cpu, low=low, high=high,
        more_or_fewer="more" if more > 0 else "fewer", each=each,
        before=predicted.base_ns / predicted.base_instructions,
    )  # fmt: skip


def _of_cause(code: str, counts: float, finding: Finding, predicted: Prediction) -> Reason:
    """The cause that changed most in the direction of the whole."""
    assert predicted.base_ns is not None and predicted.head_ns is not None and predicted.interval is not None
    total = predicted.head_ns - predicted.base_ns
    most = max(predicted.causes, key=lambda cause: cause.delta_ns if total > 0 else -cause.delta_ns)
    low, high = predicted.interval
    return reason(
        code, counts=counts, time=predicted.change, cpu=predicted.cpu, low=low, high=high,
        cause=CAUSES.get(most.cause, most.cause), part=most.delta_ns, total=total, per=finding.unit.partition("/")[2],
    )  # fmt: skip
