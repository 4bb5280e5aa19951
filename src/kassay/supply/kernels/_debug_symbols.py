# SPDX-License-Identifier: GPL-2.0-only
"""vmlinux with debug information of a kernel of the archive, out of its package with debug symbols."""

from pathlib import Path

from msgspec import UNSET

from kassay.effects.files import cache_directory, check_writable, write_atomic
from kassay.effects.lock import locked, waiting
from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelIdentity
from kassay.model.progress import Progress, Tell
from kassay.supply.archive.deb import opened
from kassay.supply.archive.index import unlisted_package

# A cloud kernel's package has 0.35 GB, and 1.8 GB unpacked; a generic one's is about three times as large.
ROOM_BYTES = 8 << 30
_PLACES = (("usr/lib/debug/boot/vmlinux-", ""), ("usr/lib/debug/", "/vmlinux"))


def debug_symbols(identity: KernelIdentity, tell: Tell) -> Path:
    """The vmlinux with debug information of a kernel of the archive, in the cache; the package is not kept.

    No list has the package's hash: the file is good for reading lines, and whoever does so compares its code. Raises
    BadInput for a kernel of no package, HostLacks without the package or the room for it.
    """
    if identity.package is None or identity.package_version is None or identity.files is not UNSET:
        raise BadInput(f"kernel {identity.ref!r}: is not of the archive, so no package has its debug symbols",
                       "give the vmlinux that was built with it: --lines VMLINUX")  # fmt: skip
    name = f"linux-image-{identity.release}-dbg"
    final = cache_directory() / "debug-symbols" / f"{identity.image_sha256}.vmlinux"
    with locked(final.with_suffix(".lock"), waiting(tell, name)):
        if not final.is_file():
            _check_room(final, name)
            tell(Progress(stage="fetch", subject=identity.ref, text=f"fetching {name}, 0.4 GB for a cloud kernel"))
            package = unlisted_package(name, identity.package_version, identity.arch, tell)
            tell(Progress(stage="kernels", subject=identity.ref, text=f"unpacking {name}"))
            with opened(package) as contents:
                data = next((found for place in _PLACES if (found := contents.find(*place)) is not None), None)
            if data is None:
                raise HostLacks(f"{name} {identity.package_version}: holds no vmlinux", "give one: --lines VMLINUX")
            write_atomic(final, data)
            package.unlink()
    return final


def _check_room(final: Path, name: str) -> None:
    try:
        check_writable(final, needed_bytes=ROOM_BYTES)
    except HostLacks as error:
        need = f"{name} needs {ROOM_BYTES >> 30} GiB while it is unpacked"
        raise HostLacks(f"{error.what}; {need}", "free some space, or set XDG_CACHE_HOME to a larger disk") from error
