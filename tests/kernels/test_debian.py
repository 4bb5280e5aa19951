# SPDX-License-Identifier: GPL-2.0-only
"""debian: references against a small archive of real packages, without apt and without network."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.model.progress import Tell
from kassay.supply.archive import apt as _apt
from kassay.supply.archive import index as _index
from kassay.supply.archive.index import Index, Package
from kassay.supply.archive.mirrors import Mirror, Mirrors
from kassay.supply.kernels import debian, fetch, load_modules, versions
from tests.kernels import fakes
from tests.kernels.fakes import Told

pytestmark = pytest.mark.slow  # seconds for the whole file

_OLD, _NEW, _RC = "6.17.8+deb13-cloud-amd64", "7.0.9+deb13-cloud-amd64", "7.3-cloud-amd64"
_MIRRORS = Mirrors(main=Mirror(uri="http://mirror.example/debian", signed_by=""), security=None)


class Archive:
    """Packages of a mirror. `downloads`: names that it was asked for."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.packages: list[Package] = []
        self.downloads: list[str] = []
        self.reason: str | None = None

    def add(self, name: str, version: str, files: dict[str, bytes]) -> None:
        self.packages.append(fakes.listed(fakes.deb(self.directory, name, version, files), name, version))

    def download(self, root: _apt.AptRoot, uri: str, sha256: str, into: Path, tell: Tell) -> str | None:
        self.downloads.append(Path(uri).name.split(".", 1)[0])
        if self.reason is None:
            shutil.copy(uri.removeprefix("fake:"), into)
        return self.reason

    def index(self, arch: str, tell: Tell, *, refresh: bool = False) -> Index:
        return Index(made="2026-11-21T00:00:00Z", packages=tuple(self.packages))


def _boot_layout(release: str, modules: dict[str, bytes]) -> dict[str, bytes]:
    tree = f"usr/lib/modules/{release}"
    return {
        f"boot/vmlinuz-{release}": fakes.bzimage(fakes.gzip(fakes.vmlinux(release))),
        f"boot/config-{release}": b"CONFIG_ZRAM=m\n",
        f"{tree}/modules.builtin": b"kernel/lib/lzo/lzo_compress.ko\n",
        **{f"{tree}/kernel/{path}": data for path, data in modules.items()},
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    archive = Archive(tmp_path_factory.mktemp("archive"))
    zram = {
        "drivers/zram.ko.xz": fakes.module("zsmalloc,lzo-compress,lz4_compress"),
        "mm/zsmalloc.ko": fakes.module(""),
        "lib/lz4_compress.ko": fakes.module("zsmalloc"),
        "a/circle.ko": fakes.module("circle"),
        "a/broken.ko": b"not an ELF",
        "a/orphan.ko": fakes.module("nowhere"),
    }
    archive.add(f"linux-image-{_OLD}", "6.17.8-1", _boot_layout(_OLD, zram))
    archive.add(f"linux-binary-{_NEW}", "7.0.9-1", {f"boot/vmlinuz-{_NEW}": fakes.bzimage(fakes.vmlinux(_NEW))})
    image = fakes.bzimage(fakes.gzip(fakes.vmlinux("7.3.0-rc7-cloud-amd64")))
    tree = f"usr/lib/modules/{_RC}"
    archive.add(f"linux-binary-{_RC}", "7.3~rc7-1", {f"{tree}/vmlinuz": image})
    archive.add(
        f"linux-base-{_RC}", "7.3~rc7-1", {f"{tree}/config": b"NEW\n", f"{tree}/modules.builtin": b"kernel/a.ko\n"}
    )
    archive.add(f"linux-modules-{_RC}", "7.3~rc7-1", {f"{tree}/kernel/zram.ko": fakes.module("")})
    return archive


@pytest.fixture
def archive(made: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    made.downloads.clear()
    made.reason = None
    for module in (_index, debian):
        monkeypatch.setattr(module, "current_index", made.index)
    monkeypatch.setattr(debian, "load_index", lambda arch: None)
    monkeypatch.setattr(_index, "host_mirrors", lambda: _MIRRORS)
    monkeypatch.setattr(_apt, "download", made.download)
    return made


def _get(text: str, tell: Tell | None = None, flavour: str = "cloud") -> KernelArtifact:
    return fetch([parse_ref(text)], flavour, Told() if tell is None else tell)[0]


def test_a_kernel_of_the_old_layout_comes_with_config_and_identity(archive: Archive) -> None:
    artifact = _get("debian:6.17")
    identity = artifact.identity
    assert (identity.release, identity.package_version) == (_OLD, "6.17.8-1")
    assert (identity.package, identity.flavour, identity.source) == (
        f"linux-image-{_OLD}",
        "cloud-amd64",
        "Debian fake",
    )
    assert artifact.config is not None
    assert Path(artifact.config).read_bytes() == b"CONFIG_ZRAM=m\n"
    assert [Path(p).stat().st_mode & 0o222 for p in artifact.packages] == [0]


def test_a_kernel_of_the_new_layout_comes_from_its_parts(archive: Archive) -> None:
    artifact = _get("debian:7.3")
    assert artifact.identity.release == "7.3.0-rc7-cloud-amd64"
    assert artifact.config is not None
    assert Path(artifact.config).read_bytes() == b"NEW\n"
    assert archive.downloads == [f"linux-binary-{_RC}".split(".", 1)[0], f"linux-base-{_RC}".split(".", 1)[0]]


def test_a_kept_kernel_is_not_fetched_again_and_has_the_ref_of_the_call(archive: Archive) -> None:
    first = _get("debian:6.17.8")
    again = _get("debian:6.17")
    assert len(archive.downloads) == 1
    assert again.identity.ref == "debian:6.17"
    assert again.directory == first.directory


def test_a_kept_kernel_outlives_the_archive_s_list(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _get("debian:6.17.8")
    monkeypatch.setattr(archive, "packages", [])
    assert _get("debian:6.17.8").directory == first.directory


def test_a_newer_revision_of_an_exact_version_is_preferred(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _get("debian:6.17.8")
    files = {f"boot/vmlinuz-{_OLD}": fakes.bzimage(fakes.gzip(fakes.vmlinux("6.17.8-second")))}
    newer = fakes.listed(fakes.deb(archive.directory, f"linux-image-{_OLD}", "6.17.8-2", files), f"linux-image-{_OLD}",
                         "6.17.8-2")  # fmt: skip
    monkeypatch.setattr(archive, "packages", [*archive.packages, newer])
    monkeypatch.setattr(debian, "load_index", lambda arch: archive.index(arch, Told()))
    assert _get("debian:6.17.8").identity.release == "6.17.8-second"
    assert _get("debian:6.17.8-1").directory == first.directory


def test_damage_in_the_store_is_repaired_from_the_kept_package(archive: Archive) -> None:
    image = Path(_get("debian:6.17").image)
    whole = image.read_bytes()
    image.unlink()
    image.write_bytes(whole[:-1] + b"?")
    assert Path(_get("debian:6.17").image).read_bytes() == whole
    assert len(archive.downloads) == 1


def test_a_damaged_package_is_fetched_again(archive: Archive) -> None:
    artifact = _get("debian:6.17")
    shutil.rmtree(artifact.directory)
    package = Path(artifact.packages[0])
    package.unlink()
    package.write_bytes(b"!<arch>\n")
    assert _get("debian:6.17").identity == artifact.identity
    assert len(archive.downloads) == 2


def test_an_image_that_cannot_be_decompressed_is_refused_and_not_kept(archive: Archive, cache: Path) -> None:
    with pytest.raises(BadInput, match="damaged"):
        _get("debian:7.0.9")
    assert not list((cache / "kernels").glob("[0-9a-f]*"))


def test_unknown_versions_and_flavours_are_refused_with_what_there_is(archive: Archive) -> None:
    with pytest.raises(BadInput, match=r"6\.15") as caught:
        _get("debian:6.15")
    assert "6.17, 7.0" in caught.value.remedy
    with pytest.raises(BadInput, match="no flavour 'rt'") as caught:
        _get("debian:6.17", flavour="rt")
    assert "known: cloud" in caught.value.remedy


def test_a_package_that_left_the_mirror_makes_the_list_be_read_again(archive: Archive) -> None:
    archive.reason = "Failed to fetch http://...  404  Not Found"
    told = Told()
    with pytest.raises(HostLacks, match="no longer on the mirror"):
        _get("debian:6.17", told)
    assert "reading the package lists again" in told.texts
    assert len(archive.downloads) == 2


def test_a_download_leaves_the_package_alone(archive: Archive, cache: Path) -> None:
    _get("debian:7.3")
    beside = {path for path in (cache / "packages").rglob("*") if path.is_dir() or path.suffix not in (".deb", ".lock")}
    assert beside == {cache / "packages" / "x86_64"}


def test_a_failed_download_leaves_nothing(archive: Archive, cache: Path) -> None:
    archive.reason = "Could not resolve 'mirror.example'"
    with pytest.raises(HostLacks, match="Could not resolve"):
        _get("debian:6.17")
    assert not list((cache / "packages").rglob("*.deb"))
    assert not (cache / "refs").exists()


def test_the_configuration_of_a_release_is_that_of_its_kernel_else_of_its_series(archive: Archive) -> None:
    assert debian.release_config("6.17.8", "x86_64", Told()) == "CONFIG_ZRAM=m\n"
    told = Told()
    assert debian.release_config("7.3.0-rc2", "x86_64", told) == "NEW\n"
    assert "the archive has no 7.3.0-rc2" in told.texts


def test_versions_are_listed_in_order_with_what_is_here(archive: Archive) -> None:
    _get("debian:6.17")
    found = versions("debian", "x86_64", "cloud", Told())
    assert [(v.ref, v.fetched) for v in found] == [
        ("debian:6.17.8", True),
        ("debian:7.0.9", False),
        ("debian:7.3~rc7", False),
    ]


def test_a_listed_reference_names_the_package_of_its_row(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"linux-image-{_OLD}"
    files = {f"boot/vmlinuz-{_OLD}": fakes.bzimage(fakes.gzip(fakes.vmlinux("6.17.8-second")))}
    newer = fakes.listed(fakes.deb(archive.directory, name, "6.17.8-2~bpo12+1", files), name, "6.17.8-2~bpo12+1")
    monkeypatch.setattr(archive, "packages", [*archive.packages, newer])
    monkeypatch.setattr(debian, "load_index", lambda arch: archive.index(arch, Told()))
    found = [v for v in versions("debian", "x86_64", "cloud", Told()) if v.upstream == "6.17.8"]
    assert [v.ref for v in found] == ["debian:6.17.8-1", "debian:6.17.8"]
    assert [_get(v.ref).identity.package_version for v in found] == [v.version for v in found]


def test_a_listed_version_that_reads_as_a_series_is_named_by_its_package(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"linux-image-{_OLD}"
    files = {f"boot/vmlinuz-{_OLD}": fakes.bzimage(fakes.gzip(fakes.vmlinux("6.17-first")))}
    first = fakes.listed(fakes.deb(archive.directory, name, "6.17-1~exp1", files), name, "6.17-1~exp1")
    monkeypatch.setattr(archive, "packages", [*archive.packages, first])
    monkeypatch.setattr(debian, "load_index", lambda arch: archive.index(arch, Told()))
    refs = [v.ref for v in versions("debian", "x86_64", "cloud", Told()) if v.upstream.startswith("6.17")]
    assert refs == ["debian:6.17-1~exp1", "debian:6.17.8"]


def test_modules_come_with_their_dependencies_first(archive: Archive) -> None:
    artifact = _get("debian:6.17")
    assert [name for name, _ in load_modules(artifact, ["zram"], Told())] == ["zsmalloc", "lz4_compress", "zram"]


def test_compressed_modules_are_decompressed_and_the_result_is_kept(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = _get("debian:6.17")
    first = load_modules(artifact, ["zram"], Told())
    assert all(data.startswith(b"\x7fELF") for _, data in first)
    monkeypatch.setattr("kassay.supply.kernels._module_files.modules_package", _fail)
    assert load_modules(artifact, ["zram"], Told()) == first


def test_a_damaged_module_cache_is_made_again(archive: Archive, cache: Path) -> None:
    artifact = _get("debian:6.17")
    first = load_modules(artifact, ["zram"], Told())
    (kept,) = cache.glob("modules/*/*.msgpack")
    kept.write_bytes(kept.read_bytes()[:-1])
    assert load_modules(artifact, ["zram"], Told()) == first


def test_built_in_modules_need_nothing_whatever_their_spelling(archive: Archive) -> None:
    artifact = _get("debian:6.17")
    assert load_modules(artifact, ["lzo-compress", "lzo_compress"], Told()) == ()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing", "no module 'nothing'"),
        ("orphan", "needed by orphan"),
        ("circle", "circle"),
        ("broken", "not a kernel module"),
    ],
)
def test_modules_that_cannot_be_loaded_are_refused(archive: Archive, name: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_modules(_get("debian:6.17"), [name], Told())
    assert says in str(caught.value)


def test_modules_in_a_package_of_their_own_are_fetched_when_wanted(archive: Archive) -> None:
    artifact = _get("debian:7.3")
    assert len(archive.downloads) == 2
    assert [name for name, _ in load_modules(artifact, ["zram"], Told())] == ["zram"]
    assert len(archive.downloads) == 3


def test_modules_the_archive_dropped_are_refused_with_kernels_that_have_them(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = _get("debian:7.3")
    rest = [p for p in archive.packages if p.kind != "modules"]
    rebuilt = [replace(p, version=f"{p.version}+b1") for p in rest if p.version.startswith("6.17.8")]
    monkeypatch.setattr(archive, "packages", [*rest, *rebuilt])
    with pytest.raises(HostLacks, match=r"no longer has linux-modules-7\.3") as caught:
        load_modules(artifact, ["zram"], Told())
    assert caught.value.remedy.count("6.17.8") == 1


def _fail(*_: object) -> Callable[[], None]:
    raise AssertionError("asked for a package")
