# SPDX-License-Identifier: GPL-2.0-only
"""Profiles for other viewers: every cost and every call is in the file, and their own tools read it."""

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.model.profile import CallEdge, Profile
from kassay.registry import discover
from kassay.report.exports import Export, exported
from tests.analysis.profiles import cost, profile
from tests.report.reports import HOSTILE

EXPORTS = discover("kassay.report.exports", "EXPORT", Export)
MAIN, CALL = ("main", "measure"), ("main", "measure", "do_syscall_64", "change_protection")
STACKS = {
    ("user", *MAIN): 15, ("kernel", *CALL[:3]): 10, ("kernel", *CALL): 200, ("kernel", *CALL, "pte_val"): 12,
    ("kernel", *CALL, "change_protection"): 30, ("interrupt", "timer"): 4, ("kernel", "nothing"): 0,
}  # fmt: skip
FUNCTIONS = (
    cost("measure@user", 15), cost("do_syscall_64", 10, 1), cost("change_protection", 30, 3, iterations=200),
    cost("pte_val", 12, 6), cost("timer@interrupt", 4, 1),
)  # fmt: skip
SAMPLE = msgspec.structs.replace(
    profile({}, {("do_syscall_64", "change_protection"): 1, ("change_protection", "pte_val"): 6}, stacks=STACKS),
    functions=FUNCTIONS,
    ticks=271 + 9,
    idle=9,
)
each = pytest.mark.parametrize("name", EXPORTS)


def written(name: str, of: Profile = SAMPLE) -> str:
    return exported(EXPORTS[name], of)


@each
def test_an_export_is_named_like_its_module_and_ends_with_a_newline(name: str) -> None:
    assert EXPORTS[name].name == name and EXPORTS[name].suffix.startswith(".") and EXPORTS[name].summary
    assert written(name).endswith("\n") and written(name) == written(name)


@pytest.mark.parametrize("name", [name for name in EXPORTS if EXPORTS[name].needs_stacks])
def test_without_call_stacks_the_way_to_them_is_said(name: str) -> None:
    with pytest.raises(BadInput, match=r"run r1 of debian:6\.17 carries counts, no call stacks") as caught:
        written(name, profile({"a": (1, 1)}))
    assert "--profile stacks" in caught.value.remedy


@each
def test_a_hostile_name_breaks_no_line(name: str) -> None:
    path = ("kernel", HOSTILE, "a b;c")
    lines = written(name, msgspec.structs.replace(profile({HOSTILE: (3, 1)}, stacks={path: 3}), kernel=HOSTILE))
    assert HOSTILE not in lines and "\x1b" not in lines


def test_folded_lines_are_the_paths_with_their_own_counts() -> None:
    lines = written("folded").splitlines()
    assert "kernel;main;measure;do_syscall_64;change_protection 200" in lines
    assert len(lines) == len(STACKS) - 1  # a path that cost nothing is no line
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == sum(STACKS.values())
    assert written("folded", profile({}, stacks={("kernel", "a b;c"): 3})) == "kernel;a_b_c 3\n"


def test_speedscope_samples_are_the_paths_with_their_own_counts_as_weights() -> None:
    whole = json.loads(written("speedscope"))
    assert whole["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    (sampled,) = whole["profiles"]
    names = [frame["name"] for frame in whole["shared"]["frames"]]
    paths = [tuple(names[index] for index in sample) for sample in sampled["samples"]]
    assert dict(zip(paths, sampled["weights"], strict=True)) == {p: n for p, n in STACKS.items() if n}
    assert (sampled["type"], sampled["unit"], sampled["endValue"]) == ("sampled", "none", sum(STACKS.values()))


def test_callgrind_costs_are_those_of_the_functions_and_add_up_to_the_ticks() -> None:
    text = written("callgrind")
    assert "events: Cost Ir Rep" in text
    assert f"summary: {SAMPLE.ticks} {271 - 200 + 9} 200" in text
    own = re.findall(r"^fn=(.*)\n0 (\d+) (\d+) (\d+)$", text, re.M)
    assert ("change_protection", "230", "30", "200") in own
    assert sum(int(found[1]) for found in own) == SAMPLE.ticks


def test_callgrind_edges_have_their_calls_and_what_they_cost_with_all_below() -> None:
    text = written("callgrind")
    inclusive = re.findall(r"^fn=(\w+)\n|^cfn=(\w+)\ncalls=(\d+) 0\n0 (\d+)$", text, re.M)
    caller, edges = "", Counter[tuple[str, str, int, int]]()
    for function, callee, calls, count in inclusive:
        caller = function or caller
        edges.update([(caller, callee, int(calls), int(count))] if callee else [])
    assert set(edges) == {
        ("main", "measure", 0, 267), ("measure", "do_syscall_64", 0, 252),
        ("do_syscall_64", "change_protection", 1, 242), ("change_protection", "pte_val", 6, 12),
        ("change_protection", "change_protection", 0, 30),
    }  # fmt: skip


def test_callgrind_puts_a_function_of_a_system_calls_path_where_it_ran() -> None:
    text = written("callgrind")
    assert re.search(r"^ob=program\nfl=user\nfn=measure\n", text, re.M)
    assert not re.search(r"fl=kernel\nfn=measure", text)


@pytest.mark.skipif(shutil.which("callgrind_annotate") is None, reason="valgrind is not installed")
def test_callgrind_annotate_reads_the_file_and_finds_the_same_totals(tmp_path: Path) -> None:
    edge = CallEdge(caller="change_protection", callee="timer", context="interrupt", calls=1)
    sample = msgspec.structs.replace(SAMPLE, edges=(*SAMPLE.edges, edge))
    (tmp_path / "callgrind.out").write_text(written("callgrind", sample))
    argv = ["callgrind_annotate", "--auto=no", "--inclusive=yes", "--threshold=100", str(tmp_path / "callgrind.out")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert re.search(r"280 \(100\.0%\)\s+80 \(100\.0%\)\s+200 \(100\.0%\)\s+PROGRAM TOTALS", done.stdout)
    assert re.search(r"^242 \(86\.43%\).*kernel:change_protection", done.stdout, re.M)
    assert re.search(r"^267 \(95\.36%\).*user:measure", done.stdout, re.M)
    assert done.stderr == ""
