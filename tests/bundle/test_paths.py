# SPDX-License-Identifier: GPL-2.0-only
"""No path of the author's machine is in a bundle, and what it says stays the same."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from kassay.journal.directory import open_directory
from kassay.journal.journal import append
from kassay.model.build import BuildSource
from kassay.model.experiment import KernelUse
from kassay.model.plan import Plan
from kassay.model.progress import silent
from kassay.model.run import RunRecord, WallTime
from kassay.tools.bundle.pack import pack
from kassay.tools.bundle.paths import ShortNames, paths_in
from kassay.tools.bundle.verify import LIMIT, verify
from tests.bundle.test_packing import COSTS, RELEASES, names
from tests.history.directories import measured, plan_with, runs_of

pytestmark = pytest.mark.slow  # seconds for the whole file

HOME = "/home/ann/work"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (f"build:{HOME}/linux@v7.0+{HOME}/p.patch,tree=1", "build:linux@v7.0+p.patch,tree=1"),
        (f"built here from {HOME}/linux.", "built here from linux."),
        (f"{HOME}/linux/mm/mprotect.c:3", "linux/mm/mprotect.c:3"),
        (f"-I{HOME}/linux", "-Ilinux"),
        (f"{HOME}/linux-next and {HOME}/linux.old stay", f"{HOME}/linux-next and {HOME}/linux.old stay"),
        ("/root/.cache/kassay/plugin/1.so,mode=x", "CACHE/plugin/1.so,mode=x"),
        ("/mnt/big/kassay/kernels/1.build/vmlinux", "CACHE/kernels/1.build/vmlinux"),
        ("a/p.patch", "p.patch-2"),
        ("mm/a/p.patch", "mm/a/p.patch"),
    ],
)
def test_a_path_becomes_its_last_part(text: str, short: str) -> None:
    assert ShortNames([f"{HOME}/linux", f"{HOME}/p.patch", "a/p.patch", "debian-source:7.3", "lab"]).text(text) == short


def test_the_paths_of_a_reference_are_found_as_they_are_written() -> None:
    assert {"/a+b/linux", "/a%2Bb/linux", "/p", "/opt/gcc", "/my.config"} <= set(
        paths_in("arm64/build:/a%2Bb/linux@origin/x+/p,cc=/opt/gcc,config=/my.config")
    )
    assert "origin/x" not in paths_in("build:/linux@origin/x")
    assert paths_in("image:/boot/vmlinuz") == ("/boot/vmlinuz",)
    assert paths_in("my own name") == ()


def plan_of_paths() -> Plan:
    """Two kernels built of a tree in HOME."""
    plan = plan_with(RELEASES)
    refs = (f"build:{HOME}/linux@v7.0", f"build:{HOME}/linux+{HOME}/p.patch,config={HOME}/my.config")
    uses = tuple(KernelUse(ref=f"{ref},tree={'e' * 40}", name=ref) for ref in refs)
    kernels = tuple(
        replace(kernel, ref=use.ref, package_version=None, source=f"built here from {HOME}/linux",
                build=BuildSource(base=f"{HOME}/linux", version="7.0", tree="e" * 40, config=f"{HOME}/my.config"))
        for kernel, use in zip(plan.kernels, uses, strict=True)
    )  # fmt: skip
    return replace(plan, kernels=kernels, experiment=replace(plan.experiment, kernels=uses))


def test_a_bundle_of_built_kernels_names_no_path_and_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = measured(tmp_path / "d", plan_of_paths(), COSTS)
    more = RunRecord(
        run=runs_of(open_directory(place).plan, 0)[-1].id, attempt=2, outcome="no-boot", stream_sha256=None,
        console_sha256=None, detail=f"{HOME}/linux: no", wall=WallTime(), started_utc="2026-11-21T17:05:49Z",
        argv=("-kernel", "/home/ann/.cache/kassay/kernels/1.build/vmlinux"),
    )  # fmt: skip
    append(place / "journal.jsonl", more)
    before = (place / "plan.json").read_bytes()
    packing = pack(place, tmp_path / "b", silent)
    for name in names(tmp_path / "b"):
        if not name.endswith((".zst", ".png")):
            assert "/home" not in (tmp_path / "b" / name).read_text(), name
    assert verify(tmp_path / "b", LIMIT, silent).findings == 1
    packed = open_directory(tmp_path / "b" / "run")
    assert [use.name for use in packed.plan.experiment.kernels] == [
        "build:linux@v7.0", "build:linux+p.patch,config=my.config",
    ]  # fmt: skip
    assert packed.plan_id == packing.manifest.plan != open_directory(place).plan_id
    assert [run.id for run in packed.plan.runs] == [run.id for run in open_directory(place).plan.runs]
    assert (place / "plan.json").read_bytes() == before
    assert [build.problem for build in packing.builds] == ["the cache does not have its .config any more"] * 2
    assert any("build:linux@v7.0 cannot be built again: " in n for n in verify(tmp_path / "b", LIMIT, silent).notes)


def test_a_run_without_paths_is_packed_as_it_is(tmp_path: Path) -> None:
    place = measured(tmp_path / "d", plan_with(RELEASES), COSTS)
    pack(place, tmp_path / "b", silent)
    for name in ("plan.json", "journal.jsonl", "spec.toml"):
        assert (tmp_path / "b" / "run" / name).read_bytes() == (place / name).read_bytes()
    assert msgspec.json.decode((tmp_path / "b" / "manifest.json").read_bytes())["plan"] == open_directory(place).plan_id
