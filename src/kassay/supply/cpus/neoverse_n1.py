# SPDX-License-Identifier: GPL-2.0-only
"""Arm Neoverse N1: LSE atomics, the access flag and the dirty state set by hardware."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="neoverse_n1",
    order=61,
    summary="Arm Neoverse N1 (2019), as in Graviton2 and Altra: Armv8.2",
    models={"arm64": ("neoverse-n1,cntfrq=1000000000",)},
    identity=(("CPU implementer", "0x41"), ("CPU part", "0xd0c")),
    features=("aes", "crc32", "cpuid", "atomics", "fphp", "lrcpc", "dcpop", "asimddp", "ssbs"),
)
