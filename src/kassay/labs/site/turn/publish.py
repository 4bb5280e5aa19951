# SPDX-License-Identifier: GPL-2.0-only
"""The site of a turn: what the history has, the lives of its steps, mail drafts, and how current it is."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.site.contents import read_site
from kassay.labs.site.model import Site, SiteStatus, SiteStep
from kassay.labs.site.turn import steps_file
from kassay.labs.site.turn.lives import bundle_file, draft_file
from kassay.labs.site.turn.mistakes import mistakes
from kassay.labs.site.turn.pairs import Pair
from kassay.labs.site.turn.settings import Lab
from kassay.labs.site.turn.status import Status
from kassay.labs.site.turn.steps_file import Entry
from kassay.model.build import BuildRef, build_text
from kassay.model.progress import Tell
from kassay.tools.bundle.paths import ShortNames, paths_in


def site_of(lab: Lab, status: Status, missing: Sequence[Pair], tell: Tell) -> Site | None:
    """Contents of the site; None while the history has nothing that could be shown."""
    if not Path(lab.history).is_file():
        return None
    try:
        site = read_site(Path(lab.history), title=lab.title, address=lab.address, tell=tell)
    except BadInput:
        return None
    site = with_lives(site, steps_file.read(Path(lab.steps)), lab)
    return structs.replace(site, status=site_status(site.status, status, missing, lab))


def with_lives(site: Site, entries: Sequence[Entry], lab: Lab) -> Site:
    """The site with the life of each step, the draft of its mail, its bundle, and all mistakes."""
    names = _short_names(lab)
    public = [structs.replace(one, text=names.text(one.text)) for one in entries]
    by_pair = {one.pair: one for one in public}

    def alive(step: SiteStep) -> SiteStep:
        entry = by_pair.get(step.pair)
        if entry is None:
            return step
        draft, bundle = draft_file(lab, entry), bundle_file(lab, entry)
        return structs.replace(
            step, life=entry.state, life_text=entry.text, link=entry.link,
            bundle=bundle.name if bundle.is_file() else "",
            mail=names.text(draft.read_text("utf-8", "replace")) if draft.is_file() else "",
        )  # fmt: skip

    known = structs.replace(site.status, mistakes=mistakes(site.steps, public, Path(lab.steps)))
    return structs.replace(site, steps=tuple(map(alive, site.steps)), status=known)


def _short_names(lab: Lab, failed: Iterable[str] = ()) -> ShortNames:
    """Names for the paths of this host in texts of a laboratory. failed: what Failure.what names."""
    builds = (f"{build_text(BuildRef(tree=one.tree))}{f',{one.build}' * bool(one.build)}" for one in lab.branch)
    refs = (*builds, *(what.partition("/")[2] for what in failed))
    places = (lab.runs, lab.history, lab.site, lab.outbox, lab.steps, lab.status)
    return ShortNames((*places, *(path for ref in refs for path in paths_in(ref))))


def site_status(known: SiteStatus, status: Status, missing: Sequence[Pair], lab: Lab) -> SiteStatus:
    """How current the site is. known: what the history itself says."""
    names = _short_names(lab, (one.what for one in status.failures))
    since = {waiting.directory: waiting.since_utc for waiting in status.waiting}
    oldest = min(missing, key=lambda pair: since.get(pair.directory, "9"), default=None)
    text = f"{oldest.text}, since {since.get(oldest.directory, '')[:10]}" if oldest is not None else ""
    return structs.replace(
        known, queue=tuple(pair.text for pair in missing),
        failed=tuple((names.text(one.what), names.text(one.why)) for one in status.failures if one.kind != "step"),
        oldest_missing=text, turn_utc=status.turn_utc,
    )  # fmt: skip
