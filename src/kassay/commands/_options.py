# SPDX-License-Identifier: GPL-2.0-only
"""The options that every measuring command shares, as one record."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from kassay.commands import _complete as complete
from kassay.commands._exit import AllowRefused, ExitCode, Passing
from kassay.commands._with_options import option
from kassay.errors import BadInput
from kassay.model.experiment import APPLICATION_TRACE_BUDGET, TRACE_BUDGET
from kassay.model.remote_machine import HERE, RemoteOptions
from kassay.report.formats import format_names
from kassay.spec.suites import suites
from kassay.supply.arches import arches
from kassay.supply.clocks import in_words, listed, measuring

DEFAULT_CLOCK = "icount"
FLAVOUR = "cloud"
ROUNDS, SUITE_ROUNDS = 20, 10

_program = partial(option, rich_help_panel="Your own program")
_machine = partial(option, rich_help_panel="Machine")
_runs = partial(option, rich_help_panel="Runs")
_METAL = "Real machine (--clock metal)"
_metal = partial(Option, rich_help_panel=_METAL)


def format_option(known: Sequence[str], more: str = "", **keywords: Any) -> Any:
    """The option --format of a command. known: names of its formats."""
    help_text = f"Form of the answer: {listed(known)}.{more}"
    return Option("--format", metavar="FORMAT", help=help_text, **keywords)


Workloads = Annotated[
    str,
    Argument(
        help="Workload or application, or several with commas; `kassay workloads` lists them.", show_default=False,
        autocompletion=complete.workloads,
    ),
]  # fmt: skip
Format = Annotated[str, format_option(format_names(), " docs/reference/formats.md", autocompletion=complete.formats)]
OutDirectory = Annotated[
    Path | None,
    Option(
        "--out",
        metavar="DIR",
        help="Directory for the runs. The same command again continues there, and repeats no finished run.",
        show_default="kassay-out/NAME, named by the question",
    ),
]
Fresh = Annotated[bool, Option("--fresh", help="Measure again, in a new directory.")]


def pairs() -> tuple[str, ...]:
    """ "COUNTED,TIMED" of all clocks that can stand side by side."""
    clocks = measuring().values()
    return tuple(f"{a.name},{b.name}" for a in clocks if not a.timed for b in clocks if b.timed and not b.native)


def is_timed_here(clock: str) -> bool:
    """True for "COUNTED,NATIVE": a program's time on this machine beside its predicted one."""
    first, _, second = (measuring().get(word) for word in clock.partition(","))
    return first is not None and second is not None and not first.timed and second.native


def _checked_address(text: str) -> str:
    if text:
        from kassay.tools.cluster.address import address_of

        address_of(text)
    return text


def _checked_match(text: str) -> str:
    if text not in ("", "preempt"):
        raise BadInput(f"--match {text!r}: only the preemption model can be matched", "write --match preempt")
    return text


ClusterOption = Annotated[
    str,
    Option(
        "--cluster",
        callback=_checked_address,
        metavar="ADDRESS",
        help="Measure on the hosts of a cluster; tcp://HOST:PORT is its scheduler. docs/reference/cluster.md",
    ),
]
"""An option of every command that measures; it is no part of the experiment."""
Reset = Annotated[
    str,
    _metal(
        metavar="COMMAND",
        help="Command that resets the machine when a kernel does not come up. It runs on this host, by sh, with "
        "KASSAY_HOST, the address that --on gives, in its environment. Without it kassay leaves the machine as it is.",
    ),
]
Start = Annotated[
    str,
    _metal(
        metavar="COMMAND",
        help="Command that starts a kernel, in place of kexec. It runs on this host, by sh, with KASSAY_HOST, the "
        "address that --on gives, KASSAY_IMAGE, KASSAY_INITRD and KASSAY_CMDLINE in its environment.",
    ),
]
BootLimit = Annotated[int, _metal(metavar="SECONDS", min=30, help="Time to wait for a kernel to boot.")]
DryRun = Annotated[bool, _metal("--plan", help="Print the commands for the machine, and run none of them.")]


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """The options of a measurement: a field for each option of the command line, with its default."""

    program: str = _program(
        "",
        "PATH",
        "Measure this program; WORKLOAD is then left out. PATH is a C or C++ file, a directory of them, or a "
        "static program. docs/how-to/programs.md",
    )
    args: str = _program("", "WORDS", "Arguments of the program, quoted as for a shell.")
    env: list[str] | None = _program(None, "NAME=VALUE", "Environment variable of the program. May be repeated.")
    file: list[str] | None = _program(
        None, "PATH", "File to copy into the program's working directory. May be repeated."
    )
    cflags: str = _program("", "WORDS", "Additional compiler flags.")
    link: str = _program("", "WORDS", "Additional linker arguments, e.g. -lm.")
    from_: str = _program(
        "",
        "FUNCTION",
        "Start each round at this function of the program. NAME:3 is its third call, FILE:NAME a static function of "
        "that file.",
        "--from",
        show_default="the start of the program",
    )
    to: str = _program(
        "", "FUNCTION", "End each round at this function of the program.", show_default="the end of the program"
    )
    require: list[str] | None = _program(
        None,
        "NAME==VALUE",
        "Fail the run unless this holds for a printed value. The operators are ==, !=, <= and >=. `status==N` is "
        "the exit status. May be repeated.",
    )
    state: list[str] | None = _program(
        None,
        "NAME",
        "Refuse a verdict unless this printed value, or this field of the program's memory, is the same on "
        "all kernels. May be repeated. `kassay bisect WORKLOAD` searches for the kernel that changed this field of "
        "the state, such as range.AnonHugePages, not the cost.",
    )
    work: str = _program(
        "", "NAME", "Divide values by the number of operations that the program prints under this name."
    )
    limit: float = _program(2.0, "SECONDS", "Guest time after which an execution is stopped and fails.")

    suite: str = option(
        "",
        "NAME",
        f"Measure a suite of workloads, not WORKLOAD: {listed(suites())}. docs/reference/experiment.md",
        autocompletion=complete.suites,
    )
    set_: list[str] | None = option(
        None,
        "NAME=VALUE",
        "Set a parameter of the workload. NAME=A,B measures each value. Of several workloads, WORKLOAD.NAME "
        "is a parameter of one. May be repeated.",
        "--set",
        autocompletion=complete.settings,
    )
    clock: str = _machine(
        DEFAULT_CLOCK,
        "CLOCK",
        f"Clock of the values: {in_words()}. {listed(pairs())} measure both, side by side. "
        "icount,host, with --program and --predict: predicted time beside the time on this machine. "
        "The name of a machine in `kassay doctor` chooses that machine and its clock.",
        autocompletion=complete.clocks,
    )
    cpus: str = _machine("1", "N", "Number of virtual CPUs. 1,2,4 measures each.")
    cpu: str = _machine(
        "",
        "NAME",
        "CPU model that the kernel sees, e.g. zen3. A list measures each; KERNEL@cpu=NAME sets it for one "
        "kernel. docs/reference/cpus.md lists the models.",
        show_default="the architecture's",
        autocompletion=complete.cpus,
    )
    nodes: int = _machine(1, "N", "Number of NUMA nodes; memory and CPUs are divided among them.")
    thp: str = _machine("", "POLICY", "Transparent huge pages: always, madvise or never.", show_default="the kernel's")
    mthp: str = _machine(
        "",
        "ORDER=POLICY",
        "Policy for anonymous folios of one order, e.g. 4=always,2=never. Linux 6.8 and later.",
        show_default="the kernel's",
    )
    swap: str = _machine("", "zram:SIZE", "Swap device of this size.", show_default="none")
    memcg: str = _machine("", "LIMIT", "Run the workload in a memory cgroup with this limit.", show_default="no cgroup")
    dirty_ratio: str = _machine("", "PERCENT", "Value of vm.dirty_ratio.", show_default="the kernel's")
    percpu_high_fraction: str = _machine(
        "",
        "N",
        "Value of vm.percpu_pagelist_high_fraction, which fixes the length of per-CPU page lists.",
        show_default="the kernel's",
    )
    sched: str = _machine(
        "",
        "fifo",
        "Scheduling policy of the workload. fifo is SCHED_FIFO: a task runs until it waits, so that the order of tasks "
        "does not depend on the kernel's scheduler.",
        show_default="the kernel's",
    )
    sampled: str = _machine("", "zoneinfo", "Read /proc/zoneinfo after each round.", show_default="read nothing")
    memory: str = _machine(
        "",
        "SIZE",
        "Memory of the machine, e.g. 2GiB. 1GiB,4GiB measures each.",
        show_default="1GiB, or what an application needs",
    )
    paired: bool = _machine(
        False, "", "Give the first value of --cpus the first of --memory, the second the second, and so on.", "--paired"
    )
    arch: str = _machine("x86_64", "ARCH", f"Architecture: {listed(arches())}.", autocompletion=complete.arches)
    flavour: str = _machine(
        "",
        "NAME",
        "Flavour of archive kernels. cloud boots fastest; generic has the drivers of real machines.",
        show_default="cloud; generic with --on",
    )
    boot: str = _machine(
        "",
        "KIND",
        "How kernels boot. short: with parameters that shorten the boot. stock: without them. snapshot: once, "
        "then restored for each run (icount, x86_64, 1 CPU).",
        show_default="short; snapshot for a suite where that is possible",
    )
    cmdline: str = _machine("", "WORDS", "Kernel parameters for all kernels.")
    cmdline_base: str = _machine("", "WORDS", "Kernel parameters for the first kernel only.")
    cmdline_head: str = _machine("", "WORDS", "Kernel parameters for the last kernel only.")
    match: str = _machine(
        "",
        "preempt",
        "Boot all kernels with one preemption model, where they have PREEMPT_DYNAMIC. A kernel that cannot have it "
        "keeps its own, and the answer names the difference.",
        callback=_checked_match,
        show_default="no",
    )
    repeats: int | None = _runs(
        None,
        "N",
        "Number of plain runs of each kernel. When time is measured: the largest number of boots; a clear "
        "result ends earlier, after 6, 10, 14 or 18.",
        show_default="2 under icount, 24 for time",
    )
    perturb: int | None = _runs(
        None,
        "N",
        "Number of perturbed runs of each kernel. They move memory size, stack, mappings and seed, which "
        "should not matter, and so measure the noise floor.",
        show_default="2 under icount, 0 for time",
    )
    rounds: int | None = _runs(
        None,
        "N",
        "Number of measured rounds in each run.",
        show_default=f"{ROUNDS}; {SUITE_ROUNDS} in a suite, 2 for applications",
    )
    order: str = _runs("interleaved", "ORDER", "Order of the runs: interleaved, sandwich or sequential.")
    seed: int = _runs(1, "N", "Seed of the order and of the perturbations.")
    margin: float | None = _runs(
        None,
        "SHARE",
        "Changes smaller than this share are equivalent.",
        show_default="0.01 (1 %) under icount, 0.02 for time",
    )
    no_control: bool = _runs(
        False,
        "",
        "Leave out the additional boots that compare the first kernel with itself. Only where time is measured.",
        "--no-control",
    )
    profile: str = _runs(
        "auto",
        "MODE",
        "Counts per function. counts: instructions. stacks: also call stacks. memory: also loads and "
        "stores. none: nothing. auto: under icount stacks once per kernel and counts otherwise.",
    )
    debug_symbols: bool = _runs(
        False,
        "",
        "Name inlined functions and source lines of archive kernels in the answer. Fetches their debug packages, "
        "0.4 GB for a cloud kernel.",
        "--debug-symbols",
    )
    deferred: str = _runs(
        "",
        "included|apart",
        "Work that the workload queued and the kernel did later, in kworkers, RCU callbacks and irq_work: "
        "part of the value, or left out of it.",
        show_default="included",
    )
    predict: str = _runs(
        "",
        "CPU[,CPU]|all",
        "Predict time on these CPUs. One more run of each kernel records a trace. docs/explained/predict.md",
    )
    trace_budget: str = _runs(
        "",
        "SIZE",
        "Largest size of one trace.",
        show_default=f"{TRACE_BUDGET}; {APPLICATION_TRACE_BUDGET} for applications",
    )
    no_quiesce: bool = _runs(False, "", "Measure at once instead of waiting until the guest is idle.", "--no-quiesce")
    background: int = _runs(0, "N", "Number of tasks that spin beside the workload, to see a verdict refused.")
    timeout: int | None = _runs(
        None, "SECONDS", "Wall time after which a run is stopped and fails.", show_default="120; 900 for applications"
    )
    on: str = option("", "ssh://USER@HOST", "Machine to measure on. docs/reference/metal.md", rich_help_panel=_METAL)
    reset: Reset = ""
    start: Start = ""
    boot_limit: BootLimit = HERE.limit_s
    plan: DryRun = False
    out: OutDirectory = None
    fresh: Fresh = False
    cluster: ClusterOption = ""
    format_: Format = "terminal"
    exit_code: ExitCode = False
    allow_refused: AllowRefused = None

    def __post_init__(self) -> None:
        if not self.flavour:
            named = (measuring().get(word) for word in self.clock.split(","))
            flavours = [clock.flavour for clock in named if clock is not None and clock.fixed]
            object.__setattr__(self, "flavour", next(iter(flavours), FLAVOUR))

    @property
    def passing(self) -> Passing:
        """Rules for the exit status."""
        return Passing(self.exit_code, tuple(self.allow_refused or ()))

    @property
    def reach(self) -> RemoteOptions:
        """Options for reaching a remote machine."""
        return RemoteOptions(reset=self.reset, start=self.start, limit_s=self.boot_limit)
