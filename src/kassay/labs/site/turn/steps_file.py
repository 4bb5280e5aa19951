# SPDX-License-Identifier: GPL-2.0-only
"""steps.toml: the steps and their lives, which people edit and the laboratory adds to. Comments and order stay.

The file is a sequence of blocks: "[[step]]", the comment above it, and its keys. The laboratory inserts blocks, and
replaces the values of `state`, `text` and `since` in its own ones. Everything else is kept to the byte.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from kassay.effects.files import write_atomic
from kassay.errors import BadInput, nearest_of, wrong_value
from kassay.labs.site.model import LIVES, Pair
from kassay.model.records import Record, from_plain

_HEADER = re.compile(r"(?m)^[ \t]*\[\[[ \t]*step[ \t]*\]\]")
_OWN = ("found", "confirmed", "not confirmed", "undecided", "narrowed", "back")
"""States that the laboratory sets and leaves again. People set the others."""
_INTRODUCTION = """# Steps that the laboratory found, and what became of them; see docs/reference/lab.md.
# People set state = "reported" (with link), "fixed" or "accepted" (with text). The laboratory leaves these as they are.
"""


class Entry(Record, frozen=True, kw_only=True):
    """A step in its life."""

    id: str
    series: str
    """Key of the series, as in SiteStep."""
    arch: str
    """Architecture, as in SiteStep."""
    before: str
    """Key of the kernel before the step, as in SiteStep."""
    after: str
    """Key of the kernel after the step, as in SiteStep."""
    state: str
    """Word of LIVES."""
    link: str = ""
    text: str = ""
    since: str = ""
    """Date of the state."""

    @property
    def pair(self) -> Pair:
        """SiteStep.pair of the step."""
        return self.arch, self.series, self.before, self.after

    @property
    def is_own(self) -> bool:
        """True if the laboratory may change the entry."""
        return self.state in _OWN


def read(path: Path) -> tuple[Entry, ...]:
    """The entries of the file, in its order; none if there is no file. Raises BadInput with every error."""
    text = _text(path)
    entries = _entries(text, path)
    if len(_blocks(text)) - 1 != len(entries):
        raise BadInput(
            f"{path}: a step that does not begin with a line [[step]]", "write each step as [[step]] and keys"
        )
    return entries


def add(path: Path, entry: Entry) -> None:
    """Inserts a step: among those of its kernels in the order of their series, else at the end."""
    text, entries = _text(path) or _INTRODUCTION, read(path)
    blocks = _blocks(text)
    pair = (entry.arch, entry.before, entry.after)
    same = [n for n, one in enumerate(entries) if (one.arch, one.before, one.after) == pair]
    later = [n for n in same if entries[n].series > entry.series]
    place = later[0] if later else same[-1] + 1 if same else len(entries)
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in _written(entry).items()]
    block = "\n".join(["[[step]]", *lines, ""])
    before = "".join(blocks[: place + 1])
    gap = "" if before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
    behind = "".join(blocks[place + 1 :])
    _store(path, before + gap + block + ("\n" if behind else "") + behind, [*entries[:place], entry, *entries[place:]])


def change(path: Path, entry: Entry) -> None:
    """Replaces state, text and since of the step with the entry's id. Raises BadInput if a person has it in hand."""
    text, entries = _text(path), read(path)
    place = next(number for number, one in enumerate(entries) if one.id == entry.id)
    before = entries[place]
    if not before.is_own:
        raise BadInput(f"{path}: step {entry.id} is {before.state}", "only people change it")
    blocks = _blocks(text)
    for key in ("state", "text", "since"):
        value = getattr(entry, key)
        if value != getattr(before, key):
            blocks[place + 1] = _with_value(blocks[place + 1], key, value)
    after = msgspec.structs.replace(before, state=entry.state, text=entry.text, since=entry.since)
    _store(path, "".join(blocks), [*entries[:place], after, *entries[place + 1 :]])


def _written(entry: Entry) -> Mapping[str, str]:
    """Keys of a new entry; those that may be missing are left out where they have no value."""
    fields = msgspec.structs.asdict(entry).items()
    return {key: value for key, value in fields if value or key not in ("link", "text", "since")}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}", "it must be a file of UTF-8 text") from error


def _entries(text: str, path: Path) -> tuple[Entry, ...]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}", "mend the file; the laboratory changed nothing") from error
    steps = table.pop("step", [])
    problems = [f"{key}: unknown key; write [[step]]" for key in table]
    problems += ["step: write [[step]], with two brackets on each side"] * (not isinstance(steps, list))
    entries: list[Entry] = []
    for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
        unknown = [key for key in step if key not in Entry.__struct_fields__]
        problems += [f"step {number}: {key}: unknown; {nearest_of(key, Entry.__struct_fields__)}" for key in unknown]
        try:
            entries += [from_plain(step, Entry)] if not unknown else []
        except msgspec.ValidationError as error:
            problems.append(f"step {number}: {wrong_value(error)}")
    problems += [f"step {one.id}: state {one.state!r}; known: {', '.join(LIVES)}"
                 for one in entries if one.state not in LIVES]  # fmt: skip
    ids = [one.id for one in entries]
    problems += [f"step {name}: twice" for name in sorted({name for name in ids if ids.count(name) > 1})]
    if problems:
        raise BadInput(
            "\n".join(f"{path}: {problem}" for problem in problems), "mend the file; the laboratory changed nothing"
        )
    return tuple(entries)


def _blocks(text: str) -> list[str]:
    """The text before the first step, then each step with the comment lines directly above it."""
    starts = []
    for match in _HEADER.finditer(text):
        start = match.start()
        while start and (above := text.rfind("\n", 0, start - 1) + 1) < start and text[above:start].startswith("#"):
            start = above
        starts.append(start)
    if not starts:
        return [text]
    ends = [*starts[1:], len(text)]
    return [text[: starts[0]], *(text[start:end] for start, end in zip(starts, ends, strict=True))]


def _with_value(block: str, key: str, value: str) -> str:
    """The block with another value of a key. A key that is missing is added behind the last one."""
    written = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    line = re.compile(rf"""(?m)^[ \t]*{key}[ \t]*=[ \t]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')""")
    if line.search(block):
        return line.sub(lambda _: written, block, count=1)
    keys = list(re.finditer(r"(?m)^[ \t]*\w+[ \t]*=.*$", block))
    end = keys[-1].end()
    return f"{block[:end]}\n{written}{block[end:]}"


def _store(path: Path, text: str, expected: Sequence[Entry]) -> None:
    """Writes the text, if it means exactly what is expected."""
    try:
        means = _entries(text, path)
    except BadInput:
        means = ()
    if means != tuple(expected):
        raise BadInput(
            f"{path}: a value is written in a way that the laboratory cannot replace",
            'write each key on one line, as in key = "value"',
        )
    write_atomic(path, text.encode())
