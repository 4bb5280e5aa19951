# SPDX-License-Identifier: GPL-2.0-only
"""The answer as JSON, for programs."""

from kassay.model.notice import Notice
from kassay.model.records import to_indented_json
from kassay.report.notice import NoticeFormat


def render(notice: Notice) -> str:
    """The whole answer; ends with a newline."""
    return to_indented_json(notice)


FORMAT = NoticeFormat(
    name="json", suffix=".json", summary="for programs: kassay-notice/1, see docs/notice.md", render=render
)
