# SPDX-License-Identifier: GPL-2.0-only
"""Recording a cell: its trace, the events that it lost, and what to do where there is none."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kassay.run import measurer as measurers
from kassay.tools.recording import record
from kassay.tools.recording.pages import read_pages
from tests.kernels.fakes import Told
from tests.pcp.test_pages import ABOUT
from tests.recording.written import Happened, written

EVENTS = [Happened(2000 + n, "kmem/mm_page_alloc", (5000 + n, 0, 0, 1)) for n in range(7)]
Recording = Callable[..., tuple[record.Recorded, ...]]


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recording:
    """Records one cell of a guest that ends as is given, with these bytes of its recorder."""
    (tmp_path / "written").touch()

    def recorded(told: Told, data: bytes, outcome: str = "ok", detail: str = "") -> tuple[record.Recorded, ...]:
        def boot(run: object, recording: object, keep: Callable[[Path], None]) -> measurers.Recorded:
            (tmp_path / "written").write_bytes(data)
            keep(tmp_path / "written")
            return measurers.Recorded(outcome, detail, b"")

        @contextlib.contextmanager
        def measurer(*_: object) -> Iterator[Any]:
            cell = SimpleNamespace(id="c", workload="process_mix", kernel=0)
            run = SimpleNamespace(repeat=0, cell="c")
            plan = SimpleNamespace(runs=[run], cells=[cell], kernels=[SimpleNamespace(ref="debian:6.12")])
            yield SimpleNamespace(plan=plan, record=boot)

        monkeypatch.setattr(record, "recording_measurer", measurer)
        monkeypatch.setattr(record, "recording_of", lambda *_: None)
        monkeypatch.setattr(record, "_name", lambda *_: "a.pages.zst")
        monkeypatch.setattr(record, "_about", lambda *_: ABOUT)
        experiment: Any = SimpleNamespace(depends_on_host=False)
        return record.record(experiment, tmp_path, told)

    return recorded


def test_lost_events_are_told_when_recorded_and_when_the_trace_is_there_already(
    recorded: Recording, tmp_path: Path
) -> None:
    for data in (written([EVENTS], dropped=5), b""):
        told = Told()
        (one,) = recorded(told, data)
        assert one.path == tmp_path / "a.pages.zst" and read_pages(one.path).origin.lost == 5
        assert told[-1].text == "a.pages.zst lacks 5 events, so that no replay takes it"
        assert str(record.failure([one])) == (
            f"no trace that can be replayed:\ndebian:6.12 process_mix: {told[-1].text}\n  give more with --buffer"
        )


def test_whole_trace_is_told_by_its_name(recorded: Recording) -> None:
    told = Told()
    recorded(told, written([EVENTS]))
    assert told[-1].text == "a.pages.zst"


@pytest.mark.parametrize(
    ("outcome", "data", "problem", "remedy"),
    [
        ("ok", written([EVENTS])[:-5000], "not|ended before", "CONFIG_PCI"),
        ("machine-died", b"", "machine-died: cannot set up guest memory", "smaller --buffer"),
        ("timeout", b"", "timeout: cannot set up guest memory", "--timeout"),
    ],
)
def test_remedy_is_of_how_the_guest_ended(
    recorded: Recording, outcome: str, data: bytes, problem: str, remedy: str
) -> None:
    traces = recorded(Told(), data, outcome, "cannot set up guest memory")
    error = record.failure(traces)
    assert error is not None
    with pytest.raises(type(error), match=f"debian:6.12 process_mix: .*({problem})"):
        raise error
    assert remedy in error.remedy and ("CONFIG_PCI" in error.remedy) == (outcome == "ok")
    assert record.failure([]) is None
