# SPDX-License-Identifier: GPL-2.0-only
"""The options that every measuring command shares, and the experiment they make."""

import hashlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from kassay.clocks import clock_of, in_words, listed, measuring
from kassay.commands._answer import FORMATS_HELP
from kassay.commands._show import showing
from kassay.errors import BadInput
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.records import content_id
from kassay.model.units import parse_bytes
from kassay.plan.prepare import pinned
from kassay.spec.load import check

_M, _R = "Machine", "Runs"
_DEFAULT = "icount"


def _pairs() -> tuple[str, ...]:
    """ "COUNTED,TIMED" of all clocks that can stand side by side."""
    known = measuring().values()
    return tuple(f"{a.name},{b.name}" for a in known if a.exact for b in known if not (b.exact or b.native))


_Clock = Annotated[
    str,
    Option(
        help=f"{in_words()}; {listed(_pairs())}: both, side by side.",
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


def _shared(
    set_: Annotated[
        list[str] | None,
        Option(
            "--set", metavar="NAME=VALUE", help="A workload parameter; several values, comma-separated, make a matrix."
        ),
    ] = None,
    clock: _Clock = _DEFAULT,
    cpus: Annotated[str, Option(help="CPUs of the machine, e.g. 1 or 1,2,4.", rich_help_panel=_M)] = "1",
    memory: Annotated[str, Option(help="Memory, e.g. 2GiB or 1GiB,4GiB.", rich_help_panel=_M)] = "1GiB",
    arch: Annotated[str, Option(help="x86_64 or arm64.", rich_help_panel=_M)] = "x86_64",
    flavour: Annotated[str, Option(help="Of archive kernels: cloud boots fastest.", rich_help_panel=_M)] = "cloud",
    boot: Annotated[
        str,
        Option(
            help="short (parameters that shorten it), stock (none), snapshot (once, then restored).", rich_help_panel=_M
        ),
    ] = "short",
    cmdline: Annotated[str, Option(help="Kernel parameters for all kernels.", rich_help_panel=_M)] = "",
    cmdline_base: Annotated[str, Option(help="Kernel parameters for the first kernel.", rich_help_panel=_M)] = "",
    cmdline_head: Annotated[str, Option(help="Kernel parameters for the last kernel.", rich_help_panel=_M)] = "",
    repeats: _Repeats = None,
    perturb: _Perturb = None,
    rounds: Annotated[int, Option(help="Timed rounds in each run.", rich_help_panel=_R)] = 20,
    order: Annotated[str, Option(help="interleaved, sandwich or sequential.", rich_help_panel=_R)] = "interleaved",
    seed: Annotated[int, Option(help="Of the order and the perturbations.", rich_help_panel=_R)] = 1,
    margin: _Margin = None,
    no_control: _NoControl = False,
    profile: _Profile = "auto",
    no_quiesce: Annotated[
        bool,
        Option("--no-quiesce", help="Do not wait until the guest is quiet: shows what runs then.", rich_help_panel=_R),
    ] = False,
    background: Annotated[
        int, Option(help="Tasks that spin beside the workload: shows how a verdict is refused.", rich_help_panel=_R)
    ] = 0,
    timeout: Annotated[int, Option(help="Seconds of wall time a run may take.", rich_help_panel=_R)] = 120,
    out: Annotated[
        Path | None, Option(help="Directory of the runs; the same command again resumes it.", show_default="by content")
    ] = None,
    fresh: Annotated[bool, Option("--fresh", help="Measure anew beside an existing directory.")] = False,
    format_: Annotated[str, Option("--format", help=FORMATS_HELP)] = "terminal",
    exit_code: Annotated[
        bool, Option("--exit-code", help="Exit 1 on a regression, 4 when nothing is admitted or all is inconclusive.")
    ] = False,
) -> None: ...


def with_shared_options(command: Callable[..., int]) -> Callable[..., int]:
    """`command(*own, options)` as typer sees it: its own parameters, then the shared ones, handed over as one dict."""
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "options"]
    shared = list(inspect.signature(_shared).parameters.values())
    names = [p.name for p in own]

    def call(**values: Any) -> int:
        return command(*(values.pop(name) for name in names), values)

    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*own, *shared)]
    call.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]  # read by typer
    call.__annotations__ = {p.name: p.annotation for p in keyword}
    call.__doc__ = command.__doc__
    return call


def experiments_from(
    question: str, workload: str, kernels: Sequence[str], options: dict[str, Any]
) -> tuple[Experiment, Experiment | None]:
    """The experiment that a command line asks for, and the one to be timed beside it, if any. Raises BadInput.

    With two clocks --repeats is about the boots that are timed. Kernels to be built are named by their content.
    """
    with showing() as tell:
        counts, times = _asked(question, workload, kernels, options)
        return pinned(counts, tell), times and pinned(times, tell)


def _asked(
    question: str, workload: str, kernels: Sequence[str], options: dict[str, Any]
) -> tuple[Experiment, Experiment | None]:
    first, comma, second = options["clock"].partition(",")
    if not comma:
        return experiment_from(question, workload, kernels, options), None
    if options["clock"] not in _pairs():
        raise BadInput(f"--clock {options['clock']!r}: not two clocks that can stand side by side",
                       f"write {listed(_pairs())}; or one of {', '.join(measuring())}")  # fmt: skip
    counts = experiment_from(question, workload, kernels, options | {"clock": first, "repeats": None})
    # Both were asked for with one set of options: what only counts have is not the timed one's.
    times = options | {"clock": second, "perturb": None, "profile": "auto"}
    times["boot"] = "short" if options["boot"] == "snapshot" else options["boot"]
    return counts, experiment_from(question, workload, kernels, times)


def experiment_from(question: str, workload: str, kernels: Sequence[str], options: dict[str, Any]) -> Experiment:
    """The experiment that a command line with one clock asks for. Raises BadInput with every problem."""
    clock = measuring().get(options["clock"]) or clock_of(_DEFAULT)  # check() names one that is unknown
    problems: list[str] = []
    experiment = Experiment(
        name=f"{question}-{workload}",
        question=question,
        kernels=tuple(_kernels(kernels, options)),
        workloads=(WorkloadUse(name=workload, axes=_axes(options["set_"] or [], problems)),),
        clock=options["clock"],
        arch=options["arch"],
        cpus=_numbers(options["cpus"], "--cpus", int, problems),
        memory_bytes=_numbers(options["memory"], "--memory", parse_bytes, problems),
        order=options["order"],
        repeats=options["repeats"] if options["repeats"] is not None else clock.repeats,
        perturb=options["perturb"] if options["perturb"] is not None else clock.perturb,
        rounds=options["rounds"],
        seed=options["seed"],
        margin=options["margin"] if options["margin"] is not None else clock.margin,
        control=not options["no_control"],
        timeout_s=options["timeout"],
        flavour=options["flavour"],
        boot=options["boot"],
        profile=options["profile"],
        quiesce=not options["no_quiesce"],
        background=options["background"],
    )
    if problems:
        raise BadInput("\n".join(problems))
    return check(experiment, "command line")


def directory_for(experiment: Experiment, out: Path | None, fresh: bool) -> Path:
    """Where the runs go: --out, or a name from the experiment's content, so that the same command finds it again."""
    short = content_id(experiment)[:8]
    if out is not None and (str(out) in (".", "") or out.name in ("", "..")):
        raise BadInput(
            f"--out {str(out)!r}: not a name for a directory of runs", "name a new directory, such as --out runs"
        )
    base = out if out is not None else Path("kassay-out") / f"{_safe(experiment.name)}-{short}"
    if not fresh or not base.exists():
        return base
    number = 2
    while (candidate := base.with_name(f"{base.name}-{number}")).exists():
        number += 1
    return candidate


def _kernels(refs: Sequence[str], options: dict[str, Any]) -> list[KernelUse]:
    last = len(refs) - 1
    uses = []
    for index, ref in enumerate(refs):
        words = [options["cmdline"]]
        words += [options["cmdline_base"]] if index == 0 else []
        words += [options["cmdline_head"]] if index == last else []
        uses.append(KernelUse(ref=ref, cmdline=" ".join(word for word in words if word)))
    return uses


def _axes(settings: Sequence[str], problems: list[str]) -> tuple[Axis, ...]:
    axes = []
    for text in settings:
        name, equals, values = text.partition("=")
        if not (name and equals and values):
            problems.append(f"--set {text!r}: write NAME=VALUE, for example --set size=16MiB")
        axes.append(Axis(name=name, values=tuple(values.split(","))))
    repeated = {axis.name for axis in axes if [a.name for a in axes].count(axis.name) > 1}
    problems += [f"--set {name}: given twice; write several values as {name}=A,B" for name in sorted(repeated)]
    return tuple(axes)


def _numbers(text: str, option: str, read: Callable[[str], int], problems: list[str]) -> tuple[int, ...]:
    try:
        return tuple(read(part) for part in text.split(","))
    except ValueError as error:
        problems.append(
            f"{option} {text!r}: {error}" if read is parse_bytes else f"{option} {text!r}: not whole numbers"
        )
        return (1,)


def _safe(name: str) -> str:
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:60]
    return plain or hashlib.sha256(name.encode()).hexdigest()[:8]
