# SPDX-License-Identifier: GPL-2.0-only
"""Rows as tables of aligned columns; columns without any text are left out."""

from kassay.report.listing import ListedAnswer, ListedTable, ListingFormat


def render(listing: ListedAnswer) -> str:
    """Every table with its title, then the next step."""
    return "".join(map(_table, listing.tables)) + (f"{listing.next_step}\n" if listing.next_step else "")


def _table(table: ListedTable) -> str:
    from kassay.model.texts import one_line
    from kassay.report.columns import column

    texts = [
        [one_line(text) for text in (name, *(row[i] for row in table.rows))] for i, name in enumerate(table.columns)
    ]
    shown = [column(text, right=i in table.numeric) for i, text in enumerate(texts) if any(text[1:])]
    lines = [f"  {'  '.join(row)}".rstrip() for row in zip(*shown, strict=True)] if table.rows else [f"  {table.empty}"]
    return "\n".join((table.title, *lines)) + "\n"


FORMAT = ListingFormat(name="terminal", suffix=".txt", summary="tables of aligned columns", render=render)
