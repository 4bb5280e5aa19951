# SPDX-License-Identifier: GPL-2.0-only
"""Series -> where it may have changed; a nomination -> the experiment that can confirm it, and what its report says."""

import hashlib
from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import msgspec

from kassay.effects import clock
from kassay.errors import BadInput
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.finding import REFUSED, Finding
from kassay.model.kernel import parse_ref
from kassay.model.kinds import kinds
from kassay.model.program import ProgramUse
from kassay.model.reason_texts import reason_text
from kassay.model.records import from_json
from kassay.model.report import Report
from kassay.model.texts import counted
from kassay.model.timing import LOOKS
from kassay.supply.clocks import clock_of
from kassay.tools.history.archive import Archive
from kassay.tools.history.changes import MINIMUM_SEGMENT, change_points, exact_changes
from kassay.tools.history.records import (
    ComparisonDetail,
    Confirmation,
    KernelPoint,
    Nomination,
    PointLine,
    StoredSeries,
)

_TIMED_NEEDS = 2 * MINIMUM_SEGMENT
_COUNTS_NEED = 2


class Known(NamedTuple):
    """The part of an archive that says more about a pair of kernels than their values."""

    confirmed: Mapping[str, Confirmation] = {}
    """Latest outcome of each nomination that was measured again, by its id."""
    refused: Mapping[tuple[str, frozenset[str]], str] = {}
    """Ids of a series and of two of its kernels, in either order -> verdict and reason of the comparison that refuses
    them."""


def known(archive: Archive) -> Known:
    """All outcomes and refusals."""
    return Known({outcome.nomination: outcome for outcome in _outcomes(archive)}, _refused(archive))


def _refused(archive: Archive) -> dict[tuple[str, frozenset[str]], str]:
    """The pairs whose latest comparison is a refusal."""
    if not archive.has_comparisons:
        return {}
    latest: dict[tuple[str, frozenset[str]], str] = {}
    for series, base, head, verdict, detail in archive.rows(
        "SELECT s.id, b.id, h.id, c.verdict, c.detail FROM t_comparisons c JOIN t_series s USING (series)"
        " JOIN t_kernels b ON b.kernel = c.base JOIN t_kernels h ON h.kernel = c.head"
        " ORDER BY c.rowid"
    ):
        words = ""
        if verdict in REFUSED:
            words = "; ".join((verdict, *from_json(detail.encode(), ComparisonDetail).reasons[:1]))
        latest[series, frozenset((base, head))] = words
    return latest


def nominations(line: PointLine, known: Known) -> tuple[Nomination, ...]:
    """Every nomination of one series, in the order of its points."""
    points = _usable(line)
    values = [point.value for point in points if point.value is not None]
    if not clock_of(line.series.machine.clock).timed:
        found = exact_changes(values, [point.floor for point in points])
        starts = [index for index, _ in found]
        reasons = [f"exact counts; neighbours and layout explain up to {limit:.2%}" for _, limit in found]
        changes = [values[index] / values[index - 1] - 1 for index in starts]
    else:
        starts = list(change_points(values))
        reasons = [f"{len(values)} points; segments found by their cost, noise allowed for"] * len(starts)
        levels = [median(values[begin:end]) for begin, end in pairwise((0, *starts, len(values)))]
        changes = [after / before - 1 for before, after in pairwise(levels)]
    lengths = [end - begin for begin, end in pairwise((0, *starts, len(values)))]
    return tuple(
        _nomination(line, (points[start - 1], points[start]), change, of_both, reason, known)
        for start, change, of_both, reason in zip(starts, changes, pairwise(lengths), reasons, strict=True)
    )


def too_short(line: PointLine) -> str:
    """Why nothing can be nominated in this series, "" when it can."""
    needed = _TIMED_NEEDS if clock_of(line.series.machine.clock).timed else _COUNTS_NEED
    count = len(_usable(line))
    texts = f"{counted(count, 'point')}; at least {needed} are needed to nominate one", left_out(line)
    return "; ".join(filter(None, texts)) if count < needed else ""


def left_out(line: PointLine) -> str:
    """Number of points that have a value and are never nominated, and why; "" if there are none."""
    count = sum(point.value is not None for point in line.points) - len(_usable(line))
    are = "is" if count == 1 else "are"
    return (
        f"{counted(count, 'point')} at or below 0 {are} left out: no change from or to 0 is nominated" if count else ""
    )


def _usable(line: PointLine) -> list[KernelPoint]:
    return [point for point in line.points if point.value is not None and point.value > 0]


def outcome_in(archive: Archive, name: str, directory: str) -> Confirmation | None:
    """The stored outcome of a nomination's pair in a run directory; None if that pair was not judged."""
    return next((o for o in _outcomes(archive) if (o.nomination, o.directory) == (name, directory)), None)


def _outcomes(archive: Archive) -> list[Confirmation]:
    names = Confirmation.__struct_fields__
    rows = archive.rows(f"SELECT {', '.join(names)} FROM t_confirmations ORDER BY when_utc, rowid")
    return [Confirmation(**dict(zip(names, row, strict=True))) for row in rows]


def judged_directories(archive: Archive) -> set[str]:
    """The run directories of the pairs of all stored outcomes."""
    return {directory for (directory,) in archive.rows("SELECT DISTINCT directory FROM t_confirmations")}


def remember(archive: Archive, outcome: Confirmation) -> None:
    """Stores an outcome; earlier ones of the same nomination stay."""
    names = Confirmation.__struct_fields__
    marks = ", ".join("?" for _ in names)
    archive.run(
        f"INSERT INTO t_confirmations ({', '.join(names)}) VALUES ({marks})", [getattr(outcome, name) for name in names]
    )


def _nomination(
    line: PointLine, sides: tuple[KernelPoint, KernelPoint], change: float, points: tuple[int, int], why: str,
    known: Known,
) -> Nomination:  # fmt: skip
    key = "\0".join((line.series.id, *(f"{point.kernel.id} {point.session}" for point in sides)))
    name = hashlib.sha256(key.encode()).hexdigest()[:8]
    return Nomination(
        id=name, series=line.series, before=sides[0], after=sides[1], change=change, points=points, why=why,
        confirmation=known.confirmed.get(name),
        refusal=known.refused.get((line.series.id, frozenset(point.kernel.id for point in sides)), ""),
    )  # fmt: skip


_DIRECTIONS = {"regression": 1, "improvement": -1, "equivalent": 0}


def why_not(nomination: Nomination) -> str:
    """Reason why this pair cannot be measured again. "" if it can be tried."""
    if clock_of(nomination.series.machine.clock).imported:
        return "the values were imported; what they were measured on is not known"
    sides = nomination.before.kernel, nomination.after.kernel
    unnamed = [kernel.name for kernel in sides if not kernel.ref]
    if unnamed:
        return f"{', '.join(unnamed)}: no reference names this kernel"
    if sides[0].id == sides[1].id:
        return "both sides are one kernel, measured on two dates: whatever moved, the kernel did not"
    moving = [kernel.name for kernel in sides if kinds()[parse_ref(kernel.ref).kind].native]
    return f"{', '.join(moving)}: the host's own kernel, which only runs one at a time" if moving else ""


def experiment_for(archive: Archive, nomination: Nomination) -> Experiment:
    """The stored experiment, narrowed to the two sides, this setting and this machine; interleaved, kernels pinned.

    It gets at least what a verdict needs: two plain and two perturbed runs of counts, six boots of times.
    Raises BadInput when no stored experiment has this series.
    """
    sides = nomination.after.kernel, nomination.before.kernel
    rows = archive.rows(
        "SELECT any_value(e.spec) FROM t_samples s JOIN t_experiments e USING (experiment)"
        " JOIN t_series r USING (series) JOIN t_kernels k USING (kernel)"
        " WHERE r.id = ? AND list_contains(?, k.id) AND e.kind = 'run'"
        " GROUP BY e.experiment ORDER BY max(s.started_utc) DESC LIMIT 1",
        [nomination.series.id, [kernel.id for kernel in sides]],
    )
    if not rows:
        raise BadInput(f"{nomination.id}: no experiment of it is stored", "add its run directory again")
    try:
        stored = from_json(rows[0][0].encode(), Experiment)
    except msgspec.ValidationError as error:
        raise BadInput(
            f"{nomination.id}: its experiment cannot be read: {error}", "measure with kassay compare"
        ) from error
    return _pair(stored, nomination)


def _pair(stored: Experiment, nomination: Nomination) -> Experiment:
    series = nomination.series
    cmdline = next(c.value for c in series.conditions if c.name == "kernel parameters")
    cpus, memory, cpu = series.machine.cpus, series.machine.memory_bytes, series.whole_machine.cpu
    timed = clock_of(series.machine.clock).timed
    axes = tuple(Axis(name=setting.name, values=(setting.value,)) for setting in series.settings)
    return msgspec.structs.replace(
        stored, name=f"confirm-{series.workload}-{nomination.id}", question="compare", order="interleaved",
        kernels=tuple(KernelUse(ref=p.kernel.ref, cmdline=cmdline) for p in (nomination.before, nomination.after)),
        workloads=(WorkloadUse(name=series.workload, axes=axes, program=_program(stored, series.workload)),),
        cpus=stored.cpus if cpus is None else (cpus,),  # None: a remote machine, where nothing is chosen
        memory_bytes=stored.memory_bytes if memory is None else (memory,), cpu=(cpu,) if cpu else msgspec.UNSET,
        repeats=max(stored.repeats, LOOKS[0] if timed else 2),
        perturb=stored.perturb if timed else max(stored.perturb, 2),
    )  # fmt: skip


def _program(stored: Experiment, workload: str) -> ProgramUse | msgspec.UnsetType:
    """The user's program, or the application, that a workload of the stored experiment runs."""
    return stored.program(workload) or msgspec.UNSET


def judged(nomination: Nomination, report: Report, directory: str) -> Confirmation:
    """Judgement of a fresh pair: confirmed if it has a verdict in the nominated direction, on the strongest evidence of
    its clock; not confirmed if it has another verdict on such evidence; else undecided, with the reason."""
    finding = next((f for f in report.findings if _is_of(f, nomination.series)), None)
    if finding is None:
        return _outcome(nomination, "undecided", "the fresh pair has no value of this series", directory)
    why = f": {reason_text(finding.reasons[0])}" if finding.reasons else ""
    refused = finding.verdict in REFUSED
    text = f"refused, {finding.verdict}{why}" if refused else f"{finding.verdict}, evidence {finding.evidence}{why}"
    return _outcome(nomination, _outcome_of(nomination, finding), text, directory, finding)


def _is_of(finding: Finding, series: StoredSeries) -> bool:
    """True if a finding is about the metric and the point of a series. A later version of its workload may have further
    settings."""
    wanted = series.workload, series.metric, series.whole_machine
    return (finding.workload, finding.metric, finding.machine) == wanted and {*series.settings} <= {*finding.settings}


def _outcome_of(nomination: Nomination, finding: Finding) -> str:
    if finding.verdict not in _DIRECTIONS or finding.evidence not in ("exact", "reliable", "robust-only"):
        return "undecided"
    towards = _DIRECTIONS[finding.verdict] * (-1 if finding.better == "higher" else 1)
    return "confirmed" if towards * nomination.change > 0 else "not confirmed"


def not_reproducible(nomination: Nomination, why: str) -> Confirmation:
    """The outcome of a pair that could not be measured."""
    return _outcome(nomination, "not reproducible", why, "")


def _outcome(nomination: Nomination, outcome: str, words: str, directory: str,
             finding: Finding | None = None) -> Confirmation:  # fmt: skip
    interval = finding.interval if finding is not None else None
    return Confirmation(
        nomination=nomination.id, when_utc=clock.utc_now(), outcome=outcome, words=words, directory=directory,
        verdict=finding.verdict if finding else "", evidence=finding.evidence if finding else "",
        change=finding.change if finding else None, low=interval[0] if interval else None,
        high=interval[1] if interval else None,
    )  # fmt: skip
