# SPDX-License-Identifier: GPL-2.0-only
"""The files that a kernel's modules are in: packages of the archive, packages or a directory that the user named."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import UNSET

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput, Defect
from kassay.model.kernel import KernelArtifact, KernelIdentity, parse_ref
from kassay.model.progress import Tell
from kassay.supply.archive.deb import opened as opened_of_archive
from kassay.supply.kernels._package_files import PackageKernels, has_modules, module_places
from kassay.supply.kernels._source import sources
from kassay.supply.kernels.debian import modules_package
from kassay.supply.packages.contents import Contents, DirectoryContents, JoinedContents


@contextmanager
def modules_of(artifact: KernelArtifact, tell: Tell) -> Iterator[Contents]:
    """Files of the kernel with its modules. Raises BadInput if there are none, HostLacks if they cannot be had."""
    if not artifact.modules:
        with opened_of_archive(modules_package(artifact, tell)) as contents:
            yield contents
        return
    identity = artifact.identity
    with ExitStack() as stack:
        parts: list[Contents] = []
        for place in map(Path, artifact.modules):
            if place.is_dir():
                parts.append(DirectoryContents(place, f"lib/modules/{identity.release}/"))
            else:
                parts.append(stack.enter_context(_source(identity).opened(place)).contents)
        joined = JoinedContents(parts, module_places(identity.release))
        if not has_modules(joined):
            names = ", ".join(Path(place).name for place in artifact.modules)
            what = f"kernel {identity.ref!r}: no modules of {identity.release} in {names}"
            raise BadInput(what, "name the package that has them as well")
        yield joined


def _source(identity: KernelIdentity) -> PackageKernels:
    source = sources()[parse_ref(identity.ref, identity.arch).kind]
    if not isinstance(source, PackageKernels):
        raise Defect(f"{identity.ref}: is of no kind that has package files")
    return source


def content_key(identity: KernelIdentity) -> str:
    """Text that tells apart files that users named for one image; "" for a kernel without such files."""
    if identity.files is UNSET:
        return ""
    return "-" + sha256_bytes(" ".join(file.sha256 for file in identity.files).encode())[:16]
