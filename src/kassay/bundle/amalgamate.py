# SPDX-License-Identifier: GPL-2.0-only
"""A workload's C sources -> one file that needs no other, to compile and run anywhere."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill

from kassay.errors import Defect
from kassay.model.records import Setting

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
