# SPDX-License-Identifier: GPL-2.0-only
"""image:PATH: a kernel file that the user has."""

from pathlib import Path

from kassay.effects.files import readable, sha256_bytes
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.progress import Tell
from kassay.supply.kernels import _store
from kassay.supply.kernels._source import KernelSource

# Above any kernel, debug information of a vmlinux included.
_LARGEST_BYTES = 4 << 30


class ImageSource(KernelSource):
    """A bzImage, Image or vmlinux on this disk; it is copied, so that a later rebuild changes no stored result."""

    name = "image"
    summary = "a kernel file: image:PATH of a bzImage, Image or vmlinux, plain or compressed"

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource."""
        _check(Path(ref.locator).expanduser(), ref.text)

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here."""
        path = Path(ref.locator).expanduser()
        data = _read(path, ref.text)
        sha256 = sha256_bytes(data)
        for kind in _store.KINDS:
            stored = _store.load(sha256, ref.text, kind=kind)
            if stored and stored.identity.arch == ref.arch:
                return stored
        config = path.with_name(".config")
        extras = {"config": config.read_bytes()} if config.is_file() else {}
        return _store.keep(data, _store.Origin(source=f"file {path.absolute()}"), extras, ref.arch, ref.text, tell)


def stored_file(image_sha256: str) -> Path | None:
    """A kernel file in the store, wherever it was when it was given; None if the store does not have it."""
    stored = _store.load(image_sha256, "", kind="file")
    return Path(stored.image) if stored else None


def _check(path: Path, ref: str) -> None:
    """Raises BadInput for a file that cannot be a kernel's."""
    if not path.is_file():
        what = "is not a file" if path.exists() else "does not exist"
        raise BadInput(f"kernel {ref!r}: {path} {what}", "give the path of a bzImage, Image or vmlinux")
    if path.stat().st_size > _LARGEST_BYTES:
        raise BadInput(f"kernel {ref!r}: {path} has {path.stat().st_size} bytes", "no kernel image is that large")
    if not readable(path):
        raise BadInput(f"kernel {ref!r}: {path}: Permission denied", "give a file that you may read")


def _read(path: Path, ref: str) -> bytes:
    _check(path, ref)
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"kernel {ref!r}: {path}: {error.strerror}", "give a file that you may read") from error


SOURCE = ImageSource()
