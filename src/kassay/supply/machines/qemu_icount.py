# SPDX-License-Identifier: GPL-2.0-only
"""QEMU, clock icount: instructions executed by an emulated CPU, exact on any host."""

from kassay.supply.machines._argv import Emulation
from kassay.supply.machines._qemu import Qemu

EMULATION = Emulation(
    accelerator="tcg",
    options=("-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"),
    clock_options=("-rtc", "base=2026-01-01,clock=vm"),
    one_cpu=True,
    still_halts=True,
    translated_mib=1024,
)
MACHINE = Qemu(
    "qemu_icount",
    "instructions executed by an emulated CPU, exact on any host",
    "icount",
    EMULATION,
)
