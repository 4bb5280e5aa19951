# SPDX-License-Identifier: GPL-2.0-only
"""What every reader is told beside the verdict: on which state the kernels worked, and what limits the claim."""

from collections.abc import Sequence

from kassay.clocks import clock_of
from kassay.model.experiment import labels
from kassay.model.finding import REFUSED, Finding
from kassay.model.measurement import CellEvidence
from kassay.model.plan import Plan
from kassay.model.reason import Reason, own_words, reason

_STATE_FIELDS = (
    ("range.Rss", "kB resident"), ("range.AnonHugePages", "kB AnonHugePages"),
    ("range.KernelPageSize", "kB pages"), ("pagemap.present", "pages present"), ("range.vmas", "VMA"),
)  # fmt: skip
UNKNOWN_STATES = ("memory-not-known", "memory-of-files")
"""Codes of a state that nothing is known of."""


def memory_state(findings: Sequence[Finding], evidence: Sequence[CellEvidence]) -> Reason:
    """Whether the kernels worked on the same state of memory, and on which."""
    apart = next((f for f in findings if f.differences), None)
    if apart is not None:
        d = apart.differences[0]
        base, head = (side.kernel for side in apart.sides)
        return reason("memory-differs", field=d.field, moment=d.moment, base_value=d.base, base=base,
                      head_value=d.head, head=head)  # fmt: skip
    measured = [item.measurements[0] for item in evidence if item.measurements]
    if not measured:
        return reason("memory-not-known")
    refused = sorted({f.verdict for f in findings if f.verdict in REFUSED})
    if refused:
        counts = tuple((verdict, sum(f.verdict == verdict for f in findings)) for verdict in refused)
        return reason("memory-not-shown", verdicts=counts)
    before = dict(measured[0].before)
    fields = tuple((unit, value) for name, unit in _STATE_FIELDS if (value := before.get(name)) is not None)
    notes = sorted({note for item in measured for note in item.notes})
    note = notes[0] if len(notes) == 1 else None
    return reason("memory-same", fields=fields, note=note) if fields else reason("memory-not-audited", note=note)


def disclosures(plan: Plan, evidence: Sequence[CellEvidence], cmdline: str) -> tuple[Reason, ...]:
    """Notes of the workloads, what else differs, limits of the clock, parameters. cmdline: that all runs share."""
    first = [(item.label, item.measurements[0]) for item in evidence if item.measurements]
    notes = tuple(own_words(note, label) for label, measurement in first for note in measurement.notes)
    limits = (reason("clock-limit", text=text) for text in clock_of(plan.experiment.clock).limits)
    # A difference between two compilers looks like one between two kernels.
    several = len({kernel.compiler for kernel in plan.kernels if kernel.compiler}) > 1
    compilers = (reason("different-compilers"),) if several else ()
    return (*notes, *compilers, *limits, *_parameters(plan, cmdline), *_contaminated(plan))


def _parameters(plan: Plan, cmdline: str) -> tuple[Reason, ...]:
    """The kernel parameters of all runs, and those of single kernels."""
    own = tuple(
        reason("own-parameters", which=label, parameters=use.cmdline)
        for label, use in zip(labels(plan.experiment), plan.experiment.kernels, strict=True)
        if use.cmdline
    )
    return (*((reason("command-line", parameters=cmdline),) if cmdline else ()), *own)


def _contaminated(plan: Plan) -> tuple[Reason, ...]:
    """Of runs that were disturbed on purpose."""
    waited = () if plan.experiment.quiesce else (reason("did-not-wait"),)
    tasks = plan.experiment.background
    return (*waited, *((reason("background-tasks", count=tasks),) if tasks else ()))
