# SPDX-License-Identifier: GPL-2.0-only
"""Rows as one JSON value, described in docs/history.md; moments and the like as text."""

import json

from kassay.report.listing import ListedAnswer, ListingFormat


def render(listing: ListedAnswer) -> str:
    """Two spaces deep."""
    return json.dumps(listing.whole, indent=2, ensure_ascii=False, default=str) + "\n"


FORMAT = ListingFormat(name="json", suffix=".json", summary="for programs, see docs/history.md", render=render)
