# SPDX-License-Identifier: GPL-2.0-only
"""A ladder finds every step, also those that creep."""

from kassay.analysis.analyse import compare
from kassay.analysis.steps import find_steps
from kassay.model.finding import Finding
from kassay.model.run import CellEvidence
from kassay.model.workload import Phase
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement

PHASE = Phase(name="iteration", operation="page", definition="x", primary=True)


def kernel(index: int, value: int | None) -> CellEvidence:
    """A kernel with two plain and two perturbed runs, or one that never ran."""
    if value is None:
        return evidence(f"k{index}", index=index, failures=("panic",))
    runs = (measurement([value * 1000] * 5, repeat=r, perturbation=max(0, r - 1)) for r in range(4))
    return evidence(f"k{index}", *runs, index=index)


def steps(*values: int | None) -> list[tuple[str, str, str]]:
    group = [kernel(index, value) for index, value in enumerate(values)]
    plan = plan_of(len(values), question="ladder")

    def judge(a: int, b: int) -> Finding:
        return compare(plan, group[a], group[b], PHASE, "mode", None)

    return [(f.base, f.head, f.verdict) for f in find_steps([value is not None for value in values], judge)]


def test_no_step_where_nothing_changes() -> None:
    assert steps(300, 300, 300) == []


def test_every_step_is_found_not_just_the_largest() -> None:
    assert steps(300, 300, 672, 672, 700, 650) == [
        ("k1", "k2", "regression"),
        ("k3", "k4", "regression"),
        ("k4", "k5", "improvement"),
    ]


def test_changes_inside_the_margin_do_not_add_up_unseen() -> None:
    assert steps(1000, 1006, 1012, 1018) == [("k0", "k2", "regression")]


def test_a_kernel_that_failed_does_not_hide_a_step() -> None:
    assert steps(300, None, 672, 672) == [("k0", "k1", "incomplete"), ("k0", "k2", "regression")]
    assert steps(None, 300, 300) == [("k0", "k1", "incomplete")]
    assert steps(300, 672, None) == [("k0", "k1", "regression"), ("k1", "k2", "incomplete")]
