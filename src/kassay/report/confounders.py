# SPDX-License-Identifier: GPL-2.0-only
"""What else differs between the compared kernels, in sentences that stand beside the verdict."""

from collections.abc import Mapping, Sequence

from kassay.model.configuration import TOPIC_OF
from kassay.model.confounder import CONFOUNDERS
from kassay.model.experiment import labels
from kassay.model.finding import REFUSED
from kassay.model.report import Report
from kassay.model.texts import listed, one_line
from kassay.report.names import called

_DIFFER = {
    "compiler": "Different compilers",
    "configuration": "Different configurations",
    "cpu": "Different CPU features",
}
Values = Mapping[str, str | None]
_GROUPS, _NAMES = 3, 4
"""A sentence has at most so many different values, and so many names that have the same; the others are counted."""


def confounding(report: Report) -> dict[tuple[str, str], Values]:
    """(code, name) -> what each kernel of the findings that the verdict is about has; kernels by label, in order.

    A refused comparison claims nothing, so nothing can be part of it.
    """
    found: dict[tuple[str, str], dict[str, str | None]] = {}
    options = {name: values for _, name, values in differing_options(report)}
    for finding in report.findings:
        if finding.primary and finding.verdict not in REFUSED:
            base, head = (side.kernel for side in finding.sides)
            for one in finding.confounders:
                values = found.setdefault((one.code, one.name), dict(options.get(one.name, {})))
                values.update({base: one.base, head: one.head})
    order = list(CONFOUNDERS)
    return dict(sorted(found.items(), key=lambda item: order.index(item[0][0])))


def confounder_sentences(report: Report, names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """One sentence for each code that differs, in the order of CONFOUNDERS; none where all agrees.

    names: what a kernel's label is called; the short names of sentences where none are given.
    """
    spoken = called(report) if names is None else names
    alike: dict[str, dict[str, list[str]]] = {}
    for (code, name), values in confounding(report).items():
        whole = len(values) == len(report.kernels)
        alike.setdefault(code, {}).setdefault(_listed(values, spoken, whole=whole), []).append(name)
    return tuple(one_line(f"{_DIFFER[code]} may be part of this: {_parts(found)}.") for code, found in alike.items())


def _parts(found: Mapping[str, Sequence[str]]) -> str:
    """found: values in words -> names of what has them, "" where the code says it all."""
    parts = [f"{_names(names)} {values}" if names[0] else values for values, names in found.items()]
    left = sum(len(names) for names in list(found.values())[_GROUPS:])
    return "; ".join([*parts[:_GROUPS], *([f"and {left} more"] if left else [])])


def _names(names: Sequence[str]) -> str:
    shown = list(names[:_NAMES])
    left = len(names) - len(shown)
    return f"{listed([*shown, f'{left} more'] if left else shown)} {'is' if len(names) == 1 else 'are'}"


def differing_options(report: Report) -> tuple[tuple[str, str, Values], ...]:
    """Topic, name and each kernel's value of every option in which two kernels differ, as far as that is known."""
    known = {
        label: {item.name: item.value for item in kernel.configuration or ()}
        for label, kernel in zip(labels(report.experiment), report.kernels, strict=True)
    }
    rows = (
        (topic, name, {label: found.get(name) for label, found in known.items()}) for name, topic in TOPIC_OF.items()
    )
    return tuple(row for row in rows if len(set(row[2].values()) - {None}) > 1)


def _listed(values: Values, names: Mapping[str, str], *, whole: bool) -> str:
    """ "gcc 12.2.0 for 6.1, gcc 14.2.0 for 6.12 and 6.17", or "for the others" at the end when it has every kernel."""
    kernels: dict[str, list[str]] = {}
    for label, value in values.items():
        kernels.setdefault("not known" if value is None else value, []).append(names.get(label, label))
    if whole and len(kernels) == 1:
        return f"{next(iter(kernels))} for any kernel"
    *first, last = (f"{value} for {listed(labels)}" for value, labels in kernels.items())
    if whole and first and len(next(reversed(kernels.values()))) > 2:
        last = f"{next(reversed(kernels))} for the others"
    return ", ".join((*first, last))
