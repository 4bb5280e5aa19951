# SPDX-License-Identifier: GPL-2.0-only
"""Intel Skylake-SP: affected by Meltdown, so that the kernel has page tables of its own (PTI)."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="skylake_sp",
    order=20,
    summary="Intel Xeon Scalable of the first generation, Skylake-SP (2017)",
    models={"x86_64": ("Skylake-Server-v4",)},
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "85")),
    features=(
        "erms", "smap", "smep", "pcid", "invpcid", "pku", "pdpe1gb", "fsgsbase", "rdtscp", "clflushopt", "clwb",
        "xsaves", "x2apic", "tsc_deadline_timer", "ibrs", "ibpb", "stibp", "ssbd", "md_clear", "avx512f",
    ),
)  # fmt: skip
