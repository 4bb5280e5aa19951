# SPDX-License-Identifier: GPL-2.0-only
"""A confirmed step -> the release or the commit that brought it, as far as sources allow."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay.journal.directory import CULPRIT, open_directory
from kassay.labs.site.kernels import NARROWING
from kassay.model.bisect import Bisection, SearchQuestion
from kassay.model.experiment import Experiment
from kassay.model.kernel import name_and_version
from kassay.model.progress import Tell
from kassay.supply.archive.versions import upstream_of, version_key
from kassay.tools.search import loop
from kassay.tools.search.candidates import Range, between
from kassay.tools.search.probe import prober

COMMIT = "commit "
"""Beginning of the result that names a commit."""
Between = Callable[[str, str, str, str, str, Tell], Range]
"""tools.search.candidates.between(), or what stands for it in a test."""


class Narrowed(NamedTuple):
    """The result of a search."""

    text: str
    """Result as a sentence."""
    directory: Path | None
    """Directory of the last comparison; None if there was no kernel between the two."""
    introduced: str = ""
    """Commit, or range of mainline tags, as a regression tracker takes it; "" if none is known."""


def narrowed(
    pair: Experiment, directory: Path, measure: Callable[[Experiment, Path, Tell], None], tell: Tell,
    range_: Between = between, leave_out: Sequence[str] = (),
) -> Narrowed:  # fmt: skip
    """Searches between the two kernels of a comparison with one workload at one setting. Resumes an earlier search.

    leave_out: versions of packages that are not measured. No package of their releases is a candidate: its name may
    mean theirs.

    Raises BadInput or HostLacks if there is nothing to find, or if an end cannot be measured again.
    """
    ends = tuple(use.ref for use in pair.kernels)
    whole = range_(ends[0], ends[1], pair.arch, pair.flavour, "version", tell)
    left_out = {upstream_of(version) for version in leave_out}
    middle = (one for one in whole.candidates[1:-1] if whole.kind == "git" or one.title not in left_out)
    found = whole._replace(candidates=(whole.candidates[0], *middle, whole.candidates[-1]))
    if len(found.candidates) < 3:
        what = "commit" if found.kind == "git" else "package"
        return Narrowed(f"no {what} lies between the two", None)
    once = structs.replace(
        pair, name=f"{NARROWING}{pair.workloads[0].name}", question="value", kernels=pair.kernels[:1], repeats=1,
        perturb=0, control=False, predict=UNSET,
    )  # fmt: skip
    question = loop.resumed(
        SearchQuestion(
            kind=found.kind, range=found.text, candidates=found.candidates, notes=found.notes, steps="largest",
            probe=once, compare=structs.replace(pair, name=once.name, predict=UNSET),
        ),
        directory,
    )  # fmt: skip
    bisection = loop.search(question, directory, tell, prober(measure))
    loop.conclude(question, directory, bisection, tell, measure)
    text = _sentence(bisection, [one.title for one in whole.candidates]) + _doubt(directory / CULPRIT)
    return Narrowed(text, directory / CULPRIT, bisection.introduced)


def _doubt(compared: Path) -> str:
    """Words for two kernels of different compilers; "" for equal ones."""
    compilers = [name_and_version(kernel.compiler or "") for kernel in open_directory(compared).plan.kernels]
    if len(set(compilers)) == 1:
        return ""
    return f", but their compilers differ ({compilers[0]}, then {compilers[-1]}) and may be the reason"


def _sentence(bisection: Bisection, offered: Sequence[str]) -> str:
    """offered: titles of all candidates, also of those that were left out."""
    step = bisection.steps[0]
    first, last = bisection.candidates[step.first], bisection.candidates[step.last_without]
    if bisection.kind == "git":
        untested = f"; {len(step.between)} between them could not be tested" if step.between else ""
        return f'{COMMIT}{first.name[:12]} ("{first.title}"){untested}'
    between_ = [name for name in offered if version_key(last.title) < version_key(name) < version_key(first.title)]
    rest = f"{', '.join(between_)} between them not measured" if between_ else "the archive has none between them"
    return f"{first.title} has it, {last.title} has not, {rest}"
