# SPDX-License-Identifier: GPL-2.0-only
"""The outlook that is printed before the first boot of a timed session holds."""

import re

import pytest

from kassay.analysis.planned_looks import outlook
from kassay.analysis.statistics.planning import detectable, threshold
from kassay.model.plan import Plan
from tests.analysis.plans import plan_of


def timed(**changes: object) -> Plan:
    return plan_of(2, **({"clock": "kvm", "repeats": 24, "perturb": 0, "margin": 0.02} | changes))


def test_boots_looks_and_the_change_they_show_are_told() -> None:
    text = outlook(timed(), None)
    assert text.startswith("18 to 72 boots (") and "looked at after 6/10/14/18/24 per kernel" in text
    assert f"shows a change of {detectable(0.02, 24, threshold(5)):.1%} where boots scatter by 2%" in text


def test_more_questions_show_less() -> None:
    one, many = (outlook(timed(memory_bytes=tuple(n << 30 for n in range(1, 1 + k))), None) for k in (1, 20))
    shown = [float(re.findall(r"change of ([0-9.]+)%", text)[0]) for text in (one, many)]
    assert shown[1] > shown[0] * 1.2


@pytest.mark.parametrize("repeats", [1, 3, 5])
def test_too_few_boots_promise_nothing(repeats: int) -> None:
    assert "no verdict is possible below 6 boots per kernel" in outlook(timed(repeats=repeats), None)


def test_a_sequential_session_cannot_stop_early() -> None:
    assert outlook(timed(order="sequential"), None).startswith("48 boots (")


def test_of_one_kernel_no_change_is_promised() -> None:
    text = outlook(plan_of(1, question="value", clock="host", repeats=6, perturb=0), None)
    assert text.endswith("; looked at after 6 per kernel; one kernel is compared with nothing")
