# SPDX-License-Identifier: GPL-2.0-only
"""kassay predict: what a finished directory's kernels should cost in time on other CPUs; measures nothing."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Format
from kassay.commands._show import say_answer, showing
from kassay.commands._together import check_together
from kassay.errors import BadInput
from kassay.report.formats import format_named

_NEEDS = dict.fromkeys(("--scale-as", "--scale-shared"), ("--scale",))
_UNUSED = {"--scale": ("--without", "--without-instruction", "--replace")}
Scale = Annotated[
    str,
    Option(
        metavar="1..N|N[,..]",
        help="Show throughput by number of CPUs, where the curve bends, and which lock bends it.",
        show_default=False,
    ),
]
ScaleAs = Annotated[
    str,
    Option(
        metavar="processes|threads",
        help="CPUs run a process each, or threads of one process, which share its mmap_lock. For --scale.",
    ),
]
ScaleShared = Annotated[
    list[str] | None,
    Option(
        metavar="FUNCTION",
        help="All CPUs share the locks that this function takes, such as those of one file. For --scale; may be "
        "repeated.",
    ),
]


def _every_cpu(directory: Path) -> tuple[str, ...]:
    """CPUs of the directory's architecture. Raises BadInput if it is none of runs."""
    from kassay.journal.directory import open_directory
    from kassay.labs.predict.predictions import shipped_for

    return shipped_for(open_directory(directory).plan.experiment.arch)


def _predict(
    directory: Annotated[Path, Argument(metavar="DIR", help="Directory that was made with --predict.")],
    cpu: Annotated[
        str,
        Option(
            metavar="CPU|FILE[,..]",
            help="CPUs or timing files, in place of those that the directory was made for. all: every CPU.",
            autocompletion=complete.timings, show_default=False,
        ),
    ] = "",
    without: Annotated[
        list[str] | None,
        Option(
            metavar="FUNCTION",
            help="Replay the traces without the instructions of this function, and show what is gained. May be "
            "repeated; all are left out together.",
        ),
    ] = None,
    without_instruction: Annotated[
        list[str] | None,
        Option(metavar="MNEMONIC", help="Replay without all instructions of this name, e.g. xchg. May be repeated."),
    ] = None,
    replace: Annotated[
        list[str] | None,
        Option(
            metavar="MNEMONIC=OTHER",
            help="Replay the traces with every instruction of this name at the cost of another one with the same "
            "operands, such as xchg=mov. May be repeated.",
        ),
    ] = None,
    scale: Scale = "",
    scale_as: ScaleAs = "processes",
    scale_shared: ScaleShared = None,
    format_: Format = "terminal",
) -> int:  # fmt: skip
    """Predict what the kernels of a finished directory cost in time on these CPUs.

    kassay measures nothing. It replays the traces that were recorded with --predict.
    Each prediction is made once and stored in the cache. --without asks what a change could gain before anybody
    writes it. --scale asks how the work scales with CPUs.

    Example: kassay predict kassay-out/demo --cpu zen3,skylake-sp
    """
    check_together(_NEEDS, _UNUSED)
    cpus = _every_cpu(directory) if cpu == "all" else tuple(filter(None, cpu.split(",")))
    if scale:
        from kassay.labs.predict.commands._scale import show_scale
        from kassay.labs.predict.contention.scale_model import PROCESSES, THREADS

        if scale_as not in (PROCESSES, THREADS):
            raise BadInput(f"--scale-as {scale_as}: not a way to scale", f"name {PROCESSES} or {THREADS}")
        show_scale(directory, cpus, scale, scale_as, tuple(scale_shared or ()), format_)
        return 0
    if without or without_instruction or replace:
        from kassay.labs.predict.commands._without import pairs_of, show_without
        from kassay.labs.predict.without_model import Removal
        from kassay.model.profile import base_name

        removal = Removal(functions=tuple(map(base_name, without or ())), mnemonics=tuple(without_instruction or ()),
                          replaced=pairs_of(replace or ()))  # fmt: skip
        show_without(directory, cpus, removal, format_)
        return 0
    chosen = format_named(format_)
    from kassay import pipeline

    with showing() as tell:
        report = pipeline.answer(directory, tell, predict=cpus)
    say_answer(report, chosen)
    return 0


COMMAND = Command(name="predict", order=42, run=_predict)
