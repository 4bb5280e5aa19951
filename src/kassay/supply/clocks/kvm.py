# SPDX-License-Identifier: GPL-2.0-only
"""kvm: wall time in a virtual machine."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="kvm",
    order=30,
    scope="time in a virtual machine",
    limits=("Exits to the hypervisor are part of the time.",),
    meaning="This is time in a virtual machine.",
    mechanism="Clock: the guest's own, under KVM.",
    where="in a virtual machine",
)
