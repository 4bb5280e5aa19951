# SPDX-License-Identifier: GPL-2.0-only
"""Programs that a user brings: read, built, refused with the way out, and packed behind their runner."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.model.program import ProgramUse, checks, filled, name_of, success_status
from kassay.supply.guest.payload import Packed, pack, unpack
from kassay.supply.guest.program import packed, program_in
from kassay.supply.guest.program_source import contents, kind_of, pinned

pytestmark = pytest.mark.slow  # seconds for the whole file

HELLO = '#include <stdio.h>\nint twice(int a) { return 2 * a; }\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n'


def use_of(path: Path, **fields: object) -> ProgramUse:
    return pinned(ProgramUse(path=str(path), **fields))  # type: ignore[arg-type]


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


names = st.text("abc/._-09", min_size=1, max_size=20)


@given(st.binary(max_size=50), st.dictionaries(names, st.binary(max_size=50), max_size=4))
def test_what_is_packed_is_unpacked(program: bytes, files: dict[str, bytes]) -> None:
    made = pack(program, [Packed(name, data, 0o755) for name, data in files.items()])
    assert made.startswith(program)
    assert {name: file.data for name, file in unpack(made).items()} == files
    assert all(file.mode == 0o755 for file in unpack(made).values())


def test_a_c_file_becomes_a_static_program_that_runs(tmp_path: Path) -> None:
    use = use_of(written(tmp_path / "hello.c", HELLO))
    program = tmp_path / "program"
    program.write_bytes(program_in(packed(use, "x86_64")) or b"")
    program.chmod(0o755)
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"


def test_headers_beside_it_come_along_and_change_its_identity(tmp_path: Path) -> None:
    written(tmp_path / "deep" / "b.h", "#define B 1\n")
    written(tmp_path / "a.h", '#include "deep/b.h"\n')
    source = written(tmp_path / "p.c", '#include "a.h"\nint main(void) { return B - 1; }\n')
    first = use_of(source)
    assert sorted(contents(first)) == ["source/a.h", "source/deep/b.h", "source/p.c"]
    assert program_in(packed(first, "x86_64"))
    written(tmp_path / "deep" / "b.h", "#define B 2\n")
    assert use_of(source).sha256 != first.sha256


def test_headers_above_it_and_further_sources_come_along(tmp_path: Path) -> None:
    written(tmp_path / "up.h", "int twice(int);\n")
    more = written(tmp_path / "lib" / "more.c", '#include "../up.h"\nint twice(int a) { return 2 * a; }\n')
    source = written(tmp_path / "mm" / "p.c", '#include "../up.h"\nint main(void) { return twice(0); }\n')
    use = use_of(source, link=(str(more), "-lm"))
    assert list(contents(use)) == ["source/mm/p.c", "source/lib/more.c", "source/up.h"]
    assert program_in(packed(use, "x86_64"))


def test_it_is_found_by_its_content_when_the_file_is_gone(tmp_path: Path) -> None:
    source = written(tmp_path / "gone.c", HELLO)
    use = use_of(source)
    source.unlink()
    assert pinned(use) == use
    assert program_in(packed(use, "x86_64"))
    with pytest.raises(BadInput, match="no such file or directory"):
        use_of(source)


def test_a_file_that_changed_since_it_was_pinned_is_refused(tmp_path: Path) -> None:
    source = written(tmp_path / "p.c", HELLO)
    use = use_of(source)
    source.write_text(HELLO + "\n")
    with pytest.raises(BadInput, match="is not what it was"):
        pinned(use)


@pytest.mark.parametrize(
    ("text", "fields", "what", "way_out"),
    [
        ("int main(void)\n{\n\treturn x;\n}\n", {}, r"bad.c:3:16: error: .x. undeclared", "--cflags"),
        ("int no(void);\nint main(void) { return no(); }\n", {}, "undefined reference to `no'", "--link"),
        ("int no(void) { return 1; }\n", {}, "undefined reference to `main'", "no main"),
        (HELLO, {"link": ("-lnothing",)}, "library nothing, of which there is no static one", "install it"),
        ("#include <nothing.h>\nint main(void) { return 0; }\n", {}, "nothing.h: No such file", "nothing.h"),
    ],
)  # fmt: skip
def test_what_does_not_compile_is_named_with_its_first_error(
    tmp_path: Path, text: str, fields: dict[str, object], what: str, way_out: str
) -> None:
    use = use_of(written(tmp_path / "bad.c", text), **fields)
    with pytest.raises(BadInput, match=what.replace("16", r"\d+")) as caught:
        packed(use, "x86_64")
    assert way_out in caught.value.remedy


@pytest.mark.parametrize(
    ("flags", "what", "way_out"),
    [
        ((), "linked dynamically .libc.so.6.", "-static"),
        (("-static-pie",), "position-independent", "-no-pie"),
    ],
)
def test_a_binary_that_cannot_run_in_the_guest_is_refused(
    tmp_path: Path, flags: tuple[str, ...], what: str, way_out: str
) -> None:
    source, made = written(tmp_path / "p.c", HELLO), tmp_path / "p"
    subprocess.run(["gcc", *flags, "-o", made, source], check=True)
    with pytest.raises(BadInput, match=what) as caught:
        packed(use_of(made), "x86_64")
    assert way_out in caught.value.remedy


def test_a_static_binary_is_taken_as_it_is_for_its_own_architecture_alone(tmp_path: Path) -> None:
    source, made = written(tmp_path / "p.c", HELLO), tmp_path / "p"
    subprocess.run(["gcc", "-static", "-no-pie", "-o", made, source], check=True)
    assert program_in(packed(use_of(made), "x86_64")) == made.read_bytes()
    with pytest.raises(BadInput, match="a program for X86_64, not for arm64"):
        packed(use_of(made), "arm64")


def test_a_directory_is_built_by_its_makefile_or_of_all_its_sources(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    written(plain / "a.c", "int twice(int);\nint main(void) { return twice(0); }\n")
    written(plain / "b.c", "int twice(int a) { return 2 * a; }\n")
    assert kind_of(use_of(plain), contents(use_of(plain))) == "directory"
    assert program_in(packed(use_of(plain), "x86_64"))
    written(plain / "Makefile", "both: a.o b.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^\n")
    assert program_in(packed(use_of(plain), "x86_64"))
    written(plain / "Makefile", "both:\n\tfalse\n")
    with pytest.raises(BadInput, match="make fails"):
        packed(use_of(plain), "x86_64")


def test_neither_sources_nor_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="neither a C file nor a program"):
        use_of(written(tmp_path / "notes.txt", "hello"))
    with pytest.raises(BadInput, match=r"no Makefile and no \.c file"):
        packed(use_of(written(tmp_path / "d" / "notes.txt", "hello").parent), "x86_64")
    with pytest.raises(BadInput, match=r"--file .*data: no such file"):
        use_of(written(tmp_path / "p.c", HELLO), files=(f"{tmp_path}/data",))


def test_words_and_names() -> None:
    assert filled("-s{size} {other}", {"size": "4"}) == "-s4 {other}"
    assert [check.name for check in checks(["a==1", "b>=2", "c = 3"])] == ["a", "b"]


def test_a_required_status_of_another_operator_is_read_as_by_earlier_versions() -> None:
    """Directories of earlier versions have them; a new plan refuses them."""
    assert success_status(ProgramUse(path="p.c", require=("status!=2", "status==3"))) == "3"
    assert success_status(ProgramUse(path="p.c", require=("status<=2",))) == "0"
    assert [name_of(path) for path in ("/x/my repro.c", "dir/", "/")] == ["my_repro", "dir", "program"]


def test_headers_and_libraries_that_are_no_part_of_the_pin_are_part_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    text = '#include <stdio.h>\n#include <work.h>\nint lib(void);\nint main(void) { printf("%d %d", N, lib()); }\n'
    (tmp_path / "p.c").write_text(text)

    def printed(header: int, library: int) -> bytes:
        (tmp_path / "inc" / "work.h").write_text(f"#define N {header}\n")
        (tmp_path / "l.c").write_text(f"int lib(void) {{ return {library}; }}\n")
        subprocess.run(("gcc", "-c", "l.c", "-o", "l.o"), check=True, cwd=tmp_path)
        use = ProgramUse(path=f"{tmp_path}/p.c", cflags=(f"-I{tmp_path}/inc",), link=(f"{tmp_path}/l.o",))
        return output_of(use, tmp_path)

    assert [printed(1, 1), printed(2, 1), printed(2, 2), printed(1, 1)] == [b"1 1", b"2 1", b"2 2", b"1 1"]


def test_the_program_of_a_directory_is_the_one_of_its_name(tmp_path: Path) -> None:
    for name in ("alpha", "beta"):
        directory = tmp_path / name
        directory.mkdir()
        for program in ("alpha", "beta"):
            (directory / f"{program}.c").write_text(
                f'int puts(const char *);\nint main(void) {{ puts("{program}"); }}\n'
            )
        rule = "all: alpha beta\n%: %.c\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $<\n"
        (directory / "Makefile").write_text(rule)
        assert output_of(ProgramUse(path=str(directory)), tmp_path) == f"{name}\n".encode()


def test_a_header_outside_is_part_of_a_program_that_make_builds(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "p.c").write_text("#include <work.h>\nint puts(const char *);\nint main(void) { puts(TEXT); }\n")
    (tmp_path / "p" / "Makefile").write_text("p: p.c\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $<\n")
    for text in ("one", "two"):
        (tmp_path / "work.h").write_text(f'#define TEXT "{text}"\n')
        use = ProgramUse(path=f"{tmp_path}/p", cflags=(f"-I{tmp_path}",))
        assert output_of(use, tmp_path) == f"{text}\n".encode()


def output_of(use: ProgramUse, directory: Path) -> bytes:
    program = directory / "program"
    program.write_bytes(program_in(packed(pinned(use), "x86_64")) or b"")
    program.chmod(0o755)
    return subprocess.run((program,), check=True, capture_output=True).stdout


def test_debug_information_does_not_tell_where_a_program_was_compiled(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    use = pinned(ProgramUse(path=f"{tmp_path}/p.c", cflags=(f"-I{tmp_path}", "-g")))
    assert packed(use, "x86_64") == packed(use, "x86_64")
