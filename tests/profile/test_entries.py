# SPDX-License-Identifier: GPL-2.0-only
"""For whom the kernel runs: each of its instructions belongs to one system call, fault, interrupt or to common code."""

import pytest

from kassay.evidence.profile.entries import entry_at
from kassay.evidence.profile.functions import profile_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.model.kernel_share import EntryCost
from kassay.model.profile import Profile
from tests.profile.files import KERNEL, NOP, File, report, table

NAMES = ("entry_SYSCALL_64", "do_syscall_64", "__x64_sys_read", "ksys_read", "asm_exc_page_fault", "task_work_run",
         "asm_sysvec_apic_timer_interrupt", "irqentry_exit", "__x64_sys_clock_gettime",
         "fixup_exception", "__schedule", "try_to_wake_up")  # fmt: skip
AT = {name: KERNEL + 16 * number for number, name in enumerate(NAMES)}
TABLE = Symbols.load(
    [table(*((address, 16, name) for name, address in AT.items())), table((0x401000, 16, "main"), place="program")], {}
)


class Tree:
    """A file whose blocks have the counts of its call tree."""

    def __init__(self) -> None:
        self.file, self.ticks = File(mode="stacks"), 0
        self.roots = [self.file.node(None, 0) for _ in range(4)]
        self.user = self.file.node(self.roots[0], 0x401000)

    def below(self, node: int, name: str, count: int, context: int = 0, entered: int = 0) -> int:
        made = self.file.node(node, AT[name])
        self.file.count(made, count, slot=context)
        self.file.count(self.file.block(AT[name] + len(self.file.definitions) % 16, NOP), count, slot=context)
        if entered:
            self.file.count(self.file.entered(made), entered, slot=context)
        self.ticks += count
        return made

    def entries(self) -> tuple[EntryCost, ...]:
        found = self.profile().entries
        assert found is not None
        return found

    def profile(self) -> Profile:
        raw = parse(self.file.bytes())
        return profile_of(raw, TABLE, report(self.ticks), phase="work", rounds=(0,), kernel="k", run="r")


def test_a_fault_inside_of_a_system_call_is_the_system_calls() -> None:
    tree = Tree()
    entry = tree.below(tree.user, "entry_SYSCALL_64", 3)
    read = tree.below(tree.below(entry, "do_syscall_64", 2), "__x64_sys_read", 10, entered=7)
    tree.below(tree.below(read, "ksys_read", 20), "asm_exc_page_fault", 30, entered=4)
    assert tree.entries() == (
        EntryCost(kind="system call", name="read", count=60, in_faults=30, times=7),
        EntryCost(kind="entry code", name="entry and exit", count=5),
    )


def test_a_fault_of_user_code_is_its_own_entry_and_all_of_it_is_in_a_fault() -> None:
    tree = Tree()
    tree.below(tree.user, "asm_exc_page_fault", 8, entered=2)
    assert tree.entries() == (EntryCost(kind="fault", name="page fault", count=8, in_faults=8, times=2),)


def test_work_on_the_way_back_and_interrupts_have_rows_of_their_own() -> None:
    tree = Tree()
    back = tree.below(tree.below(tree.user, "entry_SYSCALL_64", 5), "task_work_run", 4)
    tree.below(back, "ksys_read", 1)
    tree.below(tree.below(tree.roots[1], "asm_sysvec_apic_timer_interrupt", 6, 1, entered=1), "irqentry_exit", 2, 1)
    assert tree.entries() == (
        EntryCost(kind="interrupt", name="apic timer interrupt", count=8, times=1),
        EntryCost(kind="entry code", name="deferred work", count=5),
        EntryCost(kind="entry code", name="entry and exit", count=5),
    )


def test_entries_add_up_to_what_the_functions_of_the_kernel_cost() -> None:
    tree = Tree()
    entry = tree.below(tree.user, "entry_SYSCALL_64", 3)
    tree.below(tree.below(entry, "__x64_sys_read", 10), "asm_exc_page_fault", 30)
    tree.below(tree.roots[1], "irqentry_exit", 6, 1)
    profile = tree.profile()
    assert profile.problem == "" and profile.entries is not None
    kernel = sum(f.instructions for f in profile.functions if f.context in ("kernel", "interrupt"))
    assert sum(one.count for one in profile.entries) == kernel == 49


def test_a_path_says_on_whose_behalf_its_end_runs() -> None:
    path = ("kernel", "main", "read", "entry_SYSCALL_64_after_hwframe", "do_syscall_64", "__x64_sys_read", "ksys_read")
    assert entry_at(path) == ("read", 5)
    assert entry_at(("kernel", "main", "asm_exc_page_fault", "exc_page_fault")) == ("page fault", 2)
    assert entry_at(("user", "main", "read")) == ("", 3)


@pytest.mark.parametrize(("base", "own"), [(0x50000000, True), (0x404000, False)])
def test_calls_with_which_kassay_starts_a_program_are_not_the_programs(base: int, own: bool) -> None:
    """A workload of the catalogue makes its calls with the same functions at other addresses."""
    file = File(mode="stacks")
    root = file.node(None, 0)
    started = file.node(file.node(root, base), base + 16)  # step_fork() below region_run()
    counted = []
    for caller, count in ((started, 40), (file.node(started, 0x401000), 50)):
        entry = file.node(caller, AT["entry_SYSCALL_64"])
        read = file.node(entry, AT["__x64_sys_read"])
        counted += [(entry, 3), (read, count), (file.entered(read), 1)]
    counted.append((file.block(KERNEL + 0x800, NOP), 96))
    for counter, count in counted:
        file.count(counter, count)
    runner = table((base, 16, "region_run"), (base + 16, 16, "step_fork"), place="program")
    symbols = TABLE.with_program(Symbols.load([runner], {}))
    raw = parse(file.bytes())
    found = profile_of(raw, symbols, report(96), phase="work", rounds=(0,), kernel="k", run="r").entries
    assert found is not None
    counts = {entry.text: (entry.count, entry.times) for entry in found}
    if own:
        assert counts == {"read": (50, 1), "kassay's runner": (43, 1), "entry and exit": (3, 0)}
    else:
        assert counts == {"read": (90, 2), "entry and exit": (6, 0)}
