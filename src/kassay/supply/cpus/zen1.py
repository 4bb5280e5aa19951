# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 1: neither ERMS nor PCID, four levels of page tables."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="zen1",
    order=29,
    summary="AMD EPYC 7001, Naples, Zen 1 (2017)",
    models={"x86_64": ("EPYC-v2",)},
    identity=(("vendor_id", "AuthenticAMD"), ("cpu family", "23"), ("model", "1")),
    features=("smap", "smep", "pdpe1gb", "fsgsbase", "rdtscp", "clflushopt", "clzero", "xsaves", "ibpb"),
)
