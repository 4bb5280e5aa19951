# SPDX-License-Identifier: GPL-2.0-only
"""Packages become one tree, the same to the byte, made once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from kassay.errors import HostLacks
from kassay.model.packages import ArchivePackage, Image
from kassay.model.progress import silent
from kassay.supply.images.tree import image
from tests.images.debs import Part, deb, read

TOOL = (
    Part("./bin/tool", b"\x7fELF", 0o755),
    Part("./usr/bin/again", target="./bin/tool", hard=True),
    Part("./usr/bin/link", target="tool"),
    Part("./usr/share/doc/tool/copyright", b"long"),
    Part("./usr/share/doc/tool/data", b"also a program's data"),
    Part("./usr/share/tool/data", target="./usr/share/doc/tool/data", hard=True),
    Part("./var/lib/tool", mode=0o750, user=101, directory=True),
    Part("./dev/null", b"no"),
)
LIBRARY = (Part("./lib/x/libtool.so", b"library"), Part("./usr/share/tool/other", b"12345"))


@pytest.fixture
def debs(tmp_path: Path, cache: Path) -> list[tuple[ArchivePackage, Path]]:
    return [deb(tmp_path, "tool", TOOL), deb(tmp_path, "libtool", LIBRARY)]


def test_a_tree_has_what_programs_read_where_they_look_for_it(debs: list[tuple[ArchivePackage, Path]]) -> None:
    made, path = _image(debs, links=(("/usr/lib/x/libtool.so.3", "libtool.so"),))
    found = read(path.read_bytes())
    assert list(found) == sorted(found, key=lambda name: name.split("/"))
    assert len(found) == made.files
    assert (found["bin"].data, oct(found["bin"].mode)) == (b"usr/bin", "0o120777")
    assert "lib32" not in found  # nothing is behind it
    tool, again = found["usr/bin/again"], found["usr/bin/tool"]
    assert tool.inode == again.inode and tool.links == again.links == 2
    assert sorted((tool.data, again.data)) == [b"", b"\x7fELF"] and oct(again.mode) == "0o100755"
    assert found["usr/bin/link"].data == b"tool"
    assert found["usr/lib/x/libtool.so.3"].data == b"libtool.so"
    assert found["usr/share/tool/data"].data == b"also a program's data"  # its other name is left out
    assert not [name for name in found if name.startswith(("usr/share/doc", "dev/"))]
    assert (found["var/lib/tool"].user, oct(found["var/lib/tool"].mode)) == (101, "0o40750")
    assert oct(found["usr/share"].mode) == "0o40755"  # no package names it
    assert b"nobody" in found["etc/passwd"].data and oct(found["tmp"].mode) == "0o41777"


def test_the_same_packages_are_the_same_bytes_and_are_read_once(
    debs: list[tuple[ArchivePackage, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, path = _image(debs)
    before = path.read_bytes()

    def not_again() -> Sequence[Path]:
        raise HostLacks("no network")

    assert image([package for package, _ in debs], (), "x86_64", not_again, silent) == (first, path)
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    assert _image(debs)[1].read_bytes() == before
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert _image(debs)[0] == first
    assert _image(debs, links=(("/usr/bin/x", "tool"),))[0].sha256 != first.sha256


def test_a_damaged_package_is_named(debs: list[tuple[ArchivePackage, Path]]) -> None:
    debs[0][1].write_bytes(b"nothing")
    with pytest.raises(HostLacks, match=r"tool\.deb"):
        _image(debs)


def _image(debs: Sequence[tuple[ArchivePackage, Path]], links: Sequence[tuple[str, str]] = ()) -> tuple[Image, Path]:
    return image([package for package, _ in debs], links, "x86_64", lambda: [file for _, file in debs], silent)
