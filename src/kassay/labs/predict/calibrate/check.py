# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate NAME --check`: is a timing file of this machine, and does this machine still measure so?"""

from typing import NamedTuple

from kassay.errors import BadInput
from kassay.labs.predict.calibrate import machine as machines
from kassay.labs.predict.calibrate import others, program
from kassay.labs.predict.calibrate.calibrate import compared, estimates_of, measure
from kassay.labs.predict.calibrate.points import groups
from kassay.labs.predict.timing import timing_for
from kassay.model.progress import Tell


class Checked(NamedTuple):
    """Result of measuring a calibrated machine again."""

    name: str
    """The file's own name."""
    compared: int
    """Number of values that were compared: the clock, parameters, costs of system instructions."""
    differing: list[tuple[str, float, float]]
    """Values that differ: name, the file's, the one now."""
    others: float = 0.0
    """Number of CPUs that other programs, or other guests, used on average meanwhile."""


def check(name: str, tell: Tell) -> Checked:
    """Measures this machine, each probe once, and compares its values with those of its file.

    Raises BadInput for a file that was not calibrated, or on another machine than this one.
    """
    timing = timing_for(name)
    if timing.machine is None:
        raise BadInput(f"{name}: not written by kassay calibrate, so it belongs to no machine",
                       "kassay calibrate makes a file of this machine")  # fmt: skip
    host = machines.host_machine(program.run(("add_chain",), 1).hypervisor)
    if wrong := [*machines.differences_of(timing.machine, host)]:
        raise BadInput(
            f"{name}: calibrated on another machine: {'; '.join(wrong)}", "kassay calibrate makes a file of this one"
        )
    began = others.now()
    recorded = measure(groups(), 1, (), None, tell)
    used = others.cpus_since(began)
    estimates = estimates_of(timing, recorded, hypervisor=bool(host.hypervisor))
    return Checked(timing.name, len(estimates), compared(timing, estimates), used)
