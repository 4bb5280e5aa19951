# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 5: what kernels choose code by is as of Zen 4."""

from kassay.supply.cpus import SAFE_RETURNS, Cpu
from kassay.supply.cpus.zen4 import CPU as ZEN4

_NUMBERS = "family=26,model=2,stepping=1,model-id=AMD EPYC-Turin Processor"

CPU = Cpu(
    name="zen5",
    order=33,
    summary="AMD EPYC 9005, Turin, Zen 5 (2024)",
    # QEMU has a model of it since 10.1; for older ones: Zen 4 or Zen 3 with its numbers and more features.
    models={
        "x86_64": (
            "EPYC-Turin-v1",
            f"EPYC-Genoa-v1,{_NUMBERS}",
            f"EPYC-Milan-v1,{_NUMBERS},+la57,+gfni,+vaes,+vpclmulqdq",
        )
    },
    identity=(("vendor_id", "AuthenticAMD"), ("cpu family", "26"), ("model", "2")),
    features=ZEN4.features,
    needless=(*ZEN4.needless, SAFE_RETURNS),
)
