# SPDX-License-Identifier: GPL-2.0-only
"""value: what one kernel costs, as in a step of a bisection; nothing is compared."""

from msgspec import structs

from kassay.model.question import Answered, Kernels, Question, neighbours
from kassay.model.reason_texts import reasons_text
from kassay.model.report import Report
from kassay.model.units import format_numbers
from kassay.report.words import short_kernel_names


def _complete(answered: Answered) -> Report:
    from kassay.analysis.itemised import own_texts  # slow to load, and not needed to check an experiment
    from kassay.analysis.value import primary_values

    (kernel,) = short_kernel_names(answered.plan.experiment)
    values = primary_values(answered.plan, answered.evidence)
    at_points = [f" at {text}" if text else "" for text in own_texts([value.point for value in values])]
    known = [
        f"{format_numbers([value.side.value])[0]} {value.unit} ({value.metric}) on {kernel}{at_point}"
        for value, at_point in zip(values, at_points, strict=True)
        if not value.refused and value.side.value is not None
    ]
    unknown = [
        f"{value.metric} of {kernel}{at_point} is not known: {reasons_text(value.refused) or 'nothing was measured'}."
        for value, at_point in zip(values, at_points, strict=True)
        if value.refused or value.side.value is None
    ]
    compared = "It is" if len(known) == 1 else "They are"
    sentences = [f"{'; '.join(known)}. {compared} compared with nothing."] if known else []
    return structs.replace(answered.report, verdict=" ".join((*sentences, *unknown)))


QUESTION = Question(
    name="value",
    kernels=Kernels(least=1, most=1, rule="a value is of one kernel"),
    pairs=neighbours,
    title=lambda work, kernels: f"What does {work} cost on {kernels[0]}?",
    complete=_complete,
)
