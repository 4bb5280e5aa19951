# SPDX-License-Identifier: GPL-2.0-only
"""People and the laboratory write one file: what people wrote stays to the byte, and a mistake in it is named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.site.turn.steps_file import Entry, add, change, read

pytestmark = pytest.mark.slow  # seconds for the whole file

ENTRY = Entry(id="a", series="s", arch="x86_64", before="1.1", after="1.2", state="found", since="2026-11-26")
EDITED = """# ours

# looks like the series of D. H.
[[step]]
id = "a"   # the first one
series = "s"
arch = 'x86_64'
before = "1.1"
after = "1.2"
state = 'confirmed'  # by two hosts
text = "regression"

# a person's own words
#   in two lines
[[step]]
text = "known"
state = "accepted"
id = "b"
series = "t"
arch = "x86_64"
before = "1.1"
after = "1.2"
# the end
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "steps.toml"


def test_no_file_has_no_steps(path: Path) -> None:
    assert read(path) == ()


def test_what_is_added_is_read_and_explained(path: Path) -> None:
    add(path, ENTRY)
    add(path, structs.replace(ENTRY, id="b", series="t"))
    assert [entry.id for entry in read(path)] == ["a", "b"]
    assert path.read_text().startswith("# Steps that the laboratory found")


def test_a_change_replaces_values_and_nothing_else(path: Path) -> None:
    path.write_text(EDITED)
    change(path, structs.replace(read(path)[0], state="narrowed", text='commit "x"', since="2026-11-27"))
    assert path.read_text() == EDITED.replace("'confirmed'", '"narrowed"').replace(
        '"regression"', '"commit \\"x\\""\nsince = "2026-11-27"'
    )


def test_new_steps_stand_with_their_kernels_in_the_order_of_series(path: Path) -> None:
    path.write_text(EDITED)
    add(path, structs.replace(ENTRY, id="c", series="sa"))
    add(path, structs.replace(ENTRY, id="d", series="u"))
    add(path, structs.replace(ENTRY, id="e", before="1.2", after="1.3"))
    assert [entry.id for entry in read(path)] == ["a", "c", "b", "d", "e"]
    text = path.read_text()
    for line in EDITED.splitlines():
        assert line in text.splitlines()
    assert text.index("# a person's own words") == text.index('text = "known"') - len(
        "# a person's own words\n#   in two lines\n[[step]]\n"
    )


@pytest.mark.parametrize("state", ["accepted", "reported", "fixed"])
def test_a_step_that_a_person_has_in_hand_is_not_changed(path: Path, state: str) -> None:
    path.write_text(EDITED.replace("accepted", state))
    before = path.read_bytes()
    with pytest.raises(BadInput, match="only people change it"):
        change(path, structs.replace(read(path)[1], text="other"))
    assert path.read_bytes() == before


@pytest.mark.parametrize(("text", "problem"), [
    ("[[step]\n", "steps.toml: "),
    ("[[steps]]\n", "steps: unknown key"),
    (EDITED.replace("[[step]]", "[step]", 1).partition("[[step]]")[0], "step: write [[step]]"),
    (EDITED + "since = 2026-11-26\n", "step 2: since: write a text in quotes"),
    (EDITED + "stat = 1\n", "step 2: stat: "),
    (EDITED.replace("accepted", "acepted"), "state 'acepted'"),
    (EDITED.replace('id = "b"', 'id = "a"'), "step a: twice"),
    ("step = [{id = 'a'}]\n", "step 1: "),
])  # fmt: skip
def test_mistakes_are_named_and_nothing_is_written(path: Path, text: str, problem: str) -> None:
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        add(path, ENTRY)
    assert problem in str(caught.value)
    assert path.read_text() == text


def test_a_value_over_several_lines_cannot_be_replaced_and_is_left(path: Path) -> None:
    text = EDITED.replace("'confirmed'", "'''confirmed'''")
    path.write_text(text)
    with pytest.raises(BadInput, match="cannot replace"):
        change(path, structs.replace(read(path)[0], state="narrowed"))
    assert path.read_text() == text


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=30)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["1.1", "1.2", "2.0"]), TEXTS), max_size=6), TEXTS)
def test_any_texts_are_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]],
                                 last: str) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("steps") / "steps.toml"
    entries = {}
    for number, (series, before, text) in enumerate(rows):
        entry = structs.replace(ENTRY, id=f"{number}{series}", series=series, before=before, text=text)
        add(path, entry)
        entries[entry.id] = entry
    for entry in list(entries.values()):
        entries[entry.id] = structs.replace(entry, state="narrowed", text=last)
        change(path, entries[entry.id])
    assert {entry.id: entry for entry in read(path)} == entries
