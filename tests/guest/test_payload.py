# SPDX-License-Identifier: GPL-2.0-only
"""Files behind the end of a program are unpacked whole, and damaged ones are refused without end or harm."""

import subprocess
from pathlib import Path

import pytest

from kassay.supply.guest import sources

PROGRAM = """
#include <stdio.h>
#include "payload.h"
#include "run.h"
int fail(struct run *run, const char *format, ...) { puts(format); return run ? -1 : 0; }
int main(int count, char **words)
{
	static struct run run;

	return count != 3 || payload_unpack(&run, words[1], words[2]);
}
"""
FILES = b"755 7 program\n#!/bin\n" + b"644 3 files/a\nabc"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("payload")
    (place / "a.c").write_text(PROGRAM)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{sources.directory()}")
    files = (str(place / "a.c"), str(sources.directory() / "payload.c"))
    subprocess.run(("gcc", *flags, "-o", str(place / "a"), *files), check=True)
    return (place / "a").read_bytes()


def unpacked(place: Path, program: bytes, files: bytes, count: int = 2, offset: int = 0) -> tuple[int, str]:
    packed = place / "packed"
    (place / "files").mkdir()
    end = (len(program) + offset).to_bytes(8, "little") + count.to_bytes(8, "little") + b"KASSAYF1"
    packed.write_bytes(program + files + end)
    packed.chmod(0o755)
    words = (str(packed), str(place / "program"), str(place / "files"))
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.strip()


def test_whole_files_are_unpacked(tmp_path: Path, program: bytes) -> None:
    assert unpacked(tmp_path, program, FILES) == (0, "")
    assert (tmp_path / "program").read_bytes() == b"#!/bin\n" and (tmp_path / "files" / "a").read_bytes() == b"abc"


@pytest.mark.parametrize(
    ("files", "count", "offset", "why"),
    [
        (b"755 -7 x\n#!/bin", 1 << 60, 0, "the packed files are cut short"),
        (FILES, 3, 0, "the packed files are damaged"),
        (FILES[:-1], 2, 0, "the packed files are cut short"),
        (FILES, 2, 1 << 50, "the packed files are damaged"),
        (b"no\n", 1, 0, "the packed files are damaged"),
    ],
)
def test_damaged_files_are_refused(
    tmp_path: Path, program: bytes, files: bytes, count: int, offset: int, why: str
) -> None:
    status, text = unpacked(tmp_path, program, files, count, offset)
    assert (status, text) == (1, why)
