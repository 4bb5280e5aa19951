# SPDX-License-Identifier: GPL-2.0-only
"""Only kernels of one line of development are neighbours in a series."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.model.build import BuildSource
from kassay.model.kernel import KernelIdentity
from kassay.tools.history.add import add
from kassay.tools.history.archive import Archive, writing
from kassay.tools.history.development import developments
from kassay.tools.history.gather import _ref
from kassay.tools.history.nominations import known, nominations
from kassay.tools.history.query import SeriesFilter, lines, release_order
from kassay.tools.history.records import Batch, KernelPoint, StoredKernel
from tests.histories import commit, git, line_of
from tests.history.batches import batch_of

PIN = "a1b2c3d4e5" * 4


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with writing(tmp_path / "h.duckdb") as opened:
        yield opened


def kernel(ref: str, release: str, compiler: str = "gcc 12") -> StoredKernel:
    return StoredKernel(name=ref, ref=ref, release=release, arch="x86_64", image_sha256=f"image {ref} {compiler}",
                        compiler=compiler)  # fmt: skip


def mixed() -> Batch:
    """An afternoon of a user: a ladder of patched builds, two configurations, archive kernels, compilers."""
    kernels = (
        kernel("debian:6.17.13-1", "6.17.13", "gcc 14"), kernel("debian:6.12.1-1", "6.12.1", "gcc 12"),
        kernel("build:debian-source:6.17+fast.patch", "6.17.13"), kernel("build:debian-source:6.17", "6.17.13"),
        kernel("build:debian-source:6.17+keep.patch", "6.17.13"), kernel("build:debian-source:6.16", "6.16.9"),
        kernel("build:debian-source:6.17,config=distro", "6.17.13"),
        kernel("build:debian-source:6.17,cc=gcc-14", "6.17.13", "gcc 14"),
        kernel("build:debian-source:6.17+fast.patch,config=distro", "6.17.13"),
    )  # fmt: skip
    values = {f"{number}": [100.0 * (number + 1)] for number in range(len(kernels))}
    return Batch(**{name: getattr(batch_of(values), name) for name in Batch.__struct_fields__} | {"kernels": kernels})


def test_kernels_that_cannot_be_compared_are_never_neighbours(archive: Archive) -> None:
    add(archive, mixed())
    found = [[point.kernel.ref.removeprefix("build:debian-source:") for point in line.points]
             for line in lines(archive, SeriesFilter())]  # fmt: skip
    assert sorted(found) == sorted([
        ["debian:6.12.1-1", "debian:6.17.13-1"],
        ["6.16", "6.17"],
        ["6.17", "6.17+fast.patch"],
        ["6.17", "6.17+keep.patch"],
        ["6.17,config=distro"],
        ["6.17,cc=gcc-14"],
        ["6.17,config=distro", "6.17+fast.patch,config=distro"],
    ])  # fmt: skip


def test_a_patch_is_nominated_against_its_base_alone(archive: Archive) -> None:
    add(archive, mixed())
    found = [(one.before.kernel.ref, one.after.kernel.ref) for line in lines(archive, SeriesFilter())
             for one in nominations(line, known(archive))]  # fmt: skip
    patched = [pair for pair in found if "patch" in "".join(pair)]
    assert len(patched) == 3
    assert all(after.replace("+fast.patch", "").replace("+keep.patch", "") == before for before, after in patched)


def test_the_change_of_a_patched_build_is_that_to_its_base(archive: Archive) -> None:
    add(archive, mixed())
    by_name = {line.points[-1].kernel.ref: line.points[-1].change for line in lines(archive, SeriesFilter())}
    assert by_name["build:debian-source:6.17+fast.patch"] == 300 / 400 - 1
    assert by_name["build:debian-source:6.17+keep.patch"] == 500 / 400 - 1


def point(ref: str, release: str = "6.17.0") -> KernelPoint:
    return KernelPoint(kernel=kernel(ref, release), value=1.0, n=1, spread=None, floor=None, first="", last="",
                       session="")  # fmt: skip


def test_commits_stand_in_their_order_whatever_was_measured_first() -> None:
    when = {"c3": 3, "c1": 1, "c2": 2}
    points = [point(f"build:/linux@{name}") for name in when]
    ((name, found),) = developments(points, release_order, lambda *_: when)
    assert [one.kernel.ref[-2:] for one in found] == ["c1", "c2", "c3"]
    assert name == "build:/linux, gcc 12"


def test_builds_whose_order_is_not_known_are_no_neighbours() -> None:
    points = [point(f"build:/gone@{name}") for name in ("c1", "c2")] + [point("build:/gone@v6.16", "6.16.0")]
    found = developments(points, release_order, lambda *_: {})
    assert sorted(len(members) for _, members in found) == [1, 1, 1]


def test_a_branch_is_a_line_that_begins_where_it_forks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "linux"
    commits = line_of(tree, 3)
    git(tree, "checkout", "--quiet", "-b", "topic", commits[1])
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1700000001 +0000")
    topic = commit(tree, "topic", "other")
    names = {commits[1]: "main1", topic: "topic", commits[2]: "main2", commits[3]: "main3"}
    found = developments([point(f"build:{tree}@{sha}") for sha in names], release_order)
    lines = [[names[one.kernel.ref.partition("@")[2]] for one in members] for _, members in found]
    assert sorted(lines) == [["main1", "main2", "main3"], ["main1", "topic"]]
    assert len({name for name, _ in found}) == 2


def test_the_row_of_a_series_is_stored_with_its_patches() -> None:
    source = BuildSource(base="/linux@v6.17", version="6.17.0", tree=PIN, patches=("mm: faster",))
    ref = f"build:/linux@v6.17,tree={PIN}"
    identity = KernelIdentity(ref=ref, arch="x86_64", release="6.17.0", image_sha256=None, build=source)
    assert _ref(identity) == f"build:/linux@v6.17+mm: faster,tree={PIN}"
