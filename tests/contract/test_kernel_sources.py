# SPDX-License-Identifier: GPL-2.0-only
"""Requirements on every kind of kernel reference, checked for all that discovery finds."""

import pytest

from kassay.errors import BadInput
from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.kernels import KernelSource, sources

SOURCES = dict(sources())


def test_there_are_the_three_that_the_grammar_names() -> None:
    assert {"debian", "image", "host"} <= set(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_named_like_its_file_and_its_word_in_references(name: str) -> None:
    source = SOURCES[name]
    assert isinstance(source, KernelSource)
    assert source.name == name
    assert source.summary and "\n" not in source.summary
    assert parse_ref("host" if name == "host" else f"{name}:x").kind == name


@pytest.mark.parametrize("text", ["image:/etc/hostname", "image:/nowhere/at/all", "image:/etc"])
def test_what_is_no_kernel_is_refused_with_a_way_out(text: str) -> None:
    ref = parse_ref(text)
    with pytest.raises(BadInput) as caught:
        SOURCES[ref.kind].resolve(ref, "cloud", silent)
    assert ref.locator in caught.value.what
    assert len(str(caught.value).splitlines()) <= 3
