# SPDX-License-Identifier: GPL-2.0-only
"""The page allocator of real kernels, with and without the patch: the tables of docs/results/pcp-findings.md.

usage: python -m benchmarks.pcp_kernels DIR [PAGE]     an hour; DIR keeps the runs, and what is there is only read

Writes the tables between their markers in PAGE.
"""

import sys
from pathlib import Path

import msgspec

from benchmarks.predict_truth import placed
from kassay.commands._show import showing
from kassay.effects.files import write_atomic
from kassay.labs.pcp.measure import Wanted, measure
from kassay.labs.pcp.model.measured import PcpMeasured
from kassay.labs.pcp.report.measured import MEASURED

ONE_CPU = Wanted(kernels=("6.1", "6.12", "6.16", "6.19", "7.3"), fixed=True)
"""6.1 does not get a second CPU up under this emulator."""
TWO_CPUS = Wanted(kernels=("6.12", "6.16", "6.19", "7.3"), cpus=2, fixed=True)
REPORT = "report.json"
ASKED = {"one-cpu": ONE_CPU, "two-cpus": TWO_CPUS}


def main() -> None:
    """Measures what is not there yet, prints the tables, and writes them to the page."""
    directory, page = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
    render, parts = MEASURED.form("markdown").render, {}
    for name, wanted in ASKED.items():
        with showing() as tell:
            here = directory / name
            found = _known(here) or measure(wanted, here, tell)
            write_atomic(here / REPORT, MEASURED.form("json").render(found).encode())
        parts[f"kernels: {name}"] = render(found)
    print("\n".join(parts.values()))
    if page is not None:
        page.write_text(placed(page.read_text(), parts))


def _known(directory: Path) -> PcpMeasured | None:
    path = directory / REPORT
    return msgspec.json.decode(path.read_bytes(), type=PcpMeasured) if path.exists() else None


if __name__ == "__main__":
    main()
