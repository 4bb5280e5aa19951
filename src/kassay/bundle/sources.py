# SPDX-License-Identifier: GPL-2.0-only
"""The sources of what a run directory measured, as they are and as one C file; and whether they are the very ones."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from kassay.effects.files import sha256_file
from kassay.errors import Defect, HostLacks
from kassay.guest import sources
from kassay.guest.compile import build
from kassay.journal.directory import open_directory
from kassay.model.plan import Plan
from kassay.model.records import Setting
from kassay.model.workload import Workload

Read = Callable[[str], str]
Point = tuple[Setting, ...]

_OWN = re.compile(r'^#include "([a-z_]+)\.h"\n', re.MULTILINE)
_FEATURES = re.compile(r"^#define _GNU_SOURCE\n", re.MULTILINE)
_LICENCE = re.compile(r"\A(?:// SPDX-License-Identifier: [^\n]*|/\* SPDX-License-Identifier: [^\n]* \*/)\n")
_MAIN = Path(__file__).with_name("reproducer_main.c")

_TOP = """\
// SPDX-License-Identifier: GPL-2.0-only
/*
{about}
 *
 *   gcc -O2 -static -o reproducer {file}
 *   ./reproducer
 *
 * prints nanoseconds per operation of each phase:
{phases}
 *
 * With a C library older than glibc 2.34 add -pthread. Parameters and rounds are those of the
 * experiment; others as arguments, for example:
{examples}
 *
 * It runs on the kernel it is started on and measures time. Made by kassay out of guest/, for a
 * bundle.
 */
#define _GNU_SOURCE
"""


def amalgamate(
    *, name: str, summary: str, phases: Sequence[tuple[str, str, str]], points: Sequence[Point], rounds: int,
    read: Read, known: Mapping[str, Sequence[str]], file: str,
) -> str:  # fmt: skip
    """The whole program as text; the same input gives the same text.

    phases: (name, operation, definition). points: settings that were measured, the first one is built in. read: content
    of a source by its path below guest/. known: of each local header's stem the C files that go with it.
    """
    parts = _Parts(read, known)
    body = [parts.of(f"workloads/{name}.c"), *parts.rest(), parts.of("clock.h")]
    settings = "\n".join(f'\t"{item.name}={item.value}",' for item in points[0])
    built_in = (
        f"#define MEASURED_ROUNDS {rounds}\n\nstatic const char *const measured[] = {{\n{settings}\n\tNULL,\n}};\n"
    )
    licence, main = _LICENCE.subn("", _MAIN.read_text())[::-1]
    if licence != 1:
        raise Defect(f"{_MAIN.name}: no licence in its first line")
    top = _TOP.format(
        about=_comment(f"{name}: {summary}.", ""), file=file, phases=_phases(phases), examples=_examples(points)
    )
    return "\n".join((top, *(part for part in body if part), built_in, main))


def _phases(phases: Sequence[tuple[str, str, str]]) -> str:
    return "\n".join(_comment(f"{name} (per {operation}): {text}", "  ") for name, operation, text in phases)


def _examples(points: Sequence[Point]) -> str:
    words = [" ".join(f"{item.name}={item.value}" for item in point) for point in points]
    return "\n".join(f" *   ./reproducer {_plain(word)}" for word in (words[1:] or ["rounds=100"]))


def _comment(text: str, indent: str) -> str:
    first, more = f" * {indent}", f" * {indent}  "
    return fill(_plain(text), 96, initial_indent=first, subsequent_indent=more, break_on_hyphens=False)


def _plain(text: str) -> str:
    return text.replace("*/", "* /")


class _Parts:
    """Sources with each local header put in the place where it is first included."""

    def __init__(self, read: Read, known: Mapping[str, Sequence[str]]) -> None:
        self._read, self._known = read, known
        self._done: set[str] = set()
        self._owed: list[str] = []

    def of(self, path: str) -> str:
        """One source, complete; "" when it already stands above."""
        if path in self._done:
            return ""
        self._done.add(path)
        text = _LICENCE.sub("", _FEATURES.sub("", self._read(path)))
        return f"/* ---- {path} ---- */\n{_OWN.sub(lambda match: self._header(match.group(1)), text)}"

    def rest(self) -> list[str]:
        """The C files behind the headers that were met, until none is owed."""
        found = []
        while self._owed:
            found.append(self.of(self._owed.pop(0)))
        return found

    def _header(self, stem: str) -> str:
        self._owed += self._known.get(stem, ())
        return self.of(f"{stem}.h")


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
