# SPDX-License-Identifier: GPL-2.0-only
"""A difference, itemised: it adds up exactly, and code that only moved is seen as such."""

from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kassay.analysis.attribution import IDLE, itemise
from kassay.analysis.pairing import folded
from kassay.model.finding import Attribution
from kassay.model.profile import Profile
from tests.analysis.profiles import BASE, HEAD, Counts, cost, profile, value

UNIT = "instructions/page"
counts: st.SearchStrategy[Counts] = st.dictionaries(
    st.sampled_from(("a", "b", "c", "d", "a@interrupt", "main@user", "[no symbol]")),
    st.tuples(st.integers(0, 10**6), st.integers(0, 50)),
)


def itemised(base: Profile, head: Profile) -> Attribution:
    return itemise(base, head, value(base), value(head), unit=UNIT)


def exact(figure: float, *profiles: Profile) -> Fraction:
    """The fraction that a figure was rounded from: its denominator divides the product of the operations."""
    product = 1
    for one in profiles:
        product *= one.operations
    return Fraction(figure).limit_denominator(product)


@given(counts, counts, st.integers(1, 60), st.integers(1, 60), st.integers(0, 99), st.integers(0, 99))
def test_deltas_and_the_unattributed_rest_are_the_total_exactly(
    base: Counts, head: Counts, per_base: int, per_head: int, idle: int, unresolved: int
) -> None:
    a = profile(base, operations=per_base, idle=idle)
    b = profile(head, operations=per_head, unresolved=unresolved)
    found = itemised(a, b)
    assert a.ticks is not None and b.ticks is not None
    total = Fraction(b.ticks, per_head) - Fraction(a.ticks, per_base)
    deltas = [exact(row.delta, a, b) for row in found.rows]
    assert exact(found.total, a, b) == total
    assert sum(deltas) + exact(found.unattributed, a, b) == total
    assert exact(found.unattributed, b) == Fraction(unresolved, per_head)
    assert [abs(delta) for delta in deltas] == sorted(map(abs, deltas), reverse=True)


@given(counts, counts)
def test_every_function_of_either_side_has_one_row(base: Counts, head: Counts) -> None:
    rows = itemised(profile(base), profile(head)).rows
    assert len(rows) == len({(row.function, row.place, row.context) for row in rows}) == len(base.keys() | head.keys())


def test_a_value_that_is_no_count_of_the_profile_leaves_its_rest_unattributed() -> None:
    found = itemise(profile({"a": (10, 1)}), profile({"a": (30, 1)}), 1.0, 3.5, unit=UNIT)
    assert (found.total, found.rows[0].delta, found.unattributed) == (2.5, 2.0, 0.5)


def test_idle_time_is_a_row_of_its_own() -> None:
    found = itemised(profile({"a": (10, 1)}), profile({"a": (10, 1)}, idle=5))
    assert (found.rows[0].function, found.rows[0].context, found.rows[0].delta) == (IDLE, "idle", 0.5)
    assert found.unattributed == 0


def test_string_iterations_count_and_are_told_apart() -> None:
    head = msgspec.structs.replace(profile({}), functions=(cost("clear_page_erms", 10, 10, 40_950),), ticks=40_960)
    (row,) = itemised(profile({}), head).rows
    assert (row.head, row.head_iterations, row.head_calls) == (4096.0, 4095.0, 1.0)
    assert (row.base, row.base_iterations, row.base_calls) == (0.0, 0.0, 0.0)


def test_one_function_in_two_contexts_is_two_rows() -> None:
    found = itemised(profile({"memset": (10, 1)}), profile({"memset": (10, 1), "memset@interrupt": (20, 1)}))
    assert [(row.context, row.delta) for row in found.rows] == [("interrupt", 2.0), ("kernel", 0.0)]


def test_formerly_inlined_function_is_grouped_with_its_holder() -> None:
    found = itemised(BASE, HEAD)
    (group,) = found.groups
    assert group.root == "change_protection"
    assert group.functions == (
        "change_protection", "prot_commit_flush_ptes", "change_pte_range", "vm_normal_page", "pte_val"
    )  # fmt: skip
    assert (group.base, group.head, group.delta) == (270.3, 664.4, 394.1)
    alone = {row.function for row in found.rows if row.group is None}
    assert alone == {"do_mprotect_pkey", "measure"}


def test_the_same_pairing_the_other_way_round() -> None:
    (group,) = itemised(HEAD, BASE).groups
    assert (group.root, len(group.functions), group.delta) == ("change_protection", 5, -394.1)


def test_the_sentence_goes_by_groups_and_their_sums() -> None:
    assert itemised(BASE, HEAD).sentence == (
        "+394.1 instructions/page: change_protection with 4 callees +394.1 "
        "(of it prot_commit_flush_ptes +328, vm_normal_page +80)"
    )
    base = profile({"root": (1000, 1)}, operations=1)
    head = profile({"root": (950, 1), "new": (620, 1)}, {("root", "new"): 1}, operations=1)
    assert itemised(base, head).sentence == "+570 instructions/page: root with new +570"
    assert itemised(base, head).parts == "root with new +570"


# libMicro's mprot on 6.16 and 6.19: what 6.19 splits out of change_protection() is change_pte_range(), although the new
# prot_commit_flush_ptes() happens to offset the root better.
WHOLE = profile(
    {"change_protection": (247_646, 2), "can_change_pte": (48_128, 1024)},
    {("change_protection", "can_change_pte"): 1024},
    operations=1,
)
SPLIT = profile(
    {"change_protection": (680, 2), "change_pte_range": (310_504, 4), "prot_commit_flush_ptes": (294_912, 2048),
     "maybe_change_pte": (19_456, 1024)},
    {("change_protection", "change_pte_range"): 4, ("change_pte_range", "prot_commit_flush_ptes"): 2048,
     ("change_pte_range", "maybe_change_pte"): 1024},
    operations=1,
)  # fmt: skip


def test_a_root_exchanges_code_with_what_it_calls_itself() -> None:
    found = itemised(WHOLE, SPLIT)
    assert found.groups[0].counterpart == "change_pte_range"
    assert found.sentence == (
        "+329 778 instructions/page: change_protection with 4 callees +329 778 (of it prot_commit_flush_ptes +294 912)"
    )


def test_a_root_exchanges_code_with_a_deeper_function_if_its_own_callee_is_a_mere_wrapper() -> None:
    base = profile({"root": (1000, 1)}, operations=1)
    head = profile(
        {"root": (100, 1), "wrapper": (5, 1), "body": (910, 1), "other": (500, 1)},
        {("root", "wrapper"): 1, ("wrapper", "body"): 1, ("body", "other"): 1}, operations=1,
    )  # fmt: skip
    assert itemised(base, head).groups[0].counterpart == "body"
    assert "(of it other +500, wrapper +5)" in itemised(base, head).sentence


def test_a_function_with_another_name_is_counted_with_the_one_it_replaces() -> None:
    """From 7.0 to 7.3, kernel_init_pages has -563.7 and clear_highpages_kasan_tagged +553.1."""
    base = profile({"init_pages": (564, 1), "lru_add": (100, 1), "same": (50, 1)}, operations=1)
    head = profile({"clear_pages": (553, 1), "lru_add": (210, 1), "same": (50, 1)}, operations=1)
    assert itemised(base, head).sentence == ("+99 instructions/page: lru_add +110, init_pages with clear_pages -11")
    other = profile({"clear_pages": (553, 2), "lru_add": (210, 1), "same": (50, 1)}, operations=1)
    assert itemised(base, other).sentence.endswith("init_pages -564, clear_pages +553, lru_add +110")  # called twice


@pytest.mark.parametrize(
    ("old", "new", "paired"),
    [
        (("__mod_state", 80, 39), ("mod_state", 135, 36), True),  # the same but for underscores
        (("free_bulk.constprop.0", 1000, 10), ("free_bulk", 600, 10), True),  # the compiler made a copy, or no more
        (("__alloc_pages", 530, 300), ("__alloc_frozen_pages", 740, 301), True),  # nearly as often, one word more
        (("__alloc_pages", 530, 300), ("__alloc_frozen_pages", 740, 330), False),
        (("__alloc_pages", 530, 300), ("__free_frozen_commit", 540, 301), False),
        (("__alloc_pages", 530, 300), ("__alloc_frozen_pages", 1900, 301), False),  # does other work as well
    ],
)
def test_a_function_that_is_called_a_little_less_often_is_paired_by_its_name(
    old: tuple[str, int, int], new: tuple[str, int, int], paired: bool
) -> None:
    base, head = (profile({name: (cost, calls), "same": (9, 1)}, operations=1) for name, cost, calls in (old, new))
    found = itemised(base, head)
    rows = [row.function for row in found.rows]
    assert [(row.function, row.replaces) for row in found.rows if row.replaces is not None] == (
        [(new[0], rows.index(old[0]))] if paired else []
    )
    assert (f"{old[0]} with {new[0]} {new[1] - old[1]:+}" in found.sentence) == paired


def test_a_function_of_a_module_is_the_one_that_is_built_in_on_the_other_kernel() -> None:
    built_in = profile({"zs_malloc": (1050, 10), "same": (9, 1)})
    module = profile({"zs_malloc": (1000, 10), "same": (9, 1)})
    functions = tuple(
        replace(one, place="zsmalloc") if one.function == "zs_malloc" else one for one in module.functions
    )
    found = itemised(replace(module, functions=functions), built_in)
    assert found.sentence == "+5 instructions/page: zs_malloc +5"
    assert [(row.place, row.replaces) for row in found.rows] == [("kernel", 1), ("zsmalloc", None), ("kernel", None)]


def test_the_sentence_says_how_much_of_the_change_it_names() -> None:
    base = profile({f"f{i}": (100, 1) for i in range(12)}, operations=1)
    head = profile({f"f{i}": (100 + (40 if i < 4 else 5), 1) for i in range(12)}, operations=1)
    assert itemised(base, head).sentence == (
        "+200 instructions/page: f0 +40, f1 +40, f2 +40, f3 +40, and 8 smaller ones +40; "
        "those named are 80 % of the change"
    )


def test_clones_are_rows_of_their_own_unless_folded() -> None:
    base = profile({"f": (100, 2)})
    head = profile({"f": (40, 2), "f.isra.0": (50, 1), "f.isra.0.cold": (30, 1)}, {("f", "f.isra.0"): 1})
    assert [row.function for row in itemised(base, head).rows] == ["f", "f.isra.0", "f.isra.0.cold"]
    (row,) = itemised(folded(base), folded(head)).rows
    assert (row.function, row.delta, row.head_calls) == ("f", 2.0, 0.3)


def test_whose_profiles_and_rounds_these_are_is_kept() -> None:
    head = msgspec.structs.replace(HEAD, run="r2", rounds=(3, 4))
    found = itemised(BASE, head)
    assert (found.base_run, found.head_run, found.base_rounds, found.head_rounds) == ("r1", "r2", (1,), (3, 4))


@pytest.mark.parametrize("per", [7, 16_384, 65_536])
def test_a_difference_of_one_instruction_is_found_and_nothing_else(per: int) -> None:
    base = profile({"a": (123_457, 9), "b": (999_983, 2)}, operations=per)
    head = profile({"a": (123_457, 9), "b": (999_984, 2)}, operations=per)
    found = itemised(base, head)
    assert [row.function for row in found.rows if row.delta] == ["b"]
    assert exact(found.rows[0].delta, base) == Fraction(1, per)
    assert found.unattributed == 0
