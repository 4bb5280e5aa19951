# SPDX-License-Identifier: GPL-2.0-only
"""Output of programs becomes names with values. Times are recognised, and requirements are checked."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from kassay.effects.files import sha256_bytes
from kassay.model.guest import CapturedFile, GuestReport, PhaseRounds
from kassay.model.program import checks
from kassay.model.work import CallResult
from kassay.supply.guest import protocol
from kassay.supply.guest.printed_operations import operations_of
from kassay.supply.guest.program_output import (
    OUTPUT,
    RESULTS,
    SEPARATOR,
    call_results,
    executions,
    operations_in,
    printed,
    unmet,
    values_in,
    with_printed_operations,
)
from tests.guest.frames import RECORDS, booted


def report_of(text: str) -> GuestReport:
    output = CapturedFile(moment="after", path="kassay/program/output", content=text)
    return GuestReport(
        workload="program", clock="tsc", ticks_per_second=None, overhead_ticks=0, phases=(), requirements=(),
        files=(output,), check="ok",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("loops=10 pages=2048\n", {"loops": "10", "pages": "2048"}),
        ("nr_pages 2048\n", {"nr_pages": "2048"}),
        ("nr_pages: 2048\n", {"nr_pages": "2048"}),
        ("toggles=20 ns_per_page 25.5\n", {"toggles": "20", "ns_per_page": "25.5"}),
        ("cycle_ns_per_page = 37.1, mode = rw\n", {"cycle_ns_per_page": "37.1", "mode": "rw"}),
        ("took 25 ms in all, after 3 tries\n", {}),
        ("done: expected_match_ratio=100 unexpected_results=0\n",
         {"expected_match_ratio": "100", "unexpected_results": "0"}),
        ('{"pages": 4, "deep": {"ratio": 0.5}, "ok": true}\n', {"pages": "4", "deep.ratio": "0.5", "ok": "true"}),
        ("x=1\nx=2\n", {"x": "1", "x#2": "2"}),
        ("ops=1,234,567 a=1,b=2, c=3,\n", {"ops": "1,234,567", "a": "1", "b": "2", "c": "3"}),
        ("ops=1'234 loops=12_345 ops:1,234\n", {"ops": "1'234", "loops": "12_345"}),
        ("ops: 1,234,567\nloops 1'234\n", {}),
        ("latency=25ns\n", {"latency": "25"}),
        ("ok 1 mremap grows\n", {}),
        ("# Totals: pass:21 fail:0 skip:0\n", {"pass": "21", "fail": "0", "skip": "0"}),
        ("at 12:30:45 see http://x:80/\n", {}),
    ],
)  # fmt: skip
def test_names_and_values_are_found_and_prose_is_left(text: str, found: dict[str, str]) -> None:
    assert {name: value for name, (value, _) in values_in(text).items()} == found


def test_a_google_benchmark_names_its_benchmarks() -> None:
    result = {"name": "BM_toggle/64", "family_index": 0, "real_time": 25.5, "time_unit": "ns", "iterations": 9}
    text = json.dumps({"context": {"num_cpus": 1}, "benchmarks": [result]})
    found = values_in(text)
    assert found == {"BM_toggle/64.real_time": ("25.5", "ns"), "BM_toggle/64.iterations": ("9", "")}
    kinds = {one.name: one.kind for one in printed(report_of(text + "\n\x1e\n"))}
    assert kinds["BM_toggle/64.real_time"] == "time"
    assert kinds["BM_toggle/64.iterations"] == "number"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ns_per_page=25", "time"), ("elapsed 3.5", "time"), ("x 3 ms", "time"), ("avg_latency=4", "time"),
        ("bandwidth=1.5", "time"), ("real_time=3", "time"), ("seconds=1", "time"), ("rate_per_sec=7", "time"),
        ("pages=25", "number"), ("times_called=3", "time"), ("faults=1e3", "number"), ("mode=rw", "word"),
        ("transparent=1", "number"), ("runs=2", "number"),
    ],
)  # fmt: skip
def test_a_time_is_never_taken_for_a_number(line: str, kind: str) -> None:
    assert [one.kind for one in printed(report_of(f"{line}\n\x1e\n"))] == [kind]


def test_each_execution_has_a_value_of_its_own() -> None:
    report = report_of("a=1\n\x1e\na=2 b=3\n\x1e\n")
    assert executions(report) == ("a=1\n", "a=2 b=3\n")
    assert [(one.name, one.values) for one in printed(report)] == [("a", ("1", "2")), ("b", (None, "3"))]


@pytest.mark.parametrize(
    ("require", "output", "words"),
    [
        ("ratio==100", "ratio=100", ""),
        ("ratio==100", "ratio=100.0", ""),
        ("ratio==100", "ratio=99", "printed ratio=99, and ratio==100 is required"),
        ("errors<=2", "errors=3", "errors<=2 is required"),
        ("mode!=slow", "mode=slow", "mode!=slow is required"),
        ("mode>=slow", "mode=slow", "is required"),
        ("sum==18014398509481984", "sum=18014398509481983", "is required"),
        ("sum!=18014398509481984", "sum=18014398509481983", ""),
        ("sum>=18014398509481984", "sum=18014398509481983", "is required"),
        ("hash==1e5000", "hash=2e5000", "is required"),
        ("x==0.10000000000000001", '{"x": 0.10000000000000001}', ""),
        ("sum==18014398509481984", '{"sum": 18014398509481983.0}', "is required"),
        ("hash==12e99999999999999999999", "hash=34e99999999999999999999", "is required"),
        ("x==nan", "x=nan", ""),
        ("x!=nan", "x=nan", "is required"),
        ("x>=1", "x=nan", "is required"),
        ("gone==1", "here=1", "printed no such name; it printed here"),
        ("status==3", "", ""),
    ],
)
def test_what_is_required_is_held_against_every_execution(require: str, output: str, words: str) -> None:
    found = unmet(checks([require]), [output])
    assert (found == "") == (words == "")
    assert words in found


def test_the_hash_of_an_output_is_that_of_its_bytes() -> None:
    payload = b"a\x80=\xff\n"
    output = ("file", f"after:{OUTPUT}/output", payload + SEPARATOR.encode())
    outputs = executions(protocol.parse(booted(*RECORDS, output)))
    assert outputs is not None
    ok, *wrong = (
        unmet(checks([f"sha256=={sha256_bytes(each)}"]), outputs)
        for each in (payload, payload.replace(b"\x80", b"\xff"), payload.replace(b"a", b"b"))
    )
    assert not ok
    assert all("is required" in text for text in wrong)


def test_json_that_is_nested_too_deeply_is_text_for_people() -> None:
    deep = "[" * 5000 + "]" * 5000
    assert values_in(f'{{"a": {deep}}}\n') == {}
    assert operations_of([deep]) is None


@pytest.mark.parametrize("text", ["a=\udcff\n", '{"a": "\\ud800"}\n'])
def test_values_have_no_surrogates_which_a_journal_cannot_hold(text: str) -> None:
    assert values_in(text) == {"a": ("\ufffd", "")}


@given(st.lists(st.sampled_from(("a=1", "a 2 ms", '{"a": 1}', "=", ":", " ", "\n")) | st.text(max_size=9)), st.text())
def test_any_output_can_be_read_and_no_name_is_empty(parts: list[str], before: str) -> None:
    found = values_in("".join(parts))
    assert "" not in found and all(value for value, _ in found.values())
    assert "a" in values_in(f"{before}\na=1")


def with_file(report: GuestReport, name: str, text: str) -> GuestReport:
    file = CapturedFile(moment="after", path=f"kassay/program/{name}", content=text)
    return structs.replace(report, files=(*report.files, file))


def test_rounds_have_the_operations_that_their_executions_print() -> None:
    report = structs.replace(
        report_of("ops 5\n\x1e\nops 4\n\x1e\n"), phases=(PhaseRounds(phase="run", operations=1, ticks=(50, 44)),)
    )
    (plain,), (divided,) = report.phases, with_printed_operations(with_file(report, "work", "ops\n")).phases
    assert (plain.done((0, 1)), divided.done((0, 1)), divided.done((1,))) == (2, 9, 4)
    assert with_printed_operations(report) == report


@pytest.mark.parametrize("text", ["", "ops 0", "ops -3", "ops 2.5", "ops many", "other 3", "ops=1,234", "ops=12_345"])
def test_operations_are_whole_and_above_zero_in_each_execution(text: str) -> None:
    assert operations_in(("ops 5", "ops 4"), "ops") == (5, 4)
    assert operations_in(("ops 5", text), "ops") == ()


def test_results_of_calls_are_read_by_name_and_error() -> None:
    report = with_file(report_of(""), "results", "madvise EINVAL 50 0\nread - 3 8192\n")
    assert call_results(report, RESULTS) == (
        CallResult(name="madvise", error="EINVAL", times=50), CallResult(name="read", times=3, total=8192),
    )  # fmt: skip
    assert call_results(report_of(""), RESULTS) is None


def test_a_call_that_the_kernel_starts_again_is_no_error() -> None:
    text = "clone - 20 0\nclone unknown 1 0\nmadvise EINVAL 5 0\n"
    file = CapturedFile(moment="before", path="kassay/program/results", content=text)
    assert call_results(structs.replace(report_of(""), files=(file,)), RESULTS) == (
        CallResult(name="clone", times=20),
        CallResult(name="madvise", error="EINVAL", times=5),
    )


@pytest.mark.parametrize("word", ["x", "a="])
def test_a_long_line_without_blanks_does_not_take_its_length_squared(word: str) -> None:
    assert values_in(word * 20_000 + "\npages=100\n")["pages"] == ("100", "")
