# SPDX-License-Identifier: GPL-2.0-only
"""deb:FILE[,FILE...]: a kernel in package files of Debian, Ubuntu and make bindeb-pkg."""

from kassay.supply.kernels._package_files import PackageKernels
from kassay.supply.packages import deb

SOURCE = PackageKernels(
    name="deb",
    summary="a kernel in package files of Debian, Ubuntu and make bindeb-pkg: deb:FILE[,FILE...]",
    opened=deb.opened,
    where="the image is in linux-image-RELEASE (Debian, make bindeb-pkg) or linux-image-unsigned-RELEASE (Ubuntu)",
)
