# SPDX-License-Identifier: GPL-2.0-only
"""Time of a user's program on this machine, beside the predicted time of the same executions."""

import os
import platform
import signal
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median

import msgspec

from kassay.effects import compiler, files, process
from kassay.effects.compiler import COMPILER
from kassay.effects.distribution import install
from kassay.errors import BadInput, HostLacks
from kassay.labs.predict.calibrate.machine import huge_pages
from kassay.model.experiment import Experiment, WorkloadUse
from kassay.model.finding import Finding
from kassay.model.machine import Point
from kassay.model.program import success_status
from kassay.model.records import Record, from_json, to_json
from kassay.model.texts import Table, cells, figures, listed, table
from kassay.model.units import format_decimals
from kassay.report.words import point_name
from kassay.supply.arches import of_machine

FILE = "here.json"
"""In a run directory: the times that were measured on this machine."""
_EXECUTIONS, _SECONDS = 101, 10
"""Executions, and the time after which no further one is started. The first one only warms the machine."""
_NOT_EXECUTED = 127
"""Exit status of the timer's child where the kernel refuses to execute the program (core/here/time.c)."""
SCHEMA = "kassay-here/1"
_FLAGS = ("-std=gnu11", "-O2")


class TimedHere(Record, frozen=True, kw_only=True):
    """Times that one program was executed on this machine, in user mode and in the kernel."""

    workload: str
    n: int
    """Executions."""
    ns: float
    """Time that a tenth of the executions took at most. Other work on the machine only adds to it, by the caches."""
    low: float
    """The shortest one."""
    high: float
    """Median."""
    thp: str = ""
    """Policy of huge pages of the kernel that ran then; "" in files of earlier versions."""
    schema: str = SCHEMA


def check_here(experiment: Experiment) -> None:
    """Raises BadInput where the program cannot be timed on this machine as the model predicts it."""
    programs = [use.program for use in experiment.workloads if use.program and not use.program.application]
    if len(programs) != 1 or len(experiment.workloads) != 1 or not experiment.predict:
        raise BadInput("--clock icount,host: times a program of yours beside its prediction",
                       "add --program PATH and --predict host")  # fmt: skip
    if programs[0].counted or programs[0].marks:
        raise BadInput("--clock icount,host: whole executions are timed, and this program's rounds are parts of them",
                       "leave --from and --to out, or the macros of kassay.h")  # fmt: skip
    if experiment.workloads[0].axes:
        raise BadInput("--clock icount,host: --set gives the program several forms", "give its words in --args")
    host = of_machine(platform.machine())
    if host is None or experiment.arch != host.name:
        raise BadInput(f"--clock icount,host: the program is for {experiment.arch}, and this is a {platform.machine()}",
                       "measure on a machine of that architecture")  # fmt: skip


def time_here(experiment: Experiment, directory: Path) -> TimedHere:
    """Executes the program on this machine, and keeps the times in its run directory. Raises HostLacks, BadInput."""
    use = experiment.workloads[0]
    assert use.program
    from kassay.supply.guest.program import packed, program_in
    from kassay.supply.guest.program_source import contents

    program = program_in(packed(use.program, experiment.arch))
    assert program is not None
    with tempfile.TemporaryDirectory(prefix="kassay-here-") as scratch:
        place = Path(scratch)
        for name, file in contents(use.program, directory).items():
            if name.startswith("files/"):
                files.write_atomic(place / name.removeprefix("files/"), file.data, mode=file.mode)
        files.write_atomic(place / "program", program, mode=0o755)
        timed = _timed(use, place)
    files.write_atomic(directory / FILE, to_json(timed))
    return timed


def _timed(use: WorkloadUse, place: Path) -> TimedHere:
    assert use.program
    given = {name: value for name, _, value in (word.partition("=") for word in use.program.env)}
    env: Mapping[str, str] = {"PATH": str(place), "HOME": str(place), "TMPDIR": str(place), **given}
    timeout_s = _SECONDS + 6 * use.program.limit_ms / 1000
    argv = (str(_timer()), str(_EXECUTIONS), str(_SECONDS), str(place / "program"), *use.program.args)
    done = process.run(argv, env=env, cwd=place, timeout_s=timeout_s)
    lines = [line.split() for line in done.out.splitlines()]
    if done.status or len(lines) < 2:
        why = "it took longer than --limit allows" if done.timed_out else f"status {done.status}"
        raise BadInput(f"{use.name}: not timed on this machine: {why}", "try it by hand, or leave host out of --clock")
    _check_ends(use, sorted({int(status) for _, status in lines}))
    times = sorted(float(ns) for ns, _ in lines[1:])
    n = len(times)
    return TimedHere(workload=use.name, n=n, ns=times[n // 10], low=times[0], high=median(times),
                     thp=huge_pages())  # fmt: skip


def _check_ends(use: WorkloadUse, statuses: Sequence[int]) -> None:
    """Raises BadInput unless all executions ended as those in the guest must, so that they did the same work."""
    assert use.program
    wanted = success_status(use.program)
    ends = list(dict.fromkeys(map(_end, statuses)))
    if ends == [f"ended with status {wanted}"]:
        return
    raise BadInput(f"{use.name}: not timed on this machine: {listed(ends)}, and status {wanted} is its success",
                   "try it by hand on this machine, or leave host out of --clock")  # fmt: skip


def _end(status: int) -> str:
    """The end of an execution in words, from its wait status."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"killed by signal {-code} ({signal.strsignal(-code)})"
    return "it cannot be executed (status 127)" if code == _NOT_EXECUTED else f"ended with status {code}"


@cache
def _timer() -> Path:
    """The program that executes and times others, built when not yet there. Raises HostLacks without a compiler."""
    if process.find(COMPILER) is None:
        raise HostLacks(f"no time on this machine: {COMPILER} is not there", install(COMPILER, "libc6-dev"))
    folder = compiler.sources("core/here", "time.c", "the timer's")
    key = compiler.digest((("time.c", folder / "time.c"),), (compiler.version(COMPILER), _FLAGS))[:16]
    binary = files.cache_directory() / "here" / key
    first = compiler.program("timer of programs", binary, (COMPILER, *_FLAGS, "time.c"), folder)
    if first:
        raise HostLacks(f"no time on this machine: {first}", install("gcc", "libc6-dev"))
    return binary


def timed_in(directory: Path) -> TimedHere | None:
    """The times that a run directory has; None without."""
    path = directory / FILE
    return from_json(path.read_bytes(), TimedHere) if path.is_file() else None


def other_pages(timed: TimedHere, experiment: Experiment) -> str:
    """A sentence if the guest was not told to have huge pages as this machine has them; "" else."""
    asked = "" if experiment.thp is msgspec.UNSET else experiment.thp
    if timed.thp in ("", "none", asked):
        return ""
    guest = asked or "the kernel's own setting"
    return (f"Huge pages are {timed.thp} here, and {guest} in the guest: page faults may differ. "
            f"--thp {timed.thp} makes them alike.")  # fmt: skip


def beside_predictions(timed: TimedHere, findings: Sequence[Finding]) -> Table:
    """One row for each kernel, machine and predicted CPU: the predicted time of an execution, and the measured one."""
    whole = partial(format_decimals, decimals=0)
    own = [f for f in findings if f.primary and f.workload == timed.workload]
    points = [f.point for f in own]
    rows: dict[tuple[str, Point, str], tuple[str, ...]] = {}
    for f in own:
        of = f", {point_name(f.point, points)}" if len({*points}) > 1 else ""
        for prediction in f.predictions:
            for side, ns in zip(f.sides, (prediction.base_ns, prediction.head_ns), strict=True):
                if ns:
                    rows[side.kernel, f.point, prediction.cpu] = (
                        f"{side.kernel}{of}", prediction.cpu, whole(ns), whole(timed.ns),
                        f"{whole(timed.low)} to {whole(timed.high)}", f"{ns / timed.ns:.2f}",
                    )  # fmt: skip
    names = ("kernel of the guest", "predicted for", *figures("predicted, ns", "measured here, ns", "least and median"),
             *figures("predicted / measured"))  # fmt: skip
    title = f"An execution of {timed.workload}: predicted, and measured on this machine ({timed.n} times)"
    return table(title, names, tuple(cells(*row) for row in rows.values()))
