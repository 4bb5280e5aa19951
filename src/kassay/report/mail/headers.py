# SPDX-License-Identifier: GPL-2.0-only
"""The headers of a mail: its subject, and what ties it to a thread."""

import re
import textwrap
from collections.abc import Sequence

from kassay.errors import BadInput

_MESSAGE_ID = re.compile(r"<[!-.0-;=?A-~]+@[!-.0-;=?A-~]+>")  # printable, without brackets and slashes
_ARCHIVE = re.compile(r"https?://[^/\s]+/(?:[^/\s]+/)?([^/\s]+@[^/\s]+)(?:/.*)?")
_ADDRESS = re.compile(r"[^<>,;\s]+@[^<>,;\s]+")
_FOLD = 72


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
    return "\n".join(textwrap.wrap(f"{name}: {value}", _FOLD, subsequent_indent=" ", break_long_words=False))


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
