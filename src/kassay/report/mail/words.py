# SPDX-License-Identifier: GPL-2.0-only
"""Text as a mailing list takes it: names that its readers know, ASCII, 72 columns."""

import re
import shlex
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Sequence
from string import ascii_uppercase

from kassay.clocks import clock_of
from kassay.model.experiment import labels
from kassay.model.finding import Finding, Ladder
from kassay.model.kernel import KernelIdentity
from kassay.model.layout import Table, TableCell
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text, starts_with_name
from kassay.model.records import Setting
from kassay.model.report import Report
from kassay.model.series import SeriesTable
from kassay.model.texts import cpus_text, memory_text, one_line, settings_text
from kassay.model.units import format_change, format_number
from kassay.report.columns import aligned, room_for_names
from kassay.report.sentences import subject
from kassay.report.words import spoken_names

WIDTH = 72
_CHARACTERS = str.maketrans({"×": "x", "→": ">", "◄": "<", "…": "~", "└": "`", "≤": "<", "–": "-", "’": "'", "±": "~"})


def ascii_text(text: str) -> str:
    """One line of ASCII; a letter with an accent loses it, what has no like in ASCII is written as its code."""
    flat = unicodedata.normalize("NFKD", one_line(text).translate(_CHARACTERS))
    bare = "".join(c for c in flat if not unicodedata.combining(c))
    return bare.encode("ascii", "backslashreplace").decode("ascii")


def wrapped(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """A paragraph. first, rest: what stands before the first line and before the others (as many blanks)."""
    joined = re.sub(r"(?<=\d) %", "%", ascii_text(text))
    rest = " " * len(first) if rest is None else rest
    lines = textwrap.wrap(
        joined, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=True
    )
    return lines or [first.rstrip()]


def verbatim_words(text: str) -> list[str]:
    """Words of a command line, indented; one that is longer than a line stays whole."""
    return textwrap.wrap(
        ascii_text(text), WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def bullets(texts: Sequence[str]) -> list[str]:
    """One item each."""
    return [line for text in texts for line in wrapped(text, "- ")]


def command(text: str) -> list[str]:
    """A command to paste, indented; broken between its words with backslashes where it is too long."""
    lines = [""]
    for word in shlex.split(ascii_text(text)):
        quoted = shlex.quote(word)
        if lines[-1] and 2 + len(lines[-1]) + 1 + len(quoted) + 2 > WIDTH:
            lines.append(f"    {quoted}")
        else:
            lines[-1] = f"{lines[-1]} {quoted}".strip() if len(lines) == 1 else f"{lines[-1]} {quoted}"
    return [f"  {line}{' ' + chr(92) if i < len(lines) - 1 else ''}" for i, line in enumerate(lines)]


def number(value: float | None) -> str:
    """ "1,234.5"; absent is "-"."""
    return format_number(value).replace(" ", ",")


def percent(change: float | None) -> str:
    """ "+3.9%"; absent is "-"."""
    return format_change(change).replace(" %", "%").replace(" ", ",")


def bare_percent(change: float) -> str:
    """ "3.9%", of a size that has no direction."""
    return percent(change).lstrip("+")


def interval(limits: tuple[float, float] | None) -> str:
    """ "+1.2% to +3.4%"; one figure where both ends read the same; absent is "-"."""
    if limits is None:
        return "-"
    low, high = map(percent, limits)
    return low if low == high else f"{low} to {high}"


def stopped(text: str) -> str:
    """Ends with a full stop."""
    return f"{text.strip()}{'' if text.strip().endswith(('.', ':', '?')) else '.'}" if text.strip() else ""


def sentence(text: str) -> str:
    """Begins with a capital letter, unless with a name, and ends with a full stop."""
    text = stopped(text)
    return f"{text[:1].upper()}{text[1:]}" if re.match(r"[a-z]+[ ,]", text) else text


RANKS = "The change of a time is what the ranks of all boots say; it need not be the ratio of the two medians."
_FIRST = 36
_WIDEST = 16  # of a kernel's name above a column


def lines_of(table: Table) -> list[str]:
    """A table as lines of at most 72 columns."""
    squeezed = Table(
        title="",
        columns=table.columns,
        numeric=table.numeric,
        rows=tuple(tuple(map(_tight, row)) for row in table.rows),
    )
    first = min(_FIRST, room_for_names(squeezed, WIDTH))
    return [ascii_text(line.text).rstrip() for line in aligned(squeezed, WIDTH, first)]


def lettered(kernels: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Column heads for these kernels, and lines that say which letter is which where a name is too long for one."""
    if max(map(len, kernels), default=0) <= _WIDEST or len(kernels) > len(ascii_uppercase):
        return tuple(kernels), []
    letters = ascii_uppercase[: len(kernels)]
    legend = "; ".join(f"{letter}: {name}" for letter, name in zip(letters, kernels, strict=True))
    return tuple(letters), ["", *wrapped(f"{legend}.")]


def _tight(cell: TableCell) -> TableCell:
    return TableCell(text=re.sub(r"(?<=\d) (?=\d{3}\b)", ",", re.sub(r"(?<=\d) %", "%", cell.text)))


_LONGEST = 36
_RELEASE = re.compile(r"(\d+\.\d+)(?:\.(\d+))?(?:-(rc\d+))?(?![\d.])")
_BRACKETS = re.compile(r" \(.*\)$")


def names(report: Report) -> dict[str, str]:
    """Each kernel's name by its label: "v6.17.13" where it is a release of the archive, else as the user wrote it."""
    found = labels(report.experiment)
    known = dict(zip(found, report.kernels, strict=False))
    short = dict(zip(found, spoken_names(report.experiment), strict=True))
    given = {label for label, use in zip(found, report.experiment.kernels, strict=False) if use.name == label}
    tags = {label: "" if label in given else _archive_tag(known.get(label)) for label in found}
    seen = Counter(tags.values())
    chosen = {label: tags[label] if tags[label] and seen[tags[label]] == 1 else _short(short[label]) for label in found}
    used = Counter(chosen.values())
    return {label: name if used[name] == 1 else f"{name} (#{i})" for i, (label, name) in enumerate(chosen.items(), 1)}


def called(report: Report, label: str) -> str:
    """The name of one kernel; a label that no kernel has is its own name."""
    return names(report).get(label, _short(label))


def everyday(report: Report, why: Reason) -> str:
    """A reason in everyday words, with the kernels called as in the rest of the mail."""
    return ascii_text(reason_text(why, names(report), everyday=True))


def everyday_sentence(report: Report, why: Reason) -> str:
    """The same as a sentence of its own."""
    text = everyday(report, why)
    return stopped(text if starts_with_name(why) else f"{text[:1].upper()}{text[1:]}")


def release_tag(kernel: KernelIdentity | None) -> str:
    """The upstream tag of a kernel's release: "v6.17.13", "v6.19-rc3"; else ""."""
    release = kernel.release if kernel is not None else ""
    match = _RELEASE.match(release)
    if match is None:
        return ""
    version, patch, candidate = match.groups()
    if candidate:
        return f"v{version}-{candidate}"
    return f"v{version}.{patch}" if patch and patch != "0" else f"v{version}"


def work(report: Report, one: Finding | Ladder | SeriesTable) -> str:
    """What is done, as the start of a sentence; the workload's name and its parameters where nothing more is known."""
    known = next((w for w in report.workloads if w.name == one.workload), None)
    if known is not None:
        return ascii_text(subject(known, one.settings))
    settings = settings_text(one.settings)
    return ascii_text(f"{one.workload} ({settings})" if one.settings else one.workload)


def point_words(report: Report, one: Finding | Ladder | SeriesTable, *, workload: bool = True) -> str:
    """Which of several settings this is: "4 CPUs, size=64MiB"; "" where there is one.

    workload: name that, too, where there are several; not where it stands beside this anyway.
    """
    several = [f for f in report.findings if f.primary]
    words = []
    if workload and len({f.workload for f in several}) > 1:
        words.append(one.workload)
    if len({f.machine for f in several}) > 1:
        words += [text for text in (cpus_text(one.machine.cpus), memory_text(one.machine.memory_bytes)) if text]
    varied = {s.name for f in several for s in f.settings if _values(several, s.name) > 1}
    words += [f"{s.name}={s.value}" for s in one.settings if s.name in varied]
    return ascii_text(", ".join(words))


def identity(report: Report, label: str) -> KernelIdentity | None:
    """Who the kernel with this label is."""
    return dict(zip(labels(report.experiment), report.kernels, strict=False)).get(label)


def quantity(unit: str, metric: str, clock: str) -> str:
    """What a unit counts, per what: "instructions per page", "time per page"; a metric's name without a unit."""
    counted, _, operation = _BRACKETS.sub("", unit).partition("/")
    counted = clock_of(clock).time_word if counted in ("ns", "us", "ms", "s") else counted
    return ascii_text(" per ".join(word for word in (counted, operation) if word) or metric)


def metric_name(one: Finding | Ladder) -> str:
    """Without the workload's name before it, which stands beside it."""
    return ascii_text(one.metric.removeprefix(f"{one.workload}."))


def unit_words(unit: str) -> str:
    """ "instructions per page", "ns per page"."""
    return ascii_text(unit.replace("/", " per "))


def _values(several: list[Finding], name: str) -> int:
    found: set[Setting] = {s for f in several for s in f.settings if s.name == name}
    return len(found)


def _archive_tag(kernel: KernelIdentity | None) -> str:
    return release_tag(kernel) if kernel is not None and "debian:" in kernel.ref else ""


def _short(text: str) -> str:
    flat = ascii_text(text)
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST // 2 - 2]}...{flat[1 - _LONGEST // 2 :]}"
