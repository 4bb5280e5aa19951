# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 3: ERMS and FSRM, PCID and INVPCID, and TLB flushes by broadcast (INVLPGB)."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="zen3",
    order=31,
    summary="AMD EPYC 7003, Milan, Zen 3 (2021)",
    models={"x86_64": ("EPYC-Milan-v1",)},
    identity=(("vendor_id", "AuthenticAMD"), ("cpu family", "25"), ("model", "1")),
    features=(
        "erms", "fsrm", "smap", "smep", "umip", "pcid", "invpcid", "invlpgb", "pku", "pdpe1gb", "fsgsbase", "rdpid",
        "rdtscp", "clflushopt", "clwb", "clzero", "wbnoinvd", "xsaves", "x2apic", "ibrs", "ibpb", "stibp", "ssbd",
    ),
)  # fmt: skip
