# SPDX-License-Identifier: GPL-2.0-only
"""scripts/container with stand-ins for mmdebstrap, pip, the engine and the tools that change the unpacked system."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.source import ROOT

_PACKAGES = "# Debian 12 of 2026-01-02\nadduser 3.134\ngcc 12.2\n"

_MMDEBSTRAP = """#!/bin/sh
# The commands of an ordinary user's hooks run with the rights of other users: the user's files are out of reach.
for word; do
	case $word in
	*customize-hook=tar-in\\ *) set -- ${word#*=}; tar -C "$ROOT" -xf "$2" ;;
	*customize-hook=download\\ *) set -- ${word#*=}; cp "$ROOT$2" "$3" ;;
	*customize-hook=*)
		mv "$CLONE" "$CLONE.away"
		(cd / && sh -c "${word#*=}" exec "$ROOT") && status=0 || status=$?
		mv "$CLONE.away" "$CLONE"
		[ $status = 0 ] || exit $status ;;
	*rootfs.tar) tar -C "$ROOT" -cf "$word" . ;;
	esac
done
"""
_PYTHON = """#!/bin/sh
case "$*" in
"-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
*" wheel "*) mkdir -p build/container/own; : >build/container/own/kassay.whl ;;
*--require-hashes*)
	mkdir -p "$PACKED/zstandard" "$PACKED/a.dist-info"
	printf 'a.py,,\n../../bin/a,sha256=%s,1\n' "$PWD" >"$PACKED/a.dist-info/RECORD" ;;
*.whl) pwd >"$PACKED/direct_url.json" ;; # the path of a file, as pip
esac
"""
_DPKG_QUERY = "#!/bin/sh\nprintf 'gcc %s\\nadduser 3.134\\n' \"$GCC\"\n"
_ENGINE = """#!/bin/sh
case $1 in build) for last; do :; done; tar -xOf "$last/rootfs.tar" ./usr/local/bin/kassay >"$ROOT.kassay" ;; esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A tree with the script, its lists, and an unpacked system beside it."""
    clone = tmp_path / "a clone"
    (clone / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/container", clone / "scripts/container")
    shutil.copytree(ROOT / "container", clone / "container")
    (clone / "container/packages.txt").write_text(_PACKAGES)
    (clone / "pyproject.toml").write_text('version = "7.8.9"\n')
    (clone / "Containerfile").write_text("FROM scratch\n")
    programs = {
        "mmdebstrap": _MMDEBSTRAP, "python3": _PYTHON, "dpkg-query": _DPKG_QUERY, "podman": _ENGINE,
        "strip": "#!/bin/sh\n", "chroot": "#!/bin/sh\n", "apt-get": "#!/bin/sh\n",
    }  # fmt: skip
    (tmp_path / "bin").mkdir()
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    for place in ("etc", "usr/local/bin", "var/lib/apt/lists", "var/cache", "usr/share/python3/debpython/__pycache__"):
        (tmp_path / "root" / place).mkdir(parents=True)
    (tmp_path / "root/var/lib/apt/lists/m_InRelease").write_text("Date: Sat, 03 Jan 2026 08:00:00 UTC\n")
    return clone


def _build(clone: Path, *arguments: str, gcc: str = "12.2") -> subprocess.CompletedProcess[str]:
    beside = clone.parent
    environment = {
        "PATH": f"{beside}/bin:{os.environ['PATH']}", "CLONE": str(clone), "ROOT": str(beside / "root"), "GCC": gcc,
        "KASSAY_ENGINE": "podman", "HOME": str(clone),
        "PACKED": "build/container/tree/usr/local/lib/python3.11/dist-packages",
    }  # fmt: skip
    argv = (str(clone / "scripts/container"), *arguments)
    return subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60)


def _identity(clone: Path, day: str) -> str:
    lists = (clone / "container/packages.txt").read_bytes() + (clone / "container/python.txt").read_bytes()
    return f"kassay-image 7.8.9, Debian 12 of {day}, sha256 {hashlib.sha256(lists).hexdigest()}\n"


@pytest.mark.slow
def test_hooks_need_no_file_of_the_user(clone: Path) -> None:
    done = _build(clone)
    assert (done.returncode, done.stdout) == (0, _identity(clone, "2026-01-02")), done.stderr
    root = clone.parent / "root"
    assert not (root / "lists").exists() and not list((root / "var/lib/apt/lists").glob("*InRelease"))
    assert "from kassay.cli import main" in (clone.parent / "root.kassay").read_text()
    assert (root / "usr/local/bin/kassay").stat().st_mode & 0o777 == 0o755
    assert not (clone / "build/container").exists()
    assert not list(root.rglob("direct_url.json"))  # which has a path of this host
    assert [path.read_text() for path in root.rglob("RECORD")] == ["a.py,,\n"]
    assert not (root / "usr/share/python3/debpython/__pycache__").exists()  # bytes that differ each time


def test_other_versions_are_named_and_change_no_list(clone: Path) -> None:
    done = _build(clone, gcc="12.3")
    assert done.returncode == 3
    assert "-gcc 12.2\n+gcc 12.3\n" in done.stderr and "scripts/container --update" in done.stderr
    assert (clone / "container/packages.txt").read_text() == _PACKAGES


@pytest.mark.slow
def test_update_records_what_the_archive_has(clone: Path) -> None:
    python = clone / "container/python.txt"
    python.write_text("")
    wheel = clone.parent / "wheel"
    (clone.parent / "bin/python3").write_text(
        _PYTHON.replace("*--require", f'*" download "*) mkdir -p build/container/wheels; cp "{wheel}" '
                        "build/container/wheels/some_thing-1.2-py3-none-any.whl ;;\n*--require")
    )  # fmt: skip
    wheel.write_bytes(b"wheel")
    done = _build(clone, "--update", gcc="12.3")
    assert (done.returncode, done.stdout) == (0, _identity(clone, "2026-01-03")), done.stderr
    assert (clone / "container/packages.txt").read_text() == "# Debian 12 of 2026-01-03\nadduser 3.134\ngcc 12.3\n"
    assert python.read_text() == f"some_thing==1.2 --hash=sha256:{hashlib.sha256(b'wheel').hexdigest()}\n"
