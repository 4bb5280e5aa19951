# SPDX-License-Identifier: GPL-2.0-only
"""Where a regression began, in names that everybody upstream knows, for the robot that tracks regressions."""

import re

from kassay.model.kernel import KernelIdentity
from kassay.model.report import Report
from kassay.report.mail.headline import Headline, headline
from kassay.report.mail.names import identity
from kassay.report.mail.plain import ascii_text, wrapped

_COMMIT = re.compile(r"[0-9a-f]{40}")
_RELEASE = re.compile(r"(\d+\.\d+)(?:\.(\d+))?(-rc\d+)?(.*)")


def introduced(report: Report) -> list[str]:
    """The range in which a regression began.

    A line that starts with the command is one that a robot acts on: only under [REGRESSION]. Elsewhere the command
    stands in the middle of an indented line.
    """
    found = headline(report)
    if found is None or found.tag == "[RFC]" or found.finding.verdict != "regression":
        return []
    span = _span(report, found)
    if span is None:
        return wrapped("The range in which it began is not known in upstream terms: a kernel here is no release.")
    introduced, measured = span
    if found.tag == "[REGRESSION]":
        return [*wrapped(f"({measured})"), "", f"#regzbot introduced: {introduced}"]
    short = introduced[:12] if _COMMIT.fullmatch(introduced) else introduced
    return ["  Should this be tracked,", f"  the command is: #regzbot introduced: {short}",
            *wrapped(f"({measured}).", "  ")]  # fmt: skip


def _span(report: Report, found: Headline) -> tuple[str, str] | None:
    """ "v6.16..v6.17" with what was measured; None where an end is not known to be a release of upstream."""
    if report.lead is not None and report.lead.introduced is not None:
        return report.lead.introduced
    kernels = [identity(report, side.kernel) for side in found.finding.sides]
    releases = [_released(kernel) for kernel in kernels]
    base, head = releases
    if base is None or head is None or base == head:
        return None
    # Two updates of one series have no mainline between them; the range is that of the stable tree.
    ends = [f"v{one[0]}" for one in (base, head)] if base[0] != head[0] else [f"v{one[1]}" for one in (base, head)]
    by = " as packaged by Debian" if all(k is not None and "debian:" in k.ref for k in kernels) else ""
    return f"{ends[0]}..{ends[1]}", f"measured: {base[1]} and {head[1]}{by}"


def _released(kernel: KernelIdentity | None) -> tuple[str, str] | None:
    """(mainline release, release as it is): ("6.17", "6.17.13"); None unless it is upstream's or Debian's."""
    match = _RELEASE.fullmatch(ascii_text(kernel.release)) if kernel is not None else None
    if kernel is None or match is None:
        return None
    series, update, candidate, suffix = match.groups()
    if suffix and "debian:" not in kernel.ref:
        return None
    whole = f"{series}{candidate or ''}"
    return whole, f"{series}.{update}" if update and update != "0" else whole
