# SPDX-License-Identifier: GPL-2.0-only
"""The work of a program is read from its profile: calls, faults, own instructions and readings of the clock ."""

from msgspec import structs

from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profile.work import work_items
from kassay.model.guest import CapturedFile, GuestReport
from kassay.model.work import CLOCK, USER, VDSO_LOOKUP, WorkItem
from tests.profile.files import NOP, RET, File, report, table
from tests.profile.test_entries import AT, TABLE

RDTSC, RDTSCP = b"\x0f\x31", b"\x0f\x01\xf9"
VDSO = 0x7FFFF7FC9000


def program_report(*ticks: int) -> GuestReport:
    smaps = f"400000-401000 r-xp 00000000 00:01 2 /p\n{VDSO:x}-{VDSO + 0x2000:x} r-xp 00000000 00:00 0 [vdso]\n"
    functions = "10 __vdso_clock_gettime\n10 clock_gettime\n20 __vdso_getcpu\n"
    texts = {"smaps": smaps, "vdso": functions}
    files = (CapturedFile(moment="after", path=f"kassay/program/{n}", content=text) for n, text in texts.items())
    return structs.replace(report(*ticks), files=tuple(files))


class Program:
    """Two rounds: the first makes two reads of 10 instructions, the second three, which read the clock once each."""

    def __init__(self) -> None:
        self.file = File(mode="stacks", rounds=2)
        root = self.file.node(None, 0)
        user = self.file.node(root, 0x401000)
        self.root = entry = self.file.node(user, AT["entry_SYSCALL_64"])
        self.read = read = self.file.node(entry, AT["__x64_sys_read"])
        fault = self.file.node(user, AT["asm_exc_page_fault"])
        own, in_read = self.file.block(0x401000, NOP), self.file.block(AT["__x64_sys_read"], NOP)
        in_fault = self.file.block(AT["asm_exc_page_fault"], NOP)
        clock = self.file.block(VDSO + 16, RDTSC, NOP)
        reads, faults = self.file.entered(read), self.file.entered(fault)
        for number, calls in ((1, 2), (2, 3)):
            for counter, count in (
                (user, 100 * calls + 2 * calls), (own, 100 * calls), (read, 10 * calls), (in_read, 10 * calls),
                (reads, calls), (fault, 7), (in_fault, 7), (faults, 1), (clock, calls),
            ):  # fmt: skip
                self.file.count(counter, count, round=number)


def test_work_is_counted_round_by_round() -> None:
    items = work_items(parse(Program().file.bytes()), TABLE, program_report(229, 340), "work")
    assert items == (
        WorkItem(kind=CLOCK, times=(2, 3)),
        WorkItem(kind="fault", name="page fault", times=(1, 1), counts=(7, 7)),
        WorkItem(kind="system call", name="read", times=(2, 3), counts=(20, 30)),
        WorkItem(kind=USER, times=(200, 300)),  # without the four and six instructions in the vDSO
    )


def test_shared_code_and_calls_of_the_scheduler_are_counted_apart() -> None:
    """The second round ends two turns: one in a read, one on the way back to user mode. It wakes a task. Work that a
    call leaves for its way back is code of entry and exit, too."""
    program = Program()
    waiting = program.file.node(program.read, AT["__schedule"])
    below = program.file.node(waiting, AT["irqentry_exit"])
    leaving = program.file.node(program.root, AT["__schedule"])
    left = program.file.node(program.root, AT["task_work_run"])
    switch = program.file.block(AT["__schedule"], NOP)
    waking = program.file.block(AT["try_to_wake_up"], NOP)
    counts = ((program.root, 30), (waiting, 5), (below, 4), (leaving, 6), (left, 8), (switch, 2), (waking, 1))
    for counter, count in counts:
        program.file.count(counter, count, round=2)
    items = work_items(parse(program.file.bytes()), TABLE, program_report(229, 393), "work")
    known = {item.kind: item for item in items}
    assert (known["entry and exit"].times, known["call of the scheduler"].times) == ((0, 38), (0, 2))
    assert known["call of the scheduler"].counts == (0, 15) and known["wake-up"].times == (0, 1)


def test_faults_inside_of_a_call_are_part_of_it_and_counted_by_themselves() -> None:
    program = Program()
    inner = program.file.node(program.read, AT["asm_exc_page_fault"])
    below = program.file.node(inner, AT["asm_exc_page_fault"])  # the fault of a fault is no other one
    for counter, count in ((inner, 30), (program.file.entered(inner), 3), (below, 5), (program.file.entered(below), 1)):
        program.file.count(counter, count, round=1)
    items = {item.key: item for item in work_items(parse(program.file.bytes()), TABLE, program_report(1, 1), "work")}
    assert items["fault in a call", "page fault"].times == (3, 0)
    assert items["fault in a call", "page fault"].counts == (35, 0)
    assert items["system call", "read"].counts == (55, 30) and items["fault", "page fault"].times == (1, 1)


def test_faults_that_the_kernel_gives_up_touch_no_page_and_are_none() -> None:
    """A copy with faults switched off fails, and is made again behind a fault that is served."""
    program = Program()
    inner = program.file.node(program.read, AT["asm_exc_page_fault"])
    fixup = program.file.block(AT["fixup_exception"], NOP)
    for counter, count in ((inner, 30), (program.file.entered(inner), 5), (fixup, 3)):
        program.file.count(counter, count, round=1)
    items = {item.key: item for item in work_items(parse(program.file.bytes()), TABLE, program_report(1, 1), "work")}
    assert items["fault in a call", "page fault"].times == (2, 0)
    program.file.count(fixup, 2, round=2)
    assert TABLE.kernel_entry("fixup_exception") == AT["fixup_exception"] and TABLE.kernel_entry("main") is None


def test_a_clock_in_memory_and_a_call_that_reports_a_time_are_readings_and_each_counts_once() -> None:
    program = Program()
    coarse = program.file.block(VDSO + 16, NOP, RET)
    falls_back = program.file.node(program.root, AT["__x64_sys_clock_gettime"])
    calls, cpu = program.file.entered(falls_back), program.file.block(VDSO + 32, NOP)
    own = program.file.block(0x403000, RDTSCP)
    for counter, count in ((coarse, 5), (falls_back, 12), (calls, 4), (cpu, 9), (own, 1)):
        program.file.count(counter, count, round=1)
    items = {item.kind: item for item in work_items(parse(program.file.bytes()), TABLE, program_report(1, 1), "work")}
    # In the first round clock_gettime() was entered 2 + 5 times, of which 2 read the counter and 4 made a call.
    assert items[CLOCK].times == (1 + 7, 3)


def test_looking_for_the_vdsos_functions_is_told_from_other_user_code() -> None:
    program = Program()
    lookup = program.file.block(0x402000, NOP, NOP, NOP)
    program.file.count(lookup, 5, round=1)
    program.file.count(lookup, 6, round=2)
    symbols = TABLE.with_program(Symbols.load([table((0x402000, 16, "__strcmp_sse2"), place="other")], {}))
    items = {item.kind: item for item in work_items(parse(program.file.bytes()), symbols, program_report(1, 1), "work")}
    assert items[VDSO_LOOKUP].times == (15, 18) and items[USER].times == (215, 318)


def test_a_profile_without_call_stacks_does_not_tell_the_work() -> None:
    assert work_items(parse(File(rounds=2).bytes()), TABLE, program_report(1, 1), "work") == ()
