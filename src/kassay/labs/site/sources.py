# SPDX-License-Identifier: GPL-2.0-only
"""Files and people of the functions in a history, kept in the history itself: a site is then made without sources."""

from collections.abc import Iterable, Mapping

from kassay.model.progress import Tell
from kassay.model.records import Record, from_json, to_json
from kassay.supply.building.source import releases_at_hand
from kassay.supply.building.source_index import index_of
from kassay.tools.history.archive import Archive

_NAME = "sources"
"""Row of the table `about`."""


class SourceNames(Record, frozen=True, kw_only=True):
    """Source files of functions, and the people whom MAINTAINERS names, by the sources of one release."""

    release: str = ""
    functions: int = 0
    """Number of functions that were looked up."""
    files: Mapping[str, str] = {}
    """File of each function that one file alone may define."""
    people: Mapping[str, tuple[str, ...]] = {}
    """People and lists of each file."""

    def recipients(self, functions: Iterable[str]) -> tuple[str, ...]:
        """People and lists for the files of these functions, each once."""
        files = dict.fromkeys(self.files[name] for name in functions if name in self.files)
        return tuple(dict.fromkeys(person for file in files for person in self.people.get(file, ())))


def remember_sources(archive: Archive, tell: Tell) -> None:
    """Stores the names for all functions of the history, by the newest sources on this host. Without sources, what the
    history has stays."""
    functions = [name for (name,) in archive.rows("SELECT DISTINCT function FROM t_functions ORDER BY function")]
    releases = releases_at_hand()
    if not functions or not releases:
        return
    release = next(iter(releases))
    known = source_names(archive)
    if (known.release, known.functions) == (release, len(functions)):
        return
    index = index_of(releases[release], tell)
    found = {name: index.files_of(name) for name in functions}
    files = {name: where[0] for name, where in found.items() if len(where) == 1}
    people = {file: index.recipients([file]) for file in sorted(set(files.values()))}
    archive.run("DELETE FROM about WHERE name = ?", [_NAME])
    names = SourceNames(release=release, functions=len(functions), files=files, people=people)
    archive.run("INSERT INTO about VALUES (?, ?)", [_NAME, to_json(names).decode()])


def source_names(archive: Archive) -> SourceNames:
    """The names that the history has; empty if it has none."""
    rows = archive.rows("SELECT value FROM about WHERE name = ?", [_NAME])
    return from_json(rows[0][0], SourceNames) if rows else SourceNames()
