# SPDX-License-Identifier: GPL-2.0-only
"""A ladder finds every step, also those that creep."""

from kassay.analysis.analyse import compare
from kassay.analysis.ladder import find_steps
from kassay.model.finding import Finding
from kassay.model.workload import Phase
from tests.analysis.plans import plan_of
from tests.analysis.sides import evidence, measurement

PHASE = Phase(name="iteration", operation="page", definition="x", primary=True)


def steps(*values: int) -> list[tuple[str, str, str]]:
    group = [
        evidence(
            f"k{i}", *(measurement([v * 1000] * 5, repeat=r, perturbation=max(0, r - 1)) for r in range(4)), index=i
        )
        for i, v in enumerate(values)
    ]
    plan = plan_of(len(values), question="ladder")

    def judge(a: int, b: int) -> Finding:
        return compare(plan, group[a], group[b], PHASE)

    return [(f.base, f.head, f.verdict) for f in find_steps(len(values), judge)]


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
