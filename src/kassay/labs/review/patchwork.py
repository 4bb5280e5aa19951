# SPDX-License-Identifier: GPL-2.0-only
"""The verdict as checks of Patchwork: one object for each patch, to be posted to /api/patches/ID/checks/.

Source of the format: patchwork/api/check.py of Patchwork (state, target_url, context, description).
"""

import json

from kassay.labs.review.exit_status import must_be_read
from kassay.labs.review.model import Review
from kassay.labs.review.report._words import first_lines

CONTEXT = "kassay"


def patchwork_checks(review: Review) -> str:
    """A list in JSON, in the order of the patches: `message_id` without brackets, as ?msgid= of /api/patches/ wants
    it ("" if the input has none), and `check`, the body of the request. All patches get the verdict of the series.
    A figure that a person must weigh is a warning; a failure is one of the tool."""
    state = "warning" if must_be_read(review) else "success"
    check = {"state": state, "context": CONTEXT, "description": first_lines(review)[0]}
    ids = review.message_ids or ("",) * len(review.patches)
    return json.dumps([{"message_id": each.strip("<>"), "check": check} for each in ids], indent=2) + "\n"
