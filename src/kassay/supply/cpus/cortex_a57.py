# SPDX-License-Identifier: GPL-2.0-only
"""The default of arm64: an Armv8.0 core, without LSE atomics."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="cortex_a57",
    order=60,
    summary="Arm Cortex-A57 (2015), the default of arm64: Armv8.0, atomics by exclusive loads and stores",
    models={"arm64": ("cortex-a57,cntfrq=1000000000",)},
    identity=(("CPU implementer", "0x41"), ("CPU part", "0xd07")),
    features=("aes", "crc32", "cpuid"),
)
