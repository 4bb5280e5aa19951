# SPDX-License-Identifier: GPL-2.0-only
"""A function that only one kernel executes is given to the function that holds its code on the other."""

from kassay.analysis.pairing import holders
from tests.analysis.profiles import BASE, HEAD, Calls, Counts, profile


def held(functions: Counts, calls: Calls) -> dict[str, str]:
    """Holders where the base executes "r" and "s" and the head these functions besides."""
    both: Counts = {"r": (10, 1), "s": (10, 1)}
    found = holders(profile(both), profile({**both, **functions}, calls))
    return {function: holder for (function, _), (holder, _) in found.items()}


def test_functions_below_one_function_of_both_kernels_lead_to_it() -> None:
    found = holders(BASE, HEAD)
    assert {function for function, _ in found} == {
        "change_pte_range", "prot_commit_flush_ptes", "vm_normal_page", "pte_val"
    }  # fmt: skip
    assert set(found.values()) == {("change_protection", "kernel")}


def test_what_vanished_leads_to_the_function_that_took_it_in() -> None:
    assert holders(HEAD, BASE) == holders(BASE, HEAD)


def test_callers_below_two_functions_leave_it_alone() -> None:
    calls = {("r", "n"): 1, ("s", "n"): 1, ("r", "only"): 1}
    assert held({"n": (5, 2), "only": (5, 1)}, calls) == {"only": "r"}


def test_two_ways_to_the_same_function_are_one_holder() -> None:
    calls = {("r", "a"): 1, ("r", "b"): 1, ("a", "n"): 1, ("b", "n"): 1}
    assert held({"a": (1, 1), "b": (1, 1), "n": (1, 2)}, calls) == {"a": "r", "b": "r", "n": "r"}


def test_a_function_that_nobody_is_known_to_call_is_alone_with_all_below_it() -> None:
    assert held({"n": (5, 1), "below": (5, 1)}, {("n", "below"): 1}) == {}


def test_calls_that_no_edge_explains_leave_it_alone() -> None:
    assert held({"n": (5, 3)}, {("r", "n"): 2}) == {}
    assert held({"n": (5, 3)}, {("r", "n"): 3}) == {"n": "r"}


def test_recursion_does_not_hide_the_holder() -> None:
    assert held({"n": (5, 3), "m": (5, 1)}, {("r", "n"): 1, ("n", "n"): 2, ("n", "m"): 1}) == {"n": "r", "m": "r"}
    assert held({"n": (5, 2), "m": (5, 1)}, {("n", "m"): 1, ("m", "n"): 1, ("r", "n"): 1}) == {"n": "r", "m": "r"}
    assert held({"n": (5, 1), "m": (5, 1)}, {("n", "m"): 1, ("m", "n"): 1}) == {}


def test_a_caller_that_counted_nothing_holds_nothing() -> None:
    assert held({"n": (5, 1)}, {("elsewhere", "n"): 1}) == {}


def test_code_without_a_symbol_holds_nothing() -> None:
    nameless: Counts = {"[no symbol]": (10, 1)}
    assert holders(profile(nameless), profile({**nameless, "n": (5, 1)}, {("[no symbol]", "n"): 1})) == {}
