# SPDX-License-Identifier: GPL-2.0-only
"""The sources of what a run directory measured, as they are and as one C file; and whether they are the very ones."""

from pathlib import Path

from kassay.effects.files import sha256_file
from kassay.errors import HostLacks
from kassay.guest import sources
from kassay.guest.compile import build
from kassay.guest.reproducer import reproducer
from kassay.journal.directory import open_directory
from kassay.model.plan import Plan
from kassay.model.workload import Workload


def sources_into(run: Path, root: Path) -> str:
    """Writes source/guest/ and one reproducer for each workload below `root`; says whether they match the programs."""
    plan = open_directory(run).plan
    names = {name for program in plan.guest_sha256 for name in sources.files_of(program.name, plan.experiment.arch)}
    found = sorted(name for name in (*names, *sources.headers(), "Makefile") if sources.path_of(name).is_file())
    sources.copy_to(root / "source" / "guest", found)
    for workload in plan.workloads:
        if workload.name not in sources.workload_names():
            continue  # _match() names it
        file = "reproducer.c" if len(plan.workloads) == 1 else f"reproducer-{workload.name}.c"
        (root / file).write_text(of_plan(plan, workload, file))
    return _match(plan)


def of_plan(plan: Plan, workload: Workload, file: str) -> str:
    """One workload as one file, with the settings and rounds of the plan."""
    points = list(dict.fromkeys(cell.settings for cell in plan.cells if cell.workload == workload.name))
    return reproducer(workload, points, plan.experiment.rounds, file)


def _match(plan: Plan) -> str:
    """The programs are built again: the same sources and compiler give the same bytes."""
    other = []
    for program in plan.guest_sha256:
        try:
            known = program.name in ("init", *sources.workload_names())
            if not known or sha256_file(build(program.name, plan.experiment.arch)) != program.value:
                other.append(program.name)
        except HostLacks as error:
            return f"not compared with what was measured: {error.what}"
    if not plan.guest_sha256:
        return "not compared with what was measured: the plan does not name its programs"
    if not other:
        return "they give, built on the host that packed them, the very programs that were measured"
    return f"of this version of kassay; built here, {', '.join(other)} is not the program that was measured"
