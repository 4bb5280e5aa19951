# SPDX-License-Identifier: GPL-2.0-only
"""Reasons why a corner disagrees: a symbol, a function that is inlined, or a function that changes less."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import structs

from kassay.labs.review.deciding import Build, deciding
from kassay.labs.review.model import Cell, Corner
from kassay.labs.review.report import REVIEW
from kassay.labs.review.result import cells_of
from kassay.model.finding import Attribution, AttributionRow, Finding
from kassay.model.kernel import KernelArtifact
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


Images = tuple[KernelArtifact, KernelArtifact]
NO_SYMBOLS = (KernelArtifact(identity=report_of(REFS).kernels[0], directory="", image=""),) * 2


def built(rows: Rows, verdict: str, images: Images = NO_SYMBOLS) -> Build:
    return Build((found(rows, verdict),), images)


def texts(
    corner: str, own: Rows, there: Rows, verdict: str = "equivalent",
    images: tuple[Images, Images] = (NO_SYMBOLS, NO_SYMBOLS),
) -> tuple[str, ...]:  # fmt: skip
    usual, other = built(own, "improvement", images[0]), built(there, verdict, images[1])
    return deciding(corner, "lab", usual, other, cells(other.findings[0]))


def images_in(directory: Path, base: str, head: str) -> Images:
    """Two kernels with these symbols."""
    kernels = []
    for number, names in enumerate((base, head)):
        path = directory / f"{number}.map"
        directory.mkdir(exist_ok=True)
        path.write_text("".join(f"ffffffff81000000 t {name}\n" for name in names.split()))
        kernels.append(structs.replace(NO_SYMBOLS[0], symbols=str(path)))
    return kernels[0], kernels[1]


def test_function_that_is_inlined_there_already_decides(tmp_path: Path) -> None:
    usual = images_in(tmp_path / "usual", "thunk walk commit entry", "thunk walk entry")
    other = images_in(tmp_path / "other", "thunk walk entry.isra.0", "thunk walk entry.isra.0")
    assert texts("cc=clang-14", OUTLINED, INLINED, images=(usual, other)) == (
        "cc=clang-14, mprot: commit has no code of its own there, and is inlined or removed by the series in the usual "
        "build.",
    )
    assert texts("cc=clang-14", INLINED, OUTLINED, images=(other, usual)) == (
        "cc=clang-14, mprot: commit is inlined or removed by the series there, and has no code of its own in the usual "
        "build.",
    )


def test_function_that_merely_did_not_run_is_not_called_inlined(tmp_path: Path) -> None:
    usual, skips = {"slow": (50.0, 50.0), "copy": (10.0, 20.0)}, {"slow": (50.0, 0.0), "copy": (10.0, 20.0)}
    names = images_in(tmp_path / "all", "slow copy", "slow copy")
    for images in (names, NO_SYMBOLS):
        assert texts("cc=clang-16", usual, skips, images=(images, images)) == (
            "cc=clang-16, mprot: slow did not run with the series there, and ran without and with the series in the "
            "usual build.",
        )
    assert "commit did not run there" in texts("cc=clang-16", OUTLINED, INLINED)[0]
    gone = images_in(tmp_path / "gone", "slow copy", "copy")
    assert (
        "slow is inlined or removed by the series there" in texts("cc=clang-16", usual, skips, images=(names, gone))[0]
    )


def test_function_whose_name_no_image_has_is_not_called_inlined(tmp_path: Path) -> None:
    names = images_in(tmp_path / "all", "copy", "copy")
    (text,) = texts("cc=clang-16", {"[odd]": (5.0, 5.0)}, {"[odd]": (5.0, 0.0)}, images=(names, names))
    assert "[odd] did not run with the series there" in text


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
    usual, other = built(OUTLINED, "improvement"), built(INLINED, "inconclusive")
    given = tuple(structs.replace(cell, reason="noise floor 2 %") for cell in cells(other.findings[0]))
    assert deciding("arch=arm64", "lab", usual, other, given) == ("arch=arm64, mprot: noise floor 2 %.",)


def test_the_same_verdict_needs_no_reason() -> None:
    assert texts("cc=gcc-14", OUTLINED, INLINED, "improvement") == ()


def test_every_form_for_people_names_what_decides() -> None:
    corner = Corner(name="cc=clang-14", decides=("cc=clang-14, mprot: commit has no code of its own there.",))
    given = structs.replace(review(), corners=(corner,))
    for name in ("terminal", "markdown", "html", "mail"):
        assert "commit has no code of its own" in " ".join(REVIEW.form(name).render(given).split())
