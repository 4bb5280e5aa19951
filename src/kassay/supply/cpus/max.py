# SPDX-License-Identifier: GPL-2.0-only
"""Everything that the installed emulator supports: a different CPU with each version of QEMU."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="max",
    order=90,
    summary="every feature that the QEMU at hand can emulate; no real CPU",
    models={"x86_64": ("max",), "arm64": ("max,cntfrq=1000000000",)},
)
