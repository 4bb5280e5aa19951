# SPDX-License-Identifier: GPL-2.0-only
"""How wide is an interval, what does it refuse, and does it hold as many new changes as it says?"""

import math
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.labs.predict import interval
from kassay.labs.predict.changes import SCHEMA, CauseTimes, Change, Changes, learn, read_changes
from kassay.labs.predict.interval import (
    FLOOR,
    IntervalTable,
    Shifts,
    conformal_quantile,
    distance_of,
    interval_of,
    notable_causes,
    refusals,
    weighted,
)  # fmt: skip
from kassay.model.records import to_json

TABLE = IntervalTable(level=0.9, quantile=0.4, n=60, source="pairs", causes={"width": 30, "memory": 2})


def change(name: str, measured: float, shifts: Shifts) -> Change:
    causes = tuple(CauseTimes(cause=cause, base_ns=base, head_ns=head) for cause, (base, head) in shifts.items())
    return Change(name=name, base_ns=100, head_ns=100 * measured, causes=causes)


def changes(count: int, seed: int, truth: dict[str, float]) -> tuple[Change, ...]:
    """Changes whose measured time has the causes' weights of `truth`, and noise that grows with the change."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        shifts = {cause: (100.0, 100.0 + draw.uniform(0, 200)) for cause in truth}
        real = weighted(truth, shifts)
        ratio = sum(head for _, head in real.values()) / sum(base for base, _ in real.values())
        noise = math.exp(draw.gauss(0, 0.2) * (FLOOR + abs(math.log(ratio))))
        made.append(change(f"c{number}", ratio * noise, shifts))
    return tuple(made)


def test_the_distance_of_a_change_in_one_direction_is_the_logarithm_of_its_ratio() -> None:
    assert distance_of({"width": (100, 158)}) == pytest.approx(math.log(1.58))
    assert distance_of({"width": (158, 100)}) == pytest.approx(math.log(1.58))


def test_sums_are_rounded_once_so_that_every_version_of_python_gives_the_same_digits() -> None:
    """sum() adds floats otherwise since Python 3.12. Ten times 0.1 is 0.9999999999999999 in earlier versions."""
    assert interval.ratio_of({f"cause {i}": (0.1, 0.2) for i in range(10)}) == 2.0
    assert distance_of({f"cause {i}": (0.1, 0.2) for i in range(10)}) == math.log1p(1.0)
    assert interval._totals({f"cause {i}": (0.1, 0.1) for i in range(10)}) == (1.0, 1.0)


def test_causes_that_cancel_are_a_change_nevertheless() -> None:
    assert distance_of({"width": (100, 50), "memory": (50, 100)}) > 0.4


def test_the_interval_grows_with_the_change_and_has_the_ratio_in_its_middle() -> None:
    small, large = interval_of(TABLE, {"width": (100, 110)}), interval_of(TABLE, {"width": (100, 200)})
    assert small.high / small.low < large.high / large.low
    assert math.sqrt(large.low * large.high) == pytest.approx(2)
    assert small.level == 0.9


def test_a_cause_that_moved_and_was_not_calibrated_is_refused_by_name() -> None:
    refused = refusals(TABLE, {"width": (100, 120), "memory": (10, 40), "rings": (5, 6)})
    assert [(one.code, one["cause"], one["calibrated"]) for one in refused] == [("cause-not-calibrated", "memory", 2)]
    assert refusals(TABLE, {"width": (1000, 1001), "memory": (10, 11)}) == ()


def test_what_moved_is_listed_by_size() -> None:
    assert notable_causes({"width": (1, 2), "memory": (1, 5), "tlb": (1, 1.1)}) == ("memory", "width")


def test_a_side_without_time_has_no_ratio() -> None:
    with pytest.raises(ValueError):
        interval_of(TABLE, {"width": (0, 5)})


def test_a_quantile_needs_nine_changes_for_nine_in_ten() -> None:
    with pytest.raises(BadInput, match="8 measured changes are too few"):
        conformal_quantile([1.0] * 8, 0.9)
    assert conformal_quantile([float(n) for n in range(9)], 0.9) == 8


def test_intervals_hold_nine_in_ten_of_changes_that_were_not_seen() -> None:
    learned = learn(Changes(schema=SCHEMA, cpu="x", pairs=changes(60, 1, {"width": 1.0, "memory": 1.0})), source="")
    fresh = changes(400, 2, {"width": 1.0, "memory": 1.0})
    inside = 0
    for one in fresh:
        interval = interval_of(learned.table, weighted(learned.table.weights, one.shifts))
        inside += interval.low <= one.measured <= interval.high
    assert 0.82 < inside / len(fresh) < 0.98


def test_a_cause_that_is_really_cheaper_gets_a_lower_weight_and_the_error_falls() -> None:
    learned = learn(Changes(schema=SCHEMA, cpu="x", pairs=changes(60, 3, {"width": 1.0, "memory": 0.3})), source="")
    assert learned.table.weights["memory"] < 0.6 * learned.table.weights["width"]
    assert learned.error < learned.plain_error


def test_changes_of_one_group_or_of_one_name_count_once() -> None:
    many = changes(20, 1, {"width": 1.0})
    grouped = tuple(replace(one, group=f"g{number % 8}") for number, one in enumerate(many))
    with pytest.raises(BadInput, match="8 measured changes are too few"):
        learn(Changes(schema=SCHEMA, cpu="x", pairs=grouped), source="")
    with pytest.raises(BadInput, match="1 measured changes are too few"):
        learn(Changes(schema=SCHEMA, cpu="x", pairs=(many[0],) * 20), source="")
    nine = tuple(replace(one, group=f"g{number % 9}") for number, one in enumerate(many))
    assert learn(Changes(schema=SCHEMA, cpu="x", pairs=nine), source="").table.n == 20


def test_weights_stay_away_where_they_do_not_help() -> None:
    exact = tuple(change(f"c{n}", 1 + n / 20, {"width": (100, 100 + 5 * n), "tlb": (0, 0)}) for n in range(12))
    learned = learn(Changes(schema=SCHEMA, cpu="x", pairs=exact), source="")
    assert learned.table.weights == {} and learned.error == learned.plain_error


def test_a_file_of_changes_is_read_back_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    written = Changes(schema=SCHEMA, cpu="zen4", pairs=changes(3, 1, {"width": 1.0}))
    path.write_bytes(to_json(written))
    assert read_changes(path) == written
    path.write_bytes(to_json(written).replace(b'"base_ns":100.0', b'"base_ns":0.0', 1))
    with pytest.raises(BadInput, match="c0: a time that is not above 0"):
        read_changes(path)
    path.write_bytes(
        to_json(written).replace(b'"causes":[', b'"causes":[{"cause":"width","base_ns":1,"head_ns":1},', 1)
    )
    with pytest.raises(BadInput, match="c0: a cause comes twice"):
        read_changes(path)
    path.write_text("{}")
    with pytest.raises(BadInput, match=r"pairs\.json"):
        read_changes(path)
    with pytest.raises(BadInput, match="No such file"):
        read_changes(tmp_path / "none")
