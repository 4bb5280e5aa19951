# SPDX-License-Identifier: GPL-2.0-only
"""Profiles by hand: functions with counts, and who calls whom."""

from kassay.model.profile import CallEdge, FunctionCost, Profile, StackCost

Counts = dict[str, tuple[int, int]]  # function -> instructions, calls; "name@context" where it is not the kernel's own
Calls = dict[tuple[str, str], int]


def profile(functions: Counts, calls: Calls | None = None, *, operations: int = 10, idle: int = 0,
            unresolved: int = 0, stacks: dict[tuple[str, ...], int] | None = None) -> Profile:  # fmt: skip
    """One round of a phase; its ticks are what the functions and the rest add up to."""
    costs = tuple(cost(name, count, entered) for name, (count, entered) in functions.items())
    edges = tuple(
        CallEdge(caller=a, callee=b, context="kernel", calls=count) for (a, b), count in (calls or {}).items()
    )
    paths = None if stacks is None else tuple(StackCost(path=path, count=n) for path, n in stacks.items())
    return Profile(
        kernel="debian:6.17", run="r1", mode="counts" if stacks is None else "stacks", phase="iteration", rounds=(1,),
        operations=operations, ticks=sum(one.instructions for one in costs) + idle + unresolved, functions=costs,
        edges=edges, unresolved=unresolved, idle=idle, stacks=paths,
    )  # fmt: skip


def cost(name: str, instructions: int, calls: int = 0, iterations: int = 0) -> FunctionCost:
    """A function; "main@user" is the program's."""
    function, _, context = name.partition("@")
    return FunctionCost(
        function=function, place="program" if context == "user" else "kernel", context=context or "kernel",
        instructions=instructions, iterations=iterations, calls=calls,
    )  # fmt: skip


def value(of: Profile) -> float:
    """Cost per operation by the guest's clock."""
    assert of.ticks is not None
    return of.ticks / of.operations


# change_protection of 6.12 holds change_pte_range; 6.19 calls it, and it calls three more. 1000 pages.
BASE = profile(
    {"do_mprotect_pkey": (15_300, 1), "change_protection": (270_300, 1), "measure@user": (15_000, 0)},
    {("do_mprotect_pkey", "change_protection"): 1},
    operations=1000,
)
HEAD = profile(
    {
        "do_mprotect_pkey": (15_300, 1), "change_protection": (200, 1), "change_pte_range": (244_200, 4),
        "prot_commit_flush_ptes": (328_000, 2000), "vm_normal_page": (80_000, 2000), "pte_val": (12_000, 4000),
        "measure@user": (15_000, 0),
    },
    {
        ("do_mprotect_pkey", "change_protection"): 1, ("change_protection", "change_pte_range"): 4,
        ("change_pte_range", "prot_commit_flush_ptes"): 2000, ("change_pte_range", "vm_normal_page"): 2000,
        ("change_pte_range", "pte_val"): 2000, ("vm_normal_page", "pte_val"): 2000,
    },
    operations=1000,
)  # fmt: skip
