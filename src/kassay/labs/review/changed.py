# SPDX-License-Identifier: GPL-2.0-only
"""Functions that a series changes, and by which of its patches, read from the sources alone."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from kassay.supply.building import git
from kassay.supply.building.changes import function_at
from kassay.supply.building.hunks import hunks_of
from kassay.supply.building.patches import Patch, steps


def functions_by_patch(base: str, patches: Sequence[Patch]) -> Mapping[int, tuple[str, ...]]:
    """By the number of a patch the functions that it changes. base: the tree before the series."""
    pairs = pairwise(steps(base, patches))
    return {number: changed_functions(before, after) for number, (before, after) in enumerate(pairs, 1)}


def changed_functions(base: str, head: str) -> tuple[str, ...]:
    """Functions of C files that differ between two trees, in the order of the diff."""
    diff = git.git(("diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-color", "--no-ext-diff", base, head))
    texts: dict[tuple[str, str], Sequence[str]] = {}
    found: dict[str, None] = {}
    for file, hunk in hunks_of(diff):
        side, span = (head, hunk.new) if hunk.new[1] else (base, hunk.old)
        if (side, file.path) not in texts:
            texts[side, file.path] = (git.read(side, file.path) or "").split("\n")
        for line in range(span[0], span[0] + span[1]):
            if function := function_at(texts[side, file.path], line):
                found[function] = None
    return tuple(found)
