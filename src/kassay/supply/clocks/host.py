# SPDX-License-Identifier: GPL-2.0-only
"""host: wall time on this machine and the kernel that runs here."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="host",
    order=40,
    scope="time on this machine",
    native=True,
    limits=("Other work on this machine is part of the time.",),
    meaning="This is time on the machine itself.",
    mechanism="Clock: this machine's own, no virtual machine.",
    where="on the machine itself",
)
