# SPDX-License-Identifier: GPL-2.0-only
"""The journal keeps what it was given, through kills, full disks and damage."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.effects.files import append_durable
from kassay.errors import BadInput, HostLacks
from kassay.journal.journal import append, open_journal, read_journal, read_lines
from kassay.model.run import RunRecord, WallTime

PLAN = "p" * 64


def record(run: str = "a-0", attempt: int = 1, outcome: str = "ok", detail: str = "") -> RunRecord:
    return RunRecord(
        run=run, attempt=attempt, outcome=outcome, detail=detail, stream_sha256=None, console_sha256=None,
        wall=WallTime(boot_s=1.5), argv=("qemu",), started_utc="2026-11-21T17:05:49Z",
    )  # fmt: skip


def filled(path: Path, count: int = 3) -> list[RunRecord]:
    open_journal(path, PLAN)
    records = [record(run=f"a-{i}", detail="ü \n x") for i in range(count)]
    for item in records:
        append(path, item)
    return records


def test_what_was_appended_is_read_back_in_order(tmp_path: Path) -> None:
    records = filled(tmp_path / "j")
    assert open_journal(tmp_path / "j", PLAN) == (tuple(records), None)


@given(cut=st.integers(min_value=0, max_value=2000))
def test_a_journal_cut_anywhere_keeps_every_whole_record(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("j") / "j"
    records = filled(path)
    data = path.read_bytes()
    cut = min(cut, len(data))
    path.write_bytes(data[:cut])
    whole = max(0, data[:cut].count(b"\n") - 1)
    kept, torn = open_journal(path, PLAN)
    assert kept == tuple(records[:whole])
    assert (torn is not None) == (cut > 0 and not data[:cut].endswith(b"\n"))
    append(path, record(run="later"))
    assert [r.run for r in read_journal(path)] == [*(r.run for r in kept), "later"]


def test_a_damaged_line_in_the_middle_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "j"
    filled(path)
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b"1.5", b"9.5")
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(BadInput, match="line 2 is damaged"):
        open_journal(path, PLAN)
    assert path.read_bytes() == b"\n".join(lines)


def test_a_journal_of_another_plan_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "j")
    with pytest.raises(BadInput, match="another plan"):
        open_journal(tmp_path / "j", "q" * 64)


def test_a_full_disk_is_said_and_leaves_the_journal_whole() -> None:
    with pytest.raises(HostLacks, match="disk is full"):
        append_durable(Path("/dev/full"), b"x")


def test_an_append_that_fails_half_way_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j"
    records = filled(path, 1)

    def half(target: Path, data: bytes) -> None:
        with target.open("ab") as file:
            file.write(data[: len(data) // 2])
        raise HostLacks("disk is full")

    monkeypatch.setattr("kassay.journal.journal.append_durable", half)
    with pytest.raises(HostLacks):
        append(path, record(run="b"))
    assert read_journal(path) == tuple(records)


def test_the_first_version_of_the_format_is_read_and_written_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    data = (
        b'ea09dd50 {"plan":"p1","schema":"kassay-journal/1"}\n9154194e {"run":"a-0","attempt":1,"outcome":"ok",'
        b'"detail":"","stream_sha256":null,"console_sha256":null,"wall":{"boot_s":1.5,"quiescence_s":0.0,'
        b'"workload_s":0.0,"shutdown_s":0.0},"argv":["qemu"],"started_utc":"2026-11-21T17:05:49Z",'
        b'"profile_sha256":null,"profile_problem":"","symbols":[]}\n'
    )
    open_journal(path, "p1")
    append(path, record())
    assert path.read_bytes() == data
    assert open_journal(path, "p1") == ((record(),), None)


def test_a_directory_in_place_of_a_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(BadInput, match=r"journal\.jsonl: Is a directory"):
        read_lines(tmp_path / "journal.jsonl")
