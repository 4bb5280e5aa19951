# SPDX-License-Identifier: GPL-2.0-only
"""Sources are checked out as a git tree whose kernel is that of the reference."""

import subprocess
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.build import parse_build
from kassay.model.progress import silent
from kassay.supply.building import git
from kassay.supply.building.checkout import check_out
from kassay.supply.building.source import source_tree
from tests.building.test_git import files

MAKEFILE = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_tree_is_that_of_the_reference_and_can_be_committed_to(tmp_path: Path) -> None:
    plain = files(tmp_path / "plain", Makefile=MAKEFILE, a="1\n")
    out = tmp_path / "linux"
    source = check_out(parse_build(str(plain)), out, silent)
    assert source.version.startswith("7.3.4")
    assert source_tree(parse_build(f"{out}@base"), silent)[0] == source.tree
    (out / "a").write_text("2\n")
    words = (
        "git",
        "-C",
        str(out),
        "-c",
        "user.name=u",
        "-c",
        "user.email=u@h",
        "commit",
        "--quiet",
        "--all",
        "-m",
        "a",
    )
    subprocess.run(words, check=True)
    assert source_tree(parse_build(f"{out}@HEAD"), silent)[0] != source.tree
    assert source_tree(parse_build(f"{out}@base"), silent)[0] == source.tree
    assert git.git(("for-each-ref",)) == ""


def test_a_new_file_in_sources_that_ignore_every_file_is_seen(tmp_path: Path) -> None:
    """Debian's sources end in such a pattern, for its own repository."""
    plain = files(tmp_path / "plain", **{"Makefile": MAKEFILE, ".gitignore": "*.o\n/*\n!/debian/\n"})
    out = tmp_path / "linux"
    check_out(parse_build(str(plain)), out, silent)
    (out / "new.c").write_text("1\n")
    (out / "new.o").write_text("1\n")
    assert git.git(("status", "--porcelain"), repository=out) == "?? new.c\n"
    assert git.read(source_tree(parse_build(str(out)), silent)[0], "new.c") == "1\n"


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    plain = files(tmp_path / "plain", Makefile=MAKEFILE)
    with pytest.raises(BadInput, match="is there already"):
        check_out(parse_build(str(plain)), plain, silent)
    assert [path.name for path in plain.iterdir()] == ["Makefile"]
