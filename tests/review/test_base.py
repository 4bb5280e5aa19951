# SPDX-License-Identifier: GPL-2.0-only
"""The base of a series is found in the order of its own words, and every try is reported."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.review import base as base_module
from kassay.labs.review.base import FoundBase, find_base
from kassay.model.progress import silent
from kassay.supply.archive.sources_list import SourceList, SourceVersion
from kassay.supply.building import debian_source
from kassay.supply.building.maintainers import Maintainers
from tests.building._repository import BASE, run, series

pytestmark = pytest.mark.slow  # seconds for the whole file

MAKEFILE = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 0\nEXTRAVERSION =\n"
MAINTAINERS = """Maintainers List

MEMORY MANAGEMENT
T:	git git://git.example.org/akpm/mm mm-new
T:	quilt git://git.example.org/akpm/25-new
F:	mm/

THE REST
T:	git git://git.example.org/torvalds/linux.git
F:	*
F:	*/
"""
OTHER = BASE.replace("return small(n);", "return other(n);").replace("n == 1", "n == 2")


class Kernel:
    """A kernel tree whose main branch the series does not apply to; branch "fits" is where it was made."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tree, _ = series(place, monkeypatch)
        self.mbox = place / "series.mbx"
        run(self.tree, "checkout", "-q", "-b", "fits", "HEAD~3")
        for name, text in {"Makefile": MAKEFILE, "MAINTAINERS": MAINTAINERS}.items():
            (self.tree / name).write_text(text)
        run(self.tree, "add", "-A")
        run(self.tree, "commit", "-q", "-m", "kernel")
        self.fits = self.commit("fits")
        run(self.tree, "cherry-pick", "main~2", "main~1", "main")
        self.write()
        run(self.tree, "checkout", "-q", "-B", "main", self.fits)
        (self.tree / "mm/walk.c").write_text(OTHER)
        run(self.tree, "commit", "-q", "-a", "-m", "other")
        self.series_end = self.commit("fits")
        run(self.tree, "branch", "-D", "-q", "fits")

    def commit(self, revision: str) -> str:
        return run(self.tree, "rev-parse", revision).strip()

    def write(self, *options: str, revision: str = "HEAD") -> None:
        self.mbox.write_text(run(self.tree, "format-patch", "--stdout", *options, f"{self.fits}..{revision}"))

    def found(self, base: str = "") -> FoundBase:
        return find_base(self.mbox, base=base, tree=self.tree, options=",cc=gcc-12", tell=silent)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    versions = tuple(SourceVersion(version=version, files=()) for version in ("6.18.2-1", "6.18.3-1"))
    for module in (base_module, debian_source):
        monkeypatch.setattr(module, "listed_sources", lambda tell: SourceList(made="now", versions=versions))
    return Kernel(tmp_path, monkeypatch)


def outcomes(found: FoundBase) -> list[tuple[str, str, str]]:
    return [(one.how, one.what, one.outcome) for one in found.tries]


def test_base_commit_comes_first(kernel: Kernel) -> None:
    kernel.write("--cover-letter", f"--base={kernel.fits}", revision=kernel.series_end)
    found = kernel.found()
    assert found.ref == f"build:{kernel.tree}@{kernel.fits},cc=gcc-12"
    assert outcomes(found) == [("base-commit", kernel.fits, "applies")]
    assert run(kernel.tree, "status", "--porcelain") == ""


def test_a_branch_below_the_name_of_a_tree_is_not_that_tree(kernel: Kernel) -> None:
    kernel.write("--subject-prefix=PATCH mm", revision=kernel.series_end)
    run(kernel.tree, "branch", "mm/my-work", kernel.fits)
    with pytest.raises(BadInput, match="has no branch of this name"):
        kernel.found()


def test_prerequisites_are_named_before_the_base_that_lacks_them(kernel: Kernel) -> None:
    """The series applies without them, but to sources that its author did not have."""
    kernel.write("--cover-letter", f"--base={kernel.fits}", revision=kernel.series_end)
    patch_id = "0123456789abcdef0123456789abcdef01234567"
    mails = kernel.mbox.read_text()
    kernel.mbox.write_text(mails.replace("base-commit:", f"prerequisite-patch-id: {patch_id}\nbase-commit:", 1))
    assert outcomes(kernel.found()) == [
        ("prerequisites", patch_id, "not-tried"), ("base-commit", kernel.fits, "applies"),
    ]  # fmt: skip


def test_sources_are_tried_in_order_until_one_applies(kernel: Kernel) -> None:
    kernel.write("--subject-prefix=PATCH mm-unstable v2", revision=kernel.series_end)
    lost = "0123456789abcdef0123456789abcdef01234567"
    kernel.mbox.write_text(
        kernel.mbox.read_text().replace(
            "\n-- \n", f"\nbase-commit: {lost}\nprerequisite-patch-id: {lost[::-1]}\n-- \n", 1
        )
    )
    run(kernel.tree, "remote", "add", "mm", "https://git.example.org/akpm/mm.git")
    run(kernel.tree, "update-ref", "refs/remotes/mm/mm-new", "main")
    for tag, commit in {"v7.2": "main", "v7.3-rc1": kernel.fits, "v7.3": "main", "v-mine": "main"}.items():
        run(kernel.tree, "tag", tag, commit)
    found = kernel.found()
    assert outcomes(found) == [
        ("prerequisites", lost[::-1], "not-tried"),
        ("base-commit", lost, "absent"),
        ("tree-tag", "mm-unstable", "absent"),
        ("maintainers", "git://git.example.org/akpm/mm mm-new", "does-not-apply"),
        ("maintainers", "git://git.example.org/torvalds/linux.git", "absent"),
        ("tag", "v7.3", "not-tried"),
        ("tag", "v7.3-rc1", "applies"),
    ]
    assert "does not apply at mm/walk.c:" in found.tries[3].detail
    assert found.tries[5].detail == "the same source as maintainers git://git.example.org/akpm/mm mm-new"
    assert found.ref.startswith(f"build:{kernel.tree}@{kernel.fits}")


def test_branch_of_a_remote_that_the_subject_names(kernel: Kernel) -> None:
    kernel.write("--subject-prefix=PATCH mm-unstable RFC v2", revision=kernel.series_end)
    run(kernel.tree, "update-ref", "refs/remotes/akpm/mm-unstable", kernel.fits)
    assert outcomes(kernel.found()) == [("tree-tag", "mm-unstable", "applies")]


def test_error_lists_every_try(kernel: Kernel) -> None:
    with pytest.raises(BadInput) as caught:
        kernel.found()
    words = str(caught.value)
    assert "head HEAD: does not apply: patch 1 (mm/walk: expect small ones) does not apply at mm/walk.c:" in words
    assert "archive 6.18.3: absent: debian-source:6.18.3: the archive has no such version" in words
    assert "--base build:TREE@REV" in caught.value.remedy


def test_error_names_the_series_as_the_user_did(kernel: Kernel) -> None:
    with pytest.raises(BadInput, match=r"^v7.0..mine: the base that was given does not work"):
        find_base(kernel.mbox, base="main", tree=kernel.tree, options="", tell=silent, name="v7.0..mine")


def test_given_base_is_the_only_one_tried(kernel: Kernel) -> None:
    found = kernel.found(base=kernel.fits[:12])
    assert outcomes(found) == [("given", kernel.fits[:12], "applies")]
    assert kernel.found(base=f"build:{kernel.tree}@{kernel.fits}").ref == found.ref
    with pytest.raises(BadInput, match="given main: does not apply"):
        kernel.found(base="main")


def test_hunk_that_a_given_base_refuses_is_shown(kernel: Kernel) -> None:
    with pytest.raises(BadInput) as caught:
        find_base(kernel.mbox, base="main", tree=kernel.tree, options="", tell=silent)
    assert "does not apply at mm/walk.c:" in caught.value.what and "\n    @@ -" in caught.value.what


def test_tree_must_be_a_kernel(kernel: Kernel, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a git tree of a kernel"):
        find_base(kernel.mbox, base="", tree=tmp_path, options="", tell=silent)


def test_maintainers_of_the_most_specific_pattern_come_first() -> None:
    assert Maintainers(MAINTAINERS).trees(["mm/walk.c"]) == (
        "git://git.example.org/akpm/mm mm-new",
        "git://git.example.org/torvalds/linux.git",
    )
    assert Maintainers(MAINTAINERS).trees(["README"]) == ("git://git.example.org/torvalds/linux.git",)
