# SPDX-License-Identifier: GPL-2.0-only
"""The kernels of a bundle, built again from public sources and the bundle's patches."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.distribution import install
from kassay.effects.files import cache_directory, disk_errors, expanded, sha256_bytes, write_atomic
from kassay.errors import BadInput, HostLacks, KassayError
from kassay.model.build import BuildRef, BuildSource, parse_build
from kassay.model.experiment import Experiment, labels
from kassay.model.kernel import KernelIdentity, KernelRef, parse_ref, with_build
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.model.reference_files import image_files
from kassay.supply import kernels
from kassay.supply.building import git
from kassay.supply.building.builder import BUILDER
from kassay.supply.building.compilers import Compiler, find_compiler, package_of
from kassay.supply.building.config import request_sha256, requested
from kassay.supply.building.public import fetch_public
from kassay.supply.building.source import ARCHIVE, kernel_version, note
from kassay.supply.building.toolchain import is_wrapper
from kassay.supply.kernels.build import resolved_build
from kassay.supply.kernels.image import stored_file
from kassay.tools.bundle.builds import FOLDER, PackedBuild, read_builds

_MAJOR = re.compile(r"\b(\d+)\.\d+\.\d+")
_FILE = re.compile(r"[0-9a-f]{12}\.(?:patch|config)")


class Given(NamedTuple):
    """Sources and compiler that the user gives in place of those that the bundle names."""

    source: Path | None = None
    """A git tree or directory that has the public sources."""
    compiler: str = ""
    """Name of a compiler."""


class Rebuilt(Record, frozen=True, kw_only=True):
    """One kernel that was built again."""

    label: str
    """Name in reports."""
    packed: str
    """Hash of the image that was measured."""
    now: str
    """Hash of the image that was built here."""
    unlike: tuple[str, ...] = ()
    """Differences between the two builds, if the images differ."""


def rebuild(root: Path, plan: Plan, experiment: Experiment, given: Given, tell: Tell
            ) -> tuple[Mapping[str, str], tuple[Rebuilt, ...]]:  # fmt: skip
    """Builds every kernel of a bundle that was built; its references by those that name the kernels on this host.

    plan, experiment: of the bundle. Raises BadInput or HostLacks that names what is missing, before anything is built.
    """
    builds = read_builds(root)
    if not builds:
        _check_without_builds(plan)
        if unused := [name for name, value in given._asdict().items() if value]:
            raise BadInput(f"--{unused[0]}: no kernel of this bundle is built", "leave it out")
    for build in builds:
        _check(root, plan, build)
        _fetch_sources(root, build, plan.kernels[build.kernel].build, given, tell)
    refs = {use.ref: use.ref for use in experiment.kernels}
    for build in builds:
        ref = parse_ref(experiment.kernels[build.kernel].ref, experiment.arch)
        refs[ref.text] = _reference(root, build, ref, given, tell)
    for use, kernel in zip(experiment.kernels, plan.kernels, strict=True):
        refs[use.ref] = _file_here(parse_ref(use.ref, experiment.arch), kernel) or refs[use.ref]
    return refs, tuple(_built(refs, build, experiment, plan, tell) for build in builds)


def with_refs(experiment: Experiment, refs: Mapping[str, str]) -> Experiment:
    """The experiment with other references; kernels keep the names they have in reports."""
    uses = tuple(
        use
        if refs.get(use.ref, use.ref) == use.ref
        else structs.replace(use, ref=refs[use.ref], name=use.name or use.ref)
        for use in experiment.kernels
    )
    return structs.replace(experiment, kernels=uses)


def rebuilt_text(kernel: Rebuilt) -> str:
    """One line that says whether the image is the same, and one line for each difference of the builds."""
    if kernel.now == kernel.packed:
        return f"{kernel.label}: built again, the same image (sha256 {kernel.now[:12]})\n"
    lines = [f"{kernel.label}: built again, ANOTHER image ({kernel.packed[:12]} then, {kernel.now[:12]} now)"]
    return "".join(f"{line}\n" for line in (*lines, *(f"  {line}" for line in kernel.unlike)))


def _check_without_builds(plan: Plan) -> None:
    """Raises BadInput for a kernel whose sources are in no archive, in a bundle of an earlier version."""
    for label, kernel in zip(labels(plan.experiment), plan.kernels, strict=True):
        build = kernel.build
        if build and (build.patches or not build.base.startswith(ARCHIVE)) and not git.has_tree(build.tree):
            raise BadInput(f"{label} cannot be built again: an earlier version of kassay packed the bundle, and left "
                           "the patches out", "its author can pack the directory again")  # fmt: skip


def _check(root: Path, plan: Plan, build: PackedBuild) -> None:
    """Raises BadInput for a build that is not one of the plan's kernels, or that cannot be built."""
    kernel = plan.kernels[build.kernel] if 0 <= build.kernel < len(plan.kernels) else None
    own = kernel is not None and kernel.build is not None and kernel.build.tree == build.tree
    files = [name for name in (build.patch, build.config) if name]
    if not own or not all(_FILE.fullmatch(name) and (root / FOLDER / name).is_file() for name in files):
        raise BadInput(f"{root}: {build.label}: not what the plan says, or a file is missing", "get the bundle anew")
    if build.problem and not git.has_tree(build.tree):
        raise BadInput(f"{build.label} cannot be built again: {build.problem}",
                       "its author can pack it with --base, which names public sources")  # fmt: skip


def _fetch_sources(root: Path, build: PackedBuild, words: BuildSource | None, given: Given, tell: Tell) -> None:
    """Brings the sources of a kernel into the store. words: of the sources, for reports."""
    if git.has_tree(build.tree) or build.source is None or words is None:
        return
    fetch_public(build.source, given.source, tell)
    if build.patch:
        changed = git.changed_files(root / FOLDER / build.patch)
        text = f"applying {build.patch}, which changes {', '.join(changed[:5])}{', ...' if len(changed) > 5 else ''}"
        tell(Progress(stage="source", subject=build.label, text=text))
    tree = git.with_patch(build.source.tree, root / FOLDER / build.patch) if build.patch else build.source.tree
    if tree != build.tree:
        raise BadInput(f"{build.label}: the patch gives git tree {tree[:12]}; {build.tree[:12]} was measured",
                       "do not rely on the bundle; get it anew")  # fmt: skip
    note(words)


def _reference(root: Path, build: PackedBuild, ref: KernelRef, given: Given, tell: Tell) -> str:
    """The reference that names a kernel on this host: with a compiler that it has, and a configuration."""
    if build.source is None:
        return ref.text
    asked = parse_build(ref.locator)
    compiled = structs.replace(asked, cc=given.compiler or _compiler(asked.cc, build, tell))
    return with_build(ref, _configured(root, build, compiled, tell))


def _compiler(name: str, build: PackedBuild, tell: Tell) -> str:
    """The name of a compiler of the recorded version. Raises HostLacks that says what there is instead."""
    family = "clang" if "clang" in build.compiler else "gcc"
    major = (_MAJOR.findall(build.compiler) or [""])[-1]
    found = []
    for candidate in dict.fromkeys((name, family, f"{family}-{major}" if major else family)):
        try:
            compiler = find_compiler(candidate, build.arch, tell)
        except KassayError as error:
            found.append(error.what)
            continue
        if compiler.banner == build.compiler:
            return candidate
        if _version(compiler.banner) == _version(build.compiler):
            return _renamed(compiler, build, tell) or candidate
        found.append(f"{candidate} is {compiler.banner}")
    raise HostLacks(
        f"{build.label} was compiled by {build.compiler}\n  this host: {'; '.join(found)}",
        f"{install(package_of(family, major, build.arch))}, or build with another compiler: --compiler {family}",
    )


def _version(banner: str) -> str:
    """A compiler's first line without the number in its name: gcc prints the name that it was called by."""
    return re.sub(r"^(\S*gcc)-\d+(?= )", r"\1", banner)


def _renamed(compiler: Compiler, build: PackedBuild, tell: Tell) -> str:
    """A link to the compiler that has the recorded name, which is part of the image; "" if that is not enough."""
    name, path = build.compiler.partition(" ")[0], Path(compiler.path)
    if not re.fullmatch(r"[\w+-]+", name) or is_wrapper(path):
        return ""
    link = cache_directory() / "bundled" / sha256_bytes(compiler.path.encode())[:12] / name
    if not link.is_symlink():
        with disk_errors(link):
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    return str(link) if find_compiler(str(link), build.arch, tell).banner == build.compiler else ""


def _configured(root: Path, build: PackedBuild, asked: BuildRef, tell: Tell) -> BuildRef:
    """The reference as it is, if it asks for the very configuration here; else with the bundle's .config."""
    if asked.config == "lab" and all(fragment.startswith("CONFIG_") for fragment in asked.fragments):
        version = kernel_version(build.tree, build.label)
        if request_sha256(*requested(asked, build.arch, version, _no_distribution, tell)) == build.request_sha256:
            return asked
    path = cache_directory() / "bundled" / build.config
    write_atomic(path, (root / FOLDER / build.config).read_bytes())
    return structs.replace(asked, config=str(path), fragments=())


def _no_distribution(version: str, arch: str, tell: Tell) -> str:
    raise AssertionError("asked only for config=lab")


def _file_here(ref: KernelRef, kernel: KernelIdentity) -> str:
    """The reference of a kernel that was given as a file and is in the cache; "" for any other one."""
    given = image_files(ref.locator).path if ref.kind == "image" else ""
    if not given or expanded(given).is_file():
        return ""
    path = stored_file(kernel.image_sha256 or "")
    return f"{ref.text.removesuffix(ref.locator)}{path}{ref.locator.removeprefix(given)}" if path else ""


def _built(refs: Mapping[str, str], build: PackedBuild, experiment: Experiment, plan: Plan, tell: Tell) -> Rebuilt:
    ref = parse_ref(refs[experiment.kernels[build.kernel].ref], experiment.arch)
    (artifact,) = kernels.fetch((ref,), experiment.flavour, tell)
    now = artifact.identity.image_sha256 or ""
    same = now == build.image_sha256
    tell(Progress(stage="build", subject=build.label, text="the same image" if same else "another image"))
    unlike = () if same else tuple(_unlike(build, ref, plan.kernels[build.kernel], artifact.identity, tell))
    return Rebuilt(label=build.label, packed=build.image_sha256, now=now, unlike=unlike)


def _unlike(build: PackedBuild, ref: KernelRef, then: KernelIdentity, now: KernelIdentity, tell: Tell) -> Iterator[str]:
    recipe = resolved_build(ref, tell)[0].recipe
    if recipe.compiler.banner != build.compiler:
        yield f"compiler: {build.compiler} then, {recipe.compiler.banner} now"
    elif build.compiler_sha256 and recipe.compiler.identity != build.compiler_sha256:
        yield f"compiler: another build of {build.compiler}"
    if build.linker and recipe.linker != build.linker:
        yield f"linker: {build.linker} then, {recipe.linker} now"
    if then.config_sha256 != now.config_sha256:
        yield "configuration: another .config"
    if build.builder != BUILDER:
        yield f"build steps of kassay: version {build.builder} then, {BUILDER} now"
