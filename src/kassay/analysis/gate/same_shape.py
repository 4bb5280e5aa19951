# SPDX-License-Identifier: GPL-2.0-only
"""Both kernels worked on the same page state: mapping sizes, huge pages, residency, swap."""

from msgspec import structs

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.finding import StateDifference
from kassay.model.reason import reason
from kassay.model.run import CellEvidence, Fields, Measurement

SHAPE = (
    "range.vmas", "range.Size", "range.Rss", "range.AnonHugePages", "range.ShmemPmdMapped", "range.FilePmdMapped",
    "range.KernelPageSize", "range.MMUPageSize", "range.Swap", "range.Locked", "range.KSM",
    "pagemap.present", "pagemap.swapped", "pageflags.thp", "pageflags.huge", "pageflags.zero",
    "swap.devices", "cpus.online",
    "range.Dirty", "range.THPeligible", "pageflags.compound_head", "pageflags.compound_tail",
    "host.governor", "host.turbo", "host.smt", "host.microcode",
)  # fmt: skip
"""Fields that must agree. A field that either kernel does not report is not compared, but shown.

compound_head counts the folios of more than one page, compound_tail their other pages: together the order of folios.
The pages' own flag "dirty" is not compared: a page that came back from swap has it on 7.3 and not on 6.12, and both
are dirty in the page table, which range.Dirty says. KSM is taken from smaps: /proc/kpageflags of 6.12 says KSM for
every anonymous page.
"""

ASKED = "state."
"""Begins the name of a field that a user asked for with --state: it must agree, too."""

PROGRAM = "program."
"""Begins the name of a field of a program's memory."""

_COUNTS = ("range.vmas", "range.THPeligible")
"""Fields range.* that are counts. All others are in kB."""


def _check(base: CellEvidence, head: CellEvidence) -> tuple[Refusal, ...]:
    unsteady = (*_steady(base), *_steady(head))
    if unsteady:
        return unsteady
    differing = _differences(_known(base), _known(head))
    if not differing:
        return ()
    first = differing[0]
    differs = reason(
        "state-differs", field=first.field, moment=first.moment, base_value=first.base, base=base.label,
        head_value=first.head, head=head.label, more=len(differing) - 1 or None,
    )  # fmt: skip
    return (Refusal(verdict="state-mismatch", reason=differs, differences=differing),)


def _known(side: CellEvidence) -> Measurement:
    """The first run, with fields that only later runs could read: their other values would go unseen."""
    before, after = (
        {name: value for fields in reversed(every) for name, value in fields if value is not None}
        for every in ([m.before for m in side.measurements], [m.after for m in side.measurements])
    )
    return structs.replace(side.measurements[0], before=tuple(before.items()), after=tuple(after.items()))


def _differences(base: Measurement, head: Measurement) -> tuple[StateDifference, ...]:
    return (*differences("before", base.before, head.before), *differences("after", base.after, head.after))


def differences(moment: str, base: Fields, head: Fields) -> tuple[StateDifference, ...]:
    """Shape fields that both sides report with different values. A field that a user asked for may not be absent on one
    side alone."""
    left, right = dict(base), dict(head)
    asked = sorted(name for name in left.keys() | right.keys() if name.startswith(ASKED))
    pairs = ((name, left.get(name), right.get(name)) for name in (*SHAPE, *asked))
    return tuple(
        StateDifference(moment=moment, field=name, base=_with_unit(name, a), head=_with_unit(name, b))
        for name, a, b in pairs
        if a != b and (name.startswith(ASKED) or (a is not None and b is not None))
    )


def _with_unit(field: str, value: str | None) -> str:
    """smaps counts in kB (Documentation/filesystems/proc.rst); the other fields are plain counts."""
    if value is None:
        return "absent"
    return f"{value} kB" if field.startswith("range.") and field not in _COUNTS else value


def _steady(side: CellEvidence) -> tuple[Refusal, ...]:
    """A side whose own runs were not in one state has no state to compare."""
    first = _known(side)
    for other in side.measurements:
        differing = tuple(d for d in _differences(first, other) if other.plain or not _moves_with_stack(d.field, first))
        if differing:
            d = differing[0]
            differ = reason(
                "runs-differ", side.label, field=d.field, moment=d.moment, value=d.base, run=first.run,
                other_value=d.head, other_run=other.run,
            )  # fmt: skip
            return (Refusal(verdict="state-mismatch", reason=differ, differences=differing),)
    return ()


def _moves_with_stack(field: str, run: Measurement) -> bool:
    """True for a field of a program's memory that a user asked for: perturbed runs move the stack, which may then take
    a page more."""
    name = field.removeprefix(ASKED).removeprefix(PROGRAM)
    return field.startswith(ASKED) and f"{PROGRAM}{name}" in dict(run.after)


RULE = GateRule(
    name="same_shape",
    summary="the compared kernels agree on the shape of what was measured",
    order=40,
    check=_check,
    fields=SHAPE,
)
