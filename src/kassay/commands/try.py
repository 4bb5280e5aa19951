# SPDX-License-Identifier: GPL-2.0-only
"""kassay try: one boot, to see what a program does before it is measured."""

from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._options import Measuring
from kassay.commands._show import say, showing
from kassay.commands._with_options import with_options

_ROUNDS = 2
_OPTIONS_OF_ANSWERS = (
    "suite", "repeats", "perturb", "margin", "no_control", "order", "fresh", "format_", "exit_code", "allow_refused",
    "predict", "trace_budget", "plan", "debug_symbols",
)  # fmt: skip
"""Options of a measurement that mean nothing for one boot without an answer."""


def _try(
    workload: Annotated[
        str, Argument(help="Workload or application; left out with --program.", show_default=False,
                      autocompletion=complete.workloads)
    ] = "",
    kernel: Annotated[
        str, Argument(help="Kernel to run it on, e.g. debian:6.17.", show_default=False,
                      autocompletion=complete.kernels)
    ] = "",
    *,
    options: Measuring,
) -> int:  # fmt: skip
    """Run WORKLOAD once on KERNEL, and show what it printed and how it ended.

    kassay boots the kernel once and compares nothing. The run is kept only with --out. The exit status is 0 if the
    run succeeded, else 4.

    Example: kassay try --program repro.c debian:6.17 --args "-n 20"
    """
    from tempfile import TemporaryDirectory

    from kassay import pipeline
    from kassay.commands._experiment import experiments_from, one_workload
    from kassay.journal.directory import open_directory

    once = replace(options, repeats=1, perturb=0, rounds=options.rounds or _ROUNDS, no_control=True)
    experiment, _ = experiments_from("value", one_workload(workload), (kernel,), once)
    with TemporaryDirectory(prefix="kassay-try-") as scratch:
        directory = options.out or Path(scratch) / "runs"
        with showing() as tell:
            pipeline.measure(experiment, directory, tell, cluster=options.cluster, reach=options.reach)
        folder = open_directory(directory)
        record = folder.records()[-1]
        said = said_by(directory, record.stream_sha256)
    for name, text in said:
        say(f"{name}:\n" + indent(text.rstrip("\n"), "  ") + "\n")
    say(f"{record.outcome}{f': {record.detail}' if record.detail else ''}\n")
    return 0 if record.outcome == "ok" else 4


def said_by(directory: Path, stream: str | None) -> tuple[tuple[str, str], ...]:
    """Name and text of what the program of a run wrote: standard output of one execution, and standard error."""
    from kassay.journal import artifacts
    from kassay.supply.guest import protocol
    from kassay.supply.guest.program_output import OUTPUT, SEPARATOR

    if stream is None:
        return ()
    try:
        frames = tuple(protocol.frames(artifacts.get(directory, stream)))
    except protocol.StreamError:  # cut where the machine ended
        return ()
    texts = {frame.name: frame.payload.decode("utf-8", "replace") for frame in frames if frame.kind == "file"}
    output = texts.get(f"after:{OUTPUT}/output", "").partition(SEPARATOR)[0]
    errors = texts.get(f"after:{OUTPUT}/errors", "")
    return tuple((name, text) for name, text in (("standard output", output), ("standard error", errors)) if text)


COMMAND = Command(name="try", order=12, run=with_options(_try, without=_OPTIONS_OF_ANSWERS))
