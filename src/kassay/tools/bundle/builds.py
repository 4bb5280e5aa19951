# SPDX-License-Identifier: GPL-2.0-only
"""Sources, configuration and compiler of the built kernels of a run directory, as files of a bundle."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from kassay.effects.files import read_record, sha256_bytes, write_atomic
from kassay.errors import BadInput, KassayError
from kassay.model.build import BuildRef, PublicSource, parse_build
from kassay.model.experiment import labels
from kassay.model.kernel import KernelIdentity, exact_ref, parse_ref
from kassay.model.plan import Plan
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.supply.building import builder, git
from kassay.supply.building.config import request_sha256
from kassay.supply.building.public import public_source
from kassay.supply.kernels.build import resolved_build, stored_config
from kassay.tools.bundle.paths import ShortNames

FOLDER = "source/kernels"
FILE = f"{FOLDER}/builds.json"
_VERSION = 1
_COMPILER = re.compile(r'^CONFIG_CC_VERSION_TEXT="(.*)"$', re.MULTILINE)


class PackedBuild(Record, frozen=True, kw_only=True):
    """One kernel that was built: everything that its image is made of."""

    kernel: int
    """Place in the experiment."""
    label: str
    """Name in reports."""
    arch: str
    image_sha256: str
    tree: str
    """Git tree (sha1) of the sources, patches included."""
    problem: str = ""
    """Reason why the kernel cannot be built from the bundle; "" if it can."""
    source: PublicSource | None = None
    patch: str = ""
    """File in FOLDER: the difference from `source` to `tree`; "" for none."""
    config: str = ""
    """File in FOLDER: the .config of the image."""
    request_sha256: str = ""
    """Hash of the requested configuration; "" if it is not known any more."""
    compiler: str = ""
    """First line of the compiler's --version."""
    compiler_sha256: str = ""
    """Hash of the compiler; "" if it is not known any more."""
    linker: str = ""
    """First line of the linker's --version; "" if it is not known any more."""
    builder: int = builder.BUILDER
    """Version of kassay's build steps."""


class PackedBuilds(Record, frozen=True, kw_only=True):
    """The file FILE."""

    version: int
    """Version of this record; 1."""
    builds: tuple[PackedBuild, ...]


def builds_into(root: Path, plan: Plan, names: ShortNames, base: str, tell: Tell) -> tuple[PackedBuild, ...]:
    """Writes FOLDER below `root`, if any kernel of the plan was built. plan: with the paths of this host; names: their
    names in the bundle. base: public sources for a kernel that has none, as "debian-source:7.3"; "" for none."""
    places = tuple(_built(plan))
    if base and not places:
        raise BadInput(f"--base {base}: no kernel of this directory was built", "leave it out")
    given = public_source(parse_build(base), "", tell) if base else None
    builds = tuple(_packed(root / FOLDER, plan, place, names, given, tell) for place in places)
    if builds:
        data = msgspec.json.format(msgspec.json.encode(PackedBuilds(version=_VERSION, builds=builds)), indent=1)
        write_atomic(root / FILE, data + b"\n")
    return builds


def read_builds(root: Path) -> tuple[PackedBuild, ...]:
    """The built kernels of a bundle; none of a bundle of an earlier version. Raises BadInput for a damaged file."""
    try:
        return read_record(root / FILE, PackedBuilds, "damaged, or of a later version of kassay").builds
    except FileNotFoundError:
        return ()


def not_built_again(builds: tuple[PackedBuild, ...]) -> Iterator[str]:
    """One line for each kernel that the bundle cannot build."""
    return (f"{build.label} cannot be built again: {build.problem}" for build in builds if build.problem)


def _built(plan: Plan) -> Iterator[int]:
    return (place for place, kernel in enumerate(plan.kernels) if kernel.build is not None)


def _packed(
    folder: Path, plan: Plan, place: int, names: ShortNames, given: PublicSource | None, tell: Tell
) -> PackedBuild:
    kernel = plan.kernels[place]
    assert kernel.build is not None
    build = PackedBuild(
        kernel=place,
        label=names.text(labels(plan.experiment)[place]), arch=kernel.arch,
        image_sha256=kernel.image_sha256 or "", tree=kernel.build.tree,
    )  # fmt: skip
    tell(Progress(stage="pack", subject=build.label, text="sources"))
    ref = parse_ref(exact_ref(kernel), plan.experiment.arch)
    try:
        config = stored_config(kernel)
        if config is None:
            raise BadInput("the cache does not have its .config any more")
        source = _source(parse_build(ref.locator), kernel, given, tell)
        patch = _patch(folder, source, build.tree)
    except KassayError as error:
        return msgspec.structs.replace(build, problem=names.text(error.what))
    named = _COMPILER.search(config.decode("utf-8", "replace"))
    known = _known(kernel, plan.experiment.arch, tell)
    name = f"{sha256_bytes(config)[:12]}.config"
    write_atomic(folder / name, config)
    compiler = named[1] if named else ""
    return msgspec.structs.replace(build, source=source, patch=patch, config=name, compiler=compiler, **known)


def _source(build: BuildRef, kernel: KernelIdentity, given: PublicSource | None, tell: Tell) -> PublicSource:
    """The public sources of a kernel, else the given ones. Raises BadInput where there are neither."""
    assert kernel.build is not None
    if not git.has_tree(kernel.build.tree):
        raise BadInput("the cache does not have its sources any more")
    try:
        return public_source(build, kernel.build.version, tell)
    except BadInput:
        if given is None:
            raise
        return given


def _patch(folder: Path, source: PublicSource, tree: str) -> str:
    """Writes the difference from the public sources to a tree; the name of its file, "" for none."""
    if source.tree == tree:
        return ""
    name = f"{tree[:12]}.patch"
    folder.mkdir(parents=True, exist_ok=True)
    git.write_diff(source.tree, tree, folder / name)
    return name


def _known(kernel: KernelIdentity, arch: str, tell: Tell) -> dict[str, str]:
    """Facts that only the recipe has; empty unless this host still has all of it, and its key leads to the image."""
    try:
        resolved, image = resolved_build(parse_ref(exact_ref(kernel), arch), tell)
    except KassayError:
        return {}
    if image != kernel.image_sha256:
        return {}
    recipe = resolved.recipe
    return {
        "request_sha256": request_sha256(recipe.requested, recipe.base),
        "compiler_sha256": recipe.compiler.identity,
        "linker": recipe.linker,
    }
