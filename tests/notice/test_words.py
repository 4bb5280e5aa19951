# SPDX-License-Identifier: GPL-2.0-only
"""The answer in sentences and tables."""

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from kassay.labs.notice import answer, kernels
from kassay.labs.notice.answer import looked_for_named
from kassay.labs.notice.applications import _unpredicted
from kassay.labs.notice.kernels import Kernel, Wanted
from kassay.labs.notice.model import (
    Notice,
    Noticed,
    PredictedShare,
    SoughtEntry,
    SoughtFunction,
    Subject,
    Unpredicted,
)
from kassay.labs.notice.record import RecordedCalls
from kassay.labs.notice.report import NOTICE
from kassay.labs.notice.report._words import per_text, verdict
from kassay.labs.notice.sizes import _sizes
from kassay.model.experiment import KernelUse
from kassay.model.prediction import Prediction
from kassay.model.progress import silent
from kassay.model.reason import reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from tests.report.parts import finding

KERNEL = Kernel("debian:6.17", KernelUse(ref="debian:6.17"))
CHANGED = SoughtFunction(function="change_protection", whole=True, base=298, head=666, base_calls=1, head_calls=1)
SUBJECT = Subject(
    workload="mprotect_toggle", base="debian:6.16", head="debian:6.17", functions=(CHANGED,), metric="iteration",
    unit="instructions/page", base_value=300, head_value=668, explained=1.0, callers=("mprotect_fixup",),
    entries=(SoughtEntry(entry="mprotect", base=298, head=666, base_calls=1, head_calls=1),),
)  # fmt: skip


def one(name: str, share: float | None, word: str, problem: str = "") -> Noticed:
    """An application that executes the functions, unless `share` is None."""
    known = share is not None
    return Noticed(
        application=name, verdict=word, problem=problem, unit="instructions/execution", base_value=1000.0,
        head_value=1001.0, change=0.001, share=share, evidence="exact", functions=(CHANGED,) if known else (),
        entries=SUBJECT.entries if known else (),
    )  # fmt: skip


def notice(*applications: Noticed) -> Notice:
    """Notice of the change of mprotect_toggle."""
    return Notice(subject=SUBJECT, applications=applications, disclosures=("Read this.",), kassay_version="0")


NODE, GCC, REDIS = (
    one("node_job", 0.0021, "below"),
    one("gcc_compile", None, "unexecuted"),
    one("redis", 0.02, "noticed"),
)


def test_who_notices_is_counted_and_each_is_named_with_what_it_costs() -> None:
    assert verdict(notice(REDIS, NODE, GCC)) == (
        "1 of 3 applications notices it (0.5 % of all instructions or more).",
        "Of all their instructions it costs redis +2.00 % and node_job +0.21 %.",
        "gcc_compile does not execute it.",
    )


def test_nobody_notices_or_nobody_executes_it() -> None:
    assert verdict(notice(NODE, GCC))[0].startswith(
        "Nobody of these notices it (0.5 % of all instructions or more): 1 of"
    )
    assert verdict(notice(GCC)) == ("Nobody of these: none of 1 application executes the functions.",)


def test_a_prediction_that_is_refused_has_its_reason() -> None:
    timed = structs.replace(NODE, predicted=(PredictedShare(cpu="zen4", share=0.004),))
    cut = structs.replace(REDIS, unpredicted=(Unpredicted(cpu="zen4", why="the trace was cut"),))
    text = NOTICE.form("markdown").render(notice(timed, cut))
    assert "+0.40 %" in text and "refused" in text and "redis, time on zen4: the trace was cut" in text


def test_why_a_time_is_not_predicted_is_known_of_each_cpu() -> None:
    why = reason("trace-too-short")
    predictions = (Prediction(cpu="zen4", calibrated=True, refused=why), Prediction(cpu="zen3", calibrated=True))
    found = structs.replace(finding("a", "b", (1.0, 2.0)), predictions=predictions)
    assert _unpredicted(found) == (Unpredicted(cpu="zen4", why=reason_text(why)),)


def test_what_has_no_answer_is_not_counted_as_one() -> None:
    broken = one("postgres", None, "unknown", "no run to profile")
    assert verdict(notice(broken))[0] == "No application has an answer."
    assert verdict(notice(GCC, broken))[-1] == "No answer for postgres."


def test_every_form_has_each_application_and_what_must_be_known() -> None:
    for form in NOTICE.forms():
        text = form.render(notice(REDIS, NODE, GCC, one("postgres", None, "unknown", "no run to profile")))
        assert text.endswith("\n")
        for word in ("redis", "node_job", "gcc_compile", "postgres", "Read this.", "change_protection"):
            assert word in text, (form.name, word)


def test_mail_is_ascii_of_72_columns_and_json_names_its_schema() -> None:
    mail = NOTICE.form("mail").render(notice(REDIS, NODE, GCC))
    assert mail.isascii() and max(map(len, mail.splitlines())) <= 72
    assert json.loads(NOTICE.form("json").render(notice(NODE)))["schema"] == "kassay-notice/1"


def test_a_mail_has_the_unit_of_each_row_and_no_entries_that_are_not_known() -> None:
    rare = structs.replace(CHANGED, base_calls=0.0001, head_calls=0.0001)
    of_atlas = structs.replace(REDIS, unit="instructions/line", entries=(), functions=(rare,))
    (row,) = [line for line in NOTICE.form("mail").render(notice(of_atlas, NODE)).splitlines() if "1,000" in line]
    assert row.split() == ["redis", "1,000", "lines", "0.1", "-", "666,000", "+2.00%"]


@pytest.mark.parametrize(
    ("unit", "text"),
    [("process", "1 000 processes"), ("page", "1 000 pages"), ("query", "1 000 queries"), ("match", "1 000 matches")],
)
def test_rare_calls_are_counted_per_several_operations(unit: str, text: str) -> None:
    rare = structs.replace(CHANGED, base_calls=0.001)
    noticed = structs.replace(one("node_job", 0.001, "below"), unit=f"instructions/{unit}", functions=(rare,))
    assert per_text(noticed) == text


def test_settings_are_counted_as_settings_and_named_by_what_each_pays() -> None:
    rows = [structs.replace(row, settings=(Setting(name="jobs", value=value),))
            for row, value in ((REDIS, "1"), (structs.replace(GCC, application="redis"), "8"))]  # fmt: skip
    assert verdict(notice(*rows, NODE)) == (
        "1 of 3 settings notices it (0.5 % of all instructions or more).",
        "Of all their instructions it costs redis jobs=1 +2.00 % and node_job +0.21 %.",
        "redis jobs=8 does not execute it.",
    )


def test_each_setting_has_its_own_sizes_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    def jobs(value: str) -> tuple[Setting, ...]:
        return (Setting(name="jobs", value=value),)

    def recorded(value: str, pages: int) -> RecordedCalls:
        sizes = _sizes("mprotect", np.array([pages]), 1, order=False)
        return RecordedCalls(application="redis", kernel="k", executions=1, sizes=(sizes,), settings=jobs(value))

    monkeypatch.setattr(answer, "_experiment_of", lambda *_: None)
    monkeypatch.setattr(answer, "recorded_calls", lambda *_, make: (recorded("1", 1), recorded("8", 512)))
    rows = [structs.replace(REDIS, settings=jobs(value), directory="d") for value in "18"]
    found = answer.with_sizes(notice(*rows), looked_for_named(("f",), Wanted(KERNEL, None)), silent, make=True)
    assert [row.sizes[0].median for row in found.applications] == [1, 512]


@pytest.mark.parametrize(("calls", "largest"), [([1, 512], 512), ([1] * 4 + [512], 512), ([1] * 9 + [512], 1)])
def test_nine_tenths_of_the_calls_do_not_exceed_it(calls: list[int], largest: int) -> None:
    assert _sizes("mprotect", np.array(calls), 1, order=False).p90 == largest


def test_one_image_on_two_cpus_is_two_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    two = [Kernel(f"k@cpu={cpu}", KernelUse(ref="k", cpu=cpu), "sha") for cpu in ("skylake", "zen4")]
    monkeypatch.setattr(kernels, "known_in", lambda _: tuple(two))
    for wanted in (two, two[::-1]):
        assert kernels.kernels_in(Path("d"), Wanted(*wanted)) == tuple(kernel.label for kernel in wanted)
    same = [Kernel(name, KernelUse(ref="k", name=name), "sha") for name in "ab"]
    monkeypatch.setattr(kernels, "known_in", lambda _: tuple(same))
    assert kernels.kernels_in(Path("d"), Wanted(same[1], same[0])) == ("b", "a")
