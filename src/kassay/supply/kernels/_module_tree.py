# SPDX-License-Identifier: GPL-2.0-only
"""All modules of a kernel in one archive, for a machine that boots it on a root file system of its own."""

import gzip
import io
import tarfile
from pathlib import Path

from kassay.effects.files import cache_directory, disk_errors, publish_file
from kassay.effects.lock import locked, waiting
from kassay.errors import HostLacks
from kassay.model.kernel import KernelArtifact
from kassay.model.progress import Progress, Tell
from kassay.supply.kernels._module_files import content_key, modules_of
from kassay.supply.packages.contents import Contents

_FORMAT = 1  # of what is stored
_MODULES = "lib/modules"


def module_tree(artifact: KernelArtifact, tell: Tell) -> Path | None:
    """A compressed tar archive of lib/modules/RELEASE, without the lists that depmod makes; the same kernel gives the
    same bytes. None for a kernel that comes without modules; its drivers must be built in.

    Raises HostLacks when its package cannot be had any more.
    """
    identity = artifact.identity
    if (identity.package is None and not artifact.modules) or identity.image_sha256 is None:
        return None
    path = cache_directory() / "module-trees" / f"{identity.image_sha256}{content_key(identity)}.{_FORMAT}.tar.gz"
    with locked(path.with_suffix(".lock"), waiting(tell, identity.ref)):
        if not path.exists():
            with modules_of(artifact, tell) as contents, disk_errors(path):
                tell(Progress(stage="kernels", subject=identity.ref, text="packing all modules"))
                publish_file(path, lambda out: _pack(contents, identity.release, out))
    return path


def _pack(contents: Contents, release: str, out: Path) -> None:
    prefixes = (f"usr/{_MODULES}/{release}/", f"{_MODULES}/{release}/")
    paths = sorted(path for path in contents.paths if path.startswith(prefixes) and not _made_by_depmod(path))
    if not any(".ko" in Path(path).name for path in paths):
        raise HostLacks(f"{release}: its package has no modules", "report this to kassay")
    with (
        out.open("wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1, mtime=0, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        for path in paths:
            data = contents.read(path)
            member = tarfile.TarInfo(path.removeprefix("usr/"))
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))


def _made_by_depmod(path: str) -> bool:
    name = Path(path).name
    needed = ("modules.order", "modules.builtin", "modules.builtin.modinfo")
    return (name.startswith("modules.") and name not in needed) or name in ("vmlinuz", "config", "System.map")
