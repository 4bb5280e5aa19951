# SPDX-License-Identifier: GPL-2.0-only
"""Paths of the author's machine, and their short names in a bundle."""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

import msgspec

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput
from kassay.model.kernel import parse_ref
from kassay.model.kinds import kinds
from kassay.model.plan import Plan
from kassay.model.program import ProgramUse

# Every directory of the cache that a machine is started with, wherever the cache was.
_CACHE = (
    r"(?:/[^\s,=:\"']*)?/kassay/(?=(?:build|guest|host|images|kernels|modules?|module-trees|plugin|probes|snapshots)/)"
)
_FRONT, _BEHIND = r"(?:(?<![\w.~/-])|(?<=-[IL]))", r"(?![\w-]|\.\w)"


class ShortNames:
    """Replaces paths by their last part, in texts and in the strings of JSON."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        for path in dict.fromkeys(paths):
            name = PurePath(path).name
            if "/" in path and name:
                self._names[path] = self._free(name)
        longest = sorted(self._names, key=len, reverse=True)
        paths_or_cache = [*(f"{_FRONT}{re.escape(path)}{_BEHIND}" for path in longest), _CACHE]
        self._pattern = re.compile("|".join(paths_or_cache))

    def _free(self, name: str) -> str:
        """The name, numbered if another path has it already."""
        taken, number, free = set(self._names.values()), 2, name
        while free in taken:
            free, number = f"{name}-{number}", number + 1
        return free

    def text(self, text: str) -> str:
        """The text with every path replaced; directories of the cache are below CACHE/."""
        return self._pattern.sub(lambda match: self._names.get(match[0], "CACHE/"), text)

    def json(self, data: bytes) -> bytes:
        """The JSON with every path replaced; the same bytes if it has none."""
        plain = msgspec.json.decode(data)
        changed = self._walk(plain)
        return data if changed == plain else msgspec.json.encode(changed)

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._walk(item) for item in value]
        if isinstance(value, Mapping):
            return {name: self._walk(item) for name, item in value.items()}
        return value


def short_names(plan: Plan, more: Iterable[str] = ()) -> ShortNames:
    """The names for all paths that the user gave. more: further paths."""
    return ShortNames((*_of_kernels(plan), *_of_programs(plan), *(plan.experiment.predict or ()), *more))


def _of_kernels(plan: Plan) -> Iterator[str]:
    refs = (*(use.ref for use in plan.experiment.kernels), *(use.name for use in plan.experiment.kernels))
    for text in refs:
        yield from paths_in(text)
    for kernel in plan.kernels:
        yield kernel.source.removeprefix("file ") if kernel.source.startswith("file ") else ""


def paths_in(ref: str) -> tuple[str, ...]:
    """Paths in a kernel reference, as they are and as they are written there; empty for any other text."""
    try:
        parsed = parse_ref(ref)
        return kinds()[parsed.kind].paths(parsed.locator)
    except BadInput:
        return ()


def _of_programs(plan: Plan) -> Iterator[str]:
    programs = (use.program for use in plan.experiment.workloads if isinstance(use.program, ProgramUse))
    for program in programs:
        words = (program.path, *program.files, *program.cflags, *program.link)
        yield from (re.sub(r"^-(?:I|L|isystem|include)=?", "", word) for word in words)


def rewrite_journal(path: Path, names: ShortNames, plans: tuple[str, str]) -> None:
    """Replaces the paths in a journal's records, and the id of its plan. plans: the old and the new one."""
    lines: list[bytes] = []
    for line in path.read_bytes().splitlines():
        payload = names.json(line.partition(b" ")[2])
        payload = payload if lines else payload.replace(plans[0].encode(), plans[1].encode())
        lines.append(b"%08x %s\n" % (zlib.crc32(payload), payload))
    path.write_bytes(b"".join(lines))


def rewrite(directory: Path, plan: Plan, files: Iterable[str]) -> ShortNames:
    """Replaces the paths in a copied run directory. plan: its plan. files: names of further JSON files in it."""
    present = [directory / name for name in files if (directory / name).is_file()]
    named = [msgspec.json.decode(file.read_bytes()) for file in present]
    more = (text for record in named for key in ("base", "source") if isinstance(text := record.get(key), str))
    names = short_names(plan, (path for text in more for path in (text, *paths_in(text))))
    before = (directory / "plan.json").read_bytes()
    after = names.json(before)
    (directory / "plan.json").write_bytes(after)
    for file in present:
        file.write_bytes(names.json(file.read_bytes()))
    rewrite_journal(directory / "journal.jsonl", names, (sha256_bytes(before), sha256_bytes(after)))
    return names
