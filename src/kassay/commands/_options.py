# SPDX-License-Identifier: GPL-2.0-only
"""The options that every measuring command shares, as one record."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from kassay.arches import arches
from kassay.clocks import in_words, listed, measuring
from kassay.commands import _complete as complete
from kassay.model.experiment import APPLICATION_TRACE_BUDGET, TRACE_BUDGET
from kassay.model.reach import HERE, Reach
from kassay.registry import names
from kassay.report.formats import FORMATS
from kassay.spec.suites import suites

FORMATS_HELP = f"{listed(names(FORMATS))}; docs/formats.md says what each is for."
_M, _R, _E = "Machine", "Runs", "A machine elsewhere"
DEFAULT_CLOCK = "icount"
FLAVOUR = "cloud"
ROUNDS, SUITE_ROUNDS = 20, 10


def pairs() -> tuple[str, ...]:
    """ "COUNTED,TIMED" of all clocks that can stand side by side."""
    clocks = measuring().values()
    return tuple(f"{a.name},{b.name}" for a in clocks if a.exact for b in clocks if not (b.exact or b.native))


_Clock = Annotated[
    str,
    Option(
        help=f"{in_words()}; {listed(pairs())}: both, side by side. Also a machine's name, as "
        "doctor has it: its clock, on that machine.",
        autocompletion=complete.clocks,
        rich_help_panel=_M,
    ),
]
_Repeats = Annotated[
    int | None,
    Option(
        help="Plain runs per kernel: 2 under icount. Where time is measured: boots per kernel at most, 24; fewer "
        "when all is decided after 6, 10, 14 or 18.",
        rich_help_panel=_R,
    ),
]
_Perturb = Annotated[
    int | None,
    Option(help="Runs per kernel with things moved that should not matter: 2 under icount.", rich_help_panel=_R),
]
_Margin = Annotated[
    float | None,
    Option(
        help="Change below which two kernels are equivalent: 0.01 (1 %) under icount, 0.02 for time.",
        rich_help_panel=_R,
    ),
]
_NoControl = Annotated[
    bool,
    Option(
        "--no-control",
        help="Time only: leave out the further boots of the first kernel that hold it against itself.",
        rich_help_panel=_R,
    ),
]
_Profile = Annotated[
    str,
    Option(
        help="What is counted, function by function: auto (under icount call stacks once per kernel, else counts), "
        "counts, stacks, memory (loads and stores, too) or none.",
        rich_help_panel=_R,
    ),
]

_Predict = Annotated[
    str,
    Option(
        metavar="CPU[,CPU]",
        help="What it costs in time on these CPUs, predicted from a trace, which one further run per kernel records. "
        "docs/predict.md",
        rich_help_panel=_R,
    ),
]
_TraceBudget = Annotated[
    str,
    Option(
        metavar="SIZE",
        help="Of each trace, at most.",
        rich_help_panel=_R,
        show_default=f"{TRACE_BUDGET}; of applications {APPLICATION_TRACE_BUDGET}",
    ),
]


def _checked_address(text: str) -> str:
    if text:
        from kassay.cluster.address import address_of

        address_of(text)
    return text


ClusterOption = Annotated[
    str,
    Option(
        "--cluster",
        callback=_checked_address,
        metavar="ADDRESS",
        help="Other hosts make the runs: tcp://HOST:PORT of their scheduler. docs/cluster.md",
    ),
]
"""An option of every command that measures; it is no part of the experiment."""
Reset = Annotated[
    str,
    Option(
        metavar="COMMAND",
        help="Executed here by sh when a kernel does not come up there; without it the machine is left as it is.",
        rich_help_panel=_E,
    ),
]
Start = Annotated[
    str,
    Option(
        metavar="COMMAND",
        help="Executed here by sh to start a kernel there, in place of kexec: $KASSAY_IMAGE, $KASSAY_INITRD and "
        "$KASSAY_CMDLINE say which.",
        rich_help_panel=_E,
    ),
]
BootLimit = Annotated[int, Option(metavar="SECONDS", help="Within which a kernel must come up.", rich_help_panel=_E)]
DryRun = Annotated[
    bool,
    Option("--plan", help="Print every command that would be executed there, and execute none.", rich_help_panel=_E),
]


def _of_program(name: str, help_: str, metavar: str) -> Any:
    return Option(name, help=help_, metavar=metavar, rich_help_panel="Your own program")


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """The options of a measurement: a field for each option of the command line, with its default."""

    program: Annotated[
        str, _of_program("--program", "Runs this in place of WORKLOAD, which is left out: a C file, a directory of "
                         "them, or a static program. docs/programs.md", "PATH")
    ] = ""  # fmt: skip
    args: Annotated[str, _of_program("--args", "Its arguments, quoted as for a shell.", "WORDS")] = ""
    env: Annotated[list[str] | None, _of_program("--env", "A variable of its environment.", "NAME=VALUE")] = None
    file: Annotated[
        list[str] | None, _of_program("--file", "A file that it needs, placed in its working directory.", "PATH")
    ] = None
    cflags: Annotated[str, _of_program("--cflags", "Further flags for the compiler.", "WORDS")] = ""
    link: Annotated[str, _of_program("--link", "Further words for the linker, e.g. -lm.", "WORDS")] = ""
    from_: Annotated[
        str, _of_program("--from", "Rounds begin at this function of it; NAME:3 for its third call.", "FUNCTION")
    ] = ""  # fmt: skip
    to: Annotated[str, _of_program("--to", "Rounds end at this function of it.", "FUNCTION")] = ""
    require: Annotated[
        list[str] | None,
        _of_program("--require", "What it prints, or its exit status, must be so, or the run failed. Also !=, <=, >=.",
                    "NAME==VALUE"),
    ] = None  # fmt: skip
    state: Annotated[
        list[str] | None,
        _of_program("--state", "What it prints, or a field of its memory, must be the same for all kernels.", "NAME"),
    ] = None
    limit: Annotated[float, _of_program("--limit", "Guest time that one execution may take.", "SECONDS")] = 2.0

    suite: Annotated[
        str,
        Option(
            help=f"Runs every workload of a suite in place of WORKLOAD, which is left out: {listed(suites())}. "
            "docs/suites.md",
            metavar="NAME",
            autocompletion=complete.suites,
        ),
    ] = ""
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="A workload parameter; several values, comma-separated, make a matrix.",
            autocompletion=complete.settings,
        ),
    ] = None
    clock: _Clock = DEFAULT_CLOCK
    cpus: Annotated[str, Option(help="CPUs of the machine, e.g. 1 or 1,2,4.", rich_help_panel=_M)] = "1"
    cpu: Annotated[
        str,
        Option(
            help="The CPU as the kernel sees it, e.g. zen3 or skylake_sp,zen3; docs/cpus.md lists them. Of one kernel "
            "alone: KERNEL@cpu=NAME.",
            show_default="that of the architecture",
            autocompletion=complete.cpus,
            rich_help_panel=_M,
        ),
    ] = ""
    nodes: Annotated[int, Option(help="NUMA nodes; memory and CPUs are shared out.", rich_help_panel=_M)] = 1
    thp: Annotated[
        str,
        Option(help="Policy of huge pages: always, madvise or never.", show_default="the kernel's", rich_help_panel=_M),
    ] = ""
    mthp: Annotated[
        str,
        Option(
            metavar="ORDER=POLICY",
            help="Policy of anonymous folios of one order, e.g. 4=always,2=never; since 6.8.",
            show_default="the kernel's",
            rich_help_panel=_M,
        ),
    ] = ""
    swap: Annotated[str, Option(metavar="zram:SIZE", help="A swap area.", show_default="none", rich_help_panel=_M)] = ""
    memcg: Annotated[
        str,
        Option(
            metavar="LIMIT",
            help="A cgroup for the workload, of so much memory.",
            show_default="none",
            rich_help_panel=_M,
        ),
    ] = ""
    dirty_ratio: Annotated[
        str, Option(metavar="PERCENT", help="vm.dirty_ratio.", show_default="the kernel's", rich_help_panel=_M)
    ] = ""
    percpu_high_fraction: Annotated[
        str,
        Option(
            metavar="N",
            help="vm.percpu_pagelist_high_fraction: lists of fixed length.",
            show_default="the kernel's",
            rich_help_panel=_M,
        ),
    ] = ""
    sampled: Annotated[
        str, Option(metavar="zoneinfo", help="Read after each round.", show_default="nothing", rich_help_panel=_M)
    ] = ""
    memory: Annotated[
        str,
        Option(
            help="Memory, e.g. 2GiB or 1GiB,4GiB.",
            show_default="1GiB, or what an application needs",
            rich_help_panel=_M,
        ),
    ] = ""
    arch: Annotated[str, Option(help=f"{listed(arches())}.", rich_help_panel=_M, autocompletion=complete.arches)] = (
        "x86_64"
    )
    flavour: Annotated[
        str,
        Option(
            help="Of archive kernels: cloud boots fastest; generic has the drivers of real machines.",
            show_default="cloud; generic with --on",
            rich_help_panel=_M,
        ),
    ] = ""
    boot: Annotated[
        str,
        Option(
            help="short (parameters that shorten it), stock (none), snapshot (once, then restored); a suite is "
            "restored where that can be.",
            show_default="short",
            rich_help_panel=_M,
        ),
    ] = ""
    cmdline: Annotated[str, Option(help="Kernel parameters for all kernels.", rich_help_panel=_M)] = ""
    cmdline_base: Annotated[str, Option(help="Kernel parameters for the first kernel.", rich_help_panel=_M)] = ""
    cmdline_head: Annotated[str, Option(help="Kernel parameters for the last kernel.", rich_help_panel=_M)] = ""
    repeats: _Repeats = None
    perturb: _Perturb = None
    rounds: Annotated[
        int | None,
        Option(
            help=f"Timed rounds in each run: {ROUNDS}, of a suite {SUITE_ROUNDS}, of applications 2.",
            rich_help_panel=_R,
        ),
    ] = None
    order: Annotated[str, Option(help="interleaved, sandwich or sequential.", rich_help_panel=_R)] = "interleaved"
    seed: Annotated[int, Option(help="Of the order and the perturbations.", rich_help_panel=_R)] = 1
    margin: _Margin = None
    no_control: _NoControl = False
    profile: _Profile = "auto"
    predict: _Predict = ""
    trace_budget: _TraceBudget = ""
    no_quiesce: Annotated[
        bool,
        Option("--no-quiesce", help="Do not wait until the guest is quiet: shows what runs then.", rich_help_panel=_R),
    ] = False
    background: Annotated[
        int, Option(help="Tasks that spin beside the workload: shows how a verdict is refused.", rich_help_panel=_R)
    ] = 0
    timeout: Annotated[
        int | None,
        Option(
            help="Seconds of wall time a run may take.", show_default="120, of applications 900", rich_help_panel=_R
        ),
    ] = None
    on: Annotated[
        str, Option(metavar="ssh://USER@HOST", help="The machine of --clock metal. docs/metal.md", rich_help_panel=_E)
    ] = ""
    reset: Reset = ""
    start: Start = ""
    boot_limit: BootLimit = HERE.limit_s
    plan: DryRun = False
    out: Annotated[
        Path | None, Option(help="Directory of the runs; the same command again resumes it.", show_default="by content")
    ] = None
    fresh: Annotated[bool, Option("--fresh", help="Measure anew beside an existing directory.")] = False
    cluster: ClusterOption = ""
    format_: Annotated[str, Option("--format", help=FORMATS_HELP, autocompletion=complete.formats)] = "terminal"
    exit_code: Annotated[
        bool, Option("--exit-code", help="Exit 1 on a regression, 4 when nothing is admitted or all is inconclusive.")
    ] = False

    def __post_init__(self) -> None:
        if not self.flavour:
            named = (measuring().get(word) for word in self.clock.split(","))
            flavours = [clock.flavour for clock in named if clock is not None and clock.fixed]
            object.__setattr__(self, "flavour", next(iter(flavours), FLAVOUR))

    @property
    def reach(self) -> Reach:
        """How a remote machine is reached."""
        return Reach(reset=self.reset, start=self.start, limit_s=self.boot_limit)


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """`command` for typer: a parameter whose type is a dataclass is replaced by one parameter for each of its fields.

    When it is called, it makes the dataclasses from these parameters.
    """
    own = inspect.signature(command).parameters.values()
    records: dict[str, Any] = {
        parameter.name: parameter.annotation for parameter in own if is_dataclass(parameter.annotation)
    }
    read = [expanded for parameter in own for expanded in _read(parameter, records.get(parameter.name))]

    def call(**values: Any) -> int:
        for name, record in records.items():
            values[name] = record(**{field.name: values.pop(field.name) for field in fields(record)})
        return command(**values)

    call.__signature__ = inspect.Signature(read)  # type: ignore[attr-defined]  # typer reads it
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in read}
    call.__doc__ = command.__doc__
    return call


def _read(parameter: inspect.Parameter, record: Any) -> Iterator[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    if record is None:
        yield parameter.replace(kind=keyword)
        return
    for field in fields(record):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(field.name, keyword, default=default, annotation=field.type)
