# SPDX-License-Identifier: GPL-2.0-only
"""A repeated experiment against the first one: exact counts to the digit, times by findings; and the result as text."""

from collections.abc import Iterator, Sequence

from kassay.model.finding import Finding
from kassay.model.machine import MachineIdentity
from kassay.model.plan import Plan
from kassay.model.records import Record
from kassay.model.run import CellEvidence, Measurement


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
    """Largest difference, as a share of the packed figure."""
    where: str
    """Name of the figure with the largest difference."""


def values(packed: Sequence[Finding], rerun: Sequence[Finding]) -> Values | None:
    """The cost of each kernel, figure by figure. None where nothing was decided."""
    pairs = {
        f"{old.metric} of {kernel}{_settings(old)}": (then, now)
        for old, new in zip(packed, rerun, strict=False)
        for kernel, then, now in (
            (old.base, old.base_value, new.base_value),
            (old.head, old.head_value, new.head_value),
        )
        if then and now is not None
    }
    if not pairs:
        return None
    moved = {name: abs(now - then) / then for name, (then, now) in pairs.items()}
    where = max(moved, key=lambda name: moved[name])
    differing = sum(share > 0 for share in moved.values())
    return Values(compared=len(moved), differing=differing, widest=moved[where], where=where)


def _settings(finding: Finding) -> str:
    return f" ({' '.join(f'{s.name}={s.value}' for s in finding.settings)})" if finding.settings else ""


def same_counts(packed: Sequence[CellEvidence], rerun: Sequence[CellEvidence]) -> Repeated:
    """Compares each round of each phase of each run. Cells are matched by their index in the plan, runs by their
    repeat, because ids differ where a kernel reference was pinned."""
    pairs = [pair for cells in zip(packed, rerun, strict=True) for pair in _pairs(*cells)]
    differing = [line for old, new in pairs for line in _differing(old, new)]
    missing = [f"{old.run}: not measured again" for old, new in pairs if new is None]
    both = [old for old, new in pairs if new is not None]
    rounds = sum(len(phase.ticks) for old in both for phase in old.phases)
    return Repeated(exact=True, compared=len(both), rounds=rounds, differing=(*differing, *missing))


def _pairs(old: CellEvidence, new: CellEvidence) -> list[tuple[Measurement, Measurement | None]]:
    again = {measurement.repeat: measurement for measurement in new.measurements}
    return [(measurement, again.get(measurement.repeat)) for measurement in old.measurements]


def _differing(old: Measurement, new: Measurement | None) -> Iterator[str]:
    """One line for each phase: its first round that differs, and how many do."""
    phases = {} if new is None else {phase.phase: phase for phase in new.phases}
    for phase in old.phases if new is not None else ():
        other = phases.get(phase.phase)
        if other is None or (len(other.ticks), other.operations) != (len(phase.ticks), phase.operations):
            yield f"{old.run}: {phase.phase}: has other rounds or operations"
            continue
        rounds = [(i, a, b) for i, (a, b) in enumerate(zip(phase.ticks, other.ticks, strict=True), start=1) if a != b]
        if rounds:
            index, a, b = rounds[0]
            yield f"{old.run}: {phase.phase}: {len(rounds)} rounds differ, first round {index}: {a} then, {b} now"


def same_findings(packed: Sequence[Finding], rerun: Sequence[Finding]) -> Repeated:
    """Times never repeat to the digit. They agree if their intervals overlap and no verdict has changed direction."""
    differing = []
    for old, new in zip(packed, rerun, strict=True):
        name = f"{old.workload}.{old.metric} from {old.base} to {old.head}"
        if (old.workload, old.settings, old.metric) != (new.workload, new.settings, new.metric):
            differing.append(f"{name}: stands at another place now")
        elif {old.verdict, new.verdict} == {"regression", "improvement"}:
            differing.append(f"{name}: {old.verdict} then, {new.verdict} now")
        elif old.interval and new.interval and not _overlap(old.interval, new.interval):
            differing.append(f"{name}: {_range(old.interval)} then, {_range(new.interval)} now, which do not overlap")
        elif (old.interval is None) != (new.interval is None):
            differing.append(f"{name}: {old.verdict} then, {new.verdict} now, one of them without an interval")
    return Repeated(exact=False, compared=len(packed), rounds=0, differing=tuple(differing))


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
    lines += [f"  not alike to begin with: {line}" for line in repeated.unlike]
    return "\n".join(lines) + "\n"


def _values(values: Values) -> str:
    if not values.differing:
        return f"yet every figure of the report is the same to the digit: {values.compared} figures"
    return (
        f"{values.differing} of the report's {values.compared} figures differ, "
        f"by {values.widest:.2%} at most: {values.where}"
    )


def _verdict(repeated: Repeated) -> str:
    if not repeated.compared:
        return "nothing could be compared: no run of the bundle was made again"
    if repeated.exact and repeated.same:
        return f"the same to the digit: {repeated.compared} runs, {repeated.rounds} counts (every phase of every round)"
    if repeated.exact:
        return f"NOT the same: {len(repeated.differing)} differences in {repeated.compared} runs"
    cannot = "times cannot be equal to the digit"
    if repeated.same:
        same = f"the same answer: {repeated.compared} findings, none in another direction"
        return f"{same}, all intervals overlap ({cannot})"
    return f"NOT the same answer: {len(repeated.differing)} of {repeated.compared} findings ({cannot})"
