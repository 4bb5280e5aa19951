# SPDX-License-Identifier: GPL-2.0-only
"""Where the guest's C sources are: in a checkout or inside the installed package, and in directories of KASSAY_PATH."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from kassay import registry
from kassay.effects import compiler
from kassay.errors import BadInput

PROGRAM = (
    "program.c", "payload.c", "watch.c", "results.c", "amounts.c", "arguments.c", "found.c", "ranges.c",
    "cached.c", "targets.c", "ring.c", "sums.c", "vdso.c", "application.c", "relay.c",
)  # fmt: skip
RUNS_PROGRAMS = "run-program"
"""The program that runs those of users; no workload of its own."""
SETUP = "setup"
"""The program that executes what an application needs before it can be measured."""
RECORDER = "recorder"
"""The program that runs a workload and records page events meanwhile."""
INIT = ("init.c", "controls.c", "zram_device.c", "quiet.c", "snapshot.c", "tasks.c", "number.c", "emit.c")
_OF_RECORDER = ("number.c", "emit.c")
_OF_SETUP = ("setup.c", "application.c", "number.c")
_ALONE = ("init.c", "controls.c", "quiet.c", "snapshot.c", "setup.c")
_WORKLOADS, _ARCHES = "workloads", "arch"
_CONTRIBUTED = (_WORKLOADS, _ARCHES)


def directory() -> Path:
    """The folder with runner.c, init.c and kassay's own workloads/."""
    return compiler.sources("guest", "runner.c", "the guest's")


def workload_names() -> tuple[str, ...]:
    """Every workload: one per file of workloads/. Raises BadInput for two of one name."""
    files = _contributed(_WORKLOADS)
    if "init.c" in files:
        raise BadInput(f"{files['init.c']}: init is the guest's first program", "give the file another name")
    return tuple(Path(name).stem for name in files)


def arches() -> tuple[str, ...]:
    """Every architecture that programs can be built for: one per file of arch/. Raises BadInput for two of one name."""
    return tuple(Path(name).stem for name in _contributed(_ARCHES))


def files_of(name: str, arch: str) -> tuple[str, ...]:
    """The C files, as path_of() takes them, that make the program `name` for `arch`: a workload,
    RUNS_PROGRAMS, SETUP, RECORDER or "init"."""
    arch_file = f"{_ARCHES}/{arch}.c"
    if name == "init":
        return (*INIT, arch_file)
    if name == SETUP:
        return _OF_SETUP
    if name == RECORDER:
        return (*_files_in(RECORDER), *_OF_RECORDER)
    return (*(PROGRAM if name == RUNS_PROGRAMS else (f"{_WORKLOADS}/{name}.c",)), *_runner(), arch_file)


def _files_in(folder: str) -> tuple[str, ...]:
    return tuple(sorted(f"{folder}/{path.name}" for path in (directory() / folder).glob("*.c")))


def _runner() -> tuple[str, ...]:
    """Sources that every workload is linked with: all C files but those of init, a setup or users' programs alone."""
    return tuple(sorted(path.name for path in directory().glob("*.c") if path.name not in (*_ALONE, *PROGRAM)))


def headers() -> tuple[str, ...]:
    """The headers that programs are made with, as path_of() takes them."""
    return (*sorted(path.name for path in directory().glob("*.h")), "program/kassay.h")


def path_of(name: str) -> Path:
    """The file that a program's sources have as `name` ("runner.c", "workloads/page_fault.c")."""
    folder, _, file = name.rpartition("/")
    return _contributed(folder).get(file, directory() / name) if folder in _CONTRIBUTED else directory() / name


def copy_to(root: Path, names: Iterable[str]) -> None:
    """Copies the files `names` to `root`. Files of several directories are then in one, so that no compiler and no
    program depends on their original paths."""
    for name in names:
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path_of(name), target)


def _contributed(folder: str) -> Mapping[str, Path]:
    return registry.files(directory() / folder, f"guest/{folder}", "*.c")
