# SPDX-License-Identifier: GPL-2.0-only
"""People, lists and trees that a MAINTAINERS file names for files, as scripts/get_maintainer.pl does without git.

Sections with deeper patterns come first. The script leaves the order of equal ones open; here it is that of the file.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LINE = re.compile(r"([A-Z]):\s*(.*)")
_CHIEF = "Linus Torvalds <torvalds@linux-foundation.org>"
_WITH_NAME = re.compile(r"([^<]+)<(.+@.*)>")
_BARE = re.compile(r"\s*<?([^<>]+@[^\s<>]*)>?")
_PLAIN = re.compile(r"[A-Za-z0-9_ -]*")
_UNESCAPED = re.compile(r'(?<!\\)"')
_MAPPED = re.compile(r"([^<]*)<([^>]+)>\s*(?:([^<]*)<([^>]+)>)?")
_EVERYWHERE = (".*", "(?:.*)")


class _Section(NamedTuple):
    """One entry of the file: its lines as (letter, value)."""

    lines: tuple[tuple[str, str], ...]

    def values(self, *letters: str) -> Iterator[tuple[str, str]]:
        return ((letter, value) for letter, value in self.lines if letter in letters)

    def depth(self, file: str) -> int | None:
        """Directories of the last pattern that matches; None if the section is not about the file."""
        depth = None
        if any(_matches(_regex(value), file) for _, value in self.values("X")):
            return None
        for letter, value in self.values("F", "N"):
            if letter == "F" and _may_match(value, file) and _matches(_regex(value, file), file):
                pattern = _regex(value, file)
                is_directory = pattern.endswith("/")
                depth = -1 if pattern.startswith(_EVERYWHERE) else pattern.count("/") + (not is_directory)
            elif letter == "N" and _searched(value, file):
                depth = 0
        return depth


class Maintainers:
    """A MAINTAINERS file, read."""

    def __init__(self, text: str, mailmap: str = "") -> None:
        """mailmap: text of .mailmap, by which people are called by their present names and addresses."""
        self._sections = tuple(_sections(text))
        self._names, self._addresses = _read_mailmap(mailmap)

    def recipients(self, files: Iterable[str]) -> tuple[str, ...]:
        """ "Name <address>" of maintainers and reviewers, then addresses of lists. The chief penguin is left out."""
        people: list[str] = []
        lists: dict[str, str] = {}
        used: set[str] = set()
        for section in self._of(files):
            for letter, value in section.values("M", "R", "L"):
                if letter == "L":
                    address, _, remark = value.partition(" ")
                    if "subscribers-only" not in remark:
                        lists.setdefault(address.lower(), address)
                    continue
                name, address = _parsed(value)
                if address and not {name.lower(), address.lower()} & used:
                    people.append(_formatted(name, address))
                used |= {name.lower(), address.lower()} - {""}
        mapped = self._without_duplicates((*people, *lists.values()))
        return tuple(dict.fromkeys(one for one in mapped if one != _CHIEF))

    def trees(self, files: Iterable[str]) -> tuple[str, ...]:
        """ "URL" or "URL BRANCH" of each git tree for these files."""
        values = (value.split() for section in self._of(files) for _, value in section.values("T"))
        return tuple(dict.fromkeys(" ".join(words[1:3]) for words in values if words[0] == "git"))

    def _of(self, files: Iterable[str]) -> Iterator[_Section]:
        """The sections of each file in turn, deepest first."""
        for file in sorted(set(files)):
            depths = ((section, section.depth(file)) for section in self._sections)
            found = [(section, depth) for section, depth in depths if depth is not None]
            yield from (section for section, _ in sorted(found, key=lambda pair: -pair[1]))

    def _without_duplicates(self, people: Iterable[str]) -> Iterator[str]:
        """Each by the first name and address under which he or she is known."""
        by_name: dict[str, tuple[str, str]] = {}
        by_address: dict[str, tuple[str, str]] = {}
        for person in people:
            name, address = _parsed(self._mapped(*_parsed(person)))
            known = (by_name.get(name.lower()) if name else None) or by_address.get(address.lower())
            if known is None:
                by_name[name.lower()] = by_address[address.lower()] = name, address
            yield self._mapped(*(known or (name, address)))

    def _mapped(self, name: str, address: str) -> str:
        whole = _formatted(name, address)
        key = whole if whole in self._names or whole in self._addresses else address
        return _formatted(self._names.get(key, name), self._addresses.get(key, address))


def _sections(text: str) -> Iterator[_Section]:
    lines: list[tuple[str, str]] = []
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            lines.append((match[1], match[2]))
        elif line.strip() and not line.lstrip().startswith("#"):  # the title of the next entry
            if lines:
                yield _Section(tuple(lines))
            lines = []
    if lines:
        yield _Section(tuple(lines))


def _may_match(pattern: str, file: str) -> bool:
    """False if the words before the first wildcard differ: most patterns are refused here."""
    return file.startswith(re.split(r"[*?\[]", pattern, maxsplit=1)[0])


def _regex(pattern: str, file: str = "") -> str:
    """The pattern as a regular expression; a directory that holds the file ends with a slash."""
    if file.startswith(f"{pattern}/"):
        pattern = f"{pattern}/"
    pattern = pattern.replace(".", r"\.").replace("**", "\0").replace("*", ".*").replace("?", ".")
    return pattern.replace("\0", "(?:.*)")


def _matches(pattern: str, file: str) -> bool:
    """ "mm/" is the directory with all below, "mm/*" only its own files, "mm/**" both."""
    same_depth = pattern.endswith("/") or "(?:" in pattern or pattern.count("/") == file.count("/")
    return same_depth and _searched(f"^{pattern}", file)


def _searched(pattern: str, file: str) -> bool:
    try:
        return bool(re.search(pattern, file, re.VERBOSE if not pattern.startswith("^") else 0))
    except re.error:  # of Perl alone
        return False


def _parsed(text: str) -> tuple[str, str]:
    """(name, address)."""
    if match := _WITH_NAME.match(text):
        return _quoted(match[1].strip().strip('"')), match[2].strip()
    match = _BARE.match(text)
    return "", match[1].strip() if match else ""


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + _UNESCAPED.sub(r'\\"', name) + '"'


def _formatted(name: str, address: str) -> str:
    return f"{name} <{address}>" if name else address


def _read_mailmap(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """(real name, real address), each by "Name <address>" or by address."""
    names: dict[str, str] = {}
    addresses: dict[str, str] = {}
    for line in text.splitlines():
        match = _MAPPED.fullmatch(line.partition("#")[0].strip())
        if match is None:
            continue
        name, address, wrong_name, wrong = (part.strip() for part in match.groups(default=""))
        key = _formatted(_quoted(wrong_name), wrong) if wrong_name else wrong or address
        if name:
            names[key] = _quoted(name)
        if wrong:
            addresses[key] = address
    return names, addresses
