# SPDX-License-Identifier: GPL-2.0-only
"""A search's directory: bisect.json (the question), log.jsonl (one line a boot), result.json, git-bisect.log.

Each line of the log: crc32 of the JSON as 8 hex digits, a space, the JSON, as in a journal.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kassay.effects.files import append_durable, disk_errors, write_atomic
from kassay.errors import BadInput
from kassay.model.bisect import Bisection, Observation, Question
from kassay.model.records import from_json, to_json

QUESTION, LOG, RESULT, GIT_LOG = "bisect.json", "log.jsonl", "result.json", "git-bisect.log"


def is_search(directory: Path) -> bool:
    """Whether a directory is that of a bisection."""
    return (directory / QUESTION).is_file()


def opened(directory: Path) -> Question:
    """The question of a search. Raises BadInput when there is none, or it is damaged."""
    try:
        return from_json((directory / QUESTION).read_bytes(), Question)
    except OSError as error:
        raise BadInput(f"{directory}: not a bisection (no {QUESTION})", "give a directory that bisect made") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{directory}/{QUESTION}: {error}", "damaged, or of another version of kassay") from error


def begin(directory: Path, question: Question) -> None:
    """Writes the question, or sees that it is the one that is there. Raises BadInput when it is another."""
    if not is_search(directory):
        write_atomic(directory / QUESTION, to_json(question))
        return
    before = opened(directory)
    if before != question:
        names = [n for n in Question.__struct_fields__ if getattr(before, n) != getattr(question, n)]
        raise BadInput(f"{directory}: holds another bisection (differs in {', '.join(names)})",
                       "choose another directory with --out; nothing there was changed")  # fmt: skip


def append(directory: Path, one: Observation) -> None:
    """Adds one line; on return it is on the disk."""
    data = to_json(one)
    append_durable(directory / LOG, b"%08x %s\n" % (zlib.crc32(data), data))


def read(directory: Path, *, cut: bool = False) -> tuple[Observation, ...]:
    """The log in order; a torn last line is left out, and cut off the file when `cut`.

    Raises BadInput when a line before it is damaged, or numbers are not in order.
    """
    path = directory / LOG
    if not path.exists():
        return ()
    data = path.read_bytes()
    whole, newline, torn = data.rpartition(b"\n")
    if torn and cut:
        with disk_errors(path), path.open("r+b") as file:
            file.truncate(len(whole) + len(newline))
    lines = whole.split(b"\n") if newline else []
    found = tuple(_observation(path, number, line) for number, line in enumerate(lines, start=1))
    for number, one in enumerate(found, start=1):
        if one.number != number:
            raise BadInput(f"{path}: line {number} says it is number {one.number}", "restore the log from its copy")
    return found


def _observation(path: Path, number: int, line: bytes) -> Observation:
    crc, _, payload = line.partition(b" ")
    try:
        if crc == b"%08x" % zlib.crc32(payload):
            return from_json(payload, Observation)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: line {number}: {error}", "it was written by another version of kassay") from error
    raise BadInput(f"{path}: line {number} is damaged", "restore the log from its copy; nothing was changed")


def keep_result(directory: Path, result: Bisection) -> None:
    """What the search found, beside the log it follows from."""
    write_atomic(directory / RESULT, to_json(result))


def kept_result(directory: Path) -> Bisection | None:
    """What was found, None in an unfinished search. Raises BadInput when it is damaged."""
    path = directory / RESULT
    if not path.is_file():
        return None
    try:
        return from_json(path.read_bytes(), Bisection)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}", "damaged, or of another version of kassay") from error


def keep_git_log(directory: Path, result: Bisection) -> None:
    """git-bisect.log, as `git bisect log` writes one: `git bisect replay` takes it."""
    write_atomic(directory / GIT_LOG, "".join(f"{line}\n" for line in git_log(result)).encode())


def git_log(result: Bisection) -> Sequence[str]:
    """Every candidate once, in the order first measured, good or bad of the largest step."""
    step = result.steps[0]
    lines = ["git bisect start '--first-parent'"]
    order = dict.fromkeys(one.candidate for one in result.observations)
    for place in sorted(order, key=lambda p: p not in (0, len(result.candidates) - 1)):
        word = "skip" if place in result.skipped else "good" if place <= step.last_without else "bad"
        one = result.candidates[place]
        lines += [f"# {word}: [{one.name}] {one.title}", f"git bisect {word} {one.name}"]
    first = result.candidates[step.first]
    if step.between:
        lines.append("# only skipped commits left to test")
        lines += [f"# possible first bad commit: [{result.candidates[place].name}] {result.candidates[place].title}"
                  for place in (step.first, *reversed(step.between))]  # fmt: skip
        return lines
    return [*lines, f"# first bad commit: [{first.name}] {first.title}"]
