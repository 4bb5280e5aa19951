# SPDX-License-Identifier: GPL-2.0-only
"""Differences between the sources of two kernels that were built here."""

from pathlib import Path

from kassay.model.kernel import KernelArtifact
from kassay.model.lines import SourceChange
from kassay.supply.building import changes, git


def source_change(base: KernelArtifact, head: KernelArtifact, labels: tuple[str, str]) -> SourceChange | None:
    """The difference between the sources of two kernels; None unless both were built here, from other sources.

    labels: of the two kernels in the experiment.
    """
    builds = base.identity.build, head.identity.build
    if builds[0] is None or builds[1] is None or builds[0].tree == builds[1].tree:
        return None
    trees = builds[0].tree, builds[1].tree
    if not all(map(git.has_tree, trees)):
        return None
    if base.lines is None or head.lines is None:
        return SourceChange(base=labels[0], head=labels[1], absent="no-line-tables")
    try:
        parts, hunks = changes.parts(*trees, Path(base.lines), Path(head.lines))
    except changes.TooMany:
        return SourceChange(base=labels[0], head=labels[1], absent="too-many")
    return SourceChange(base=labels[0], head=labels[1], parts=parts, hunks=hunks)
