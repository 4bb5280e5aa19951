# SPDX-License-Identifier: GPL-2.0-only
"""From words to files: KERNEL=FILE, names below source/, compressed files, the limit, and files given twice."""

import gzip
import os
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.progress import Progress
from kassay.tools.imports import gather as module
from kassay.tools.imports.gather import gather
from tests.imports.files import DATA, both, imported, refused

PLAIN = DATA / "plain.csv"


def test_a_name_with_an_equals_sign_is_a_file_when_there_is_one(tmp_path: Path) -> None:
    odd = tmp_path / "a=b.csv"
    odd.write_bytes(PLAIN.read_bytes())
    assert [given.kernel for given in gather([str(odd)], ())] == [None]
    assert [given.kernel for given in gather([f"6.12={odd}"], ())] == ["6.12"]


@pytest.mark.parametrize("word", ["=x.json", "6.12=", " =x.json"])
def test_half_a_pair_is_refused(word: str) -> None:
    assert "not KERNEL=FILE" in refused(word)


def test_files_of_equal_names_get_names_of_their_own(tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "x.csv").write_text(f"kernel,metric,value\n{place},m,1\n")
    givens = gather([str(tmp_path / "one" / "x.csv"), str(tmp_path / "two" / "x.csv")], ())
    assert [given.name for given in givens] == ["x.csv", "2-x.csv"]


def test_the_same_content_counts_once(tmp_path: Path) -> None:
    copy = tmp_path / "copy.csv"
    copy.write_bytes(PLAIN.read_bytes())
    assert "the same content as" in refused(str(PLAIN), str(copy))


def test_a_compressed_file_is_read_and_kept_as_it_was(tmp_path: Path) -> None:
    words = []
    for kernel, word in zip("ab", both("pyperf", ".json"), strict=True):
        packed = tmp_path / f"{kernel}.json.gz"
        packed.write_bytes(gzip.compress(Path(word[2:]).read_bytes()))
        words.append(f"{kernel}={packed}")
    assert imported(*words).series == imported(*both("pyperf", ".json")).series
    assert all(given.raw.startswith(b"\x1f\x8b") for given in gather(words, ()))


def test_damaged_or_cut_compressed_data_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(PLAIN.read_bytes())
    file = tmp_path / "x.csv.gz"
    file.write_bytes(packed[: len(packed) // 2])
    assert "ends too early" in refused(str(file))
    file.write_bytes(packed[:10] + b"\xff" * 40)
    assert "damaged gzip data" in refused(str(file))


def test_a_file_beyond_the_limit_is_refused_compressed_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._LIMIT == 100 * 1024 * 1024
    monkeypatch.setattr(module, "_LIMIT", 1000)
    file = tmp_path / "x"
    file.write_bytes(b"x" * 1001)
    assert "larger than 100 MiB" in refused(str(file))
    file.write_bytes(gzip.compress(b"x" * 1001))
    assert "when decompressed" in refused(str(file))


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert "No such file" in refused(str(tmp_path / "nothing"))
    assert "a directory without results" in refused(str(tmp_path))
    (tmp_path / "void").write_bytes(b" \n")
    assert "is empty" in refused(str(tmp_path / "void"))


@pytest.mark.parametrize("word", ["{0}", "6.12={0}"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, word: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a regular file"):
        gather([word.format(tmp_path / "pipe")], ())


def test_many_files_are_read_with_a_word_of_progress(tmp_path: Path) -> None:
    words = []
    for i in range(401):
        (tmp_path / str(i)).write_text(f"{i}")
        words.append(f"k={tmp_path / str(i)}")
    told: list[Progress] = []
    gather(words, (), told.append)
    assert [one.text for one in told] == ["200 files read", "400 files read"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"kernel,value\n6.12,1\n", "line 1: no column metric"),
        (b"kernel;metric;value\n6.12;a;1\n", "line 1: its columns are separated by semicolons; write commas"),
        (b"kernel\tmetric\tvalue\n", "separated by tabs"),
        ("kernel,metric,value\n6.12,a,1\n".encode("utf-16"), "it is UTF-16 text; save it as UTF-8"),
        (b"=3D=3D=3D=3D=\n=3D=3D %stddev     %change\n=C2=B1\n", "a mail in quoted-printable"),
        (b"hello\n", "not a format that kassay knows\n"),
    ],
)
def test_near_miss_of_a_format_is_refused_with_its_fix(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "x").write_bytes(content)
    assert said in refused(str(tmp_path / "x"))
