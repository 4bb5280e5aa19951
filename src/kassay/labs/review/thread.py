# SPDX-License-Identifier: GPL-2.0-only
"""The mail of a series that a review answers."""

from collections.abc import Sequence
from email.utils import formataddr

from kassay.errors import BadInput
from kassay.labs.review.model import Original
from kassay.report.mail.layout import threaded
from kassay.report.mail.text import ascii_text
from kassay.supply.building.mails import Mail


def original_of(mails: Sequence[Mail]) -> Original | None:
    """The cover letter, else the first patch; None without a mail. What no header takes is left out."""
    sent = [mail for mail in mails if mail.author and not mail.parts.is_reply]
    first = min(sent, key=lambda mail: mail.numbering[1] if mail.numbering else 0, default=None)
    if first is None:
        return None
    author = _address(first.author)
    return Original(
        subject=ascii_text(first.subject),
        message_id=first.message_id if _is_accepted(in_reply_to=first.message_id) else "",
        author=author if _is_accepted(to=(author,)) else "",
    )


def _address(author: str) -> str:
    """ "Name <a@b>" as a header has it, other letters than ASCII encoded."""
    name, _, rest = author.rpartition("<")
    address = rest.rstrip("> ")
    try:
        return formataddr((name.strip(), address))
    except UnicodeError:  # a byte of an unknown encoding
        return address


def _is_accepted(*, in_reply_to: str = "", to: Sequence[str] = ()) -> bool:
    try:
        threaded("", in_reply_to, to)
    except BadInput:
        return False
    return True
