# SPDX-License-Identifier: GPL-2.0-only
"""Each what-if answer has a name that no other answer of the report has."""

import pytest
from msgspec import structs

from kassay.labs.predict.asked import kernel_at, name_of, pair_name
from kassay.labs.predict.contention.scale_model import PROCESSES, ScaleReport
from kassay.labs.predict.contention.scale_report import document
from kassay.model.records import Setting
from tests.predict.test_contention import NOTHING, point
from tests.predict.test_without import ANSWER, _text
from tests.report.parts import MACHINE

SMALL = structs.replace(
    ANSWER, settings=(Setting(name="size", value="2MiB"), Setting(name="mode", value="toggle")), machine=MACHINE
)
LARGE = structs.replace(SMALL, settings=(Setting(name="size", value="4MiB"), Setting(name="mode", value="toggle")))
BOOTED = structs.replace(SMALL, machine=structs.replace(MACHINE, cpu="zen5"))


def test_an_answer_alone_has_the_short_name() -> None:
    assert name_of(SMALL, (SMALL,)) == "w, iteration on debian:6.17, zen4"
    assert kernel_at(SMALL, (SMALL,)) == "debian:6.17"


def test_settings_and_machines_that_differ_are_in_the_name() -> None:
    every = (SMALL, LARGE, BOOTED)
    assert [name_of(one, every) for one in every] == [
        "w size=2MiB, iteration on debian:6.17, zen4",
        "w size=4MiB, iteration on debian:6.17, zen4",
        "w size=2MiB cpu=zen5, iteration on debian:6.17, zen4",
    ]
    assert kernel_at(BOOTED, every) == "debian:6.17, w size=2MiB cpu=zen5"
    assert pair_name(SMALL, LARGE, every) == "w size=4MiB, zen4, debian:6.17 to debian:6.17"


def test_an_answer_of_an_earlier_version_has_its_workload() -> None:
    assert name_of(ANSWER, (ANSWER,)) == "w, iteration on debian:6.17, zen4"


def test_a_report_names_each_table_by_its_settings() -> None:
    shown = _text(SMALL, LARGE)
    assert "w size=2MiB, iteration on debian:6.17, zen4 \\[ns/page\\]" in shown
    assert "w size=4MiB, iteration on debian:6.17, zen4 \\[ns/page\\]" in shown


@pytest.mark.parametrize(("cpu", "pairs"), [(MACHINE.cpu, 1), ("zen5", 0)])
def test_kernels_of_different_machines_are_no_pair(cpu: str, pairs: int) -> None:
    base = structs.replace(NOTHING, machine=MACHINE, points=(point(8, 4, lruvec_lock=0.1),))
    other = structs.replace(base, kernel="b", machine=structs.replace(MACHINE, cpu=cpu))
    report = ScaleReport(scale_as=PROCESSES, shared=(), answers=(base, other), kassay_version="0")
    assert sum("waiting for the lruvec" in str(block) for block in document(report).blocks) == pairs
