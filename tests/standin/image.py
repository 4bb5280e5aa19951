# SPDX-License-Identifier: GPL-2.0-only
"""The stand-in's disk, kernel and initrd: made once from the archive, kept in the cache under their recipe's hash."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import cache_directory, publish_directory, sha256_bytes, swept
from kassay.effects.lock import locked, waiting
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell, silent
from kassay.supply.archive import apt
from kassay.supply.archive.index import current_index
from kassay.supply.archive.mirrors import Mirrors, host_mirrors
from kassay.supply.archive.packages import closure, fetched

ARCH = "x86_64"
PACKAGES = (
    "systemd-sysv", "udev", "kmod", "openssh-server", "sudo", "kexec-tools", "initramfs-tools", "busybox", "zstd",
    "procps", "linux-image-cloud-amd64",
)  # fmt: skip
_DISK_BYTES = 4 << 30
_SOURCE = Path(__file__).parent
_ROOT_RUNS = (
    "tar --extract --file=root.tar --directory=root --numeric-owner --same-permissions && cp -L root/boot/vmlinuz-* \
kernel && cp -L root/boot/initrd.img-* initrd && mke2fs -q -t ext4 -L standin -E root_owner=0:0 -d root disk"
)


class Image(NamedTuple):
    """Files of the stand-in, read-only: an ext4 file system with the label "standin", and what its own kernel is."""

    disk: Path
    kernel: Path
    initrd: Path


def image(tell: Tell = silent) -> Image:
    """The image of today's recipe, made where it is not there. Raises HostLacks where it cannot be made."""
    mirrors = host_mirrors()
    current_index(ARCH, tell)
    suite = apt.codename(apt.root_for(mirrors, ARCH), "stable")
    final = cache_directory() / "standin" / sha256_bytes(_recipe(suite))[:16]
    with locked(final.with_name(f".{final.name}.lock"), waiting(tell, "the stand-in's image")):
        if not final.is_dir():
            tell(Progress(stage="standin", subject=suite, text="making the image, some minutes"))
            with swept(final.with_name(f".{final.name}.partial")) as scratch:
                _make(suite, mirrors, scratch, tell)
                publish_directory(scratch / "made", final)
    return Image(final / "disk", final / "kernel", final / "initrd")


def _recipe(suite: str) -> bytes:
    files = sorted(path for path in _SOURCE.rglob("files/**/*") if path.is_file())
    parts = [suite, str(_DISK_BYTES), " ".join(PACKAGES), _ROOT_RUNS, (_SOURCE / "customize.sh").read_text()]
    return "\0".join((*parts, *(f"{path.relative_to(_SOURCE)}\0{path.read_text()}" for path in files))).encode()


def _make(suite: str, mirrors: Mirrors, scratch: Path, tell: Tell) -> None:
    (scratch / "root").mkdir()
    (scratch / "apt.conf").write_text(_access())
    words = (
        *_mmdebstrap(scratch, tell), "--variant=minbase", f"--include={','.join(PACKAGES)}", "--format=tar",
        f"--aptopt={scratch}/apt.conf", f"--customize-hook={_SOURCE}/customize.sh \"$1\"",
        "--skip=cleanup/reproducible", "--verbose", suite, "root.tar", "-",
    )  # fmt: skip
    stanza = [f"Types: deb\nURIs: {mirrors.main.uri}\nSuites: {suite}\nComponents: main\n"]
    stanza += [f"Signed-By: {mirrors.main.signed_by}\n"] if mirrors.main.signed_by else []
    _run(words, scratch, stdin="".join(stanza))
    with (scratch / "disk").open("wb") as disk:
        disk.truncate(_DISK_BYTES)
    # Owners of files are only right for root, or under fakeroot.
    _run((*(() if os.geteuid() == 0 else ("fakeroot", "--")), "sh", "-c", _ROOT_RUNS), scratch)
    (scratch / "made").mkdir()
    for name in ("disk", "kernel", "initrd"):
        (scratch / name).rename(scratch / "made" / name)


def _mmdebstrap(scratch: Path, tell: Tell) -> tuple[str, ...]:
    """The program of this host, or the archive's, which is one script and needs perl and apt."""
    if found := shutil.which("mmdebstrap"):
        return (found,)
    wanted = [package for package in closure(("mmdebstrap",), ARCH, tell) if package.name == "mmdebstrap"]
    (file,) = fetched(wanted, ARCH, tell)
    _run(("dpkg-deb", "--extract", str(file), "tools"), scratch)
    return ("perl", f"{scratch}/tools/usr/bin/mmdebstrap")


def _access() -> str:
    """How this host's apt reaches the archive: proxies, and what it does not check."""
    shown = subprocess.run(("apt-config", "dump", "Acquire"), capture_output=True, text=True, check=True).stdout
    kept = re.findall(r'^Acquire::(?:https?|ftp|Check-|Retries)\S* "[^"]+";$', shown, re.M)
    return "".join(f"{line}\n" for line in kept)


def _run(words: tuple[str, ...], directory: Path, stdin: str = "") -> None:
    try:
        done = subprocess.run(words, input=stdin, capture_output=True, text=True, cwd=directory, timeout=1800)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostLacks(f"the stand-in's image: {error}") from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise HostLacks(f"the stand-in's image: {words[0]} ended with {done.returncode}\n  " + "\n  ".join(last))
