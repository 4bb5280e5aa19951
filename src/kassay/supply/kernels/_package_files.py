# SPDX-License-Identifier: GPL-2.0-only
"""Kernels in package files that the user has, whatever the format of the files."""

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.files import cache_directory, expanded, sha256_bytes, sha256_file, write_atomic
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, KernelFile, KernelRef
from kassay.model.progress import Progress, Tell
from kassay.model.reference_files import listed_files
from kassay.supply.kernels import _store
from kassay.supply.kernels._compression import decompress, is_compressed
from kassay.supply.kernels._given import check_file, with_lines
from kassay.supply.kernels._source import KernelSource
from kassay.supply.packages import deb, rpm
from kassay.supply.packages.contents import Contents, JoinedContents, Package

_IMAGE = re.compile(r"boot/(?:vmlinuz|Image)-([^/]+)|(?:usr/)?lib/modules/([^/]+)/(?:vmlinuz|Image)")
_CONFIG = (
    r"boot/config-{release}", r"(usr/)?lib/modules/{release}/(build/)?\.?config",
    r"usr/src/(linux-headers-|kernels/){release}/\.config",
)  # fmt: skip
_BUILTIN = (r"(usr/)?lib/modules/{release}/modules\.builtin",)
_DEBUG = (r"usr/lib/debug/((usr/)?lib/modules/{release}/vmlinux|boot/vmlinux-{release})(\.debug)?",)
_HAS_DEBUG, _NO_DEBUG = "debug", "no-debug"
"""Last word of the note on packages: debug symbols that `kassay cache free` removed are unpacked again."""
_MAGICS = ((deb.MAGIC, "deb"), (rpm.MAGIC, "rpm"))


class _Unpacked(NamedTuple):
    """Files of a kernel out of its packages."""

    package: Package
    """Package that has the image."""
    image: bytes
    extras: dict[str, bytes]
    debug: bytes | None
    holders: tuple[int, ...]
    """Places of the packages that have modules."""


class PackageKernels(KernelSource):
    """Kernels in files of one format: packages with an image, and with modules, a configuration or debug symbols."""

    def __init__(
        self, *, name: str, summary: str, opened: Callable[[Path], AbstractContextManager[Package]], where: str
    ) -> None:
        """opened: opens a package file, and raises BadInput for a file that is no whole package. where: names of
        packages that have the image, for an error."""
        self.name = name
        self.summary = summary
        self.opened = opened
        self._where = where

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource."""
        _paths(ref)

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here. The files are unpacked once."""
        paths = _paths(ref)
        files = tuple(KernelFile(name=path.name, sha256=sha256_file(path)) for path in paths)
        key = sha256_bytes(" ".join(sorted(file.sha256 for file in files)).encode())
        note = cache_directory() / "refs" / "packages" / f"{self.name}-{key}"
        kind = f"{self.name}-{key[:16]}"
        known = note.read_text("ascii").split() if note.is_file() else []
        artifact = _store.load(known[0], ref.text, kind=kind) if known else None
        lines = _debug_file(kind)
        if artifact is None or (not lines.is_file() and _may_have_debug(note, known)):
            artifact, holders = self._kept(ref, paths, kind, tell)
            known = [str(artifact.identity.image_sha256), *(files[place].sha256 for place in holders)]
            known.append(_HAS_DEBUG if lines.is_file() else _NO_DEBUG)
            write_atomic(note, "\n".join(known).encode())
        _store.check_arch(artifact.identity.arch, ref.arch, ref.text)
        with_modules = [path for path, file in zip(paths, files, strict=True) if file.sha256 in known[1:]]
        identity = structs.replace(artifact.identity, files=files, source=_source(self.name, paths))
        return structs.replace(
            artifact,
            identity=identity,
            modules=tuple(map(str, with_modules or paths)),
            lines=str(lines) if lines.is_file() else None,
        )

    def _kept(
        self, ref: KernelRef, paths: tuple[Path, ...], kind: str, tell: Tell
    ) -> tuple[KernelArtifact, tuple[int, ...]]:
        """The kernel in the store, and the places of the files that have modules."""
        tell(Progress(stage="kernels", subject=ref.text, text="unpacking"))
        found = self._unpacked(ref, paths)
        origin = _store.Origin(
            source=_source(self.name, paths),
            kind=kind,
            package=found.package.name,
            package_version=found.package.version,
        )
        artifact = _store.keep(found.image, origin, found.extras, ref.arch, ref.text, tell)
        if found.debug is not None:
            write_atomic(_debug_file(kind), found.debug, mode=0o444)
            with_lines(artifact, _debug_file(kind))
        return artifact, found.holders

    def _unpacked(self, ref: KernelRef, paths: tuple[Path, ...]) -> _Unpacked:
        """Raises BadInput for files with no kernel, or with several."""
        with ExitStack() as stack:
            packages = [stack.enter_context(self.opened(path)) for path in paths]
            contents = JoinedContents([package.contents for package in packages])
            images = {(match[1] or match[2]): match[0] for path in contents.paths if (match := _IMAGE.fullmatch(path))}
            names = ", ".join(path.name for path in paths)
            if not images:
                raise BadInput(f"kernel {ref.text!r}: no kernel image in {names}", self._where)
            if len(images) > 1:
                raise BadInput(f"kernel {ref.text!r}: several kernels in {names}: {', '.join(sorted(images))}",
                               "name the packages of one of them")  # fmt: skip
            ((release, image),) = images.items()

            def read(patterns: tuple[str, ...]) -> bytes | None:
                pattern = "|".join(patterns).replace("{release}", re.escape(release))
                path = next((path for path in contents.paths if re.fullmatch(pattern, path)), None)
                data = contents.read(path) if path is not None else None
                return decompress(data, f"{names}: {path}") if data is not None and is_compressed(data) else data

            named = {"config": read(_CONFIG), "modules.builtin": read(_BUILTIN)}
            extras = {name: data for name, data in named.items() if data is not None}
            owner = next(package for package in packages if image in package.contents.paths)
            parts = [JoinedContents([package.contents], module_places(release)) for package in packages]
            holders = tuple(place for place, part in enumerate(parts) if has_modules(part))
            return _Unpacked(owner, contents.read(image), extras, read(_DEBUG), holders)


def module_places(release: str) -> tuple[str, ...]:
    """Directories of a kernel's modules in packages."""
    return f"lib/modules/{release}/", f"usr/lib/modules/{release}/"


def has_modules(contents: Contents) -> bool:
    """True if there is any module among these files."""
    return any(".ko" in path.rpartition("/")[2] for path in contents.paths)


def _paths(ref: KernelRef) -> tuple[Path, ...]:
    """The files of a reference. Raises BadInput for one that is not there."""
    paths = tuple(map(expanded, listed_files(ref.locator)))
    if not paths:
        raise BadInput(f"kernel {ref.text!r}: names no file", f"write {ref.kind}:FILE[,FILE...]")
    for path in paths:
        check_file(path, ref.text, f"give paths of {ref.kind} packages; a comma in a path is written %2C")
        with path.open("rb") as file:
            first = file.read(8)
        other = next((kind for magic, kind in _MAGICS if first.startswith(magic) and kind != ref.kind), None)
        if other is not None:
            raise BadInput(f"kernel {ref.text!r}: {path} is a package of the format {other}", f"write {other}:{path}")
    return paths


def _source(name: str, paths: tuple[Path, ...]) -> str:
    return f"{name} package{'s' * (len(paths) > 1)} {', '.join(path.name for path in paths)}"


def _may_have_debug(note: Path, known: list[str]) -> bool:
    """True if the packages have debug symbols. A note of an earlier version does not tell: they are unpacked once more,
    unless the cache is only read."""
    return _HAS_DEBUG in known or (_NO_DEBUG not in known and os.access(note.parent, os.W_OK))


def _debug_file(kind: str) -> Path:
    """The vmlinux with debug information out of a package with debug symbols."""
    return cache_directory() / "debug-symbols" / f"{kind}.vmlinux"
