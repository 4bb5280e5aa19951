# SPDX-License-Identifier: GPL-2.0-only
"""image:PATH with modules, a configuration and a vmlinux beside it."""

from pathlib import Path

import pytest
from msgspec import UNSET

from kassay.effects.files import sha256_file
from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.model.reference_files import ImageFiles, image_files
from kassay.supply.kernels import _given, _store, check, fetch, load_modules
from kassay.tools.bundle.paths import paths_in
from tests.kernels import fakes
from tests.kernels.fakes import Told

RELEASE = "6.99.1-fake"
HEADER = "# Linux/x86 6.99.1 Kernel Configuration\n"


@pytest.fixture
def place(cache: Path, tmp_path: Path) -> Path:
    """A directory with the files of one kernel."""
    made = tmp_path / "place"
    (made / "modules/kernel").mkdir(parents=True)
    (made / "bzImage").write_bytes(fakes.bzimage(fakes.gzip(fakes.vmlinux(RELEASE))))
    (made / "modules/kernel/zsmalloc.ko").write_bytes(fakes.module(""))
    (made / "my.config").write_text("CONFIG_HZ=100\n")
    (made / "vmlinux").write_bytes(fakes.vmlinux(RELEASE, body=b"lines"))
    return made


def get(text: str) -> KernelArtifact:
    refs = [parse_ref(text)]
    check(refs, "cloud", Told())
    (artifact,) = fetch(refs, "cloud", Told())
    return artifact


@pytest.mark.parametrize(
    ("locator", "files"),
    [
        ("/a/b", ImageFiles("/a/b")),
        ("/a,b%2C/c=d,cc=e", ImageFiles("/a,b%2C/c=d,cc=e")),
        ("a,vmlinux=b,c,modules=d", ImageFiles("a", modules="d", vmlinux="b,c")),
    ],
)
def test_a_reference_of_an_earlier_version_means_what_it_meant(locator: str, files: ImageFiles) -> None:
    assert image_files(locator) == files
    assert parse_ref(f"image:{locator}").locator == locator
    assert paths_in(f"image:{locator}") == tuple(filter(None, files))


@pytest.mark.parametrize("locator", ["a,config=", ",config=a", "a,config=b,config=c"])
def test_a_part_that_is_empty_or_given_twice_is_refused(locator: str) -> None:
    with pytest.raises(BadInput, match=r"empty|given twice"):
        parse_ref(f"image:{locator}")


def test_what_belongs_to_an_image_is_used_and_is_part_of_its_identity(place: Path) -> None:
    kernel = get(f"image:{place}/bzImage,modules={place}/modules,config={place}/my.config,vmlinux={place}/vmlinux")
    assert {item.name: item.value for item in kernel.identity.configuration or ()}["HZ"] == "100"
    assert kernel.identity.config_source == "file my.config"
    assert kernel.lines == str(place / "vmlinux")
    assert [name for name, _ in load_modules(kernel, ["zsmalloc"], Told())] == ["zsmalloc"]
    files = {file.name: file.sha256 for file in kernel.identity.files or ()}
    assert files["my.config"] == sha256_file(place / "my.config")
    assert list(files) == ["modules modules", "my.config", "vmlinux"]


def test_a_configuration_beside_an_image_is_read_each_time(place: Path) -> None:
    image = f"image:{place}/bzImage"
    before = get(image).identity.config_sha256
    (place / ".config").write_text(f"{HEADER}CONFIG_HZ=250\n")
    found = get(image).identity
    assert found.config_sha256 == sha256_file(place / ".config") != before
    assert (found.config_source, found.files) == ("file .config beside the image", UNSET)
    (place / ".config").write_text(f"{HEADER}CONFIG_HZ=1000\n")
    assert get(image).identity.config_sha256 == sha256_file(place / ".config")
    (place / "elsewhere").mkdir()
    (place / "bzImage").rename(place / "elsewhere/bzImage")
    moved = get(f"image:{place}/elsewhere/bzImage").identity
    assert (moved.config_sha256, moved.source) == (before, f"file {place}/elsewhere/bzImage")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("# Linux/x86 5.10.0 Kernel Configuration\nCONFIG_HZ=250\n", "is of version 5.10.0"),
        ("# Linux/x86 6.9 Kernel Configuration\nCONFIG_HZ=250\n", "is of version 6.9"),
        ("CONFIG_HZ=250\n", "is of version unknown"),
        (f'{HEADER}CONFIG_CC_VERSION_TEXT="gcc-9"\n', "was made with another compiler, gcc-9"),
        ("no option\n", "has no options"),
    ],
)
def test_a_configuration_beside_an_image_that_is_of_another_kernel_is_not_taken(
    place: Path, config: str, reason: str
) -> None:
    (place / ".config").write_text(config)
    found = get(f"image:{place}/bzImage").identity
    assert found.configuration is None
    assert found.config_source == f"not known: .config beside the image {reason}"


def test_the_configuration_inside_an_image_comes_before_the_one_beside_it(place: Path) -> None:
    inside = b"IKCFG_ST" + fakes.gzip(f"{HEADER}CONFIG_HZ=100\n".encode()) + b"IKCFG_ED"
    (place / "vmlinux").write_bytes(fakes.vmlinux(RELEASE, body=inside))
    (place / ".config").write_text(f"{HEADER}CONFIG_HZ=250\n")
    for kind in ("file", "build"):
        if kind == "build":
            _store.keep((place / "vmlinux").read_bytes(), _store.Origin(source="", kind=kind), {}, "x86_64", "", Told())
        found = get(f"image:{place}/vmlinux").identity
        assert {item.name: item.value for item in found.configuration or ()}["HZ"] == "100"
        assert found.config_source == ""


def test_other_modules_are_another_kernel(place: Path) -> None:
    first = get(f"image:{place}/bzImage,modules={place}/modules")
    (place / "modules/kernel/zsmalloc.ko").write_bytes(fakes.module("", strings=("version=2",)))
    second = get(f"image:{place}/bzImage,modules={place}/modules")
    assert first.identity.files != second.identity.files
    assert b"version=2" in load_modules(second, ["zsmalloc"], Told())[0][1]


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("modules=HERE/none", "HERE/none is not a directory"),
        ("modules=HERE", "no modules"),
        ("config=HERE/none", "HERE/none does not exist"),
        ("config=HERE/vmlinux", "vmlinux has no line of a kernel's configuration"),
        ("vmlinux=HERE/my.config", "no ELF file"),
        ("vmlinux=HERE/other", "is another one"),
    ],
)
def test_what_does_not_belong_to_an_image_is_refused(place: Path, option: str, says: str) -> None:
    (place / "other").write_bytes(fakes.vmlinux("6.98"))
    here = str(place / "kernel-less" if option == "modules=HERE" else place)
    Path(here).mkdir(exist_ok=True)
    with pytest.raises(BadInput) as caught:
        get(f"image:{place}/bzImage,{option.replace('HERE', here)}")
    assert says.replace("HERE", here) in caught.value.what
    assert caught.value.remedy


def test_build_ids_decide_where_both_files_have_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {"vmlinux": "of the image", "debug": "of the image", "other": "another"}
    monkeypatch.setattr(_given, "_build_id", lambda path: ids[path.name])
    (place / "debug").write_bytes(b"\x7fELF without a banner")
    assert get(f"image:{place}/bzImage,vmlinux={place}/debug").lines == str(place / "debug")
    (place / "other").write_bytes(fakes.vmlinux(RELEASE))
    with pytest.raises(BadInput, match="its build ID is another one"):
        get(f"image:{place}/bzImage,vmlinux={place}/other")
