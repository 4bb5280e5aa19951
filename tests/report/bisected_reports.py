# SPDX-License-Identifier: GPL-2.0-only
"""A sample report of a bisection: two steps, one skipped commit, a culprit that a merge brought in."""

from msgspec.structs import replace

from kassay.model.bisect import Bisection, ByCompiler, Candidate, Default, Observation, Step
from kassay.model.reason import reason
from kassay.model.report import Report
from kassay.questions.bisect import bisected as as_bisected
from tests.report.parts import KERNELS, UNIT, finding, report_of

VALUES = (301.6, 301.6, None, 672.6, 698.8)


def bisection(name: str = "mm: <b>batch|protection</b> `changes`") -> Bisection:
    """Five commits: the second could not be built, the fourth is a further step."""
    candidates = tuple(
        Candidate(
            name=f"{number + 10:x}" * 40,
            title=name if number == 3 else f"commit {number}",
            ref=f"build:/tree@{f'{number + 10:x}' * 40}",
            author="A Developer <a@example.org>",
            merged="f" * 40 if number == 1 else "",
        )
        for number in range(5)
    )
    order = (0, 4, 2, 1, 3)
    log = tuple(
        Observation(
            number=number, candidate=place, boot=1, outcome="not-built" if VALUES[place] is None else "value",
            value=VALUES[place], reason="halves what is left", detail="" if VALUES[place] else "error: `x` undeclared",
        )
        for number, place in enumerate(order, 1)
    )  # fmt: skip
    steps = (
        Step(last_without=1, first=3, before=301.6, after=672.6, change=1.23, between=(2,), boots=2),
        Step(last_without=3, first=4, before=672.6, after=698.8, change=0.039, boots=2),
    )
    return Bisection(
        range="aaaaaaaaaaaa..eeeeeeeeeeee of /tree", workload="mprotect", metric="iteration", unit=UNIT,
        clock="icount", candidates=candidates, observations=log, steps=steps, measured=4, boots=4, skipped=(2,),
        margin=0.01, introduced=f"{'b' * 12}..{'d' * 12}", kind="git",
        open=("another change between 3 and 4 was not searched (--steps all)",),
        open_codes=(reason("not-searched", low=3, high=4),), notes=("a note on the range",),
    )  # fmt: skip


def bisected() -> Report:
    """The culprit's comparison, and the search behind it; reached through a merge."""
    outer = replace(bisection(), notes=(), open=())
    report = report_of(
        KERNELS[1:3],
        verdict="It costs 672.6 instead of 301.6 instructions/page (+123.0 %).",
        findings=(finding(KERNELS[1], KERNELS[2], (301.6, 672.6)),),
    )
    return as_bisected(report, replace(bisection(), within=outer), "kassay-out/bisect")


def bisected_by_state() -> Report:
    """The first release with another state, two defaults that differ at boot, and the refused comparison."""
    candidates = tuple(Candidate(name=name, title=name, ref=f"debian:{name}") for name in ("6.12", "6.16", "6.17"))
    states = ((0, "0 kB"), (2, "2048 kB"), (1, "0 kB"))
    log = tuple(
        Observation(number=number, candidate=place, boot=1, outcome="value", value=1.0 + (place == 2),
                    reason="halves what is left", state=state)
        for number, (place, state) in enumerate(states, 1)
    )  # fmt: skip
    defaults = (
        Default(setting="thp.enabled", before="madvise", after="always", parameter="transparent_hugepage=madvise",
                state="0 kB", decides=True),
        Default(setting="vm.swappiness", before="60", after="80", parameter="sysctl.vm.swappiness=60",
                state="2048 kB", decides=False),
    )  # fmt: skip
    found = Bisection(
        range="debian:6.12..debian:6.17", workload="mprotect", metric="state", unit="range.AnonHugePages",
        clock="icount", candidates=candidates, observations=log,
        steps=(Step(last_without=1, first=2, before=1.0, after=2.0, change=1.0, boots=2),), measured=3, boots=3,
        skipped=(), margin=0.01, introduced="v6.16..v6.17", kind="releases", state="range.AnonHugePages",
        defaults=defaults,
    )  # fmt: skip
    refused = finding(KERNELS[1], KERNELS[2], (301.6, 672.6))
    refused = replace(refused, verdict="state-mismatch", evidence="partial")
    report = report_of(KERNELS[1:3], verdict="Refused: the states differ.", findings=(refused,))
    return as_bisected(report, found, "kassay-out/bisect")


def bisected_by_symbol() -> Report:
    """The second of two symbols, both ends by two compilers, of which one does not build the last."""
    names = ("good", "CONFIG_XEN=y", "CONFIG_XEN_PV=y")
    candidates = tuple(Candidate(name=name, title=name, ref=f"build:/t,config={name}") for name in names)
    log = tuple(
        Observation(number=number, candidate=place, boot=1, outcome="value", value=301.6 if place < 2 else 672.6,
                    reason="halves what is left")
        for number, place in enumerate((0, 2, 1), 1)
    )  # fmt: skip
    compilers = (
        ByCompiler(compiler="gcc-12", good=301.6, bad=672.6),
        ByCompiler(compiler="clang-19", good=280.5, bad=None, detail="clang-19: unknown option"),
    )
    found = Bisection(
        range="build:/t..build:/t,config=distro", workload="mprotect", metric="iteration", unit=UNIT, clock="icount",
        candidates=candidates, observations=log,
        steps=(Step(last_without=1, first=2, before=301.6, after=672.6, change=1.23, boots=2),), measured=3, boots=3,
        skipped=(), margin=0.01, kind="configuration", compilers=compilers,
    )  # fmt: skip
    report = report_of(KERNELS[1:3], findings=(finding(KERNELS[1], KERNELS[2], (301.6, 672.6)),))
    return as_bisected(report, found, "kassay-out/bisect")
