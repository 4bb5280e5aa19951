# SPDX-License-Identifier: GPL-2.0-only
"""The real archive, through the real cache (so that a second run downloads nothing)."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kassay.effects.files import cache_directory, sha256_file
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.supply.archive.apt import root_for
from kassay.supply.archive.index import current_index
from kassay.supply.archive.mirrors import host_mirrors
from kassay.supply.kernels import fetch, load_modules, versions
from tests.kernels.fakes import Told

pytestmark = pytest.mark.network
_KILLED = """
import sys
from kassay.supply.kernels import fetch
from kassay.model.kernel import parse_ref
fetch([parse_ref("debian:6.17")], "cloud", lambda p: print(p, flush=True))
"""


def _get(text: str) -> KernelArtifact:
    (artifact,) = fetch([parse_ref(text)], "cloud", Told())
    return artifact


@pytest.mark.parametrize("series", ["6.12", "6.17", "6.19", "7.3"])
def test_the_series_of_the_last_two_years_are_there(series: str) -> None:
    offered = [v for v in versions("debian", "x86_64", "cloud", Told()) if v.ref.startswith(f"debian:{series}")]
    assert offered
    assert all(v.size_bytes > 1 << 20 for v in offered)


def test_a_stock_kernel_is_identified_from_its_image() -> None:
    artifact = _get("debian:6.17")
    identity = artifact.identity
    assert identity.release.startswith("6.17.")
    assert identity.compiler is not None
    assert "gcc" in identity.compiler
    assert "GNU ld" in identity.compiler
    assert artifact.pvh is True
    assert artifact.vmlinux is not None
    assert sha256_file(Path(artifact.vmlinux)) == identity.vmlinux_sha256
    assert artifact.symbols is not None
    lines = Path(artifact.symbols).read_text().splitlines()
    assert len(lines) == identity.symbol_count
    assert "ffffffff81000000 T _text" in lines
    assert any(line.endswith(" T do_madvise") for line in lines)


def test_an_arm64_kernel_is_fetched_on_any_host() -> None:
    artifact = _get("arm64/debian:6.12")
    assert artifact.identity.arch == "arm64"
    assert artifact.vmlinux is None
    assert artifact.symbols is not None
    assert "ffff800080000000 T _text" in Path(artifact.symbols).read_text()


def test_zram_comes_with_what_it_needs() -> None:
    names = [name for name, _ in load_modules(_get("debian:6.12"), ["zram"], Told())]
    assert names[-1] == "zram"
    assert "zsmalloc" in names


def test_a_killed_fetch_leaves_nothing_half_and_the_next_one_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {p.sha256 for p in current_index("x86_64", Told()).packages}
    index = Path(root_for(host_mirrors(), "x86_64").directory) / "kernels.json"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    fresh = Path(root_for(host_mirrors(), "x86_64").directory)
    fresh.mkdir(parents=True)
    shutil.copy(index, fresh)
    child = subprocess.Popen((sys.executable, "-c", _KILLED), stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert "fetching" in child.stdout.readline()
    time.sleep(0.3)  # in the middle of 50 MB, unless the line is very fast; the assertions hold either way
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert {sha256_file(p) for p in (cache_directory() / "packages").glob("*/[!.]*.deb")} <= whole
    artifact = _get("debian:6.17")
    assert Path(artifact.image).is_file()
    assert not list((cache_directory() / "packages").glob("*/.*partial/*"))


def test_the_host_s_own_apt_state_is_not_touched() -> None:
    state = Path("/var/lib/apt/lists")
    before = sorted((p.name, p.stat().st_mtime_ns) for p in state.iterdir())
    current_index("x86_64", Told(), refresh=True)
    assert sorted((p.name, p.stat().st_mtime_ns) for p in state.iterdir()) == before
    assert host_mirrors().main.uri
