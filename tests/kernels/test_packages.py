# SPDX-License-Identifier: GPL-2.0-only
"""deb:, rpm: and pacman: references: package files that the user has, whole and broken."""

import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.effects.files import sha256_file
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, exact_ref, parse_ref, short_ref
from kassay.supply.kernels import check, fetch, load_modules, module_tree
from kassay.supply.kernels._package_files import PackageKernels
from kassay.supply.packages import pacman, rpm
from tests.kernels import fakes, package_files
from tests.kernels.fakes import Told

pytestmark = pytest.mark.slow  # seconds for the whole file

RELEASE = "6.99.1-fake"
IMAGE = fakes.bzimage(fakes.gzip(fakes.vmlinux(RELEASE)))
TREE = f"usr/lib/modules/{RELEASE}"
CORE = {
    f"{TREE}/vmlinuz": IMAGE,
    f"{TREE}/modules.builtin": b"kernel/lib/lzo/lzo_compress.ko\n",
    f"{TREE}/config": b"CONFIG_HZ=1000\n",
}
MODULES = {
    f"{TREE}/kernel/zram.ko.xz": package_files.PACKERS["xz"](fakes.module("zsmalloc,lzo-compress")),
    f"{TREE}/kernel/zsmalloc.ko": fakes.module(""),
}
MAKERS = {
    "deb": lambda place, name, files: fakes.deb(place, name, "6.99.1-1", files),
    "rpm": package_files.rpm,
    "pacman": package_files.pacman,
}


def get(text: str) -> KernelArtifact:
    refs = [parse_ref(text)]
    check(refs, "cloud", Told())
    (artifact,) = fetch(refs, "cloud", Told())
    return artifact


@pytest.mark.parametrize("kind", MAKERS)
def test_a_kernel_is_identified_with_the_digest_of_each_file(kind: str, cache: Path, tmp_path: Path) -> None:
    files = [MAKERS[kind](tmp_path, "core", CORE), MAKERS[kind](tmp_path, "modules", MODULES)]
    for _ in range(2):
        kernel = get(f"{kind}:{files[0]},{files[1]}")
        identity = kernel.identity
        assert (identity.release, identity.package, identity.package_version) == (RELEASE, "core", "6.99.1-1")
        assert [(file.name, file.sha256) for file in identity.files or ()] == [(f.name, sha256_file(f)) for f in files]
        assert identity.source.endswith(f"{files[0].name}, {files[1].name}")
        assert {item.name: item.value for item in identity.configuration or ()}["HZ"] == "1000"
    assert [name for name, _ in load_modules(kernel, ["zram"], Told())] == ["zsmalloc", "zram"]
    assert (tree := module_tree(kernel, Told())) is not None and tree.is_file()
    assert exact_ref(identity) == f"{kind}:{files[0]},{files[1]}"
    assert short_ref(identity.ref, configured=False) == f"{files[0].name} + 1"


def test_modules_of_other_files_are_not_taken_from_the_cache(cache: Path, tmp_path: Path) -> None:
    core = package_files.rpm(tmp_path, "core", CORE)
    for strings in ((), ("version=2",)):
        changed = {f"{TREE}/kernel/zsmalloc.ko": fakes.module("", strings=strings)}
        kernel = get(f"rpm:{core},{package_files.rpm(tmp_path, 'modules', changed)}")
        assert load_modules(kernel, ["zsmalloc"], Told())[0][1] == fakes.module("", strings=strings)


def test_an_image_of_another_architecture_is_refused_each_time(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "bzImage").write_bytes(IMAGE)
    for text in (f"rpm:{package_files.rpm(tmp_path, 'core', CORE)}", f"image:{tmp_path}/bzImage"):
        for _ in range(2):
            with pytest.raises(BadInput, match="an x86_64 image, but arm64 was asked for"):
                get(f"arm64/{text}")
            assert get(text).identity.arch == "x86_64"


def test_a_kernel_without_its_modules_names_the_packages_that_were_looked_into(cache: Path, tmp_path: Path) -> None:
    kernel = get(f"pacman:{package_files.pacman(tmp_path, 'linux', CORE)}")
    with pytest.raises(BadInput, match=r"no modules of 6\.99\.1-fake in linux-6\.99\.1-1\.pkg\.tar"):
        load_modules(kernel, ["zram"], Told())


def test_only_modules_of_the_same_release_are_taken_and_none_of_debug_symbols(cache: Path, tmp_path: Path) -> None:
    core = package_files.rpm(tmp_path, "core", CORE)
    modules = package_files.rpm(tmp_path, "modules", MODULES)
    debug = {f"usr/lib/debug/{path}.debug": b"" for path in MODULES}
    other = {path.replace(RELEASE, "6.98"): fakes.module("nothing") for path in MODULES}
    more = [package_files.rpm(tmp_path, name, files) for name, files in (("debug", debug), ("other", other))]
    kernel = get(f"rpm:{core},{more[0]},{more[1]},{modules}")
    assert kernel.modules == (str(modules),)
    assert [name for name, _ in load_modules(kernel, ["zram"], Told())] == ["zsmalloc", "zram"]


def test_files_without_an_image_and_with_two_are_refused(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no kernel image in modules") as caught:
        get(f"rpm:{package_files.rpm(tmp_path, 'modules', MODULES)}")
    assert "kernel-core" in caught.value.remedy
    other = package_files.rpm(tmp_path, "other", {"boot/vmlinuz-6.98": IMAGE})
    with pytest.raises(BadInput, match=rf"several kernels in .*: 6\.98, {RELEASE}"):
        get(f"rpm:{package_files.rpm(tmp_path, 'core', CORE)},{other}")


def test_a_vmlinux_with_debug_information_gives_the_lines_and_that_of_another_build_is_refused(
    cache: Path, tmp_path: Path
) -> None:
    core = package_files.rpm(tmp_path, "core", CORE)
    place = f"usr/lib/debug/lib/modules/{RELEASE}/vmlinux"
    debug = package_files.rpm(tmp_path, "debuginfo", {place: fakes.vmlinux(RELEASE, body=b"lines")})
    kernel = get(f"rpm:{core},{debug}")
    assert kernel.lines is not None and Path(kernel.lines).read_bytes().endswith(b"lines")
    wrong = package_files.rpm(tmp_path, "wrong", {place: fakes.vmlinux("6.98")})
    for _ in range(2):
        with pytest.raises(BadInput, match="is not the vmlinux of this image"):
            get(f"rpm:{core},{wrong}")


@pytest.mark.parametrize("earlier", [False, True])
def test_debug_symbols_that_the_cache_lost_are_unpacked_again(
    earlier: bool, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """earlier: an earlier version wrote the note, which does not tell whether there are debug symbols."""
    core = package_files.rpm(tmp_path, "core", CORE)
    place = f"usr/lib/debug/lib/modules/{RELEASE}/vmlinux"
    debug = package_files.rpm(tmp_path, "debuginfo", {place: fakes.vmlinux(RELEASE, body=b"lines")})
    for text, has_lines in ((f"rpm:{core},{debug}", True), (f"rpm:{core}", False)):
        assert bool(get(text).lines) == has_lines
        for note in (cache / "refs/packages").iterdir() if earlier else ():
            note.write_text("\n".join(word for word in note.read_text().split() if "debug" not in word))
        for path in (cache / "debug-symbols").iterdir():
            path.unlink()
        assert bool(get(text).lines) == has_lines
        with monkeypatch.context() as patched:
            patched.setattr(PackageKernels, "_unpacked", None)  # nothing is unpacked again
            assert bool(get(text).lines) == has_lines


def test_a_file_that_is_not_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.rpm does not exist") as caught:
        check([parse_ref(f"rpm:{tmp_path}/nowhere.rpm")], "cloud", Told())
    assert "%2C" in caught.value.remedy


def test_a_package_of_another_format_is_answered_with_its_kind(tmp_path: Path) -> None:
    core = package_files.rpm(tmp_path, "core", CORE)
    with pytest.raises(BadInput, match="is a package of the format rpm") as caught:
        check([parse_ref(f"pacman:{core}")], "cloud", Told())
    assert caught.value.remedy == f"write rpm:{core}"


def test_a_comma_in_a_path_is_quoted(cache: Path, tmp_path: Path) -> None:
    core = package_files.pacman(tmp_path, "a,b", CORE)
    assert get(f"pacman:{tmp_path}/{core.name.replace(',', '%2C')}").identity.release == RELEASE


@pytest.mark.parametrize("packer", package_files.PACKERS)
def test_every_compression_is_read(packer: str, cache: Path, tmp_path: Path) -> None:
    with rpm.opened(package_files.rpm(tmp_path, "a", CORE, packer=packer, linked=("boot/config", "c"))) as package:
        assert {path: package.contents.read(path) for path in CORE} == CORE
        assert package.contents.read("boot/config") == package.contents.read("c") == CORE[f"{TREE}/config"]
    with pacman.opened(package_files.pacman(tmp_path, "a", CORE, packer=packer)) as package:
        assert (package.name, package.contents.read(f"{TREE}/vmlinuz")) == ("a", IMAGE)


def test_an_rpm_whose_files_are_not_those_of_its_header_is_refused(cache: Path, tmp_path: Path) -> None:
    whole = package_files.rpm(tmp_path, "a", CORE, packer="none")
    data = bytearray(whole.read_bytes())
    data[data.index(b"CONFIG_HZ=1000") + 10] ^= 1
    whole.write_bytes(data)
    with pytest.raises(BadInput, match="sha256 of its files is not the one in its header"):
        get(f"rpm:{whole}")


@pytest.mark.parametrize(("at", "says"), [(96 + 12, "header at byte 96 has 2"), (-1, "path of 1")])
def test_a_damaged_length_does_not_ask_for_memory(at: int, says: str, cache: Path, tmp_path: Path) -> None:
    whole = package_files.rpm(tmp_path, "a", {}, packer="none")
    data = bytearray(whole.read_bytes())
    if at < 0:  # the length of a path in the cpio archive; its digest is left out
        data = data.replace(struct.pack(">I", 5093), struct.pack(">I", 5999))
        at = data.index(b"070701") + 6 + 11 * 8
        data[at : at + 8] = b"00f00000"
    else:
        data[at] = 0x7F
    whole.write_bytes(data)
    with pytest.raises(BadInput, match=says):
        get(f"rpm:{whole}")


@pytest.mark.parametrize("kind", MAKERS)
@given(at=st.integers(0, 10**6), flip=st.integers(1, 255), keep=st.integers(0, 10**6))
def test_any_damage_is_refused_or_harmless(kind: str, at: int, flip: int, keep: int,
                                           tmp_path_factory: pytest.TempPathFactory) -> None:  # fmt: skip
    place = tmp_path_factory.getbasetemp() / kind
    if not place.exists():
        place.mkdir()
        MAKERS[kind](place, "whole", {f"{TREE}/config": b"CONFIG_HZ=1000\n" * 9}).rename(place / "whole.package")
    damaged = bytearray((place / "whole.package").read_bytes())
    damaged[at % len(damaged)] ^= flip
    (place / "damaged").write_bytes(damaged[: keep % len(damaged) if keep % 2 else None])
    with pytest.raises(BadInput):
        get(f"{kind}:{place}/damaged")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("rpmbuild") is None, reason="rpmbuild is not on this host")
def test_a_package_of_rpmbuild_is_read(cache: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for path, data in CORE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (tmp_path / "k.spec").write_text(
        "Name: core\nVersion: 6.99.1\nRelease: 1\nSummary: x\nLicense: x\nAutoReqProv: no\n%description\nx\n"
        f"%install\ncp -a {root}/usr %{{buildroot}}/\n%files\n/usr/lib/modules/*\n"
    )
    argv = ("rpmbuild", "-bb", "--define", f"_topdir {tmp_path}/top", str(tmp_path / "k.spec"))
    subprocess.run(argv, check=True, capture_output=True)
    (built,) = tmp_path.glob("top/RPMS/*/core-*.rpm")
    assert get(f"rpm:{built}").identity.package_version == "6.99.1-1"
