# SPDX-License-Identifier: GPL-2.0-only
"""Does the core model, with the values of a calibrated file, take the time that the probes took on that machine?"""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.labs.predict.calibrate import machine
from kassay.labs.predict.calibrate.calibrate import timing_of
from kassay.labs.predict.calibrate.derive import parameters_of
from kassay.labs.predict.calibrate.facts import Facts
from kassay.labs.predict.calibrate.forms import forms
from kassay.labs.predict.calibrate.machine import HostMachine
from kassay.labs.predict.calibrate.samples import Measured, Point, Repeat
from kassay.labs.predict.calibrate.text import timing_text
from kassay.labs.predict.core import replay
from kassay.labs.predict.timing import ASSUMED, Quantity, Timing, parse, timing_for
from tests.predict.runs import each, loop, rounds
from tests.predict.tokens import insn

pytestmark = pytest.mark.slow  # seconds for the whole file

CALIBRATED = ("zen4_kvm", "zen5")
HOST = HostMachine(arch="x86_64", cpuinfo={}, kernel="Linux 6.18", hypervisor="", thp="madvise")
BLOCK = 2048
"""Lines of 32 pages, inside of which a chase is in random order."""
CASCADE_LAKE = {
    "chase_local:128": Measured(14.0, 14.0, 14.04, 300), "chase_local:3072": Measured(32.13, 31.44, 160.63, 300),
    "chase_local:131072": Measured(125.28, 121.32, 176.9, 300),
    "chase_firsts:3072": Measured(48.66, 48.49, 87.69, 300),
    "chase_firsts:131072": Measured(222.71, 221.33, 284.41, 300),
}  # fmt: skip
"""30 repeats on a Xeon, family 6, model 85, stepping 7, under KVM, whose lines come in pairs."""


def load_of(timing: Timing) -> str:
    """A load of the next load's address."""
    ports = f"{int(timing.parameters['load_ports'].value):x}x1"
    return insn(latency=0, address="1", writes="1", load=8, ports=ports)


def chase_cycles(timing: Timing, kib: int, directory: Path, *, firsts: bool) -> float:
    """Cycles of an access of the probe chase_local, or chase_firsts, as the core model predicts them."""
    chosen, step = random.Random(1), 2 if firsts else 1
    blocks = [list(range(at, at + BLOCK, step)) for at in range(0, kib * 16, BLOCK)]
    chosen.shuffle(blocks)
    for block in blocks:
        chosen.shuffle(block)
    order = [line for block in blocks for line in block]
    warm = len(order) if kib <= 8192 else 2 * BLOCK
    tokens, block_of_load = loop([load_of(timing)])
    rounds(tokens, warm, 20000,
           lambda n: tokens.run(block_of_load, (0, (1 << 32) + 64 * order[n % len(order)], False)))  # fmt: skip
    return each(replay(timing.params_text(), tokens.program(), tokens.write(directory / "trace")), 20000)


def wrong_chases(timing: Timing, points: Mapping[str, Measured | Quantity], directory: Path) -> dict[str, float]:
    """Predicted cycles of each chase beyond the second level that is not within the bounds of what was measured, by
    more than 15 %. First lines of pairs are chased where the file says that lines come in pairs."""
    wrong = {}
    kinds = ("chase_local", "chase_firsts") if timing.parameters["prefetch_adjacent"].value else ("chase_local",)
    for kind in kinds:
        for kib in (3072, 65536, 131072):
            point = points.get(f"{kind}:{kib}")
            if point is None:
                continue
            cycles = chase_cycles(timing, kib, directory, firsts=kind == "chase_firsts")
            if not 0.85 * point.low <= cycles <= 1.15 * point.high:
                wrong[f"{kind}:{kib}"] = cycles
    return wrong


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_calibrated_file_predicts_its_own_chases(name: str, tmp_path: Path) -> None:
    timing = timing_for(name)
    assert timing.machine is not None
    assert wrong_chases(timing, timing.machine.measured, tmp_path) == {}


def test_latencies_of_a_cpu_whose_lines_come_in_pairs_are_those_of_first_lines(tmp_path: Path) -> None:
    timing = timing_for("cascadelake_sp")
    like = {name: quantity.value for name, quantity in timing.parameters.items()}
    caches = {"l1d": (32 << 10, 8), "l2": (1 << 20, 16), "l3": (36608 << 10, 11)}
    found = parameters_of(Facts(CASCADE_LAKE, caches, like)).estimates
    assert (found["l3_latency"].value, found["memory_latency"].value) == (48.66, 222.71)
    changed = {
        name: replace(timing.parameters[name], value=one.value, low=one.low, high=one.high)
        for name, one in found.items()
    }
    calibrated = replace(timing, parameters={**timing.parameters, **changed})
    assert wrong_chases(calibrated, CASCADE_LAKE, tmp_path) == {}


def atomic_cycles(timing: Timing, lines: int, directory: Path, *, chained: bool) -> float:
    """Cycles of an atomic addition, on `lines` lines in turn. chained: each adds what the one before has loaded."""
    data, ports = ("1", "1") if chained else ("3", "2"), f"{int(timing.parameters['load_ports'].value):x}x1"
    atomic = insn(lock=1, address="5", data=data[0], writes=data[1], load=8, store=8, ports=ports)
    tokens, block = loop([atomic] * lines)
    accesses = [(n, 0x10000 + 64 * n, stores) for n in range(lines) for stores in (False, True)]
    rounds(tokens, 1000, 1000, lambda _: tokens.run(block, *accesses))
    return each(replay(timing.params_text(), tokens.program(), tokens.write(directory / "trace")), 1000) / lines


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_calibrated_file_predicts_its_own_atomics(name: str, tmp_path: Path) -> None:
    timing = timing_for(name)
    assert timing.machine is not None
    points = timing.machine.measured
    predicted = {
        "lock_xadd_chain": atomic_cycles(timing, 1, tmp_path, chained=True),
        "lock_add_lines": atomic_cycles(timing, 4, tmp_path, chained=False),
        # On one line the model has the interval of several: see _lock_interval().
        "lock_add_chain": atomic_cycles(timing, 1, tmp_path, chained=False),
    }
    limits = {point: (points[point].low, points[point].high) for point in predicted}
    limits["lock_add_chain"] = (points["lock_add_chain"].low, timing.parameters["lock_interval"].high)
    wrong = {point: cycles for point, cycles in predicted.items()
             if not 0.95 * limits[point][0] <= cycles <= 1.05 * limits[point][1]}  # fmt: skip
    assert wrong == {}


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_calibrated_file_has_the_atomics_that_follow_from_its_points(name: str) -> None:
    timing = timing_for(name)
    assert timing.machine is not None
    points = {word: Measured(one.value, one.low, one.high, 1) for word, one in timing.machine.measured.items()}
    like = {key: quantity.value for key, quantity in timing_for("zen4").parameters.items()}
    found = parameters_of(Facts(points, {}, like)).estimates
    atomics = {key: one.value for key, one in found.items() if key.startswith("lock_")}
    assert {"lock_value", "lock_same", "lock_apart", "lock_again", "lock_overwritten"} <= atomics.keys()
    assert {key: timing.parameters[key].value for key in atomics} == atomics


@pytest.mark.parametrize(
    ("reported", "lacks"),
    [
        ({"l1d": (32 << 10, 8), "l2": (1 << 20, 8)}, {"l3_latency": "l3", "memory_latency": "l3", "l3_size": "l3"}),
        ({}, {"l2_latency": "l1d", "l3_latency": "l2", "memory_latency": "l3", "prefetch_adjacent": "l2"}),
    ],
)
def test_latencies_are_not_measured_where_the_size_of_a_cache_is_unknown(
    reported: dict[str, tuple[int, int]], lacks: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    zen4, kib = timing_for("zen4"), {16: 4, 128: 14, 3072: 45, 65536: 370}
    points = {f"{kind}:{size}": Point(quartile=cycles, least=cycles, n=12)
              for kind in ("chase_local", "chase_firsts") for size, cycles in kib.items()}  # fmt: skip
    monkeypatch.setattr(machine, "caches", lambda: reported)
    repeat = Repeat(repeat=0, group="a", hz=4e9, points=points, refused={})
    timing = timing_of("mine", HOST, zen4, [repeat])
    assert timing.machine is not None
    for name, cache in lacks.items():
        assert timing.parameters[name].value == zen4.parameters[name].value
        assert timing.parameters[name].source.startswith("not measured, as of zen4: ")
        assert f"the size of the {cache} cache" in timing.machine.missing[name]


@pytest.mark.parametrize("relative", ["zen4", "zen4_kvm"])
def test_changes_that_were_measured_on_a_relative_are_not_those_of_this_machine(relative: str) -> None:
    point = Point(quartile=1, least=1, n=12)
    repeat = Repeat(repeat=0, group="a", hz=4e9, points={"add_chain": point}, refused={})
    timing = timing_of("mine", HOST, timing_for(relative), [repeat])
    interval = parse(timing_text(timing, relative), "mine.toml").interval
    assert (interval.n, interval.causes, interval.weights) == (0, {}, {})
    assert interval.quantile == timing_for("zen3").interval.quantile
    assert "no changes were measured here" in interval.source


def test_a_file_like_one_with_measured_changes_has_none() -> None:
    text = 'name = "mine"\nlike = "zen4_kvm"\nsummary = "mine"\ncalibrated = false\n[parameters]\n'
    interval = parse(text, "mine.toml").interval
    assert (interval.n, interval.causes, interval.quantile) == (0, {}, timing_for("zen3").interval.quantile)
    assert interval.source.startswith("no changes were measured on this CPU")
    own = parse(
        text + '[interval]\nlevel = 0.9\nquantile = 0.5\nn = 12\nsource = "measured"\ncauses = {}\n', "mine.toml"
    ).interval
    assert (own.n, own.quantile) == (12, 0.5)


def test_a_calibration_marks_lines_of_its_relative() -> None:
    repeat = Repeat(repeat=0, group="a", hz=4e9, points={}, refused={})
    level, known = timing_of("mine", HOST, timing_for("zen4"), [repeat]).lines[0], timing_for("zen4").lines[0]
    assert (level.ns.status, level.ns.source) == (ASSUMED, f"not measured, as of zen4: {known.ns.source}")
    assert level.cpus_source == f"not measured, as of zen4: {known.cpus_source}"


def test_a_calibration_marks_overrides_of_its_relative() -> None:
    number = next(n for n, form in enumerate(forms()) if form.name == "mov r64,r64")
    point = Point(quartile=0.2, least=0.2, n=12)
    repeat = Repeat(repeat=0, group="a", hz=4e9, points={f"form_many:{number}": point}, refused={})
    zen4 = timing_for("zen4")
    timing = timing_of("mine", HOST, zen4, [repeat])
    sources = {form: override.source for override in timing.overrides for form in override.forms}
    (atomic,) = (override.source for override in zen4.overrides if "lock *" in override.forms)
    (move,) = (override.source for override in zen4.overrides if "mov r64,r64" in override.forms)
    assert sources["lock *"] == f"not measured, as of zen4: {atomic}"
    assert sources["mov r32,r32"] == f"not measured, as of zen4: {move}"
    how = "as of zen4; measured forms agree with it unless an override above has them"
    assert sources["mov r64,r64"] == f"{how}: {move}"
    assert timing.fusion.source == f"not measured, as of zen4: {zen4.fusion.source}"
    relative = timing_for("graniterapids")
    rules = timing_of("mine", HOST, relative, [repeat]).micro_ops
    assert [rule.source for rule in rules] == [
        f"not measured, as of graniterapids: {rule.source}" for rule in relative.micro_ops
    ]
    assert rules


def test_a_missing_value_is_said_to_have_no_probe_only_if_there_is_none() -> None:
    repeat = Repeat(repeat=0, group="a", hz=4e9, points={"add_chain": Point(quartile=1, least=1, n=12)}, refused={})
    machine_section = timing_of("mine", HOST, timing_for("zen4"), [repeat]).machine
    assert machine_section is not None
    missing = machine_section.missing
    for name in ("return_stack", "l1d_chase"):
        assert missing[name] == "its probe shows nothing here: the value of the nearest CPU stands"
    for name in ("btb_entries", "lock_again"):
        assert missing.get(name) == "no probe of it: the value of the nearest CPU stands", name
