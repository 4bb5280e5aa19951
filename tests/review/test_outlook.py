# SPDX-License-Identifier: GPL-2.0-only
"""`kassay review --plan`: names of settings, a total, and nothing that is downloaded for it."""

from pathlib import Path

import pytest

from kassay.labs.review import base as base_module
from kassay.labs.review.base import find_base
from kassay.labs.review.outlook import outlook
from kassay.labs.review.review import Wanted
from kassay.model.build import BuildSource
from kassay.model.progress import silent
from kassay.supply.archive.sources_list import SourceFile, SourceList, SourceVersion
from kassay.supply.building import debian_source

SERIES = Path(__file__).parents[1] / "data" / "reviews" / "large-folios.mbx"
FILE = SourceFile(uri="pool/linux_7.3.4.orig.tar.xz", sha256="a" * 64, provenance="the tarball", size=151_400_000)
FETCH = "linux_7.3.4.orig.tar.xz, 151 MB"


def plan(fetch: str = FETCH, corners: tuple[str, ...] = (), previous: str = "") -> list[str]:
    wanted = Wanted(
        source=str(SERIES), patches=str(SERIES), base="build:debian-source:7.3", arch="x86_64", suite="mm", settings=4,
        corners=corners, previous=previous,
    )  # fmt: skip
    return outlook(wanted, fetch, silent).splitlines()


def test_sources_of_a_given_base_are_named_and_not_fetched(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = SourceList(made="", versions=(SourceVersion(version="7.3.4-1", files=(FILE,)),))
    monkeypatch.setattr(debian_source, "listed_sources", lambda tell: listed)
    monkeypatch.setattr(base_module, "source_tree", lambda *words: pytest.fail("fetched"))
    found = find_base(
        SERIES, base="build:debian-source:7.3", tree=None, options=",cc=gcc-12", tell=silent, fetches=False
    )
    assert (found.ref, found.fetch, found.tries) == ("build:debian-source:7.3,cc=gcc-12", FETCH, ())


def test_what_is_downloaded_comes_first() -> None:
    assert plan()[0].startswith("download  linux_7.3.4.orig.tar.xz, 151 MB")


def test_settings_are_named_and_the_total_is_the_sum() -> None:
    text = " ".join(" ".join(plan(corners=("cc=gcc-14",))).split())
    assert "functions change_pte_range and change_softleaf_pte" in text
    assert " mprotect_toggle, " in text and "mprotect_toggle pages=thp" in text
    assert "corner cc=gcc-14 two kernels: about 4 min" in text
    assert "measure at most 4 of these: about 13 s" in text
    assert "total about 10 min; about 6 min if base and the series were built before" in text


def test_earlier_version_has_a_row_of_its_own() -> None:
    assert "previous  the kernel of the earlier version: about 43 s" in plan(previous="v1.mbx")


def test_texts_need_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    source = BuildSource(base="debian-source:7.3", version="7.3.4", tree="0" * 40)
    monkeypatch.setattr("kassay.labs.review.outlook.source_tree", lambda *words: (source.tree, source))
    monkeypatch.setattr("kassay.labs.review.outlook.steps", lambda tree, patches: (tree,))
    assert plan(fetch="")[-1] == "The whole series changes no file that a kernel is built from."
