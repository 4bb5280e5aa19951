# SPDX-License-Identifier: GPL-2.0-only
"""Intel Cascade Lake: the core of Skylake-SP, without Meltdown."""

from kassay.supply.cpus import PAGE_TABLES, RETPOLINES_KEPT, Cpu

CPU = Cpu(
    name="cascadelake_sp",
    order=20,
    summary="Intel Xeon Scalable of the second generation, Cascade Lake (2019)",
    models={"x86_64": ("Cascadelake-Server-v5,stepping=7",)},
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "85"), ("stepping", "7")),
    features=(
        "erms", "smap", "smep", "pcid", "invpcid", "pku", "pdpe1gb", "fsgsbase", "rdtscp", "clflushopt", "clwb",
        "xsaves", "x2apic", "tsc_deadline_timer", "ibrs", "ibrs_enhanced", "ibpb", "stibp", "ssbd", "md_clear",
        "arch_capabilities", "avx512f",
    ),
    needless=(PAGE_TABLES, RETPOLINES_KEPT),
)  # fmt: skip
