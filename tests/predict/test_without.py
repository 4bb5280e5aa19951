# SPDX-License-Identifier: GPL-2.0-only
"""A trace replayed without some of its instructions, and what the answer says of it."""

import random
from collections import Counter
from pathlib import Path

import pytest
from msgspec import structs
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.errors import BadInput
from kassay.journal.directory import started
from kassay.labs.predict.decode import Facts
from kassay.labs.predict.replay import replay_of
from kassay.labs.predict.timing import timing_for
from kassay.labs.predict.without import _answer, removing, replacing
from kassay.labs.predict.without_model import Removal, Without, WithoutReport, WithoutRow
from kassay.labs.predict.without_report import WITHOUT
from tests.analysis.plans import plan_of
from tests.predict.runs import answer, causes, each, loop, rounds
from tests.predict.test_predict import BASE, counted, replayed, side
from tests.predict.tokens import Tokens, insn, load, store
from tests.predict.traces import recorded

ADD = insn(data="1", writes="1")


def test_a_removed_instruction_takes_no_time_and_is_not_counted(tmp_path: Path) -> None:
    tokens, block = loop([ADD, insn("removed", data="1", writes="1", latency=30)] * 20)
    rounds(tokens, 20, 100, lambda _: tokens.run(block))
    found = answer(tokens, tmp_path)
    assert each(found, 100) == pytest.approx(20, rel=0.03)
    assert found.intervals[1].instructions == 100 * 21


def _l1_misses(kind: str, directory: Path) -> int:
    """Misses of a load and a store of this kind all over the memory, 400 times."""
    draw = random.Random(3)
    tokens, block = loop([line.replace("plain", kind) for line in (load(2, 3), store(4, 5))])
    places = [draw.randrange(1 << 28) & ~7 for _ in range(400)]
    rounds(tokens, 200, 200, lambda n: tokens.run(block, (0, places[n], False), (1, places[n] + 64, True)))
    return answer(tokens, directory).statistics["l1_misses"]


def test_the_accesses_of_a_removed_instruction_touch_no_cache(tmp_path: Path) -> None:
    assert _l1_misses("plain", tmp_path) > 200
    assert _l1_misses("removed", tmp_path) == 0


def _misprediction(kind: str, directory: Path) -> int:
    """1/100 cycles that a branch of this kind costs if it goes either way by chance."""
    tokens, draw = Tokens(), random.Random(1)
    head = tokens.define([insn(kind, length=2)])
    skipped = tokens.define([insn()] * 8)
    behind = tokens.define([*[insn()] * 15, insn("jump", length=2)])
    ways = ((head, behind), (head, skipped, behind))
    rounds(tokens, 500, 500, lambda _: tokens.run_all(*draw.choice(ways)))
    return causes(answer(tokens, directory))["misprediction"]


def test_a_removed_branch_is_never_mispredicted(tmp_path: Path) -> None:
    assert _misprediction("branch", tmp_path) > 100_000
    assert _misprediction("removed", tmp_path) == 0


@pytest.mark.slow
def test_a_stored_trace_is_replayed_without_its_exchanges_and_returns_stay() -> None:
    data, timing = recorded("6.17"), timing_for("zen4")

    def executed(*mnemonics: str) -> Counter[int]:
        removal = Removal(functions=(), mnemonics=mnemonics)
        replay = replay_of(data, timing, lambda _: "f", removing(removal, lambda _: "f"))
        counts: Counter[int] = Counter()
        for row in replay.rows:
            counts[row.round] += row.instructions
        return Counter({number: count // replay.placements for number, count in counts.items()})

    whole = executed()
    fewer = whole - executed("xchg")
    assert {count // 16 for count in fewer.values()} == {2}  # of 16 pages: once to read-only, once back
    assert executed("call", "ret") == whole


@pytest.mark.slow
def test_a_stored_trace_is_replayed_with_exchanges_at_the_cost_of_moves() -> None:
    data, timing = recorded("6.17"), timing_for("zen4")

    def replayed(**others: str) -> tuple[int, int]:
        rows = replay_of(data, timing, lambda _: "f", alters=replacing(others, "x86_64"), placements=1).rows
        return sum(row.instructions for row in rows), sum(row.cycles100 for row in rows)

    whole, replaced = replayed(), replayed(xchg="mov")
    assert replaced[0] == whole[0] and replaced[1] != whole[1]
    assert replayed(call="mov", ret="mov") == whole
    with pytest.raises(BadInput, match="no cost of 'nothing "):
        replayed(xchg="nothing")


def test_a_replaced_instruction_keeps_its_accesses_and_is_no_longer_atomic() -> None:
    exchange = Facts("xchg m64,r64", load_bytes=8, store_bytes=8, locked=True, exchanges=True, writes=(3,))
    changed = replacing({"xchg": "mov", "add": "sub"}, "x86_64")
    assert changed(exchange) == Facts("mov m64,r64", load_bytes=8, store_bytes=8, writes=(3,))
    assert changed(Facts("lock add m64,r64", locked=True)) == Facts("sub m64,r64")
    assert changed(Facts("addps x,x")) == Facts("addps x,x")


@pytest.mark.parametrize(
    ("form", "names", "other"),
    [
        ("rep stosq", ("stosq", "rep stosq", "REP  STOSQ", "rep"), ("rep movsq", "stosb", "repne stosq")),
        ("movsq", ("movsq",), ("rep movsq", "rep")),
        ("repne scasb", ("scasb", "repnz scasb"), ("repz scasb",)),
        ("lock cmpxchg m64,r64", ("cmpxchg", "lock cmpxchg"), ("lock xadd", "xchg")),
        ("cmpxchg m64,r64", ("cmpxchg",), ("lock cmpxchg",)),
    ],
)
def test_an_instruction_is_named_with_and_without_its_prefix(
    form: str, names: tuple[str, ...], other: tuple[str, ...]
) -> None:
    def removed(name: str) -> bool:
        return removing(Removal(functions=(), mnemonics=(name,)), lambda _: "f")(0x10, Facts(form))

    assert [name for name in (*names, *other) if removed(name)] == list(names)


def test_a_cost_of_another_one_is_asked_for_with_and_without_the_prefix() -> None:
    locked = Facts("lock cmpxchg m64,r64", locked=True)
    for name in ("lock cmpxchg", "cmpxchg"):
        assert replacing({name: "mov"}, "x86_64")(locked) == Facts("mov m64,r64")
    assert replacing({"cmpxchg": "add", "lock cmpxchg": "mov"}, "x86_64")(locked) == Facts("mov m64,r64")
    with pytest.raises(BadInput, match="rep stosq: its time depends on its string") as caught:
        replacing({"stosq": "mov"}, "x86_64")(Facts("rep stosq", "repeat"))
    assert "--without-instruction 'rep stosq'" in caught.value.remedy


@pytest.mark.parametrize(("arch", "form", "other"), [
    ("x86_64", "xchg m32,r32", "xchg"), ("x86_64", "add m64,r64", "LOCK add"), ("arm64", "ldadd r64,r64,m64", "swpal"),
])  # fmt: skip
def test_no_access_becomes_atomic(arch: str, form: str, other: str) -> None:
    alters = replacing({form.split()[0]: other}, arch)
    with pytest.raises(BadInput, match=f"{other.lower()} is atomic, and {form} would not be"):
        alters(Facts(form, load_bytes=4, store_bytes=4))
    registers = Facts(form.replace("m", "r"))
    assert alters(registers).form.startswith(other.lower())


def test_functions_and_inlined_copies_are_removed_whole() -> None:
    names = {0x10: "walk.isra.0", 0x20: "other"}
    removes = removing(Removal(functions=("walk",), mnemonics=("xchg",)), names.__getitem__, frozenset({0x30}))
    add, exchange, locked = Facts("add r64,r64"), Facts("xchg r64,m64"), Facts("lock xchg m64,r64")
    assert removes(0x10, add) and not removes(0x20, add)
    assert removes(0x20, exchange) and removes(0x20, locked)
    assert not removes(0x10, Facts("ret", "return")) and not removes(0x10, Facts("call", "call"))
    assert removing(Removal(functions=("inner",), mnemonics=()), names.__getitem__, frozenset({0x20}))(0x20, add)


ROWS = (
    WithoutRow(function="walk", now_ns=10.0, without_ns=0.0, removed=30.0),
    WithoutRow(function="leaf", now_ns=5.0, without_ns=7.0, removed=0.0),
    *(WithoutRow(function=f"same{n}", now_ns=1.0, without_ns=1.0, removed=0.0) for n in range(3)),
)
ANSWER = Without(
    kernel="debian:6.17", workload="w", settings=(), metric="iteration", operation="page", cpu="zen4", calibrated=False,
    now_ns=18.0, without_ns=10.0, interval=(-0.5, -0.4), level=0.9, instructions=60.0, removed=30.0, rows=ROWS,
)  # fmt: skip


def test_a_replacement_without_effect_is_not_taken_for_one_that_did_not_run() -> None:
    same = structs.replace(ANSWER, removed=0.0, without_ns=18.0)
    report = WithoutReport(functions=(), instructions=(), answers=(same,), kassay_version="0", replaced=(("a", "b"),))
    assert "executes none of them, or their time stays the same." in WITHOUT.form("markdown").render(report)


def _text(*answers: Without) -> str:
    report = WithoutReport(functions=("walk",), instructions=("xchg",), answers=answers, kassay_version="0")
    return WITHOUT.form("markdown").render(report)


def test_the_gain_is_told_by_function_and_adds_up() -> None:
    shown = _text(ANSWER)
    assert "without walk() and every xchg" in shown
    assert "w, iteration on debian:6.17, zen4: 18 to 10 ns/page, 8 ns gained (-44.4 %, between -50.0 % and" in shown
    assert "w, iteration on debian:6.17, zen4 \\[ns/page\\]" in shown
    assert "| walk | 10 | 0 | 10 | 30 |" in shown
    assert "| leaf | 5 | 7 | -2 | 0 |" in shown
    assert "| 3 more functions | 3 | 3 | 0 | 0 |" in shown
    assert "| total | 18 | 10 | 8 | 30 |" in shown
    assert (
        "finds its inputs ready" in shown
        and "zen4: nobody has checked such predictions against measured changes" in shown
    )


def test_a_kernel_that_executes_none_and_one_without_a_trace_are_told() -> None:
    none = structs.replace(ANSWER, kernel="a", removed=0.0, without_ns=18.0)
    lost = structs.replace(ANSWER, kernel="b", now_ns=None, without_ns=None, rows=(), removed=0.0, problem="no trace")
    shown = _text(none, lost)
    assert "on a, zen4: executes none of them." in shown
    assert "on b, zen4: no prediction: no trace." in shown


@pytest.mark.parametrize(
    ("cpus", "cut", "words"),
    [(4, False, "4 CPUs"), (1, True, "the trace reached its size limit"), (1, False, "")],
)
def test_what_refuses_a_prediction_or_weakens_it_does_so_without_instructions(cpus: int, cut: bool, words: str) -> None:
    now = side(structs.replace(replayed(BASE), cpus=cpus, cut=cut), cpu="zen4")
    finding = counted()
    found = _answer(finding, finding.sides[0], timing_for("zen4"), now, replayed(BASE))
    assert words in f"{found.problem} {' '.join(found.doubts)}"
    assert (found.now_ns is None) == bool(found.problem) == (cpus > 1)
    assert bool(found.doubts) == cut
    assert all(doubt in _text(structs.replace(found, removed=1.0)) for doubt in found.doubts)


def test_what_a_kernel_does_not_execute_gains_nothing_for_sure() -> None:
    now = side(replayed(BASE), cpu="zen4")
    finding = counted()
    found = _answer(finding, finding.sides[0], timing_for("zen4"), now, replayed(BASE))
    assert found.now_ns == found.without_ns and found.interval == (0, 0)


def test_a_replacement_is_told_without_removed_instructions() -> None:
    report = WithoutReport(functions=(), instructions=(), answers=(structs.replace(ANSWER, removed=0.0),),
                           kassay_version="0", replaced=(("xchg", "mov"),))  # fmt: skip
    shown = WITHOUT.form("markdown").render(report)
    assert "with every xchg at the cost of mov" in shown and "8 ns gained (-44.4 %, between" in shown
    assert "not atomically" in shown and "finds its inputs ready" not in shown


@pytest.mark.parametrize("again", ["xchg=add", "XCHG=add"])
def test_an_instruction_has_the_cost_of_one_other(tmp_path: Path, again: str) -> None:
    done = CliRunner().invoke(build_app(), ["predict", str(tmp_path), "--replace", "xchg=mov", "--replace", again])
    assert isinstance(done.exception, BadInput) and "--replace xchg: given twice" in str(done.exception)


@pytest.mark.parametrize("option", ["--cpu", "--scale", "--without"])
def test_an_option_without_a_value_is_refused(option: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(build_app(), ["predict", str(tmp_path), option, ""])
    assert isinstance(done.exception, BadInput) and f"{option} '': no value" in str(done.exception)


@pytest.mark.parametrize("word", ["xchg", "xchg=", "=mov"])
def test_a_replacement_has_two_names(word: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(build_app(), ["predict", str(tmp_path), "--replace", word])
    assert isinstance(done.exception, BadInput) and "not MNEMONIC=OTHER" in str(done.exception)


def test_a_directory_without_traces_is_refused(tmp_path: Path) -> None:
    started(tmp_path / "runs", plan_of(2))
    done = CliRunner().invoke(build_app(), ["predict", str(tmp_path / "runs"), "--without", "walk"])
    assert isinstance(done.exception, BadInput)
    assert "was not made with --predict" in str(done.exception)
