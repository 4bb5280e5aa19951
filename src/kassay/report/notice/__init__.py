# SPDX-License-Identifier: GPL-2.0-only
"""Formats of the answer of `kassay notice`: one module of this package each, with a constant FORMAT."""

from typing import Any

from kassay.report.form import Form, form_named

NOTICE_FORMATS = "kassay.report.notice"


class NoticeFormat(Form[Any]):
    """A way to write an answer (model.notice.Notice) down."""


def notice_format(name: str) -> NoticeFormat:
    """Raises BadInput that lists the formats."""
    return form_named(NOTICE_FORMATS, name, NoticeFormat)
