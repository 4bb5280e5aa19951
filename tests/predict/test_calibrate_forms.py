# SPDX-License-Identifier: GPL-2.0-only
"""Do measured chains and copies of instructions become the right entries?"""

import shutil

import pytest

from kassay.labs.predict.calibrate import forms, program
from kassay.labs.predict.calibrate.samples import Measured
from kassay.labs.predict.forms import Entries
from kassay.labs.predict.ports import groups_of
from kassay.labs.predict.timing import Timing, timing_for

ZEN4 = timing_for("zen4")


def measured(form: str, chain: float | None = None, many: float | None = None) -> dict[str, Measured]:
    number = next(at for at, one in enumerate(forms.forms()) if one.name == form)
    points = {"chain": chain, "many": many}
    return {f"form_{kind}:{number}": Measured(v, v, v, 70) for kind, v in points.items() if v is not None}


def entry(timing: Timing, form: str, points: dict[str, Measured]) -> tuple[int, float, str]:
    from msgspec.structs import replace

    overrides = (*forms.overrides_of(points, timing), *timing.overrides)
    found = Entries(replace(timing, overrides=overrides)).of(form)
    assert found is not None
    return found.uops, found.latency, found.ports


def test_forms_cover_what_programs_execute_often() -> None:
    names = {form.name for form in forms.forms()}
    assert len(names) > 500
    assert names >= {
        "idiv r32",
        "idiv r64",
        "div r32",
        "imul r64,r64",
        "lea r64,three",
        "popcnt r64,r64",
        "movzx r32,r8",
    }
    assert names >= {"mulsd xmm,xmm", "divsd xmm,xmm", "vpaddd ymm,ymm,ymm", "cvtsi2sd xmm,r64"}
    assert set(forms.points("many")) & set(forms.points("chain")) == set()


def test_latency_is_of_the_chain_less_what_else_is_in_it() -> None:
    assert entry(ZEN4, "idiv r32", measured("idiv r32", chain=12.4))[1] == pytest.approx(10.4)
    assert entry(ZEN4, "idiv r32", measured("idiv r32", chain=12.1))[1] == 10
    assert entry(ZEN4, "popcnt r64,r64", measured("popcnt r64,r64", chain=3))[1] == 3
    assert entry(ZEN4, "popcnt r64,r64", measured("popcnt r64,r64", chain=1.1)) == entry(ZEN4, "popcnt r64,r64", {})


def test_square_roots_of_one_are_not_taken_for_those_of_others() -> None:
    assert entry(ZEN4, "sqrtsd xmm,xmm", measured("sqrtsd xmm,xmm", chain=9)) == entry(ZEN4, "sqrtsd xmm,xmm", {})


@pytest.mark.parametrize("cycles", [0.25, 0.5, 1.0, 2.0, 5.0])
def test_throughput_is_that_of_the_ports(cycles: float) -> None:
    uops, _, spec = entry(ZEN4, "imul r64,r64", measured("imul r64,r64", many=cycles))
    groups = groups_of(spec)
    assert max(taken / mask.bit_count() for mask, taken in groups) == pytest.approx(cycles)
    assert uops / ZEN4.parameters["width"].value <= cycles


def test_a_form_with_an_operand_in_memory_follows() -> None:
    before = entry(ZEN4, "imul r64,m64", {})
    after = entry(ZEN4, "imul r64,m64", measured("imul r64,r64", chain=5, many=2.0))
    assert after[1] == 5
    assert {group for group in groups_of(before[2]) if group[0] == 0x70} <= set(groups_of(after[2]))


def test_a_vector_that_is_loaded_keeps_the_ports_that_load_it() -> None:
    core = timing_for("zen3")
    divided, moved = measured("divss xmm,xmm", chain=9), measured("movsd xmm,xmm", many=1)
    before, after = entry(core, "divss xmm,m32", {}), entry(core, "divss xmm,m32", divided)
    assert after == (before[0], 9, before[2])
    assert entry(core, "movsd xmm,xmm", moved)[2] != entry(core, "movsd xmm,xmm", {})[2]
    assert entry(core, "movsd xmm,m64", moved) == entry(core, "movsd xmm,m64", {})


def test_arithmetic_never_goes_to_ports_of_loads_where_ports_have_only_numbers() -> None:
    core = timing_for("alderlake_p")
    loads = int(core.parameters["load_ports"].value)
    for form, cycles in (("lea r64,simple", 0.2), ("vpsubb xmm,xmm,xmm", 1 / 3)):
        for mask, _ in groups_of(entry(core, form, measured(form, many=cycles))[2]):
            assert not mask & loads


def test_a_plain_load_has_no_time_of_its_own_although_the_move_of_a_register_has() -> None:
    core = timing_for("alderlake_p")
    points = measured("movzx r32,r8", chain=2, many=0.5)
    assert entry(core, "movzx r32,r8", points)[1] == 2
    assert entry(core, "movzx r32,m8", points) == entry(core, "movzx r32,m8", {})


def test_what_the_decoders_lose_by_a_prefix_is_no_time_of_the_ports() -> None:
    assert entry(ZEN4, "test r16,i", measured("test r16,i", many=7)) == entry(ZEN4, "test r16,i", {})


def test_more_additions_at_a_time_are_more_ports() -> None:
    points = measured("add r64,r64", many=1 / 6) | {"load_many": Measured(0.25, 0.25, 0.25, 70)}
    wider, names = forms.with_ports(ZEN4, points)
    assert wider.ports[len(ZEN4.ports) :] == ("alu4", "alu5", "agu3")
    assert names == ("ports", "load_ports")
    assert wider.parameters["ports"].value == len(wider.ports)
    assert wider.parameters["load_ports"].value == 0x70 | 1 << 18
    assert groups_of(wider.instructions["add r64,m64"][2]) == ((0x3000F, 1), (0x40070, 1))
    assert forms.with_ports(ZEN4, measured("add r64,r64", many=0.25)) == (ZEN4, ())


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler for the probes")
def test_probes_measure_forms_and_refuse_what_the_cpu_lacks() -> None:
    names = [form.name for form in forms.forms()]
    words = [f"form_chain:{names.index(name)}" for name in ("idiv r32", "add r64,r64")]
    output = program.run((*words, f"form_many:{len(names)}"), 3)
    assert set(output.samples) == set(words)
    assert output.refused == {f"form_many:{len(names)}": "no such form"}
    least = [min(sample.cycles for sample in output.samples[word]) for word in words]
    assert least[1] == pytest.approx(1, abs=0.3)
    assert 5 < least[0] < 100
