# SPDX-License-Identifier: GPL-2.0-only
"""Intel Alder Lake, a performance core: a client CPU with FSRM and indirect branch tracking, four levels of tables."""

from kassay.supply.cpus import PAGE_TABLES, RETPOLINES, THUNKS, Cpu

# QEMU has no model of it: Ice Lake without the features that a client CPU lacks.
_CLIENT = "-la57,-avx512f,-avx512dq,-avx512bw,-avx512cd,-avx512vl,-avx512vbmi,-avx512vbmi2,-avx512vnni,-avx512bitalg"

CPU = Cpu(
    name="alderlake_p",
    order=22,
    summary="Intel Core of the twelfth generation, Alder Lake, performance core (2021)",
    models={
        "x86_64": (
            f"Icelake-Server-v5,model=154,stepping=3,{_CLIENT},-avx512-vpopcntdq,+rdpid,+serialize,+movdiri,+movdir64b,"
            "model-id=12th Gen Intel Core (Alder Lake)",
        )
    },
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "154")),
    features=(
        "erms", "fsrm", "smap", "smep", "umip", "pcid", "invpcid", "pku", "pdpe1gb", "fsgsbase", "rdpid", "rdtscp",
        "clflushopt", "clwb", "xsaves", "x2apic", "tsc_deadline_timer", "serialize", "ibt", "ibrs", "ibrs_enhanced",
        "ibpb", "stibp", "ssbd", "md_clear", "arch_capabilities",
    ),
    hidden=("fsrs",),
    needless=(PAGE_TABLES, RETPOLINES, THUNKS),
)  # fmt: skip
