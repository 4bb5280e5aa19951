# SPDX-License-Identifier: GPL-2.0-only
"""kassay bundle: what it says, and its exit statuses."""

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from kassay import pipeline
from kassay.cli import build_app
from kassay.commands.bundle import format_size
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell
from kassay.tools.bundle import tar
from kassay.tools.bundle.manifest import NAME, Manifest, packed_files, write_manifest
from tests.history.directories import measured, plan_with

pytestmark = pytest.mark.slow  # files of a database, archives, whole commands: seconds, not milliseconds

RELEASES = ["6.12.1", "6.17.2"]


def ask(*words: str) -> Result:
    return CliRunner().invoke(build_app(), ["bundle", *words], standalone_mode=False)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("d")
    directory = measured(place / "runs", plan_with(RELEASES), {0: [30] * 4, 1: [60] * 4})
    done = ask("pack", str(directory))
    assert done.exit_code == 0, done.exception
    assert f"next: kassay bundle verify {place}/runs.tar.zst" in done.output
    return place / "runs.tar.zst"


def test_the_present_directory_is_packed_beside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = measured(tmp_path / "my runs", plan_with(RELEASES), {0: [30] * 4, 1: [60] * 4})
    monkeypatch.chdir(directory)
    done = ask("pack", ".")
    assert done.exit_code == 0, done.exception
    assert f"next: kassay bundle verify '{tmp_path}/my runs.tar.zst'\n" in done.output
    assert (tmp_path / "my runs.tar.zst").is_file()


def test_a_directory_behind_a_link_is_packed_beside_the_link(tmp_path: Path) -> None:
    measured(tmp_path / "disk" / "runs", plan_with(RELEASES), {0: [30] * 4, 1: [60] * 4})
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "runs")
    assert ask("pack", str(tmp_path / "link")).exit_code == 0
    assert (tmp_path / "runs.tar.zst").is_file()


def test_a_bundle_that_holds_says_so(packed: Path) -> None:
    done = ask("verify", str(packed))
    assert done.exit_code == 0, done.exception
    assert f"{packed}: holds. " in done.output
    assert "all 1 findings follow from the raw results.\n" in done.output


def test_the_number_of_files_that_were_not_checked_is_in_the_first_line(packed: Path, tmp_path: Path) -> None:
    root = tar.unpack(packed, tmp_path, 1 << 30)
    (root / "another.c").write_text("int evil;")
    manifest = msgspec.json.decode((root / NAME).read_bytes(), type=Manifest)
    write_manifest(root, msgspec.structs.replace(manifest, files=packed_files(root)))
    done = ask("verify", str(root))
    first, second = [line for line in done.output.splitlines() if not line.startswith("verify: ")][:2]
    assert first.endswith("all 1 findings follow from the raw results; 1 files were not checked.")
    assert second == "  not checked: another.c"


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--limit", "lots"), "'lots' is not a size"), (("--limit", "4KiB"), "more than is allowed")],
)
def test_limits_are_read_and_kept(packed: Path, words: tuple[str, ...], said: str) -> None:
    done = ask("verify", str(packed), *words)
    assert isinstance(done.exception, BadInput) and said in done.exception.what


def test_what_is_no_bundle_is_refused_with_status_2(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    for path in (tmp_path, tmp_path / "x", tmp_path / "none"):
        done = ask("verify", str(path))
        assert isinstance(done.exception, BadInput) and done.exception.status == 2


@pytest.mark.parametrize(
    ("cost", "said", "status"), [(60, "the same to the digit: 8 runs", 0), (61, "NOT the same", 1)]
)
def test_a_rerun_says_whether_it_is_the_same(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cost: int, said: str, status: int
) -> None:
    def measure(experiment: Experiment, place: Path, tell: Tell, programs: object, *, cluster: str) -> None:
        measured(place, plan_with(RELEASES), {0: [30] * 4, 1: [cost] * 4})

    monkeypatch.setattr(pipeline, "measure", measure)
    done = ask("rerun", str(packed), "--out", str(tmp_path / "again"), "--exit-code")
    assert said in done.output
    assert done.return_value == status


def test_sizes_are_said_in_whole_units() -> None:
    assert [format_size(size) for size in (1, 1500, 3 << 20, 30 << 20)] == ["1KiB", "1KiB", "3MiB", "30MiB"]
