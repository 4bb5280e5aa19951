# SPDX-License-Identifier: GPL-2.0-only
"""Shares of a profile: a function with what it calls, and the ends of call chains, as the robot counts them."""

from msgspec.structs import replace

from kassay.model.profile import StackCost
from kassay.model.report import Report
from kassay.report.series import groups
from kassay.report.shares import profile_shares
from tests.report.reports import SAMPLES


def shares(report: Report) -> dict[str, tuple[float, ...]]:
    return profile_shares(report, groups(report)[0])


def stacked(*paths: tuple[str, int]) -> dict[str, tuple[float, ...]]:
    """Shares of a report whose kernels both executed these paths ("a b c": a calls b) in 100 operations.

    They are percentages of 301.6 and 672.6 instructions.
    """
    report = SAMPLES["compare"]()
    stacks = tuple(StackCost(path=("kernel", *path.split()), count=count) for path, count in paths)
    found = shares(replace(report, stacks=tuple(replace(s, operations=100, stacks=stacks) for s in report.stacks)))
    return {key: row for key, row in found.items() if ".self." not in key}


def test_a_function_with_what_it_calls_is_the_sum_of_the_paths_through_it() -> None:
    found = stacked(("a", 3016), ("a b", 6032), ("a c", 3016))
    assert [round(share) for share in found["perf-profile.children.instructions.a"]] == [40, 18]
    assert round(found["perf-profile.children.instructions.b"][0]) == 20


def test_a_function_that_calls_itself_counts_once() -> None:
    found = stacked(("a b a b", 3016))
    assert round(found["perf-profile.children.instructions.a"][0]) == 10
    assert round(found["perf-profile.calltrace.instructions.b.a"][0]) == 10


def test_a_chain_is_named_from_the_innermost_of_at_most_five_functions() -> None:
    found = stacked(("a b c d e f", 3016))
    chains = {key.removeprefix("perf-profile.calltrace.instructions.") for key in found if "calltrace" in key}
    assert chains == {"a", "b.a", "c.b.a", "d.c.b.a", "e.d.c.b.a", "f.e.d.c.b"}


def test_chains_with_the_same_end_are_added_up() -> None:
    found = stacked(("p a b c d e", 3016), ("q a b c d e", 3016))
    assert round(found["perf-profile.calltrace.instructions.e.d.c.b.a"][0]) == 20


def test_small_chains_and_functions_have_no_row() -> None:
    found = stacked(("a", 29800), ("a small", 120), ("a tiny", 10))
    assert "perf-profile.children.instructions.small" in found
    assert not any("small" in key for key in found if "calltrace" in key)
    assert not any("tiny" in key for key in found)


def test_where_a_kernel_has_no_call_stacks_functions_stand_alone() -> None:
    report = SAMPLES["compare"]()
    keys = shares(replace(report, stacks=report.stacks[:1]))
    assert keys and all(key.startswith("perf-profile.self.instructions.") for key in keys)


def test_without_a_profile_of_every_kernel_there_are_no_shares() -> None:
    assert shares(SAMPLES["ladder"]()) == {}
