# SPDX-License-Identifier: GPL-2.0-only
"""Requirements on every kind of kernel reference, checked for all that discovery finds."""

import re

import pytest

from kassay.errors import BadInput
from kassay.model.kernel import parse_ref
from kassay.model.kinds import kinds
from kassay.model.progress import silent
from kassay.supply.kernels import KernelSource, sources

SOURCES = dict(sources())


def test_each_kind_has_its_words_and_a_source() -> None:
    assert {"debian", "image", "host"} <= set(SOURCES)
    assert set(SOURCES) == set(kinds())


@pytest.mark.parametrize("name", SOURCES)
def test_a_kind_is_named_like_its_file_and_shows_how_it_is_written(name: str) -> None:
    kind = kinds()[name]
    assert kind.name == name
    example = re.match(r"[^\s\[]+", kind.grammar)
    assert example is not None
    assert parse_ref(example[0].rstrip(",")).kind == name


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_named_like_its_file_and_its_word_in_references(name: str) -> None:
    source = SOURCES[name]
    assert isinstance(source, KernelSource)
    assert source.name == name
    assert source.summary and "\n" not in source.summary


@pytest.mark.parametrize("text", ["image:/etc/hostname", "image:/nowhere/at/all", "image:/etc"])
def test_what_is_no_kernel_is_refused_with_a_way_out(text: str) -> None:
    ref = parse_ref(text)
    with pytest.raises(BadInput) as caught:
        SOURCES[ref.kind].resolve(ref, "cloud", silent)
    assert ref.locator in caught.value.what
    assert len(str(caught.value).splitlines()) <= 3
