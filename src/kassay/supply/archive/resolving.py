# SPDX-License-Identifier: GPL-2.0-only
"""Dependencies of packages of one suite, on a host without apt.

As apt would install them on an empty system, without recommended packages: of alternatives the first that the suite
can meet is taken, unless another is chosen already. Conflicts are not looked at: what is chosen is unpacked and not
installed.
"""

import operator
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.supply.archive import apt as _apt
from kassay.supply.archive.index import quoted, stanzas
from kassay.supply.archive.mirrors import Mirrors
from kassay.supply.archive.versions import version_key

_STANZA = re.compile(rb"^Package: .*?(?:\n\n|\Z)", re.M | re.S)
_RELATION = re.compile(r"([a-z0-9][a-z0-9+.-]*)(?::\w+)?(?: \((<<|<=|=|>=|>>) ([^)]+)\))?")
_HOLDS = {"<<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">>": operator.gt}


class Listed(NamedTuple):
    """A package of a list."""

    name: str
    version: str
    uri: str
    path: str
    """Path below the mirror's address, as the list writes it."""
    size_bytes: int
    sha256: str
    depends: str
    provides: str


class _Relation(NamedTuple):
    name: str
    holds: str
    version: str


class Suite:
    """The packages of one suite, by the lists of a root."""

    @property
    def names(self) -> Set[str]:
        """Names of all its packages."""
        return self._packages.keys()

    def __init__(self, root: _apt.AptRoot, mirrors: Mirrors, suite: str) -> None:
        self._suite = suite
        self._packages: dict[str, Listed] = {}
        for listed in _apt.package_lists(root, mirrors):
            for text in stanzas(root, listed, _STANZA) if listed.suite == suite else ():
                package = _listed(text, listed.uri)
                known = self._packages.get(package.name)
                if known is None or version_key(known.version) < version_key(package.version):
                    self._packages[package.name] = package
        self._providers: dict[str, list[tuple[Listed, str]]] = {}
        for package in self._packages.values():
            for one in _relations(package.provides):
                self._providers.setdefault(one.name, []).append((package, one.version))

    def closure(self, names: Sequence[str]) -> tuple[Listed, ...]:
        """The packages and all that they depend on. Raises BadInput if the suite lacks one of them."""
        chosen: dict[str, Listed] = {}
        provided: dict[str, list[str]] = {}
        left = [(name, "") for name in reversed(names)]
        while left:
            text, asked_by = left.pop()
            choices = [_relation(part) for part in text.split("|")]
            if any(_met(choice, chosen, provided) for choice in choices):
                continue
            package = next((found for choice in choices for found in self._found(choice)), None)
            if package is None:
                unmet = f"{asked_by} : Depends: {text}" if asked_by else f"there is no {text}"
                raise BadInput(f"the packages cannot be resolved in {self._suite}: {unmet}", "name others")
            chosen[package.name] = package
            for one in _relations(package.provides):
                provided.setdefault(one.name, []).append(one.version)
            left += [(clause, package.name) for clause in reversed(_clauses(package.depends))]
        return tuple(chosen.values())

    def _found(self, wanted: _Relation) -> Iterator[Listed]:
        """Packages that meet a relation; the one with this name first."""
        own = self._packages.get(wanted.name)
        if own is not None and _holds(wanted, own.version):
            yield own
        for package, version in self._providers.get(wanted.name, ()):
            if _holds(wanted, version):
                yield package


def _listed(text: str, uri: str) -> Listed:
    fields = dict(line.partition(": ")[::2] for line in text.splitlines() if line[:1].strip())
    depends = ", ".join(filter(None, (fields.get("Pre-Depends"), fields.get("Depends"))))
    path = fields.get("Filename", "")
    return Listed(
        fields["Package"], fields.get("Version", ""), f"{uri.rstrip('/')}/{quoted(path)}", path,
        int(fields.get("Size", "0")), fields.get("SHA256", ""), depends, fields.get("Provides", ""),
    )  # fmt: skip


def _clauses(depends: str) -> list[str]:
    return [clause.strip() for clause in depends.split(",") if clause.strip()]


def _relations(text: str) -> Iterator[_Relation]:
    return map(_relation, _clauses(text))


def _relation(text: str) -> _Relation:
    match = _RELATION.fullmatch(text.strip())
    return _Relation(match[1], match[2] or "", match[3] or "") if match else _Relation(text.strip(), "", "")


def _met(wanted: _Relation, chosen: Mapping[str, Listed], provided: Mapping[str, Sequence[str]]) -> bool:
    own = chosen.get(wanted.name)
    versions = [*provided.get(wanted.name, ()), *([own.version] if own else ())]
    return any(_holds(wanted, version) for version in versions)


def _holds(wanted: _Relation, version: str) -> bool:
    """True if the version meets the relation. A provided name without a version meets only a relation without one."""
    if not wanted.holds:
        return True
    return bool(version) and bool(_HOLDS[wanted.holds](version_key(version), version_key(wanted.version)))
