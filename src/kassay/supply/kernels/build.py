# SPDX-License-Identifier: GPL-2.0-only
"""build:TREE@REV+PATCH: kernels built here, from source."""

from pathlib import Path

from msgspec import structs

from kassay.effects.files import cache_directory, link_or_copy, sha256_bytes, write_atomic
from kassay.model.build import parse_build
from kassay.model.kernel import KernelArtifact, KernelIdentity, KernelRef, with_build
from kassay.model.progress import Progress, Tell
from kassay.model.texts import counted
from kassay.supply.building.builder import BuiltObject, ResolvedBuild, build_image, check_files, check_object, wanted
from kassay.supply.building.builder import build_object as _build_object
from kassay.supply.kernels import _store
from kassay.supply.kernels._given import configured_by, kept_config
from kassay.supply.kernels._source import KernelSource
from kassay.supply.kernels.debian import release_config

__all__ = ["SOURCE", "BuildKernels", "build_object", "check_object", "resolved_build", "stored_config"]


class BuildKernels(KernelSource):
    """Sources, patches, configuration and compiler become an image; the same four are built once."""

    name = "build"
    summary = "a kernel built here: build:TREE@REV+PATCH, build:debian-source:7.3,cc=gcc-12 (docs/reference/kernels.md)"

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here. Raises NotBuilt when the sources do not become a kernel."""
        request = wanted(ref, release_config, tell)
        return _named(_stored(request.key, ref) or _made(request, ref, tell), request)

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource; flavour means nothing here."""
        check_files(parse_build(ref.locator), ref.arch)

    def pinned(self, ref: KernelRef, tell: Tell) -> str:
        """See KernelSource: with the tree that the sources are at this moment."""
        request = wanted(ref, release_config, tell)
        return with_build(ref, structs.replace(request.build, pin=request.recipe.tree))


def build_object(ref: KernelRef, source: str, tell: Tell) -> BuiltObject:
    """See building.builder.build_object()."""
    return _build_object(ref, source, release_config, tell)


def resolved_build(ref: KernelRef, tell: Tell) -> tuple[ResolvedBuild, str]:
    """Everything that decides what a reference's image is, and the sha256 of the image if it was built; else "".

    Raises what resolve() would raise before it builds.
    """
    request = wanted(ref, release_config, tell)
    return request, _image_of(request.key)


def stored_config(kernel: KernelIdentity) -> bytes | None:
    """The .config that a kernel was built with; None if the store does not have it."""
    stored = _store.load(kernel.image_sha256 or "", kernel.ref, kind="build")
    paths = [Path(stored.config)] if stored and stored.config else []
    paths += [kept_config(kernel.config_sha256)] if kernel.config_sha256 else []
    configs = (path.read_bytes() for path in paths if path.is_file())
    return next((config for config in configs if sha256_bytes(config) == kernel.config_sha256), None)


def _image_of(key: str) -> str:
    return _noted(_note(key))


def _noted(note: Path) -> str:
    return note.read_text("ascii").strip() if note.is_file() else ""


def _made(request: ResolvedBuild, ref: KernelRef, tell: Tell) -> KernelArtifact:
    note = note_without_texts(request)
    return _reused(request, note, ref, tell) or _built(request, note, ref, tell)


def _stored(key: str, ref: KernelRef) -> KernelArtifact | None:
    sha256 = _image_of(key)
    return _store.load(sha256, ref.text, kind="build") if sha256 else None


def _reused(request: ResolvedBuild, note: Path, ref: KernelRef, tell: Tell) -> KernelArtifact | None:
    """Kernel of the build that `note` names, with that build's line tables and .config. None if the cache lacks any of
    them."""
    other = _noted(note)
    kernel = _stored(other, ref) if other and _lines(other).is_file() and _config(other).is_file() else None
    if kernel is not None:
        text = "not built: the sources differ from those of an earlier build only in texts"
        tell(Progress(stage="build", subject=request.recipe.subject, text=text))
        link_or_copy(_lines(other), _lines(request.key))
        link_or_copy(_config(other), _config(request.key))
        write_atomic(_note(request.key), _note(other).read_bytes())
    return kernel


def _built(request: ResolvedBuild, note: Path, ref: KernelRef, tell: Tell) -> KernelArtifact:
    built = build_image(request, tell)
    origin = _store.Origin(source=f"built from {request.source.base}", kind="build")
    artifact = _store.keep(built.image, origin, built.beside, ref.arch, ref.text, tell)
    write_atomic(_lines(request.key), built.lines)
    if (config := built.beside.get("config")) is not None:
        write_atomic(_config(request.key), config)
    write_atomic(_note(request.key), f"{artifact.identity.image_sha256}\n".encode())
    write_atomic(note, f"{request.key}\n".encode())
    return artifact


def _named(artifact: KernelArtifact, request: ResolvedBuild) -> KernelArtifact:
    """Two requests may give the same image: the artifact gets names, .config and line tables of this request."""
    source = request.source
    text = f"built here from {source.base} ({source.version})"
    text += f" + {counted(len(source.patches), 'patch')}" if source.patches else ""
    identity = structs.replace(artifact.identity, source=text, build=source)
    lines, config = _lines(request.key), _config(request.key)
    artifact = structs.replace(artifact, identity=identity, lines=str(lines) if lines.is_file() else None)
    own = config.read_bytes() if config.is_file() else None
    if own is None or sha256_bytes(own) == identity.config_sha256:
        return artifact
    return configured_by(artifact, own, "")


def _note(key: str) -> Path:
    """The file with the sha256 of the image that a build gave."""
    return cache_directory() / "refs" / "build" / key


def note_without_texts(request: ResolvedBuild) -> Path:
    """The file with the key of a build whose sources differ from these at most in texts. It lists all sources."""
    return cache_directory() / "refs" / "build-without-texts" / request.key_without_texts()


def _lines(key: str) -> Path:
    """The file with the line tables of a build: equal images may come of sources whose lines differ."""
    return cache_directory() / "lines" / f"{key}.elf"


def _config(key: str) -> Path:
    """The file with the .config of a build: equal images may come of configurations that differ in modules."""
    return cache_directory() / "lines" / f"{key}.config"


SOURCE = BuildKernels()
