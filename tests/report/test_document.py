# SPDX-License-Identifier: GPL-2.0-only
"""Every writer shows every block to those it is for, and knows no question."""

import html

import pytest

from kassay.model.codegen import Instruction
from kassay.model.texts import cells, figures, table
from kassay.registry import names
from kassay.report.document import (
    DOUBT,
    LETTER,
    PAGE,
    QUIET,
    SCREEN,
    VERDICT,
    Bars,
    Block,
    Chart,
    Code,
    Document,
    Envelope,
    Fact,
    Facts,
    Items,
    PairRow,
    Paragraph,
    Section,
    Sides,
)
from kassay.report.writers import WRITERS, writer_named
from tests.source import SOURCE
from tests.test_layers import imports

ROWS = table("values", ("kernel", *figures("cost")), [cells("v6.12", "303.6"), cells("v6.17", "671.6", mark="differs")])
BLOCKS: dict[str, tuple[Block, tuple[str, ...]]] = {
    "paragraph": (Paragraph(text="It costs more."), ("It costs more.",)),
    "verdict": (Paragraph(text="Yes.", tone=VERDICT), ("Yes.",)),
    "doubt": (Paragraph(text="Compilers differ.", tone=DOUBT), ("Compilers differ.",)),
    "condition": (Paragraph(text="size=8MiB", tone=QUIET), ("size=8MiB",)),
    "list": (Items(texts=("first one", "second one")), ("first one", "second one")),
    "rows": (Items(texts=("Rss = 8192",), bare=True), ("Rss = 8192",)),
    "facts": (
        Facts(rows=(Fact(name="state", texts=("same", "audited")), Fact(name="time", texts=("+2",), detail="rough"))),
        ("state", "same", "audited", "time", "+2", "rough"),
    ),
    "table": (ROWS, ("values", "kernel", "v6.12", "303.6")),
    "code": (Code(text="kassay compare a b", caption="Again", breaks="shell"), ("Again", "kassay compare a b")),
    "group": (Section(blocks=(Paragraph(text="Inside a group."),)), ("Inside a group.",)),
    "section": (
        Section(title="How it was found", subtitle="", blocks=(Paragraph(text="By bisection."),)),
        ("How it was found", "By bisection."),
    ),
}


def written(writer: str, *blocks: Block, envelope: Envelope | None = None) -> str:
    document = Document(title="Did it?", blocks=blocks, kicker="kassay", kassay_version="0", envelope=envelope)
    return html.unescape(writer_named(writer).render(document))


@pytest.mark.parametrize("writer", names(WRITERS))
@pytest.mark.parametrize("block", BLOCKS)
def test_every_writer_shows_every_block(writer: str, block: str) -> None:
    one, said = BLOCKS[block]
    # A table alone in its section has the section's heading; here it is one of two.
    other = (table("other", ("a",), [cells("b")]),) if block == "table" else ()
    text = written(writer, Section(title="t", blocks=(one, *other)) if other else one)
    assert text.endswith("\n")
    for word in said:
        assert word in text, (writer, word)


@pytest.mark.parametrize("writer", names(WRITERS))
def test_a_section_is_shown_to_its_readers_alone(writer: str) -> None:
    own = writer_named(writer).readers
    for reader in (SCREEN, LETTER, PAGE):
        text = written(writer, Section(blocks=(Paragraph(text="For some."),), readers=(reader,)))
        assert ("For some." in text) == (reader in own), reader


def test_bars_and_listings_are_for_text_and_a_chart_is_for_a_page() -> None:
    bars = Bars(table=table("", ("kernel", "value", "note"), [cells("v6.12", "303.6", "step")]), values=(303.6,))
    assert "303.6  █" in written("terminal", bars)
    line = Instruction(part="f", offset=0, size=1, text="push %rbp")
    other = Instruction(part="f", offset=0, size=1, text="nop")
    sides = Sides(left="A: old", right="B: new", rows=(PairRow("|", line, other),))
    for writer in ("terminal", "markdown", "html"):
        assert "push %rbp" in written(writer, sides) and "B: new" in written(writer, sides)
    absent = Chart(wide=None, absent="Nothing to draw.")
    assert "Nothing to draw." in written("html", absent)
    assert "Nothing to draw." not in written("markdown", absent) + written("terminal", absent)


def test_a_mail_has_the_everyday_wording_and_a_page_the_exact_one() -> None:
    text = Paragraph(text="Floor 0.2 %.", everyday=("Boots of one kernel agree within 0.2%.",))
    assert "Boots of one kernel" in written("mail", text) and "Floor" not in written("mail", text)
    assert "Floor 0.2 %." in written("markdown", text) and "Boots" not in written("markdown", text)
    assert "hidden" not in written("mail", Paragraph(text="hidden", everyday=()))


def test_only_a_document_with_an_envelope_is_a_mail_by_itself() -> None:
    envelope = Envelope(subject="[PERF] it is slower", trailer="#regzbot introduced: a..b", signature="Written by k.")
    sent = written("mail", Paragraph(text="It costs more."), envelope=envelope)
    assert sent.startswith("Subject: [PERF] it is slower\n\nHi,\n\nIt costs more.\n")
    assert sent.endswith("\n#regzbot introduced: a..b\n\n-- \nWritten by k.\n")
    pasted = written("mail", Paragraph(text="It costs more."))
    assert pasted == "Did it?\n\nIt costs more.\n"


def test_writers_import_blocks_and_layout_and_nothing_that_knows_a_question() -> None:
    layout = {"answer_form", "chart", "columns", "document", "icicle", "sides", "writers"}
    wrong = []
    for path in (SOURCE / "report" / "writers").glob("*.py"):
        for module in imports(path):
            inside = module[0] == "report" and (module[1] in layout or module[1:3] in _MAIL)
            if not (inside or module[0] in ("registry", "effects") or module[:2] in _RECORDS):
                wrong.append((path.name, ".".join(module)))
    assert wrong == []


_MAIL = {("mail", "layout"), ("mail", "text")}
_RECORDS = {("model", "texts"), ("model", "codegen")}
