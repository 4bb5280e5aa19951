# SPDX-License-Identifier: GPL-2.0-only
"""A repeated experiment against the first one: exact counts to the digit, times by findings; and the result as text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kassay.analysis.gate.same_shape import differences
from kassay.model.finding import REFUSED, Finding
from kassay.model.machine import MachineIdentity, Point
from kassay.model.plan import Plan
from kassay.model.records import Record
from kassay.model.run import CellEvidence, Measurement
from kassay.report.words import point_name


class Repeated(Record, frozen=True, kw_only=True):
    """The result of a repetition."""

    exact: bool
    """True if counts were compared; otherwise times were."""
    compared: int
    """Number of runs for counts, of findings for times."""
    rounds: int
    differing: tuple[str, ...]
    """Differences, one line for each."""
    unlike: tuple[str, ...] = ()
    """Differences between the two measurements that existed before the first boot."""
    values: "Values | None" = None
    """Figures of the two reports; None for times."""
    changed_verdicts: tuple[str, ...] = ()
    """Verdicts that changed although the intervals overlap, one line for each."""
    without_interval: int = 0
    """Number of compared findings without an interval."""

    @property
    def same(self) -> bool:
        return self.compared > 0 and not self.differing


class Values(Record, frozen=True, kw_only=True):
    """The figures of two reports."""

    compared: int
    """Number of figures that were compared."""
    differing: int
    """Number of compared figures that differ."""
    widest: float
    """Largest difference, as a share of the packed figure; of the new one if the packed one is zero."""
    where: str
    """Name of the figure with the largest difference; "" if none was compared."""
    missing: tuple[str, ...] = ()
    """Names of figures that only one of the two reports has."""


class _Place(NamedTuple):
    """Place of a finding in a report. Labels of kernels are no part of it: a rerun pins the kernel references."""

    point: Point
    metric: str
    number: int
    """Number of the finding among those of the same point and metric, from 0."""


def _placed(findings: Sequence[Finding]) -> dict[_Place, Finding]:
    seen: Counter[tuple[Point, str]] = Counter()
    placed = {}
    for finding in findings:
        key = (finding.point, finding.metric)
        placed[_Place(*key, seen[key])] = finding
        seen[key] += 1
    return placed


def _matched(packed: Sequence[Finding], rerun: Sequence[Finding]) -> list[tuple[Finding | None, Finding | None]]:
    """Findings of the two reports at the same place; None for a report that has none there."""
    old, new = _placed(packed), _placed(rerun)
    return [(old.get(place), new.get(place)) for place in dict.fromkeys((*old, *new))]


def values(packed: Sequence[Finding], rerun: Sequence[Finding]) -> Values | None:
    """The cost of each kernel, figure by figure. None if neither report has a figure."""
    points = [finding.point for finding in (*packed, *rerun)]
    figures: dict[str, tuple[float | None, float | None]] = {}
    for old, new in _matched(packed, rerun):
        finding = old or new
        assert finding is not None
        costs = (((f.base_value, f.head_value) if f else (None, None)) for f in (old, new))
        for kernel, then, now in zip(finding.kernels, *costs, strict=True):
            if (then, now) != (None, None):
                figures[f"{finding.metric} of {kernel}, {point_name(finding.point, points)}"] = (then, now)
    if not figures:
        return None
    moved = {n: _share(then, now) for n, (then, now) in figures.items() if then is not None and now is not None}
    where = max(moved, key=lambda name: moved[name], default="")
    return Values(
        compared=len(moved), differing=sum(share > 0 for share in moved.values()), widest=moved.get(where, 0.0),
        where=where, missing=tuple(name for name in figures if name not in moved),
    )  # fmt: skip


def _share(then: float, now: float) -> float:
    return abs(now - then) / abs(then or now) if now != then else 0.0


def same_counts(packed: Sequence[CellEvidence], rerun: Sequence[CellEvidence]) -> Repeated:
    """Compares each round of each phase of each run, and its page state before and after. Cells are matched by their
    index in the plan, runs by their repeat, because ids differ where a kernel reference was pinned."""
    pairs = [pair for cells in zip(packed, rerun, strict=True) for pair in _pairs(*cells)]
    both = [(old, new) for old, new in pairs if old is not None and new is not None]
    differing = [line for old, new in both for line in (*_differing(old, new), *_state(old, new))]
    differing += [f"{old.run}: not measured again" for old, new in pairs if old is not None and new is None]
    differing += [f"{new.run}: only measured now" for old, new in pairs if old is None and new is not None]
    rounds = sum(len(phase.ticks) for old, _ in both for phase in old.phases)
    return Repeated(exact=True, compared=len(both), rounds=rounds, differing=tuple(differing))


def _pairs(old: CellEvidence, new: CellEvidence) -> list[tuple[Measurement | None, Measurement | None]]:
    then, now = ({measurement.repeat: measurement for measurement in cell.measurements} for cell in (old, new))
    return [(then.get(repeat), now.get(repeat)) for repeat in sorted(then.keys() | now.keys())]


def _differing(old: Measurement, new: Measurement) -> Iterator[str]:
    """One line for each phase: its first round that differs, and how many do."""
    then, now = ({phase.phase: phase for phase in run.phases} for run in (old, new))
    for name in dict.fromkeys((*then, *now)):
        phase, other = then.get(name), now.get(name)
        if (
            phase is None
            or other is None
            or (len(other.ticks), other.operations) != (len(phase.ticks), phase.operations)
        ):
            yield f"{old.run}: {name}: has other rounds or operations"
            continue
        rounds = [(i, a, b) for i, (a, b) in enumerate(zip(phase.ticks, other.ticks, strict=True), start=1) if a != b]
        if rounds:
            index, a, b = rounds[0]
            yield f"{old.run}: {name}: {len(rounds)} rounds differ, first round {index}: {a} then, {b} now"


def _state(old: Measurement, new: Measurement) -> Iterator[str]:
    """One line for each moment: its first field of the page state that differs, and how many do."""
    for moment, then, now in (("before", old.before, new.before), ("after", old.after, new.after)):
        if found := differences(moment, then, now):
            first = f"{found[0].field} is {found[0].base} then, {found[0].head} now"
            yield f"{old.run}: state {moment}: {len(found)} fields differ, first {first}"


def same_findings(packed: Sequence[Finding], rerun: Sequence[Finding]) -> Repeated:
    """Times never repeat to the digit. They agree if their intervals overlap, no verdict has changed direction, and
    the same findings were refused for the same cause."""
    differing, changed, compared, without = [], [], 0, 0
    for old, new in _matched(packed, rerun):
        finding = old or new
        assert finding is not None
        name = f"{finding.workload}.{finding.metric} from {finding.base} to {finding.head}"
        if old is None or new is None:
            differing.append(f"{name}: only in the {'report of the new runs' if old is None else 'bundle'}")
            continue
        compared += 1
        without += old.interval is None and new.interval is None
        verdicts = f"{name}: {old.verdict} then, {new.verdict} now"
        if old.verdict != new.verdict and (
            {old.verdict, new.verdict} == {"regression", "improvement"} or {old.verdict, new.verdict} & set(REFUSED)
        ):
            differing.append(verdicts)
        elif old.interval and new.interval and not _overlap(old.interval, new.interval):
            differing.append(f"{name}: {_range(old.interval)} then, {_range(new.interval)} now, which do not overlap")
        elif (old.interval is None) != (new.interval is None):
            differing.append(f"{verdicts}, one of them without an interval")
        elif old.verdict != new.verdict:
            changed.append(verdicts)
    return Repeated(
        exact=False, compared=compared, rounds=0, differing=tuple(differing), changed_verdicts=tuple(changed),
        without_interval=without,
    )  # fmt: skip


def _overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def _range(interval: tuple[float, float]) -> str:
    return f"{interval[0]:+.1%} to {interval[1]:+.1%}"


def _compiler(plan: Plan) -> str:
    return plan.guest_compiler or "an unknown compiler"


def unlike(packed: Plan, rerun: Plan) -> tuple[str, ...]:
    """Differences of two experiments before anything ran: kernels, emulator, guest programs, images."""
    lines = [
        f"kernel {old.ref}: another image ({(old.image_sha256 or 'unknown')[:12]} then, "
        f"{(new.image_sha256 or 'unknown')[:12]} now)"
        for old, new in zip(packed.kernels, rerun.kernels, strict=True)
        if old.image_sha256 != new.image_sha256
    ]
    if packed.machine.program != rerun.machine.program:
        lines.append(f"machine: {packed.machine.program} then, {rerun.machine.program} now")
        lines += [text] if (text := container_offer(packed.machine, rerun.machine.program)) else []
    if packed.machine.options != rerun.machine.options:
        lines.append("machine: other options")
    if packed.plugin_sha256 and packed.plugin_sha256 != rerun.plugin_sha256:
        lines.append("machine: another plugin of QEMU")
    now = {program.name: program.value for program in rerun.guest_sha256}
    by = f" (by {_compiler(packed)} then, by {_compiler(rerun)} now)"
    lines += [f"program {p.name}: another build{by}" for p in packed.guest_sha256 if now.get(p.name) != p.value]
    trees = {image.name: image.value for image in rerun.images or ()}
    lines += [
        f"image {i.name}: another tree of the same packages ({i.value[:12]} then, {trees.get(i.name, 'none')[:12]} now)"
        for i in packed.images or ()
        if trees.get(i.name) != i.value
    ]
    return tuple(lines)


CONTAINER_QEMU = "(Debian 1:7.2+dfsg-7+deb12u18+b3)"
"""Package version of QEMU in kassay's container image, as QEMU reports it. A test compares it with container/."""


def container_offer(packed: MachineIdentity, program: str) -> str:
    """A sentence with the command that measures with the QEMU of the bundle; "" if that is `program`, or if the
    container does not have it."""
    if packed.program == program or not (packed.container or CONTAINER_QEMU in packed.program):
        return ""
    return f"kassay's container has {packed.program}: repeat the command as scripts/kassay bundle rerun, in a clone"


_SHOWN = 20


def repeated_text(repeated: Repeated) -> str:
    """A few lines that end with a newline."""
    lines = [_verdict(repeated)]
    if repeated.values is not None and not repeated.same:
        lines.append(f"  {_values(repeated.values)}")
    lines += [f"  {line}" for line in repeated.differing[:_SHOWN]]
    if len(repeated.differing) > _SHOWN:
        lines.append(f"  and {len(repeated.differing) - _SHOWN} more")
    lines += [f"  verdict changed: {line}" for line in repeated.changed_verdicts]
    lines += [f"  not alike to begin with: {line}" for line in repeated.unlike]
    return "\n".join(lines) + "\n"


def _values(values: Values) -> str:
    figures = f"the report's {values.compared + len(values.missing)} figures"
    if values.missing:
        only = f"{len(values.missing)} of {figures} are in one of the two reports only, first {values.missing[0]}"
        return f"{only}; {values.differing} of the other {values.compared} differ" if values.compared else only
    if not values.differing:
        return f"yet every figure of the report is the same to the digit: {values.compared} figures"
    return f"{values.differing} of {figures} differ, by {values.widest:.2%} at most: {values.where}"


def _verdict(repeated: Repeated) -> str:
    if not repeated.compared:
        return "nothing could be compared: no run of the bundle was made again"
    if repeated.exact and repeated.same:
        return f"the same to the digit: {repeated.compared} runs, {repeated.rounds} counts (every phase of every round)"
    if repeated.exact:
        return f"NOT the same: {len(repeated.differing)} differences in {repeated.compared} runs"
    cannot = "times cannot be equal to the digit"
    if not repeated.same:
        return f"NOT the same answer: {len(repeated.differing)} differences in {repeated.compared} findings ({cannot})"
    found = f"{repeated.compared} findings, none in another direction"
    if repeated.without_interval < repeated.compared:
        found += ", all intervals overlap"
    if repeated.without_interval:
        found += f", {repeated.without_interval} without an interval"
    if repeated.changed_verdicts:
        return f"no contradiction, but {len(repeated.changed_verdicts)} verdicts changed: {found} ({cannot})"
    return f"the same answer: {found} ({cannot})"
