# SPDX-License-Identifier: GPL-2.0-only
"""`kassay review`: find the base, take the steps, and show the answer."""

import dataclasses
import shlex
import shutil
import tempfile
from pathlib import Path

from msgspec import structs

from kassay.commands._experiment import content_directory, cpus_to_predict, unused_directory
from kassay.commands._inputs import check_directory, check_given
from kassay.commands._show import keep_answer, say, say_answer, showing
from kassay.commands._together import check_together
from kassay.effects import runner
from kassay.effects.files import disk_errors
from kassay.effects.lock import check_host, locked, refusing
from kassay.errors import KassayError
from kassay.labs.review.b4 import b4_checks, b4_refusal, tracked_range
from kassay.labs.review.base import FoundBase, find_base
from kassay.labs.review.checks import checked
from kassay.labs.review.claims import claims_in, missing_in
from kassay.labs.review.commands._options import Reviewing, given_words, seconds
from kassay.labs.review.corners import all_corners, check_corner
from kassay.labs.review.exit_status import exit_status
from kassay.labs.review.given import STANDARD_INPUT, Given, Range, changed_since, series_of, short, uncommitted
from kassay.labs.review.model import Review
from kassay.labs.review.outlook import outlook
from kassay.labs.review.report import REVIEW
from kassay.labs.review.review import Reviewer, Wanted
from kassay.model.kernel import parse_ref
from kassay.model.progress import Tell
from kassay.spec.suites import table_of
from kassay.supply import kernels
from kassay.supply.arches import arch_of
from kassay.supply.building.patches import check_patches, read_patches


def answer(series: str, options: Reviewing) -> int:
    """Prints the answer and keeps it beside its runs; returns the exit status. Raises BadInput, NotBuilt.

    With --b4 an error is an answer as well: b4 shows the JSON on standard output, whatever the exit status is.
    """
    check_together(unused={"--plan": ("--format", "--b4")})
    if not options.b4:
        return _answered(series, options)
    try:
        return _answered(series, options)
    except KassayError as error:
        say(b4_refusal(error))
        return error.status


def _answered(series: str, options: Reviewing) -> int:
    form = REVIEW.form(options.format_)
    tracking = runner.b4_tracking() if options.b4 and series == "-" else None
    if tracking is not None:
        series = tracked_range(tracking)
    budget_s = seconds(options.budget)
    corners = _checked(options)
    if not options.plan:
        check_host()
    with showing() as tell, tempfile.TemporaryDirectory(prefix="kassay-review-") as scratch:
        given = series_of(series, options.tree, Path(scratch))
        earlier = _earlier(options, Path(scratch) / "earlier")
        built = f",{options.build}" if options.build else ""
        found = find_base(
            given.patches, base=options.base or given.base, tree=options.tree,
            options=built, tell=tell, fetches=not options.plan,
            name=STANDARD_INPUT if series == "-" else series,
        )  # fmt: skip
        wanted = structs.replace(
            _wanted(series, found, options, corners, tell), previous=str(earlier.patches if earlier else "")
        )
        if options.plan:
            say(outlook(wanted, found.fetch, tell))
            return 0
        directory = _directory(wanted, options, given.commits)
        with locked(directory / "lock", refusing(str(directory))):
            wanted = structs.replace(wanted, patches=str(_kept(given.patches, Path(scratch), directory)))
            if earlier is not None:
                wanted = structs.replace(
                    wanted, previous=str(_kept(earlier.patches, Path(scratch), directory / "earlier"))
                )

            changed, dropped = (
                changed_since(read_patches(earlier.patches), read_patches(given.patches)) if earlier else ((), ())
            )

            def complete(review: Review) -> Review:
                if review.previous is not None:
                    named = structs.replace(
                        review.previous, source=options.previous, changed=changed, dropped=dropped
                    )  # fmt: skip
                    review = structs.replace(review, previous=named)
                return review if options.check_claims is None else _with_claims(review, options.check_claims)

            def keep(review: Review) -> None:
                keep_answer(complete(review), REVIEW, directory, "review")

            command = _command(series, given.commits, options, earlier, found.ref.removesuffix(built))
            review = complete(Reviewer(wanted, directory, budget_s, command, found.tries, tell, keep).run())
    if options.b4:
        say(b4_checks(review, directory / "review.html"))
    else:
        say_answer(review, form)
    if form.screen is not None and not options.b4:
        say(f"review: {directory}/review.html\n")
    if given.commits is not None and (left_out := uncommitted(given.commits)):
        say(f"review: {left_out}\n", error=True)
    return exit_status(review) if options.exit_code else 0


def _earlier(options: Reviewing, into: Path) -> Given | None:
    """The series of --previous; None without one. Raises BadInput."""
    if not options.previous:
        return None
    given = series_of(options.previous, options.tree, into)
    check_patches(given.patches)
    return given


def _with_claims(review: Review, path: Path) -> Review:
    """The review with the figures that a text claims."""
    text = path.read_text("utf-8", "replace")
    return structs.replace(review, claims=checked(claims_in(text), review), not_named=missing_in(text))


def _checked(options: Reviewing) -> tuple[str, ...]:
    """The corners. Raises BadInput for any option that cannot be met."""
    arch_of(options.arch)
    table_of(options.suite)
    check_directory(options.out)
    check_given(options.check_claims, "--check-claims")
    if options.predict:
        cpus_to_predict(options.predict, options.arch)
    given = tuple(options.corner or ())
    for corner in given:
        check_corner(corner, options.arch)
    return tuple(dict.fromkeys((*given, *(all_corners(options.arch) if options.corners else ()))))


def _wanted(
    series: str, found: FoundBase, options: Reviewing, corners: tuple[str, ...], tell: Tell
) -> Wanted:  # fmt: skip
    return Wanted(
        source=series,
        patches=found.patches,
        base=found.ref if found.fetch else kernels.pinned(parse_ref(found.ref, options.arch), tell),
        arch=options.arch,
        suite=options.suite,
        settings=options.settings,
        corners=corners,
        predict=cpus_to_predict(options.predict, options.arch) if options.predict else (),
        hashes=tuple(patch.sha256 for patch in read_patches(Path(found.patches))),
    )


def _directory(wanted: Wanted, options: Reviewing, commits: Range | None) -> Path:
    """--out, or a directory named by the question; corners are further steps of the same question."""
    question = structs.replace(wanted, source="", patches="", corners=(), previous="")
    name = short(commits.head) if commits else "series" if wanted.source == "-" else Path(wanted.source).stem
    base = options.out or content_directory(f"review-{name}", question)
    return unused_directory(base) if options.fresh else base


def _kept(patches: Path, scratch: Path, directory: Path) -> Path:
    """The patches; those that exist only for this command are kept in the directory."""
    if scratch not in patches.parents:
        return patches
    with disk_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        kept = directory / patches.name
        if patches.is_dir():
            shutil.copytree(patches, kept, dirs_exist_ok=True)
        else:
            shutil.copy(patches, kept)
    return kept


def _command(series: str, commits: Range | None, options: Reviewing, earlier: Given | None, base: str) -> str:
    """The command for the same question. It names commits, and the base that was found: branches move."""
    names = ("tree", "build", "settings", "previous", "suite", "predict", "arch", "corner", "corners", "budget")
    if earlier is not None and earlier.commits is not None:
        options = dataclasses.replace(options, previous=earlier.commits.pinned)
    words = [commits.pinned] if commits else [series]
    words += ["--base", base] if options.base or commits is None else []
    return shlex.join(["kassay", "review", *words, *given_words(options, names)])
