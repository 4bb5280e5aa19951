# SPDX-License-Identifier: GPL-2.0-only
"""A mail to a mailing list: plain text of 72 columns with its subject; kassay.report.mail.headers adds a thread."""

from kassay.report.formats import Format
from kassay.report.mail.body import mail

render = mail
FORMAT = Format(
    name="mail", suffix=".mail", summary="a mail to a mailing list, as git send-email and b4 take it", render=render,
    whole=False,
)  # fmt: skip
