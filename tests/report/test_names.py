# SPDX-License-Identifier: GPL-2.0-only
"""Names of kernels in sentences."""

import pytest
from msgspec import structs

from kassay.model.experiment import KernelUse
from kassay.model.texts import cells, table
from kassay.report.columns import aligned
from kassay.report.words import kernel_names, short_kernel_names
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
        (("build:/a/linux,config=distro", "build:/a/linux"), ("linux, distro", "linux, lab")),
    ],
)
def test_names_are_short_where_that_tells_them_apart(refs: tuple[str, ...], names: tuple[str, ...]) -> None:
    kernels = tuple(KernelUse(ref=ref) for ref in refs)
    assert short_kernel_names(structs.replace(_EXPERIMENT, kernels=kernels)) == names


def test_rows_carry_the_shortest_names_that_differ_and_no_heading_is_a_row() -> None:
    builds = [f"build:debian-source:6.17{more},config=distro" for more in ("", "+/tmp/patches/fast.patch",
              "+/tmp/patches/keep.patch", "+/tmp/patches/parent.patch")]  # fmt: skip
    assert kernel_names(builds, 30) == ("6.17", "6.17 + fast", "6.17 + keep", "6.17 + parent")
    assert kernel_names([builds[0], builds[0].replace("distro", "lab")], 30) == ("6.17, distro", "6.17, lab")
    assert kernel_names(["debian:6.12", "debian:6.17"], 30) == ("debian:6.12", "debian:6.17")
    rows = tuple(cells(name, "1") for name in ("a" * 50, f"{'a' * 25}b{'a' * 24}"))
    shown = aligned(table("t", ("kernel", "value"), rows), 90, 20)
    assert shown[0].text.split() == ["kernel", "value"] and shown[1].text.startswith("  1: aaa")
