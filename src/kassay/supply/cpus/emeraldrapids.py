# SPDX-License-Identifier: GPL-2.0-only
"""Intel Emerald Rapids: a server CPU with FSRM, AVX-512 and five levels of page tables."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="emeraldrapids",
    order=23,
    summary="Intel Xeon of the fifth generation, Emerald Rapids (2023)",
    # Older QEMUs have no model of it: Ice Lake with its numbers.
    models={
        "x86_64": (
            "SapphireRapids-v2,model=207,stepping=2",
            "Icelake-Server-v5,model=207,stepping=2,+rdpid,+serialize,+movdiri,+movdir64b,"
            "model-id=Intel Xeon (Emerald Rapids)",
        )
    },
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "207")),
    features=(
        "erms", "fsrm", "smap", "smep", "umip", "pcid", "invpcid", "pku", "la57", "pdpe1gb", "fsgsbase", "rdpid",
        "rdtscp", "clflushopt", "clwb", "wbnoinvd", "xsaves", "x2apic", "tsc_deadline_timer", "serialize", "ibt",
        "ibrs", "ibrs_enhanced", "ibpb", "stibp", "ssbd", "arch_capabilities", "avx512f",
    ),
    hidden=("fsrs",),
)  # fmt: skip
