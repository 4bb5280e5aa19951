# SPDX-License-Identifier: GPL-2.0-only
"""QEMU, clock kvm: wall time in a virtual machine."""

from kassay.machines._qemu import qemu_machine

MACHINE = qemu_machine("qemu_kvm", "wall time in a virtual machine", "kvm", exclusive=True)
