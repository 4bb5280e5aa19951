# SPDX-License-Identifier: GPL-2.0-only
"""The store, through the kernels that users give as files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.supply.kernels import check_whole, fetch
from tests.kernels import fakes
from tests.kernels.fakes import Told

pytestmark = pytest.mark.slow  # seconds for the whole file

_VMLINUX = fakes.vmlinux()
_BZIMAGE = fakes.bzimage(fakes.gzip(_VMLINUX))


def _fetch(path: Path, arch: str = "x86_64") -> KernelArtifact:
    (artifact,) = fetch([parse_ref(f"image:{path}", arch)], "cloud", Told())
    return artifact


@pytest.fixture
def bzimage(tmp_path: Path, cache: Path) -> Path:
    path = tmp_path / "bzImage"
    path.write_bytes(_BZIMAGE)
    return path


def test_an_image_is_kept_with_its_identity(bzimage: Path, cache: Path) -> None:
    artifact = _fetch(bzimage)
    identity = artifact.identity
    assert identity.ref == f"image:{bzimage}"
    assert (identity.arch, identity.release, identity.compiler) == ("x86_64", "6.99.1-fake", fakes.COMPILER)
    assert identity.image_sha256 == sha256_bytes(_BZIMAGE)
    assert identity.vmlinux_sha256 == sha256_bytes(_VMLINUX)
    assert identity.source == f"file {bzimage}"
    assert artifact.pvh is True
    assert artifact.config is None
    assert Path(artifact.image).read_bytes() == _BZIMAGE
    assert artifact.vmlinux is not None
    assert Path(artifact.vmlinux).read_bytes() == _VMLINUX
    assert Path(artifact.vmlinux).stat().st_mode & 0o222 == 0
    assert Path(artifact.directory).is_relative_to(cache)


def test_the_build_tree_s_config_is_kept_with_it(bzimage: Path) -> None:
    config = b"# Linux/x86 6.99.1 Kernel Configuration\nCONFIG_MMU=y\n"
    bzimage.with_name(".config").write_bytes(config)
    artifact = _fetch(bzimage)
    assert artifact.identity.config_sha256 == sha256_bytes(config)


def test_the_same_image_under_two_names_is_kept_once(bzimage: Path, cache: Path) -> None:
    other = bzimage.with_name("other")
    other.write_bytes(_BZIMAGE)
    first, second = _fetch(bzimage), _fetch(other)
    assert first.directory == second.directory
    assert second.identity.ref == f"image:{other}"


def test_an_arm64_image_has_no_vmlinux(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "Image"
    path.write_bytes(fakes.arm64_image())
    artifact = _fetch(path, "arm64")
    assert (artifact.vmlinux, artifact.pvh) == (None, None)


def test_an_image_of_another_architecture_is_refused(bzimage: Path, cache: Path) -> None:
    with pytest.raises(BadInput, match="an x86_64 image, but arm64 was asked for"):
        _fetch(bzimage, "arm64")
    assert not list((cache / "kernels").glob("[0-9a-f]*"))


def test_a_missing_file_and_a_directory_are_refused(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        _fetch(tmp_path / "nothing")
    with pytest.raises(BadInput, match="is not a file"):
        _fetch(tmp_path)


@pytest.mark.parametrize("name", ["image", "vmlinux", "kernel.json"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_a_damaged_entry_is_noticed_and_made_again(bzimage: Path, name: str, damage: str) -> None:
    victim = Path(_fetch(bzimage).directory) / name
    whole = victim.read_bytes()
    victim.unlink()
    if damage != "gone":
        victim.write_bytes(whole[:-9] if damage == "cut" else bytes([whole[0] ^ 1]) + whole[1:])
    artifact = _fetch(bzimage)
    assert Path(artifact.image).read_bytes() == _BZIMAGE
    assert artifact.vmlinux is not None
    assert Path(artifact.vmlinux).read_bytes() == _VMLINUX


def test_a_touched_but_equal_file_is_no_damage(bzimage: Path) -> None:
    artifact = _fetch(bzimage)
    assert artifact.vmlinux is not None
    made = Path(artifact.directory).stat().st_ino
    os.utime(artifact.vmlinux, (1, 1))
    assert Path(_fetch(bzimage).directory).stat().st_ino == made


def test_a_bit_that_flipped_on_the_disk_is_noticed_before_the_kernel_boots(bzimage: Path) -> None:
    artifact = _fetch(bzimage)
    assert artifact.vmlinux is not None
    victim = Path(artifact.vmlinux)
    status = victim.stat()
    victim.chmod(0o644)
    victim.write_bytes(bytes([_VMLINUX[0] ^ 1]) + _VMLINUX[1:])
    os.utime(victim, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(HostLacks, match="vmlinux: damaged"):
        check_whole(_fetch(bzimage))
    _fetch(bzimage)
    assert victim.read_bytes() == _VMLINUX


def test_what_a_killed_fetch_left_is_swept_and_never_used(bzimage: Path) -> None:
    artifact = _fetch(bzimage)
    entry = Path(artifact.directory)
    left = entry.with_name(f".{entry.name}.making")
    entry.rename(left)
    (left / "kernel.json").unlink()
    assert Path(_fetch(bzimage).image).read_bytes() == _BZIMAGE
    assert not left.exists()


def test_a_cache_that_was_moved_still_serves(bzimage: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Path(_fetch(bzimage).directory).stat().st_ino
    moved = cache.parent.with_name("moved")
    cache.parent.rename(moved)
    monkeypatch.setenv("XDG_CACHE_HOME", str(moved))
    artifact = _fetch(bzimage)
    assert Path(artifact.directory).is_relative_to(moved)
    assert Path(artifact.directory).stat().st_ino == made


def test_two_processes_that_fetch_the_same_get_the_same(bzimage: Path, cache: Path) -> None:
    script = (
        "import sys\nfrom kassay.supply.kernels import fetch\nfrom kassay.model.kernel import parse_ref\n"
        "print(fetch([parse_ref(sys.argv[1])] * 3, 'cloud', lambda p: None)[2].directory)\n"
    )
    argv = (sys.executable, "-c", script, f"image:{bzimage}")
    both = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = {child.communicate()[0] for child in both}
    assert [child.returncode for child in both] == [0, 0]
    assert answers == {f"{cache}/kernels/{sha256_bytes(_BZIMAGE)}.file\n"}
    assert not list((cache / "kernels").glob(".*making"))


def test_a_bad_reference_among_good_ones_ends_the_fetch(bzimage: Path) -> None:
    refs = [parse_ref(f"image:{bzimage}"), parse_ref("image:/nothing/here")]
    with pytest.raises(BadInput, match="/nothing/here"):
        fetch(refs, "cloud", Told())
