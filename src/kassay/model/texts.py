# SPDX-License-Identifier: GPL-2.0-only
"""Records in a few words, safe to print: names, settings, machines."""

import unicodedata
from collections.abc import Iterable, Sequence

from kassay.clocks import clock_of
from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.model.units import format_bytes

# Characters that turn the reading direction; a file name could use them to show something it is not.
_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")


def one_line(text: str) -> str:
    """`text` with everything that could break a line or move a cursor made visible (a newline reads \\n)."""
    return "".join(_visible(c) for c in text)


def verbatim(text: str) -> str:
    """`text` as it is, except that control characters other than newline and tab are made visible."""
    return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in text.split("\n"))


def _visible(char: str) -> str:
    if char in _BIDI or unicodedata.category(char) in ("Cc", "Cs"):
        return ascii(char)[1:-1]
    return char


def listed(texts: Sequence[str]) -> str:
    """ "a, b and c"; "" for none."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def settings_text(settings: Iterable[Setting]) -> str:
    """ "size=64MiB share=shared", or "no parameters"."""
    return one_line(" ".join(f"{s.name}={s.value}" for s in settings)) or "no parameters"


def machine_text(machine: MachineUse) -> str:
    """ "x86_64, icount, 1 CPU, 1GiB"."""
    if clock_of(machine.clock).native:
        return f"{one_line(machine.arch)}, this machine"
    words = (f"{one_line(machine.arch)}, {machine.clock}", cpus_text(machine.cpus), memory_text(machine.memory_bytes))
    return ", ".join(word for word in words if word)


def cpus_text(cpus: int | None) -> str:
    """ "1 CPU", "4 CPUs"; nothing when that is not known."""
    return "" if cpus is None else "1 CPU" if cpus == 1 else f"{cpus} CPUs"


def memory_text(memory_bytes: int | None) -> str:
    """ "14GiB"; nothing when that is not known."""
    return "" if memory_bytes is None else format_bytes(memory_bytes)
