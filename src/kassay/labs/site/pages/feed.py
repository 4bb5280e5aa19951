# SPDX-License-Identifier: GPL-2.0-only
"""Atom feed: one entry for each change of state of a confirmed step."""

import uuid
from collections.abc import Iterator, Mapping

from markupsafe import Markup

from kassay.labs.site.model import Site
from kassay.labs.site.pages.publish import File
from kassay.labs.site.pages.records import Change, StepFile
from kassay.labs.site.pages.revisions import Revised
from kassay.model.records import grouped
from kassay.model.units import format_change, format_numbers

_ENTRIES = 100
_SILENT = ("found", "not confirmed", "undecided")
"""States that a reader of the feed is not told of."""
_SPACE = uuid.UUID("6b617373-6179-5073-a974-652073746570")
"""Name space of the ids. They follow from the step alone: a site that moves to another host keeps them, or every reader
would see every entry again."""


def feed(site: Site, steps: Mapping[str, Revised]) -> File:
    """The newest changes of state, newest first; those of one turn by the newest kernel, then by size."""
    kernels = grouped((kernel.arch, kernel.key) for kernel in site.kernels if kernel.column)
    age = {(arch, key): len(keys) - place for arch, keys in kernels.items() for place, key in enumerate(keys)}
    oldest = max(age.values(), default=0) + 1

    def order(one: tuple[Change, int, StepFile]) -> tuple[str, int, float, str, int]:
        change, number, file = one
        step = file.step
        return change.utc, -age.get((step.arch, step.after), oldest), step.size, file.address, number

    changes = sorted(
        ((change, number, page.file) for page in steps.values() for number, change in _told(page.file)),
        key=order, reverse=True,
    )[:_ENTRIES]  # fmt: skip
    base = f"{site.address.rstrip('/')}/" if site.address else ""
    updated = changes[0][0].utc if changes else "2026-01-01T00:00:00Z"
    text = Markup(
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        "<id>{id}</id><title>{title}</title><updated>{updated}</updated><author><name>kassay</name></author>"
        '<link rel="self" href="{base}feed.atom"/><link href="{base}index.html"/>\n{entries}</feed>\n'
    ).format(
        id=_id("steps"), title=site.title, updated=updated, base=base,
        entries=Markup("").join(_entry(change, number, file, base) for change, number, file in changes),
    )  # fmt: skip
    return "feed.atom", text.encode()


def _told(file: StepFile) -> Iterator[tuple[int, Change]]:
    """Changes of state from the first that confirms the step on, each with its number."""
    is_known = False
    for number, change in enumerate(file.states, 1):
        is_known = is_known or change.life not in _SILENT
        if is_known and change.life != "found":
            yield number, change


def _id(name: str) -> str:
    return uuid.uuid5(_SPACE, name).urn


def _entry(change: Change, number: int, file: StepFile, base: str) -> Markup:
    step = file.step
    title = f"{step.series} {format_change(step.change)}, {step.before} to {step.after} ({step.arch}): {change.life}"
    before, after = format_numbers((step.before_value, step.after_value))
    figures = f"{before} to {after} {file.series.unit}"
    summary = ". ".join(filter(None, (figures, step.sentence, change.text, change.link)))
    return Markup(
        "<entry><id>{id}</id><title>{title}</title><updated>{utc}</updated>"
        '<link href="{base}{address}/index.html"/><summary>{summary}</summary></entry>\n'
    ).format(
        id=_id(f"{file.address}/{number}"), address=file.address, title=title, utc=change.utc, base=base,
        summary=summary,
    )  # fmt: skip
