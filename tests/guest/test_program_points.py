# SPDX-License-Identifier: GPL-2.0-only
"""--from and --to: functions of a program as lines for the plugin."""

import subprocess
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.experiment import WorkloadUse
from kassay.model.program import ProgramUse, point_in
from kassay.supply.guest.program import packed, program_in
from kassay.supply.measured import measured_of
from tests.guest.test_program import HELLO, use_of, written


def lines_of(use: ProgramUse) -> list[list[str]]:
    """Words of each line for the plugin."""
    lines = measured_of(WorkloadUse(name="p", program=use)).points(packed(use, "x86_64")).decode().splitlines()
    return [line.split() for line in lines]


@pytest.mark.slow
def test_points_are_functions_of_the_program_and_of_its_c_library(tmp_path: Path) -> None:
    source = written(tmp_path / "p.c", HELLO)
    lines = lines_of(use_of(source, start="twice", end="puts:3", cflags=("-fno-inline",)))
    assert [line[0] for line in lines] == ["from", "to", "nth_to"]
    assert lines[2] == ["nth_to", "3", "3"]
    with pytest.raises(BadInput, match=r"--from twyce: .*p.c has no such function") as caught:
        lines_of(use_of(source, start="twyce"))
    assert "did you mean twice?" in caught.value.remedy


@pytest.mark.slow
def test_one_of_several_functions_of_a_name_is_chosen_by_its_file(tmp_path: Path) -> None:
    work = "#include <unistd.h>\nstatic __attribute__((noinline)) void work(void) { getppid(); }\n"
    written(tmp_path / "p" / "a.c", f"{work}void other(void);\nint main(void) {{ work(); other(); return 0; }}\n")
    written(tmp_path / "p" / "b.c", f"{work}void other(void) {{ work(); }}\n")
    for option, words in (("--from", {"start": "work"}), ("--to", {"start": "main", "end": "work:3"})):
        with pytest.raises(BadInput, match=rf"{option} work: two functions are called work \(a\.c, b\.c\)") as caught:
            lines_of(use_of(tmp_path / "p", **words))
        assert f"write {option} a.c:work" in caught.value.remedy
    first, second, call = lines_of(use_of(tmp_path / "p", start="a.c:work", end="b.c:work:3"))
    built = tmp_path / "program"
    built.write_bytes(program_in(packed(use_of(tmp_path / "p"), "x86_64")) or b"")
    symbols = subprocess.run(("nm", "-n", built), check=True, capture_output=True, text=True).stdout.splitlines()
    addresses = sorted(int(line.split()[0], 16) for line in symbols if line.endswith(" t work"))
    assert sorted(int(line[1], 16) for line in (first, second)) == addresses
    assert call == ["nth_to", "3", "3"]
    with pytest.raises(BadInput, match=r"--from c\.c:work: .* has no static work of c\.c") as caught:
        lines_of(use_of(tmp_path / "p", start="c.c:work"))
    assert "a.c, b.c" in caught.value.remedy


@pytest.mark.slow
def test_a_static_function_is_told_from_a_global_one(tmp_path: Path) -> None:
    body = "__attribute__((noinline)) void work(void) { getppid(); }\n"
    written(tmp_path / "p" / "a.c", f"#include <unistd.h>\nstatic {body}int main(void) {{ work(); return 0; }}\n")
    written(tmp_path / "p" / "b.c", f"#include <unistd.h>\n{body}")
    with pytest.raises(BadInput, match=r"two functions are called work \(a global one, a\.c\)"):
        lines_of(use_of(tmp_path / "p", start="work"))
    assert len(lines_of(use_of(tmp_path / "p", start="a.c:work"))) == 1


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("work", ("work", "", "")),
        ("work:3", ("work", "", "3")),
        ("work:x", ("work", "", "x")),
        ("work.part.0:3", ("work.part.0", "", "3")),
        ("a.c:work", ("work", "a.c", "")),
        ("a.c:work:3", ("work", "a.c", "3")),
    ],
)
def test_a_point_has_a_function_and_may_have_a_file_and_a_call(text: str, point: tuple[str, str, str]) -> None:
    assert point_in(text) == point
