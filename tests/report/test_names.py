# SPDX-License-Identifier: GPL-2.0-only
"""What sentences call kernels."""

import pytest
from msgspec import structs

from kassay.model.experiment import KernelUse
from kassay.report.words import spoken_names
from tests.report.reports import SAMPLES

_EXPERIMENT = next(iter(SAMPLES.values()))().experiment


@pytest.mark.parametrize(
    ("refs", "names"),
    [
        (("debian:6.16", "arm64/debian:6.17"), ("6.16", "6.17")),
        (("image:/a/bzImage", "image:/b/bzImage"), ("image:/a/bzImage", "image:/b/bzImage")),
        (("build:debian-source:7.3", "build:debian-source:7.3+/x/fix.patch"), ("7.3", "7.3 + fix")),
        (("build:/home/me/linux@v7.3", "build:/home/me/linux,cc=clang-18"), ("linux@v7.3", "linux, clang-18")),
        (("build:/a b/linux", "debian:6.16"), ("linux", "6.16")),
        (("build:/a/linux,config=distro", "build:/a/linux"), ("build:/a/linux,config=distro", "build:/a/linux")),
    ],
)
def test_names_are_short_where_that_tells_them_apart(refs: tuple[str, ...], names: tuple[str, ...]) -> None:
    kernels = tuple(KernelUse(ref=ref) for ref in refs)
    assert spoken_names(structs.replace(_EXPERIMENT, kernels=kernels)) == names
