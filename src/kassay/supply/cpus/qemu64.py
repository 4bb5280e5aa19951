# SPDX-License-Identifier: GPL-2.0-only
"""The default of x86_64: the smallest model that all kernels boot on."""

from kassay.supply.cpus import Cpu

CPU = Cpu(
    name="qemu64",
    order=10,
    summary="QEMU's own model, the default of x86_64: no real CPU, few features",
    models={"x86_64": ("qemu64,+rdrand",)},
)
