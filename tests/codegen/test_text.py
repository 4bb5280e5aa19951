# SPDX-License-Identifier: GPL-2.0-only
"""The report as text and page: what is dangerous in a name stays text, and nothing outgrows the screen."""

from msgspec import structs

from kassay.labs.codegen.report import CODEGEN
from kassay.labs.codegen.report.words import CodegenAnswer
from kassay.model.codegen import LINKED_IS_OTHER, Body, Call, CodegenReport, Instruction, Part, SourcesChanged
from kassay.model.lines import NOT_EXECUTED, ChangedLines, ChangedPart, Reached

EVIL = "build:/x<script>alert(1)</script>|\x1b[31m+a.patch" + "y" * 200


def body(letter: str, executed: float | None, text: str) -> Body:
    return Body(
        reference=EVIL, outcome="compiled", compiler="gcc 12", arch="x86_64", cc="gcc-12",
        size=0x1FB if letter == "A" else 0x245, total=600,
        parts=(Part(name="f", size=0x1FB), Part(name="f.cold", size=0x13)), sha256=letter, bytes_sha256=letter,
        own_class=letter, calls=(Call(callee="visit<b>", sites=2),), instruction_count=1, executed=executed, value=70.5,
        instructions=(Instruction(part="f", offset=0, size=1, text=text, count=executed),),
    )  # fmt: skip


REPORT = CodegenReport(
    function="f", source="mm/f.c", verdict="f: two", bodies=(body("A", 12.5, "mov $'<i>'"), body("B", 18.5, "b" * 300)),
    disclosures=("said",), workload="w", metric="iteration", unit="instructions/page",
)  # fmt: skip


def test_a_size_becomes_instructions_per_operation() -> None:
    for name in ("terminal", "markdown", "html"):
        text = " ".join(CODEGEN.form(name).render(CodegenAnswer(REPORT, ("A", "B"))).split())
        assert "0x245 instead of 0x1fb (B instead of A) is +6" in text, name


def test_a_function_that_never_ran_is_not_executed_by_this_workload() -> None:
    move = Reached(function="f", workloads=("mremap_move",), count=1, kernel="7.3")
    bodies = tuple(structs.replace(one, executed=0.0) for one in REPORT.bodies)
    idle = structs.replace(REPORT, bodies=bodies, elsewhere=(move,))
    for name in ("terminal", "markdown", "html"):
        text = " ".join(CODEGEN.form(name).render(CodegenAnswer(idle)).replace("\\", "").split())
        assert "f() was not executed by this workload (w)" in text, name
        assert "f() is executed by mremap_move (on 7.3)." in text and "instead of 0x1fb (B" not in text, name


def test_executions_of_refused_kernels_are_not_compared() -> None:
    refused = tuple(structs.replace(one, refused="different-work: twice the calls") for one in REPORT.bodies)
    text = " ".join(CODEGEN.form("terminal").render(CodegenAnswer(structs.replace(REPORT, bodies=refused))).split())
    assert "Executions are not compared: different-work: twice the calls." in text and "instead of 0x1fb (B" not in text


def test_executions_of_another_function_that_was_linked_are_not_those_of_the_row() -> None:
    other = (REPORT.bodies[0], structs.replace(REPORT.bodies[1], note=LINKED_IS_OTHER))
    text = CODEGEN.form("terminal").render(CodegenAnswer(structs.replace(REPORT, bodies=other)))
    assert "instead of 0x1fb (B" not in " ".join(text.split())


def test_changed_lines_of_the_measured_kernels_are_told() -> None:
    part = ChangedPart(path="mm/f.c", function="f", line=3, state=NOT_EXECUTED, not_executed=(3,))
    changed = SourcesChanged(base="a", head="b", changed=ChangedLines(state=NOT_EXECUTED, parts=(part,)))
    text = CODEGEN.form("terminal").render(CodegenAnswer(structs.replace(REPORT, changed=(changed,))))
    assert "a to b: The changed lines were not executed by this workload (f() in mm/f.c)" in " ".join(text.split())


def test_the_screen_has_120_columns_and_no_escapes() -> None:
    text = CODEGEN.form("terminal").render(CodegenAnswer(REPORT, ("A", "B")))
    assert "\x1b" not in text
    tables = [line for line in text.splitlines() if " | " in line or line.startswith("  ")]
    assert tables and max(map(len, tables)) <= 120


def test_a_page_shows_markup_as_text_and_loads_nothing() -> None:
    html = CODEGEN.form("html").render(CodegenAnswer(REPORT))
    assert "<script" not in html and "&lt;script&gt;" in html
    assert "src=" not in html and "href=" not in html and "default-src 'none'" in html


def test_markdown_escapes_what_would_break_its_tables() -> None:
    lines = CODEGEN.form("markdown").render(CodegenAnswer(REPORT)).splitlines()
    rows = [line for line in lines if line.startswith("| build")]
    assert len(rows) == 2 and all("\\|" in row and "&lt;script" in row for row in rows)


def test_a_reference_that_was_not_built_has_its_row_and_its_reason() -> None:
    failed = Body(
        reference="build:/y", outcome="not-built", compiler=None, arch="x86_64", cc="tcc", detail="mm/f.c:1: error"
    )
    report = CodegenReport(function="f", source="mm/f.c", verdict="f", bodies=(*REPORT.bodies, failed), disclosures=())
    text = CODEGEN.form("terminal").render(CodegenAnswer(report))
    assert "not-built" in text and "note      build:/y tcc: mm/f.c:1: error" in text


def test_the_same_code_that_is_executed_more_often_is_said_to_be_the_same_code() -> None:
    bodies = (body("A", 12.5, "x"), body("A", 12.5001, "x"))
    alike = structs.replace(REPORT, bodies=bodies)
    assert "reached in other ways" not in CODEGEN.form("terminal").render(CodegenAnswer(alike))
    apart = structs.replace(REPORT, bodies=(*bodies, body("A", 20.0, "x")))
    assert "Class A is executed 12.5 to 20.0" in " ".join(CODEGEN.form("terminal").render(CodegenAnswer(apart)).split())
