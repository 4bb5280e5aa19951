# SPDX-License-Identifier: GPL-2.0-only
"""Settings, metrics and kernels are chosen as asked for. A refusal goes with what it is about."""

import msgspec
import pytest

from kassay.analysis.itemised import Chosen, chosen
from kassay.errors import BadInput
from kassay.model.finding import Finding
from kassay.model.machine import MachineUse
from kassay.model.reason import Reason, reason
from kassay.model.records import Setting
from tests.report.reports import MACHINE, SAMPLES

ONE = SAMPLES["compare"]().findings[0]
BASE, HEAD = (side.kernel for side in ONE.sides)


def at(size: str, machine: MachineUse = MACHINE) -> Finding:
    return msgspec.structs.replace(ONE, settings=(Setting(name="size", value=size),), machine=machine)


LARGE = msgspec.structs.replace(MACHINE, memory_bytes=4 << 30)
MATRIX = [at(size, machine) for machine in (MACHINE, LARGE) for size in ("256KiB", "1MiB")]


def first(findings: list[Finding], **settings: str) -> Chosen:
    return chosen(findings, None, None, settings)[0]


def test_of_several_settings_the_first_is_meant_and_named() -> None:
    one = first(MATRIX)
    assert one.finding == MATRIX[0]
    assert one.where == "setting 1 of 4: size=256KiB, x86_64, icount, 1 CPU, 1GiB"
    assert first(MATRIX[:2]).where == "setting 1 of 2: size=256KiB"
    assert first(MATRIX[:1]).where == ""


@pytest.mark.parametrize(
    ("wanted", "number"),
    [({"size": "1MiB"}, 1), ({"size": "1024KiB"}, 1), ({"memory": "4GiB"}, 2), ({"memory": "4GiB", "size": "1MiB"}, 3),
     ({"cpus": "1", "workload": ONE.workload}, 0)],
)  # fmt: skip
def test_a_setting_is_chosen_by_its_values_and_sizes_may_be_written_otherwise(
    wanted: dict[str, str], number: int
) -> None:
    one = first(MATRIX, **wanted)
    assert one.finding == MATRIX[number] and one.where.startswith(f"setting {number + 1} of 4: ")


@pytest.mark.parametrize(
    ("wanted", "said"),
    [({"size": "3MiB"}, "--set size: no setting has '3MiB'\n  known: 256KiB, 1MiB"),
     ({"memory": "much"}, "known: 1GiB, 4GiB"),
     ({"sise": "1MiB"}, "--set sise: unknown name\n  did you mean size? known: workload, cpus, memory, size")],
)  # fmt: skip
def test_an_unknown_value_or_name_lists_the_known_ones(wanted: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        first(MATRIX, **wanted)
    assert said in str(caught.value)


def refused(*reasons: Reason, verdict: str = "contaminated") -> Finding:
    return msgspec.structs.replace(ONE, verdict=verdict, reasons=reasons)


def others_in(kernel: str) -> Reason:
    return reason("others-took-time", kernel, run="r1-0", share=0.73, task="kworker", ns=73, more=None)


def test_a_refused_comparison_is_so_for_both_kernels() -> None:
    why = others_in(HEAD)
    both = chosen([refused(why)], None, None, {})
    assert [(one.verdict, one.reasons) for one in both] == [("contaminated", (why,))] * 2
    assert [(one.verdict, one.reasons) for one in chosen([ONE], None, None, {})] == [("", ())] * 2


def test_refusal_names_only_the_kernel_at_fault() -> None:
    why = others_in(HEAD)
    (head,), (base,) = (chosen([refused(why)], (name,), None, {}) for name in (HEAD, BASE))
    assert head.reasons == (why,) and base.reasons == ()
    differs = reason("state-differs", field="AnonHugePages", base=BASE, head=HEAD)
    (base,) = chosen([refused(differs, verdict="state-mismatch")], (BASE,), None, {})
    assert (base.verdict, base.reasons) == ("state-mismatch", (differs,))


def test_the_ends_of_a_ladder_are_not_refused_for_its_middle() -> None:
    a, b, c = (msgspec.structs.replace(ONE.sides[0], kernel=name) for name in "abc")
    steps = [
        msgspec.structs.replace(refused(others_in("b")), sides=sides) for sides in ((a, b), (b, c))
    ]  # fmt: skip
    whole = msgspec.structs.replace(ONE, sides=(a, c))
    assert [one.verdict for one in chosen([*steps, whole], ("a", "c"), None, {})] == ["", ""]
    found = chosen([*steps, whole], ("a", "b", "c"), None, {})
    assert [(one.verdict, one.reasons) for one in found] == [("", ()), ("contaminated", (others_in("b"),)), ("", ())]
