# SPDX-License-Identifier: GPL-2.0-only
"""QEMU, clock icount: instructions executed by an emulated CPU, exact on any host."""

from kassay.machines._qemu import qemu_machine

MACHINE = qemu_machine(
    "qemu_icount", "instructions executed by an emulated CPU, exact on any host", "icount", exclusive=False
)
