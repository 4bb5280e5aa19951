# SPDX-License-Identifier: GPL-2.0-only
"""On real kernels: kept in a history and confirmed by a fresh pair; packed, checked, forged, and measured again."""

import csv
import io
import os
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from kassay.tools.bundle import tar
from kassay.tools.bundle.manifest import NAME, Manifest, packed_files, write_manifest
from tests.boot.conftest import Kassay, Ran, kassay

pytestmark = pytest.mark.boot
__all__ = ["kassay"]  # the fixture


@pytest.fixture(scope="module")
def directory(kassay: Kassay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mprotect_toggle on 6.16 and 6.17, restored from snapshots: a plain run and a perturbed one each."""
    place = tmp_path_factory.mktemp("pair") / "runs"
    words = ("compare", "mprotect_toggle", "debian:6.16", "debian:6.17", "--set", "size=2MiB", "--rounds", "8")
    ran = kassay(*words, "--boot", "snapshot", "--repeats", "1", "--perturb", "1", "--out", str(place))
    assert ran.status == 0, ran.err
    return place


@pytest.fixture(scope="module")
def packed(kassay: Kassay, directory: Path) -> Path:
    path = directory.with_name("runs.tar.zst")
    ran = kassay("bundle", "pack", str(directory), "--out", str(path))
    assert ran.status == 0, ran.err
    assert "the very programs that were measured" in ran.out
    return path


def ok(ran: Ran) -> str:
    assert ran.status == 0, ran.err
    return ran.out


def test_a_nominated_step_is_confirmed_by_a_fresh_pair(kassay: Kassay, directory: Path, tmp_path: Path) -> None:
    archive = ("--archive", str(tmp_path / "h.duckdb"))
    assert "4 runs and 16 values added" in ok(kassay("history", "add", str(directory), *archive))
    points = list(csv.DictReader(io.StringIO(ok(kassay("history", "show", *archive, "--format", "csv")))))
    assert len(points) == 2 and 2.1 < float(points[1]["change"]) + 1 < 2.3
    (nominated,) = csv.DictReader(io.StringIO(ok(kassay("history", "points", *archive, "--format", "csv"))))
    pair = ("--out", str(tmp_path / "pair"))
    assert f"{nominated['id']}: confirmed: regression" in ok(
        kassay("history", "confirm", nominated["id"], *archive, *pair)
    )
    assert "confirmed" in ok(kassay("history", "points", *archive))


def test_a_bundle_holds_until_it_is_touched(kassay: Kassay, packed: Path, tmp_path: Path) -> None:
    assert ": holds. " in ok(kassay("bundle", "verify", str(packed)))
    root = tar.unpack(packed, tmp_path, 1 << 30)
    assert ": holds. " in ok(kassay("bundle", "verify", str(root)))
    text = (root / "report" / "json.json").read_text()
    (root / "report" / "json.json").write_text(text.replace('"verdict": "regression"', '"verdict": "equivalent"'))
    damaged = kassay("bundle", "verify", str(root))
    assert (damaged.status, "report/json.json was changed" in damaged.err) == (2, True)
    manifest = msgspec.json.decode((root / NAME).read_bytes(), type=Manifest)
    write_manifest(root, msgspec.structs.replace(manifest, files=packed_files(root)))
    forged = kassay("bundle", "verify", str(root))
    assert forged.status == 2
    assert "'equivalent', computed 'regression'" in forged.err


@pytest.mark.parametrize("compiler", ["clang", "none"])
def test_measured_again_with_another_compiler_or_none_it_is_the_same_to_the_digit(
    kassay: Kassay, packed: Path, tmp_path: Path, compiler: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for directory in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(directory).glob("*"):
            if not re.search(r"(^|-)(cc|gcc|c\+\+|g\+\+|clang)(-\d+)?$", program.name):
                (programs / program.name).unlink(missing_ok=True)
                (programs / program.name).symlink_to(program)
    if compiler == "clang":
        (programs / "gcc").symlink_to(shutil.which("clang") or "")
    own = {**os.environ, "PATH": str(programs)}
    again = kassay("bundle", "rerun", str(packed), "--out", str(tmp_path / "again"), "--exit-code", env=own)
    assert "the same to the digit: 4 runs, 128 counts" in ok(again)
    assert "another build" not in again.out
    assert (shutil.which("gcc", path=str(programs)) is None) == (compiler == "none")  # the host is as the test says


def test_the_packed_directory_gives_the_same_bytes_again(
    kassay: Kassay, packed: Path, directory: Path, tmp_path: Path
) -> None:
    ok(kassay("bundle", "pack", str(directory), "--out", str(tmp_path / "again.tar.zst")))
    assert (tmp_path / "again.tar.zst").read_bytes() == packed.read_bytes()
