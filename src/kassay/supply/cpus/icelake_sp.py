# SPDX-License-Identifier: GPL-2.0-only
"""Intel Ice Lake-SP: short string moves (FSRM), five levels of page tables, not affected by Meltdown."""

from kassay.supply.cpus import PAGE_TABLES, RETPOLINES_KEPT, Cpu

CPU = Cpu(
    name="icelake_sp",
    order=21,
    summary="Intel Xeon Scalable of the third generation, Ice Lake-SP (2021)",
    models={"x86_64": ("Icelake-Server-v6", "Icelake-Server-v5")},
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "106")),
    features=(
        "erms", "fsrm", "smap", "smep", "umip", "pcid", "invpcid", "pku", "la57", "pdpe1gb", "fsgsbase", "rdpid",
        "rdtscp", "clflushopt", "clwb", "xsaves", "x2apic", "tsc_deadline_timer", "ibrs", "ibrs_enhanced", "ibpb",
        "stibp", "ssbd", "md_clear", "arch_capabilities", "avx512f",
    ),
    needless=(PAGE_TABLES, RETPOLINES_KEPT),
)  # fmt: skip
