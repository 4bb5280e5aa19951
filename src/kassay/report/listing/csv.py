# SPDX-License-Identifier: GPL-2.0-only
"""Rows as CSV (RFC 4180): one header line, absent is empty."""

import csv
import io

from kassay.report.listing import ListedAnswer, ListingFormat


def render(listing: ListedAnswer) -> str:
    """The fields, then a line for each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(listing.fields)
    writer.writerows(["" if value is None else value for value in row] for row in listing.values)
    return text.getvalue()


FORMAT = ListingFormat(name="csv", suffix=".csv", summary="a row a line, for spreadsheets", render=render)
