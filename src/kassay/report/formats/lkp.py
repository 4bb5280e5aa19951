# SPDX-License-Identifier: GPL-2.0-only
"""The kernel test robot's comparison table, with n; see docs/formats.md for what it leaves out on purpose."""

from kassay.model.report import Report
from kassay.report.formats import Format
from kassay.report.lkp.of_report import tables
from kassay.report.series import groups
from kassay.report.tables import refusals


def render(report: Report) -> str:
    """The tables, and below them why a comparison has no rows or no verdict."""
    parts = [*tables(report, groups(report))]
    refused = refusals(report)
    if refused:
        parts.append("No verdict:\n" + "\n".join(f"  {reason}" for reason in refused) + "\n")
    return "\n".join(parts) or "No comparison was made.\n"


FORMAT = Format(
    name="lkp", suffix=".lkp", summary="the kernel test robot's table, with n", render=render, whole=False
)  # fmt: skip
