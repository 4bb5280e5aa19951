# SPDX-License-Identifier: GPL-2.0-only
"""Arm Neoverse V1: as N1, with pointer authentication and scalable vectors of 256 bits."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="neoverse_v1",
    order=62,
    summary="Arm Neoverse V1 (2020), as in Graviton3: Armv8.4",
    # QEMU has a model of it since 8.0; for older ones: all that QEMU can emulate, with vectors of its length.
    models={"arm64": ("neoverse-v1,cntfrq=1000000000", "max,sve256=on,cntfrq=1000000000")},
    identity=(("CPU implementer", "0x41"), ("CPU part", "0xd40")),
    features=(
        "aes", "crc32", "cpuid", "atomics", "fphp", "lrcpc", "dcpop", "asimddp", "ssbs", "sve", "paca", "pacg", "uscat",
        "ilrcpc", "flagm", "dit", "dcpodp", "i8mm", "bf16", "rng",
    ),
)  # fmt: skip
