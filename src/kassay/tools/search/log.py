# SPDX-License-Identifier: GPL-2.0-only
"""A search's directory: bisect.json (the question), log.jsonl (one line a boot), result.json, git-bisect.log.

The log is a file of checksummed lines (journal/journal.py), as a journal is.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from kassay.effects.files import read_record, write_atomic
from kassay.errors import BadInput
from kassay.journal.directory import CULPRIT as CULPRIT  # questions may not reach the journal
from kassay.journal.directory import SEARCH
from kassay.journal.journal import append_line, cut, read_lines
from kassay.model.bisect import Bisection, Observation, SearchQuestion
from kassay.model.records import to_json

LOG, RESULT, GIT_LOG = "log.jsonl", "result.json", "git-bisect.log"
_DAMAGED = "damaged, or of another version of kassay"


def is_search(directory: Path) -> bool:
    """True if a directory belongs to a bisection."""
    return (directory / SEARCH).is_file()


def opened(directory: Path) -> SearchQuestion:
    """The question of a search. Raises BadInput when there is none, or it is damaged."""
    try:
        return read_record(directory / SEARCH, SearchQuestion, _DAMAGED)
    except OSError as error:
        raise BadInput(f"{directory}: not a bisection (no {SEARCH})", "give a directory that bisect made") from error


def begin(directory: Path, question: SearchQuestion) -> None:
    """Write the question, also over that of an earlier version (see _comparable), so that replay() decides by it.

    Raises BadInput if the directory holds another question.
    """
    before = opened(directory) if is_search(directory) else None
    if before == question:
        return
    if before is not None:
        then, now = _comparable(before), _comparable(question)
        names = [n for n in SearchQuestion.__struct_fields__ if getattr(then, n) != getattr(now, n)]
        if names:
            raise BadInput(f"{directory}: holds another bisection (differs in {', '.join(names)})",
                           "choose another directory with --out; nothing there was changed")  # fmt: skip
    write_atomic(directory / SEARCH, to_json(question))


def _comparable(question: SearchQuestion) -> SearchQuestion:
    """The question without what earlier versions stored differently: the parents of a merge of several branches, and
    "nearest", for which they had "all"."""
    candidates = tuple(structs.replace(candidate, merged="") for candidate in question.candidates)
    steps = "all" if question.steps == "nearest" else question.steps
    return structs.replace(question, candidates=candidates, steps=steps)


def append(directory: Path, observation: Observation) -> None:
    """Adds one line; when this returns, it is on the disk."""
    append_line(directory / LOG, observation)


def read(directory: Path, *, repair: bool = False) -> tuple[Observation, ...]:
    """The log in order; a torn last line is left out, and with `repair` cut off the file.

    Raises BadInput when a line before it is damaged, or numbers are not in order.
    """
    path = directory / LOG
    if not path.exists():
        return ()
    lines = read_lines(path)
    if lines.torn is not None and repair:
        cut(path, lines.sound_bytes)
    found = lines.records(Observation)
    for number, observation in enumerate(found, start=1):
        if observation.number != number:
            problem = f"{path}: line {number} says it is number {observation.number}"
            raise BadInput(problem, "restore the log from its copy")
    return found


def keep_result(directory: Path, result: Bisection) -> None:
    """Store the result of a search beside its log."""
    write_atomic(directory / RESULT, to_json(result))


def read_result(directory: Path) -> Bisection | None:
    """The result of a search; None if it is unfinished. Raises BadInput if the file is damaged."""
    path = directory / RESULT
    return read_record(path, Bisection, _DAMAGED) if path.is_file() else None


def keep_git_log(directory: Path, result: Bisection) -> None:
    """git-bisect.log, as `git bisect log` writes one: `git bisect replay` takes it."""
    write_atomic(directory / GIT_LOG, "".join(f"{line}\n" for line in git_log(result)).encode())


def git_log(result: Bisection) -> Sequence[str]:
    """Every candidate once, in the order first measured, good or bad of the largest step."""
    step = result.steps[0]
    lines = ["git bisect start '--first-parent'"]
    order = dict.fromkeys(observation.candidate for observation in result.observations)
    for index in sorted(order, key=lambda p: p not in (0, len(result.candidates) - 1)):
        word = "skip" if index in result.skipped else "good" if index <= step.last_without else "bad"
        candidate = result.candidates[index]
        lines += [f"# {word}: [{candidate.name}] {candidate.title}", f"git bisect {word} {candidate.name}"]
    first = result.candidates[step.first]
    if step.between:
        lines.append("# only skipped commits left to test")
        lines += [f"# possible first bad commit: [{result.candidates[index].name}] {result.candidates[index].title}"
                  for index in (step.first, *reversed(step.between))]  # fmt: skip
        return lines
    return [*lines, f"# first bad commit: [{first.name}] {first.title}"]
