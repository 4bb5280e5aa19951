# SPDX-License-Identifier: GPL-2.0-only
"""Patches of a series that are not those of its earlier version."""

from collections.abc import Sequence

from kassay.supply.building.hunks import parse
from kassay.supply.building.patches import Patch


def changed_since(before: Sequence[Patch], after: Sequence[Patch]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """(numbers of the patches of `after` that `before` does not have, subjects of `before` that `after` lacks).

    Two patches are the same if they change the same lines, wherever these are in the files.
    """
    known, kept = {_lines(patch) for patch in before}, {_lines(patch) for patch in after}
    changed = tuple(number for number, patch in enumerate(after, 1) if _lines(patch) not in known)
    subjects = {patch.subject for patch in after}
    dropped = tuple(one.subject for one in before if _lines(one) not in kept and one.subject not in subjects)
    return changed, dropped


def _lines(patch: Patch) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The hunks without their places, each with its file."""
    return tuple((file.path, hunk.lines) for file in parse(patch.text) for hunk in file.hunks)
