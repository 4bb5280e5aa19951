# SPDX-License-Identifier: GPL-2.0-only
"""A document as Markdown to paste into an issue or a merge request: a summary, and everything else folded."""

from collections.abc import Iterator

from kassay.report.document import SCREEN, Document, Section, flat
from kassay.report.writers import Writer
from kassay.report.writers.markdown_full import READERS, escaped, title, written
from kassay.report.writers.markdown_full import write as write_whole

SUMMARY = 4096
"""Bytes that are seen at once."""
COMMENT = 60_000
"""Bytes of all. GitHub refuses a comment of more than 65,536 characters."""


def write(document: Document) -> str:
    """The terminal's answer in at most SUMMARY bytes; then the sections of the whole one, folded, as far as they fit.

    A whole document of at most SUMMARY bytes has no folds.
    """
    whole = write_whole(document)
    if _bytes(whole) <= SUMMARY:
        return whole
    seen = list(_fitting([*title(document), *written(document.blocks, (SCREEN,), document.level)], SUMMARY))
    shown, room = "\n\n".join(seen), COMMENT - SUMMARY
    absent: list[str] = []
    for name, text in _sections(document, shown):
        fold = f"<details><summary>{escaped(name)}</summary>\n\n{text}\n\n</details>"
        if _bytes(fold) <= room:
            seen.append(fold)
            room -= _bytes(fold)
        else:
            absent.append(name)
    if absent:
        seen.append(escaped(f"Too long for a comment: {', '.join(absent)}. See --format markdown_full."))
    return "\n\n".join(seen) + "\n"


def _fitting(texts: list[str], most: int) -> Iterator[str]:
    """The first texts, as many as fit; no heading stands last."""
    size, fitting = 0, 0
    for text in texts:
        size += _bytes(text) + 2
        if size > most:
            break
        fitting += 1
    while fitting and texts[fitting - 1].startswith("#") and fitting < len(texts):
        fitting -= 1
    yield from texts[:fitting]


def _sections(document: Document, shown: str) -> Iterator[tuple[str, str]]:
    """Name and text of what is not shown yet: each titled section, and before them all that has no title."""
    blocks = list(flat(READERS, document.blocks))
    sections = [block for block in blocks if isinstance(block, Section)]
    untitled = tuple(block for block in blocks if not isinstance(block, Section))
    for name, inner in (("Answer in full", untitled), *((each.title, each.blocks) for each in sections)):
        text = "\n\n".join(each for each in written(inner, READERS, document.level) if each not in shown)
        if text:
            yield name, text


def _bytes(text: str) -> int:
    return len(text.encode())


WRITER = Writer(
    name="markdown",
    readers=READERS,
    suffix=".md",
    summary="a summary to paste into an issue, and everything else folded",
    render=write,
)
