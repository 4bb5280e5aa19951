# SPDX-License-Identifier: GPL-2.0-only
"""QEMU, clock kvm: wall time in a virtual machine."""

from kassay.supply.arches import arches
from kassay.supply.machines._argv import Emulation
from kassay.supply.machines._qemu import qemu_machine

EMULATION = Emulation(accelerator="kvm", options=("-accel", "kvm"), cpu="host")
MACHINE = qemu_machine(
    "qemu_kvm",
    "wall time in a virtual machine",
    "kvm",
    EMULATION,
    arch_names=[name for name, arch in arches().items() if arch.qemu.kvm],
    device="/dev/kvm",
    remedy="use --clock icount (the default) or --clock tcg, or a host with working virtualisation",
)
