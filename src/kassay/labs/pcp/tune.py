# SPDX-License-Identifier: GPL-2.0-only
"""Replays a recorded guest with every combination of some constants of its policy, and finds the best compromises."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay import __version__
from kassay.effects.files import sha256_file
from kassay.errors import BadInput
from kassay.labs.pcp import engine
from kassay.labs.pcp.begin import is_fixed
from kassay.labs.pcp.engine import Outcome
from kassay.labs.pcp.model.tuned import MEASURES, Choice, PcpTuning, Range, TunedTrace
from kassay.labs.pcp.parameters import bounds
from kassay.labs.pcp.replay import Asked, config, driving, own_policy, read_guest
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import Setting
from kassay.tools.recording.pages import Kind, PageTrace

MARGIN = 0.05
_OF_RUN = ("decay_shift", "batch_scale_max", "free_high_batch")
_OF_ZONE = ("batch", "high_min", "high_max")
CONSTANTS = (*_OF_RUN, *_OF_ZONE)
"""Constants that can be chosen, by their names in pcp/params.def. batch, high_min and high_max are the main zone's."""
_UNREAD_BY_FIXED = ("decay_shift", "high_max")
_MOST = 2000
"""Choices of one trace."""
_SAMPLES = 4000
"""Samples of each list; a list's mean length is theirs."""
Values = Mapping[str, Sequence[int]]
Part = Callable[[float], None]
"""Told which part of a trace's choices is done, from 0 to 1."""


class Replay(NamedTuple):
    """A trace that is replayed again and again."""

    trace: PageTrace
    events: Path
    policy: str
    kernels: Mapping[str, int]
    """The kernel's value of each constant."""


def tune(paths: Sequence[Path], policy: str, values: Values, tell: Tell) -> PcpTuning:
    """policy: empty for that of a trace's kernel. values: by constant, the kernel's own is added; empty for usual ones.

    Raises BadInput for a file that is no page trace, an unknown policy, a value that cannot be, and too many choices.
    """
    _check(values)
    traces = []
    for number, path in enumerate(paths):

        def part(done: float, number: int = number, path: Path = path) -> None:
            share = (number + done) / len(paths)
            tell(Progress(stage="tune", subject=f"{number + 1}/{len(paths)}", text=path.name, done=share))

        traces.append(_tuned(path, policy, values, part))
    return PcpTuning(kassay_version=__version__, traces=tuple(traces))


def _check(values: Values) -> None:
    for name, of in values.items():
        if name not in CONSTANTS:
            raise BadInput(f"{name}: no constant of a policy", f"known: {', '.join(CONSTANTS)}")
        least, most = bounds(name)
        for value in of:
            if not least <= value <= most:
                raise BadInput(f"--set {name}={value}: not possible", f"{name} is from {least} to {most}")


def _tuned(path: Path, policy: str, values: Values, part: Part) -> TunedTrace:
    trace, guest = read_guest(path)
    chosen = policy or own_policy(trace.origin.release)
    with tempfile.TemporaryDirectory(prefix="kassay-pcp-") as scratch:
        events = Path(scratch) / "events"
        events.write_bytes(driving(trace))
        given = Replay(trace, events, chosen, _kernels(trace, chosen))
        tried = _tried(path, values or usual_values(chosen, given.kernels), given)
        possible = _possible(tried, given)
        left_out = _left_out(tried, given.kernels, possible)
        choices = _choices(given, possible, part)
        own = next(choice for choice in choices if choice.is_kernels).measures
        of_kernel = own_policy(trace.origin.release)
        model = own if chosen == of_kernel else _choice(given._replace(policy=of_kernel), {}).measures
        near = [_choice(given, {"batch": given.kernels["batch"] + step}).measures for step in (-1, 1)]
    margins = {name: max(MARGIN, *(_change(one[name], own[name]) for one in near)) for name in MEASURES}
    moved = guest.totals.refilled_pages + guest.totals.drained_pages
    idle = sum(float(guest.count[guest.cpu == cpu].mean()) for cpu in set(guest.cpu.tolist()))
    origin = trace.origin
    return TunedTrace(
        path=str(path), sha256=sha256_file(path), kernel=origin.kernel, release=origin.release,
        workload=origin.workload, cpus=origin.cpus, memory_bytes=origin.memory_bytes, zone=trace.main_zone.name,
        span_ns=origin.span_ns, policy=chosen, worker_runs=int((trace.kinds == Kind.WORKER).sum()),
        own_policy=of_kernel, moved_error=model["moved_pages"] / moved - 1 if moved else None,
        idle_error=model["idle_pages"] / idle - 1 if idle else None, margins=margins, left_out=left_out,
        choices=with_compromises(choices, margins), ranges=_ranges(choices, tried, given.kernels, margins),
    )  # fmt: skip


def _kernels(trace: PageTrace, policy: str) -> dict[str, int]:
    made = config(trace, policy, Asked())
    zone = made.zones[list(trace.zones).index(trace.main_zone)]
    return {**{name: made.run[name] for name in _OF_RUN}, **{name: zone[name] for name in _OF_ZONE}}


def usual_values(policy: str, kernels: Mapping[str, int]) -> Values:
    """Values that are tried where none are named: the decay from a half to 1/64, a batch and a least high of other
    sizes."""
    batch, least = kernels["batch"], kernels["high_min"]
    usual: Values = {
        "decay_shift": range(1, 7),
        "batch": (max(1, batch // 4), batch, batch * 4),
        "high_min": (least // 2, least, least * 2),
    }
    return {name: of for name, of in usual.items() if not (is_fixed(policy) and name in _UNREAD_BY_FIXED)}


def _tried(path: Path, values: Values, given: Replay) -> dict[str, tuple[int, ...]]:
    if is_fixed(given.policy) and (unread := [name for name in values if name in _UNREAD_BY_FIXED]):
        raise BadInput(f"{path}: the policy {given.policy} reads no {unread[0]}", "name another constant or --policy")
    tried = {name: tuple(sorted({*of, given.kernels[name]})) for name, of in values.items()}
    if (count := prod(map(len, tried.values()))) > _MOST:
        raise BadInput(f"--set: {count} combinations of constants", f"name fewer values: {_MOST} are tried at most")
    return tried


def _possible(tried: Mapping[str, tuple[int, ...]], given: Replay) -> list[dict[str, int]]:
    combinations = [dict(zip(tried, combination, strict=True)) for combination in product(*tried.values())]
    return [of for of in combinations if is_fixed(given.policy) or _is_possible({**given.kernels, **of})]


def _left_out(
    tried: Mapping[str, tuple[int, ...]], kernels: Mapping[str, int], possible: Sequence[Mapping[str, int]]
) -> tuple[Setting, ...]:
    """Values that no choice has. Raises BadInput where a constant has no value left but the kernel's."""
    found = []
    for name, values in tried.items():
        used = {constants[name] for constants in possible}
        if len(values) > 1 and used == {kernels[name]}:
            other = "high_max" if name == "high_min" else "high_min"
            raise BadInput(f"--set {name}: no value is possible beside {other}, {kernels[other]}",
                           "high_min must not be above high_max")  # fmt: skip
        found += [Setting(name=name, value=str(value)) for value in values if value not in used]
    return tuple(found)


def _choices(given: Replay, possible: Sequence[Mapping[str, int]], part: Part) -> list[Choice]:
    choices = []
    for number, constants in enumerate(possible):
        part(number / len(possible))
        choices.append(_choice(given, constants))
    return choices


def _is_possible(constants: Mapping[str, int]) -> bool:
    return constants["high_min"] <= constants["high_max"]


def _choice(given: Replay, constants: Mapping[str, int]) -> Choice:
    run = {name: value for name, value in constants.items() if name in _OF_RUN}
    zone = {name: max(1, value) for name, value in constants.items() if name in _OF_ZONE}
    if is_fixed(given.policy):  # it does not read high_max, which the simulator wants above high_min
        zone["high_max"] = max(given.kernels["high_max"], zone.get("high_min", 0))
    sampled = {"sample_ns": max(1, given.trace.origin.span_ns // _SAMPLES), "samples": _SAMPLES + 2}
    asked = Asked(run={**run, **sampled}, main_zone=zone)
    outcome = engine.run(config(given.trace, given.policy, asked), given.events, silent)
    return Choice(
        settings=tuple(Setting(name=name, value=str(value)) for name, value in constants.items()),
        is_kernels=all(given.kernels[name] == value for name, value in constants.items()),
        measures=_measures(given.trace, outcome), decayed_pages=outcome.counters["decay_pages"], is_compromise=False,
    )  # fmt: skip


def _measures(trace: PageTrace, outcome: Outcome) -> dict[str, float]:
    main = list(trace.zones).index(trace.main_zone)
    lists = [pcp for pcp in outcome.pcps if pcp.zone == main]
    counts: dict[int, list[int]] = {}
    for sample in outcome.samples:
        if sample.zone == main:
            counts.setdefault(sample.cpu, []).append(sample.count)
    return {
        "moved_pages": float(sum(pcp.refilled_pages + pcp.drained_pages for pcp in lists)),
        "idle_pages": sum(sum(of) / len(of) for of in counts.values()),
        "acquisitions": float(outcome.counters["acquisitions"]),
        "held_ns": outcome.counters["hold_ps"] / 1000,
        "longest_hold_ns": outcome.counters["longest_hold_ps"] / 1000,
    }


def _change(value: float, of: float) -> float:
    return abs(value / of - 1) if of else float(bool(value))


def with_compromises(choices: Sequence[Choice], margins: Mapping[str, float]) -> tuple[Choice, ...]:
    """The choices, told which of them no other one beats."""
    every = [choice.measures for choice in choices]
    return tuple(
        structs.replace(choice, is_compromise=not any(_beats(other, choice.measures, margins) for other in every))
        for choice in choices
    )


def _beats(one: Mapping[str, float], other: Mapping[str, float], margins: Mapping[str, float]) -> bool:
    is_better = any(one[name] < other[name] * (1 - margins[name]) for name in MEASURES)
    return is_better and all(one[name] <= other[name] * (1 + margins[name]) for name in MEASURES)


def _ranges(
    choices: Sequence[Choice], tried: Mapping[str, tuple[int, ...]], kernels: Mapping[str, int],
    margins: Mapping[str, float],
) -> tuple[Range, ...]:  # fmt: skip
    """For each constant the values next to the kernel's that make no difference, the others as in the kernel."""
    by_values = {tuple(int(setting.value) for setting in choice.settings): choice.measures for choice in choices}
    own = {name: kernels[name] for name in tried}
    of_kernel = by_values[tuple(own.values())]
    ranges = []
    for at, name in enumerate(tried):
        alone = {value: by_values.get(tuple({**own, name: value}.values())) for value in tried[name]}
        replayed = {value: measures for value, measures in alone.items() if measures is not None}
        differ = [value for value, of in replayed.items()
                  if any(_change(of[each], of_kernel[each]) > margins[each] for each in MEASURES)]  # fmt: skip
        below = max((value for value in differ if value < own[name]), default=-1)
        above = min((value for value in differ if value > own[name]), default=max(replayed) + 1)
        alike = [value for value in replayed if below < value < above]
        ranges.append(Range(
            name=name, kernels=own[name], tried=tuple(replayed), least=min(alike), most=max(alike),
            is_idle=len(replayed) > 1 and _is_idle(by_values, at),
        ))  # fmt: skip
    return tuple(ranges)


def _is_idle(by_values: Mapping[tuple[int, ...], Mapping[str, float]], at: int) -> bool:
    """True if choices that differ in the constant of this place alone have the same measures."""
    of_others: dict[tuple[int, ...], Mapping[str, float]] = {}
    return all(of_others.setdefault((*key[:at], *key[at + 1 :]), measures) == measures
               for key, measures in by_values.items())  # fmt: skip
