# SPDX-License-Identifier: GPL-2.0-only
"""Kernel references as people type them."""

import pytest

from kassay.errors import BadInput
from kassay.model.kernel import full_ref, parse_ref


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("6.17", "debian:6.17"),
        (" 6.17.8 ", "debian:6.17.8"),
        ("7.3-rc7", "debian:7.3-rc7"),
        ("6.17.8-1~bpo13+1", "debian:6.17.8-1~bpo13+1"),
        ("arm64/6.19", "arm64/debian:6.19"),
        ("debian:6.17", "debian:6.17"),
        ("image:6.17", "image:6.17"),
        ("build:/x/6.17", "build:/x/6.17"),
        ("host", "host"),
        ("sparc/6.17", "sparc/6.17"),
        ("6", "6"),
    ],
)
def test_a_bare_version_is_one_of_the_archive(typed: str, full: str) -> None:
    assert full_ref(typed) == full


def test_the_reference_that_was_taken_is_what_is_shown() -> None:
    ref = parse_ref("arm64/6.19.8")
    assert (ref.text, ref.arch, ref.kind, ref.locator) == ("arm64/debian:6.19.8", "arm64", "debian", "6.19.8")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("debain:6.17", "did you mean debian:6.17? write debian:"),
        ("debian-source:7.3", "did you mean build:debian-source:7.3? write build:"),
        ("imge:/x", "did you mean image:/x? write"),
        ("linux-6.12", "kernel 'linux-6.12': not a kernel reference\n  write 6.17 or debian:6.17, or one of "),
        ("fix.patch", "a patch stands behind the tree that it applies to: build:TREE+fix.patch"),
        ("~/linux", "write image:~/linux or build:~/linux"),
        ("rpm:", "not a kernel reference\n  write rpm:FILE"),
        ("running:6.17", "not a kernel reference\n  write running, the installed"),
        ("installed", "not a kernel reference\n  write installed:RELEASE"),
        ("arm46/debian:6.17", "unknown arch 'arm46'"),
    ],
)
def test_what_is_no_reference_is_answered_with_the_nearest(typed: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_ref(typed)
    assert said in str(caught.value)


def test_a_cpu_of_its_own_is_no_part_of_a_reference_and_the_way_out_is_said() -> None:
    with pytest.raises(BadInput, match="a kernel takes no CPU of its own here") as caught:
        parse_ref("debian:6.17@cpu=zen3")
    assert "--cpu NAME" in caught.value.remedy


@pytest.mark.parametrize("typed", ["6.17@thp=never", "arm64/debian:6.17@cpuz=a72", "build:~/linux@v7.3@memory=1GiB"])
def test_only_the_cpu_can_be_set_for_one_kernel(typed: str) -> None:
    with pytest.raises(BadInput, match="is no setting of one kernel") as caught:
        parse_ref(typed)
    assert "only @cpu=NAME" in caught.value.remedy


@pytest.mark.parametrize("typed", ["build:~/linux@v7.3,config=/x", "build:~/linux@fix=2", "image:/x@y=z/bzImage"])
def test_a_revision_or_a_path_may_have_an_equals_sign(typed: str) -> None:
    assert parse_ref(typed).text == typed
