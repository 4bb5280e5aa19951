# SPDX-License-Identifier: GPL-2.0-only
"""Are code and forwarded stores derived from their probes, and only for CPUs of which these say something?"""

from kassay.labs.predict.calibrate.derive import parameters_of
from tests.predict.test_calibrate import exactly, facts


def test_code_is_not_called_fetched_ahead_where_the_first_level_has_it() -> None:
    points = exactly(chase_local__256=14, straight_code=2)
    assert parameters_of(facts(points)).estimates["l1i_prefetch"].value == 7
    assert "l1i_prefetch" not in parameters_of(facts(points, l1i_kib=128)).estimates


def test_lines_of_code_are_so_far_apart_on_a_cpu_that_fetches_the_predicted_way() -> None:
    told = facts(exactly(chase_local__256=14, straight_code=5))
    assert "code_interval" not in parameters_of(told).estimates
    assert parameters_of(told._replace(like={**told.like, "code_ahead": 8})).estimates["code_interval"].value == 5


def test_loads_by_one_register_say_nothing_of_others_where_they_alone_are_renamed() -> None:
    told = facts(exactly(forward_other_chain=6, forward_chain=1))
    assert parameters_of(told).estimates["store_forward"].value == 5
    based = parameters_of(told._replace(like={**told.like, "forward_based": 1})).estimates
    assert "store_forward" not in based
    assert based["store_forward_same"].value == 0
