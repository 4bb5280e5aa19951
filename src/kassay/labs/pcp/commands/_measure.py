# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp measure: its options and its answer."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import _complete as complete
from kassay.commands._options import ClusterOption, format_option
from kassay.errors import BadInput
from kassay.report.answers import answer_formats


def measure(
    kernels: Annotated[
        list[str], Argument(metavar="KERNEL...", help="Kernels, oldest first.", autocompletion=complete.kernels)
    ],
    cpus: Annotated[int, Option(metavar="N", help="Number of virtual CPUs, 1 to 8. Each runs one task.")] = 1,
    memory: Annotated[str, Option(metavar="SIZE", help="Memory of the machine, e.g. 2GiB.")] = "1GiB",
    depth: Annotated[
        str, Option(metavar="SIZE,...", help="Memory that page_fault allocates and frees at a time (the depth).")
    ] = "1MiB,4MiB,16MiB",
    fixed: Annotated[
        str,
        Option(
            metavar="auto|N",
            help="Measure each kernel with lists of fixed length, too. auto: the length that 6.1 would choose. N: a "
            "value of vm.percpu_pagelist_high_fraction.",
            show_default="no fixed lists",
        ),
    ] = "",
    repeats: Annotated[int, Option(metavar="N", help="Number of runs of each kernel. Their counts must agree.")] = 2,
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Directory for the runs. The same command again continues there.",
            show_default="kassay-out/NAME, named by the question",
        ),
    ] = None,
    fresh: Annotated[bool, Option("--fresh", help="Measure again, in a new directory.")] = False,
    cluster: ClusterOption = "",
    format_: Annotated[str, format_option(answer_formats())] = "terminal",
) -> int:
    """Measure the zone path, the zone lock and the per-CPU page lists of real kernels.

    kassay runs page_fault at several depths, process_mix (a small build), pcp_idle (how lists shrink) and, with two
    CPUs or more, page_handover (order-3 pages from one CPU to another). Counts are exact. docs/how-to/pcp.md

    Example: kassay pcp measure 6.1 6.12 7.3

    Example: kassay pcp measure 6.12 7.3 --cpus 2 --fixed auto --format json
    """
    from kassay.commands._experiment import unused_directory
    from kassay.commands._inputs import check_directory, check_kernels, size_in
    from kassay.commands._options import FLAVOUR
    from kassay.commands._show import keep_answer, say_answer, showing
    from kassay.effects.files import sha256_bytes
    from kassay.labs.pcp.measure import Wanted
    from kassay.labs.pcp.measure import measure as measured
    from kassay.labs.pcp.report.measured import MEASURED
    from kassay.model.kernel import full_ref, parse_ref

    form = MEASURED.form(format_)
    if fixed not in ("", "auto") and not (fixed.isdecimal() and int(fixed) >= 8):
        raise BadInput(f"--fixed {fixed!r}: neither auto nor a number of at least 8", "write --fixed auto")
    wanted = Wanted(
        kernels=tuple(kernels),
        cpus=cpus,
        memory_bytes=size_in(memory, f"--memory {memory!r}", "write --memory 2GiB"),
        depths=tuple(dict.fromkeys(filter(None, depth.split(",")))),
        fixed=True if fixed == "auto" else int(fixed) if fixed else False,
        repeats=repeats,
    )
    check_directory(out)
    check_kernels([parse_ref(full_ref(kernel)) for kernel in kernels], FLAVOUR)
    directory = out if out is not None else Path("kassay-out") / f"pcp-{sha256_bytes(repr(wanted).encode())[:8]}"
    directory = unused_directory(directory) if fresh else directory
    with showing() as tell:
        answer = measured(wanted, directory, tell, cluster)
    keep_answer(answer, MEASURED, directory)
    say_answer(answer, form)
    return 0 if any(row.counts is not None for row in answer.rows) else 4
