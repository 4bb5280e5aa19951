# SPDX-License-Identifier: GPL-2.0-only
"""Home page: five lines that say what is new."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from kassay.labs.site.model import SiteStep, taken_back
from kassay.labs.site.pages.addresses import step_path
from kassay.labs.site.pages.entries import Book
from kassay.labs.site.pages.lookup import Lookup, Placed
from kassay.labs.site.pages.outcomes import SHOWN, counts_text
from kassay.labs.site.pages.render import Renderer
from kassay.model.records import grouped
from kassay.model.texts import counted

_LARGEST = 3
_ROWS = 12
_REASONS = 5
_WEEK = timedelta(days=7)
_BACK = 0.01
"""A value within this part of the value before a step has taken it back."""


def home(book: Book, renderer: Renderer) -> tuple[str, bytes]:
    """The file of the home page."""
    lookup = book.lookup
    newest, tables, largest = [], [], []
    for arch in lookup.archs:
        kernel = lookup.columns[arch][-1]
        counts = counts_text(lookup.row(series)[-1].outcome for series in lookup.rows.get(arch, ()))
        all_ = book.entries(lookup.into(arch, kernel.key))
        into = [one for one in all_ if one.series.primary]
        newest.append({"kernel": kernel, "counts": counts})
        largest += into[:_LARGEST]
        if into:
            tables.append((arch, kernel.key, into[:_ROWS], _more(len(into) - _ROWS, len(all_) - len(into))))
    repeat = next((entry.step.repeat[0] for entry in largest if entry.step.repeat), "")
    return renderer.page(
        "home.html.j2", "", newest=newest, largest=largest, largest_table=tables, repeat=repeat,
        taken_back=list(_taken_back(book)), not_measured=_not_measured(book), archs=lookup.archs,
        was_taken_back=any(was_taken_back(page.file.step) for page in book.steps.values()),
    )  # fmt: skip


def was_taken_back(step: SiteStep) -> bool:
    """True if a later kernel takes the step back, or if it was fixed."""
    return bool(taken_back(step.life_text)) or step.life == "fixed"


def _taken_back(book: Book) -> Iterator[tuple[str, str, str]]:
    """(text, address, date) of steps that were fixed within a week, and of those that the newest kernel takes back."""
    site = book.lookup.site
    since = (datetime.fromisoformat(site.made_utc) - _WEEK).isoformat()
    for address, page in book.steps.items():
        if page.file.states and page.file.states[-1].life == "fixed" and page.file.states[-1].utc >= since[:19]:
            step = page.file.step
            yield f"{step.series}, {step.before} → {step.after}", address, page.file.states[-1].utc
    for arch in book.lookup.archs:
        for series in book.lookup.rows.get(arch, ()):
            row = book.lookup.row(series)
            if row and row[-1].outcome == "better" and (back := _taken_back_by(row, book.lookup)) is not None:
                text = f"{series.key}, {back.before} → {back.after}, by {row[-1].kernel.name}"
                yield text, step_path(*back.pair), ""


def _taken_back_by(row: tuple[Placed, ...], lookup: Lookup) -> SiteStep | None:
    """The latest worse step whose value before the newest kernel has again, in the same work on the same state."""
    newest = row[-1].cell
    for placed in reversed(row[:-1]):
        step = placed.step
        if placed.outcome == "worse" and step is not None and newest and newest.value is not None:
            before = lookup.cell(step.arch, step.series, step.before)
            if before is None or not before.value or before.group != newest.group:
                return None
            return step if abs(newest.value / before.value - 1) <= _BACK else None
        if placed.outcome in SHOWN:
            return None
    return None


def _more(primary: int, others: int) -> str:
    """Steps that the table leaves out, in words."""
    parts = [f"{counted(primary, 'more step')} of primary metrics"] * (primary > 0)
    parts += [f"{counted(others, 'step')} of phases"] * (others > 0)
    return " and ".join(parts)


def failed(book: Book) -> list[tuple[str, str]]:
    """(kernel, why it was not measured)."""
    kernels = [(f"{one.name} ({one.arch})", one.problem) for one in book.lookup.site.kernels if one.problem]
    return [*book.lookup.site.status.failed, *kernels]


def failed_cells(book: Book) -> list[tuple[str, str, str]]:
    """(kernel, workloads, why no run of them succeeded), the newest kernels last."""
    found = grouped(
        ((f"{placed.kernel.name} ({series.arch})", placed.cell.reason), series.workload)
        for series, placed in book.lookup.placed() if placed.outcome == "failed" and placed.cell
    )  # fmt: skip
    return [(name, ", ".join(dict.fromkeys(names)), reason) for (name, reason), names in found.items()]


def without_verdict(book: Book, word: str) -> list[tuple[str, str, str, str]]:
    """(kernels, address of their comparison, rows, reason) of cells with this outcome, "refused" or "inconclusive".
    Reasons of inconclusive cells are intervals of each row, and are left out."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for series, placed in book.lookup.placed():
        if placed.outcome == word and (step := placed.step) is not None:
            reason = ("; ".join(step.reasons) or step.verdict) if word == "refused" else ""
            address = book.compared_href(series.arch, step.before, step.after)
            name = f"{step.before} → {step.after} ({series.arch})"
            found.setdefault((name, address, reason), []).append(series.key)
    return [(name, address, ", ".join(keys), reason) for (name, address, reason), keys in found.items()]


def _not_measured(book: Book) -> list[str]:
    texts = [f"{kernel}: {reason}" for kernel, reason in failed(book)]
    for arch in book.lookup.archs:
        words = [book.lookup.row(series)[-1].outcome for series in book.lookup.rows.get(arch, ())]
        name = book.lookup.columns[arch][-1].name
        for word in ("refused", "failed", "inconclusive"):
            if number := words.count(word):
                texts.append(f"{counted(number, 'cell')} of {name} ({arch}) {word}")
    return texts[:_REASONS] + ([f"{len(texts) - _REASONS} more"] if len(texts) > _REASONS else [])
