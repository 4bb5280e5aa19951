# SPDX-License-Identifier: GPL-2.0-only
"""Both ends of a search over configurations are measured by each compiler first, and told beside the culprit."""

from pathlib import Path

import pytest
from msgspec import UNSET, structs

from kassay.model.bisect import Candidate, SearchQuestion
from kassay.model.build import parse_build
from kassay.model.kernel import parse_ref
from kassay.model.progress import Tell, silent
from kassay.questions.bisect import compilers_table, verdict
from kassay.tools.search import loop
from kassay.tools.search.candidates import Range
from kassay.tools.search.compilers import ends_by_compiler
from kassay.tools.search.decision import Ask
from kassay.tools.search.probe import BootProbe
from tests.histories import question

SYMBOLS = ("good", "CONFIG_A=y", "CONFIG_B=y")
COSTS = {"gcc": (300.0, 300.0, 600.0), "gcc-14": (310.0, 310.0, 400.0), "clang-19": (280.0, 280.0, None)}


def asked(*compilers: str) -> SearchQuestion:
    candidates = tuple(Candidate(name=name, title=name, ref=f"build:/t@{place}") for place, name in enumerate(SYMBOLS))
    return structs.replace(question(Range("configuration", "lab..distro", candidates)), compilers=compilers or UNSET)


def measured(question: SearchQuestion, ask: Ask, directory: Path, tell: Tell) -> BootProbe:
    build = parse_build(parse_ref(question.candidates[ask.candidate].ref, "x86_64").locator)
    value = COSTS[build.cc][int(build.revision)]
    if value is None:
        return BootProbe(outcome="not-built", detail="unknown option")
    return BootProbe(outcome="value", value=value, metric="iteration", unit="instructions/page")


def test_each_end_is_built_by_each_compiler(tmp_path: Path) -> None:
    rows = ends_by_compiler(asked("gcc-14", "clang-19"), tmp_path, silent, measured)
    assert [(row.compiler, row.good, row.bad, row.detail) for row in rows] == [
        ("gcc-14", 310.0, 400.0, ""), ("clang-19", 280.0, None, "unknown option"),
    ]  # fmt: skip
    assert rows[0].change == pytest.approx(400 / 310 - 1) and rows[1].change is None
    assert ends_by_compiler(asked(), tmp_path, silent, measured) == ()


def test_the_answer_says_whether_the_change_depends_on_the_compiler(tmp_path: Path) -> None:
    found = loop.search(asked("gcc", "gcc-14"), tmp_path, silent, measured)
    assert found.candidates[found.steps[0].first].name == "CONFIG_B=y"
    assert (
        "Between the two configurations, by compiler: gcc +100.0 %, gcc-14 +29.0 %: the change depends on the "
        "compiler, too." in verdict(found)
    )
    (table,) = compilers_table(found)
    assert [cell.text for cell in table.rows[1]] == ["gcc-14", "310", "400", "+29.0 %", "-"]
    assert loop.replay(tmp_path) == ()


def test_a_compiler_that_does_not_build_is_named(tmp_path: Path) -> None:
    found = loop.search(asked("gcc", "clang-19"), tmp_path, silent, measured)
    assert "gcc +100.0 %, clang-19 not known." in verdict(found)
