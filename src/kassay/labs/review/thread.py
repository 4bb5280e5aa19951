# SPDX-License-Identifier: GPL-2.0-only
"""The mail of a series that a review answers."""

import re
from collections.abc import Sequence
from email.utils import formataddr

from kassay.errors import BadInput
from kassay.labs.review.model import Original
from kassay.model.patch import SeriesPatch
from kassay.report.mail.layout import threaded
from kassay.report.mail.text import ascii_text
from kassay.supply.building.mails import Mail
from kassay.supply.building.patches import Patch

_REPLY = re.compile(r"\s*re:", re.IGNORECASE)


def original_of(mails: Sequence[Mail]) -> Original | None:
    """The cover letter, else the first patch; None without a mail. What no header takes is left out."""
    sent = [mail for mail in mails if mail.author and not _REPLY.match(mail.subject)]
    first = min(sent, key=lambda mail: mail.numbering[1] if mail.numbering else 0, default=None)
    if first is None:
        return None
    author = _address(first.author)
    return Original(
        subject=ascii_text(first.subject),
        message_id=first.message_id if _is_accepted(in_reply_to=first.message_id) else "",
        author=author if _is_accepted(to=(author,)) else "",
    )


def message_ids(mails: Sequence[Mail], patches: Sequence[SeriesPatch | Patch]) -> tuple[str, ...]:
    """The Message-ID of the mail that brought each patch, "" if there is none."""
    brought = {mail.title: mail.message_id for mail in reversed(mails) if mail.diff}
    return tuple(brought.get(patch.subject, "") for patch in patches)


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
