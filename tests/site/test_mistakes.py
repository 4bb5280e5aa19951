# SPDX-License-Identifier: GPL-2.0-only
"""The status page lists what the laboratory got wrong: refuted steps, and what people write."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.site.model import Mistake
from kassay.labs.site.turn.mistakes import GONE
from kassay.labs.site.turn.publish import with_lives
from kassay.labs.site.turn.settings import Lab
from kassay.labs.site.turn.steps_file import Entry
from tests.site.made import first_shown, small_site, written

SITE = small_site()
STEP = first_shown(SITE)
ENTRY = Entry(
    id="a", series=STEP.series, arch=STEP.arch, before=STEP.before, after=STEP.after, state="not confirmed",
    text="equivalent, evidence exact", since="2026-11-26",
)  # fmt: skip


def lab(place: Path) -> Lab:
    return Lab(steps=str(place / "steps.toml"), outbox=str(place / "outbox"), site=str(place / "site"))


@pytest.mark.slow
def test_refuted_steps_and_written_mistakes_are_listed_newest_first(tmp_path: Path) -> None:
    (tmp_path / "mistakes.toml").write_text(
        '[[mistake]]\ndate = "2026-11-27"\npage = "matrix/x86_64/"\nwrong = "6.9 was gcc 16"\nright = "gcc 14"\n'
    )
    gone = structs.replace(ENTRY, id="b", after="9.9", text=f"{GONE}: no such package")
    site = with_lives(SITE, (ENTRY, gone, structs.replace(ENTRY, id="c", state="found")), lab(tmp_path))
    page = f"step/{STEP.series}/{STEP.before}-{STEP.after}/"
    first, second = site.status.mistakes
    assert first == Mistake(date="2026-11-27", page="matrix/x86_64/", wrong="6.9 was gcc 16", right="gcc 14")
    assert (second.date, second.page) == ("2026-11-26", page)
    assert second.wrong.startswith("a change of") and second.right.endswith("equivalent, evidence exact")
    files = written(site, tmp_path / "site")
    for name in ("status", "corrections"):
        text = files[f"{name}/index.html"].decode()
        assert "6.9 was gcc 16" in text and f'<a href="../{page}index.html">' in text
    assert "2 mistakes and 0 revised pages" in files["status/index.html"].decode()


@pytest.mark.parametrize("text", ["[[mistake]]\n", "mistake = 1\n", "[[mistake\n", '[[mistakes]]\ndate = "1"\n'])
def test_wrong_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "mistakes.toml").write_text(text)
    with pytest.raises(BadInput, match=r"mistakes\.toml: "):
        with_lives(SITE, (), lab(tmp_path))
