# SPDX-License-Identifier: GPL-2.0-only
"""A real guest: page events recorded, explained to the page, and replayed; refused when some were lost."""

from pathlib import Path

import pytest

from kassay.tools.recording.pages import Kind, read_pages
from tests.boot.conftest import OLD, Kassay

pytestmark = pytest.mark.boot
RECORD = ("pcp", "record", "page_fault", OLD, "--set", "size=1MiB", "--cpus", "1", "--rounds", "3")


def test_a_recorded_guest_is_explained_to_the_page_and_replayed(kassay: Kassay, tmp_path: Path) -> None:
    first = kassay(*RECORD, "--out", str(tmp_path))
    assert first.status == 0, first.err
    trace = read_pages(Path(first.out.strip()))
    assert trace.origin.lost == 0 and trace.origin.bulk_seen
    assert int((trace.kinds == Kind.ALLOC).sum()) > 3 * 256  # each round faults 256 pages
    assert len({int(time) for time in trace.samples["time_ns"]}) >= 3
    again = kassay(*RECORD, "--out", str(tmp_path))
    assert again.out == first.out
    replayed = kassay("pcp", "replay", str(tmp_path), "--format", "json")
    (answer,) = replayed.json()["traces"]
    assert answer["guest"]["unexplained_pages"] == 0
    totals = answer["guest"]["totals"]
    assert answer["policies"][0]["totals"] == totals
    (tuned,) = kassay("pcp", "tune", str(tmp_path), "--set", "batch=15", "--format", "json").json()["traces"]
    (own,) = (choice for choice in tuned["choices"] if choice["is_kernels"])
    assert own["measures"]["moved_pages"] == totals["refilled_pages"] + totals["drained_pages"]
    assert len(tuned["choices"]) == 2


def test_lost_events_are_counted_and_the_trace_is_not_replayed(kassay: Kassay, tmp_path: Path) -> None:
    done = kassay(*RECORD, "--buffer", "16KiB", "--out", str(tmp_path))
    assert done.status == 2, done.err
    (trace,) = tmp_path.rglob("*.pages.zst")
    lost = read_pages(trace).origin.lost
    assert lost > 500 and f"lacks {lost} events" in " ".join(done.err.split())
    refused = kassay("pcp", "replay", str(tmp_path))
    assert refused.status == 2
    assert f"the guest had no room for {lost} events" in refused.err
