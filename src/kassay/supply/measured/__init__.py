# SPDX-License-Identifier: GPL-2.0-only
"""The subject of an experiment: a workload of kassay, a program of the user, or an application of the archive.

A class each, with everything in which it differs from the other two: how it is described, built, started and checked.
"""

from collections.abc import Mapping, Sequence

from kassay.model.experiment import WorkloadUse
from kassay.supply.applications import is_application
from kassay.supply.measured._application import MeasuredApplication
from kassay.supply.measured._interface import Archive, Measured
from kassay.supply.measured._program import MeasuredProgram
from kassay.supply.measured._workload import MeasuredWorkload

__all__ = ["Archive", "Measured", "measured_by_name", "measured_of"]


def measured_of(use: WorkloadUse) -> Measured:
    """The subject that a use names. Raises BadInput for an application whose file is wrong."""
    if use.program:
        return (MeasuredApplication if use.program.application else MeasuredProgram)(use)
    return (MeasuredApplication if is_application(use.name) else MeasuredWorkload)(use)


def measured_by_name(uses: Sequence[WorkloadUse]) -> Mapping[str, Measured]:
    """The subjects of the uses, in their order. A workload that is used twice appears once."""
    return {use.name: measured_of(use) for use in uses}
