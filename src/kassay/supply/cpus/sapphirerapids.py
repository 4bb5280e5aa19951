# SPDX-License-Identifier: GPL-2.0-only
"""Intel Sapphire Rapids: a server CPU with FSRM, AVX-512 and five levels of page tables."""

from kassay.supply.cpus import PAGE_TABLES, RETPOLINES, THUNKS, Cpu

CPU = Cpu(
    name="sapphirerapids",
    order=23,
    summary="Intel Xeon of the fourth generation, Sapphire Rapids (2023)",
    # Older QEMUs have no model of it: Ice Lake with its numbers.
    models={
        "x86_64": (
            "SapphireRapids-v2,stepping=8",
            "Icelake-Server-v5,model=143,stepping=8,+rdpid,+serialize,+movdiri,+movdir64b,"
            "model-id=Intel Xeon (Sapphire Rapids)",
        )
    },
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "143")),
    features=(
        "erms", "fsrm", "smap", "smep", "umip", "pcid", "invpcid", "pku", "la57", "pdpe1gb", "fsgsbase", "rdpid",
        "rdtscp", "clflushopt", "clwb", "wbnoinvd", "xsaves", "x2apic", "tsc_deadline_timer", "serialize", "ibt",
        "ibrs", "ibrs_enhanced", "ibpb", "stibp", "ssbd", "arch_capabilities", "avx512f",
    ),
    hidden=("fsrs",),
    needless=(PAGE_TABLES, RETPOLINES, THUNKS),
)  # fmt: skip
