# SPDX-License-Identifier: GPL-2.0-only
"""Which run carries which profile."""

from kassay.clocks import clock_of
from kassay.model.experiment import Experiment
from kassay.model.plan import PlannedRun


def profile_of(experiment: Experiment, run: PlannedRun) -> str | None:
    """A word of model/profile.MODES, None for no profile.

    Under "auto" the first plain run of a cell carries call stacks, all others counts: that plain runs
    agree to the digit then shows, too, that what the plugin does leaves no trace in the guest.
    """
    asked, clock = experiment.profile, clock_of(experiment.clock)
    if asked == "auto" and clock.exact and max(experiment.cpus) <= clock.profile_cpus:
        return "stacks" if run.repeat == 0 else "counts"
    return None if asked in ("auto", "none") else asked
