# SPDX-License-Identifier: GPL-2.0-only
"""Published steps. A figure never changes in place: a correction is a new revision, and the old page moves below it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from kassay.labs.site.model import SiteStep
from kassay.labs.site.pages.addresses import step_path
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.records import STEP_SCHEMA, Change, StepFile
from kassay.model.records import Record, from_plain


class Revised(Record, frozen=True, kw_only=True):
    """A step page and what it was before."""

    file: StepFile
    earlier: tuple[StepFile, ...] = ()
    """Oldest first; the page of revision n is at r<n>/ below the step."""


def published(directory: Path) -> dict[str, Revised]:
    """Step pages that the directory has, by address. A file that this kassay cannot read is left out."""
    found = {}
    for path in sorted((directory / "step").rglob("index.json")):
        if re.fullmatch(r"r\d+", path.parent.name):
            continue
        file = _read(path)
        if file is not None:
            found[str(path.parent.relative_to(directory))] = Revised(file=file, earlier=tuple(_earlier(path.parent)))
    return found


def _earlier(page: Path) -> Iterator[StepFile]:
    number = 1
    while (path := page / f"r{number}" / "index.json").exists():
        if (file := _read(path)) is not None:
            yield file
        number += 1


def _read(path: Path) -> StepFile | None:
    """A stored step; fields that this kassay does not know are left out."""
    try:
        return from_plain(_known(msgspec.json.decode(path.read_bytes()), StepFile), StepFile)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _known(value: Any, kind: Any) -> Any:
    if not isinstance(value, dict):
        return value
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    kept = {name: one for name, one in value.items() if name in fields}
    for name in ("step", "series", "before", "after"):
        if isinstance(kept.get(name), dict) and name in fields:
            kinds = [part for part in (fields[name], *getattr(fields[name], "__args__", ())) if isinstance(part, type)]
            record = next((part for part in kinds if issubclass(part, Record)), None)
            kept[name] = _known(kept[name], record) if record else kept[name]
    return kept


def revise(lookup: Lookup, before: dict[str, Revised]) -> dict[str, Revised]:
    """Every step page of the site, by address: notable steps, and those that the directory had already."""
    utc = lookup.site.made_utc
    now = dict(before)
    for step in _wanted(lookup, before):
        address = step_path(*step.pair)
        file = StepFile(
            schema=STEP_SCHEMA, address=address, revision=1, published_utc=utc, step=step,
            series=lookup.series[step.arch, step.series], before=lookup.kernel.get((step.arch, step.before)),
            after=lookup.kernel.get((step.arch, step.after)),
        )  # fmt: skip
        now[address] = _revised(file, before.get(address), utc)
    return dict(sorted(now.items()))


def _wanted(lookup: Lookup, before: dict[str, Revised]) -> Iterator[SiteStep]:
    """Steps of the site that have a page, and those that are small now and had a page before."""
    yield from lookup.notable.values()
    for revised in before.values():
        step = revised.file.step
        series = lookup.series.get((step.arch, step.series))
        if series and step.pair not in lookup.notable and (new := lookup.step(series, step.before, step.after)):
            yield new


def _revised(file: StepFile, old: Revised | None, utc: str) -> Revised:
    states = old.file.states if old else ()
    step = file.step
    change = Change(utc=utc, life=step.life, text=step.life_text, link=step.link)
    if states and states[-1].life == step.life:
        states = (*states[:-1], msgspec.structs.replace(change, utc=states[-1].utc))
    elif step.life:  # "" for a step that nobody nominated
        states = (*states, change)
    if old is None:
        return Revised(file=msgspec.structs.replace(file, states=states))
    # Figures must not change in place. A first verdict on the same values is no correction.
    known = old.file.step
    is_equal = (known.before_value, known.after_value) == (step.before_value, step.after_value)
    if is_equal and known.verdict in ("", step.verdict):
        kept = msgspec.structs.replace(
            file, states=states, revision=old.file.revision, published_utc=old.file.published_utc
        )
        return Revised(file=kept, earlier=old.earlier)
    # Killed after it moved the old page and before it wrote the new one: the old page is there already.
    is_moved = bool(old.earlier) and old.earlier[-1].revision == old.file.revision
    earlier = old.earlier if is_moved else (*old.earlier, old.file)
    return Revised(file=msgspec.structs.replace(file, states=states, revision=old.file.revision + 1), earlier=earlier)


def figures_text(step: SiteStep, unit: str) -> str:
    """The figures in one line."""
    return f"{step.before_value} to {step.after_value} {unit}, verdict: {step.verdict or 'none'}"


def corrections(pages: dict[str, Revised]) -> list[tuple[Revised, StepFile, StepFile]]:
    """(page, wrong, right) of each corrected revision, newest first."""
    found = [(page, wrong, right) for page in pages.values() for wrong, right in pairwise((*page.earlier, page.file))]
    return sorted(found, key=lambda one: one[2].published_utc, reverse=True)
