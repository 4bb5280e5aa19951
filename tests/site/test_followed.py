# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of a line: the newest of each series, heads of branches, and all that was measured, in order."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from kassay.errors import HostLacks
from kassay.labs.site.turn.followed import lines_of
from kassay.labs.site.turn.settings import Branch, Lab, parse
from kassay.model.progress import silent
from tests.histories import commit, git, line_of

pytestmark = pytest.mark.slow  # seconds for the whole file

OFFERED = ("6.12.9-1", "6.12.118-1", "6.16.12-1~bpo13+1", "6.17.8-1", "6.17.13-1", "7.0~rc3-1")


@pytest.fixture(autouse=True)
def archive(monkeypatch: pytest.MonkeyPatch) -> None:
    def versions(kind: str, arch: str, flavour: str, tell: Any) -> tuple[Any, ...]:
        return tuple(SimpleNamespace(version=version) for version in OFFERED)

    monkeypatch.setattr("kassay.supply.kernels.versions", versions)
    monkeypatch.setattr("kassay.labs.site.turn.followed.load_index", lambda arch: None)


def lab(tmp_path: Path, text: str, *branches: Branch) -> Lab:
    return structs.replace(parse(text, "lab.toml"), runs=str(tmp_path / "runs"), branch=branches)


def names(lab: Lab) -> list[list[str]]:
    return [[kernel.name for kernel in line.kernels] for line in lines_of(lab, silent)[0]]


def test_the_newest_package_of_each_series_is_followed(tmp_path: Path) -> None:
    assert names(lab(tmp_path, 'archive = "all"\n')) == [["6.12.118-1", "6.16.12-1~bpo13+1", "6.17.13-1", "7.0~rc3-1"]]
    assert names(lab(tmp_path, 'archive = "all"\nback = 2\n')) == [["6.17.13-1", "7.0~rc3-1"]]
    assert names(lab(tmp_path, 'archive = ["6.12", "6.17", "6.5"]\n')) == [["6.12.118-1", "6.17.13-1"]]


def test_measured_kernels_stay_in_their_place(tmp_path: Path) -> None:
    for pair in ("6.12.9-1..6.17.8-1", "6.17.8-1..6.17.9-1"):
        directory = tmp_path / "runs" / "x86_64" / "mm" / pair
        directory.mkdir(parents=True)
        (directory / "plan.json").touch()
    (tmp_path / "runs" / "x86_64" / "mm" / "6.1.1-1..6.2.2-1").mkdir()  # nothing was measured
    assert names(lab(tmp_path, 'archive = ["6.17"]\n')) == [["6.12.9-1", "6.17.8-1", "6.17.9-1", "6.17.13-1"]]
    left_out = 'archive = ["6.17"]\nleave_out = ["6.17.8-1"]\n'
    assert names(lab(tmp_path, left_out)) == [["6.12.9-1", "6.17.9-1", "6.17.13-1"]]


@pytest.mark.parametrize(("text", "note"), [
    ('archive = ["6.17", "9.9"]', "the archive has no kernel of series 9.9 for x86_64; its newest is 7.0"),
    ('archive = ["6.17"]', "x86_64: 6.17.13-1 is the only kernel, and a pair needs two; add a series"),
])  # fmt: skip
def test_what_cannot_be_followed_is_told(tmp_path: Path, text: str, note: str) -> None:
    assert note in lines_of(lab(tmp_path, text), silent)[1]


def test_a_flavour_without_kernels_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kassay.supply.kernels.versions", lambda *_: ())
    notes = lines_of(lab(tmp_path, 'archive = "all"\nflavour = "clod"\n'), silent)[1]
    assert notes == ("the archive has no kernel of flavour clod for x86_64",)


def test_without_the_archive_there_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> tuple[Any, ...]:
        raise HostLacks("no network")

    monkeypatch.setattr("kassay.supply.kernels.versions", away)
    lines, notes = lines_of(lab(tmp_path, 'archive = "all"\n'), silent)
    assert [line.kernels for line in lines] == [()]
    assert notes == ("the archive's kernels for x86_64 are not known now: no network",)


def test_an_old_list_of_the_archive_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = SimpleNamespace(fresh=False, made="2026-11-01T00:00:00Z")
    monkeypatch.setattr("kassay.labs.site.turn.followed.load_index", lambda arch: old)
    _, notes = lines_of(lab(tmp_path, 'archive = "all"\n'), silent)
    assert notes == ("the archive cannot be reached now; its kernels for x86_64 are those of 2026-11-01",)


def test_the_head_of_a_branch_stands_behind_the_newest_tag(tmp_path: Path) -> None:
    commits = line_of(tmp_path / "linux", 4)
    git(tmp_path / "linux", "tag", "v1", commits[1])
    lines, notes = lines_of(
        lab(tmp_path, 'archive = "all"\n', Branch(tree=str(tmp_path / "linux"), name="main")), silent
    )
    assert notes == ()
    assert (lines[1].key, lines[1].arch) == ("x86_64-linux-main", "x86_64")
    assert [kernel.name for kernel in lines[1].kernels] == [commits[1][:12], commits[4][:12]]
    assert lines[1].kernels[1].ref == f"build:{tmp_path}/linux@{commits[4]}"


def test_a_branch_grows_and_is_built_as_asked(tmp_path: Path) -> None:
    tree = tmp_path / "linux"
    commits = line_of(tree, 2)
    branch = Branch(tree=str(tree), name="main", since=commits[0], build="cc=gcc-14")
    measured = tmp_path / "runs" / "x86_64-linux-main" / "mm" / f"{commits[0][:12]}..{commits[2][:12]}"
    measured.mkdir(parents=True)
    (measured / "plan.json").touch()
    head = commit(tree, "further")
    (line,) = lines_of(lab(tmp_path, 'archive = ["1.1"]\n', branch), silent)[0][1:]
    assert [kernel.name for kernel in line.kernels] == [commits[0][:12], commits[2][:12], head[:12]]
    assert line.kernels[-1].ref == f"build:{tree}@{head},cc=gcc-14"


@pytest.mark.parametrize("number", range(6))
def test_commits_of_one_second_stand_behind_their_ancestors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Six pairs, since the order of two equal times would be right by chance in every second of them."""
    tree = tmp_path / "linux"
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1700000000 +0000")
    since = line_of(tree, 0)[0]
    heads = [commit(tree, f"{number}-{place}") for place in range(3)]
    branch = Branch(tree=str(tree), name="main", since=since)
    measured = tmp_path / "runs" / "x86_64-linux-main" / "mm" / f"{since[:12]}..{heads[1][:12]}"
    measured.mkdir(parents=True)
    (measured / "plan.json").touch()
    (line,) = lines_of(lab(tmp_path, 'archive = ["1.1"]\n', branch), silent)[0][1:]
    assert [kernel.name for kernel in line.kernels] == [sha[:12] for sha in (since, heads[1], heads[2])]


def test_a_branch_is_fetched_from_its_remote(tmp_path: Path) -> None:
    line_of(tmp_path / "upstream", 1)
    git(tmp_path, "clone", "--quiet", str(tmp_path / "upstream"), str(tmp_path / "linux"))
    first = git(tmp_path / "linux", "rev-parse", "HEAD")
    head = commit(tmp_path / "upstream", "new")
    branch = Branch(tree=str(tmp_path / "linux"), name="main", remote="origin", since=first)
    (line,) = lines_of(lab(tmp_path, 'archive = ["1.1"]\n', branch), silent)[0][1:]
    assert line.kernels[-1].name == head[:12]
    assert git(tmp_path / "linux", "rev-parse", "HEAD") == first


@pytest.mark.parametrize(("changes", "note"), [
    ({"name": "gone"}, "no revision 'gone'"), ({"tree": "/nowhere"}, "not a git repository"),
    ({"since": ""}, "no tag below"), ({"remote": "/nowhere"}, "/nowhere"),
])  # fmt: skip
def test_a_branch_that_cannot_be_read_is_a_note(tmp_path: Path, changes: dict[str, str], note: str) -> None:
    commits = line_of(tmp_path / "linux", 1)
    branch = structs.replace(Branch(tree=str(tmp_path / "linux"), name="main", since=commits[0]), **changes)
    lines, notes = lines_of(lab(tmp_path, 'archive = "all"\n', branch), silent)
    assert len(notes) == 1 and note in notes[0]
    assert len(lines[0].kernels) == 4 and lines[1].kernels == ()
