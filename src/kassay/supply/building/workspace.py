# SPDX-License-Identifier: GPL-2.0-only
"""One build: sources in a slot, objects of one configuration and compiler inside it, make, and its log.

When make is killed, it may leave a half-written file that looks finished. So a mark file exists while make runs;
objects with a mark are thrown away before the next build, and come back out of the compiler cache.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kassay.effects import clock, process
from kassay.effects.files import disk_errors, sha256_bytes, write_atomic
from kassay.effects.workers import cpus
from kassay.errors import HostLacks, NotBuilt
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of
from kassay.supply.building import git, kbuild, line_tables
from kassay.supply.building.compilers import Compiler
from kassay.supply.building.config import Base, make_config

_LONGEST_S = 3 * 3600


class Recipe(NamedTuple):
    """All inputs of one build."""

    tree: str
    version: str
    """Version of the sources."""
    arch: str
    compiler: Compiler
    linker: str
    """Banner of the linker, which is the assembler's as well."""
    requested: str
    """Configuration, from config.requested()."""
    base: Base
    """Base, from config.requested()."""
    subject: str
    """Text for progress and errors."""


def objects_in(source: Path, recipe: Recipe) -> Path:
    """Directory of the objects of this configuration and compiler."""
    inputs = (
        recipe.arch,
        recipe.compiler.identity,
        recipe.linker,
        recipe.base,
        recipe.requested,
        *line_tables.ARGUMENTS,
    )
    return source / f"kassay-{sha256_bytes(chr(0).join(inputs).encode())[:16]}"


def configure(source: Path, objects: Path, recipe: Recipe, tell: Tell) -> None:
    """.config in `objects`, made again only when what it depends on changed. Objects of removed sources are removed.
    Raises NotBuilt."""
    stamp = objects / "kassay-configured"
    before = stamp.read_text("ascii").strip() if stamp.is_file() and (objects / ".config").is_file() else ""
    changed = git.changed(before, recipe.tree) if before and git.has_tree(before) else ("Kconfig",)
    if any("Kconfig" in path or path.startswith("scripts/") for path in changed):
        stamp.unlink(missing_ok=True)
        with disk_errors(objects):
            objects.mkdir(exist_ok=True)
        with _marked(objects):
            arguments = _arguments(recipe)
            make_config(source, objects, recipe.version, arguments, recipe.requested, recipe.base, tell)
    for path in changed:  # make links an object whose source is gone, if a Makefile still names it
        if not (source / path).exists():
            (objects / path).with_suffix(".o").unlink(missing_ok=True)
    write_atomic(stamp, f"{recipe.tree}\n".encode())


def make(source: Path, objects: Path, recipe: Recipe, target: str, log: Path, tell: Tell) -> None:
    """Builds what make calls `target`; `log` is kept. Raises NotBuilt that names the first error."""
    lines = _Lines(objects / f"kassay-lines-{sha256_bytes(target.encode())[:8]}")
    with _marked(objects) as mark, disk_errors(mark):
        argv = _argv(source, objects, recipe, target)
        status = _run(argv, recipe, log, mark, lambda n: lines.tell(n, recipe.subject, tell))
        if status:
            raise _failed(recipe.subject, log.read_text("utf-8", "replace"), log, status)
    lines.keep()


@contextmanager
def _marked(objects: Path) -> Iterator[Path]:
    """A mark file exists until make has ended by itself, with success or not; when make is killed, the mark stays."""
    mark = objects / "kassay-making"
    write_atomic(mark, b"0")
    try:
        yield mark
    except NotBuilt:
        mark.unlink()
        raise
    mark.unlink()


def fit(objects: Path, recipe: Recipe, tell: Tell) -> None:
    """Throws away the objects of a build that was killed, after its remaining compilers have ended."""
    mark = objects / "kassay-making"
    if mark.exists():
        text = "a build was interrupted here: its objects are made again, from the compiler cache"
        tell(Progress(stage="build", subject=recipe.subject, text=text))
        process.end_group(int(mark.read_text() or 0), inside=objects)
        with disk_errors(objects):
            shutil.rmtree(objects)


def _failed(subject: str, text: str, log: Path, status: int) -> NotBuilt | HostLacks:
    if "No space left on device" in text:
        return HostLacks(f"{subject}: the disk is full ({log})", "free some space and repeat the command")
    # A killed program may have left half-written files, and the sources may be right.
    killed = f"make was killed by signal {-status}" if status < 0 else "a program of the build was killed"
    if status < 0 or kbuild.was_killed(text):
        return HostLacks(f"{subject}: {killed} ({log})", "see `dmesg` whether memory ran out, and repeat the command")
    return NotBuilt(
        f"{subject}: {kbuild.first_error(text) or f'make ended with {status}'}", f"the whole log: {log}", str(log)
    )


class _Lines:
    """Progress of a build: the lines that make printed in the longest build of this kind, and in this one so far."""

    def __init__(self, path: Path) -> None:
        self._path, self._now = path, 0
        self._last = int(path.read_text()) if path.is_file() else 0

    def tell(self, lines: int, subject: str, tell: Tell) -> None:
        self._now = lines
        done = min(lines / self._last, 0.99) if self._last > lines else None
        tell(Progress(stage="build", subject=subject, text=f"{lines} steps of make", done=done))

    def keep(self) -> None:
        """Stores the larger count: a build of few changes tells nothing about a full one."""
        if self._now > self._last:
            write_atomic(self._path, str(self._now).encode())


def _argv(source: Path, objects: Path, recipe: Recipe, target: str) -> tuple[str, ...]:
    jobs = cpus()
    lines = line_tables.arguments(objects / ".config")
    return kbuild.argv("-C", str(source), f"O={objects}", *_arguments(recipe), *lines, f"-j{jobs}", target)


def _run(argv: tuple[str, ...], recipe: Recipe, log: Path, mark: Path, tell_lines: Callable[[int], None]) -> int:
    """Runs make to its end; `mark` names its process group meanwhile."""
    env = kbuild.variables(f"{recipe.compiler.identity} {recipe.linker}")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        child = process.start(argv, out=out, err=out, env=env)
        mark.write_text(str(child.pid))
        try:
            return _watched(child, log, tell_lines)
        finally:
            process.end(child)


def _arguments(recipe: Recipe) -> tuple[str, ...]:
    """Arguments of every call of make; the compiler is called through ccache where the host has it."""
    wrapper = "ccache " if process.find("ccache") else ""
    compiler_arguments = [
        f"CC={wrapper}{make_argument[3:]}" if make_argument.startswith("CC=") else make_argument
        for make_argument in recipe.compiler.make_arguments
    ]
    return (f"ARCH={arch_of(recipe.arch).build.make_arch}", *compiler_arguments, f"HOSTCC={wrapper}gcc")


def _watched(child: process.Child, log: Path, tell_lines: Callable[[int], None]) -> int:
    started, last = clock.monotonic_s(), 0.0
    while not process.wait(child, 0.2):
        now = clock.monotonic_s() - started
        if now > _LONGEST_S:
            raise HostLacks(f"{log}: make did not end within {_LONGEST_S // 3600} hours", "look at the log")
        if now - last >= 1:
            last = now
            tell_lines(log.read_bytes().count(b"\n"))
    return child.returncode
