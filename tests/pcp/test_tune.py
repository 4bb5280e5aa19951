# SPDX-License-Identifier: GPL-2.0-only
"""Other constants of a policy, on recorded guests."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kassay.errors import BadInput
from kassay.labs.pcp.model.tuned import MEASURES, Choice, PcpTuning, TunedTrace
from kassay.labs.pcp.observed import observed
from kassay.labs.pcp.replay import Asked, replay
from kassay.labs.pcp.report.tuned import TUNED, sentences, verdict
from kassay.labs.pcp.tune import tune, usual_values, with_compromises
from kassay.model.progress import Progress, silent
from kassay.model.texts import Table
from kassay.report.document import Section
from kassay.tools.recording.pages import EVENT, Kind, read_pages, write_pages

pytestmark = pytest.mark.slow

DATA = Path(__file__).parent.parent / "data" / "pages"
OLD, NEW = DATA / "handover-6.12.pages.zst", DATA / "handover-7.3.pages.zst"
VALUES = {"decay_shift": (1, 6), "batch": (15, 252, 3000), "high_max": (7000, 50)}
"""50 is below the least high, so no choice has it."""


@pytest.fixture(scope="module")
def answer() -> PcpTuning:
    return tune((OLD,), "", VALUES, silent)


@pytest.fixture
def trace(answer: PcpTuning) -> TunedTrace:
    return answer.traces[0]


def chosen(trace: TunedTrace, **constants: int) -> Choice:
    wanted = {name: str(value) for name, value in constants.items()}
    (found,) = (c for c in trace.choices if {s.name: s.value for s in c.settings} == wanted)
    return found


def test_the_kernels_constants_move_the_pages_that_its_guest_moved(trace: TunedTrace) -> None:
    (own,) = (choice for choice in trace.choices if choice.is_kernels)
    totals = replay((OLD,), Asked(), silent).traces[0].guest.totals
    assert own.measures["moved_pages"] == totals.refilled_pages + totals.drained_pages
    assert own == chosen(trace, decay_shift=3, batch=63, high_max=15088)


def test_every_combination_is_tried_with_the_kernels_values_added(trace: TunedTrace) -> None:
    assert trace.policy == "auto"
    assert len(trace.choices) == 3 * 4 * 2
    assert len({choice.settings for choice in trace.choices}) == len(trace.choices)


def test_idle_pages_are_those_of_the_guest(trace: TunedTrace) -> None:
    """A CPU whose last event is before the end has its pages up to the end."""
    guest = observed(read_pages(OLD))
    mean = sum(float(guest.count[guest.cpu == cpu].mean()) for cpu in np.unique(guest.cpu))
    (own,) = (choice for choice in trace.choices if choice.is_kernels)
    assert own.measures["idle_pages"] == pytest.approx(mean, rel=0.03)


def test_a_larger_batch_takes_the_lock_less_often_and_holds_it_longer(trace: TunedTrace) -> None:
    small, large = (chosen(trace, decay_shift=3, batch=batch, high_max=15088).measures for batch in (15, 252))
    assert small["acquisitions"] > 5 * large["acquisitions"]
    assert small["longest_hold_ns"] < large["longest_hold_ns"]
    assert small["held_ns"] > large["held_ns"]


def made(**measures: float) -> Choice:
    return Choice(settings=(), is_kernels=False, decayed_pages=0, is_compromise=False,
                  measures={name: measures.get(name, 100.0) for name in MEASURES})  # fmt: skip


@pytest.mark.parametrize(
    ("other", "is_beaten"),
    (
        (made(moved_pages=80.0), True),
        (made(moved_pages=96.0), False),  # within the margin
        (made(moved_pages=80.0, longest_hold_ns=104.0), True),  # worse within the margin
        (made(moved_pages=80.0, longest_hold_ns=106.0), False),
        (made(moved_pages=120.0), False),
        (made(idle_pages=40.0, held_ns=40.0), True),
    ),
)
def test_a_choice_is_beaten_by_one_that_is_better_in_one_and_worse_in_none(other: Choice, is_beaten: bool) -> None:
    first, _ = with_compromises((made(), other), dict.fromkeys(MEASURES, 0.05))
    assert first.is_compromise is not is_beaten


def test_a_margin_is_what_a_page_of_the_batch_changes(trace: TunedTrace) -> None:
    (near,) = tune((OLD,), "", {"batch": (62, 64)}, silent).traces
    low, own, high = (choice.measures for choice in near.choices)
    for name in MEASURES:
        assert trace.margins[name] == max(0.05, *(abs(one[name] / own[name] - 1) for one in (low, high)))


def test_a_range_ends_where_a_measure_differs(trace: TunedTrace) -> None:
    ranges = {one.name: (one.least, one.kernels, one.most, one.is_idle) for one in trace.ranges}
    assert ranges == {
        "decay_shift": (1, 3, 6, False), "batch": (63, 63, 63, False), "high_max": (7000, 15088, 15088, False),
    }  # fmt: skip
    assert [one.tried for one in trace.ranges] == [(1, 3, 6), (15, 63, 252, 3000), (7000, 15088)]


def test_a_decay_that_drains_something_is_a_difference(tmp_path: Path) -> None:
    """The worker of the guest is made to run as often as it can be told."""
    given = read_pages(OLD)
    last, start = int(given.events["time_ns"][-1]), given.main_zone.start_pfn
    added = np.array([(last, Kind.WORKER << 4, 0, cpu, start) for _ in range(9) for cpu in (0, 1)], EVENT)
    write_pages(tmp_path / "idle", replace(given, events=np.concatenate([given.events, added])))
    (of,) = tune((tmp_path / "idle",), "", {"decay_shift": (0, 6), "high_min": (100,)}, silent).traces
    runs = int((given.kinds == Kind.WORKER).sum())
    assert of.worker_runs == runs + 18
    fast, slow = (chosen(of, decay_shift=shift, high_min=100) for shift in (0, 6))
    assert fast.decayed_pages > slow.decayed_pages
    assert not next(one for one in of.ranges if one.name == "decay_shift").is_idle


def test_lists_of_fixed_length_have_the_length_that_is_tried() -> None:
    (of,) = tune((OLD,), "fixed", {"high_min": (500,)}, silent).traces
    small, own = (chosen(of, high_min=high).measures for high in (500, 6929))
    assert small["idle_pages"] < own["idle_pages"] / 2
    assert small["moved_pages"] > own["moved_pages"]


def test_a_fixed_length_may_be_above_the_high_max_that_nobody_reads() -> None:
    (of,) = tune((OLD,), "fixed", {"high_min": (100, 20_000)}, silent).traces
    assert of.left_out == () and of.ranges[0].tried == (100, 6929, 20_000)
    short, long = (chosen(of, high_min=high).measures for high in (100, 20_000))
    assert long["moved_pages"] < short["moved_pages"] and long["idle_pages"] > short["idle_pages"]


def test_twice_the_same_question_is_twice_the_same_answer(answer: PcpTuning) -> None:
    told: list[Progress] = []
    assert tune((OLD,), "", VALUES, told.append) == answer
    assert [one.done for one in told] == sorted(one.done or 0.0 for one in told) and len(told) == 24


def test_the_usual_values_are_around_the_kernels() -> None:
    kernels = {"decay_shift": 3, "batch": 63, "high_min": 700, "high_max": 9000}
    assert {name: list(of) for name, of in usual_values("auto", kernels).items()} == {
        "decay_shift": [1, 2, 3, 4, 5, 6], "batch": [15, 63, 252], "high_min": [350, 700, 1400],
    }  # fmt: skip
    assert list(usual_values("fixed", kernels)) == ["batch", "high_min"]


def test_what_cannot_be_tried_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^vmstat: no constant"):
        tune((OLD,), "", {"vmstat": (1,)}, silent)
    with pytest.raises(BadInput, match="3000 combinations"):
        tune((OLD,), "", {"batch": tuple(range(1, 50)), "high_min": tuple(range(59))}, silent)
    with pytest.raises(BadInput, match="unknown policy"):
        tune((OLD,), "nothing", {"batch": (1,)}, silent)
    with pytest.raises(BadInput, match="decay_shift=40: not possible") as refused:
        tune((OLD,), "", {"decay_shift": (40,)}, silent)
    assert refused.value.remedy == "decay_shift is from 0 to 30"
    with pytest.raises(BadInput, match="no value is possible beside high_max, 15088"):
        tune((OLD,), "", {"high_min": (99_999,)}, silent)
    with pytest.raises(BadInput, match="the policy fixed reads no decay_shift"):
        tune((OLD,), "fixed", {"decay_shift": (1,)}, silent)


def test_the_text_says_what_makes_a_difference_and_what_the_trace_cannot_show(answer: PcpTuning) -> None:
    assert "decay_shift in 0, batch in 1 and high_max in 0" in verdict(answer)
    text = " ".join(sentences(answer.traces[0]))
    assert "24 choices of constants, replayed with the policy auto; none beats the kernel's." in text
    assert "Left out, as high_min would be above high_max: high_max 50." in text
    assert "by the policy of the guest's kernel (auto): zone traffic 0 %, idle pages " in text
    (calm,) = tune((NEW,), "", {"decay_shift": (1,)}, silent).traces
    text = " ".join(sentences(calm))
    assert "The vmstat worker ran 0 times in 0.0675 s" in text and calm.ranges[0].is_idle
    assert "So this trace cannot show what the decay is good for." in text


def test_every_value_alone_and_every_compromise_has_its_row(answer: PcpTuning) -> None:
    sections = [block for block in TUNED.document(answer).blocks if isinstance(block, Section)]
    alone, rows = (block for section in sections for block in section.blocks if isinstance(block, Table))
    texts = [[cell.text for cell in row] for row in alone.rows]
    assert [row[:2] for row in texts] == [
        ["the kernel's", ""], ["decay_shift", "1"], ["decay_shift", "6"], ["batch", "15"], ["batch", "252"],
        ["batch", "3 000"], ["high_max", "7 000"],
    ]  # fmt: skip
    assert [row[0] for row in texts if row[-1] == "no difference"] == ["decay_shift", "decay_shift", "high_max"]
    compromises = {tuple(c.measures.values()) for c in answer.traces[0].choices if c.is_compromise}
    assert len({tuple(cell.text for cell in row[4:]) for row in rows.rows}) == len(compromises)
    assert len(rows.rows) < len(answer.traces[0].choices)
    assert [cell.text for cell in rows.rows[0]][:4] == ["the kernel's", "3", "63", "15 088"]


def test_the_models_error_is_that_of_the_guests_own_policy(answer: PcpTuning) -> None:
    (foreign,) = tune((OLD,), "fixed", {"batch": (15,)}, silent).traces
    (own,) = answer.traces
    assert (foreign.policy, foreign.own_policy) == ("fixed", "auto")
    assert (foreign.moved_error, foreign.idle_error) == (own.moved_error, own.idle_error)
