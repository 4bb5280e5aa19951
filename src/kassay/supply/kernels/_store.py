# SPDX-License-Identifier: GPL-2.0-only
"""The store: one read-only directory per kernel image, made in one step, checked whenever it is used.

kernels/<sha256 of the image>/ holds image, vmlinux, config, modules.builtin, symbols and
kernel.json. A directory name that ends in .file holds a kernel given as image:PATH, of
which less is known than of the same image out of a package; one that ends in .build a
kernel built here.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import msgspec

from kassay.effects.files import (
    cache_directory,
    disk_errors,
    publish_directory,
    sha256_bytes,
    sha256_file,
    write_atomic,
)
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelArtifact, KernelIdentity
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, from_json
from kassay.supply.arches import arch_of
from kassay.supply.kernels._configuration import in_image, with_configuration
from kassay.supply.kernels._image import KernelImage, take_apart
from kassay.supply.kernels._symbols import decode_symbols

# Increase it when what is stored changes: older entries are then made again.
_FORMAT = 2
KINDS = {"package": "", "file": ".file", "build": ".build"}
"""Kinds of origins of an image, each with the suffix of its directory."""
_WHOLE: set[str] = set()
"""Files that this process has found whole."""


class Origin(Record, frozen=True, kw_only=True):
    """Origin of an image."""

    source: str
    kind: str = "file"
    """Word of KINDS; any other one has an entry of its own for each image."""
    package: str | None = None
    package_version: str | None = None
    flavour: str | None = None
    packages: tuple[str, ...] = ()
    """Stored package files."""


class _StoredFile(Record, frozen=True, kw_only=True):
    name: str
    size: int
    mtime_ns: int
    sha256: str


class _Entry(Record, frozen=True, kw_only=True):
    """Content of kernel.json."""

    format: int
    artifact: KernelArtifact
    """Artifact with names instead of paths, so that the cache can be moved."""
    files: tuple[_StoredFile, ...]


def load(image_sha256: str, ref: str, *, kind: str) -> KernelArtifact | None:
    """The kernel as stored, under the reference `ref`; None when it is not there, damaged, or of an older format."""
    directory = _directory(image_sha256, kind)
    try:
        entry = from_json((directory / "kernel.json").read_bytes(), _Entry)
    except (OSError, msgspec.MsgspecError):
        return None
    if entry.format != _FORMAT or not all(_intact(directory, file) for file in entry.files):
        return None
    with suppress(OSError):  # a cache that is only read
        os.utime(directory / "kernel.json")  # the time of the last use, for `kassay cache`
    stored = entry.artifact
    packages = [cache_directory() / "packages" / stored.identity.arch / name for name in stored.packages]
    artifact = msgspec.structs.replace(
        stored,
        identity=msgspec.structs.replace(stored.identity, ref=ref),
        directory=str(directory),
        image=str(directory / stored.image),
        vmlinux=str(directory / stored.vmlinux) if stored.vmlinux else None,
        config=str(directory / stored.config) if stored.config else None,
        symbols=str(directory / stored.symbols) if stored.symbols else None,
        packages=tuple(str(p) for p in packages if p.is_file()),
    )
    return with_configuration(artifact)


def check_whole(artifact: KernelArtifact) -> None:
    """Raises HostLacks if the kernel that is booted, or its symbols, are damaged on the disk. load() notices that by
    size and time alone. They are read once per process, in 0.1 s."""
    identity = artifact.identity
    for path, sha256 in ((artifact.vmlinux, identity.vmlinux_sha256), (artifact.symbols, identity.symbols_sha256)):
        if not path or not sha256 or path in _WHOLE:
            continue
        if sha256_file(Path(path)) != sha256:
            with disk_errors(Path(path)):
                Path(path).unlink(missing_ok=True)  # load() makes it anew
            raise HostLacks(f"{path}: damaged", "check the disk, and give the same command again: it is made anew")
        _WHOLE.add(path)


def keep(data: bytes, origin: Origin, extras: dict[str, bytes], arch: str, ref: str, tell: Tell) -> KernelArtifact:
    """Takes an image apart and keeps it. extras: further files by name ("config", "modules.builtin").

    Raises BadInput when it is no kernel, or one for another architecture than `arch`.
    """
    sha256 = sha256_bytes(data)
    directory = _directory(sha256, origin.kind)
    with locked(directory.with_name(f".{directory.name}.lock"), waiting(tell, ref)):
        if stored := load(sha256, ref, kind=origin.kind):
            check_arch(stored.identity.arch, arch, ref)
            return stored
        tell(Progress(stage="kernels", subject=ref, text="taking the image apart"))
        image = take_apart(data, ref)
        check_arch(image.arch, arch, ref)
        tell(Progress(stage="kernels", subject=ref, text="reading its symbols"))
        symbols = decode_symbols(image.kernel)
        contents = {"image": data, **extras}
        if "config" not in extras and (config := in_image(image.kernel)):
            contents["config"] = config
        contents |= {"vmlinux": image.kernel} if image.elf and arch_of(arch).qemu.direct else {}
        contents |= {"symbols": symbols} if symbols else {}
        _publish(directory, contents, _describe(image, contents, origin))
    artifact = load(sha256, ref, kind=origin.kind)
    if artifact is None:
        raise HostLacks(f"{directory}: changed while it was written", "check the disk and repeat the command")
    return artifact


def check_arch(found: str, arch: str, ref: str) -> None:
    """Raises BadInput for an image of another architecture than the one asked for."""
    if found != arch:
        raise BadInput(f"kernel {ref!r}: an {found} image, but {arch} was asked for", f"write {found}/...")


def remember(arch: str, flavour: str, package: str, version: str, image_sha256: str) -> None:
    """Notes which image a package holds."""
    write_atomic(_notes(arch, flavour) / f"{package}_{version}", f"{image_sha256}\n".encode())


def recall(arch: str, flavour: str, package: str, version: str) -> str | None:
    """The image's sha256 as remember() noted it, or None."""
    try:
        return (_notes(arch, flavour) / f"{package}_{version}").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def remembered(arch: str, flavour: str) -> tuple[tuple[str, str], ...]:
    """(package, version) of everything noted."""
    directory = _notes(arch, flavour)
    names = [p.name for p in directory.iterdir() if not p.name.startswith(".")] if directory.is_dir() else []
    return tuple((n.partition("_")[0], n.partition("_")[2]) for n in sorted(names))


def _describe(image: KernelImage, contents: dict[str, bytes], origin: Origin) -> KernelArtifact:
    hashes = {name: sha256_bytes(data) for name, data in contents.items()}
    symbols = contents.get("symbols")
    identity = KernelIdentity(
        ref="",
        arch=image.arch,
        release=image.release,
        image_sha256=hashes["image"],
        compiler=image.compiler,
        banner=image.banner,
        package=origin.package,
        package_version=origin.package_version,
        flavour=origin.flavour,
        vmlinux_sha256=hashes.get("vmlinux"),
        config_sha256=hashes.get("config"),
        symbols_sha256=hashes.get("symbols"),
        symbol_count=symbols.count(b"\n") if symbols else None,
        source=origin.source,
    )
    named = [name if name in contents else None for name in ("vmlinux", "config", "symbols")]
    packages = tuple(Path(p).name for p in origin.packages)
    return KernelArtifact(
        identity=identity, directory="", image="image", vmlinux=named[0], config=named[1], symbols=named[2],
        packages=packages, pvh=image.pvh,
    )  # fmt: skip


def _publish(directory: Path, contents: dict[str, bytes], artifact: KernelArtifact) -> None:
    """Call it with the directory locked; what is in it already is damaged, incomplete or of an older format."""
    partial = directory.with_name(f".{directory.name}.making")
    with disk_errors(directory):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, data in contents.items():
            write_atomic(partial / name, data)
        files = tuple(_stored_file(partial / name) for name in sorted(contents))
        write_atomic(partial / "kernel.json", _entry(_Entry(format=_FORMAT, artifact=artifact, files=files)))
        if directory.exists():
            old = directory.with_name(f".{directory.name}.old")
            shutil.rmtree(old, ignore_errors=True)
            directory.rename(old)
            shutil.rmtree(old)
    publish_directory(partial, directory)


def _entry(entry: _Entry) -> bytes:
    """kernel.json without the fields that are found anew each time."""
    plain = msgspec.to_builtins(entry)
    del plain["artifact"]["modules"]
    for name in ("configuration", "config_source"):
        del plain["artifact"]["identity"][name]
    return msgspec.json.encode(plain)


def _stored_file(path: Path) -> _StoredFile:
    status = path.stat()
    return _StoredFile(name=path.name, size=status.st_size, mtime_ns=status.st_mtime_ns, sha256=sha256_file(path))


def _intact(directory: Path, file: _StoredFile) -> bool:
    """The image is always hashed, the larger files only when size or time say that they were touched."""
    path = directory / file.name
    try:
        status = path.stat()
        touched = status.st_mtime_ns != file.mtime_ns or file.name == "image"
        return status.st_size == file.size and (not touched or sha256_file(path) == file.sha256)
    except OSError:
        return False


def _directory(image_sha256: str, kind: str) -> Path:
    return cache_directory() / "kernels" / f"{image_sha256}{KINDS.get(kind, f'.{kind}')}"


def _notes(arch: str, flavour: str) -> Path:
    return cache_directory() / "refs" / "debian" / arch / flavour
