# SPDX-License-Identifier: GPL-2.0-only
"""The exit status of `kassay review --exit-code`."""

from kassay.labs.review.model import SCREENED, Review
from kassay.model.lines import NOT_EXECUTED


def exit_status(review: Review) -> int:
    """1 if a setting is a regression; 4 if a changed function was not executed, or a setting has no verdict; else 0."""
    measured = [cell for cell in review.cells if cell.verdict != SCREENED]
    measured += [cell for corner in review.corners for cell in corner.cells]
    if any(cell.verdict == "regression" for cell in measured):
        return 1
    open_ = any(cell.verdict not in ("equivalent", "improvement") for cell in measured)
    idle = any(function.state == NOT_EXECUTED for function in review.functions)
    failed = any(corner.problem for corner in review.corners)
    return 4 if open_ or idle or failed or review.left or not (measured or review.same_image) else 0
