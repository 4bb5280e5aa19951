# SPDX-License-Identifier: GPL-2.0-only
"""A stream is read whole and right, or refused; no bytes surprise the parser."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kassay.model.guest import GuestReport
from kassay.model.run import OUTCOMES
from kassay.supply.guest import protocol
from tests.guest.frames import DATA, RECORDS, booted, frame, section, stage

REAL = tuple(sorted(DATA.glob("*.stream")))


def refused(stream: bytes) -> str:
    """The kind of the refusal; fails when the stream is accepted."""
    with pytest.raises(protocol.StreamError) as caught:
        protocol.parse(stream)
    assert caught.value.kind in OUTCOMES
    assert "\n" not in caught.value.detail
    return caught.value.kind


def test_boundaries_become_ticks_per_phase_and_iteration() -> None:
    report = protocol.parse(booted(*RECORDS))
    found = {phase.phase: (phase.operations, phase.ticks) for phase in report.phases}
    assert found == {"push": (10, (20, 20)), "pull": (10, (30, 30)), "iteration": (10, (50, 50))}
    assert (report.workload, report.clock, report.ticks_per_second, report.overhead_ticks) == ("toy", "tsc", None, 9)
    assert report.notes == ("a note",)


def test_an_absent_file_is_not_an_empty_one() -> None:
    files = {file.path: file for file in protocol.parse(booted(*RECORDS)).files}
    assert files["/proc/with blank"].content is None
    assert files["/proc/with blank"].absent == "ENOENT"
    assert files["/proc/swaps"].content == "Filename\tType\n"


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_a_stream_of_a_real_boot_is_read(path: Path) -> None:
    stream = path.read_bytes()
    report = protocol.parse(stream)
    assert protocol.outcome(report) == ("ok", "")
    assert all(len(phase.ticks) >= 8 and min(phase.ticks) > 0 for phase in report.phases)


def test_a_stream_cut_at_any_byte_is_torn() -> None:
    for stream in (booted(*RECORDS), section("workload", *RECORDS)):
        assert refused(b"") == "no-boot"
        assert {refused(stream[:length]) for length in range(1, len(stream))} == {"torn-output"}


def test_every_flipped_bit_is_noticed() -> None:
    stream = bytearray(section("workload", *RECORDS))
    for index in range(len(stream) * 8):
        stream[index // 8] ^= 1 << index % 8
        assert refused(bytes(stream)) == "torn-output"
        stream[index // 8] ^= 1 << index % 8


@given(st.data())
def test_kernel_text_in_the_stream_is_torn_wherever_it_stands(data: st.DataObject) -> None:
    stream = booted(*RECORDS)
    at = data.draw(st.integers(0, len(stream)))
    assert refused(stream[:at] + b"[    1.2] BUG: unable to handle page fault\r\n" + stream[at:]) == "torn-output"


@given(st.binary(max_size=300))
@example(b"KASSAY begin - 99999999 00000000\n")
@example(b"KASSAY stage ready 1 00000000\n")
def test_no_bytes_raise_anything_but_a_refusal(stream: bytes) -> None:
    assert refused(stream) in ("torn-output", "no-boot")


KINDS = ("workload", "clock", "phase", "rounds", "file", "absent", "require", "check", "note", "stage", "begin", "odd")


NAMES = ("-", "a", "before:x", "iteration", "%FF%0A")
PAYLOADS = st.binary(max_size=40) | st.sampled_from(sorted({record[2] for record in RECORDS}))


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(NAMES), PAYLOADS), max_size=12))
def test_undamaged_frames_in_any_order_give_a_report_or_a_refusal(records: list[tuple[str, str, bytes]]) -> None:
    try:
        assert isinstance(protocol.parse(section("workload", *records)), GuestReport)
    except protocol.StreamError as error:
        assert error.kind == "torn-output"


@pytest.mark.parametrize("index", range(len(RECORDS)))
def test_a_record_that_must_stand_once_is_missed_and_not_doubled(index: int) -> None:
    kind = RECORDS[index][0]
    without = section("workload", *(r for i, r in enumerate(RECORDS) if i != index))
    doubled = section("workload", *RECORDS, RECORDS[index])
    if kind in ("workload", "clock", "rounds", "check"):
        assert refused(without) == refused(doubled) == "torn-output"
    elif kind != "phase":
        assert protocol.parse(without) != protocol.parse(doubled)
    else:
        assert refused(doubled) == "torn-output"


def test_a_count_that_does_not_match_is_torn() -> None:
    wrong = b"section=workload records=11"
    stream = frame("begin", "-", wrong) + b"".join(frame(*r) for r in RECORDS) + frame("end", "-", wrong)
    assert refused(stream) == "torn-output"


def test_an_error_of_the_guest_comes_in_its_own_words() -> None:
    with pytest.raises(protocol.StreamError, match="guest-error: no memory") as caught:
        protocol.parse(section("workload", ("workload", "toy", b""), ("error", "-", b"no memory")))
    assert caught.value.detail == "no memory"
    failed = stage("ready") + section("failure", ("error", "-", b"init: /workload was killed by signal 11"))
    assert refused(failed) == "guest-error"


def test_a_failed_check_is_a_report_with_the_outcome_check_failed() -> None:
    records = (*RECORDS[:-1], ("check", "-", b"0 pages written"))
    assert protocol.outcome(protocol.parse(booted(*records))) == ("check-failed", "0 pages written")


def test_a_boot_that_never_says_done_is_torn() -> None:
    assert refused(stage("ready") + section("workload", *RECORDS)) == "torn-output"


def test_time_that_runs_backwards_is_torn() -> None:
    records = tuple(("rounds", "-", b"0 5 4 9\n") if r[0] == "rounds" else r for r in RECORDS)
    assert refused(section("workload", *records)) == "torn-output"
