# SPDX-License-Identifier: GPL-2.0-only
"""Lines as a mailing list takes them, ASCII and 72 columns wide with tables included; the headers of a mail."""

import re
import textwrap
from collections.abc import Sequence

from kassay.errors import BadInput
from kassay.model.texts import Table, TableCell, wrap, wrap_command
from kassay.report.columns import aligned, room_for_names
from kassay.report.mail.text import ascii_text

WIDTH = 72
_FIRST = 36


def wrapped(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """A paragraph. first, rest: what stands before the first line and before the others (as many blanks)."""
    joined = re.sub(r"(?<=\d) %", "%", ascii_text(text))
    rest = " " * len(first) if rest is None else rest
    lines = wrap(joined, WIDTH, first, rest, break_on_hyphens=False)
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
    """A command to paste, indented."""
    return wrap_command(ascii_text(text), WIDTH, "  ", "      ")


def lines_of(table: Table) -> list[str]:
    """A table as lines of at most 72 columns."""
    squeezed = Table(
        title="",
        columns=tuple(map(ascii_text, table.columns)),
        numeric=table.numeric,
        rows=tuple(tuple(TableCell(text=_tight(ascii_text(cell.text))) for cell in row) for row in table.rows),
    )
    first = min(_FIRST, room_for_names(squeezed, WIDTH))
    return [ascii_text(line.text).rstrip() for line in aligned(squeezed, WIDTH, first, wraps=True)]


def _tight(text: str) -> str:
    """Figures without spaces."""
    return re.sub(r"(?<=\d) (?=\d{3}\b)", ",", re.sub(r"(?<=\d) %", "%", text))


_MESSAGE_ID = re.compile(r"<[!-.0-;=?A-~]+@[!-.0-;=?A-~]+>")  # printable, without brackets and slashes
_ARCHIVE = re.compile(r"https?://[^/\s]+/(?:[^/\s]+/)?([^/\s]+@[^/\s]+)(?:/.*)?")
_ADDRESS = re.compile(r"[^<>,;\s]+@[^<>,;\s]+")


def threaded(text: str, in_reply_to: str = "", to: Sequence[str] = (), cc: Sequence[str] = ()) -> str:
    """A mail with further headers.

    in_reply_to: a message id, its brackets may be left out, or its address in an archive (https://lore.kernel.org/...).
    to, cc: addresses, "Name <a@b>" or bare. Raises BadInput for what is neither: a line break in a header would start a
    header of its own.
    """
    lines = [_people("To", to)] if to else []
    lines += [_people("Cc", cc)] if cc else []
    if in_reply_to:
        message = _message_id(in_reply_to)
        lines += [f"In-Reply-To: {message}", f"References: {message}"]
    head, blank, body = text.partition("\n\n")
    return "\n".join((head, *lines)) + blank + body


def header(name: str, value: str) -> str:
    """One header, folded between words where it is long."""
    return "\n".join(textwrap.wrap(f"{name}: {value}", WIDTH, subsequent_indent=" ", break_long_words=False))


def _message_id(text: str) -> str:
    linked = _ARCHIVE.fullmatch(text.strip())
    text = linked[1] if linked else text
    message = text.strip() if text.strip().startswith("<") else f"<{text.strip()}>"
    if not _MESSAGE_ID.fullmatch(message):
        raise BadInput(
            f"--in-reply-to {text!r}: not a message id",
            "write it as in the mail, <20260518150105.1@host>, or give its address in an archive",
        )
    return message


def _people(name: str, people: Sequence[str]) -> str:
    return f"{name}: " + ",\n ".join(_person(name, person) for person in people)


def _person(name: str, text: str) -> str:
    option = f"--{name.lower()} {text!r}"
    if not text.isascii() or not text.isprintable():
        raise BadInput(f"{option}: a header takes printable ASCII on one line", "write NAME <ADDRESS> without accents")
    display, bracket, rest = text.strip().rpartition("<")
    address = rest.removesuffix(">") if bracket else text.strip()
    if not _ADDRESS.fullmatch(address) or (bracket and not rest.endswith(">")):
        raise BadInput(f"{option}: not an address", "write a@b or NAME <a@b>; give the option again for a second one")
    return f"{_display(display)}<{address}>" if bracket else address


def _display(text: str) -> str:
    """A name with characters that mean something in a header stands in quotes."""
    name = text.strip().strip('"')
    if not name:
        return ""
    quoted = name.replace(chr(92), chr(92) * 2).replace('"', chr(92) + '"')
    return f"{name} " if re.fullmatch(r"[\w !#$%&'*+/=?^`{|}~-]+", name) else f'"{quoted}" '
