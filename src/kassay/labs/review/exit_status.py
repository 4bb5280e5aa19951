# SPDX-License-Identifier: GPL-2.0-only
"""The exit status of `kassay review --exit-code`, and what a check of b4 or Patchwork makes of it."""

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


def must_be_read(review: Review) -> bool:
    """True where a check must not pass: an exit status other than 0, a changed line that no setting executed, or a new
    symbol of the configuration that is off.

    A function may have run in some of its changed lines only. That leaves the exit status at 0.
    """
    idle = any(function.not_executed for function in review.functions)
    return exit_status(review) != 0 or idle or bool(review.switched_off)
