# SPDX-License-Identifier: GPL-2.0-only
"""The sources of what a run directory measured, as they are and as one file, and whether they are the very ones."""

from pathlib import Path

from kassay.bundle.amalgamate import amalgamate
from kassay.effects.files import sha256_file
from kassay.errors import HostLacks
from kassay.guest import sources
from kassay.guest.compile import build
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
        (root / file).write_text(reproducer(plan, workload, file))
    return _match(plan)


def reproducer(plan: Plan, workload: Workload, file: str) -> str:
    """One workload as one file, with the settings and rounds of the plan."""
    guest = sources.directory()
    known: dict[str, tuple[str, ...]]
    known = {path.stem: (path.name,) for path in guest.glob("*.c") if path.with_suffix(".h").is_file()}
    known["arch"] = tuple(f"arch/{name}.c" for name in sources.arches())  # each is empty on other architectures
    points = list(dict.fromkeys(cell.settings for cell in plan.cells if cell.workload == workload.name))
    return amalgamate(
        name=workload.name, summary=workload.summary, points=points, rounds=plan.experiment.rounds, known=known,
        phases=[(phase.name, phase.operation, phase.definition) for phase in workload.phases],
        read=lambda name: sources.path_of(name).read_text(), file=file,
    )  # fmt: skip


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
