# SPDX-License-Identifier: GPL-2.0-only
"""kassay bisect --step: compares one kernel with two ends and answers as `git bisect run` expects."""

import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path

import msgspec
from msgspec import structs

from kassay.commands._show import say
from kassay.effects.files import write_atomic
from kassay.errors import BadInput, Defect, KassayError, NotBuilt
from kassay.model.bisect import Bisection, Candidate, SearchQuestion
from kassay.model.kernel import parse_ref
from kassay.model.progress import Tell
from kassay.model.reason import reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import from_json, to_json
from kassay.model.units import format_numbers
from kassay.supply import kernels as kernel_store
from kassay.tools.search import log as searchlog
from kassay.tools.search import loop as bisecting
from kassay.tools.search.decision import Ask
from kassay.tools.search.probe import BootProbe, Measure

GOOD, BAD, SKIP, STOP = 0, 1, 125, 128
_HEAD = 1


def guarded(command: Callable[[], int]) -> int:
    """The command's status; for any error one that stops `git bisect run`, which would take 1..127 for "bad"."""
    try:
        return command()
    except KassayError as error:
        say(f"kassay: {error}\n", error=True)
        return STOP + error.status
    except Exception as error:
        say("".join(traceback.format_exception(error)), error=True)
        return STOP + Defect.status


def step(ends: SearchQuestion, head: str, out: Path, tell: Tell, probe: Measure) -> int:
    """0 if `head` is nearer to the good end, 1 if it is nearer to the bad one, 125 if it cannot be measured.

    Prints the reason in one line. ends: the question with two candidates.
    """
    searchlog.begin(out, ends)
    try:
        ref = kernel_store.pinned(parse_ref(head, ends.probe.arch), tell)  # the working files may change meanwhile
        (artifact,) = kernel_store.fetch([parse_ref(ref, ends.probe.arch)], ends.probe.flavour, tell)
    except NotBuilt as error:
        say(f"skip: {head} is not built: {error.what}\n")
        return SKIP
    image = artifact.identity.image_sha256 or artifact.identity.release
    good, bad = ends.candidates
    exact = ends.one_boot_decides
    candidate = Candidate(name=image[:16], title=head, ref=ref)
    question = structs.replace(
        ends, candidates=(good, candidate, bad), range=f"{ends.range}, {head}", steps="nearest" if exact else "all"
    )
    directory = out / "heads" / image[:16]
    # A measured time is comparable only with times of the same minutes, so the ends are not reused where time counts.
    measure = _EndsOnce(out / "ends", probe) if exact else probe
    bisection = bisecting.search(_as_before(question, directory), directory, tell, measure)
    status, sentence = _judged(bisection, head)
    say(f"{sentence}\n")
    return status


def _as_before(question: SearchQuestion, directory: Path) -> SearchQuestion:
    """The question that `directory` holds, if it differs only in sources that give the same image (as a commit to
    documentation does); else `question`."""
    if not searchlog.is_search(directory):
        return question
    before = structs.replace(searchlog.opened(directory), steps=question.steps)  # earlier versions had another word
    same = structs.replace(before, candidates=question.candidates, range=question.range) == question
    ends = (before.candidates[0], before.candidates[-1]) == (question.candidates[0], question.candidates[-1])
    return before if same and ends else question


def _judged(bisection: Bisection, head: str) -> tuple[int, str]:
    largest = bisection.steps[0]
    if _HEAD in bisection.skipped or largest.between:
        last = next(observation for observation in reversed(bisection.observations) if observation.candidate == _HEAD)
        return SKIP, f"skip: {head}: {last.outcome}: {last.detail}"
    nearer = "bad" if largest.first == _HEAD else "good"
    values = {step.last_without: step.before for step in bisection.steps} | {s.first: s.after for s in bisection.steps}
    of_head = largest.after if largest.first == _HEAD else largest.before
    shown = values.get(0, of_head), of_head, values.get(2, of_head)
    texts = format_numbers(shown)
    odds = f", {largest.odds:.1%} sure" if largest.odds is not None else ""
    level = "; a level between the two, so nearest decides" if min(shown) < of_head < max(shown) else ""
    sentence = f"{nearer}: {texts[1]} {bisection.unit}; good end {texts[0]}, bad end {texts[2]}{odds}{level}"
    return (BAD if nearer == "bad" else GOOD), sentence


class _EndsOnce:
    """A Measure for exact counts: stores the counts of the two ends in `ends` and reuses them in later steps. An end
    that failed is measured again in the next step, in another directory."""

    def __init__(self, ends: Path, probe: Measure) -> None:
        self._ends, self._probe = ends, probe

    def __call__(self, question: SearchQuestion, ask: Ask, directory: Path, tell: Tell) -> BootProbe:
        """Raises BadInput for an end without a value, so that the log of this step does not keep it."""
        if ask.candidate == _HEAD:
            return self._probe(question, ask, directory, tell)
        end = "good" if ask.candidate == 0 else "bad"
        for number in count(1):
            note = self._ends / f"{end}-{number}.json"
            boot = _stored(note)
            if boot is None:
                break
            if boot.outcome == "value":
                return boot
        boot = self._probe(question, ask, note.with_suffix(""), tell)
        write_atomic(note, to_json(boot))
        if boot.outcome != "value":
            problem = reason_text(reason("end-not-measured", end=end))
            raise BadInput(f"{question.range}: {problem}", boot.detail)
        return boot


def _stored(note: Path) -> BootProbe | None:
    try:
        return from_json(note.read_bytes(), BootProbe)
    except (OSError, msgspec.DecodeError):
        return None
