# SPDX-License-Identifier: GPL-2.0-only
"""Every file of a bundle is as the manifest says, and nothing else is there."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.journal import artifacts
from kassay.tools.bundle.contents import checked_artifacts, checked_name, files_below
from kassay.tools.bundle.manifest import NAME, Manifest, checked, few, packed_files, write_manifest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "b" / "run").mkdir(parents=True)
    (tmp_path / "b" / "README").write_text("hello\n")
    (tmp_path / "b" / "run" / "plan.json").write_text("{}")
    seal(tmp_path / "b")
    return tmp_path / "b"


def seal(root: Path, **changes: object) -> None:
    manifest = Manifest(name="n", kind="run", plan="p", kassay_version="0", sources="s", files=packed_files(root))
    write_manifest(root, msgspec.structs.replace(manifest, **changes))


def test_a_whole_bundle_is_accepted(root: Path) -> None:
    manifest = checked(root, 1 << 20)
    assert [(file.path, file.size) for file in manifest.files] == [("README", 6), ("run/plan.json", 2)]


def changed(root: Path) -> None:
    (root / "README").write_text("hullo\n")


def removed(root: Path) -> None:
    (root / "run" / "plan.json").unlink()


def added(root: Path) -> None:
    (root / "run" / "more").write_text("")


def linked(root: Path) -> None:
    (root / "run" / "link").symlink_to("/etc/passwd")


def replaced_by_link(root: Path) -> None:
    (root / "README").unlink()
    (root / "README").symlink_to(root / "run" / "plan.json")


def piped(root: Path) -> None:
    os.mkfifo(root / "pipe")


def climbing(root: Path) -> None:
    text = (root / NAME).read_text()
    (root / NAME).write_text(text.replace('"README"', '"../README"'))


def unreadable(root: Path) -> None:
    (root / NAME).write_text("{")


def unlisted(root: Path) -> None:
    (root / NAME).unlink()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (changed, "README was changed"), (removed, "run/plan.json is missing"),
        (added, "run/more is not in the manifest"), (linked, "is a link or a device"),
        (replaced_by_link, "is a link or a device"), (piped, "is a link or a device"),
        (climbing, "'../README' is not a name"), (unreadable, "manifest.json: Input data was truncated"),
        (unlisted, "not a bundle"),
    ],
)  # fmt: skip
def test_damage_is_named(root: Path, damage: Callable[[Path], None], said: str) -> None:
    damage(root)
    with pytest.raises(BadInput) as caught:
        checked(root, 1 << 20)
    assert said in caught.value.what
    assert len(str(caught.value).splitlines()) <= 3


def test_a_file_named_twice_a_later_schema_and_too_much_are_refused(root: Path) -> None:
    twice = packed_files(root)
    seal(root, files=(*twice, twice[0]))
    with pytest.raises(BadInput, match="names a file twice"):
        checked(root, 1 << 20)
    seal(root, schema="kassay-bundle/9")
    with pytest.raises(BadInput, match="is a kassay-bundle/9"):
        checked(root, 1 << 20)
    seal(root)
    with pytest.raises(BadInput, match="larger than is allowed"):
        checked(root, 7)


@given(st.text(max_size=120))
def test_a_name_that_is_accepted_stays_below(name: str) -> None:
    try:
        assert checked_name(name, "x") == name
    except BadInput as error:
        assert "is not a name" in error.what
    else:
        path = Path("/top") / name
        assert Path(os.path.normpath(path)) == path and path != Path("/top")
        assert name.isprintable()


def test_names_are_listed_in_order(root: Path) -> None:
    assert files_below(root) == ("README", NAME, "run/plan.json")


def test_few_of_many_are_shown() -> None:
    assert few(["a", "b"]) == "a; b"
    assert few([str(i) for i in range(9)]).endswith("; 4, and 4 more")


def test_an_artifact_that_would_unpack_to_too_much_is_refused_unread(tmp_path: Path) -> None:
    artifacts.put(tmp_path, bytes(3 << 20))
    checked_artifacts(tmp_path, 3 << 20)
    with pytest.raises(BadInput, match="more than is allowed"):
        checked_artifacts(tmp_path, (3 << 20) - 1)


@pytest.mark.parametrize("data", [b"", b"no zstd at all", b"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00"])
def test_an_artifact_of_unknown_size_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.zst").write_bytes(data)
    with pytest.raises(BadInput, match=r"x\.zst"):
        checked_artifacts(tmp_path, 1 << 20)
