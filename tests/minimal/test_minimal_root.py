# SPDX-License-Identifier: GPL-2.0-only
"""kassay assumes no path, shell or program of Debian: its tests pass in a root file system with busybox and Python, and
skip what needs a compiler, git or QEMU with the sentence that names the package."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.minimal import root

pytestmark = [
    pytest.mark.slow,
    pytest.mark.network,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter another root file system"),
]
PARTS = (
    "tests/effects", "tests/archive", "tests/kernels", "tests/journal", "tests/spec", "tests/imports", "tests/run",
    "tests/commands/test_import.py", "tests/commands/test_doctor.py",
)  # fmt: skip
"""Tests of processes, files, packages and the command line. By hand all tests can be run (testing.md)."""
_NEITHER = "boot or network or browser or release"


@pytest.fixture(scope="module")
def minimal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if subprocess.run(("unshare", "--mount", "true"), capture_output=True).returncode:
        pytest.skip("this host gives no mount namespace")
    directory = tmp_path_factory.mktemp("minimal")
    root.make(directory, "x86_64")
    return directory


def test_the_tests_pass_without_apt_dpkg_and_gcc_and_with_busybox(minimal: Path) -> None:
    options = ("-q", "-p", "tests.minimal.lacking", "-p", "no:cacheprovider", "-m", f"not ({_NEITHER})")
    parts = os.environ.get("KASSAY_MINIMAL_TESTS", " ".join(PARTS)).split()
    done = root.run(minimal, (".venv/bin/python", "-m", "pytest", *options, *parts), {})
    print(done.stdout[-4000:], done.stderr[-1000:])
    assert done.returncode == 0
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None and int(passed[1]) > 400
    assert "gpg: not found on this host; install it: what Debian calls gpg" in done.stdout


def test_doctor_names_what_is_missing(minimal: Path) -> None:
    done = root.run(minimal, (".venv/bin/kassay", "doctor"), {"COLUMNS": "200"})
    assert done.returncode == 0, done.stderr
    assert "gcc: not found on this host" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last.startswith("Everything that is missing: what Debian calls qemu-system-x86 gcc libc6-dev")


def test_a_kernel_of_the_archive_is_fetched_by_the_keys_that_kassay_knows(minimal: Path) -> None:
    """gpgv is brought in. There is no keyring, so the archive's own is taken, and held against the fingerprints."""
    root.bring(minimal, "gpgv")
    environment = {"KASSAY_MIRROR": root.mirror(), **root.proxies()}
    done = root.run(minimal, (".venv/bin/kassay", "kernels", "list"), environment)
    assert done.returncode == 0, done.stderr
    assert "debian:6." in done.stdout
