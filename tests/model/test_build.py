# SPDX-License-Identifier: GPL-2.0-only
"""References to kernels that are to be built."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.model.build import BuildRef, BuildSource, build_text, parse_build
from kassay.model.kernel import KernelIdentity, exact_ref, parse_ref

_TREE = "0123456789abcdef0123456789abcdef01234567"
_words = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=12)


def test_every_part_is_read() -> None:
    read = parse_build(f"/src/linux@v6.16+fix.patch+dir,cc=clang-16,config=lab+more.config+CONFIG_X=y,tree={_TREE}")
    assert read == BuildRef(
        tree="/src/linux", revision="v6.16", patches=("fix.patch", "dir"), cc="clang-16", config="lab",
        fragments=("more.config", "CONFIG_X=y"), pin=_TREE,
    )  # fmt: skip


def test_a_release_of_the_archive_keeps_its_colon() -> None:
    assert parse_ref("build:debian-source:7.3,cc=gcc-12").locator == "debian-source:7.3,cc=gcc-12"
    assert parse_build("debian-source:7.3").tree == "debian-source:7.3"


def test_alignment_is_a_fragment_of_the_configuration() -> None:
    read = parse_build("linux,align=64")
    assert read.fragments == ("CONFIG_DEBUG_FORCE_FUNCTION_ALIGN_64B=y",)
    assert build_text(read) == "build:linux,align=64"


@given(
    st.builds(
        BuildRef,
        tree=_words,
        revision=st.just("") | _words,
        patches=st.lists(_words, max_size=3).map(tuple),
        cc=st.sampled_from(("gcc", "gcc-12", "/opt/gcc")),
        config=_words,
        fragments=st.lists(_words, max_size=2).map(tuple),
        pin=st.sampled_from(("", _TREE)),
    )
)
def test_what_is_written_is_read_back(build: BuildRef) -> None:
    assert parse_build(build_text(build).removeprefix("build:")) == build


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a part is empty"), ("@v6.16", "a part is empty"), ("linux@", "a part is empty"),
        ("linux+", "a part is empty"), ("linux,config=lab+", "a part is empty"), ("linux,cxx=g++", "not an option"),
        ("linux,cc=", "not an option"), ("linux,cc=gcc,cc=gcc-12", "given twice"), ("linux,align=32", "align=32"),
        ("linux,tree=abc", "40 hexadecimal"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_the_grammar_or_the_reason(text: str, said: str) -> None:
    with pytest.raises(BadInput) as raised:
        parse_build(text)
    assert said in str(raised.value)


def test_the_exact_reference_of_a_build_names_its_sources() -> None:
    source = BuildSource(base="/src/linux", version="7.3.0", tree=_TREE)
    kernel = KernelIdentity(
        ref="arm64/build:/src/linux+a.patch", arch="arm64", release="7.3.0", image_sha256="x", build=source
    )
    assert exact_ref(kernel) == f"arm64/build:/src/linux+a.patch,tree={_TREE}"
