# SPDX-License-Identifier: GPL-2.0-only
"""The verdict of a report: a sentence for each comparison or ladder, and how strong the evidence is."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kassay.model.experiment import labels
from kassay.model.finding import EVIDENCE, REFUSED, Finding, Ladder
from kassay.model.gap import Gap
from kassay.model.plan import Plan
from kassay.model.reason_texts import reason_text
from kassay.model.series import SeriesTable
from kassay.model.texts import cpus_text, memory_text
from kassay.model.timing import Family
from kassay.report.names import spoken_names
from kassay.report.sentences import compare_sentence, ladder_sentence, subject
from kassay.report.timing import family_sentence

AtPoint = Finding | Ladder | Gap | SeriesTable
"""What has a workload, settings and a machine."""


def verdict_of(plan: Plan, findings: Sequence[Finding], ladders: Sequence[Ladder], families: Sequence[Family]) -> str:
    """What all settings say together, then one sentence per primary metric, workload, setting and machine, and how
    strong the evidence is."""
    names = spoken_names(plan.experiment)
    called = dict(zip(labels(plan.experiment), names, strict=True))
    sentences = [family_sentence(family) for family in families]
    for one in ladders or findings:
        if not one.primary:
            continue
        what = work_at(plan, one)
        if isinstance(one, Ladder):
            sentences.append(ladder_sentence(what, one, names))
        else:
            base, head = (called.get(side.kernel, side.kernel) for side in one.sides)
            sentences.append(compare_sentence(what, one, base, head))
    return " ".join((*sentences, *strength(findings))) or "Nothing was measured."


def work_at(plan: Plan, one: AtPoint) -> str:
    """The work, and at which point of the matrix."""
    point = ", ".join(_point(plan, one))
    what = subject(next(w for w in plan.workloads if w.name == one.workload), one.settings)
    return f"{what} ({point})" if point else what


def _point(plan: Plan, one: AtPoint) -> list[str]:
    """Where in the experiment's matrix this is: only what takes more than one value."""
    uses = [use for use in plan.experiment.workloads if use.name == one.workload]
    varied = {axis.name for use in uses for axis in use.axes if len(axis.values) > 1 or len(uses) > 1}
    words = [f"{item.name}={item.value}" for item in one.settings if item.name in varied]
    if len({cell.machine for cell in plan.cells}) > 1:
        machine = (cpus_text(one.machine.cpus), memory_text(one.machine.memory_bytes))
        words += [text for text in machine if text]
    return words


def strength(
    findings: Sequence[Finding], names: Mapping[str, str] = MappingProxyType({}), *, everyday: bool = False
) -> tuple[str, ...]:
    """Said whenever it is not the strongest: a sentence must not sound surer than it is.

    names: what a kernel's label is called. everyday: in words that need no glossary.
    """
    admitted = [f for f in findings if f.primary and f.verdict not in REFUSED]
    weak = [f for f in admitted if f.evidence not in ("exact", "reliable")]
    if not weak:
        return ()
    worst = max((f.evidence for f in weak), key=list(EVIDENCE).index)
    reasons = list(dict.fromkeys(reason for f in weak if f.evidence == worst for reason in f.reasons))
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    title = "Weaker than it looks" if everyday else f"Evidence: {worst}"
    because = f" ({reason_text(reasons[0], names, everyday=everyday)}{more})" if reasons else ""
    return (f"{title}{because}.",)
