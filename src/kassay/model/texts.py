# SPDX-License-Identifier: GPL-2.0-only
"""Records in a few words, safe to print: names, settings, machines; tables and blocks of text before any format."""

import re
import textwrap
from collections.abc import Iterable, Sequence

from kassay.model.machine import MachineUse
from kassay.model.records import Record, Setting
from kassay.model.units import format_bytes
from kassay.supply.clocks import clock_of

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, lone surrogates, and what turns the reading direction: a file name could use these to show
something that it is not."""
_WORD = r"""(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+"""
_PARTS = re.compile(rf"  # .*|--[\w-]+ (?!-){_WORD}|{_WORD}")
"""Words of a shell command, and the comment behind them; an option and the word after it are one part, unless that word
is an option."""
_WITHIN_NUMBER = re.compile(r"(?<=\d) (?=\d{3}(?!\d)|%)")


def one_line(text: str) -> str:
    """`text` with everything that could break a line or move a cursor made visible (a newline reads \\n)."""
    return text if text.isprintable() else _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)


def wrap(text: str, width: int, first: str = "", rest: str = "", *, break_on_hyphens: bool = True) -> list[str]:
    """Lines of `width`, safe to print. A number stays on one line with its groups of digits and its "%".

    first, rest: what stands before the first line and before the others.
    """
    lines = textwrap.wrap(
        _WITHIN_NUMBER.sub("\N{NO-BREAK SPACE}", one_line(text)), width, initial_indent=first, subsequent_indent=rest,
        break_on_hyphens=break_on_hyphens,
    )  # fmt: skip
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def wrap_command(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Lines of a shell command that can be pasted: all but its last end with a backslash, and each line of the comment
    behind it has a "#" of its own.

    An option stays with its value. A word that is wider than a line stays whole.
    """
    parts = _PARTS.findall(one_line(text))
    comment = parts.pop().removeprefix("  # ") if parts and parts[-1].startswith("  # ") else ""
    lines = [first]
    for part in parts:
        fresh = lines[-1] in (first, rest)
        if not fresh and len(f"{lines[-1]} {part} \\") > width:
            lines[-1] += " \\"
            lines.append(f"{rest}{part}")
        else:
            lines[-1] += part if fresh else f" {part}"
    if comment and len(f"{lines[-1]}  # {comment}") <= width:
        lines[-1] += f"  # {comment}"
    elif comment:
        lines += wrap(comment, width, f"{rest}# ", f"{rest}# ")
    return lines


def verbatim(text: str) -> str:
    """`text` as it is, except that control characters other than newline and tab are made visible."""
    return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in text.split("\n"))


def listed(texts: Sequence[str]) -> str:
    """ "a, b and c"; "" for none."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def shortened(texts: Sequence[str], most: int, more: str = "{} more") -> list[str]:
    """The first texts, then how many there are more, if there are."""
    left = len(texts) - most
    return [*texts[:most], *([more.format(left)] if left > 0 else [])]


def counted(number: int, noun: str) -> str:
    """ "1 boot", "2 boots", "2 entries", "2 patches"."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """ "boots", "entries", "patches", "processes"."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("ch", "s", "sh", "x")) else f"{noun}s"


def spans(numbers: Iterable[int]) -> list[str]:
    """Whole numbers in their order, neighbours together: "12-14", "20"."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return [str(first) if first == last else f"{first}-{last}" for first, last in found]


def settings_text(settings: Iterable[Setting]) -> str:
    """ "size=64MiB share=shared", or "no parameters"."""
    return one_line(" ".join(f"{s.name}={s.value}" for s in settings)) or "no parameters"


def machine_text(machine: MachineUse) -> str:
    """ "x86_64, icount, 1 CPU, 1GiB, cpu=zen3"."""
    if clock_of(machine.clock).native:
        return f"{one_line(machine.arch)}, this machine"
    return ", ".join((f"{one_line(machine.arch)}, {machine.clock}", *granted_texts(machine)))


def granted_texts(machine: MachineUse) -> tuple[str, ...]:
    """ "1 CPU", "1GiB", "cpu=zen3": what a point of the machine matrix has, but for what is not known."""
    chosen = (f"{setting.name}={setting.value}" for setting in machine.chosen)
    return tuple(word for word in (cpus_text(machine.cpus), memory_text(machine.memory_bytes), *chosen) if word)


def cpus_text(cpus: int | None) -> str:
    """ "1 CPU", "4 CPUs"; nothing when that is not known."""
    return "" if cpus is None else "1 CPU" if cpus == 1 else f"{cpus} CPUs"


def memory_text(memory_bytes: int | None) -> str:
    """ "14GiB"; nothing when that is not known."""
    return "" if memory_bytes is None else format_bytes(memory_bytes)


class TableCell(Record, frozen=True, kw_only=True):
    """One field: its text on one line, and why it stands out: a verdict's word, "differs", or ""."""

    text: str
    mark: str = ""
    """Reason why it stands out: a verdict's word, "differs", or "" for none."""
    link: str = ""
    """Anchor of the table behind it, on a page that has links."""


class Table(Record, frozen=True, kw_only=True):
    """A table for people."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    numeric: tuple[int, ...] = ()
    """Columns (by index) that are aligned to the right."""
    folded: bool = False
    """True for a long table, which may be shown closed."""
    anchor: str = ""
    """Anchor for links to the table; "" if there are none."""
    name_width: int = 36
    """Columns that the first column takes at a terminal, at most; 0 for all the room there is."""


def cells(*texts: str, mark: str = "") -> tuple[TableCell, ...]:
    """A row; every cell becomes one line and carries `mark`."""
    return tuple(TableCell(text=one_line(t), mark=mark) for t in texts)


class Figure(str):
    """The name of a column of figures."""

    __slots__ = ()


def figures(*names: str) -> tuple[Figure, ...]:
    """Names of columns that are aligned to the right; see table()."""
    return tuple(map(Figure, names))


def table(title: str, columns: Iterable[str], rows: Iterable[Sequence[TableCell]], *, folded: bool = False) -> Table:
    """A table of these rows; columns named by figures() are aligned to the right."""
    names = tuple(columns)
    numeric = tuple(index for index, name in enumerate(names) if isinstance(name, Figure))
    texts = tuple(map(str, names))
    return Table(title=title, columns=texts, rows=tuple(map(tuple, rows)), numeric=numeric, folded=folded)


class TextBlock(Record, frozen=True, kw_only=True):
    """A heading with paragraphs, a list and tables below it; each of them may be missing."""

    title: str = ""
    text: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    readers: tuple[str, ...] = ("screen", "page", "mail")
    """Ways of reading that it is for: "screen" is a terminal, "page" is markdown or HTML, "mail" is a mail."""

    @property
    def is_empty(self) -> bool:
        """True if nothing stands below the heading."""
        return not (self.text or self.items or self.tables)
