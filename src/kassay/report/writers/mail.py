# SPDX-License-Identifier: GPL-2.0-only
"""A document as a mail to a mailing list: plain text of 72 columns with its subject, and what ties it to a thread."""

import re
from collections.abc import Iterable, Iterator

from kassay.model.texts import Table
from kassay.report.answer_form import NOTHING, PEOPLE, FormOption, Given
from kassay.report.document import LETTER, Bars, Block, Code, Document, Facts, Items, Paragraph, Section, flat
from kassay.report.mail.layout import bullets, command, header, lines_of, threaded, verbatim_words, wrapped
from kassay.report.mail.text import ascii_text
from kassay.report.writers import Writer

_READERS = (LETTER,)
# Begins of lines that mail programs and git do not take for text.
_MISREAD = re.compile(r"^(?=From |>From |---|diff -|Index: |#regzbot|-- $)", re.MULTILINE)
_IN_REPLY_TO = FormOption(name="--in-reply-to", metavar="ID", help="Message-ID that the mail answers.")
_TO, _CC = (
    FormOption(name=name, metavar="ADDRESS", help="Recipient of the mail. May be repeated.", many=True)
    for name in ("--to", "--cc")
)


def write(document: Document, given: Given = NOTHING) -> str:
    """Headers, a blank line, the text; only the text of a document without an envelope."""
    blocks = [lines for block in flat(_READERS, document.blocks) for lines in _block(block)]
    envelope = document.envelope
    if envelope is None:
        return f"{_text([wrapped(document.title), *blocks] if document.title else blocks)}\n"
    about, *people = given.get(PEOPLE) or ("",)  # below the signature, where tools look for no trailers
    signature = "\n".join((envelope.signature, *wrapped(about), *(f"  {ascii_text(person)}" for person in people)))
    ends = [text for text in (envelope.trailer, f"-- \n{signature.rstrip()}") if text]
    text = "\n".join(
        (header("Subject", envelope.subject), "", _text([["Hi,"], *blocks]), "", "\n\n".join(ends), "")
    )  # fmt: skip
    (reply,) = given.get(_IN_REPLY_TO.name) or (envelope.in_reply_to,)
    return threaded(text, reply, given.get(_TO.name) or envelope.to, given.get(_CC.name, ()))


def _text(blocks: Iterable[Iterable[str]]) -> str:
    return _MISREAD.sub(" ", "\n\n".join("\n".join(block) for block in blocks))


def _block(block: Block) -> Iterator[list[str]]:
    """Groups of lines, which empty lines part."""
    match block:
        case Section():
            yield _title(block.title)
            for inner in flat(_READERS, block.blocks):
                yield from _block(inner)
        case Paragraph():
            yield from map(wrapped, (block.text,) if block.everyday is None else block.everyday)
        case Items():
            bare = (line for text in block.texts for line in wrapped(text, "  ", "      "))
            yield list(bare) if block.bare else bullets(block.texts)
        case Facts():
            yield bullets([row.line for row in block.rows])
        case Table():
            yield from (_title(block.title),) if block.title else ()
            yield lines_of(block)
        case Bars():
            yield lines_of(block.table)
        case Code():
            yield from (_title(block.caption),) if block.caption else ()
            yield [line for text in block.text.splitlines() for line in _code(text, block.breaks)]


def _title(text: str) -> list[str]:
    return wrapped(text if text.endswith((":", "?")) else f"{text}:")


def _code(text: str, breaks: str) -> list[str]:
    if breaks == "shell":
        return command(text)
    return verbatim_words(text) if breaks == "words" else [f"  {ascii_text(text)}"]


WRITER = Writer(
    name="mail",
    suffix=".mail",
    summary="a mail to a mailing list, as git send-email and b4 take it",
    readers=_READERS,
    render=write,
    whole=False,
    options=(_IN_REPLY_TO, _TO, _CC),
    addressed=True,
)
