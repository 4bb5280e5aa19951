# SPDX-License-Identifier: GPL-2.0-only
"""Where the guest's C sources are: in a checkout, or inside the installed package."""

from pathlib import Path

from kassay.errors import Defect

RUNNER = (
    "runner.c", "options.c", "describe.c", "capture.c", "pages.c", "script.c", "memory.c", "workers.c", "zram.c",
    "runtimes.c", "tasks.c", "number.c", "emit.c",
)  # fmt: skip
INIT = ("init.c", "quiet.c", "snapshot.c", "tasks.c", "number.c", "emit.c")


def directory() -> Path:
    """The folder with runner.c, init.c and workloads/."""
    here = Path(__file__).resolve()
    for candidate in (here.parents[1] / "_guest", here.parents[3] / "guest"):
        if (candidate / "runner.c").is_file():
            return candidate
    raise Defect(f"{here.parents[1]}: the guest's sources are not part of this installation")


def workload_names() -> tuple[str, ...]:
    """Every workload: one per file of workloads/."""
    return tuple(sorted(path.stem for path in (directory() / "workloads").glob("*.c")))


def arches() -> tuple[str, ...]:
    """Every architecture that programs can be built for: one per file of arch/."""
    return tuple(sorted(path.stem for path in (directory() / "arch").glob("*.c")))


def files_of(name: str, arch: str) -> tuple[str, ...]:
    """The C files, relative to directory(), that make the program `name` (a workload, or "init") for `arch`."""
    own = f"arch/{arch}.c"
    return (*INIT, own) if name == "init" else (f"workloads/{name}.c", *RUNNER, own)
