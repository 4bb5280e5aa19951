# SPDX-License-Identifier: GPL-2.0-only
"""value: what one kernel costs, as in a step of a bisection; nothing is compared."""

from msgspec import structs

from kassay.model.question import Answered, Kernels, Question, neighbours
from kassay.model.reason_texts import reasons_text
from kassay.model.report import Report
from kassay.model.units import format_numbers
from kassay.report.names import spoken_names


def _complete(answered: Answered) -> Report:
    from kassay.analysis.value import primary_value  # slow to load, and not needed to check an experiment

    (kernel,) = spoken_names(answered.plan.experiment)
    found = primary_value(answered.plan, answered.evidence)
    if found.refused or found.side.value is None:
        why = reasons_text(found.refused) or "nothing was measured"
        return structs.replace(answered.report, verdict=f"{found.metric} of {kernel} is not known: {why}.")
    value = f"{format_numbers([found.side.value])[0]} {found.unit} ({found.metric})"
    return structs.replace(answered.report, verdict=f"{value} on {kernel}. It is compared with nothing.")


QUESTION = Question(
    name="value",
    kernels=Kernels(least=1, most=1, rule="a value is of one kernel"),
    pairs=neighbours,
    title=lambda work, kernels: f"What does {work} cost on {kernels[0]}?",
    complete=_complete,
)
