# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay review`."""

from kassay.labs.review.model import Review
from kassay.labs.review.report._document import document
from kassay.labs.review.report._words import changelog
from kassay.report.answers import Kind


def _changelog(review: Review) -> str:
    return changelog(review) + "\n"


REVIEW = Kind(document=document, more={"changelog": _changelog})
