# SPDX-License-Identifier: GPL-2.0-only
"""The sources of what a run directory measured, as they are and as one C file."""

from collections.abc import Iterator
from pathlib import Path

from kassay.effects.files import sha256_file
from kassay.errors import BadInput, HostLacks
from kassay.journal.directory import open_directory
from kassay.model.plan import Plan
from kassay.model.workload import Workload
from kassay.supply.guest import sources
from kassay.supply.guest.compile import build
from kassay.supply.guest.program_source import contents
from kassay.supply.guest.reproducer import reproducer
from kassay.supply.measured import measured_by_name


def sources_into(run: Path, root: Path) -> str:
    """Writes the files of sources_of() below `root`; returns a sentence that says whether they match the measured
    programs."""
    for name, data in sources_of(run):
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return _match(open_directory(run).plan)


def sources_of(run: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file: source/guest/, one reproducer for each workload, the sources of users' programs.
    Nothing is written."""
    plan = open_directory(run).plan
    own = {use.name: use.program for use in plan.experiment.workloads if use.program}
    measured = measured_by_name(plan.experiment.workloads)
    programs = (program.name for program in plan.guest_sha256)
    guest_programs = [measured[name].guest_program if name in measured else name for name in programs]
    names = {name for program in guest_programs for name in sources.files_of(program, plan.experiment.arch)}
    for name in sorted({*names, *sources.headers(), "Makefile"}):
        if sources.path_of(name).is_file():
            yield f"source/guest/{name}", sources.path_of(name).read_bytes()
    for workload in plan.workloads:
        if workload.name in own or workload.name not in sources.workload_names():
            continue  # _match() names it
        file = "reproducer.c" if len(plan.workloads) == 1 else f"reproducer-{workload.name}.c"
        yield file, of_plan(plan, workload, file).encode()
    for name, use in own.items():
        for packed_file in contents(use, run).values():
            yield f"source/programs/{name}/{packed_file.name}", packed_file.data


def of_plan(plan: Plan, workload: Workload, file: str) -> str:
    """One workload as one file, with the settings and rounds of the plan."""
    points = list(dict.fromkeys(cell.settings for cell in plan.cells if cell.workload == workload.name))
    return reproducer(workload, points, plan.experiment.rounds, file)


def _built(name: str, plan: Plan) -> str | None:
    """The hash of one program as this version builds it; None for a program that it does not have."""
    measured, arch = measured_by_name(plan.experiment.workloads).get(name), plan.experiment.arch
    if measured is None:
        return sha256_file(build("init", arch)) if name == "init" else None
    known = measured.guest_program in (sources.RUNS_PROGRAMS, *sources.workload_names())
    return sha256_file(measured.build(arch)) if known else None


def _match(plan: Plan) -> str:
    """The programs are built again: the same sources and compiler give the same bytes."""
    other = []
    for program in plan.guest_sha256:
        try:
            if _built(program.name, plan) != program.value:
                other.append(program.name)
        except (HostLacks, BadInput) as error:
            return f"not compared with what was measured: {error.what}"
    if not plan.guest_sha256:
        return "not compared with what was measured: the plan does not name its programs"
    if not other:
        return "they give, built on the host that packed them, the very programs that were measured"
    return f"of this version of kassay; built here, {', '.join(other)} is not the program that was measured"
