# SPDX-License-Identifier: GPL-2.0-only
"""Machines: where a run happens. One file per backend."""

from kassay.errors import BadInput
from kassay.machines._backend import Ended, Job, Machine
from kassay.registry import discover

__all__ = ["Ended", "Job", "Machine", "machine_for", "machines"]


def machines() -> dict[str, Machine]:
    """Every backend by name."""
    return dict(discover("kassay.machines", "MACHINE", Machine))


def machine_for(clock: str) -> Machine:
    """The backend of a clock. Raises BadInput that lists the clocks there are."""
    for machine in machines().values():
        if machine.clock == clock:
            return machine
    raise BadInput(f"clock: unknown {clock!r}", f"known: {', '.join(sorted(m.clock for m in machines().values()))}")
