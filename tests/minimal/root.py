# SPDX-License-Identifier: GPL-2.0-only
"""A root file system with Python, kassay, the C library and busybox, and nothing else: no apt, dpkg, gcc, git or QEMU.

Python, its packages and the C library are those of this host, bound into it. Only root can enter it.
"""

import os
import shlex
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kassay.model.progress import silent
from kassay.supply.archive.deb import tar_of
from kassay.supply.archive.mirrors import host_mirrors
from kassay.supply.archive.packages import closure, fetched
from tests.source import ROOT

_LIBRARIES = ("/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
              "/usr/lib/aarch64-linux-gnu")  # fmt: skip
_PACKAGE_MANAGERS = ("dpkg", "dpkg-deb", "rpm", "rpm2cpio")
"""Applets that a host without package managers does not have."""
_FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/hosts": "127.0.0.1 localhost\n",
    "etc/os-release": "ID=minimal\n", "etc/hostname": "minimal\n",
}  # fmt: skip


def make(directory: Path, arch: str) -> None:
    """Writes what is not bound: busybox of the archive with its applets, and a few files of /etc."""
    (package,) = (found for found in closure(["busybox-static"], arch, silent) if found.name == "busybox-static")
    (file,) = fetched([package], arch, silent)
    for name in ("bin", "dev", "etc", "proc", "root", "sys", "tmp"):
        (directory / name).mkdir(parents=True)
    with tar_of(file) as tar:
        member = tar.extractfile(next(name for name in tar.getnames() if name.endswith("bin/busybox")))
        assert member is not None
        (directory / "bin" / "busybox").write_bytes(member.read())
    (directory / "bin" / "busybox").chmod(0o755)
    applets = subprocess.run((directory / "bin" / "busybox", "--list"), capture_output=True, text=True, check=True)
    for name in {*applets.stdout.split()} - {"busybox", *_PACKAGE_MANAGERS}:
        (directory / "bin" / name).symlink_to("busybox")
    for name, text in _FILES.items():
        (directory / name).write_text(text)


def bring(directory: Path, program: str) -> None:
    """Adds a program of this host, and how this host finds others by name."""
    shutil.copy(str(shutil.which(program)), directory / "bin" / program)
    for name in ("resolv.conf", "nsswitch.conf", "hosts"):
        if Path("/etc", name).is_file():
            shutil.copy(Path("/etc", name), directory / "etc" / name)


def mirror() -> str:
    """The address of this host's mirror, as KASSAY_MIRROR has it."""
    return host_mirrors().main.uri


def proxies() -> dict[str, str]:
    """This host's proxies."""
    return {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}


def run(directory: Path, argv: Sequence[str], environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Runs a program in it, in the directory of this source. Nothing stays mounted."""
    lines = ["set -e", *_binds(directory)]
    words = (f"{name}={value}" for name, value in environment.items())
    enter = ("chroot", str(directory), "/bin/env", "-i", "PATH=/bin", "HOME=/root", *words, "/bin/sh", "-c",
             f"cd {shlex.quote(str(ROOT))} && exec {shlex.join(argv)}")  # fmt: skip
    script = "\n".join((*lines, f"exec {shlex.join(enter)}"))
    return subprocess.run(("unshare", "--mount", "--propagation", "private", "sh", "-c", script),
                          capture_output=True, text=True, timeout=380)  # fmt: skip


def _binds(directory: Path) -> Iterator[str]:
    """Commands that bind this host's files to the same paths of the root."""
    for path in ("/proc", "/dev", "/sys", str(ROOT)):
        yield from _bind(directory, path)
    for path in (*_python(), *(path for path in _LIBRARIES if Path(path).is_dir())):
        yield from _bind(directory, path)
        yield f"mount -o remount,ro,bind {shlex.quote(str(directory) + path)}"


def _bind(directory: Path, path: str) -> Iterator[str]:
    into = Path(f"{directory}{path}")
    if stat.S_ISDIR(Path(path).stat().st_mode):
        into.mkdir(parents=True, exist_ok=True)
    else:
        into.parent.mkdir(parents=True, exist_ok=True)
        into.touch()
    yield f"mount --bind {shlex.quote(path)} {shlex.quote(str(into))}"


def _python() -> Iterator[str]:
    """The interpreter and its library, without the other programs of /usr."""
    if sys.base_prefix != "/usr":
        yield sys.base_prefix
        return
    yield sysconfig.get_path("stdlib")
    link = Path(sys.executable)
    while True:
        if not link.is_relative_to(ROOT):
            yield str(link)
        if not link.is_symlink():
            return
        link = Path(os.path.normpath(link.parent / link.readlink()))
