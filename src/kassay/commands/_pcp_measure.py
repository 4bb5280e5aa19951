# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp measure: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.clocks import listed
from kassay.commands import _complete as complete
from kassay.commands._options import ClusterOption
from kassay.errors import BadInput
from kassay.registry import names
from kassay.report.pcp_measured import MEASURED_FORMATS, measured_format


def measure(
    kernels: Annotated[
        list[str], Argument(metavar="KERNEL...", help="Kernels, oldest first.", autocompletion=complete.kernels)
    ],
    cpus: Annotated[int, Option(help="Virtual CPUs, 1 to 8, each with a task of its own.")] = 1,
    memory: Annotated[str, Option(help="Memory of the machine, e.g. 2GiB.")] = "1GiB",
    depth: Annotated[
        str, Option(metavar="SIZE,...", help="Memory that page_fault allocates and frees: the alloc/free depth.")
    ] = "1MiB,4MiB,16MiB",
    fixed: Annotated[
        str,
        Option(
            metavar="auto|N",
            help="Measure each kernel with lists of fixed length, too: auto for the length that 6.1 would choose, or a "
            "value of vm.percpu_pagelist_high_fraction.",
            show_default="not",
        ),
    ] = "",
    repeats: Annotated[int, Option(help="Runs of each; their counts must be the same.")] = 2,
    out: Annotated[
        Path | None, Option(help="Directory for the runs.", show_default="named by what is asked; it goes on there")
    ] = None,
    fresh: Annotated[bool, Option("--fresh", help="Measure anew.")] = False,
    cluster: ClusterOption = "",
    format_: Annotated[str, Option("--format", help=f"{listed(names(MEASURED_FORMATS))}.")] = "terminal",
) -> int:
    """Measure the zone path, the zone lock and the per-CPU page lists of real kernels, on all workloads at once.

    page_fault at several depths, process_mix (a build scaled down), page_handover (order-3 pages from one CPU to
    another; with two CPUs and more) and pcp_idle (how lists shrink). Counts are exact; docs/pcp-measure.md.

    Example: kassay pcp measure 6.1 6.12 7.3

    Example: kassay pcp measure 6.12 7.3 --cpus 2 --fixed auto --format json
    """
    from kassay.commands._experiment import unused_directory
    from kassay.commands._show import say, showing
    from kassay.effects.files import sha256_bytes, write_atomic
    from kassay.model.units import parse_bytes
    from kassay.pcp.measure import Wanted
    from kassay.pcp.measure import measure as measured

    form = measured_format(format_)
    if fixed not in ("", "auto") and not (fixed.isdecimal() and int(fixed) >= 8):
        raise BadInput(f"--fixed {fixed!r}: neither auto nor a number of at least 8", "write --fixed auto")
    try:
        bytes_ = parse_bytes(memory)
    except ValueError as error:
        raise BadInput(f"--memory {memory!r}: {error}", "write --memory 2GiB") from error
    wanted = Wanted(
        kernels=tuple(kernels),
        cpus=cpus,
        memory_bytes=bytes_,
        depths=tuple(dict.fromkeys(filter(None, depth.split(",")))),
        fixed=True if fixed == "auto" else int(fixed) if fixed else False,
        repeats=repeats,
    )
    directory = out if out is not None else Path("kassay-out") / f"pcp-{sha256_bytes(repr(wanted).encode())[:8]}"
    directory = unused_directory(directory) if fresh else directory
    with showing() as tell:
        answer = measured(wanted, directory, tell, cluster)
    for name in ("html", "json", "terminal", "markdown"):
        file_form = measured_format(name)
        write_atomic(directory / f"report{file_form.suffix}", file_form.render(answer).encode())
    say(form.render(answer))
    return 0 if any(row.counts is not None for row in answer.rows) else 4
