# SPDX-License-Identifier: GPL-2.0-only
"""installed:RELEASE: a kernel that this host's distribution has installed, booted in QEMU."""

import gzip
import os
from pathlib import Path

from msgspec import structs

from kassay.effects.distribution import IMAGE
from kassay.errors import BadInput, nearest
from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.progress import Tell
from kassay.supply.kernels._given import check_file, with_config, with_lines, with_modules
from kassay.supply.kernels._source import KernelSource
from kassay.supply.kernels.image import stored_image

ROOT = Path("/")
_MODULES = (
    "lib/modules/{release}",
    "usr/lib/modules/{release}",
    "run/booted-system/kernel-modules/lib/modules/{release}",
)
_IMAGES = (
    "lib/modules/{release}/vmlinuz", "usr/lib/modules/{release}/vmlinuz", "boot/vmlinuz-{release}",
    "boot/Image-{release}", "lib/modules/{release}/Image", "run/booted-system/kernel",
)  # fmt: skip
_CONFIGS = ("boot/config-{release}", "lib/modules/{release}/config", "lib/modules/{release}/build/.config")
_DEBUG = ("usr/lib/debug/lib/modules/{release}/vmlinux", "usr/lib/debug/boot/vmlinux-{release}")


class InstalledKernels(KernelSource):
    """Image, modules and configuration where distributions put them."""

    name = "installed"
    summary = "a kernel that is installed on this host: installed:RELEASE"

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource."""
        check_installed(ref, ref.locator)

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here."""
        return installed(ref, ref.locator, tell)


def installed(ref: KernelRef, release: str, tell: Tell) -> KernelArtifact:
    """An installed kernel. Raises BadInput that names the file that is missing or unreadable, and the way out."""
    check_installed(ref, release)
    image = _found(_IMAGES, release)
    assert image is not None
    artifact = stored_image(image, ref, tell)
    if not artifact.identity.release == release:
        raise BadInput(f"kernel {ref.text!r}: {image} is release {artifact.identity.release}",
                       f"write installed:{artifact.identity.release}, or image:{image}")  # fmt: skip
    identity = structs.replace(artifact.identity, source=f"installed as {image.relative_to(ROOT)}")
    artifact = structs.replace(artifact, identity=identity)
    modules = _found(_MODULES, release)
    artifact = with_modules(artifact, modules) if modules is not None and _has_modules(modules) else artifact
    if (config := _config(release)) is not None:
        artifact = with_config(artifact, *config)
    debug = _found(_DEBUG, release)
    return with_lines(artifact, debug) if debug is not None else artifact


def check_installed(ref: KernelRef, release: str) -> None:
    """Raises BadInput for a kernel whose image is not installed, or one of whose files this user may not read."""
    image = _found(_IMAGES, release)
    if image is None:
        raise _not_installed(ref, release)
    for places, option in ((_IMAGES, ""), (_CONFIGS, ",config=COPY"), (_DEBUG, ",vmlinux=COPY")):
        if (path := _found(places, release)) is not None:
            name = f"image:{image}{option}" if option else "image:COPY"
            check_file(path, ref.text, "", f"type: sudo chmod a+r {path} (or copy it with sudo, and name {name})")


def _not_installed(ref: KernelRef, release: str) -> BadInput:
    known = sorted({path.name for pattern in _MODULES for path in ROOT.glob(pattern.format(release="*"))})
    places = ", ".join(f"/{pattern.format(release=release)}" for pattern in _IMAGES[:3])
    near = nearest(release, known)
    guess = f"did you mean {near}? " if near and near != release else ""
    here = f"with modules here: {', '.join(known)}" if known else "no kernel is installed below /lib/modules"
    away = (
        "; the container sees a kernel of the host with KASSAY_MOUNT=/boot:/usr/lib/modules" if IMAGE.exists() else ""
    )
    return BadInput(f"kernel {ref.text!r}: no image of {release} is installed (looked for {places})",
                    f"{guess}{here}; or name a file: image:PATH{away}")  # fmt: skip


def _found(patterns: tuple[str, ...], release: str) -> Path | None:
    """The first of these places that there is."""
    places = (ROOT / pattern.format(release=release) for pattern in patterns)
    return next((place for place in places if place.exists()), None)


def _has_modules(directory: Path) -> bool:
    return next(directory.rglob("*.ko*"), None) is not None


def _config(release: str) -> tuple[bytes, str] | None:
    """The configuration and the name of its file; that of the running kernel may be in /proc alone."""
    path = _found(_CONFIGS, release)
    if path is not None:
        return path.read_bytes(), path.name
    shown = ROOT / "proc/config.gz"
    if release == os.uname().release and shown.is_file():
        return gzip.decompress(shown.read_bytes()), "/proc/config.gz"
    return None


SOURCE = InstalledKernels()
