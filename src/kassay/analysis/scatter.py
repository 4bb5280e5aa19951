# SPDX-License-Identifier: GPL-2.0-only
"""How boots scatter -> the evidence word of a timed verdict, as the seeds use it."""

from kassay.analysis.statistics import seed_rules
from kassay.model.finding import Side

_WORSE = (
    ("unstable", "half of the boots are further than 10 % from the median (MAD ratio)"),
    ("robust-only", "boots stray by more than 10 % (coefficient of variation)"),
)
"""Evidence words with what earns them; the limit of both is the seeds' own."""


def word(base: Side, head: Side, *, decided: bool, doubted: bool) -> tuple[str, tuple[str, ...]]:
    """(evidence, why it is not the strongest).

    partial: something is missing or doubtful, or the boots do not decide. unstable: the typical boot is more than 10 %
    from the median. robust-only: single boots stray so that mean and standard deviation mislead. Else reliable.
    """
    if doubted or not decided:
        return "partial", ()
    scatter = [(side.kernel, seed_rules.side(side.runs)) for side in (base, head)]
    for name, said in _WORSE:
        measured = [(kernel, (one.mad_ratio if name == "unstable" else one.cv) or 0.0) for kernel, one in scatter]
        if wide := [f"{value:.0%} on {kernel}" for kernel, value in measured if value > seed_rules.MAX_CV]:
            return name, (f"{said}: {', '.join(wide)}",)
    return "reliable", ()
