# SPDX-License-Identifier: GPL-2.0-only
"""Three kernels give a share, or the reason why there is none; its functions add up to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kassay.analysis.attribution import itemise
from kassay.analysis.exact import judge_counts
from kassay.analysis.gap import gaps
from kassay.model.finding import Finding, Side
from kassay.model.machine import MachineUse
from kassay.model.profile import Profile
from kassay.model.reason import reason
from tests.analysis.profiles import BASE, HEAD, profile, value
from tests.analysis.sides import side
from tests.analysis.test_attribution import SPLIT, WHOLE

MACHINE = MachineUse(arch="x86_64", clock="icount", cpus=1, memory_bytes=1 << 30)
KERNELS = ("old", "new", "candidate")
INLINED = profile(
    {
        "do_mprotect_pkey": (15_300, 1), "change_protection": (200, 1), "change_pte_range": (244_200 + 300_000, 4),
        "vm_normal_page": (80_000, 2000), "pte_val": (12_000, 4000), "measure@user": (15_000, 0),
    },
    {("do_mprotect_pkey", "change_protection"): 1, ("change_protection", "change_pte_range"): 4,
     ("change_pte_range", "vm_normal_page"): 2000, ("change_pte_range", "pte_val"): 2000},
    operations=1000,
)  # fmt: skip


def pair(base: Side, head: Side, profiles: tuple[Profile, Profile] | None = None) -> Finding:
    judged = judge_counts(base, head, 0.01, None)
    found = Finding(
        workload="w", settings=(), machine=MACHINE, metric="iteration", primary=True, unit="instructions/page",
        definition="", better="lower", base=base.kernel, head=head.kernel, base_value=base.value,
        head_value=head.value, change=judged.change, interval=judged.interval, n_base=2, n_head=2,
        verdict=judged.verdict, evidence=judged.evidence, scope="", reasons=judged.reasons, sides=(base, head),
    )  # fmt: skip
    if profiles is None or base.value is None or head.value is None:
        return found
    unit = "instructions/operation"
    return replace(found, attribution=itemise(*profiles, base.value, head.value, unit=unit))


def findings(*values: float, profiles: tuple[Profile, Profile, Profile] | None = None) -> tuple[Finding, ...]:
    sides = [side(name, one, one, perturbed=(one, one)) for name, one in zip(KERNELS, values, strict=True)]
    places = ((0, 1), (1, 2), (0, 2))
    return tuple(pair(sides[a], sides[b], profiles and (profiles[a], profiles[b])) for a, b in places)


def test_a_share_is_what_the_candidate_takes_back() -> None:
    (one,) = gaps(findings(300.0, 700.0, 600.0), KERNELS)
    assert (one.share, one.interval, one.evidence) == (0.25, (0.25, 0.25), "exact")
    assert one.n == (2, 2, 2)


def test_a_kernel_that_differs_from_itself_gives_no_share() -> None:
    lost, taken, left = findings(300.0, 700.0, 600.0)
    why = reason("control-missing")
    (one,) = gaps((lost, replace(taken, verdict="inconclusive", evidence="unstable", reasons=(why,)), left), KERNELS)
    assert one.share is None
    assert [(found.code, found["because"]) for found in one.reasons] == [("comparison-refused", why)]


def test_without_a_change_there_is_no_gap() -> None:
    (one,) = gaps(findings(300.0, 300.5, 250.0), KERNELS)
    assert one.share is None and one.reasons == (reason("no-gap", base="old", head="new", verdict="equivalent"),)


def test_an_undecided_change_is_no_missing_gap() -> None:
    lost, taken, left = findings(300.0, 390.0, 303.0)
    (one,) = gaps((replace(lost, verdict="inconclusive"), taken, left), KERNELS)
    assert one.share is None
    assert one.reasons == (reason("gap-undecided", base="old", head="new", verdict="inconclusive"),)


def test_a_refused_comparison_refuses_the_share() -> None:
    lost, taken, left = findings(300.0, 700.0, 600.0)
    why = reason("state-differs", field="THP")
    (one,) = gaps((lost, replace(taken, verdict="state-mismatch", reasons=(why,)), left), KERNELS)
    refused = reason("comparison-refused", base="new", head="candidate", verdict="state-mismatch", because=why)
    assert one.share is None and one.reasons == (refused,)


def test_a_gain_that_is_given_up_is_a_share_too() -> None:
    (one,) = gaps(findings(700.0, 300.0, 400.0), KERNELS)
    assert one.share == pytest.approx(0.25)


def test_functions_add_up_to_the_share() -> None:
    profiles = (BASE, HEAD, INLINED)
    (one,) = gaps(findings(*map(value, profiles), profiles=profiles), KERNELS)
    assert one.share is not None and one.unattributed is not None and one.old_value and one.new_value
    total = one.new_value - one.old_value
    assert sum(f.lost for f in one.functions) + one.unattributed[0] == pytest.approx(total)
    assert sum(f.share for f in one.functions) + one.unattributed[1] / total == pytest.approx(one.share)


def test_code_that_only_moved_makes_one_row_and_no_shares_of_hundreds_of_percent() -> None:
    profiles = (BASE, HEAD, INLINED)
    (one,) = gaps(findings(*map(value, profiles), profiles=profiles), KERNELS)
    assert max(abs(f.share) for f in one.functions) < 0.2
    assert any("prot_commit_flush_ptes" in f.function and f.lost > 100 for f in one.functions)


def test_code_moved_into_what_the_root_calls_itself() -> None:
    again = replace(WHOLE, run="r3")
    lost, taken, left = findings(value(WHOLE), value(SPLIT), value(again), profiles=(WHOLE, SPLIT, again))
    (one,) = gaps((lost, taken, left), KERNELS)
    rows = {row.function: row.lost for row in one.functions}
    assert rows["change_pte_range with change_protection"] == 310_504 - 246_966
    assert rows["prot_commit_flush_ptes"] == 294_912


@given(st.lists(st.integers(0, 5000), min_size=9, max_size=9))
def test_shares_add_up_whatever_the_counts(counts: list[int]) -> None:
    names = ("a", "b", "c")
    made = [
        profile({name: (10_000 + 7 * i * 3000 + counts[3 * i + j], 1) for j, name in enumerate(names)})
        for i in range(3)
    ]
    (one,) = gaps(findings(*map(value, made), profiles=(made[0], made[1], made[2])), KERNELS)
    assert one.share is not None and one.old_value and one.new_value and one.unattributed is not None
    parts = sum(f.share for f in one.functions) + one.unattributed[1] / (one.new_value - one.old_value)
    assert parts == pytest.approx(one.share, abs=1e-9)
