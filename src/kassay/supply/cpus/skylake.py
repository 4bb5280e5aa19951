# SPDX-License-Identifier: GPL-2.0-only
"""Intel Skylake: a client CPU with PTI, four levels of page tables, no AVX-512."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="skylake",
    order=26,
    summary="Intel Core of the sixth generation, Skylake (2015)",
    models={"x86_64": ("Skylake-Client-v4", "Skylake-Client-v3")},
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "94")),
    features=(
        "erms", "smap", "smep", "pcid", "invpcid", "pdpe1gb", "fsgsbase", "rdtscp", "clflushopt", "xsaves", "x2apic",
        "tsc_deadline_timer", "ibrs", "ibpb", "stibp", "ssbd", "md_clear",
    ),
)  # fmt: skip
