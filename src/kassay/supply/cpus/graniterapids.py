# SPDX-License-Identifier: GPL-2.0-only
"""Intel Granite Rapids: what kernels choose code by is as of Sapphire Rapids."""

from dataclasses import replace

from kassay.supply.cpus.sapphirerapids import CPU as SAPPHIRERAPIDS

CPU = replace(
    SAPPHIRERAPIDS,
    name="graniterapids",
    order=25,
    summary="Intel Xeon 6, Granite Rapids (2024)",
    # Older QEMUs have no model of it: Ice Lake with its numbers.
    models={
        "x86_64": (
            "GraniteRapids-v1",
            "Icelake-Server-v5,model=173,stepping=1,+rdpid,+serialize,+movdiri,+movdir64b,"
            "model-id=Intel Xeon (Granite Rapids)",
        )
    },
    identity=(("vendor_id", "GenuineIntel"), ("cpu family", "6"), ("model", "173")),
)
