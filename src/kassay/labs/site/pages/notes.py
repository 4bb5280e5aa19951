# SPDX-License-Identifier: GPL-2.0-only
"""Pages about the site itself: status, corrections, words explained."""

from collections.abc import Iterator

from kassay.labs.site.model import LIVES
from kassay.labs.site.pages.entries import Book
from kassay.labs.site.pages.home import failed, failed_cells, without_verdict
from kassay.labs.site.pages.outcomes import MARKS, counts_text
from kassay.labs.site.pages.publish import File
from kassay.labs.site.pages.render import Renderer
from kassay.labs.site.pages.revisions import corrections, figures_text
from kassay.model.texts import counted


def notes(book: Book, renderer: Renderer) -> Iterator[File]:
    """The three pages."""
    status = book.lookup.site.status
    revised = [
        {
            "utc": right.published_utc, "address": page.file.address, "old_revision": wrong.revision,
            "old_address": f"{page.file.address}/r{wrong.revision}", "name": _name(page.file.address),
            "old": figures_text(wrong.step, wrong.series.unit), "new": figures_text(right.step, right.series.unit),
        }
        for page, wrong, right in corrections(dict(book.steps))
    ]  # fmt: skip
    yield renderer.page(
        "about.html.j2", "about", lives=list(LIVES.items()), marks={**MARKS, "worse": "▲", "better": "▼"}
    )
    mistakes = [(one, one.page.strip("/") in book.steps) for one in status.mistakes]
    yield renderer.page("corrections.html.j2", "corrections", revised=revised, mistakes=mistakes)
    cells = [
        (arch, counts_text(placed.outcome for series in book.lookup.rows.get(arch, ())
                           for placed in book.lookup.row(series)))
        for arch in book.lookup.archs
    ]  # fmt: skip
    wrong = f"{counted(len(status.mistakes), 'mistake')} and {counted(len(revised), 'revised page')} are known."
    unknown = "" if status.turn_utc else "not known: the site was made without a laboratory"
    yield renderer.page(
        "status.html.j2", "status", status=status, failed=failed(book), failed_cells=failed_cells(book), cells=cells,
        without_verdict={word: without_verdict(book, word) for word in ("refused", "inconclusive")},
        wrong=wrong, mistakes=mistakes, revised=revised, unknown=unknown,
    )  # fmt: skip


def _name(address: str) -> str:
    return address.removeprefix("step/").replace("/", " ")
