# SPDX-License-Identifier: GPL-2.0-only
"""A wheel without its clone: it compiles its own C sources, and measures and answers as the clone does."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kassay.effects.files import cache_directory
from tests import own_cache
from tests.boot.conftest import NEW, ONCE, QUICK
from tests.source import ROOT

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(1200)]  # pip may have to fetch everything
PAIR = ("debian:6.16", NEW)  # both in the ladder, and both in the stored matrix


class Installed(NamedTuple):
    """kassay in an environment of its own. folder: where it runs; its cache has kernels and nothing compiled."""

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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip")
    subprocess.run((*pip, "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)), check=True)
    (wheel,) = folder.glob("kassay-*.whl")
    subprocess.run((sys.executable, "-m", "venv", str(folder / "venv")), check=True)
    subprocess.run((str(folder / "venv/bin/pip"), "install", "-q", str(wheel)), check=True)
    own_cache.share(cache_directory(), folder / "cache/kassay")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KASSAY", "VIRTUAL"))}
    environment = {**kept, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    return Installed(folder / "venv/bin/kassay", folder, environment)


@pytest.fixture(scope="module")
def measured(installed: Installed) -> tuple[dict[str, Any], str]:
    """Report of one boot of two kernels, which the clone measured, too, and what was written to stderr."""
    words = ("compare", "mprotect_toggle", *PAIR, *QUICK, *ONCE, "--predict", "zen4", "--out", "pair")
    ended = installed.run(*words)
    return json.loads(ended.stdout), ended.stderr


def test_help_doctor_and_pages_need_no_clone(installed: Installed) -> None:
    assert "ladder" in installed.run("--help").stdout
    assert "built the plugin for this QEMU" in installed.run("doctor").stdout
    assert (installed.folder / "venv/share/doc/kassay/README.md").is_file()


def test_it_counts_what_the_clone_counts(
    measured: tuple[dict[str, Any], str], ladder: Path, ladder_report: dict[str, Any], installed: Installed
) -> None:
    report, _ = measured
    (found,) = (finding for finding in report["findings"] if finding["primary"])
    expected = {point["kernel"]: point["side"]["rounds"] for point in ladder_report["ladder"]["points"]}
    assert {side["kernel"]: side["rounds"] for side in found["sides"]} == {name: expected[name] for name in PAIR}
    plans = [json.loads((folder / "plan.json").read_text()) for folder in (ladder, installed.folder / "pair")]
    assert plans[0]["guest_sha256"] == plans[1]["guest_sha256"]


def test_it_compiles_once_and_says_so(measured: tuple[dict[str, Any], str], installed: Installed) -> None:
    assert "compile: guest program mprotect_toggle\n" in measured[1]
    assert "compile: core model\n" in measured[1]
    again = installed.run("predict", "pair", "--cpu", "zen4,skylake-sp")
    assert "skylake" in again.stdout and "compile:" not in again.stderr


@pytest.mark.usefixtures("measured")
def test_it_answers_from_the_stored_matrix(installed: Installed) -> None:
    assert "gcc_compile" in installed.run("notice", "pair", "6.16", "6.17", "--apps", "gcc_compile").stdout
    installed.run("site", "site", "--from", "stock")
    assert (installed.folder / "site/index.html").is_file()
