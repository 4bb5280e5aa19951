# SPDX-License-Identifier: GPL-2.0-only
"""Debian's version order, and the choice of a version by a reference."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from kassay.errors import BadInput, HostLacks
from kassay.supply.archive.apt import UnreadSuite, unread_lines

_Part: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]
VersionKey: TypeAlias = tuple[int, _Part, _Part]


def version_key(version: str) -> VersionKey:
    """Sorts like `dpkg --compare-versions` (Debian policy 5.6.12): "~" is before the end, letters before the rest.

    Version of python-debian 1.1.1 was tried and refused. It gives the same order in three times the time, which delays
    completion in the shell, and raises ValueError for a version that the policy does not allow.
    """
    epoch, colon, rest = version.partition(":")
    if not colon or not epoch.isdigit():
        epoch, rest = "0", version
    upstream, dash, revision = rest.rpartition("-")
    return int(epoch), _part(upstream if dash else rest), _part(revision if dash else "")


def _part(text: str) -> _Part:
    """Words and numbers in turn, and what an ended text counts as; an empty text counts as "0"."""
    pairs = re.findall(r"([^0-9]*)([0-9]*)", text or "0")[:-1]
    return (*((_order(word), int(digits or 0)) for word, digits in pairs), ((0,), 0))


def _order(word: str) -> tuple[int, ...]:
    return (*(-1 if c == "~" else ord(c) if c.isascii() and c.isalpha() else ord(c) + 256 for c in word), 0)


def upstream_of(version: str) -> str:
    """The kernel's own version inside a package's: "6.17.8-1~bpo13+1" -> "6.17.8", "7.3~rc7-1~exp1" -> "7.3~rc7"."""
    rest = version.partition(":")[2] or version
    return rest.rpartition("-")[0] or rest


def series_of(version: str) -> str:
    """ "6.17.8-1~bpo13+1" -> "6.17"."""
    match = re.match(r"\d+\.\d+", upstream_of(version))
    return match.group() if match else upstream_of(version)


def is_exact(locator: str) -> bool:
    """True if a locator names one kernel version (6.17.8, 7.3-rc7, 6.17.8-1), False for a series (6.17)."""
    return re.fullmatch(r"\d+\.\d+", locator) is None


def choose(locator: str, versions: Iterable[str]) -> str | None:
    """The newest package version that `locator` names, or None.

    A full package version ("6.12.90-2") names itself, a kernel version all revisions of
    it, a series ("6.17") every kernel of the series, release candidates last.
    """
    wanted = re.sub(r"-(rc\d+)", r"~\1", locator)
    matching = [v for v in versions if wanted in (v, upstream_of(v))]
    if not is_exact(wanted):
        matching = [v for v in versions if series_of(v) == wanted]
    return max(matching, key=version_key, default=None)


def unknown_version(
    ref: str, locator: str, what: str, versions: Iterable[str], unread: Sequence[UnreadSuite] = ()
) -> BadInput | HostLacks:
    """The error for a version that is in no list: it names every version of its series, else every series.

    HostLacks when a suite was refused, which may have it; then, and where the mirror lacks a suite, it names that too.
    What begins with no digit is in no suite.
    """
    ordered = sorted(set(versions), key=version_key)
    same = dict.fromkeys(upstream_of(v) for v in ordered if series_of(v) == series_of(locator))
    if same:
        remedy = f"of {series_of(locator)} it has {', '.join(same)}"
    else:
        remedy = f"series it has: {', '.join(dict.fromkeys(map(series_of, ordered))) or 'none'}"
    text = f"kernel {ref!r}: the archive has no {what} of this version{unread_lines(unread)}"
    if locator[:1].isdigit() and any(suite.reason for suite in unread):
        return HostLacks(text, f"{remedy}; `kassay kernels list --refresh` tries again")
    return BadInput(text, remedy)
