# SPDX-License-Identifier: GPL-2.0-only
"""Reasons why a corner disagrees: a symbol, a function that is inlined, or a function that changes less."""

from collections.abc import Mapping

from msgspec import structs

from kassay.labs.review.deciding import deciding
from kassay.labs.review.model import Cell, Corner
from kassay.labs.review.report import REVIEW
from kassay.labs.review.result import cells_of
from kassay.model.finding import Attribution, AttributionRow, Finding
from tests.report.parts import finding, report_of
from tests.review.laboratory import REFS
from tests.review.reviews import review

Rows = Mapping[str, tuple[float, float]]
OUTLINED = {"thunk": (500.0, 500.0), "walk": (100.0, 100.0), "commit": (60.0, 0.0), "entry": (40.0, 40.0)}
INLINED = {"walk": (150.0, 150.0), "entry.isra.0": (30.0, 30.0)}


def found(rows: Rows, verdict: str) -> Finding:
    parts = tuple(
        AttributionRow(function=name, base=base, head=head, delta=head - base) for name, (base, head) in rows.items()
    )
    total = sum(part.delta for part in parts)
    attribution = Attribution(total=total, rows=parts, unattributed=0.0)
    return structs.replace(
        finding(*REFS, (200.0, 200.0 + total)), workload="mprot", settings=(), verdict=verdict, attribution=attribution
    )


def cells(one: Finding) -> tuple[Cell, ...]:
    return cells_of(report_of(REFS, findings=(one,)), once=False)


def texts(corner: str, own: Rows, there: Rows, verdict: str = "equivalent") -> tuple[str, ...]:
    usual, other = found(own, "improvement"), found(there, verdict)
    return deciding(corner, "lab", (usual,), (other,), cells(other))


def test_function_that_is_inlined_there_already_decides() -> None:
    assert texts("cc=clang-14", OUTLINED, INLINED) == (
        "cc=clang-14, mprot: commit has no code of its own there, and is inlined by the series in the usual build.",
    )


def test_symbol_that_alone_was_changed_decides() -> None:
    (text,) = texts("config=lab+CONFIG_MEMCG=n", OUTLINED, INLINED)
    assert text.startswith("config=lab+CONFIG_MEMCG=n, mprot: CONFIG_MEMCG=n decides, because nothing else")
    (text,) = texts("config=lab+CONFIG_CGROUPS=y+CONFIG_MEMCG=y", OUTLINED, INLINED)
    assert ": CONFIG_CGROUPS=y and CONFIG_MEMCG=y decide, because nothing else" in text
    for several in ("config=distro", "config=distro+CONFIG_MEMCG=n", "cc=gcc-14,config=lab+CONFIG_MEMCG=n"):
        assert "decide" not in texts(several, OUTLINED, INLINED)[0]


def test_function_that_changes_less_decides_if_the_same_functions_ran() -> None:
    usual, other = {"walk": (100.0, 70.0), "entry": (9.0, 8.0)}, {"walk": (90.0, 89.5), "entry": (7.0, 6.0)}
    (text,) = texts("cc=gcc-14", usual, other)
    assert text.startswith("cc=gcc-14, mprot: the same functions ran; walk changes by -0.5 ")
    assert text.endswith(" there, and by -30.0 in the usual build.")


def test_a_setting_without_verdict_has_its_own_reason() -> None:
    usual, other = found(OUTLINED, "improvement"), found(INLINED, "inconclusive")
    given = tuple(structs.replace(cell, reason="noise floor 2 %") for cell in cells(other))
    assert deciding("arch=arm64", "lab", (usual,), (other,), given) == ("arch=arm64, mprot: noise floor 2 %.",)


def test_the_same_verdict_needs_no_reason() -> None:
    assert texts("cc=gcc-14", OUTLINED, INLINED, "improvement") == ()


def test_every_form_for_people_names_what_decides() -> None:
    corner = Corner(name="cc=clang-14", decides=("cc=clang-14, mprot: commit has no code of its own there.",))
    given = structs.replace(review(), corners=(corner,))
    for name in ("terminal", "markdown", "html", "mail"):
        assert "commit has no code of its own" in " ".join(REVIEW.form(name).render(given).split())
