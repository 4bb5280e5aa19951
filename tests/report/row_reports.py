# SPDX-License-Identifier: GPL-2.0-only
"""Sample reports of several kernels that are no ladder: a gap, and a patch series."""

from msgspec.structs import replace

from kassay.model.experiment import KernelUse
from kassay.model.finding import Gap, GapFunction
from kassay.model.patch import SeriesPatch
from kassay.model.reason import reason
from kassay.model.report import Report
from kassay.model.series import Series, SeriesRow, SeriesTable, SeriesValue
from kassay.questions import gap as gap_question
from kassay.questions import series as series_question
from tests.report.parts import MACHINE, SETTINGS, UNIT, finding, report_of

OLD, NEW, CANDIDATE = "debian:6.12.117", "debian:6.19.14", "debian:7.0.13"
VALUES = {OLD: 301.6, NEW: 698.8, CANDIDATE: 600.0}


def one_gap(**changes: object) -> Gap:
    """A quarter of the gap closed, by one of two functions."""
    share = (698.8 - 600.0) / (698.8 - 301.6)
    fields: dict[str, object] = {
        "workload": "mprotect", "settings": SETTINGS, "machine": MACHINE, "metric": "iteration", "primary": True,
        "unit": UNIT, "old": OLD, "new": NEW, "candidate": CANDIDATE, "old_value": 301.6, "new_value": 698.8,
        "candidate_value": 600.0, "share": share, "interval": (share - 0.01, share + 0.01),
        "method": reason("interval-of-corners"), "n": (2, 2, 2), "evidence": "exact", "unattributed": (0.2, 0.0),
        "functions": (
            GapFunction(function="prot_commit_flush_ptes", lost=328.0, regained=98.8, share=98.8 / 397.2),
            GapFunction(function="vm_normal_page", lost=69.0, regained=0.0, share=0.0),
        ),
    }  # fmt: skip
    return Gap(**{**fields, **changes})  # type: ignore[arg-type]


def gap() -> Report:
    """Three kernels; one setting, and a part of the workload that has no gap."""
    pairs = ((OLD, NEW), (NEW, CANDIDATE), (OLD, CANDIDATE))
    made = report_of(
        (OLD, NEW, CANDIDATE),
        title="How much of the change in mprotect from 6.12.117 to 6.19.14 does 7.0.13 take back?",
        verdict="7.0.13 takes back 24.9 % of what 6.19.14 costs more than 6.12.117.",
        findings=tuple(finding(a, b, (VALUES[a], VALUES[b])) for a, b in pairs),
        gaps=(
            one_gap(metric="touch", primary=False, share=None, interval=None, functions=(), unattributed=None,
                    reasons=(reason("no-gap", base=OLD, head=NEW, verdict="equivalent"),)),
            one_gap(),
        ),
    )  # fmt: skip
    made = replace(made, experiment=replace(made.experiment, question="gap"))
    return replace(made, lead=gap_question.lead_of(made))


def row(name: str, kind: str, title: str, against: str = "", **more: object) -> SeriesRow:
    """A row of two patches."""
    fields = {"name": name, "kind": kind, "title": title, "patches": (), "against": against, "outcome": "measured"}
    return SeriesRow(**{**fields, **more})  # type: ignore[arg-type]


ROWS = (
    row("base", "base", "nothing applied"),
    row("1", "cumulative", "mm/mprotect: split", "base", patches=(1,)),
    row("whole", "cumulative", "mm/mprotect: specialise order 0", "1", patches=(1, 2)),
    row("without 1", "without", "mm/mprotect: split", "whole", patches=(2,), outcome="not-applied",
        detail="the rest of the series changes the same lines: mm/mprotect.c: change_pte_range()"),
    row("without 2", "without", "mm/mprotect: specialise order 0", "whole", patches=(1,), outcome="same-source",
        same_as="1"),
    row("without hunk 2.1", "hunk", "mm/mprotect.c: commit_anon_folio_batch()", "whole", patches=(1, 2)),
    row("without a1", "annotation", "__always_inline of foo(), mm/mprotect.c", "whole", patches=(1, 2),
        outcome="not-built", detail="mm/mprotect.c:12: error: x"),
    row("only a1", "alone", "__always_inline of foo(), mm/mprotect.c, alone on base", "base"),
)  # fmt: skip
FIGURES = {"base": 700.0, "1": 701.0, "whole": 600.0, "without hunk 2.1": 560.0, "only a1": 702.0}


def value(name: str, against: str, verdict: str) -> SeriesValue:
    """A row's figures, computed."""
    one, other = FIGURES[name], FIGURES.get(against)
    return SeriesValue(
        row=name, value=one, change=None if other is None else one / other - 1,
        delta=None if other is None else one - other, to_base=one / 700.0 - 1 if other else None, verdict=verdict,
        evidence="exact" if verdict else "", n=2, where=f"change_pte_range {one - (other or 0):+g}" if other else "",
        base_verdict="improvement" if one < 690 else "equivalent",
    )  # fmt: skip


TABLE = SeriesTable(
    workload="mprotect", settings=SETTINGS, machine=MACHINE, metric="iteration", primary=True, unit=UNIT,
    values=(
        value("base", "", ""), value("1", "base", "equivalent"), value("whole", "1", "improvement"),
        value("without hunk 2.1", "whole", "improvement"), value("only a1", "base", "equivalent"),
    ),
)  # fmt: skip
PATCHES = tuple(
    SeriesPatch(number=n, subject=subject, author="A <a@example.org>", sha256=f"{n}" * 64, files=("mm/mprotect.c",),
                hunks=1, changes=(10, 2))
    for n, subject in ((1, "mm/mprotect: split"), (2, "mm/mprotect: specialise order 0"))
)  # fmt: skip
SERIES = Series(base="build:~/linux@v7.0", source="series.mbx", patches=PATCHES, rows=ROWS, tables=(TABLE,))


def series() -> Report:
    """Two patches in eight rows, five of them kernels."""
    names = tuple(FIGURES)
    made = report_of(
        names,
        title="What does each patch of the series do to mprotect?",
        verdict="Toggling: the whole series changes it by -14.3 %.",
        findings=tuple(finding("base", name, (700.0, FIGURES[name])) for name in names[1:]),
        series=SERIES,
    )
    uses = tuple(KernelUse(ref=f"build:~/linux@v7.0,tree={str(i) * 40}", name=n) for i, n in enumerate(names))
    made = replace(made, experiment=replace(made.experiment, question="series", kernels=uses))
    return replace(made, lead=series_question.lead_of(made, SERIES))
