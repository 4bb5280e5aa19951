# SPDX-License-Identifier: GPL-2.0-only
"""Patches as people hand them on become trees, or are refused with what is wrong with them."""

import base64
import gzip
from pathlib import Path

import pytest

from kassay.errors import BadInput, NotBuilt
from kassay.supply.building import git
from kassay.supply.building.patches import apply, patched, read_patches
from tests.building._repository import BASE, FIRST, commit, run, series

pytestmark = pytest.mark.slow  # seconds for the whole file


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, tuple[str, ...]]:
    repository, trees = series(tmp_path, monkeypatch)
    git.tree_of(repository, "HEAD")
    return repository, trees


def mailbox(repository: Path, *options: str) -> str:
    return run(repository, "format-patch", "--stdout", *options, "HEAD~3")


def test_a_mailbox_gives_the_tree_that_its_author_had(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    mbox = tmp_path / "series.mbox"
    mbox.write_text(mailbox(repository, "--cover-letter", "-v2"))
    found = read_patches(mbox)
    assert apply(trees[0], found) == trees[3]
    assert [one.subject for one in found][1] == "mm/walk: größere Schritte"
    assert found[1].author == "Änne Autor <a@example.org>"
    assert (found[1].hunks, found[1].changes, found[1].files) == (2, (2, 2), ("mm/walk.c",))


def test_mails_out_of_order_are_applied_in_the_order_of_their_subjects(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    mails = mailbox(repository).split("\nFrom ")
    mbox = tmp_path / "series.mbox"
    mbox.write_text("\nFrom ".join(["From " + mails[2], mails[1], mails[0].removeprefix("From ")]) + "\n")
    assert apply(trees[0], read_patches(mbox)) == trees[3]


def test_a_missing_mail_is_named(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, _ = linux
    mails = mailbox(repository).split("\nFrom ")
    mbox = tmp_path / "series.mbox"
    mbox.write_text("\nFrom ".join([mails[0], mails[2]]))
    with pytest.raises(BadInput, match="patch 2/3 is missing"):
        read_patches(mbox)


def test_two_versions_in_one_mailbox_are_refused(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, _ = linux
    mbox = tmp_path / "series.mbox"
    mbox.write_text(mailbox(repository) + mailbox(repository, "-v2"))
    with pytest.raises(BadInput, match="more than one series"):
        read_patches(mbox)


def test_a_reply_with_a_diff_of_its_own_is_left_out_beside_the_series(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    reply = run(repository, "format-patch", "--stdout", "-1", "--subject-prefix=PATCH 1/3", "HEAD").replace(
        "Subject: [PATCH 1/3]", "Subject: Re: [PATCH 1/3]"
    )
    mbox = tmp_path / "thread.mbox"
    mbox.write_text(mailbox(repository) + reply)
    assert apply(trees[0], read_patches(mbox)) == trees[3]


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
def test_encoded_mails_are_decoded(linux: tuple[Path, tuple[str, ...]], tmp_path: Path, encoding: str) -> None:
    repository, trees = linux
    plain = run(repository, "format-patch", "--stdout", "-1", "HEAD~2")
    head, _, body = plain.partition("\n\n")
    coded = base64.encodebytes(body.encode()).decode() if encoding == "base64" else body.replace("=", "=3D")
    fields = f"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}"
    one = tmp_path / "one.eml"
    one.write_text(f"{head.partition(chr(10))[2]}\n{fields}\n\n{coded}")
    assert apply(trees[0], read_patches(one)) == trees[1]


def test_a_bare_diff_and_a_directory_of_patches_are_patches(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    diff = tmp_path / "all.diff"
    diff.write_text(run(repository, "diff", "HEAD~3", "HEAD"))
    directory = tmp_path / "patches"
    run(repository, "format-patch", "-q", "--cover-letter", "-o", str(directory), "HEAD~3")
    assert patched(trees[0], (str(diff),)) == (trees[3], ("all",))
    assert patched(trees[0], (str(directory),))[0] == trees[3]
    assert len(read_patches(directory)) == 3


def test_a_directory_that_lacks_one_patch_of_a_series_is_refused(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    directory = tmp_path / "patches"
    run(linux[0], "format-patch", "-q", "-o", str(directory), "HEAD~3")
    sorted(directory.iterdir())[2].unlink()
    with pytest.raises(BadInput, match="patch 3/3 is missing"):
        read_patches(directory)


def test_one_patch_of_a_series_is_applied_when_its_file_is_named(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    directory = tmp_path / "patches"
    run(repository, "format-patch", "-q", "-o", str(directory), "HEAD~3")
    first = sorted(directory.iterdir())[0]
    assert apply(trees[0], read_patches(first)) == trees[1]
    alone = tmp_path / "alone"
    alone.mkdir()
    first.rename(alone / first.name)
    with pytest.raises(BadInput, match="patch 2/3 is missing"):
        read_patches(alone)


def test_a_quilt_series_file_gives_the_order_and_what_is_left_out(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    directory = tmp_path / "patches"
    directory.mkdir()
    (directory / "b.patch").write_text(run(repository, "diff", "HEAD~3", "HEAD~2"))
    (directory / "a.patch").write_text(run(repository, "diff", "HEAD~2", "HEAD~1"))
    (directory / "series").write_text("# order\nb.patch\na.patch -p1\n")
    assert patched(trees[0], (str(directory),))[0] == trees[2]
    (directory / "series").write_text("b.patch\n")
    assert patched(trees[0], (str(directory),))[0] == trees[1]


def test_what_does_not_apply_is_refused_with_file_line_and_hunk(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    diff = tmp_path / "other.diff"
    diff.write_text(run(repository, "diff", "HEAD~3", "HEAD~2").replace("return small(n)", "return smaller(n)"))
    with pytest.raises(NotBuilt) as caught:
        apply(trees[0], read_patches(diff))
    assert "patch 1 (other) does not apply at mm/walk.c:24" in caught.value.what
    assert "-\tif (n == 1)" in caught.value.what
    assert str(diff) in caught.value.remedy


def test_a_diff_without_a_newline_at_its_end_is_applied(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    diff = tmp_path / "pasted.diff"
    diff.write_text(run(repository, "diff", "HEAD~3", "HEAD~2").rstrip("\n"))
    assert apply(trees[0], read_patches(diff)) == trees[1]
    (tmp_path / "one.eml").write_text(run(repository, "format-patch", "--stdout", "--no-signature", "-1").rstrip())
    assert apply(trees[2], read_patches(tmp_path / "one.eml")) == trees[3]


def test_a_patch_whose_lines_were_wrapped_is_damaged(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    diff = tmp_path / "wrapped.diff"
    diff.write_text(run(repository, "diff", "HEAD~3", "HEAD~2").replace("+\tif (likely(n", "+\tif (likely(\nn"))
    with pytest.raises(NotBuilt, match=r"patch 1 \(wrapped\) is damaged: corrupt patch at line") as caught:
        apply(trees[0], read_patches(diff))
    assert "save it again" in caught.value.remedy and "rebase" not in caught.value.remedy


def test_a_patch_that_is_in_the_source_already_is_told_from_one_that_does_not_fit(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    diff = tmp_path / "first.diff"
    diff.write_text(run(repository, "diff", "HEAD~3", "HEAD~2"))
    with pytest.raises(NotBuilt, match="is in the source already"):
        apply(trees[1], read_patches(diff))


def test_a_patch_to_a_file_that_is_not_there_is_refused_in_words(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    diff = tmp_path / "elsewhere.diff"
    diff.write_text(run(linux[0], "diff", "HEAD~1", "HEAD").replace("walk.c", "gone.c"))
    with pytest.raises(NotBuilt, match=r"mm/gone.c: does not exist"):
        apply(linux[1][0], read_patches(diff))


def test_bytes_that_are_not_utf_8_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, _ = series(tmp_path, monkeypatch)
    commit(repository, BASE, "back")
    (repository / "mm" / "walk.c").write_bytes(BASE.replace("// SPDX", "// \xe9 SPDX").encode("latin-1"))
    run(repository, "commit", "-qam", "latin")
    mbox = tmp_path / "one.mbox"
    (repository / "mm" / "walk.c").write_bytes(FIRST.replace("// SPDX", "// \xe9 SPDX").encode("latin-1"))
    run(repository, "commit", "-qam", "next")
    run(repository, "format-patch", "-q", "-1", "-o", str(tmp_path / "out"), "HEAD")
    found = read_patches(next((tmp_path / "out").iterdir()))
    git.tree_of(repository, "HEAD")
    trees = [run(repository, "rev-parse", f"{at}^{{tree}}").strip() for at in ("HEAD~1", "HEAD")]
    assert apply(trees[0], found) == trees[1]
    assert not mbox.exists()


def test_nothing_to_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "notes").write_text("no patch\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "t.mbox.gz").write_bytes(gzip.compress(b"From x\n")[:-9])
    refused = {
        "gone": "no such patch",
        "notes": "neither a mail",
        "empty": "no patch in it",
        "t.mbox.gz": "and damaged",
    }
    for name, what in refused.items():
        with pytest.raises(BadInput, match=what):
            read_patches(tmp_path / name)


def test_a_thread_as_an_archive_of_mails_gives_it_is_read(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    thread = tmp_path / "t.mbox.gz"
    thread.write_bytes(gzip.compress(mailbox(repository).encode()))
    for given in (thread, tmp_path):
        found = read_patches(given)
        assert len(found) == 3 and apply(trees[0], found) == trees[3]


def test_a_mail_whose_subject_comes_after_pages_of_transport_headers_is_a_mail(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    seal = "ARC-Seal: i=1; " + "\n ".join(["b=" + "x" * 70] * 90) + "\nFrom: "
    mbox = tmp_path / "thread.mbox"
    mbox.write_text(mailbox(repository).replace("\nFrom: ", f"\n{seal}"))
    found = read_patches(mbox)
    assert found[0].subject == "mm/walk: expect small ones" and len(found) == 3
    assert apply(trees[0], found) == trees[3]


def test_versions_and_numbers_are_read_where_they_touch_the_word(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    repository, trees = linux
    mails = mailbox(repository, "--subject-prefix=PATCHv2").split("\nFrom ")
    mbox = tmp_path / "series.mbox"
    mbox.write_text("\nFrom ".join(["From " + mails[2], mails[1], mails[0].removeprefix("From ")]) + "\n")
    assert apply(trees[0], read_patches(mbox)) == trees[3]
    mbox.write_text(mailbox(repository) + mailbox(repository, "--subject-prefix=PATCHv2"))
    with pytest.raises(BadInput, match="more than one series"):
        read_patches(mbox)


def test_the_interdiff_of_a_cover_is_no_patch(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    mbox = tmp_path / "series.mbox"
    mbox.write_text(mailbox(repository, "--cover-letter", "--interdiff=HEAD~1", "-v2"))
    assert "diff --git" in mbox.read_text().partition("[PATCH v2 1/3]")[0]
    assert apply(trees[0], read_patches(mbox)) == trees[3]


def test_what_editors_leave_in_a_directory_is_no_patch(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    place = tmp_path / "patches"
    run(repository, "format-patch", "-q", "-o", str(place), "HEAD~3")
    first = sorted(place.iterdir())[0]
    for end in ("~", ".orig"):
        first.with_name(first.name + end).write_text(first.read_text().replace("likely", "unlikely"))
    assert apply(trees[0], read_patches(place)) == trees[3]


def test_a_home_that_nobody_has_is_a_path_that_is_not_there(linux: tuple[Path, tuple[str, ...]]) -> None:
    with pytest.raises(BadInput, match="no such patch"):
        patched(linux[1][0], ["~no-such-user/x.patch"])


def test_a_patch_of_other_paths_is_refused_in_gits_words_and_no_more(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    diff = tmp_path / "x.diff"
    diff.write_text("--- mm/walk.c\n+++ mm/walk.c\n@@ -1 +1 @@\n-a\n+b\n")
    with pytest.raises(NotBuilt) as caught:
        apply(linux[1][0], read_patches(diff))
    assert caught.value.what == "patch 1 (x) does not apply: its paths have no a/ and b/"
    assert "--src-prefix=a/" in caught.value.remedy
    new = "--- /dev/null\n+++ mm/new.c\n@@ -0,0 +1 @@\n+a\n"
    diff.write_text(f"{new}--- lib/walk.c\n+++ lib/walk.c\n@@ -1 +1 @@\n-a\n+b\n")
    with pytest.raises(NotBuilt) as caught:
        apply(linux[1][0], read_patches(diff))
    assert caught.value.what == "patch 1 (x) does not apply: walk.c: does not exist in index"


@pytest.mark.parametrize("context", [0, 1])
def test_lines_without_a_context_are_not_put_at_the_end_of_the_file(
    linux: tuple[Path, tuple[str, ...]], tmp_path: Path, context: int
) -> None:
    repository, trees = linux
    after = commit(repository, BASE.replace("\tint i;\n", "\tint i;\n\tint j;\n"), "one line more")
    diff = tmp_path / "more.diff"
    diff.write_text(run(repository, "diff", f"-U{context}", trees[0], after))
    if context:
        assert apply(trees[0], read_patches(diff)) == after
        return
    with pytest.raises(NotBuilt, match=r"has no context lines at mm/walk.c:4"):
        apply(trees[0], read_patches(diff))


def test_a_whole_file_needs_no_context(linux: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    repository, trees = linux
    texts = ("one\n", "two\n", "")
    after = [commit(repository, text, "whole") for text in texts]
    for before, then in zip((trees[3], *after), (*after, after[0]), strict=True):
        diff = tmp_path / "whole.diff"
        diff.write_text(run(repository, "diff", before, then))
        assert apply(before, read_patches(diff)) == then
