# SPDX-License-Identifier: GPL-2.0-only
"""Line tables are parted from an image, which stays the same, and say which lines have code."""

import subprocess
from pathlib import Path

import pytest

from kassay.model.progress import silent
from kassay.supply.building import line_tables
from kassay.supply.building.compilers import find_compiler

HEADER = """\
static inline int twice(volatile int *p)
{
\treturn *p * 2;
}
"""
SOURCE = """\
#include "twice.h"
int shared;
/* A comment. */
#define UNUSED(x) (x + 1)
__attribute__((noinline)) int called(int a)
{
\tif (a > 3)
\t\treturn twice(&shared);
\tshared += a;
\treturn a;
}
#ifdef NEVER
int left_out(void) { return 0; }
#endif
int main(int argc, char **argv)
{
\t(void)argv;
\treturn called(argc);
}
"""


def linked(tmp_path: Path, *words: str, cc: str = "gcc", source: str = SOURCE) -> Path:
    """A program, compiled as the objects of a kernel are: in a directory inside the sources."""
    objects = tmp_path / "kassay-0123456789abcdef"
    (tmp_path / "mm").mkdir(exist_ok=True)
    objects.mkdir(exist_ok=True)
    (tmp_path / "mm" / "a.c").write_text(source)
    (tmp_path / "mm" / "twice.h").write_text(HEADER)
    out = objects / "".join(("vmlinux", cc, *words))
    argv = (cc, "-O2", *words, "-Wl,--build-id=sha1", "-o", str(out), "../mm/a.c")
    subprocess.run(argv, check=True, cwd=objects)
    return out


@pytest.mark.parametrize(("cc", "version"), [("gcc", "5"), ("gcc", "4"), ("gcc", "3"), ("clang", "5"), ("clang", "4")])
def test_lines_with_code_are_those_that_instructions_come_from(tmp_path: Path, cc: str, version: str) -> None:
    program = linked(tmp_path, "-g1", f"-gdwarf-{version}", cc=cc)
    found = line_tables.lines_with_code(program, ("mm/a.c", "mm/twice.h", "mm/b.c"))
    assert found["mm/twice.h"] == {3}
    assert {9, 18} <= found["mm/a.c"]
    assert not found["mm/a.c"] & {1, 2, 3, 4, 12, 13, 14}  # no line of a comment, a macro, or what is not compiled
    assert "mm/b.c" not in found


def test_an_image_is_the_same_with_line_tables_and_without_and_with_other_lines(tmp_path: Path) -> None:
    compiler = find_compiler("gcc", "x86_64", silent)
    shifted = SOURCE.replace("/* A comment. */", "/* A comment\n * of two lines. */")
    images = set()
    for words, source in (((), SOURCE), (("-g1",), SOURCE), (("-g1", "-DX"), shifted)):
        program = linked(tmp_path, *words, source=source)
        parted = line_tables.parted(program, program, compiler)
        images.add(parted.image)
        (tmp_path / "lines").write_bytes(parted.lines)
        assert bool(line_tables.lines_with_code(tmp_path / "lines", ("mm/a.c",))) == ("-g1" in words)
    assert len(images) == 1
    other = linked(tmp_path, "-g1", "-DY", source=SOURCE.replace("* 2", "* 4").replace("a > 3", "a > 5"))
    assert line_tables.parted(other, other, compiler).image not in images


def test_an_image_that_is_no_elf_file_keeps_its_bytes_but_for_the_build_id(tmp_path: Path) -> None:
    program = linked(tmp_path, "-g1")
    note = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
    images = []
    for own in (b"a" * 20, b"b" * 20):
        raw = tmp_path / "Image"
        raw.write_bytes(b"code" + note + own + b"more")
        images.append(line_tables.parted(raw, program, find_compiler("gcc", "x86_64", silent)).image)
    assert images[0] == images[1]
    assert images[0].startswith(b"code" + note) and images[0].endswith(b"more")


def test_a_configuration_with_debug_information_of_its_own_gets_no_other(tmp_path: Path) -> None:
    config = tmp_path / ".config"
    assert line_tables.arguments(config) == line_tables.ARGUMENTS
    config.write_text("CONFIG_A=y\nCONFIG_DEBUG_INFO=y\n")
    assert line_tables.arguments(config) == ()
    config.write_text("CONFIG_A=y\nCONFIG_DEBUG_INFO_NONE=y\n")
    assert line_tables.arguments(config) == line_tables.ARGUMENTS
