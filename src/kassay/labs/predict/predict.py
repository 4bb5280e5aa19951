# SPDX-License-Identifier: GPL-2.0-only
"""Two replays on one CPU -> a prediction: the time of each side, where and why, and whether it may be reported."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from msgspec import structs

from kassay.labs.predict.guest import chosen_by_kernel, chosen_by_library, features_of
from kassay.labs.predict.side import (
    OnCpu,
    Replay,
    Share,
    Shares,
    SideTime,
    TracedSide,
    accesses_of,
    cause_order,
    side_time,
)
from kassay.model.finding import Finding
from kassay.model.prediction import CAUSES, PredictedCause, PredictedRow, Prediction
from kassay.model.reason import Reason, reason
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


Nanoseconds = Mapping[str, float]
IntervalOf = Callable[[Nanoseconds, Nanoseconds], "tuple[float, float, float] | Reason"]
"""(ns by cause of base, of head) -> (lowest change, highest change, level), or why there is none."""


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
        base_placed=timed[0].placed, head_placed=timed[1].placed,
        base_accesses=accesses_of(base, base.replay), head_accesses=accesses_of(head, head.replay),
        doubts=doubts_of(finding, cpu, (base, head), timed),
    )  # fmt: skip
    refused = refused_because(finding, (base, head), (base.replay, head.replay), timed)
    between = interval_of(timed[0].ns_by_cause, timed[1].ns_by_cause) if refused is None else refused
    if isinstance(between, Reason):
        return structs.replace(predicted, refused=between)
    low, high, level = between
    whole = structs.replace(
        predicted, change=timed[1].ns / timed[0].ns - 1, interval=_wherever_placed((low, high), timed), level=level
    )
    return structs.replace(whole, meaning=_meaning(finding, whole))


def _wherever_placed(interval: tuple[float, float], timed: tuple[SideTime, SideTime]) -> tuple[float, float]:
    """The interval of a change, made wider by the range of its ratio over the placements of both sides."""
    base, head = (side.placed or (side.ns,) for side in timed)
    return widened(interval, timed[1].ns / timed[0].ns, min(head) / max(base), max(head) / min(base))


def widened(interval: tuple[float, float], ratio: float, lowest: float, highest: float) -> tuple[float, float]:
    """The interval of a change whose ratio is, by where pages lie, from lowest to highest."""
    return (1 + interval[0]) * lowest / ratio - 1, (1 + interval[1]) * highest / ratio - 1


def _causes(base: Shares, head: Shares) -> tuple[PredictedCause, ...]:
    causes = []
    for cause in sorted(base.keys() | head.keys(), key=cause_order):
        before, after = base.get(cause, Share()), head.get(cause, Share())
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
                causes=tuple(sorted(causes, key=lambda c: (-abs(c.delta_ns), cause_order(c.cause)))),
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
        if (spread := _spread(predicted.rounds, predicted.ns)) > _SPREAD_REPORTED:
            doubts.append(reason("rounds-spread", side.kernel, spread=spread))
        if (spread := _spread(predicted.placed, predicted.ns)) > _SPREAD_REPORTED:
            doubts.append(reason("placements-spread", side.kernel, spread=spread))
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


def _spread(times: Sequence[float], ns: float) -> float:
    """The range of times around ns, as a share of it."""
    return (max(times) - min(times)) / ns if times and ns else 0.0


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
