# SPDX-License-Identifier: GPL-2.0-only
"""The finding of a run directory that an answer is about, and the functions that cause it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kassay import answers
from kassay.analysis.itemised import values_of
from kassay.errors import BadInput, unknown
from kassay.labs.notice.applications import paths_of
from kassay.labs.notice.cost import cost_of
from kassay.labs.notice.kernels import Wanted, known_in
from kassay.labs.notice.model import Subject
from kassay.labs.notice.subject import Sought, sought_of
from kassay.model.finding import REFUSED, Finding
from kassay.model.kernel import full_ref


class Looked(NamedTuple):
    """The functions that are looked for, and the kernels."""

    wanted: Wanted
    sought: Sought
    subject: Subject
    entry_code: frozenset[str] = frozenset()
    """Functions by which every system call and fault enters the kernel."""


def looked_for(directory: Path, words: Sequence[str], settings: Mapping[str, str]) -> Looked:
    """The largest change of a primary metric; `words` (two kernels) and `settings` restrict the choice.

    Raises BadInput where there is no such finding, or it has no change or no call stacks.
    """
    kernels = {kernel.label: kernel for kernel in known_in(directory)}
    labels = tuple(_label(word, kernels, directory) for word in words)
    finding = _chosen(answers.findings(directory), labels, settings, directory)
    pair = finding.kernels
    profiles = answers.profiles(directory, pair, finding.metric, values_of(finding.point))
    base, head = map(paths_of, profiles)
    sought = sought_of(base, head)
    cost = cost_of(sought, base, head)
    assert cost.head is not None  # cost_of() got both sides
    return Looked(
        Wanted(kernels[pair[0]], kernels[pair[1]]),
        sought,
        Subject(
            workload=finding.workload, base=pair[0], head=pair[1], functions=cost.functions, settings=finding.settings,
            metric=finding.metric, unit=finding.unit, base_value=base.total, head_value=head.total,
            explained=(cost.head - cost.base) / (head.total - base.total), callers=sought.callers, entries=cost.entries,
        ),
        frozenset(name for side in (base, head) for path in side.paths for name in path.functions[: path.at]),
    )  # fmt: skip


def _label(word: str, labels: Mapping[str, object], directory: Path) -> str:
    """The directory's label of a kernel; its version alone is enough."""
    wanted = full_ref(word)
    label = next((label for label in labels if label in (word, wanted)), None)
    if label is None:
        raise unknown(f"{directory}: no kernel", wanted, labels)
    return label


def _chosen(
    findings: Sequence[Finding], labels: Sequence[str], settings: Mapping[str, str], directory: Path
) -> Finding:
    usable = [f for f in findings if f.primary and f.change is not None and f.verdict not in REFUSED]
    usable = [f for f in usable if f.sides[0].kernel != f.sides[1].kernel]
    if not usable:
        raise BadInput(f"{directory}: has no comparison of two kernels that was admitted",
                       "give a directory of compare or ladder, or name functions")  # fmt: skip
    if labels:
        named = [f for f in usable if f.kernels == tuple(labels)]
        if not named:
            have = dict.fromkeys(" ".join(f.kernels) for f in usable)
            raise BadInput(f"{directory}: does not compare {' with '.join(labels)}", f"it compares {'; '.join(have)}")
        usable = named
    at = [f for f in usable if settings.items() <= values_of(f.point).items()]
    if not at:
        raise unknown(f"{directory}: no finding has", " ".join(f"{name}={value}" for name, value in settings.items()),
                      dict.fromkeys(f"workload={f.workload}" for f in usable))  # fmt: skip
    return max(at, key=lambda f: abs(f.change or 0))
