# SPDX-License-Identifier: GPL-2.0-only
"""Intel Emerald Rapids: what kernels choose code by is as of Sapphire Rapids."""

from dataclasses import replace

from kassay.supply.cpus.sapphirerapids import CPU as SAPPHIRERAPIDS

CPU = replace(
    SAPPHIRERAPIDS,
    name="emeraldrapids",
    order=24,
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
)
