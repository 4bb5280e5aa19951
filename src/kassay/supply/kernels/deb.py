# SPDX-License-Identifier: GPL-2.0-only
"""deb:FILE[,FILE...]: a kernel in package files of Debian, Ubuntu and make bindeb-pkg."""

from kassay.supply.kernels._package_files import PackageKernels
from kassay.supply.packages import deb


class DebKernels(PackageKernels):
    """Packages with an image, and with modules, a configuration or debug symbols beside it."""

    name = "deb"
    summary = "a kernel in package files of Debian, Ubuntu and make bindeb-pkg: deb:FILE[,FILE...]"
    opened = staticmethod(deb.opened)
    where = "the image is in linux-image-RELEASE (Debian, make bindeb-pkg) or linux-image-unsigned-RELEASE (Ubuntu)"


SOURCE = DebKernels()
