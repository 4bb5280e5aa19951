# SPDX-License-Identifier: GPL-2.0-only
"""QEMU, clock tcg: wall time of an emulated machine; screening only."""

from kassay.supply.machines._argv import Emulation
from kassay.supply.machines._qemu import qemu_machine

EMULATION = Emulation(accelerator="tcg", options=("-accel", "tcg"), emulated_time=True)
MACHINE = qemu_machine(
    "qemu_tcg",
    "wall time of an emulated machine; screening only",
    "tcg",
    EMULATION,
)
