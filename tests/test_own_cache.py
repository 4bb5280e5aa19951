# SPDX-License-Identifier: GPL-2.0-only
"""The user's cache is the same after a session of tests as before, and what it has fetched is there for them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SESSION = """
from pathlib import Path
from kassay.supply.building import git
from kassay.effects.files import cache_directory
from kassay.effects.lock import host_locked


def test_writes(tmp_path: Path) -> None:
    cache = cache_directory()
    assert (cache / "kernels" / "abc" / "image").read_bytes() == b"image"
    assert (cache / "apt" / "m" / "x86_64" / "kernels.json").read_bytes() == b"{}"
    assert not (cache / "kernels" / ".abc.lock").exists()
    with host_locked(timed=True):
        git.store()
"""


def listed(directory: Path) -> list[tuple[str, int, int]]:
    found = ((str(path), path.lstat()) for path in sorted(directory.rglob("*")))
    return [(name, status.st_mtime_ns, status.st_size) for name, status in found]


@pytest.mark.slow
def test_a_session_leaves_the_user_s_cache_as_it_was(tmp_path: Path) -> None:
    user = tmp_path / "cache" / "kassay"
    files = {"kernels/abc/image": b"image", "kernels/.abc.lock": b"1", "apt/m/x86_64/kernels.json": b"{}",
             "apt/m/x86_64/lists/a_Packages": b"", "host.lock": b"1"}  # fmt: skip
    for name, data in files.items():
        (user / name).parent.mkdir(parents=True, exist_ok=True)
        (user / name).write_bytes(data)
    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "test_session.py").write_text(SESSION)
    before = listed(user)
    words = (sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir",
             str(folder), "-c", "/dev/null", str(folder))  # fmt: skip
    for _ in range(2):
        ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True,
                               env={**os.environ, "XDG_CACHE_HOME": str(user.parent)})  # fmt: skip
        assert "1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert listed(user) == before
    assert (user.parent / "kassay-tests" / "kassay" / "sources" / "git" / "HEAD").is_file()
