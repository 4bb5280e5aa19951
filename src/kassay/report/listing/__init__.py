# SPDX-License-Identifier: GPL-2.0-only
"""Formats of rows: one module of this package each, with a constant FORMAT of this class."""

from collections.abc import Sequence
from typing import NamedTuple

from kassay.report.form import Form, form_named

LISTING_FORMATS = "kassay.report.listing"


class ListedTable(NamedTuple):
    """Rows for people. numeric: columns (by index) that are aligned to the right. empty: what stands for no row."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[int] = ()
    empty: str = "no rows"


class ListedAnswer(NamedTuple):
    """One answer, for people and for programs. fields, values: the columns and rows of a file, unrounded, None is
    absent. whole: the same as one JSON value. next_step: a sentence below the tables, "" for none."""

    tables: Sequence[ListedTable]
    fields: Sequence[str]
    values: Sequence[Sequence[object]]
    whole: object
    next_step: str = ""


class ListingFormat(Form[ListedAnswer]):
    """A way to write rows down."""


def listing_format(name: str) -> ListingFormat:
    """Raises BadInput that lists the formats."""
    return form_named(LISTING_FORMATS, name, ListingFormat)
