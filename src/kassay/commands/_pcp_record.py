# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp record: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.arches import arches
from kassay.clocks import listed
from kassay.commands import _complete as complete


def record(
    workload: Annotated[str, Argument(help="What the guest does; kassay workloads lists them.")],
    kernels: Annotated[list[str], Argument(metavar="KERNEL...", help="Such as 6.12 or debian:6.12.")],
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="A workload parameter; several values make several traces.",
            autocompletion=complete.settings,
        ),
    ] = None,
    cpus: Annotated[str, Option(help="CPUs of the machine, e.g. 2 or 2,4.")] = "2",
    memory: Annotated[str, Option(help="Memory of the machine.")] = "1GiB",
    rounds: Annotated[int, Option(help="Rounds of the workload.", min=1)] = 20,
    arch: Annotated[str, Option(help=f"{listed(arches())}.", autocompletion=complete.arches)] = "x86_64",
    cmdline: Annotated[str, Option(help="Kernel parameters for all kernels.")] = "",
    sample: Annotated[int, Option(metavar="US", help="Guest time between two looks at the lists.", min=100)] = 10_000,
    buffer: Annotated[
        str, Option(metavar="SIZE", help="Ring buffer of each CPU.", show_default="by the machine's memory")
    ] = "",
    timeout: Annotated[int, Option(help="Seconds of wall time a run may take.")] = 600,
    out: Annotated[Path, Option(help="Directory of the traces; the same command again makes what is missing.")] = Path(
        "kassay-out/pages"
    ),
) -> int:
    """Record the page events of a guest, and the state of its lists: one file for each kernel, for kassay pcp replay.

    The guest is disturbed by its own recording, so that nothing it counts is a measurement.
    """
    from msgspec import structs

    from kassay.commands._experiment import experiment_from
    from kassay.commands._options import Measuring
    from kassay.commands._show import say, showing
    from kassay.errors import BadInput
    from kassay.model.units import parse_bytes
    from kassay.pcp.record import Recorder, problems
    from kassay.pcp.record import record as recorded
    from kassay.plan.prepare import pinned

    options = Measuring(set_=set_, cpus=cpus, memory=memory, rounds=rounds, arch=arch, cmdline=cmdline, timeout=timeout,
                        repeats=1, perturb=0, profile="none", boot="short")  # fmt: skip
    try:
        buffer_kb = parse_bytes(buffer) >> 10 if buffer else 0
    except ValueError as error:
        raise BadInput(f"--buffer {buffer!r}: {error}") from error
    experiment = experiment_from("value", workload, kernels[:1], options)
    uses = [use for kernel in kernels for use in experiment_from("value", workload, [kernel], options).kernels]
    with showing() as tell:
        experiment = pinned(structs.replace(experiment, kernels=tuple(uses)), tell)
        traces = recorded(experiment, out, tell, Recorder(buffer_kb=buffer_kb, sample_us=sample))
    say("".join(f"{trace.path}\n" for trace in traces if trace.path))
    if text := problems(traces):
        raise BadInput(f"not recorded:\n{text}", "kassay pcp record needs kernels with CONFIG_FTRACE, as Debian's have")
    return 0
