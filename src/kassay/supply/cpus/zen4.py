# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 4: as Zen 3, with five levels of page tables, automatic IBRS and AVX-512."""

from kassay.supply.cpus import RETPOLINES, Cpu

CPU = Cpu(
    name="zen4",
    order=32,
    summary="AMD EPYC 9004, Genoa, Zen 4 (2022)",
    # QEMU has a model of it since 8.1; for older ones: Zen 3 with the model number of Zen 4 and more features.
    models={
        "x86_64": (
            "EPYC-Genoa-v1",
            "EPYC-Milan-v1,model=17,stepping=1,+la57,+gfni,+vaes,+vpclmulqdq,model-id=AMD EPYC-Genoa Processor",
        )
    },
    identity=(("vendor_id", "AuthenticAMD"), ("cpu family", "25"), ("model", "17")),
    features=(
        "erms", "fsrm", "smap", "smep", "umip", "pcid", "invpcid", "invlpgb", "pku", "la57", "pdpe1gb", "fsgsbase",
        "rdpid", "rdtscp", "clflushopt", "clwb", "clzero", "wbnoinvd", "xsaves", "x2apic", "ibrs", "ibrs_enhanced",
        "ibpb", "stibp", "ssbd", "avx512f",
    ),
    needless=(RETPOLINES,),
)  # fmt: skip
