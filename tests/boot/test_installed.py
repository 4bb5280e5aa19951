# SPDX-License-Identifier: GPL-2.0-only
"""A wheel without its clone: it compiles its own C sources, and measures and answers as the clone does."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement

from kassay.effects.files import cache_directory
from kassay.evidence.collect import collect
from kassay.journal.directory import RunDirectory, open_directory
from kassay.model.guest import PhaseRounds
from tests import own_cache
from tests.boot.conftest import NEW, ONCE, restored, share_snapshots
from tests.boot.conftest import measured as measure_in
from tests.source import ROOT

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(1200)]  # pip may have to fetch everything
SMALL = ("--set", "size=128KiB", "--rounds", "4", "--boot", "snapshot")


class Installed(NamedTuple):
    """kassay in an environment of its own. folder: where it runs; its cache has kernels and snapshots of booted
    machines, and nothing compiled."""

    program: Path
    folder: Path
    environment: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            (str(self.program), *words), cwd=self.folder, env=self.environment, capture_output=True, text=True,
            timeout=600,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        return ended


def required(name: str, known: set[str]) -> set[str]:
    """Names of the distributions that one declares, of those that they declare, and so on."""
    known.add(name)
    for found in map(Requirement, requires(name) or ()):
        if found.name not in known and (found.marker is None or found.marker.evaluate({"extra": ""})):
            required(found.name, known)
    return known


def link(name: str, packages: Path) -> None:
    """Puts a distribution of this interpreter into another environment. pip would need ten seconds for all of them."""
    for top in {file.parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
        (packages / top).symlink_to(Path(sysconfig.get_path("purelib"), top))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip")
    subprocess.run((*pip, "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)), check=True)
    (wheel,) = folder.glob("kassay-*.whl")
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")), check=True)
    into = ("--python", str(folder / "venv/bin/python"))
    subprocess.run((*pip, *into, "install", "-q", "--no-deps", "--no-compile", str(wheel)), check=True)
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    for name in required("kassay", set()) - {"kassay"}:
        link(name, packages)
    own_cache.share(cache_directory(), folder / "cache/kassay")
    share_snapshots(folder / "cache/kassay")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KASSAY", "VIRTUAL"))}
    environment = {**kept, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    return Installed(folder / "venv/bin/kassay", folder, environment)


@pytest.fixture(scope="module")
def measured(installed: Installed) -> subprocess.CompletedProcess[str]:
    """One kernel against itself, with a prediction."""
    return installed.run("compare", "mprotect_toggle", NEW, NEW, *SMALL, *ONCE, "--predict", "zen4", "--out", "pair")


def test_help_doctor_and_pages_need_no_clone(installed: Installed) -> None:
    assert "ladder" in installed.run("--help").stdout
    assert "built the plugin for this QEMU" in installed.run("doctor").stdout
    assert (installed.folder / "venv/share/doc/kassay/README.md").is_file()


def test_it_counts_what_the_clone_counts(
    measured: subprocess.CompletedProcess[str], installed: Installed, tmp_path: Path
) -> None:
    (found,) = (finding for finding in json.loads(measured.stdout)["findings"] if finding["primary"])
    assert found["verdict"] == "equivalent" and found["sides"][0]["rounds"] == found["sides"][1]["rounds"]
    measure_in(restored("mprotect_toggle", NEW, settings={"size": "128KiB"}), tmp_path / "clone")
    pair, clone = (open_directory(folder) for folder in (installed.folder / "pair", tmp_path / "clone"))
    assert pair.plan.guest_sha256 == clone.plan.guest_sha256
    assert phases(pair) == phases(clone)


def phases(folder: RunDirectory) -> tuple[PhaseRounds, ...]:
    """The counts of the first kernel's first run."""
    return collect(folder, folder.records())[0].measurements[0].phases


def test_it_compiles_once_and_says_so(measured: subprocess.CompletedProcess[str], installed: Installed) -> None:
    assert "compile: guest program mprotect_toggle\n" in measured.stderr
    assert "compile: core model\n" in measured.stderr
    again = installed.run("predict", "pair", "--cpu", "zen4,skylake-sp")
    assert "skylake" in again.stdout and "compile:" not in again.stderr


def test_it_answers_from_the_stored_matrix(installed: Installed, ladder: Path) -> None:
    shutil.copytree(ladder, installed.folder / "ladder")
    assert "gcc_compile" in installed.run("notice", "ladder", "6.16", "6.17", "--apps", "gcc_compile").stdout
    assert "6.12" in installed.run("history", "show", "mprotect_toggle", "--archive", "stock").stdout
    installed.run("history", "add", "ladder")
    installed.run("site", "site")
    assert (installed.folder / "site/index.html").is_file()
