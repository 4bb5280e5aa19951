# SPDX-License-Identifier: GPL-2.0-only
"""pacman:FILE[,FILE...]: a kernel in package files of Arch Linux and make pacman-pkg."""

from kassay.supply.kernels._package_files import PackageKernels
from kassay.supply.packages import pacman

SOURCE = PackageKernels(
    name="pacman",
    summary="a kernel in package files of Arch Linux and make pacman-pkg: pacman:FILE[,FILE...]",
    opened=pacman.opened,
    where="the image is in linux (Arch Linux) or linux-upstream (make pacman-pkg)",
)
