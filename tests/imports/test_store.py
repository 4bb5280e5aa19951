# SPDX-License-Identifier: GPL-2.0-only
"""An import's directory: what stands in it, that it repeats, and that nothing else is overwritten."""

import hashlib
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.samples import Samples
from kassay.tools.imports.read import read
from kassay.tools.imports.store import is_import, load, save
from tests.imports.files import DATA, LKP, MAIL


def made(directory: Path, *words: str) -> Samples:
    samples, sources = read(words, name="x", order=("9f9d0b0869", "ba6149e960") if str(LKP) in words else ())
    save(directory, samples, sources)
    return samples


@pytest.mark.parametrize("word", [str(MAIL), str(LKP), str(DATA / "plain.csv")])
def test_what_was_saved_is_loaded_and_the_files_are_kept(tmp_path: Path, word: str) -> None:
    samples = made(tmp_path / "d", word)
    assert is_import(tmp_path / "d") and load(tmp_path / "d") == samples
    for source in samples.sources:
        content = (tmp_path / "d" / "source" / source.name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == source.sha256


def test_the_same_import_again_changes_nothing(tmp_path: Path) -> None:
    made(tmp_path / "d", str(MAIL))
    before = {path: path.read_bytes() for path in (tmp_path / "d").rglob("*") if path.is_file()}
    made(tmp_path / "d", str(MAIL))
    assert before == {path: path.read_bytes() for path in (tmp_path / "d").rglob("*") if path.is_file()}


def test_an_interrupted_import_is_completed_by_the_same_one_only(tmp_path: Path) -> None:
    made(tmp_path / "d", str(MAIL))
    (tmp_path / "d" / "samples.json").unlink()
    with pytest.raises(BadInput, match="is no import"):
        made(tmp_path / "d", str(DATA / "plain.csv"))
    made(tmp_path / "d", str(MAIL))
    assert is_import(tmp_path / "d")


def test_another_import_or_another_directory_is_left_alone(tmp_path: Path) -> None:
    made(tmp_path / "d", str(MAIL))
    with pytest.raises(BadInput, match="holds another import"):
        made(tmp_path / "d", str(DATA / "plain.csv"))
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "plan.json").write_text("{}")
    with pytest.raises(BadInput, match="is no import"):
        made(tmp_path / "e", str(MAIL))
    (tmp_path / "f").write_text("x")
    with pytest.raises(BadInput, match="is no import"):
        made(tmp_path / "f", str(MAIL))
    assert sorted(path.name for path in (tmp_path / "e").iterdir()) == ["plan.json"]


@pytest.mark.parametrize("text", ["", "{}", '{"schema":"kassay-samples/1"}', "[1]", '{"nam\xff'])
def test_a_damaged_import_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "samples.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput, match="damaged"):
        load(tmp_path)


def test_an_import_of_another_version_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "d", str(DATA / "plain.csv"))
    path = tmp_path / "d" / "samples.json"
    path.write_text(path.read_text().replace("kassay-samples/1", "kassay-samples/9"))
    with pytest.raises(BadInput, match="schema 'kassay-samples/9'"):
        load(tmp_path / "d")
    assert not is_import(tmp_path)
