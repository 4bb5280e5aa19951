# SPDX-License-Identifier: GPL-2.0-only
"""kassay doctor: what this host can do, tried for real, and what to install for the rest."""

from typing import Annotated

from typer import Option

from kassay.commands import Command
from kassay.supply.arches import arch_of, arches
from kassay.supply.clocks import listed


def _doctor(arch: Annotated[str, Option(metavar="ARCH", help=f"Architecture: {listed(arches())}.")] = "x86_64") -> int:
    """Check what this host can measure, and what is missing.

    Every machine and tool is tried for real. A KVM that opens but cannot run a kernel is "not usable". The last line is
    one command that installs what is missing, in the words of this host's distribution.
    """

    arch_of(arch)
    from kassay.commands._doctor_probes import missing_packages, probes, show
    from kassay.commands._show import showing

    with showing() as tell:
        results = probes(arch, tell)
    show(results, missing_packages(arch, results))
    return 0


COMMAND = Command(name="doctor", order=60, run=_doctor)
