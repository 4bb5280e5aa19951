# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 2: no fast short moves, no PCID, returns that must be untrained (Retbleed)."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="zen2",
    order=30,
    summary="AMD EPYC 7002, Rome, Zen 2 (2019)",
    models={"x86_64": ("EPYC-Rome-v2",)},
    identity=(("vendor_id", "AuthenticAMD"), ("cpu family", "23"), ("model", "49")),
    features=(
        "smap", "smep", "umip", "pdpe1gb", "fsgsbase", "rdpid", "rdtscp", "clflushopt", "clwb", "clzero", "wbnoinvd",
        "xsaves", "x2apic", "ibpb", "stibp", "ssbd",
    ),
)  # fmt: skip
