# SPDX-License-Identifier: GPL-2.0-only
"""A workload as one C file that needs no kassay: its sources, and a main() in place of the runner."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from kassay.errors import Defect
from kassay.model.records import Setting
from kassay.model.workload import Workload
from kassay.supply.guest import sources

Read = Callable[[str], str]
Point = tuple[Setting, ...]

_OWN = re.compile(r'^#include "([a-z0-9_]+)\.h"\n', re.MULTILINE)
_FEATURES = re.compile(r"^#define _GNU_SOURCE\n", re.MULTILINE)
_LICENCE = re.compile(r"\A(?:// SPDX-License-Identifier: [^\n]*|/\* SPDX-License-Identifier: [^\n]* \*/)\n")
_OWN_PARTS = ("reproducer_state.c", "reproducer_count.c", "reproducer_main.c")

_TOP = """\
// SPDX-License-Identifier: GPL-2.0-only
/*
{about}
 *
 *   gcc -pthread -o reproducer {file}
 *   ./reproducer
 *
 * checks the state of its memory and its own work, and prints nanoseconds per operation of each
 * phase, and instructions where perf_event_open() counts them:
{phases}
 *
 * What is measured is assembly, so the compiler and its options do not matter. Other parameters
 * and rounds than those built in as arguments, for example:
{examples}
 *
 * It runs on the kernel it is started on. Made by kassay out of guest/.
 */
#define _GNU_SOURCE
"""


def amalgamate(
    *, name: str, summary: str, phases: Sequence[tuple[str, str, str]], points: Sequence[Point], rounds: int,
    read: Read, c_files: Mapping[str, Sequence[str]], file: str,
) -> str:  # fmt: skip
    """The whole program as text; the same input gives the same text.

    phases: (name, operation, definition). points: settings that were measured, the first one is built in. read: content
    of a source by its path below guest/. c_files: of each local header's stem the C files that go with it.
    """
    parts = _Parts(read, c_files)
    body = [parts.of(f"workloads/{name}.c"), *parts.rest(), parts.of("clock.h")]
    settings = "\n".join(f'\t"{item.name}={item.value}",' for item in points[0])
    built_in = (
        f"#define MEASURED_ROUNDS {rounds}\n\nstatic const char *const measured[] = {{\n{settings}\n\tNULL,\n}};\n"
    )
    last_parts = [_without_licence(Path(__file__).with_name(name)) for name in _OWN_PARTS]
    top = _TOP.format(
        about=_comment(f"{name}: {summary}.", ""), file=file, phases=_phases(phases), examples=_examples(points)
    )
    return "\n".join((top, *(part for part in body if part), built_in, *last_parts))


def _without_licence(path: Path) -> str:
    text, licences = _LICENCE.subn("", path.read_text())
    if licences != 1:
        raise Defect(f"{path.name}: no licence in its first line")
    return text


def _phases(phases: Sequence[tuple[str, str, str]]) -> str:
    return "\n".join(_comment(f"{name} (per {operation}): {text}", "  ") for name, operation, text in phases)


def _examples(points: Sequence[Point]) -> str:
    settings = [" ".join(f"{item.name}={item.value}" for item in point) for point in points]
    return "\n".join(f" *   ./reproducer {_plain(word)}" for word in (settings[1:] or ["rounds=100"]))


def _comment(text: str, indent: str) -> str:
    first, more = f" * {indent}", f" * {indent}  "
    return fill(_plain(text), 96, initial_indent=first, subsequent_indent=more, break_on_hyphens=False)


def _plain(text: str) -> str:
    return text.replace("*/", "* /")


class _Parts:
    """Sources with each local header inserted where it is first included."""

    def __init__(self, read: Read, c_files: Mapping[str, Sequence[str]]) -> None:
        self._read, self._c_files = read, c_files
        self._done: set[str] = set()
        self._owed: list[str] = []

    def of(self, path: str) -> str:
        """One source, complete; "" when it was inserted before."""
        if path in self._done:
            return ""
        self._done.add(path)
        text = _LICENCE.sub("", _FEATURES.sub("", self._read(path)))
        return f"/* ---- {path} ---- */\n{_OWN.sub(lambda match: self._header(match.group(1)), text)}"

    def rest(self) -> list[str]:
        """The C files that belong to the included headers, and to the headers that these include."""
        texts = []
        while self._owed:
            texts.append(self.of(self._owed.pop(0)))
        return texts

    def _header(self, stem: str) -> str:
        self._owed += self._c_files.get(stem, ())
        return self.of(f"{stem}.h")


def reproducer(workload: Workload, points: Sequence[Point], rounds: int, file: str) -> str:
    """One workload as the text of `file`. points: complete settings; the first is built in, others are examples."""
    c_files: dict[str, tuple[str, ...]]
    c_files = {path.stem: (path.name,) for path in sources.directory().glob("*.c") if path.with_suffix(".h").is_file()}
    c_files["arch"] = tuple(f"arch/{name}.c" for name in sources.arches())  # each is empty on other architectures
    return amalgamate(
        name=workload.name, summary=workload.summary, points=points, rounds=rounds, c_files=c_files,
        phases=[(phase.name, phase.operation, phase.definition) for phase in workload.phases],
        read=lambda name: sources.path_of(name).read_text(), file=file,
    )  # fmt: skip
