# SPDX-License-Identifier: GPL-2.0-only
"""The comparison a mail is about, how strongly it may be announced, the subject, and what a tracker is told."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from kassay.model.build import parse_build
from kassay.model.experiment import labels
from kassay.model.finding import CHANGES, REFUSED, Finding
from kassay.model.kernel import KernelIdentity
from kassay.model.records import Record, grouped
from kassay.model.report import Report
from kassay.model.timing import CountsAndTime
from kassay.report.mail.layout import wrapped
from kassay.report.mail.names import identity, mail_name, metric_name, point_text, quantity, release_tag
from kassay.report.mail.text import ascii_text, percent
from kassay.report.sentences import is_multiple
from kassay.report.series import ladders
from kassay.supply.clocks import clock_of

STRONG = ("exact", "reliable")
"""Evidence on which a regression is announced, or ended."""
_WORKLOADS = 3
"""Most workloads of which a mail describes each."""
_RANK = ("[REGRESSION]", "[PERF]", "[RFC]")


class Headline(Record, frozen=True, kw_only=True):
    """Comparison that a mail is about, and the strength of its announcement."""

    finding: Finding
    """Comparison that the subject names."""
    tag: str
    """Tag of the subject, with its brackets."""
    step: bool = False
    """True if the comparison is a step of a ladder between neighbours, so that no other kernel can have a part of
    it."""


def headline(report: Report) -> Headline | None:
    """The strongest and then largest change of the primary metrics; None when nothing was compared."""
    ranked = _ranked(report)
    if not ranked:
        return None
    f = ranked[0]
    step = any(
        (ladder.point, ladder.metric) == (f.point, f.metric) and f.kernels in {step.ends for step in ladder.steps}
        and f.kernels in pairwise(point.kernel for point in ladder.points) and f.verdict not in REFUSED
        for ladder in ladders(report)
    )  # fmt: skip
    return Headline(finding=f, tag="[RFC]" if report.lead.weak else tag(report, f), step=step)


def told(report: Report) -> list[Finding]:
    """The comparisons that a mail describes: the headline's, then the leading one of each other workload, unless these
    are many or imported."""
    leading = [several[0] for several in grouped((f.workload, f) for f in _ranked(report)).values()]
    return leading if len(leading) <= _WORKLOADS and not report.sources else leading[:1]


def _ranked(report: Report) -> list[Finding]:
    """The comparisons that a mail may be about, the leading one first: of a ladder its steps."""
    steps = {(ladder.point, ladder.metric, step.ends) for ladder in ladders(report) for step in ladder.steps}
    primary = [f for f in report.findings if f.primary] or list(report.findings)
    # Where the question says which comparisons the answer is about, the others only explain these.
    primary = [f for f in primary if f.kernels in report.lead.pairs] or primary
    stepped = [f for f in primary if (f.point, f.metric, f.kernels) in steps and f.verdict not in REFUSED]

    def weight(f: Finding) -> tuple[int, bool, float]:
        return _RANK.index(tag(report, f)), f.verdict != "regression", -abs(f.change or 0.0)

    return sorted(stepped or primary, key=weight)


def tag(report: Report, f: Finding) -> str:
    """[REGRESSION] for times by the clock of real hardware, or counts that such times confirm, of kernels built by one
    compiler and booted alike; [RFC] where no claim is made; [PERF] else."""
    clock = clock_of(f.machine.clock)
    weak = f.verdict in REFUSED or f.verdict == "inconclusive" or f.evidence in ("partial", "unstable")
    if weak or f.standing == "alone" or clock.screening or clock.imported:
        return "[RFC]"
    if f.verdict != "regression" or f.evidence not in STRONG or f.standing == "candidate":
        return "[PERF]"
    if _compilers_differ(report, f) or _booted_differently(report, f):
        return "[PERF]"
    felt = clock.decides or any(_confirms(row, f) for row in report.beside)
    return "[REGRESSION]" if felt else "[PERF]"


def _compilers_differ(report: Report, f: Finding) -> bool:
    """A difference between two compilers looks like one between two kernels."""
    kernels = [identity(report, side.kernel) for side in f.sides]
    return len({kernel.compiler for kernel in kernels if kernel is not None and kernel.compiler}) > 1


def _booted_differently(report: Report, f: Finding) -> bool:
    """True if base and head had different kernel parameters or CPUs. The change may be theirs."""
    uses = dict(zip(labels(report.experiment), report.experiment.kernels, strict=True))
    sides = [uses[side.kernel] for side in f.sides if side.kernel in uses]
    return len({(*use.cmdline.split(), use.cpu or f.machine.cpu) for use in sides}) > 1


def _confirms(row: CountsAndTime, f: Finding) -> bool:
    """True if the time beside this comparison's counts rises, too, on strong evidence."""
    rises = row.time_verdict == "regression" and row.time_evidence in STRONG and clock_of(row.clock).decides
    return rises and f.is_beside(row)


def subject_line(report: Report) -> str:
    """Tag, workload, and what was found, in numbers."""
    topic = headline(report)
    if topic is None:
        return "[RFC] nothing was measured"
    f = topic.finding
    base, head = (mail_name(report, side.kernel) for side in f.sides)
    where = point_text(report, f, workload=False)
    at = f" ({where})" if where else ""
    if report.lead.subject:
        return f"{topic.tag} {ascii_text(f.workload)}: {ascii_text(report.lead.subject)}{at}"
    other = changed_phase(report.findings, f)
    if other is not None:
        phase = ascii_text(f"{_subject_text(other, base, head, since=topic.step)}, phase {other.metric}")
        return f"{tag(report, other)} {ascii_text(f.workload)}: {phase}{at}"
    finding_text = ascii_text(_subject_text(f, base, head, since=topic.step))
    return f"{topic.tag} {ascii_text(f.workload)}: {finding_text}{at}"


def changed_phase(findings: Sequence[Finding], f: Finding) -> Finding | None:
    """The largest change of another phase of a comparison whose primary phase did not change, regressions first."""
    others = [
        other for other in findings
        if other.verdict in CHANGES and other.point == f.point and other.kernels == f.kernels
    ]  # fmt: skip
    if f.verdict != "equivalent" or not others:
        return None
    return largest_change(others)


def largest_change(findings: Sequence[Finding]) -> Finding:
    """The largest change of these, regressions first."""
    return min(findings, key=lambda f: (f.verdict != "regression", -abs(f.change or 0.0)))


def amount(f: Finding) -> str:
    """ "2.21x the instructions per page", "+3.9% instructions per page"."""
    assert f.change is not None
    what = quantity(f.unit, f.metric, f.machine.clock)
    if clock_of(f.machine.clock).imported:
        return f"{metric_name(f)} {percent(f.change)}"
    return f"{f.change + 1:.2f}x the {what}" if is_multiple(f.change) else f"{percent(f.change)} {what}"


def _subject_text(f: Finding, base: str, head: str, *, since: bool) -> str:
    if f.verdict in REFUSED or f.change is None:
        return f"{base} and {head} cannot be compared"
    if clock_of(f.machine.clock).imported:
        decided = ", not decided" if f.verdict == "inconclusive" else ""
        return f"{amount(f)} on {head} against {base}, as reported{decided}"
    if f.verdict == "equivalent":
        return f"{quantity(f.unit, metric_name(f), f.machine.clock)} the same on {base} and {head}"
    if f.verdict == "inconclusive":
        return f"{quantity(f.unit, metric_name(f), f.machine.clock)} on {head} against {base} not decided"
    return f"{amount(f)} since {head}" if since else f"{amount(f)} on {head} against {base}"


_COMMIT = re.compile(r"[0-9a-f]{40}")
_RELEASE = re.compile(r"(\d+\.\d+)(?:\.(\d+))?(-rc\d+)?(.*)")


def introduced(report: Report) -> list[str]:
    """The range in which a regression began.

    The tracker's robot acts on a line that begins with its command: only a mail with [REGRESSION] has one. Elsewhere
    the command stands in the middle of an indented line.
    """
    topic = headline(report)
    of_patches = report.lead.of_patches  # they are named already
    if topic is None or of_patches or topic.tag == "[RFC]" or topic.finding.verdict != "regression":
        return []
    if _booted_differently(report, topic.finding):
        return []
    span = _span(report, topic)
    if span is None:
        return wrapped(
            "The range in which it began is not known in upstream terms: these are not two releases, oldest first."
        )
    commits, measured = span
    if topic.tag == "[REGRESSION]":
        return [*wrapped(f"({measured})"), "", f"#regzbot introduced: {commits}"]
    short = commits[:12] if _COMMIT.fullmatch(commits) else commits
    return ["  Should this be tracked,", f"  the command is: #regzbot introduced: {short}",
            *wrapped(f"({measured}).", "  ")]  # fmt: skip


def _span(report: Report, topic: Headline) -> tuple[str, str] | None:
    """ "v6.16..v6.17" with what was measured; None unless two releases of upstream are known, the older one first."""
    if report.lead.introduced is not None:
        return report.lead.introduced
    kernels = [identity(report, side.kernel) for side in topic.finding.sides]
    base, head = (_released(kernel) for kernel in kernels)
    if base is None or head is None or _order(base[1]) >= _order(head[1]):
        return None
    # Two updates of one series have no mainline between them; the range is that of the stable tree.
    part = 0 if base[0] != head[0] else 1
    by = " as packaged by Debian" if all(k is not None and "debian:" in k.ref for k in kernels) else ""
    return f"v{base[part]}..v{head[part]}", f"measured: {base[1]} and {head[1]}{by}"


def _released(kernel: KernelIdentity | None) -> tuple[str, str] | None:
    """(mainline release, release as it is): ("6.17", "6.17.13"); None unless it is upstream's or Debian's."""
    match = _RELEASE.fullmatch(ascii_text(kernel.release)) if kernel is not None else None
    if kernel is None or match is None:
        return None
    series, update, candidate, suffix = match.groups()
    if (suffix and "debian:" not in kernel.ref) or not _unpatched(kernel):
        return None
    whole = f"{series}{candidate or ''}"
    return whole, f"{series}.{update}" if update and update != "0" else whole


def _unpatched(kernel: KernelIdentity) -> bool:
    """False for a kernel that kassay built with patches, or from a git tree at anything but the tag of its release."""
    if kernel.build is not None and kernel.build.patches:
        return False
    _, built, locator = kernel.ref.partition("build:")
    if not built:
        return True
    build = parse_build(locator)
    return not build.patches and (
        build.tree.startswith(("debian-source:", "release:")) or build.revision == release_tag(kernel)
    )


def _order(release: str) -> tuple[float, ...]:
    """Sort key of a release: "6.17-rc3" comes before "6.17", which comes before "6.17.13"."""
    version, _, candidate = release.partition("-rc")
    major, minor, *update = map(int, version.split("."))
    return major, minor, *(update or [0]), int(candidate) if candidate else inf
