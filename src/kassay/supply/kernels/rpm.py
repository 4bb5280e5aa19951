# SPDX-License-Identifier: GPL-2.0-only
"""rpm:FILE[,FILE...]: a kernel in package files of Fedora, openSUSE and make binrpm-pkg."""

from kassay.supply.kernels._package_files import PackageKernels
from kassay.supply.packages import rpm

SOURCE = PackageKernels(
    name="rpm",
    summary="a kernel in package files of Fedora, openSUSE and make binrpm-pkg: rpm:FILE[,FILE...]",
    opened=rpm.opened,
    where="the image is in kernel-core (Fedora), kernel-default (openSUSE) or kernel (make binrpm-pkg)",
)
