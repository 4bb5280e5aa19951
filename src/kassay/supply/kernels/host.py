# SPDX-License-Identifier: GPL-2.0-only
"""host: the kernel that runs on this host; it is described, and never booted."""

import gzip
import os
import platform
from pathlib import Path

from kassay.effects.files import cache_directory, sha256_bytes, write_atomic
from kassay.errors import BadInput
from kassay.model.configuration import configured
from kassay.model.kernel import KernelArtifact, KernelIdentity, KernelRef
from kassay.model.progress import Tell
from kassay.supply.arches import this_host
from kassay.supply.kernels._image import compiler_of
from kassay.supply.kernels._source import KernelSource

_CONFIG_PLACES = ("/proc/config.gz", "/boot/config-{release}", "/lib/modules/{release}/config")


class HostSource(KernelSource):
    """The running kernel, by what it says of itself."""

    name = "host"
    summary = "the kernel that runs here (only with --clock host)"

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource. There is no image: the artifact's `image` is empty and image_sha256 None."""
        arch = this_host().name
        if arch != ref.arch:
            raise BadInput(
                f"kernel {ref.text!r}: this host is {arch}, not {ref.arch}", "use a debian: or image: kernel"
            )
        release = os.uname().release
        banner = _text(Path("/proc/version"))
        config = _config(release)
        identity = KernelIdentity(
            ref=ref.text,
            arch=arch,
            release=release,
            image_sha256=None,
            banner=banner,
            compiler=compiler_of(banner) if banner else None,
            config_sha256=sha256_bytes(config) if config else None,
            configuration=configured(config.decode("utf-8", "replace")) if config else None,
            source=f"running on {platform.node()}",
        )
        directory = cache_directory() / "host" / release
        if config:
            write_atomic(directory / "config", config, mode=0o444)
        return KernelArtifact(
            identity=identity, directory=str(directory), image="", config=str(directory / "config") if config else None
        )


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return None


def _config(release: str) -> bytes | None:
    """The configuration as the kernel or the distribution shows it, None where neither does."""
    for pattern in _CONFIG_PLACES:
        path = Path(pattern.format(release=release))
        try:
            data = path.read_bytes()
        except OSError:
            continue
        return gzip.decompress(data) if path.suffix == ".gz" else data
    return None


SOURCE = HostSource()
