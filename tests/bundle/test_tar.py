# SPDX-License-Identifier: GPL-2.0-only
"""The archive of a bundle: the same bytes for the same files, and nothing but plain files comes out of one."""

import io
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.errors import BadInput, KassayError
from kassay.tools.bundle import tar

FILES = {"a": b"", "b/c": b"x" * 512, "b/d": b"y" * 5000, "z z": bytes(range(256)) * 9}
Change = Callable[[tarfile.TarInfo], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    return tmp_path / "in"


def packed(root: Path, name: str = "x.tar.zst") -> Path:
    target = root.parent / name
    tar.write(target, "top", list(FILES), root)
    return target


def unpacked(path: Path, limit: int = 1 << 20) -> dict[str, bytes]:
    into = path.parent / "out"
    into.mkdir()
    found = tar.unpack(path, into, limit)
    return {p.relative_to(found).as_posix(): p.read_bytes() for p in found.rglob("*") if p.is_file()}


def test_what_was_packed_comes_out(root: Path) -> None:
    assert unpacked(packed(root)) == FILES


def test_the_same_files_give_the_same_bytes_whatever_their_order_dates_and_modes(root: Path) -> None:
    first = packed(root).read_bytes()
    (root / "a").chmod(0o600)
    (root / "b/c").touch()
    tar.write(root.parent / "y.tar.zst", "top", list(reversed(FILES)), root)
    assert (root.parent / "y.tar.zst").read_bytes() == first
    assert sorted(p.name for p in root.parent.iterdir()) == ["in", "x.tar.zst", "y.tar.zst"]


def test_every_tar_can_read_it(root: Path) -> None:
    data = zstandard.ZstdDecompressor().stream_reader(packed(root).read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        assert {m.name: (m.mtime, m.mode, m.uid, m.uname) for m in opened} == {
            f"top/{name}": (0, 0o644, 0, "") for name in FILES
        }


def archive(place: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    """A tar made by other hands."""
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for info, data in entries:
            made.addfile(info, io.BytesIO(data))
    path = place / "bad.tar.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(text.getvalue()))
    return path


def entry(name: str, size: int = 0, **fields: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = size
    for field, value in fields.items():
        setattr(info, field, value)
    return info


@pytest.mark.parametrize(
    "entries",
    [
        [entry("top/a", type=tarfile.SYMTYPE, linkname="/etc/passwd")],
        [entry("top/a", type=tarfile.LNKTYPE, linkname="top/b")],
        [entry("top/a", type=tarfile.CHRTYPE, devmajor=1, devminor=3)],
        [entry("top/a", type=tarfile.FIFOTYPE)],
        [entry("top", type=tarfile.DIRTYPE)],
        [entry("../a")], [entry("/top/a")], [entry("top/../../a")], [entry("top/./a")], [entry("top//a")],
        [entry("top/a\\b")], [entry("top/a\x1b[31m")], [entry("top")],
        [entry("top/a"), entry("top/a")], [entry("top/a"), entry("top/a/b")], [entry("top/b"), entry("top/a")],
        [entry("one/a"), entry("two/a")],
        [entry("top/a", mode=0o4755)], [entry("top/a", uid=1000)], [entry("top/a", mtime=1)],
        [entry("top/a", uname="root")],
        [],
    ],
)  # fmt: skip
def test_anything_but_plain_files_in_order_is_refused_and_nothing_leaves_the_place(
    tmp_path: Path, entries: Sequence[tarfile.TarInfo]
) -> None:
    path = archive(tmp_path, *((info, b"") for info in entries))
    (tmp_path / "deep" / "out").mkdir(parents=True)
    with pytest.raises(BadInput) as caught:
        tar.unpack(path, tmp_path / "deep" / "out", 1 << 20)
    assert "bad.tar.zst" in caught.value.what and "\x1b" not in str(caught.value)
    outside = [p for p in tmp_path.rglob("*") if not p.is_relative_to(tmp_path / "deep" / "out")]
    assert {p.name for p in outside if p.is_file()} == {"bad.tar.zst"}
    assert not any(p.is_symlink() for p in tmp_path.rglob("*"))


def test_more_than_the_limit_is_refused_before_it_is_written(root: Path) -> None:
    total = sum(map(len, FILES.values()))
    with pytest.raises(BadInput, match="more than is allowed") as caught:
        unpacked(packed(root), total - 1)
    assert "--limit" in caught.value.remedy
    assert not (root.parent / "out" / "top" / "z z").exists()


def test_a_bomb_is_refused_by_its_announced_size(tmp_path: Path) -> None:
    path = archive(tmp_path, (entry("top/a", 64 << 20), bytes(64 << 20)))
    assert path.stat().st_size < 1 << 16
    with pytest.raises(BadInput, match="more than is allowed"):
        tar.unpack(path, tmp_path, 1 << 20)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("t")
    for name, data in FILES.items():
        (place / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "in" / name).write_bytes(data)
    return packed(place / "in").read_bytes()


@settings(max_examples=40)
@given(cut=st.floats(0, 0.9999))
def test_a_cut_archive_is_refused(tmp_path_factory: pytest.TempPathFactory, whole: bytes, cut: float) -> None:
    place = tmp_path_factory.mktemp("t")
    (place / "cut.tar.zst").write_bytes(whole[: int(len(whole) * cut)])
    try:
        assert unpacked(place / "cut.tar.zst") == FILES  # the checksum behind the content was cut
    except BadInput as error:
        assert "cut.tar.zst" in error.what


@pytest.mark.parametrize("more", [b"x", bytes(512), zstandard.ZstdCompressor().compress(bytes(512))])
def test_nothing_may_stand_behind_the_end(root: Path, more: bytes) -> None:
    path = packed(root)
    with path.open("ab") as file:
        file.write(more)
    with pytest.raises(BadInput):
        unpacked(path)


@given(data=st.binary(max_size=3000), framed=st.booleans())
def test_arbitrary_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes, framed: bool) -> None:
    place = tmp_path_factory.mktemp("t")
    (place / "x").write_bytes(zstandard.ZstdCompressor().compress(data) if framed else data)
    with pytest.raises(BadInput):
        tar.unpack(place / "x", place / "out", 1 << 20)


@given(at=st.integers(0, 511), byte=st.integers(0, 255))
def test_a_header_with_another_byte_is_refused_or_the_same(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int
) -> None:
    place = tmp_path_factory.mktemp("t")
    header = bytearray(tar._header("top/a", 0))
    same = header[at] == byte
    header[at] = byte
    (place / "x").write_bytes(zstandard.ZstdCompressor().compress(bytes(header) + bytes(1024)))
    try:
        tar.unpack(place / "x", place, 1 << 20)
    except BadInput:
        assert not same
    else:
        assert same


def test_a_missing_archive_and_a_full_name_are_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        tar.unpack(tmp_path / "none", tmp_path, 1)
    with pytest.raises(KassayError):
        tar.write(tmp_path / "no" / "where" / "x", "top", [], tmp_path)
