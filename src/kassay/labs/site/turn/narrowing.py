# SPDX-License-Identifier: GPL-2.0-only
"""A confirmed step -> the release or the commit that brought it, as far as sources allow."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, structs

from kassay.labs.site.kernels import NARROWING
from kassay.model.bisect import Bisection, SearchQuestion
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell
from kassay.tools.search import loop
from kassay.tools.search.candidates import Range, between
from kassay.tools.search.log import CULPRIT
from kassay.tools.search.probe import prober

Between = Callable[[str, str, str, str, str, Tell], Range]
"""tools.search.candidates.between(), or what stands for it in a test."""


class Narrowed(NamedTuple):
    """The result of a search. text: a sentence. directory: of the last comparison, None if nothing was between."""

    text: str
    directory: Path | None


def narrowed(
    pair: Experiment, directory: Path, measure: Callable[[Experiment, Path, Tell], None], tell: Tell,
    range_: Between = between,
) -> Narrowed:  # fmt: skip
    """Searches between the two kernels of a comparison with one workload at one setting. Resumes an earlier search.

    Raises BadInput or HostLacks if there is nothing to find, or if an end cannot be measured again.
    """
    ends = tuple(use.ref for use in pair.kernels)
    found = range_(ends[0], ends[1], pair.arch, pair.flavour, "version", tell)
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
    return Narrowed(_sentence(bisection), directory / CULPRIT)


def _sentence(bisection: Bisection) -> str:
    step = bisection.steps[0]
    first, last = bisection.candidates[step.first], bisection.candidates[step.last_without]
    if bisection.kind == "git":
        text = f'commit {first.name[:12]} ("{first.title}")'
    else:
        text = f"{first.title} has it, {last.title} has not"
    if step.between:
        text += f", {len(step.between)} between them could not be tested"
    elif bisection.kind != "git":
        text += ", the archive has none between them"
    return text
