# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's own build of one object of a module."""

from kassay.model.application import Application

_BUILD = """#!/bin/sh
exec make -C /usr/src/linux-headers-*-cloud-* M=/data dm-writeboost-daemon.o
"""

APPLICATION = Application(
    name="kernel_build",
    summary="make of one object of a kernel module, by the kernel's build system with its headers and objtool",
    uses="some 40 short programs (make, sh, gcc, cc1, as, objtool, fixdep), each a fork, an execve and an exit",
    packages=("dash", "dm-writeboost-dkms", "gcc-14", "linux-headers-cloud-amd64", "make"),
    without=("linux-image-*", "initramfs-tools*", "systemd", "udev", "lib*san[0-9]", "libgprofng0"),
    arches=("x86_64",),
    setup=(("/bin/sh", "-c", "cp /usr/src/dm-writeboost-*/* /data"),),
    command=("/data/build",),
    between=(("/bin/sh", "-c", "rm -f /data/*.o /data/.*.cmd"),),
    checks=(("/bin/sh", "-c", "test -s /data/dm-writeboost-daemon.o"),),
    environment=("PATH=/usr/bin:/bin",),
    operation="object",
    memory="2GiB",
    inputs=lambda: {"build": _BUILD.encode()},
)
