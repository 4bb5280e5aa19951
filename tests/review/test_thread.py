# SPDX-License-Identifier: GPL-2.0-only
"""The mail of a review answers the series: subject, thread and author are those of its cover letter."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.labs.review.model import Original
from kassay.labs.review.report import REVIEW
from kassay.labs.review.thread import original_of
from kassay.supply.building.mails import Mail
from kassay.supply.building.patches import read_mails
from tests.building._repository import run, series
from tests.review.reviews import cell, review


def mail(subject: str, author: str = "A. Uthor <a@example.org>", message_id: str = "<1@example.org>") -> Mail:
    return Mail(origin="", subject=subject, author=author, diff="", text="", message_id=message_id)


def test_the_cover_letter_is_answered_else_the_first_patch() -> None:
    mails = [mail("[PATCH v2 2/2] mm: b"), mail("[PATCH v2 1/2] mm: a"), mail("Re: [PATCH v2 0/2] mm: all")]
    found = original_of(mails)
    assert found is not None and found.subject == "[PATCH v2 1/2] mm: a"
    found = original_of([*mails, mail("[PATCH v2 0/2] mm: all")])
    assert found is not None and found.subject == "[PATCH v2 0/2] mm: all"
    assert original_of([mail("series", author="")]) is None


@pytest.mark.parametrize(
    ("author", "to"),
    [
        ("Ľudia Müller <a@example.org>", "=?utf-8?b?xL11ZGlhIE3DvGxsZXI=?= <a@example.org>"),
        ("Doe, Jane <a@example.org>", '"Doe, Jane" <a@example.org>'),
        ("nobody", ""),
        ("\udcff <a@example.org>", "a@example.org"),
    ],
)
def test_an_author_becomes_a_header_or_is_left_out(author: str, to: str) -> None:
    found = original_of([mail("[PATCH] mm: a", author=author, message_id="<no id>\nBcc: x")])
    assert found == Original(subject="[PATCH] mm: a", message_id="", author=to)
    text = REVIEW.form("mail").render(structs.replace(review(cell("improvement", -0.1)), original=found))
    assert f"\nTo: {to}\n" in text if to else "\nTo:" not in text


def test_the_headers_of_a_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, _ = series(tmp_path, monkeypatch)
    mailbox = run(repository, "format-patch", "--stdout", "--thread", "--cover-letter", "HEAD~2..HEAD")
    (tmp_path / "series.mbx").write_text(mailbox.replace("*** SUBJECT HERE ***", "mm: all of it"))
    found = original_of(read_mails(tmp_path / "series.mbx"))
    assert found is not None
    given = REVIEW.form("mail").render(structs.replace(review(cell("improvement", -0.1)), original=found))
    head = given.partition("\n\n")[0].splitlines()
    assert head[0] == "Subject: Re: [PATCH 0/2] mm: all of it"
    assert head[1].startswith("To: ") and head[1].endswith(found.author)
    assert head[2:] == [f"In-Reply-To: {found.message_id}", f"References: {found.message_id}"]
    assert f"Message-ID: {found.message_id}".lower() in mailbox.lower()
