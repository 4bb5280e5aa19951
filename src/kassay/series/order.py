# SPDX-License-Identifier: GPL-2.0-only
"""In which order trees are built so that little is built twice: always the nearest next."""

from collections.abc import Callable, Sequence

Changed = Callable[[str, str], Sequence[str]]

# A header pulls in what includes it. Of 7.3's lab configuration a change to mm/internal.h rebuilds some 40 files,
# one to a header under include/ some hundreds: guesses of this size decide better than counting each file once.
_HEADER, _COMMON_HEADER, _BUILD_FILE = 40, 400, 400


def nearest_first(trees: Sequence[str], changed: Changed) -> tuple[str, ...]:
    """The trees, from the first on always to the one that the fewest rebuilt files lead to. changed: paths that differ
    between two."""
    left = list(dict.fromkeys(trees))
    ordered = left[:1]
    while len(ordered) < len(left):
        here = ordered[-1]
        others = [tree for tree in left if tree not in ordered]
        ordered.append(min(others, key=lambda tree: cost(changed(here, tree))))
    return tuple(ordered)


def cost(paths: Sequence[str]) -> int:
    """About how many files a change of these rebuilds."""
    return sum(_weight(path) for path in paths)


def _weight(path: str) -> int:
    if path.endswith(".h"):
        return _COMMON_HEADER if path.startswith("include/") or "/include/" in path else _HEADER
    name = path.rpartition("/")[2]
    if name.startswith(("Makefile", "Kconfig", "Kbuild")):
        return _BUILD_FILE
    return 1 if path.endswith((".c", ".S")) else 0
