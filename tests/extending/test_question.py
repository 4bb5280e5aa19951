# SPDX-License-Identifier: GPL-2.0-only
"""A question from outside: asked by an experiment file, answered in every format."""

from pathlib import Path

import pytest

from tests.extending.outside import Outside, outside

FILE = '''
"""dearest: which of the kernels costs most?"""

from msgspec import structs

from kassay.model.texts import TextBlock, Table, cells
from kassay.model.question import Kernels, Question, neighbours
from kassay.model.report import Lead


def complete(answered):
    report = answered.report
    sides = {side.kernel: side.value for f in report.findings if f.primary for side in f.sides}
    dearest = max(sides, key=sides.get)
    rows = tuple(cells(name, f"{value:.1f}") for name, value in sides.items())
    table = Table(title="what each costs", columns=("kernel", "cost"), rows=rows, numeric=(1,))
    block = TextBlock(title="Dearest first", tables=(table,), readers=("screen", "page"))
    mail = TextBlock(title="The dearest", items=(dearest,), readers=("mail",))
    lead = Lead(blocks=(block, mail), replaces=("page", "mail"),
                mail_answer=f"{dearest} is the dearest.")
    return structs.replace(report, verdict=f"{dearest} is the dearest.", lead=lead)


QUESTION = Question(
    name="dearest",
    kernels=Kernels(least=2, most=None, rule="a search for the dearest needs at least two"),
    pairs=neighbours,
    title=lambda work, kernels: f"Which of {len(kernels)} kernels makes {work} dearest?",
    complete=complete,
)
'''
SPEC = """
question = "dearest"
clock = "host"
repeats = 2
rounds = 2
kernels = [{ ref = "host", name = "first" }, { ref = "host", name = "second" }]
[[workloads]]
name = "mincore_scan"
[workloads.set]
size = ["64KiB"]
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """The question, asked of the kernel that runs here: nothing is booted."""
    found = outside(tmp_path_factory.mktemp("question"))
    found.add("questions/dearest.py", FILE)
    (found.work / "spec.toml").write_text(SPEC)
    assert "is the dearest." in found.kassay("run", "spec.toml", "--out", "d")
    return found


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "json", "mail"])
def test_its_answer_is_in_every_format(asked: Outside, name: str) -> None:
    text = asked.kassay("report", "d", "--format", name)
    assert "is the dearest." in " ".join(text.split())
    assert ("Dearest first" in text) == (name in ("terminal", "markdown", "html"))
    assert ("The dearest:" in text) == (name == "mail")


def test_it_is_named_where_an_unknown_one_was_asked(asked: Outside) -> None:
    (asked.work / "bad.toml").write_text(SPEC.replace('"dearest"', '"cheapest"'))
    text = asked.kassay("run", "bad.toml", status=2)
    assert "unknown 'cheapest'; did you mean dearest? known: compare, dearest, gap" in text


def test_its_own_rule_refuses_too_few_kernels(asked: Outside) -> None:
    (asked.work / "one.toml").write_text(SPEC.replace(', { ref = "host", name = "second" }', ""))
    assert "kernels: a search for the dearest needs at least two" in asked.kassay("run", "one.toml", status=2)


def test_a_name_that_is_taken_is_refused_with_both_files(asked: Outside, tmp_path: Path) -> None:
    twice = outside(tmp_path)
    twice.add("questions/compare.py", FILE)
    (twice.work / "spec.toml").write_text(SPEC)
    text = twice.kassay("run", "spec.toml", status=2)
    assert "questions/compare.py: there is a " in text and "give the file another name" in text
