# SPDX-License-Identifier: GPL-2.0-only
"""Call stacks: each path has its own cost, and all paths together cost what the functions do."""

from kassay.evidence.profile.functions import profile_of, summary_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.model.profile import NO_SYMBOL, Profile, StackCost
from tests.profile.files import KERNEL, NOP, File, report, table

TABLE = Symbols.load(
    [table((KERNEL, 16, "entry"), (KERNEL + 16, 16, "do")), table((0x401000, 16, "main"), place="program")], {}
)


def grown() -> File:
    """main (4 instructions) calls the kernel's entry (6), which calls do (10) and, in an interrupt, do again (3)."""
    file = File(mode="stacks")
    root, interrupts = file.node(None, 0), file.node(None, 0)
    main = file.node(root, 0x401000)
    entry = file.node(main, KERNEL)
    nodes = (main, 4, 0), (entry, 6, 0), (file.node(entry, KERNEL + 16), 10, 0)
    interrupt = file.node(interrupts, KERNEL + 16)
    for node, count, slot in (*nodes, (interrupt, 3, 1), (root, 2, 0)):
        file.count(node, count, slot=slot)
    blocks = (0x401000, 4, 0), (KERNEL, 6, 0), (KERNEL + 16, 10, 0), (KERNEL + 17, 3, 1), (0x402000, 2, 0)
    for address, count, slot in blocks:
        file.count(file.block(address, NOP), count, slot=slot)
    return file


def profile(file: File, ticks: int = 25) -> Profile:
    return profile_of(parse(file.bytes()), TABLE, report(ticks), phase="work", rounds=(0,), kernel="k", run="r")


def test_each_path_has_the_cost_of_its_last_function() -> None:
    assert profile(grown()).stacks == (
        StackCost(path=("interrupt", "do"), count=3),
        StackCost(path=("kernel", "main", "entry"), count=6),
        StackCost(path=("kernel", "main", "entry", "do"), count=10),
        StackCost(path=("user",), count=2),
        StackCost(path=("user", "main"), count=4),
    )


def test_paths_and_functions_have_the_same_cost_in_each_context() -> None:
    found = profile(grown())
    assert found.problem == ""
    assert found.stacks is not None
    for context in ("user", "kernel", "interrupt", "other", "idle"):
        of_paths = sum(stack.count for stack in found.stacks if stack.path[0] == context)
        assert of_paths == sum(f.instructions for f in found.functions if f.context == context)


def test_paths_of_the_same_names_are_one() -> None:
    file = File(mode="stacks")
    root = file.node(None, 0)
    for address in (0x403000, 0x404000):
        node = file.node(root, address)
        file.count(node, 5)
        file.count(file.block(address, NOP), 5)
    assert profile(file, 10).stacks == (StackCost(path=("user", NO_SYMBOL), count=10),)


def test_a_call_tree_that_disagrees_with_the_blocks_is_a_problem() -> None:
    file = grown()
    file.count(file.block(0x402000, NOP), 1)
    told = "the call tree has 22 instructions in interval 0 of file round 1, the blocks 23"
    assert profile(file, 26).problem == told
    assert summary_of(parse(file.bytes()), TABLE, report(26)).problem == told


def test_a_run_without_a_call_tree_has_no_stacks() -> None:
    file = File()
    file.count(file.block(KERNEL, NOP), 1)
    assert profile(file, 1).stacks is None
