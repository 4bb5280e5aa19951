# SPDX-License-Identifier: GPL-2.0-only
"""A suite that is stale, absent or refused costs only the answers that need it. A real apt reads a real archive."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import parse_ref
from kassay.supply.archive import apt as _apt
from kassay.supply.archive import index as _index
from kassay.supply.archive.index import current_index
from kassay.supply.kernels import fetch, versions
from tests.archive.repository import DAY, Repository, repository
from tests.kernels.fakes import Told

pytestmark = pytest.mark.slow  # seconds for the whole file

_SUITES = ("stable", "testing", "unstable", "experimental")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with repository(tmp_path_factory.mktemp("archive")) as made:
        yield made


@pytest.fixture
def archive(signed: Repository, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An archive with a good suite; whatever this host's apt is told of dates, they are checked."""
    shutil.rmtree(signed.base, ignore_errors=True)
    signed.suite("stable", "6.12.9")
    checks = 'Acquire::Check-Valid-Until "true"; Acquire::Check-Date "true";\n'
    monkeypatch.setattr(_apt, "_CONFIGURATION", _apt._CONFIGURATION + checks.replace("{", "{{"))
    monkeypatch.setattr(_apt, "_SUITES", _SUITES)
    monkeypatch.setattr(_index, "host_mirrors", lambda: signed.mirrors)
    return signed


def test_a_stale_a_refused_and_an_absent_suite_leave_the_others_in_use(archive: Repository) -> None:
    archive.suite("testing", "7.2.1", made=-9 * DAY, expires=-3 * DAY)
    archive.suite("unstable", "7.3.1", signed=False)
    told = Told()
    (kernel,) = fetch([parse_ref("debian:6.12")], "cloud", told)
    assert kernel.identity.release == "6.12.9-cloud-amd64"
    assert told.texts.count("testing: left out: Release file for") == 1
    assert "is expired" in told.texts
    assert told.texts.count("unstable: left out: ") == 1  # the rest is by gpgv, or by sqv of apt 3
    assert told.texts.count("not on this mirror: experimental") == 1

    again = Told()
    with pytest.raises(HostLacks, match=r"'debian:7\.2': the archive has no cloud x86_64 kernel") as caught:
        fetch([parse_ref("debian:7.2")], "cloud", again)
    assert "testing: left out: Release file" in caught.value.what and "unstable: left out: " in caught.value.what
    assert "series it has: 6.12" in caught.value.remedy
    assert again.texts == ""
    with pytest.raises(BadInput, match="testing: left out"):
        fetch([parse_ref("debian:foo")], "cloud", again)


@pytest.mark.slow
def test_a_suite_that_was_read_before_serves_when_it_becomes_stale(archive: Repository) -> None:
    archive.suite("testing", "7.2.1")
    assert [v.upstream for v in versions("debian", "x86_64", "cloud", Told())] == ["6.12.9", "7.2.1"]
    archive.suite("stable", "6.12.10")
    archive.suite("testing", "7.2.2", made=-9 * DAY, expires=-3 * DAY)
    told = Told()
    index = current_index("x86_64", told, refresh=True)
    assert sorted(p.version for p in index.packages) == ["6.12.10-1", "7.2.1-1"]
    assert "testing: an older list is used: Release file for" in told.texts


@pytest.mark.slow
def test_a_suite_that_is_only_absent_makes_an_unknown_version_no_fault_of_the_host(archive: Repository) -> None:
    archive.suite("testing", "7.2.1")
    with pytest.raises(BadInput, match="not on this mirror: experimental") as caught:
        fetch([parse_ref("debian:6.55")], "cloud", Told())
    assert "series it has: 6.12, 7.2" in caught.value.remedy


@pytest.mark.slow
def test_an_archive_of_which_no_suite_can_be_read_ends_with_the_reason(archive: Repository) -> None:
    archive.suite("stable", "6.12.9", made=-9 * DAY, expires=-3 * DAY)
    with pytest.raises(HostLacks, match=r"could not be fetched: stable: left out: Release file .* is expired"):
        current_index("x86_64", Told())
