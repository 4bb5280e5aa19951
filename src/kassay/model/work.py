# SPDX-License-Identifier: GPL-2.0-only
"""The work that a user's program did in one run: what it asked of the kernel, and what it executed itself."""

from collections.abc import Sequence
from statistics import fmean

from kassay.model.kernel_share import COMMON
from kassay.model.records import Record
from kassay.supply.arches import FAULT, PAGE_FAULT, SYSTEM_CALL

USER, CLOCK, VDSO_LOOKUP, INNER = "user code", "clock", "vDSO lookup", "fault in a call"
SCHEDULER, WAKING = "call of the scheduler", "wake-up"
ALLOCATION, AROUND = "page that a fault allocates", "fault that maps pages around"
IN_CALLS = "page that a call allocates"
ON_ANONYMOUS, ON_FILE = "fault on anonymous memory", "fault on a file or shared memory"
ON_PRESENT, ON_SWAP = "fault on a page that is present", "fault on a swap entry"
KINDS = {
    SYSTEM_CALL: "system calls of one name, whatever executes them; faults inside of a call belong to the call",
    FAULT: "exceptions in user mode of one name",
    INNER: "exceptions in kernel mode of one name, inside of a system call; they are part of its cost",
    USER: "the program's own instructions, without those of the vDSO, which is the kernel's code",
    CLOCK: "readings of a clock: by an instruction, by a function of the vDSO, or by a system call that reports a time",
    VDSO_LOOKUP: "user code that looks for functions in the vDSO when a program starts, and all of strcmp()",
    COMMON: "the kernel's instructions of entry and exit that system calls have in common",
    SCHEDULER: "calls of __schedule(), by which a task ends its turn: it waits, or another task comes first",
    WAKING: "calls of try_to_wake_up(), by which a task that waits has another turn",
    ALLOCATION: "allocations of pages, huge ones and page tables in page faults, without those of slabs",
    IN_CALLS: "the same in system calls, outside of faults",
    AROUND: "page faults that map pages of a file around the one that is read",
    ON_ANONYMOUS: "page faults on anonymous memory that has no page yet",
    ON_FILE: "page faults on mappings of files and of shared memory",
    ON_PRESENT: "writes to pages that are present and may not be written, as for a copy",
    ON_SWAP: "page faults on entries that stand for a page: in swap, in migration, markers",
}
"""Every kind of work, with its meaning."""
NOT_COMPARED = (CLOCK, VDSO_LOOKUP, COMMON, SCHEDULER, WAKING, ALLOCATION, IN_CALLS, AROUND,
                ON_ANONYMOUS, ON_FILE, ON_PRESENT, ON_SWAP)  # fmt: skip
"""Kinds that are part of others, or explain them."""
PAGE_FAULTS, USER_CODE, LOOKUPS = (FAULT, PAGE_FAULT), (USER, ""), (VDSO_LOOKUP, "")
INNER_FAULTS, COMMON_CODE = (INNER, PAGE_FAULT), (COMMON, "")
BY_HANDLER = ((ON_ANONYMOUS, ""), (ON_FILE, ""), (ON_PRESENT, ""), (ON_SWAP, ""))
OF_FAULTS = ((ALLOCATION, ""), (AROUND, ""), *BY_HANDLER)
TURNS = ((SCHEDULER, ""), (WAKING, ""))
EXECVE, FUTEX, SIGRETURN = (SYSTEM_CALL, "execve"), (SYSTEM_CALL, "futex"), (SYSTEM_CALL, "rt_sigreturn")
CLONES = tuple((SYSTEM_CALL, name) for name in ("clone", "clone3", "fork", "vfork"))
"""Keys of items."""
STEERING = tuple(
    (SYSTEM_CALL, name)
    for name in ("fadvise64", "madvise", "mbind", "mlock", "mlock2", "mlockall", "personality", "prctl",
                 "process_madvise", "set_mempolicy")
)  # fmt: skip
"""Keys of calls that are cheap, and decide how many faults a program takes."""
TIMERS = tuple((SYSTEM_CALL, name) for name in ("alarm", "setitimer", "timer_settime", "timerfd_settime"))
SLEEPS = tuple((SYSTEM_CALL, name) for name in ("clock_nanosleep", "nanosleep"))
"""Keys of calls behind which a program may end after a time: a sleep, while other tasks of it work."""
OUTPUT = "output"
"""Kind of calls that write what the program prints."""
OF_RING = "operation-"
"""Begins the kind of an operation that io_uring_enter() submits, which is no call by itself."""
DECIDING = ("bpf", "creat", "dup2", "dup3", "epoll_ctl", "fcntl", "io_uring_register", "io_uring_setup", "lseek",
            "memfd_create", "mmap", "mount", "mremap", "msgget", "open", "openat", "openat2", "perf_event_open",
            "personality", "prctl", "sched_setattr", "sched_setscheduler", "semget", "set_mempolicy", "setsockopt",
            "shmget")  # fmt: skip
"""Calls that decide on what later calls and faults work."""
ASKED = (SYSTEM_CALL, FAULT)
"""Kinds of which single calls are counted."""

OPERATION, RATE = "operation", "operation by its rate"
"""Kinds of a cost per operation: the program prints how many it did, or how many per second."""

OF_OTHERS = " of its children and threads"
"""Words behind the name of a call that not the program's first process made."""

DOMINANT, NAMED = 0.5, 0.15
"""Kinds of calls are named in an answer if each carries the second share of the value, and together the first."""


def is_call(key: tuple[str, str]) -> bool:
    """True for the key of a system call."""
    return key[0] == SYSTEM_CALL


def is_asked(key: tuple[str, str]) -> bool:
    """True for the key of a system call or a fault."""
    return key[0] in ASKED


class WorkItem(Record, frozen=True, kw_only=True):
    """One kind and name of work, round by round."""

    kind: str
    """A word of KINDS."""
    name: str = ""
    """Name of the system call or the fault; "" if the kind says it all."""
    times: tuple[int, ...]
    """Number of times in each round. For user code and code of entry and exit, its instructions, string iterations
    included."""
    counts: tuple[int, ...] = ()
    """Instructions that the kernel executed for it in each round, callees included; empty for the other kinds."""

    @property
    def key(self) -> tuple[str, str]:
        """Identity of an item in all runs."""
        return self.kind, self.name

    @property
    def text(self) -> str:
        """ "madvise()", "page fault", "user code"."""
        if self.kind == SYSTEM_CALL:
            return f"{self.name}()"
        return f"{self.name} in a call" if self.kind == INNER else self.name or self.kind


class CallResult(Record, frozen=True, kw_only=True):
    """Results of calls of one name in the execution that kassay watches before it counts."""

    name: str
    error: str = ""
    """The errno's name; "" for calls that succeeded."""
    times: int
    total: int = 0
    """Sum of the bytes or items that the calls returned or were given; 0 where a call has neither."""
    kind: str = ""
    """Advice, flags or command that the call is given, in hex, or the file that it works on, such as "device-1:3"; ""
    for most calls."""


class FoundByCall(Record, frozen=True, kw_only=True):
    """Memory that some calls of one name found, which came one after another and found the same."""

    times: int
    kb: int = 0
    swapped_kb: int = 0
    cached_kb: int = 0
    huge_kb: int = 0
    mappings: int = 0
    table_kb: int = 0


class Found(Record, frozen=True, kw_only=True):
    """Things that calls of one name found in the watched execution: sums over the calls; those of memory over the calls
    that were looked at."""

    name: str
    calls: int = 0
    before: int = 0
    """Calls of all names before them."""
    looked: int = 0
    bytes: int = 0
    """Pages that were present in the ranges that a call names; or all anonymous pages of the process that it copies or
    ends."""
    huge_bytes: int = 0
    """The part of that process's pages that is in huge pages; 0 for calls on a range."""
    mappings: int = 0
    """Mappings of that process; 0 for calls on a range."""
    table_bytes: int = 0
    """Page tables of that process; 0 for calls on a range."""
    faults: int = 0
    """Page faults that the process and its children have taken; 0 for calls on a range."""
    swapped_bytes: int | None = None
    """Pages of those ranges, or of that process, that were in swap; None where it is not known."""
    files: int = 0
    """Calls on a file in memory that was looked at; they are no part of looked."""
    cached_bytes: int = 0
    """Pages that were cached of the parts of files on which these calls work."""
    unread: int = 0
    """Calls that were given more than kassay reads."""
    each: tuple[FoundByCall, ...] | None = None
    """Memory that the calls of the program's first process found, in their order; None where it is not known."""


class PrintedOperations(Record, frozen=True, kw_only=True):
    """The number that each execution of a program prints as its count of operations, or as its rate."""

    name: str
    """The name or the unit with which it is printed: "ops", "iterations", "ops/s"."""
    rate: bool
    """True if the numbers are operations per second of guest time; false if they are counts."""
    values: tuple[float, ...]
    """One for each execution, above 0."""


class Work(Record, frozen=True, kw_only=True):
    """The work of one phase of one run."""

    phase: str
    items: tuple[WorkItem, ...]
    results: tuple[CallResult, ...] | None = None
    """None where nothing is known of them."""
    other_results: tuple[CallResult, ...] | None = None
    """Results of the program's children and threads; None where not all of their calls were seen."""
    arguments: tuple[tuple[str, str], ...] | None = None
    """Names of calls with a sum over all arguments of each, which tells whether two executions were given the same
    ones; None where nothing is known of them."""
    other_arguments: tuple[tuple[str, str], ...] | None = None
    """The same of the program's children and threads; None where not all of their calls were seen."""
    found: tuple[Found, ...] | None = None
    """Memory that calls found; None where nothing is known of it."""
    found_by_others: tuple[Found, ...] | None = None
    """The same of the program's children and threads; None where not all of their calls were seen."""
    operations: PrintedOperations | None = None
    """None where kassay recognises no such number in what the program prints."""
    executions: int = 0
    """Executions of the program in the run; 0 where that is not known."""
    region: bool = False
    """True if rounds are parts of an execution. Results are of whole executions even then."""

    def item(self, kind: str, name: str = "") -> WorkItem | None:
        """The item of this kind and name, if there is one."""
        return next((item for item in self.items if item.key == (kind, name)), None)


NO_VERDICT = {
    "after-other-work": "as other work of the program came before it",
    "of-other-things": "as the calls had other arguments or found other memory",
    "of-more": "as more were made where one costs more: it may cost more with each that came before",
}
"""Why the cost of a call is inconclusive, apart from its own spread: words of CallCost.why, as a clause."""


class CallCost(Record, frozen=True, kw_only=True):
    """Cost of one call of a kind on two kernels, however many calls there were. change is head / base - 1."""

    kind: str
    """A word of ASKED, OPERATION or RATE."""
    name: str
    base: float
    """Instructions of one call, callees and the faults in it included."""
    head: float
    base_times: float
    """Calls, faults or operations per execution; of RATE operations per second of guest time, as printed."""
    head_times: float
    change: float
    interval: tuple[float, float]
    """Over plain and perturbed runs."""
    floor: float | None
    """Noise floor of the change, as in Finding."""
    verdict: str
    evidence: str
    n_base: int
    """Runs, perturbed ones included."""
    n_head: int
    share: float
    """Part of the value that these calls have, on the kernel where it is smaller."""
    why: str = ""
    """Word of NO_VERDICT; "" if there is a verdict, or if the cost itself gives none."""

    @property
    def text(self) -> str:
        """ "madvise() call", "page fault", "operation (ops)"."""
        if self.kind in (OPERATION, RATE):
            return f"operation ({self.name})"
        return f"{self.name}() call" if self.kind == SYSTEM_CALL else self.name

    @property
    def counted(self) -> str:
        """Unit of base_times and head_times, such as "calls per round"; singular if both are 1."""
        noun = {SYSTEM_CALL: "call", FAULT: "fault"}.get(self.kind, "operation")
        plural = "" if self.base_times == self.head_times == 1 else "s"
        return f"{noun}{plural} per {'second of guest time' if self.kind == RATE else 'round'}"


def per_round(values: Sequence[int], rounds: Sequence[int]) -> float:
    """The mean over some rounds."""
    return fmean(values[number] for number in rounds)
