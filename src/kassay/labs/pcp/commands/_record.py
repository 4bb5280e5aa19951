# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp record: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import _complete as complete
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.supply.arches import arches
from kassay.supply.clocks import listed


def record(
    workload: Annotated[
        str, Argument(metavar="WORKLOAD", help="Workload that the guest runs; `kassay workloads` lists them.")
    ],
    kernels: Annotated[list[str], Argument(metavar="KERNEL...", help="Kernels, e.g. 6.12 or debian:6.12.")],
    set_: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set a parameter of the workload. NAME=A,B records a trace of each.",
            autocompletion=complete.settings,
        ),
    ] = None,
    cpus: Annotated[str, Option(metavar="N", help="Number of virtual CPUs. 2,4 records each.")] = "2",
    memory: Annotated[str, Option(metavar="SIZE", help="Memory of the machine, e.g. 2GiB.")] = "1GiB",
    rounds: Annotated[int, Option(metavar="N", help="Number of rounds of the workload.", min=2)] = 20,
    arch: Annotated[
        str, Option(metavar="ARCH", help=f"Architecture: {listed(arches())}.", autocompletion=complete.arches)
    ] = "x86_64",
    cmdline: Annotated[str, Option(metavar="WORDS", help="Kernel parameters for all kernels.")] = "",
    sample: Annotated[
        int, Option(metavar="US", help="Guest time between two samples of the lists, in microseconds.", min=100)
    ] = 10_000,
    buffer: Annotated[
        str,
        Option(
            metavar="SIZE", help="Size of the ring buffer of each CPU.", show_default="by the memory of the machine"
        ),
    ] = "",
    timeout: Annotated[int, Option(metavar="SECONDS", help="Wall time after which a run is stopped and fails.")] = 600,
    out: Annotated[
        Path, Option(metavar="DIR", help="Directory for the traces. The same command again records only missing ones.")
    ] = Path("kassay-out/pages"),
) -> int:
    """Record the page events of a guest and the state of its lists, for kassay pcp replay.

    kassay writes one file for each kernel. Recording disturbs the guest, so its counts are no measurement.
    """
    from msgspec import structs

    from kassay.commands._experiment import experiment_from, one_workload
    from kassay.commands._inputs import check_directory, check_experiment
    from kassay.commands._options import Measuring
    from kassay.commands._show import say, showing
    from kassay.supply.prepare.pin import pin_experiment
    from kassay.tools.recording.record import Recorder, failure
    from kassay.tools.recording.record import record as recorded

    options = Measuring(set_=set_, cpus=cpus, memory=memory, rounds=rounds, arch=arch, cmdline=cmdline, timeout=timeout,
                        repeats=1, perturb=0, profile="none", boot="short")  # fmt: skip
    experiment = experiment_from("value", one_workload(workload), kernels[:1], options)
    uses = [use for kernel in kernels for use in experiment_from("value", workload, [kernel], options).kernels]
    experiment = structs.replace(experiment, kernels=tuple(uses))
    check_directory(out)
    check_experiment(experiment)
    buffer_kb = _buffer_kb(buffer, experiment)
    with showing() as tell:
        experiment = pin_experiment(experiment, tell)
        traces = recorded(experiment, out, tell, Recorder(buffer_kb=buffer_kb, sample_us=sample))
    say("".join(f"{trace.path}\n" for trace in traces if trace.path))
    if error := failure(traces):
        raise error
    return 0


def _buffer_kb(text: str, experiment: Experiment) -> int:
    """KiB of each CPU's ring buffer; 0 for the default. Raises BadInput for one that no guest could have."""
    from kassay.commands._inputs import size_in
    from kassay.model.units import format_bytes

    if not text:
        return 0
    kb = size_in(text, f"--buffer {text!r}") >> 10
    cpus, memory = max(experiment.cpus), min(experiment.memory_bytes)
    if not kb:
        raise BadInput(f"--buffer {text}: less than 1KiB", "leave it out for a size by the memory of the machine")
    if kb * cpus >= memory >> 10:
        raise BadInput(f"--buffer {text}: {cpus} CPUs have {format_bytes(memory)} of memory",
                       "all buffers together must be smaller than the memory: give a smaller --buffer")  # fmt: skip
    return kb
