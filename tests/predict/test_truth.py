# SPDX-License-Identifier: GPL-2.0-only
"""The corpus of published measurements, and how an answer of kassay is held against an entry."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks import _truth, _truth_answers, _truth_tables, predict_truth
from benchmarks._kassay import Answer
from msgspec import structs

from kassay.labs.predict.predictions import model_of
from kassay.labs.predict.timing import timing_for

ENTRIES = {entry.id: entry for entry in _truth.corpus()}


def _answer(metric: str, counts: tuple[float, float], made: dict[str, Any]) -> dict[str, Any]:
    whole = {"cpu": "zen3", "base_ns": 100.0, "head_ns": 150.0, "interval": [0.4, 0.6], "refused_code": None} | made
    finding = {
        "metric": metric,
        "base_value": counts[0],
        "head_value": counts[1],
        "reasons": [],
        "predictions": [whole],
    }
    return {"findings": [finding]}


def test_every_entry_says_how_it_is_run_or_why_not() -> None:
    assert len(ENTRIES) == len(_truth.corpus()) >= 100
    for entry in ENTRIES.values():
        assert bool(entry.run) != bool(entry.why), entry.id
        assert bool(entry.run) == bool(entry.metric), entry.id
        assert bool(entry.run) == (entry.state in _truth.STATES), entry.id
        assert entry.cpu_is in ("same", "near", "unknown"), entry.id
        assert (entry.published is None) == (entry.absolute is not None), entry.id
        low, high = entry.published or (1.0, 1.0)
        assert 0 < low <= high, entry.id
        files = ((word.partition("+")[2] or word).partition(",")[0] for word in entry.run if "benchmarks/" in word)
        assert all(Path(file).is_file() for file in files), entry.id


def test_a_rate_that_rises_is_a_time_that_falls() -> None:
    assert ENTRIES["mprotect-shared-6.12-6.19"].published == pytest.approx((532.0 / 336.1,) * 2)
    assert ENTRIES["clear-huge-page-milan"].published == pytest.approx((11.82 / 16.48,) * 2)


def test_error_of_a_range_is_that_from_its_nearer_end() -> None:
    entry = ENTRIES["fork-exec-7.0-spr"]
    assert entry.published == (1.06, 1.11)
    assert entry.error(1.08) == 0
    assert entry.error(1.006) == pytest.approx(1.006 / 1.06 - 1)
    assert entry.error(1.2) == pytest.approx(1.2 / 1.11 - 1)


@pytest.mark.parametrize(("interval", "inside"), [([0.4, 0.6], False), ([0.4, 0.75], True), ([0.74, 0.9], False)])
def test_a_prediction_is_inside_when_its_interval_holds_the_publication(interval: list[float], inside: bool) -> None:
    entry = ENTRIES["mprotect-none-400k"]  # 1.736 times
    made = _truth.outcome(entry, _answer("iteration", (100, 180), {"interval": interval}), "")
    assert made.counted == pytest.approx(1.8)
    assert made.first is not None
    assert made.first.ratio == pytest.approx(1.5)
    assert made.inside is inside
    assert ("**no**" in _truth_tables.table([made])) is not inside


def test_a_refusal_is_no_prediction() -> None:
    refused = {"refused_code": {"code": "cause-not-calibrated"}, "interval": None}
    made = _truth.outcome(ENTRIES["mprotect-none-400k"], _answer("iteration", (100, 180), refused), "")
    assert made.first is None
    assert not made.inside
    assert "refused: cause-not-calibrated" in _truth_tables.table([made])
    assert "0 predicted, 1 refused" in _truth_tables.score(tuple(ENTRIES.values()), [made])


def test_an_answer_without_the_metric_is_named() -> None:
    made = _truth.outcome(ENTRIES["mprotect-none-400k"], _answer("none", (1, 2), {}), "")
    assert made.predicted == ()
    assert "no metric iteration" in _truth_tables.table([made])


def test_a_page_without_markers_is_refused() -> None:
    page = "a\n<!-- table -->\nold\n<!-- end of table -->\nb\n"
    assert predict_truth.placed(page, {"table": "new\n"}) == "a\n<!-- table -->\n\nnew\n\n<!-- end of table -->\nb\n"
    with pytest.raises(ValueError, match="no markers for score"):
        predict_truth.placed(page, {"score": "x"})


def test_interval_is_over_all_builds_of_an_entry() -> None:
    entry = structs.replace(ENTRIES["mprotect-none-400k"], builds=(("build:a", "build:b"),))
    assert entry.questions[1] == tuple(
        {"debian:6.16": "build:a", "debian:6.17": "build:b"}.get(w, w) for w in entry.run
    )
    other = _answer("iteration", (100, 170), {"head_ns": 180.0, "interval": [0.7, 0.9]})
    made = _truth.outcome(entry, _answer("iteration", (100, 180), {}), "", [(other, "")])
    assert made.ratios == pytest.approx((1.5, 1.8))
    assert made.interval == pytest.approx((1.4, 1.9))
    assert made.inside
    assert "1.50 to 1.80" in _truth_tables.table([made])


def test_a_time_without_a_change_is_scored_by_itself() -> None:
    entry = structs.replace(ENTRIES["open1-spr"], cpu=("zen3",), absolute=0.125)
    made = _truth.outcome(entry, _answer("region", (100, 100), {}), "")
    assert made.times == ((0.125, 0.15),)
    assert not made.inside
    assert "open1-spr" not in _truth_tables.table([made])
    assert "+20%" in _truth_tables.absolute([made])
    assert "absolute times, CPU published and its core modelled, 1: 1 within 20%" in _truth_tables.score(
        [entry], [made]
    )


def test_score_is_given_for_each_class_of_source_state() -> None:
    made = [
        _truth.outcome(ENTRIES[name], _answer("iteration", (100, 180), {}), "")
        for name in ("mprotect-none-400k", "fork-exec-7.0-spr", "mprot-tw4m-zen3")
    ]
    text = _truth_tables.score(tuple(ENTRIES.values()), made)
    assert "same source state, 2:" not in text  # the answer is of zen3, and fork-exec of sapphirerapids
    assert "same source state, 1:" in text
    assert "other binary" in text


def test_runs_that_are_there_are_replayed_and_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def kassay(*words: str) -> Answer:
        asked.append(words)
        text = json.dumps(_answer("iteration", (100, 180), {}))
        (tmp_path / "runs").mkdir(exist_ok=True)
        for word in words:
            if word.startswith(f"{tmp_path}/"):
                Path(word).mkdir(exist_ok=True)
        return Answer(0, text, "", 0.0, 0.0)

    monkeypatch.setattr(predict_truth, "kassay", kassay)
    entry = ENTRIES["mprotect-none-40k"]
    (none,), nothing = predict_truth.outcomes([entry], tmp_path, stored=True)
    assert (none.first, none.problem, asked, nothing) == (None, "not measured yet", [], {})
    first, answers = predict_truth.outcomes([entry], tmp_path)
    assert predict_truth.outcomes([entry], tmp_path, stored=True) == (first, answers)
    assert [words[0] for words in asked] == ["compare", "predict"]
    assert asked[1][1] == asked[0][asked[0].index("--out") + 1]
    _kept_answers_stand_in(entry, first, answers, tmp_path)


def _kept_answers_stand_in(
    entry: _truth.Entry, first: list[_truth.Outcome], answers: _truth_answers.Kept, folder: Path
) -> None:
    """Where the runs are lost, the last answer is shown, and marked if the model is another one now."""
    _truth_answers.keep(answers, folder / "answers.json")
    kept = _truth_answers.kept_answers(folder / "answers.json")
    assert kept == answers
    (again,), _ = predict_truth.outcomes([entry], folder / "lost", kept=kept, stored=True)
    assert again == first[0]._replace(earlier=True)
    assert f"[{entry.id}](#{entry.id}) †" in _truth_tables.table([again])
    model = model_of(timing_for("zen3"))
    ((name, (finding,)),) = kept.items()
    now = structs.replace(finding, predictions=(structs.replace(finding.predictions[0], model=model),))
    assert predict_truth.outcomes([entry], folder / "lost", kept={name: (now,)}, stored=True)[0] == first


def test_a_question_that_fails_has_no_earlier_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, text = ENTRIES["mprotect-none-40k"], json.dumps(_answer("iteration", (100, 180), {}))
    monkeypatch.setattr(predict_truth, "kassay", lambda *_: Answer(0, text, "", 0.0, 0.0))
    (tmp_path / "mprotect-none-40k-eab8f16e").mkdir()
    _, kept = predict_truth.outcomes([entry], tmp_path)
    monkeypatch.setattr(predict_truth, "kassay", lambda *_: Answer(5, "", "kassay: it failed", 0.0, 0.0))
    (failed,), _ = predict_truth.outcomes([entry], tmp_path / "anew", kept=kept)
    assert (failed.problem, failed.predicted) == ("kassay: it failed", ())
