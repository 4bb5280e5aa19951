# SPDX-License-Identifier: GPL-2.0-only
"""The differing source lines of all kernels that an experiment compares."""

from kassay.model.experiment import labels
from kassay.model.lines import SourceChange
from kassay.model.question import Pairs
from kassay.plan.prepare import Prepared
from kassay.supply import kernels


def source_changes(prepared: Prepared, pairs: Pairs) -> tuple[SourceChange, ...]:
    """One entry for each pair of kernels that were built here from different sources. pairs: as a question has them."""
    names = labels(prepared.plan.experiment)
    changes = (
        kernels.source_change(prepared.artifacts[base], prepared.artifacts[head], (names[base], names[head]))
        for base, head in pairs
    )
    return tuple(change for change in changes if change is not None)
