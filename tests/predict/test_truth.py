# SPDX-License-Identifier: GPL-2.0-only
"""The corpus of published measurements, and how an answer of kassay is held against an entry."""

from typing import Any

import pytest
from benchmarks import predict_truth as truth

ENTRIES = {entry.id: entry for entry in truth.corpus()}


def _answer(metric: str, counts: tuple[float, float], made: dict[str, Any]) -> dict[str, Any]:
    whole = {"cpu": "zen3", "base_ns": 100.0, "head_ns": 150.0, "interval": [0.4, 0.6], "refused": None} | made
    finding = {
        "metric": metric,
        "base_value": counts[0],
        "head_value": counts[1],
        "reasons": [],
        "predictions": [whole],
    }
    return {"findings": [finding]}


def test_every_entry_says_how_it_is_run_or_why_not() -> None:
    assert len(ENTRIES) == len(truth.corpus()) >= 25
    for entry in ENTRIES.values():
        assert bool(entry.run) != bool(entry.why), entry.id
        assert bool(entry.run) == bool(entry.metric), entry.id
        assert entry.cpu_is in ("same", "near", "unknown"), entry.id
        low, high = entry.published
        assert 0 < low <= high, entry.id


def test_a_rate_that_rises_is_a_time_that_falls() -> None:
    assert ENTRIES["mprotect-shared-6.12-6.19"].published[0] == pytest.approx(532.0 / 336.1)
    assert ENTRIES["clear-huge-page-milan"].published[0] == pytest.approx(11.82 / 16.48)


def test_error_of_a_range_is_that_from_its_nearer_end() -> None:
    entry = ENTRIES["fork-exec-7.0-spr"]
    assert entry.published == (1.06, 1.11)
    assert entry.error(1.08) == 0
    assert entry.error(1.006) == pytest.approx(1.006 / 1.06 - 1)
    assert entry.error(1.2) == pytest.approx(1.2 / 1.11 - 1)


@pytest.mark.parametrize(("interval", "inside"), [([0.4, 0.6], False), ([0.4, 0.75], True), ([0.74, 0.9], False)])
def test_a_prediction_is_inside_when_its_interval_holds_the_publication(interval: list[float], inside: bool) -> None:
    entry = ENTRIES["mprotect-none-400k"]  # 1.736 times
    made = truth.outcome(entry, _answer("iteration", (100, 180), {"interval": interval}), "")
    assert made.counted == pytest.approx(1.8)
    assert made.first is not None
    assert made.first.ratio == pytest.approx(1.5)
    assert made.inside is inside
    assert ("**no**" in truth.table([made])) is not inside


def test_a_refusal_is_no_prediction() -> None:
    refused = {"refused": {"code": "cause-not-calibrated"}, "interval": None}
    made = truth.outcome(ENTRIES["mprotect-none-400k"], _answer("iteration", (100, 180), refused), "")
    assert made.first is None
    assert not made.inside
    assert "refused: cause-not-calibrated" in truth.table([made])
    assert "0 predicted, 1 refused" in truth.score(tuple(ENTRIES.values()), [made])


def test_an_answer_without_the_metric_is_named() -> None:
    made = truth.outcome(ENTRIES["mprotect-none-400k"], _answer("none", (1, 2), {}), "")
    assert made.predicted == ()
    assert "no metric iteration" in truth.table([made])


def test_a_page_without_markers_is_refused() -> None:
    page = "a\n<!-- table -->\nold\n<!-- end of table -->\nb\n"
    assert truth.placed(page, {"table": "new\n"}) == "a\n<!-- table -->\n\nnew\n\n<!-- end of table -->\nb\n"
    with pytest.raises(ValueError, match="no markers for score"):
        truth.placed(page, {"score": "x"})
