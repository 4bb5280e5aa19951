# SPDX-License-Identifier: GPL-2.0-only
"""The verdict in the check protocol of `b4 review`: a list in JSON, with the tool, its status and one line.

Source of the format: docs/maintainer/review.rst of b4, section "CI check protocol".
"""

import json
from collections.abc import Iterable
from pathlib import Path

from kassay.errors import BadInput, KassayError
from kassay.labs.review.exit_status import must_be_read
from kassay.labs.review.model import Review
from kassay.labs.review.report._words import first_lines


def b4_checks(review: Review, page: Path) -> str:
    """One check of the series. page: the whole answer, as a file on this host.

    A figure that a person must weigh is a warning; a failure is one of the tool.
    """
    lines = first_lines(review)
    return _checks("warn" if must_be_read(review) else "pass", lines[0], (*lines, f"whole answer: {page.absolute()}"))


def b4_refusal(error: KassayError) -> str:
    """The check of a command that ends without an answer."""
    summary, *more = error.what.splitlines()
    return _checks("fail", summary, (*more, error.remedy))


def _checks(status: str, summary: str, details: Iterable[str]) -> str:
    check = {"tool": "kassay", "status": status, "summary": summary, "details": "\n".join(details).strip()}
    return json.dumps([check], indent=2) + "\n"


def tracked_range(tracking: Path) -> str:
    """The commits of the series that `b4 review` checks, as a git range. Its standard input is the cover letter alone.

    The branch b4/review/CHANGE-ID has the patches, and a commit of b4's own at its tip. Raises BadInput for a file
    that does not name them.
    """
    try:
        series = json.loads(tracking.read_text("utf-8"))["series"]
        first, change = str(series["first-patch-commit"]), str(series["change-id"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{tracking}: does not describe a series of b4: {error!r}", "name the series itself") from error
    return f"{first}~1..b4/review/{change}~1"
