# SPDX-License-Identifier: GPL-2.0-only
"""image:PATH: a kernel file that the user has."""

from pathlib import Path

from msgspec import structs

from kassay.effects.files import expanded, sha256_bytes
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.progress import Tell
from kassay.model.reference_files import image_files
from kassay.supply.kernels import _store
from kassay.supply.kernels._configuration import in_image
from kassay.supply.kernels._given import (
    check_file,
    with_config,
    with_config_beside,
    with_modules,
    with_vmlinux,
)
from kassay.supply.kernels._source import KernelSource

# Above any kernel, debug information of a vmlinux included.
_LARGEST_BYTES = 4 << 30


class ImageSource(KernelSource):
    """A bzImage, Image or vmlinux on this disk; it is copied, so that a later rebuild changes no stored result."""

    name = "image"
    summary = "a kernel file: image:PATH of a bzImage, Image or vmlinux, plain or compressed"

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource."""
        files = image_files(ref.locator)
        _check(expanded(files.path), ref.text)
        for name, path in (("config", files.config), ("vmlinux", files.vmlinux)):
            if path:
                check_file(expanded(path), ref.text, f"give the file in {name}=")
        if files.modules and not expanded(files.modules).is_dir():
            raise BadInput(f"kernel {ref.text!r}: {files.modules} is not a directory",
                           "give a directory in modules=, such as /lib/modules/6.17.1")  # fmt: skip

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here."""
        self.check(ref, flavour, tell)
        files = image_files(ref.locator)
        artifact = stored_image(expanded(files.path), ref, tell)
        if files.modules:
            artifact = with_modules(artifact, expanded(files.modules))
        if files.config:
            config = expanded(files.config)
            artifact = with_config(artifact, config.read_bytes(), config.name)
        return with_vmlinux(artifact, expanded(files.vmlinux)) if files.vmlinux else artifact


def stored_image(path: Path, ref: KernelRef, tell: Tell) -> KernelArtifact:
    """An image file in the store, as the package that it is of, if that is there.

    A .config beside it is read where neither the image nor its package has one, and only if it can be of this kernel.
    """
    data = _read(path, ref.text)
    sha256 = sha256_bytes(data)
    for kind in _store.KINDS:
        stored = _store.load(sha256, ref.text, kind=kind)
        if stored and stored.identity.arch == ref.arch:
            break
    else:
        stored = _store.keep(data, _store.Origin(source=f"file {path.absolute()}"), {}, ref.arch, ref.text, tell)
    if stored.identity.package is None:  # the same image may have been given from another place
        identity = structs.replace(stored.identity, source=f"file {path.absolute()}")
        stored = structs.replace(stored, identity=identity)
    beside = path.with_name(".config")
    return stored if _has_own_config(stored) or not beside.is_file() else with_config_beside(stored, beside)


def _has_own_config(stored: KernelArtifact) -> bool:
    """True if the configuration is in the image or its package. That of a build here may be of an equal image."""
    if stored.config is None or Path(stored.directory).suffix != _store.KINDS["build"]:
        return stored.config is not None
    return in_image(Path(stored.vmlinux or stored.image).read_bytes()) is not None


def stored_file(image_sha256: str) -> Path | None:
    """A kernel file in the store, wherever it was when it was given; None if the store does not have it."""
    stored = _store.load(image_sha256, "", kind="file")
    return Path(stored.image) if stored else None


def _check(path: Path, ref: str) -> None:
    """Raises BadInput for a file that cannot be a kernel's."""
    check_file(path, ref, "give the path of a bzImage, Image or vmlinux")
    if path.stat().st_size > _LARGEST_BYTES:
        raise BadInput(f"kernel {ref!r}: {path} has {path.stat().st_size} bytes", "no kernel image is that large")


def _read(path: Path, ref: str) -> bytes:
    _check(path, ref)
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"kernel {ref!r}: {path}: {error.strerror}", "give a file that you may read") from error


SOURCE = ImageSource()
