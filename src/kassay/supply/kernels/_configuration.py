# SPDX-License-Identifier: GPL-2.0-only
"""The configuration of a stored kernel: the file that came with the image, or one that was found in another package.

configurations/<sha256 of the image>/ holds what was found in another package: config, and source, which names the
package. After a search that found nothing there is a file <sha256 of the image>.none with the reason; a day later the
search is repeated.
"""

import re
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from msgspec import structs

from kassay.effects import clock
from kassay.effects.files import cache_directory, disk_errors, publish_directory, sha256_file, write_atomic
from kassay.model.configuration import configured
from kassay.model.kernel import KernelArtifact, KernelIdentity

_SEARCH_AGAIN_S = 24 * 3600
_IKCONFIG = b"IKCFG_ST"
_VERSION = re.compile(r"^# Linux/\S+ (\S+) Kernel Configuration$", re.M)
_COMPILER = re.compile(r'^CONFIG_CC_VERSION_TEXT="(.*)"$', re.M)
_EARLIER_BANNER = "gcc version "
"""Compiler in the banner of kernels before 5.8, in other words than in their configuration."""

Search = Callable[[], tuple[str, str]]
"""The text of a configuration and where it is from; raises LookupError that tells why there is none."""


def in_image(kernel: bytes) -> bytes | None:
    """The configuration that CONFIG_IKCONFIG puts into a kernel (gzip after a mark), or None."""
    start = kernel.find(_IKCONFIG)
    if start < 0:
        return None
    try:
        return zlib.decompressobj(31).decompress(kernel[start + len(_IKCONFIG) :])
    except zlib.error:
        return None


def with_configuration(artifact: KernelArtifact) -> KernelArtifact:
    """The kernel with its configuration as far as it is known now: the file, and its options in the identity."""
    path, source = Path(artifact.config) if artifact.config else None, ""
    directory = _directory(artifact.identity)
    if path is None and directory is not None:
        if (directory / "config").is_file():
            path, source = directory / "config", (directory / "source").read_text("utf-8").strip()
        elif (reason := directory.with_suffix(".none")).is_file():
            source = reason.read_text("utf-8").strip()
    if path is None:
        return structs.replace(artifact, identity=structs.replace(artifact.identity, config_source=source))
    options = configured(path.read_text("utf-8", "replace"))
    identity = structs.replace(
        artifact.identity, config_sha256=sha256_file(path), configuration=options, config_source=source
    )
    return structs.replace(artifact, identity=identity, config=str(path))


def searched(artifact: KernelArtifact, search: Search) -> KernelArtifact:
    """The kernel with its configuration, looked for where it has none and the last search is a day ago."""
    final = _directory(artifact.identity)
    if artifact.config is not None or final is None or not _due(final):
        return artifact
    try:
        text, source = search()
        if reason := of_another(text, artifact.identity):
            raise LookupError(f"{source}: {reason}")
    except LookupError as error:
        write_atomic(final.with_suffix(".none"), f"not known: {error.args[0]}\n".encode())
        return with_configuration(artifact)
    with disk_errors(final):
        final.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{final.name}.", dir=final.parent))
    write_atomic(partial / "config", text.encode())
    write_atomic(partial / "source", f"{source}\n".encode())
    publish_directory(partial, final)
    return with_configuration(artifact)


def _due(final: Path) -> bool:
    tried = final.with_suffix(".none")
    if final.is_dir():
        return False
    return not tried.is_file() or abs(clock.wall_s() - tried.stat().st_mtime) > _SEARCH_AGAIN_S


def of_another(text: str, identity: KernelIdentity) -> str:
    """Reason why a configuration cannot be this kernel's. "" if it can."""
    version, compiler = _VERSION.search(text), _COMPILER.search(text)
    if version is None or not re.match(rf"{re.escape(version[1])}(?!\d|-rc\d)", identity.release):
        return f"is of version {version[1] if version else 'unknown'}"
    if compiler and identity.compiler and not identity.compiler.startswith((compiler[1], _EARLIER_BANNER)):
        return f"was made with another compiler, {compiler[1]}"
    return ""


def _directory(identity: KernelIdentity) -> Path | None:
    return cache_directory() / "configurations" / identity.image_sha256 if identity.image_sha256 else None
