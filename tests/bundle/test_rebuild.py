# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of a bundle are built again from public sources on another account. The build itself is replaced."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kassay import pipeline
from kassay.effects.distribution import install
from kassay.errors import BadInput, HostLacks
from kassay.model.build import BuildSource, parse_build
from kassay.model.experiment import Experiment, KernelUse
from kassay.model.guest import Programs
from kassay.model.kernel import KernelIdentity, KernelRef
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell, silent
from kassay.supply import kernels
from kassay.supply.building import git
from kassay.supply.building.compilers import Compiler
from kassay.supply.building.config import request_sha256, requested
from kassay.tools.bundle import builds, rebuild
from kassay.tools.bundle.manifest import NAME, Manifest, packed_files, write_manifest
from kassay.tools.bundle.pack import pack
from kassay.tools.bundle.rebuild import Given, rebuilt_text
from kassay.tools.bundle.verify import LIMIT, Rerun, rerun, verify
from tests.building._repository import commit, run
from tests.bundle.test_packing import COSTS, RELEASES
from tests.history.directories import measured, plan_with

pytestmark = pytest.mark.slow
GCC = "gcc (Debian 12.2.0-14+deb12u1) 12.2.0"
CONFIG = f'CONFIG_CC_VERSION_TEXT="{GCC}"\nCONFIG_MMU=y\n'.encode()
MAKEFILE = "VERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\n"
ADDRESS = "https://git.kernel.org/linux.git"


def image_of(tree: str) -> str:
    """Hash of the image that a source tree gives."""
    return tree + "0" * 24


class Author:
    """A tree with a public commit and a change on it, and the two kernels that were built of them."""

    def __init__(self, place: Path) -> None:
        self.linux, self.place = place / "linux", place
        self.linux.mkdir()
        (self.linux / "Makefile").write_text(MAKEFILE)
        run(self.linux, "init", "-q", "-b", "main")
        self.trees = tuple(commit(self.linux, text, text) for text in ("public\n", "mine\n"))
        run(self.linux, "remote", "add", "origin", ADDRESS)
        run(self.linux, "update-ref", "refs/remotes/origin/main", "HEAD~1")
        git.link(self.linux)

    def plan(self, options: str = ",config=/home/ann/my.config") -> Plan:
        plan = plan_with(RELEASES)
        refs = [f"build:{self.linux}@{revision}{options},tree={tree}"
                for revision, tree in zip(("HEAD~1", "HEAD"), self.trees, strict=True)]  # fmt: skip
        uses = tuple(KernelUse(ref=ref, name=name) for ref, name in zip(refs, ("base", "mine"), strict=True))
        identities = tuple(
            replace(kernel, ref=ref, package_version=None, image_sha256=image_of(tree),
                    build=BuildSource(base=parse_build(ref[6:]).tree, version="7.3.4", tree=tree))
            for kernel, ref, tree in zip(plan.kernels, refs, self.trees, strict=True)
        )  # fmt: skip
        return replace(plan, kernels=identities, experiment=replace(plan.experiment, kernels=uses))

    def public(self) -> Path:
        """A clone that has the public commit alone."""
        clone = self.place / "public"
        run(self.place, "init", "-q", "--bare", str(clone))
        run(clone, "fetch", "-q", str(self.linux), "refs/remotes/origin/main:refs/heads/main")
        return clone

    def packed(self, name: str = "b", options: str = ",config=/home/ann/my.config", base: str = "") -> Path:
        place = measured(self.place / f"{name}-runs", self.plan(options), COSTS)
        pack(place, self.place / name, silent, base)
        return self.place / name


@pytest.fixture
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Author:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "author's cache"))
    monkeypatch.setattr(builds, "stored_config", lambda kernel: CONFIG)

    def unknown(ref: KernelRef, tell: Tell) -> object:
        raise BadInput("my.config is gone")

    monkeypatch.setattr(builds, "resolved_build", unknown)
    return Author(tmp_path)


class Stranger:
    """Another account: an empty cache, compilers, builds and machines that are replaced."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(place / "stranger's cache"))
        monkeypatch.setattr(rebuild, "find_compiler", self._compiler)
        monkeypatch.setattr(rebuild, "resolved_build", self._resolved)
        monkeypatch.setattr(kernels, "fetch", self._fetch)
        monkeypatch.setattr(pipeline, "measure", self._measure)
        self.place, self.compilers, self.image = place, {"gcc": GCC}, image_of
        self.built: list[KernelRef] = []
        self.experiments: list[Experiment] = []
        self.told: list[Progress] = []

    def rerun(self, bundle: Path, source: Path | None = None, compiler: str = "") -> Rerun:
        out = self.place / "again"
        return rerun(bundle, lambda _: out, LIMIT, self.told.append, given=Given(source, compiler))

    def _compiler(self, name: str, arch: str, tell: Tell) -> Compiler:
        if name.startswith("/"):  # a link: gcc prints the name that it is called by
            target = self._compiler(Path(name).readlink().name, arch, tell)
            return replace(target, banner=re.sub(r"^\S+", Path(name).name, target.banner))
        if name not in self.compilers:
            raise HostLacks(f"compiler {name}: not on this host")
        path, banner = f"/usr/bin/{name}", self.compilers[name]
        return Compiler(path=path, arch=arch, banner=banner, identity="1", make_arguments=(), tools_prefix="")

    def _resolved(self, ref: KernelRef, tell: Tell) -> object:
        compiler = self._compiler(parse_build(ref.locator).cc, ref.arch, tell)
        return SimpleNamespace(recipe=SimpleNamespace(compiler=compiler, linker="ld 2")), ""

    def _fetch(self, refs: Sequence[KernelRef], flavour: str, tell: Tell) -> Sequence[object]:
        self.built += refs
        tree = parse_build(refs[0].locator).pin
        assert git.has_tree(tree)
        image = self.image(tree)
        return [SimpleNamespace(identity=KernelIdentity(ref="", arch="x86_64", release="7", image_sha256=image))]

    def _measure(self, experiment: Experiment, place: Path, tell: Tell, programs: Programs | None, *, cluster: str
                 ) -> None:  # fmt: skip
        self.experiments.append(experiment)
        plan = plan_with(RELEASES)
        measured(place, replace(plan, experiment=replace(plan.experiment, name="again")), COSTS)


def as_stranger(author: Author, monkeypatch: pytest.MonkeyPatch, **words: str) -> tuple[Path, Stranger]:
    bundle = author.packed(**words)
    return bundle, Stranger(author.place, monkeypatch)


def test_a_stranger_builds_the_same_kernels(author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, stranger = as_stranger(author, monkeypatch)
    first, second = builds.read_builds(bundle)
    assert first.source == second.source and second.source is not None
    assert (second.source.name, second.source.tree) == (ADDRESS, author.trees[0])
    assert (first.patch, second.compiler) == ("", GCC)
    assert "+mine" in (bundle / builds.FOLDER / second.patch).read_text()
    again = stranger.rerun(bundle, author.public())
    assert [(kernel.label, kernel.unlike) for kernel in again.kernels] == [("base", ()), ("mine", ())]
    assert [rebuilt_text(kernel) for kernel in again.kernels] == [
        f"{name}: built again, the same image (sha256 {tree[:12]})\n"
        for name, tree in zip(("base", "mine"), author.trees, strict=True)
    ]
    assert [parse_build(ref.locator).pin for ref in stranger.built] == list(author.trees)
    configs = {parse_build(ref.locator).config for ref in stranger.built}
    assert [Path(config).read_bytes() for config in configs] == [CONFIG]
    assert [use.name for use in stranger.experiments[0].kernels] == ["base", "mine"]
    assert any("which changes mm/walk.c" in progress.text for progress in stranger.told)
    assert again.results[0].exact


@pytest.mark.parametrize("asked", [{"compiler": "gcc"}, {"source": Path()}])
def test_options_of_builds_are_refused_where_nothing_was_built(
    author: Author, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    place = measured(tmp_path / "runs", plan_with(RELEASES), COSTS)
    with pytest.raises(BadInput, match="--base linux: no kernel of this directory was built"):
        pack(place, tmp_path / "b", silent, "linux")
    pack(place, tmp_path / "b", silent)
    stranger = Stranger(tmp_path, monkeypatch)
    (option,) = asked
    with pytest.raises(BadInput, match=f"--{option}: no kernel of this bundle is built"):
        stranger.rerun(tmp_path / "b", **asked)
    assert not stranger.experiments


def test_another_image_names_what_differs_and_the_runs_are_made(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, stranger = as_stranger(author, monkeypatch)
    stranger.image, stranger.compilers = lambda tree: "0" * 64, {"gcc-14": "gcc (Debian 14.2.0-19) 14.2.0"}
    again = stranger.rerun(bundle, author.linux, "gcc-14")
    text = rebuilt_text(again.kernels[1])
    assert "mine: built again, ANOTHER image" in text
    assert f"compiler: {GCC} then, gcc (Debian 14.2.0-19) 14.2.0 now" in text
    assert len(stranger.experiments) == 1 and {parse_build(ref.locator).cc for ref in stranger.built} == {"gcc-14"}


def test_a_compiler_of_the_recorded_version_is_looked_for_by_its_number(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, stranger = as_stranger(author, monkeypatch)
    stranger.compilers = {"gcc": "gcc (Debian 14.2.0-19) 14.2.0", "gcc-12": GCC.replace("gcc", "gcc-12")}
    stranger.rerun(bundle, author.linux)
    (used,) = {parse_build(ref.locator).cc for ref in stranger.built}
    assert (Path(used).name, Path(used).readlink()) == ("gcc", Path("/usr/bin/gcc-12"))


def test_a_missing_compiler_is_named_with_its_package_before_anything_is_built(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, stranger = as_stranger(author, monkeypatch)
    stranger.compilers = {"gcc": "gcc (Debian 14.2.0-19) 14.2.0"}
    with pytest.raises(HostLacks) as caught:
        stranger.rerun(bundle, author.linux)
    for words in (f"base was compiled by {GCC}", "gcc is gcc (Debian 14.2.0-19)", "compiler gcc-12: not on this host"):
        assert words in caught.value.what
    assert install("gcc-12") in caught.value.remedy and "--compiler gcc" in caught.value.remedy
    assert stranger.built == []


def test_the_lab_configuration_is_used_where_it_is_the_recorded_one(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolved(ref: KernelRef, tell: Tell) -> object:
        tree = parse_build(ref.locator).pin
        text, base = requested(parse_build(ref.locator), "x86_64", "7.3.4", rebuild._no_distribution, tell)
        compiler = SimpleNamespace(identity="1")
        recipe = SimpleNamespace(requested=text, base=base, compiler=compiler, linker="ld 2")
        return SimpleNamespace(recipe=recipe), image_of(tree)

    monkeypatch.setattr(builds, "resolved_build", resolved)
    bundle, stranger = as_stranger(author, monkeypatch, options=",align=64")
    stranger.rerun(bundle, author.linux)
    assert {parse_build(ref.locator).config for ref in stranger.built} == {"lab"}
    shutil.rmtree(author.place / "again")
    monkeypatch.setattr(rebuild, "request_sha256", lambda text, base: request_sha256(text + "CONFIG_NEW=y\n", base))
    stranger.built.clear()
    stranger.rerun(bundle, author.linux)
    assert all(parse_build(ref.locator).config.endswith(".config") for ref in stranger.built)


def test_private_sources_need_a_word_of_the_author(author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    public = author.public()
    run(public, "remote", "add", "origin", ADDRESS)
    run(public, "update-ref", "refs/remotes/origin/main", "main")
    run(author.linux, "remote", "remove", "origin")
    without, with_base = author.packed("without"), author.packed("with", base=f"{public}@main")
    assert any("mine cannot be built again: linux: no commit of it" in n for n in verify(without, LIMIT, silent).notes)
    source = builds.read_builds(with_base)[1].source
    assert source is not None and source.tree == author.trees[0]
    stranger = Stranger(author.place, monkeypatch)
    with pytest.raises(BadInput) as caught:
        stranger.rerun(without)
    assert "cannot be built again" in caught.value.what and "--base" in caught.value.remedy
    stranger.rerun(with_base, author.linux)
    assert len(stranger.built) == 2


def resealed(bundle: Path) -> None:
    """A manifest that fits the files there are now."""
    (bundle / NAME).chmod(0o644)
    manifest = msgspec.json.decode((bundle / NAME).read_bytes(), type=Manifest)
    write_manifest(bundle, replace(manifest, files=packed_files(bundle)))


def test_a_bundle_of_an_earlier_version_is_refused_before_anything_is_built(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = author.packed()
    shutil.rmtree(bundle / builds.FOLDER)
    text = (bundle / "README").read_text()
    (bundle / "README").write_text(re.sub(r"    source/kernels/ .*\n", "", text))
    resealed(bundle)
    assert verify(bundle, LIMIT, silent).findings == 1
    assert rerun_here(author, monkeypatch, bundle)
    stranger = Stranger(author.place, monkeypatch)
    with pytest.raises(BadInput, match="base cannot be built again: an earlier version of kassay packed the bundle"):
        stranger.rerun(bundle)
    assert stranger.experiments == []


def rerun_here(author: Author, monkeypatch: pytest.MonkeyPatch, bundle: Path) -> bool:
    """True if the author's own host makes the runs again."""
    with monkeypatch.context() as patched:
        own = Stranger(author.place, patched)
        patched.setenv("XDG_CACHE_HOME", str(author.place / "author's cache"))
        own.rerun(bundle)
        return len(own.experiments) == 1


def test_a_patch_that_gives_another_tree_is_refused(author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, stranger = as_stranger(author, monkeypatch)
    patch = bundle / builds.FOLDER / builds.read_builds(bundle)[1].patch
    patch.chmod(0o644)
    patch.write_text(patch.read_text().replace("+mine", "+evil"))
    resealed(bundle)
    with pytest.raises(BadInput, match="the patch gives git tree"):
        stranger.rerun(bundle, author.public())
    assert stranger.built == []
