# SPDX-License-Identifier: GPL-2.0-only
"""A mail to a mailing list: plain text of 72 columns with its subject, and what ties it to a thread."""

from kassay.model.report import Report
from kassay.report.form import NOTHING, FormOption, Given
from kassay.report.formats import Format
from kassay.report.mail.body import mail
from kassay.report.mail.headers import threaded

_IN_REPLY_TO = FormOption(name="--in-reply-to", metavar="ID", help="Message-ID that the mail answers.")
_TO, _CC = (
    FormOption(name=name, metavar="ADDRESS", help="Of the mail; may be repeated.", many=True)
    for name in ("--to", "--cc")
)


def render(report: Report, given: Given = NOTHING) -> str:
    """Headers, a blank line, the text."""
    text = mail(report)
    if not given:
        return text
    (reply,) = given.get(_IN_REPLY_TO.name) or ("",)
    return threaded(text, reply, given.get(_TO.name, ()), given.get(_CC.name, ()))


FORMAT = Format(
    name="mail", suffix=".mail", summary="a mail to a mailing list, as git send-email and b4 take it", render=render,
    whole=False, options=(_IN_REPLY_TO, _TO, _CC),
)  # fmt: skip
