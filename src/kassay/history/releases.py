# SPDX-License-Identifier: GPL-2.0-only
"""Kernel releases in the order in which they were made."""

import re
from functools import cache

_RELEASE = re.compile(
    r"(?:v|linux-)?(?P<major>\d{1,4})\.(?P<minor>\d{1,6})(?:\.(?P<patch>\d{1,6}))?(?:[-~]?rc(?P<rc>\d{1,3}))?(?P<rest>.*)"
)
_NEXT = re.compile(r"next-(\d{8})")
_COMMITS = re.compile(r"-(\d{1,7})-g[0-9a-f]{6,40}")
_FINAL = 1 << 20

Order = tuple[int, ...]


@cache
def release_order(release: str | None) -> Order | None:
    """A key that sorts releases as they came: 6.16.12 < 6.17-rc2 < 6.17-rc10 < 6.17 < 6.17.1. None: not a release.

    Of a candidate "6.17.0-rc3" means what "6.17-rc3" does. Commits on top ("-00123-gabcdef") and linux-next's
    date come after what they stand on.
    """
    match = _RELEASE.match(release or "")
    if match is None:
        return None
    patch, candidate = int(match["patch"] or 0), int(match["rc"]) if match["rc"] else _FINAL
    rest = match["rest"]
    dated, ahead = _NEXT.search(rest), _COMMITS.search(rest)
    tail = (int(dated[1]) if dated else 0, int(ahead[1]) if ahead else 0)
    return int(match["major"]), int(match["minor"]), patch, candidate, *tail
