# SPDX-License-Identifier: GPL-2.0-only
"""A ladder finds every step, also those that creep."""

from kassay.analysis.analyse import compare
from kassay.analysis.steps import find_steps
from kassay.model.finding import Finding
from kassay.model.run import CellEvidence
from kassay.model.workload import Phase
from tests.analysis.plans import plan_of
from tests.analysis.sides import STATE, evidence, measurement

PHASE = Phase(name="iteration", operation="page", definition="x", primary=True)


HUGE = (("range.AnonHugePages", "4096"), *STATE[1:])


def kernel(index: int, value: int | None) -> CellEvidence:
    """A kernel with two plain and two perturbed runs, or one that never ran. A negative value is one on huge pages."""
    if value is None:
        return evidence(f"k{index}", index=index, failures=("panic",))
    state = STATE if value > 0 else HUGE
    runs = (
        measurement([abs(value) * 1000] * 5, repeat=r, perturbation=max(0, r - 1), before=state, after=state)
        for r in range(4)
    )
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


def test_a_kernel_that_was_refused_does_not_hide_a_step() -> None:
    refused = [("k1", "k2", "state-mismatch"), ("k2", "k3", "state-mismatch")]
    assert steps(300, 300, -300, 672, 672) == [*refused, ("k1", "k3", "regression")]
    assert steps(300, 300, -300, 300, 300) == refused
    assert steps(300, 672, -672, 300) == [("k0", "k1", "regression"), *refused, ("k1", "k3", "improvement")]


def test_kernels_that_no_admitted_comparison_connects_have_no_step() -> None:
    assert steps(300, 300, -672, -672) == [("k1", "k2", "state-mismatch")]
    assert steps(300, -300, -672, 300) == [
        ("k0", "k1", "state-mismatch"), ("k1", "k2", "regression"), ("k2", "k3", "state-mismatch"),
    ]  # fmt: skip


def test_changes_inside_the_margin_add_up_past_a_refused_kernel() -> None:
    assert steps(1000, 1006, -1006, 1012)[2:] == [("k0", "k3", "regression")]
