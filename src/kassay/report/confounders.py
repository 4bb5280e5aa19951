# SPDX-License-Identifier: GPL-2.0-only
"""What else differs between the compared kernels, in sentences that stand beside the verdict."""

from collections.abc import Mapping

from kassay.model.confounder import CONFOUNDERS
from kassay.model.finding import REFUSED
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.report.names import called

_DIFFER = {
    "compiler": "Different compilers",
    "configuration": "Different configurations",
    "cpu": "Different CPU features",
}
Values = Mapping[str, str | None]


def confounding(report: Report) -> dict[tuple[str, str], Values]:
    """(code, name) -> what each kernel of the findings that the verdict is about has; kernels by label, in order.

    A refused comparison claims nothing, so nothing can be part of it.
    """
    found: dict[tuple[str, str], dict[str, str | None]] = {}
    for finding in report.findings:
        if finding.primary and finding.verdict not in REFUSED:
            base, head = (side.kernel for side in finding.sides)
            for one in finding.confounders:
                found.setdefault((one.code, one.name), {}).update({base: one.base, head: one.head})
    order = list(CONFOUNDERS)
    return dict(sorted(found.items(), key=lambda item: order.index(item[0][0])))


def confounder_sentences(report: Report, names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """One sentence for each code that differs, in the order of CONFOUNDERS; none where all agrees.

    names: what a kernel's label is called; the short names of sentences where none are given.
    """
    spoken = called(report) if names is None else names
    parts: dict[str, list[str]] = {}
    for (code, name), values in confounding(report).items():
        parts.setdefault(code, []).append(f"{name} is {_listed(values, spoken)}" if name else _listed(values, spoken))
    sentences = (f"{_DIFFER[code]} may be part of this: {'; '.join(texts)}." for code, texts in parts.items())
    return tuple(map(one_line, sentences))


def _listed(values: Values, names: Mapping[str, str]) -> str:
    """ "gcc 12.2.0 for 6.1, gcc 14.2.0 for 6.12 and 6.17"."""
    kernels: dict[str, list[str]] = {}
    for label, value in values.items():
        kernels.setdefault("not known" if value is None else value, []).append(names.get(label, label))
    return ", ".join(f"{value} for {_and(labels)}" for value, labels in kernels.items())


def _and(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
