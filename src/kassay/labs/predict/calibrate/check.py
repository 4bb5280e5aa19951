# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate NAME --check`: is a timing file of this machine, and does this machine still measure so?"""

from typing import NamedTuple

from kassay.errors import BadInput
from kassay.labs.predict.calibrate import machine as machines
from kassay.labs.predict.calibrate import privileged, program, samples
from kassay.labs.predict.calibrate.calibrate import compared, measure
from kassay.labs.predict.calibrate.derive import parameters_of
from kassay.labs.predict.calibrate.facts import Facts
from kassay.labs.predict.calibrate.points import groups
from kassay.labs.predict.timing import timing_for
from kassay.model.progress import Tell


class Checked(NamedTuple):
    """Result of measuring a calibrated machine again."""

    name: str
    """The file's own name."""
    compared: int
    """Number of parameters that were compared."""
    differing: list[tuple[str, float, float]]
    """Parameters that differ: name, the file's value, the value now."""


def check(name: str, tell: Tell) -> Checked:
    """Measures this machine, each probe once, and compares its parameters with those of its file.

    Raises BadInput for a file that was not calibrated, or on another machine than this one.
    """
    timing = timing_for(name)
    if timing.machine is None:
        raise BadInput(f"{name}: not written by kassay calibrate, so it belongs to no machine",
                       "kassay calibrate makes a file of this machine")  # fmt: skip
    host = machines.host_machine(program.run(("add_chain",), 1).hypervisor)
    wrong = [*machines.differences(timing.machine.cpuinfo, host.cpuinfo)]
    if timing.machine.hypervisor != host.hypervisor:
        wrong.append(f"hypervisor: {timing.machine.hypervisor or 'none'} in the file, {host.hypervisor or 'none'} here")
    if wrong:
        raise BadInput(
            f"{name}: calibrated on another machine: {'; '.join(wrong)}", "kassay calibrate makes a file of this one"
        )
    every = samples.quantities(measure(groups(), 1, (), None, tell))
    measured, _ = privileged.split_exits(every, hypervisor=bool(host.hypervisor))
    like = {key: quantity.value for key, quantity in timing.parameters.items()}
    estimates = parameters_of(Facts(measured, machines.caches(), like)).estimates
    return Checked(timing.name, len(estimates), compared(timing, estimates))
