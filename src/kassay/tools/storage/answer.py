# SPDX-License-Identifier: GPL-2.0-only
"""The answers of `kassay cache`: what it holds, and what was freed."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from kassay import __version__
from kassay.model.records import Record
from kassay.model.texts import Table, cells, counted, figures, table
from kassay.report.answers import Kind
from kassay.report.document import DOUBT, VERDICT, Document, Paragraph
from kassay.tools.storage.areas import MAKE, NEVER, area_named, kinds
from kassay.tools.storage.scan import Entry

_MOST_ROWS = 40
_AGAIN = {NEVER: "no", MAKE: "made"}


class KindSum(Record, frozen=True, kw_only=True):
    """All entries of one kind."""

    kind: str
    holds: str
    needed_by: str
    entries: int
    bytes: int
    apparent_bytes: int
    kept_bytes: int
    """Bytes that cannot be had again. They are freed only if the kind is named."""
    used: str
    """Time of the last use of any of them, UTC."""


class CacheAnswer(Record, frozen=True, kw_only=True):
    """Contents of the cache."""

    schema: str = "kassay-cache/1"
    directory: str
    bytes: int
    apparent_bytes: int
    disk_free_bytes: int
    kinds: tuple[KindSum, ...]
    entries: tuple[Entry, ...]


class FreedAnswer(Record, frozen=True, kw_only=True):
    """Entries that were freed, or would be."""

    schema: str = "kassay-cache-freed/1"
    directory: str
    plan: bool
    """True if nothing was removed."""
    bytes_before: int
    bytes_after: int
    kept_bytes: int
    """Bytes that stay because they cannot be had again, and their kind was not named."""
    to_bytes: int | None
    entries: tuple[Entry, ...]
    kept_kinds: tuple[str, ...] = ()
    """Kinds of what stays for that reason."""


def cache_answer(directory: Path, entries: Sequence[Entry], only: Sequence[str] = ()) -> CacheAnswer:
    """only: kinds whose entries are listed; empty for all."""
    shown = tuple(entry for entry in entries if not only or entry.kind in only)
    return CacheAnswer(
        directory=str(directory),
        bytes=sum(entry.bytes for entry in entries),
        apparent_bytes=sum(entry.apparent_bytes for entry in entries),
        disk_free_bytes=shutil.disk_usage(_existing(directory)).free,
        kinds=tuple(_sum(kind, found) for kind in kinds() if (found := [e for e in shown if e.kind == kind])),
        entries=shown,
    )


def freed_answer(
    directory: Path, entries: Sequence[Entry], freed: Sequence[Entry], *, plan: bool, to_bytes: int | None
) -> FreedAnswer:
    """entries: all, before. freed: those that were removed, or would be."""
    before, gone = sum(entry.bytes for entry in entries), sum(entry.bytes for entry in freed)
    kept = {entry.name for entry in entries if entry.again == NEVER} - {entry.name for entry in freed}
    return FreedAnswer(
        directory=str(directory), plan=plan, bytes_before=before, bytes_after=before - gone, to_bytes=to_bytes,
        kept_bytes=sum(entry.bytes for entry in entries if entry.name in kept), entries=tuple(freed),
        kept_kinds=tuple(sorted({entry.kind for entry in entries if entry.name in kept})),
    )  # fmt: skip


def size_text(number: int) -> str:
    """ "1.9 GiB", "13 MiB", "4 KiB"."""
    for unit, shift in (("GiB", 30), ("MiB", 20)):
        if number >= 1 << shift:
            value = number / (1 << shift)
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{-(-number >> 10)} KiB"


def _existing(directory: Path) -> Path:
    return next(path for path in (directory, *directory.parents) if path.exists())


def _sum(kind: str, entries: Sequence[Entry]) -> KindSum:
    area = area_named(kind)
    return KindSum(
        kind=kind, holds=area.holds, needed_by=area.needed_by, entries=len(entries),
        bytes=sum(e.bytes for e in entries), apparent_bytes=sum(e.apparent_bytes for e in entries),
        kept_bytes=sum(e.bytes for e in entries if e.again == NEVER), used=max(e.used for e in entries),
    )  # fmt: skip


def _held(answer: CacheAnswer) -> Document:
    head = f"{size_text(answer.bytes)} in {answer.directory}; {size_text(answer.disk_free_bytes)} are free on its disk"
    rows = [
        cells(k.kind, str(k.entries), size_text(k.bytes), size_text(k.apparent_bytes),
              size_text(k.kept_bytes) if k.kept_bytes else "-", k.used[:10], k.holds, k.needed_by)
        for k in answer.kinds
    ]  # fmt: skip
    columns = ("kind", *figures("entries", "on disk", "in files", "not again"), "last use", "what it is", "needed by")
    blocks: list[Paragraph | Table] = [Paragraph(text=head, tone=VERDICT)]
    blocks += [table("Kinds", columns, rows)] if rows else []
    if len(answer.kinds) == 1:
        blocks.append(_listing(answer.entries))
    return _document("What the cache holds", *blocks)


def _listing(entries: Sequence[Entry]) -> Table:
    columns = (*figures("on disk", "in files"), "last use", "again", "entry", "needed by")
    rows = [
        cells(size_text(e.bytes), size_text(e.apparent_bytes), e.used[:10], _AGAIN.get(e.again, e.again),
              _name(e), ", ".join(e.needed_by))
        for e in entries[:_MOST_ROWS]
    ]  # fmt: skip
    left = len(entries) - _MOST_ROWS
    return table(f"Entries{f', the first {_MOST_ROWS} of {len(entries)}' if left > 0 else ''}", columns, rows)


def _name(entry: Entry) -> str:
    """Title and path, with long hashes shortened."""
    path = re.sub(r"([0-9a-f]{12})[0-9a-f]{20,}", r"\1…", entry.name)
    return path if entry.title == entry.name else f"{entry.title}: {path}"


def _freed(answer: FreedAnswer) -> Document:
    gone = answer.bytes_before - answer.bytes_after
    verb = "would be freed" if answer.plan else "freed"
    head = f"{counted(len(answer.entries), 'entry')}, {size_text(gone)}, {verb}; "
    blocks: list[Paragraph | Table] = [
        Paragraph(text=f"{head}{size_text(answer.bytes_after)} stay in {answer.directory}", tone=VERDICT)
    ]
    if answer.to_bytes is not None and answer.bytes_after > answer.to_bytes:
        blocks.append(Paragraph(text=_short(answer), tone=DOUBT))
    if answer.entries:
        blocks.append(_listing(answer.entries))
    return _document("Room in the cache", *blocks)


def _short(answer: FreedAnswer) -> str:
    text = f"That is more than --to {size_text(answer.to_bytes or 0)}"
    if answer.kept_bytes and answer.bytes_after - answer.kept_bytes <= (answer.to_bytes or 0):
        kept, words = size_text(answer.kept_bytes), " ".join(f"--kind {kind}" for kind in answer.kept_kinds)
        return f"{text}. {kept} cannot be had again. Only {words} frees them."
    return f"{text}: the rest was used lately, or is of another kind."


def _document(title: str, *blocks: Paragraph | Table) -> Document:
    return Document(title=title, blocks=blocks, kicker="kassay: the cache", kassay_version=__version__, width=150)


HELD = Kind(document=_held)
FREED = Kind(document=_freed)
