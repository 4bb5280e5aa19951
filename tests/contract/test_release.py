# SPDX-License-Identifier: GPL-2.0-only
"""`make release`: the same bytes twice, checked, without an address of a package index."""

import json
import runpy
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

import kassay
from tests.source import ROOT

SCRIPT = ROOT / "scripts/release.py"


@pytest.fixture(scope="module")
def release() -> dict[str, Any]:
    """Everything that the script defines."""
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def index() -> str:
    """An address at the index that pip asks by default."""
    from pip._internal.models.index import PyPI

    return f"{PyPI.url}project/numpy"


def test_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")]
    assert kassay.__version__ == version
    assert headings[0].split()[1] == version


def test_tools_and_build_backend_have_one_version() -> None:
    """pyproject.toml names them for developers, scripts/release-tools.txt for a release."""
    tools = (ROOT / "scripts/release-tools.txt").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for requirement in (*project["build-system"]["requires"], *project["project"]["optional-dependencies"]["docs"]):
        assert f"{requirement} " in tools


def test_packed_folder_has_the_same_bytes_whatever_its_files_modes_are(release: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "site/sub").mkdir(parents=True)
    page = tmp_path / "site/sub/page.html"
    page.write_text("page")
    packed = []
    for number, mode in enumerate((0o644, 0o600)):
        page.chmod(mode)
        archive = tmp_path / str(number) / "kassay-docs.tar.gz"
        archive.parent.mkdir()
        release["_pack"](tmp_path / "site", archive, 1_700_000_000)
        packed.append(archive.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(archive) as tar:
        assert tar.getnames() == ["kassay-docs/sub", "kassay-docs/sub/page.html"]


@pytest.mark.slow
def test_sbom_loses_references_to_the_index_and_no_package(release: dict[str, Any], index: str, tmp_path: Path) -> None:
    component = {"purl": "pkg:pypi/numpy@2", "externalReferences": [{"url": index}, {"url": "https://numpy.org"}]}
    sbom = tmp_path / "a.cdx.json"
    sbom.write_text(json.dumps({"components": [component]}))
    assert release["_addresses"](tmp_path) == ["a.cdx.json: a.cdx.json names a package index"]
    release["_without_registry"](sbom)
    assert release["_addresses"](tmp_path) == []
    (left,) = json.loads(sbom.read_text())["components"]
    assert left == {**component, "externalReferences": [{"url": "https://numpy.org"}]}


@pytest.mark.slow
def test_addresses_are_found_inside_archives(release: dict[str, Any], index: str, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/page.html").write_text(index)
    (tmp_path / "out").mkdir()
    release["_pack"](tmp_path / "site", tmp_path / "out/docs.tar.gz", 0)
    assert release["_addresses"](tmp_path / "out") == ["docs.tar.gz: docs/page.html names a package index"]


def test_builds_that_differ_are_named(release: dict[str, Any], tmp_path: Path) -> None:
    for number in (0, 1):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "same").write_text("x")
        (tmp_path / str(number) / "other").write_text(str(number))
    (tmp_path / "0/alone").touch()
    folders = (tmp_path / "0", tmp_path / "1")
    assert release["_differences"](*folders) == ["alone: two builds differ", "other: two builds differ"]


@pytest.mark.release
@pytest.mark.timeout(1200)  # pip may have to fetch everything
def test_release_of_a_clone_has_every_file_and_its_checksum(tmp_path: Path) -> None:
    """The script itself builds twice, compares and greps. This clone has no tools yet."""
    clone = tmp_path / "clone"
    subprocess.run(("git", "clone", "-q", str(ROOT), str(clone)), check=True)
    ended = subprocess.run((sys.executable, "scripts/release.py"), cwd=clone, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "pip-audit: " in ended.stdout
    name = f"kassay-{kassay.__version__}"
    files = {f"{name}.tar.gz", f"{name}-docs.tar.gz", f"{name}-py3-none-any.whl", f"{name}.cdx.json"}
    sums = (clone / "build/release/SHA256SUMS").read_text().splitlines()
    assert {line.split()[1] for line in sums} == files
    sbom = json.loads((clone / f"build/release/{name}.cdx.json").read_text())
    pinned = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    components = {f"{one['name'].lower()}=={one['version']}" for one in sbom["components"]}
    assert components > set(pinned)
    assert sbom["metadata"]["component"]["name"] == "kassay"
    assert str(tmp_path) not in json.dumps(sbom)
