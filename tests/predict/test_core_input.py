# SPDX-License-Identifier: GPL-2.0-only
"""Does the core model refuse what is wrong by its line, and give the same digits whoever compiled it?"""

import shutil
import subprocess
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.errors import BadInput, Defect, HostLacks
from kassay.labs.predict import core
from tests.predict.cpu import PLAIN, params
from tests.predict.runs import loop, rounds
from tests.predict.test_core_memory import chase
from tests.predict.tokens import insn, load


def test_the_cpu_of_the_tests_has_every_parameter() -> None:
    declared = [line.split(",")[1].strip() for line in (core.sources() / "params.def").read_text().splitlines()
                if line.startswith("PARAM(")]  # fmt: skip
    assert sorted(PLAIN) == sorted(declared)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (params(width=0), "params:1: width is not from 1 to 16"),
        (params(rob="10.5"), "params:3: 10.5 has more decimals than a whole number"),
        (params(mispredict="1.125"), "1.125 has more decimals than two"),
        (params() + "witdh 3\n", "unknown parameter witdh"),
        (params() + "width 4\n", "width is given twice"),
        (params().removeprefix("width 4\n"), "width is not given"),
    ],
)
def test_a_wrong_parameter_is_a_defect_that_names_it(tmp_path: Path, text: str, why: str) -> None:
    tokens, block = loop([insn()])
    tokens.run(block)
    with pytest.raises(Defect) as caught:
        core.replay(text, tokens.program(), tokens.write(tmp_path / "trace"))
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("i 4 plain", "i 4 plane", "unknown kind of instruction: plane"),
        ("0fx1", "100x1", "100x1: not MASKxCOUNT of 8 ports"),
        ("- - -", "- 96 -", "96 is not a list of registers from 0 to 95"),
        ("b 0 4194304 2", "b 0 4194304 3", "the block is not complete"),
        ("b 0 4194304", "b 0 4194305", "block 0 is another one in the program"),
        ("b 0", "b 1", "block 0 is not in the program"),
    ],
)
def test_a_wrong_program_is_refused_with_its_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    tokens, block = loop([insn()])
    tokens.run(block)
    program = tokens.program().replace(old, new, 1)
    with pytest.raises((Defect, BadInput)) as caught:
        core.replay(params(), program, tokens.write(tmp_path / "trace"))
    assert why in str(caught.value)


def test_a_trace_that_is_none_or_is_damaged_is_bad_input(tmp_path: Path) -> None:
    tokens, block = loop([load(1, 2)])
    tokens.run(block, (0, 0x1000, False))
    trace = tokens.write(tmp_path / "trace")
    whole = trace.read_bytes()
    for damaged, why in (
        (b"perf\n", "this is no kassay-trace/1"),
        (whole + b"\x80", "the trace ends within a number"),
        (whole + b"\x03", "a token of an unknown kind"),
        (whole + bytes([4 << 2]), "is not defined"),
    ):
        trace.write_bytes(damaged)
        with pytest.raises(BadInput) as caught:
            core.replay(params(), tokens.program(), trace)
        assert why in str(caught.value)


def test_without_a_compiler_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find", lambda _: None)
    with pytest.raises(HostLacks) as caught:
        core.core()
    assert install("gcc", "libc6-dev") in caught.value.remedy


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not there")
@pytest.mark.slow
def test_gcc_and_clang_give_the_same_digits(tmp_path: Path) -> None:
    tokens = chase(1 << 20, 192)
    string = tokens.define([insn("repeat", address="1", data="2", store=8, ports="-")])
    tokens.run(string, (0, 0x100000, True))
    tokens.repeat(2, -(1 << 63))  # a find of fuzzing: there is no -INT64_MIN
    files = [tmp_path / "params", tmp_path / "program", tokens.write(tmp_path / "trace")]
    files[0].write_text(params(prefetch_streams=8, stride_distance=4, memory_interval="10.37"))
    files[1].write_text(tokens.program())
    answers = set()
    for compiler, level in (("gcc", "-O2"), ("clang", "-O1"), ("gcc", "-fsanitize=address,undefined")):
        made = tmp_path / f"{compiler}{level}"
        names = sorted(path.name for path in core.sources().glob("*.c"))
        # clang sees a negation that gcc folds away; a trap needs no library of clang's
        checks = ["-fsanitize=undefined", "-fsanitize-trap=all"] if compiler == "clang" else []
        extra = ["-fno-sanitize-recover=all"] if "sanitize" in level else checks
        subprocess.run((compiler, level, *extra, "-std=gnu11", "-o", made, *names), cwd=core.sources(), check=True)
        answers.add(subprocess.run((made, *files), capture_output=True, check=True).stdout)
    assert len(answers) == 1


def test_a_cut_trace_is_answered_as_far_as_it_goes(tmp_path: Path) -> None:
    tokens, block = loop([insn()])
    rounds(tokens, 3, 3, lambda _: tokens.run(block))
    tokens.event(9)
    found = core.replay(params(), tokens.program(), tokens.write(tmp_path / "trace"))
    assert [interval.instructions for interval in found.intervals] == [6, 6]
