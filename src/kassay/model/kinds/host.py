# SPDX-License-Identifier: GPL-2.0-only
"""host: the kernel that runs on this host, measured where it runs."""

from kassay.model.kinds import Kind
from kassay.supply.clocks import listed, measuring

_NATIVE = listed(name for name, clock in measuring().items() if clock.native)

KIND = Kind(
    name="host",
    order=40,
    grammar=f"host, the kernel that runs here (only with --clock {_NATIVE})",
    bare=True,
    native=True,
)
