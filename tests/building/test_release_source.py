# SPDX-License-Identifier: GPL-2.0-only
"""A release is built from a tarball only if somebody whose key is known signed it."""

import lzma
import os
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.errors import BadInput, HostLacks
from kassay.model.build import parse_build
from kassay.model.kernel import parse_ref
from kassay.model.kinds.release import parse_release
from kassay.model.progress import silent
from kassay.supply.building import git
from kassay.supply.building.release_source import check_release, release_tree
from kassay.supply.building.source import source_tree
from kassay.supply.kernels import check, pinned

FILES = {"Makefile": "VERSION = 6\nPATCHLEVEL = 99\nSUBLEVEL = 1\nEXTRAVERSION =\n", "Kconfig": "config A\n"}


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with linux-6.99.1.tar.xz, the signature of its content, and the key as key.asc."""
    place = tmp_path_factory.mktemp("signed")
    home = tmp_path_factory.mktemp("gnupg")
    environment = {**os.environ, "GNUPGHOME": str(home)}

    def gpg(*words: str) -> None:
        argv = ("gpg", "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback", *words)
        subprocess.run(argv, check=True, env=environment, capture_output=True)

    home.chmod(0o700)
    gpg("--quick-gen-key", "A Maintainer <a@b>", "ed25519", "sign", "never")
    plain = place / "linux-6.99.1.tar"
    with tarfile.open(plain, "w") as tar:
        for name, text in FILES.items():
            (place / name).write_text(text)
            tar.add(place / name, f"linux-6.99.1/{name}")
    gpg("--detach-sign", "--armor", "--output", f"{plain}.sign", str(plain))
    gpg("--export", "--armor", "--output", str(place / "key.asc"))
    (place / "linux-6.99.1.tar.xz").write_bytes(lzma.compress(plain.read_bytes()))
    plain.unlink()
    yield place
    subprocess.run(("gpgconf", "--kill", "all"), env=environment, capture_output=True)


def test_a_signed_tarball_becomes_a_tree_with_its_provenance(signed: Path, cache: Path) -> None:
    release = parse_release(f"6.99.1,tarball={signed}/linux-6.99.1.tar.xz,key={signed}/key.asc")
    tree = release_tree(release, silent)
    assert git.read(tree, "Kconfig") == FILES["Kconfig"]
    assert release_tree(release, silent) == tree
    _, source = source_tree(parse_build(f"release:6.99.1,tree={tree}"), silent)
    assert "linux-6.99.1.tar.xz, signed by A Maintainer <a@b>, key " in source.version
    assert "; sha256 " in source.version


def test_a_mirror_is_asked_for_the_tarball_and_its_signature(signed: Path, cache: Path) -> None:
    release = parse_release(f"6.99.1,mirror=file://{signed}/,key={signed}/key.asc")
    assert git.read(release_tree(release, silent), "Kconfig") == FILES["Kconfig"]
    with pytest.raises(HostLacks, match=r"not on the mirror \(looked for .*linux-6\.99\.2\.tar\.xz and .*/v6\.x/"):
        release_tree(release._replace(version="6.99.2"), silent)


def test_a_changed_tarball_is_refused(signed: Path, cache: Path, tmp_path: Path) -> None:
    data = bytearray(lzma.decompress((signed / "linux-6.99.1.tar.xz").read_bytes()))
    data[data.index(b"config A")] ^= 1
    (tmp_path / "linux-6.99.1.tar.xz").write_bytes(lzma.compress(data))
    sign = f"signature={signed}/linux-6.99.1.tar.sign"
    with pytest.raises(BadInput, match=r"does not verify by .*BAD signature"):
        release_tree(
            parse_release(f"6.99.1,tarball={tmp_path}/linux-6.99.1.tar.xz,{sign},key={signed}/key.asc"), silent
        )


def test_a_signer_whose_key_is_not_known_is_refused(
    signed: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNUPGHOME", str(tmp_path))
    tmp_path.chmod(0o700)
    with pytest.raises(BadInput, match=r"does not verify by your gpg keyring: .*No public key") as caught:
        release_tree(parse_release(f"6.99.1,tarball={signed}/linux-6.99.1.tar.xz"), silent)
    assert "key=FILE" in caught.value.remedy


def test_a_tarball_of_another_version_is_refused(signed: Path, cache: Path) -> None:
    with pytest.raises(BadInput, match=r"linux-6\.99\.1\.tar\.xz is Linux 6\.99\.1"):
        release_tree(parse_release(f"6.99,tarball={signed}/linux-6.99.1.tar.xz,key={signed}/key.asc"), silent)


def test_an_experiment_names_the_build_of_the_tree(signed: Path, cache: Path) -> None:
    options = f"tarball={signed}/linux-6.99.1.tar.xz,key={signed}/key.asc,cc=gcc,config=lab+CONFIG_KSM=y"
    ref = parse_ref(f"arm64/release:6.99.1,{options}")
    text = pinned(ref, silent)
    assert text.startswith("arm64/build:release:6.99.1,config=lab+CONFIG_KSM=y,tree=")
    assert parse_ref(text).kind == "build"


def test_what_is_not_there_is_told_before_anything_is_read(signed: Path, tmp_path: Path) -> None:
    (tmp_path / "linux-6.99.1.tar.xz").touch()
    with pytest.raises(BadInput, match=r"no signature beside it \(looked for linux-6\.99\.1\.tar\.sign and "):
        check_release(parse_release(f"6.99.1,tarball={tmp_path}/linux-6.99.1.tar.xz"))
    with pytest.raises(BadInput, match="nowhere does not exist"):
        check([parse_ref(f"release:6.99.1,tarball={tmp_path}/nowhere")], "cloud", silent)
    with pytest.raises(BadInput, match="not understood"):
        check([parse_ref(f"release:6.99.1,tarball={signed}/linux-6.99.1.tar.xz,cc=tcc")], "cloud", silent)


@pytest.mark.parametrize(
    ("locator", "says"),
    [
        ("6.99.1", "neither a tarball nor a mirror"),
        ("6.99.1,tarball=a,mirror=b", "both a tarball and a mirror"),
        ("6.99.1,tarball=", "tarball= is empty"),
        ("6.99.1,tarball=a,tarball=b", "tarball= given twice"),
        ("next,tarball=a", "'next' is no release"),
        ("6.99.1,tarball=a,jobs=3", "not an option"),
    ],
)
def test_a_reference_that_cannot_be_understood_shows_the_grammar(locator: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        parse_ref(f"release:{locator}")
    assert "write " in caught.value.remedy
