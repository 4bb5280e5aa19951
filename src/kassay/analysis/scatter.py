# SPDX-License-Identifier: GPL-2.0-only
"""How boots scatter -> the evidence word of a timed verdict, as the seeds use it."""

from kassay.analysis.statistics import seed_rules
from kassay.model.finding import Side
from kassay.model.reason import Reason, reason

_WORSE = (("unstable", "boots-far-apart"), ("robust-only", "boots-stray"))
"""Evidence words with the code of the reason for each; the limit of both is the seeds' own."""


def word(base: Side, head: Side, *, decided: bool, doubted: bool) -> tuple[str, tuple[Reason, ...]]:
    """(evidence, why it is not the strongest).

    partial: something is missing or doubtful, or the boots do not decide. unstable: the typical boot is more than 10 %
    from the median. robust-only: single boots stray so that mean and standard deviation mislead. Else reliable.
    """
    if doubted or not decided:
        return "partial", ()
    scatter = [(side.kernel, seed_rules.side(side.runs)) for side in (base, head)]
    for name, code in _WORSE:
        measured = [(kernel, (one.mad_ratio if name == "unstable" else one.cv) or 0.0) for kernel, one in scatter]
        if wide := tuple((kernel, value) for kernel, value in measured if value > seed_rules.MAX_CV):
            return name, (reason(code, shares=wide),)
    return "reliable", ()
