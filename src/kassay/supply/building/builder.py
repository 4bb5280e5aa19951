# SPDX-License-Identifier: GPL-2.0-only
"""build: references become images and objects, out of the cache or built now, one at a time.

Not tuxmake: it drops the version of `clang-19` where a plain clang is there, configures anew for 7 to 15 s each time,
and needs half a minute after a change of one file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.files import cache_directory, sha256_bytes, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, Defect
from kassay.model.build import BuildIdentity, BuildRef, BuildSource, build_text, parse_build
from kassay.model.kernel import KernelRef
from kassay.model.progress import Tell
from kassay.model.records import Record, content_id
from kassay.supply.arches import arch_of
from kassay.supply.building import line_tables, slots, workspace
from kassay.supply.building.compilers import Compiler, check_name, check_tools, find_compiler, linker_of
from kassay.supply.building.config import (
    DistroConfig,
    check_configuration,
    request_sha256,
    requested,
    switched_off,
    undefined,
)
from kassay.supply.building.source import check_source, kernel_version, source_tree, without_texts

BUILDER = 2
"""Version of the steps below: raised when the same inputs would give another image."""


class Built(NamedTuple):
    """An image without line tables, and what is stored with it."""

    image: bytes
    beside: dict[str, bytes]
    """Files by name: "config" and "modules.builtin"."""
    lines: bytes
    """An ELF file with the line tables of the image and no code."""


class BuiltObject(Record, frozen=True, kw_only=True):
    """One object file in the cache."""

    path: Path
    compiler: str
    """First line of the compiler's --version."""
    arch: str
    tree: str
    """Git tree of the sources."""


class ResolvedBuild(NamedTuple):
    """One reference, resolved."""

    build: BuildRef
    source: BuildSource
    """Source of the build, for readers."""
    recipe: workspace.Recipe
    identity: BuildIdentity

    @property
    def key(self) -> str:
        """Key that names the result."""
        return content_id(self.identity)

    def key_without_texts(self) -> str:
        """Key that builds share if their sources differ only in texts."""
        return content_id(structs.replace(self.identity, tree=without_texts(self.identity.tree)))


def check_files(build: BuildRef, arch: str) -> None:
    """Raises BadInput for a tree, revision, patch, compiler or configuration file that is not there, HostLacks for a
    compiler that this host must have. Fetches and builds nothing."""
    check_source(build)
    check_options(build, arch)


def check_options(build: BuildRef, arch: str) -> None:
    """Raises what check_files() raises for the compiler and the configuration."""
    check_configuration(build)
    check_name(build.cc, arch)


def wanted(ref: KernelRef, distro: DistroConfig, tell: Tell) -> ResolvedBuild:
    """Everything that decides what a reference's image is. Raises BadInput, NotBuilt, HostLacks; builds nothing."""
    build = parse_build(ref.locator)
    tree, source = source_tree(build, tell)
    compiler = find_compiler(build.cc, ref.arch, tell)
    version = kernel_version(tree, build.tree)
    text, base = requested(build, ref.arch, version, distro, tell)
    if absent := undefined(tree, switched_off(build, version)):
        source = structs.replace(source, absent=absent)
    linker, subject = linker_of(compiler), _subject(build, source)
    recipe = workspace.Recipe(tree, version, ref.arch, compiler, linker, text, base, subject)
    identity = BuildIdentity(
        tree=tree, arch=ref.arch, config_sha256=request_sha256(text, base), compiler=compiler.banner,
        compiler_sha256=compiler.identity, linker=recipe.linker, builder=BUILDER,
    )  # fmt: skip
    return ResolvedBuild(build, source, recipe, identity)


def build_image(resolved_build: ResolvedBuild, tell: Tell) -> Built:
    """Builds the image. Raises NotBuilt; its log is kept under the build's key."""
    recipe = resolved_build.recipe
    with building(recipe, tell) as (source, objects):
        image = arch_of(recipe.arch).build.image
        workspace.make(source, objects, recipe, arch_of(recipe.arch).build.target, log_of(resolved_build.key), tell)
        paths = {"config": objects / ".config", "modules.builtin": objects / "modules.builtin"}
        files = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
        parted = line_tables.parted(objects / image, objects / "vmlinux", recipe.compiler)
    built = Built(parted.image, files, parted.lines)
    _check_compiler(recipe.compiler, built.beside["config"], recipe.subject)
    return built


def check_object(source: str) -> None:
    """Raises BadInput for a name that no source file of a kernel can have."""
    path = Path(source)
    if path.is_absolute() or ".." in path.parts or path.suffix not in (".c", ".S"):
        raise BadInput(f"--source {source!r}: not a source file of the kernel", "name one such as mm/mincore.c")


def build_object(ref: KernelRef, source: str, distro: DistroConfig, tell: Tell) -> BuiltObject:
    """The object of one source file ("mm/mincore.c"), built as the kernel's own build would. Raises NotBuilt."""
    check_object(source)
    path = Path(source)
    resolved = wanted(ref, distro, tell)
    object_file = cache_directory() / "objects" / f"{resolved.key}-{sha256_bytes(source.encode())[:8]}.o"
    if not object_file.is_file():
        recipe = resolved.recipe
        with building(recipe, tell) as (sources, objects):
            if not (sources / source).is_file():
                raise BadInput(f"{recipe.subject}: has no file {source}", "name it from the top of the sources")
            target = str(path.with_suffix(".o"))
            workspace.make(sources, objects, recipe, target, log_of(f"{resolved.key}-{path.stem}"), tell)
            write_atomic(object_file, (objects / target).read_bytes())
    return BuiltObject(
        path=object_file, compiler=resolved.recipe.compiler.banner, arch=ref.arch, tree=resolved.recipe.tree
    )


def log_of(key: str) -> Path:
    """File of a build's log."""
    return slots.directory() / "logs" / f"{key[:16]}{key[64:]}.log"


@contextmanager
def building(recipe: workspace.Recipe, tell: Tell) -> Iterator[tuple[Path, Path]]:
    """Takes the build lock, checks out and configures the sources; yields their directory and that of the objects."""
    check_tools(recipe.arch)
    with locked(slots.directory() / "lock", waiting(tell, recipe.subject, "another build")):
        source = slots.checked_out(recipe.tree, tell, subject=recipe.subject)
        objects = workspace.objects_in(source, recipe)
        workspace.fit(objects, recipe, tell)
        workspace.configure(source, objects, recipe, tell)
        yield source, objects


def _check_compiler(compiler: Compiler, config: bytes, subject: str) -> None:
    """Raises Defect when the image's own .config names another compiler than the reference."""
    if f'CONFIG_CC_VERSION_TEXT="{compiler.banner}"'.encode() not in config:
        raise Defect(f"{subject}: was not compiled by {compiler.banner}", "report the build's log")


def _subject(build: BuildRef, source: BuildSource) -> str:
    """A short name of the build, for progress and errors."""
    patches = f" + {len(source.patches)} patches" if len(source.patches) > 1 else " + 1 patch" * len(source.patches)
    return f"{build_text(build).removeprefix('build:').partition(',')[0].partition('+')[0]}{patches} {build.cc}".strip()
