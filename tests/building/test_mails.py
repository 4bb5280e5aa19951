# SPDX-License-Identifier: GPL-2.0-only
"""The patches of mails, in the order of their series: by numbers, unless the user lists files."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kassay.errors import BadInput, NotBuilt
from kassay.supply.building import git
from kassay.supply.building.patches import apply, read_mails, read_patches
from tests.building._repository import series

pytestmark = pytest.mark.slow  # git reads each mail
LATER = "Mon, 1 Jan 2024 00:00:00 +0000"


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def mail(subject: str, text: str, in_body: str = "") -> str:
    """A mail that adds a line `text` to a file of its own."""
    diff = f"--- /dev/null\n+++ b/mm/{text}.c\n@@ -0,0 +1 @@\n+{text}\n"
    head = f"From: A <a@b.c>\nDate: {LATER}\nMessage-ID: <{text}@b.c>\nSubject: {subject}\n"
    body = f"{in_body}why\n---\ndiff --git a/mm/{text}.c b/mm/{text}.c\n{diff}\n"
    return f"From {'1' * 40} Mon Sep 17 00:00:00 2001\n{head}\n{body}"


def order(path: Path) -> list[str]:
    """The texts that the patches add."""
    return [Path(file).stem for patch in read_patches(path) for file in patch.files]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Writes mails into a mailbox."""

    def written(*mails: str, name: str = "s.mbx") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(mails))
        return path

    yield written


def test_a_patch_behind_the_announced_ones_is_an_addition_to_the_series(box: Callable[..., Path]) -> None:
    """Kernel developers send [PATCH 3/2] to add a patch to a series of two."""
    first, second, third, fifth = (mail(f"[PATCH {n}/2] mm: {n}", f"p{n}") for n in (1, 2, 3, 5))
    assert order(box(third, first, second)) == ["p1", "p2", "p3"]
    with pytest.raises(BadInput, match="patch 4/2 is missing"):
        read_patches(box(first, second, third, fifth))
    with pytest.raises(BadInput, match="patch 3/2 is there twice, and not the same"):
        read_patches(box(first, second, third, mail("[PATCH 3/2] mm: other", "p9")))


@pytest.mark.parametrize("tag", ["RFC {}/2", "PATCH {}/2 v2", "v2 PATCH {}/2", "RFC][PATCH {}/2"])
def test_numbers_tell_the_order_wherever_they_stand(box: Callable[..., Path], tag: str) -> None:
    second, first = (mail(f"[{tag.format(n)}] mm: {n}", f"p{n}") for n in (2, 1))
    assert order(box(second, first)) == ["p1", "p2"]
    with pytest.raises(BadInput, match="patch 1/2 is missing"):
        read_patches(box(second, mail(f"[{tag.format(0)}] cover", "p0")))


def test_a_subject_in_the_body_names_the_patch_and_the_header_numbers_it(box: Callable[..., Path]) -> None:
    path = box(*(mail(f"[PATCH {n}/2] sent", f"p{n}", f"From: C <c@d.e>\nSubject: mm: {n}\n\n") for n in (2, 1)))
    assert [(one.subject, one.author) for one in read_patches(path)] == [("mm: 1", "C <c@d.e>"), ("mm: 2", "C <c@d.e>")]
    assert [one.subject for one in read_mails(path)] == ["[PATCH 2/2] sent", "[PATCH 1/2] sent"]


def test_brackets_inside_a_title_are_no_tag(box: Callable[..., Path]) -> None:
    assert order(box(mail("net: follow [RFC6724] rules", "a"), mail("mm: b", "b"))) == ["a", "b"]
    title = "[net] tcp: follow [RFC 6724] rules"
    (patch,) = read_patches(box(mail("[PATCH 1/1] sent", "a", f"Subject: {title}\n\n")))
    assert patch.subject == title


def test_two_versions_without_numbers_are_no_series(box: Callable[..., Path], tmp_path: Path) -> None:
    mails = mail("[PATCH] mm: a", "a"), mail("[PATCH v2] mm: a", "b")
    with pytest.raises(BadInput, match="more than one series"):
        read_patches(box(*mails))
    for text, name in zip(mails, ("0001-a.patch", "v2-0001-a.patch"), strict=True):
        box(text, name=f"d/{name}")
    with pytest.raises(BadInput, match="more than one series"):
        read_patches(tmp_path / "d")
    (tmp_path / "d" / "series").write_text("v2-0001-a.patch\n0001-a.patch\n")
    assert order(tmp_path / "d") == ["b", "a"]
    assert order(box(mail("[PATCH] mm: b", "b"), mail("[PATCH] mm: a", "a"))) == ["b", "a"]


def test_numbers_count_more_than_names_of_files_and_a_series_file_more_than_both(
    box: Callable[..., Path], tmp_path: Path
) -> None:
    for n in range(1, 12):
        box(mail(f"[PATCH {n}/11] mm: {n}", f"p{n}"), name=f"d/{n}.patch")
    assert order(tmp_path / "d") == [f"p{n}" for n in range(1, 12)]
    names = sorted(file.name for file in (tmp_path / "d").iterdir())
    (tmp_path / "d" / "series").write_text("\n".join(names))
    assert order(tmp_path / "d") == [f"p{name.removesuffix('.patch')}" for name in names]


def test_mails_of_one_file_in_a_directory_are_sorted(box: Callable[..., Path], tmp_path: Path) -> None:
    box(mail("[PATCH 2/2] mm: b", "b"), mail("[PATCH 1/2] mm: a", "a"), name="d/t.mbx")
    assert order(tmp_path / "d") == ["a", "b"]
    (tmp_path / "d" / "series").write_bytes(b"t.mbx # \xff\nt.mbx\n")
    assert order(tmp_path / "d") == ["a", "b"]


def test_each_patch_has_the_message_id_of_its_own_mail(box: Callable[..., Path]) -> None:
    path = box(mail("Re: [PATCH 1/2] mm: a", "reply"), *(mail(f"[PATCH {n}/2] mm: a", f"p{n}") for n in (2, 1)))
    assert [one.message_id for one in read_patches(path)] == ["<p1@b.c>", "<p2@b.c>"]


@pytest.mark.parametrize("reply", ["SV:", "回复:", "Antw:", "RES:", "AW: [EXT]"])
def test_a_reply_in_any_language_is_no_patch(box: Callable[..., Path], reply: str) -> None:
    assert order(box(mail("[PATCH] mm: a", "a"), mail(f"{reply} [PATCH] mm: a", "other"))) == ["a"]


def test_lines_that_end_in_cr_lf_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, trees = series(tmp_path, monkeypatch)
    git.tree_of(repository, "HEAD")
    body = "why\n---\n--- a/mm/walk.c\n+++ b/mm/walk.c\n@@ -1 +1 @@\n-a\n+b\n".replace("\n", "\r\n")
    head = f"From: A <a@b.c>\nDate: {LATER}\nSubject: [PATCH] mm: a\nContent-Transfer-Encoding: base64\n"
    (tmp_path / "a.eml").write_text(f"{head}\n{base64.encodebytes(body.encode()).decode()}")
    with pytest.raises(NotBuilt, match="does not apply: its lines end in CR LF") as caught:
        apply(trees[0], read_patches(tmp_path / "a.eml"))
    assert caught.value.remedy.startswith(f"`git am --quoted-cr=strip {tmp_path}/a.eml`; ")
    (tmp_path / "a.diff").write_text(body.partition("---\r\n")[2], newline="")
    with pytest.raises(NotBuilt, match="does not apply: its lines end in CR LF") as caught:
        apply(trees[0], read_patches(tmp_path / "a.diff"))
    assert caught.value.remedy == f"give what `sed 's/\\r$//' {tmp_path}/a.diff` writes"
