# SPDX-License-Identifier: GPL-2.0-only
"""Costs of functions: own, with callees, and calls, per operation, of kernel code alone."""

from kassay.analysis.function_costs import FunctionShare, function_costs
from kassay.model.profile import CallEdge, FunctionCost, Profile, StackCost


def cost(function: str, context: str, instructions: int, calls: int, iterations: int = 0) -> FunctionCost:
    return FunctionCost(function=function, place="kernel", context=context, instructions=instructions, calls=calls,
                        iterations=iterations)  # fmt: skip


def profile(**changes: object) -> Profile:
    fields: dict[str, object] = {
        "kernel": "k", "run": "r", "mode": "stacks", "phase": "p", "rounds": (0,), "operations": 10, "ticks": None,
        "edges": (
            CallEdge(caller="outer", callee="inner.isra.0", context="kernel", calls=20),
            CallEdge(caller="tick", callee="inner.constprop.0", context="interrupt", calls=5),
        ),
        "functions": (
            cost("outer", "kernel", 100, 10), cost("inner.isra.0", "kernel", 40, 20, iterations=10),
            cost("inner.constprop.0", "interrupt", 50, 5), cost("main", "user", 1000, 1), cost("swapper", "idle", 7, 1),
        ),
        "stacks": (
            StackCost(path=("kernel", "outer"), count=100),
            StackCost(path=("kernel", "outer", "inner.isra.0", "inner.isra.0"), count=50),
            StackCost(path=("interrupt", "inner.constprop.0"), count=50),
            StackCost(path=("user", "main"), count=1000),
        ),
    }  # fmt: skip
    return Profile(**{**fields, **changes})  # type: ignore[arg-type]


def test_copies_are_added_up_and_a_recursive_function_counts_once() -> None:
    assert function_costs(profile()) == (
        FunctionShare("inner", 10.0, 10.0, 2.5, ("outer", "tick")), FunctionShare("outer", 10.0, 15.0, 1.0),
    )  # fmt: skip


def test_a_function_without_instructions_of_its_own_costs_what_it_calls_and_user_code_is_left_out() -> None:
    stacks = (StackCost(path=("kernel", "main", "outer", "waits", "inner.isra.0"), count=50),)
    found = {share.function: (share.own, share.whole) for share in function_costs(profile(stacks=stacks))}
    assert found == {"inner": (10.0, 5.0), "outer": (10.0, 5.0), "waits": (0.0, 5.0)}


def test_a_user_function_of_the_same_name_adds_nothing_to_the_kernels() -> None:
    stacks = (
        StackCost(path=("user", "main", "inner"), count=500),
        StackCost(path=("kernel", "main", "inner", "fault"), count=100),
        StackCost(path=("kernel", "main", "inner", "fault", "outer"), count=900),
        StackCost(path=("kernel", "main", "inner", "fault", "inner"), count=20),
    )
    functions = (cost("fault", "kernel", 100, 1), cost("outer", "kernel", 900, 1), cost("inner", "kernel", 20, 1))
    found = {share.function: share.whole for share in function_costs(profile(functions=functions, stacks=stacks))}
    assert found == {"fault": 102.0, "outer": 90.0, "inner": 2.0}


def test_the_part_of_a_function_is_no_call_of_it() -> None:
    edges = (CallEdge(caller="outer", callee="inner", context="kernel", calls=20),
             CallEdge(caller="inner", callee="inner.part.0", context="kernel", calls=10, tail=True))  # fmt: skip
    functions = (
        cost("inner", "kernel", 40, 20),
        cost("inner.part.0", "kernel", 30, 10),
        cost("inner.cold", "kernel", 2, 1),
    )
    found = function_costs(profile(edges=edges, functions=functions, stacks=None))
    assert found == (FunctionShare("inner", 7.2, None, 2.0, ("outer",)),)


def test_without_call_stacks_the_cost_with_callees_is_absent() -> None:
    assert {share.whole for share in function_costs(profile(stacks=None))} == {None}


def test_a_profile_that_may_not_be_used_has_no_costs() -> None:
    assert function_costs(profile(problem="of another image")) == ()
