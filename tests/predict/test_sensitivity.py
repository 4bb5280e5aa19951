# SPDX-License-Identifier: GPL-2.0-only
"""The sensitivity table: what an assumed number moves, from replays of the stored traces."""

import pytest
from benchmarks.predict_sensitivity import answer, changed, effects
from msgspec import structs

from kassay.labs.predict.timing import MEASURED, timing_for

pytestmark = pytest.mark.slow  # seconds for the whole file


def test_effects_are_those_of_a_replay_at_both_ends() -> None:
    timing = timing_for("skylake_sp")
    keep = {"invlpg", "swapgs"}
    system = {
        name: quantity if name in keep else structs.replace(quantity, status=MEASURED)
        for name, quantity in timing.system.items()
    }
    parameters = {name: structs.replace(quantity, status=MEASURED) for name, quantity in timing.parameters.items()}
    few = structs.replace(timing, system=system, parameters=parameters)
    found = effects(few)
    assert [effect.key for effect in found] == ["system.invlpg", "system.swapgs"]
    invlpg = timing.system["invlpg"]
    usual, high = answer(timing), answer(changed(timing, "system.invlpg", invlpg.high))
    assert found[0].time[1] == pytest.approx(high.head / usual.head - 1) and found[0].time[1] > 0.01
    assert found[0].change[1] == pytest.approx(high.change - usual.change)
    assert found[0].time[0] < 0
