# SPDX-License-Identifier: GPL-2.0-only
"""Do samples become the right parameters, is a killed calibration taken up again, and whose machine is a file of?"""

import math
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput, Defect, HostLacks
from kassay.labs.predict.calibrate import calibrate as whole
from kassay.labs.predict.calibrate import machine, others, program, samples
from kassay.labs.predict.calibrate.check import check
from kassay.labs.predict.calibrate.derive import parameters_of
from kassay.labs.predict.calibrate.facts import Facts
from kassay.labs.predict.calibrate.machine import HostMachine
from kassay.labs.predict.calibrate.pairs import learn_file
from kassay.labs.predict.calibrate.points import CHAINS, PARALLEL_KIB, PARALLEL_NEAR_KIB, Group
from kassay.labs.predict.calibrate.samples import Measured
from kassay.labs.predict.calibrate.steps import level, step_of
from kassay.labs.predict.calibrate.text import timing_text
from kassay.labs.predict.changes import SCHEMA, CauseTimes, Change, Changes
from kassay.labs.predict.predictions import timings_for
from kassay.labs.predict.timing import parse, timing_for, timings
from kassay.model.progress import silent
from kassay.model.records import to_json

pytestmark = pytest.mark.slow  # seconds for the whole file

CPUINFO = {"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "17", "model name": "AMD EPYC"}
HOST = HostMachine(arch="x86_64", cpuinfo=CPUINFO, kernel="Linux 6.18", hypervisor="KVMKVMKVM", thp="madvise")
FEW = (Group("a", 2, ("load_chain",)), Group("b", 2, ("mfence_many",)))
OUTPUT = """hz 2000000000
reference 20000
hypervisor KVMKVMKVM
s add_chain 100 50 10000
s add_chain 100 75 10000
u cross_transfer only one CPU is allowed to this process
"""


def exactly(**values: float) -> dict[str, Measured]:
    return {name.replace("__", ":"): Measured(value, value, value, 40) for name, value in values.items()}


ATOMICS = {"lock_interval": 23, "lock_same": 18, "lock_apart": 17, "lock_again": 18, "lock_overwritten": 29}


def facts(measured: dict[str, Measured], l3_mib: int = 32, l1i_kib: int = 32) -> Facts:
    caches = {"l1i": (l1i_kib << 10, 8), "l1d": (32 << 10, 8), "l2": (1 << 20, 8), "l3": (l3_mib << 20, 16)}
    return Facts(measured, caches, {"l2_latency": 14, "walk_step": 2, **ATOMICS})


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """Two groups and a program that answers at once; gives what it was asked."""
    asked: list[tuple[str, ...]] = []

    def run(words: tuple[str, ...], count: int) -> program.Output:
        asked.append(tuple(words))
        text = "".join(f"s {word} 100 50 10000\n" for word in words for _ in range(count))
        return program.parse(f"hz 2000000000\nreference 20000\nhypervisor KVMKVMKVM\n{text}")

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(program, "run", run)
    monkeypatch.setattr(program, "program_id", lambda: "1")
    monkeypatch.setattr(machine, "host_machine", lambda hypervisor: HOST)
    for user in ("calibrate", "check"):
        monkeypatch.setattr(f"kassay.labs.predict.calibrate.{user}.groups", lambda: FEW)
    timing_for.cache_clear()
    return asked


def test_a_sample_is_in_cycles_of_the_chain_beside_it() -> None:
    output = program.parse(OUTPUT)
    assert [sample.cycles for sample in output.samples["add_chain"]] == [1.0, 1.5]
    assert output.samples["add_chain"][0].hz == 4e9
    assert output.refused == {"cross_transfer": "only one CPU is allowed to this process"}
    assert output.hypervisor == "KVMKVMKVM"
    with pytest.raises(Defect, match="printed 'what'"):
        program.parse("what")


def test_a_quantity_is_that_of_the_least_disturbed_repeat_and_has_the_spread_of_all() -> None:
    repeats = []
    for number, quartile in enumerate([9.0, 5.0, 6.0, 7.0, 30.0]):
        point = samples.Point(quartile=quartile, least=quartile - 1, n=5)
        repeats.append(samples.Repeat(repeat=number, group="a", hz=4e9, refused={}, points={"x": point}))
    assert samples.quantities(repeats) == {"x": Measured(5.0, 4.0, 9.0, 25)}
    assert samples.quantities(repeats[:2]) == {"x": Measured(5.0, 4.0, 9.0, 10)}


def test_a_step_is_found_and_noise_before_it_is_not_one() -> None:
    curve = {size: 10.0 if size <= 96 else 30.0 for size in range(16, 208, 8)}
    step = step_of({**curve, 40: 28.0})
    assert step is not None and (step.size, step.after, step.low, step.high) == (96, 104, 96, 104)
    assert step_of(dict.fromkeys(range(16, 208, 8), 10.0)) is None
    assert step_of({16: 1.0, 32: 9.0}) is None


def test_a_step_is_found_although_more_instructions_take_their_own_time() -> None:
    curve = {size: 200.0 + 3 * size + (250 if size > 56 else 0) for size in range(16, 352, 4)}
    assert (step := step_of(curve)) is not None and step.size > 100
    assert (step := step_of(level(curve))) is not None and (step.size, step.after) == (56, 60)


def test_dirty_lines_fill_buffers_and_strings_of_the_second_level() -> None:
    points = exactly(read_lines__256=1.2, write_lines__256=3.2, fill__65536=5325, copy__65536=6554)
    points |= exactly(**{f"parallel__{(n << 20) + PARALLEL_KIB}": 120 / min(n, 4) for n in CHAINS})
    points |= exactly(**{f"parallel__{(n << 20) + PARALLEL_NEAR_KIB}": 17 / min(n, 10) for n in CHAINS})
    found = {name: one.value for name, one in parameters_of(facts(points)).estimates.items()}
    assert found["l2_write"] == pytest.approx(2)
    assert found["fill_buffers"] == 10
    assert (found["rep_store_l2"], found["rep_copy_l2"]) == pytest.approx((5.2, 6.4), rel=0.001)


def test_what_a_large_third_level_holds_is_not_the_rate_of_memory() -> None:
    points = exactly(**{f"chase_local__{kib}": 50 for kib in (4096, 12288, 49152, 131072)}, fill__67108864=5 << 20)
    points |= exactly(read_lines__3072=3, read_lines__131072=3)
    memory = {"memory_interval", "rep_store_memory"}
    assert not memory & parameters_of(facts(points, l3_mib=96)).estimates.keys()
    assert "reads 128 MiB" in parameters_of(facts(points, l3_mib=96)).unknown["memory_interval"]
    shared = exactly(**{f"chase_local__{kib}": 50 if kib < 49152 else 400 for kib in (4096, 12288, 49152, 131072)})
    assert memory <= parameters_of(facts({**points, **shared}, l3_mib=96)).estimates.keys()
    assert memory <= parameters_of(facts(points, l3_mib=32)).estimates.keys()


def test_a_loaded_address_has_a_latency_of_its_own_where_the_relative_has() -> None:
    points = exactly(load_chain=4, load_computed_chain=6, add_chain=1)
    known = facts(points)._replace(like={"l1d_chase": 4})
    found = {name: one.value for name, one in parameters_of(known).estimates.items()}
    assert (found["l1d_latency"], found["l1d_chase"]) == (5, 4)
    assert parameters_of(facts(points)).estimates["l1d_latency"].value == 4


def test_latencies_sizes_and_rates_are_read_from_their_probes() -> None:
    points = exactly(mixed_many=1 / 5.9, load_chain=4, load_split_chain=5, forward_other_chain=8, lock_xadd_chain=8)
    points |= exactly(lock_add_chain=6, lock_add_lines=7, branch_conditional__0=8, branch_conditional__1=18)
    points |= exactly(fill__64=9, fill__96=9, fill__128=30, fill__192=32, fill__256=32, fill__4096=131)
    points |= exactly(copy__64=9, copy__96=9, copy__128=31, copy__192=32, copy__256=32, copy__4096=131)
    points |= exactly(fill_words__168=40, copy_words__168=44)
    points |= exactly(chase_firsts__4096=51, straight_code=4.5)
    points |= exactly(**{f"chase_local__{kib}": cycles for kib, cycles in (
        (16, 4), (256, 14), (2048, 50), (4096, 50), (16384, 390), (131072, 400))})  # fmt: skip
    points |= exactly(**{f"window_mixed__{n}": 600 if n < 320 else 1200 for n in range(64, 704, 16)})
    points |= exactly(**{f"parallel__{(n << 20) + PARALLEL_KIB}": 400 / min(n, 12) for n in CHAINS})
    points |= exactly(**{f"pages_small__{n}": 4 if n <= 64 else 11 for n in (16, 32, 48, 64, 80, 96, 128, 256)})
    points |= exactly(**{f"pages_small__{n}": 22 if n <= 2048 else 60 for n in (1024, 1536, 2048, 3072, 4096, 8192)})
    points |= exactly(**{f"call_depth__{n}": 13 * n + 30 * max(0, n - 31) for n in range(14, 49)})
    found = {name: one.value for name, one in parameters_of(facts(points)).estimates.items()}
    wanted = {
        "width": 6, "mispredict_return": 12,
        "l1d_latency": 4, "l2_latency": 14, "l3_latency": 50, "memory_latency": 400, "lock_latency": 8,
        "lock_interval": 7, "store_forward": 7, "mispredict": 12, "line_split": 1, "rep_store_l1": 1.65,
        "rep_store_start": 25.4, "rep_short_start": 7.35, "rep_short_bytes": 127,
        "rep_short_stores": 1, "rep_word_start": 44 - 168 / 64 * 1.65, "prefetch_adjacent": 0,
        "l1i_prefetch": 3, "rob": 312, "fill_buffers": 12, "dtlb_entries": 64, "stlb_latency": 7,
        "stlb_entries": 2048, "walk_start": 22, "return_stack": 32, "l3_lifetime": (4 << 20) // 64 * 225,
        "l3_size": 32 << 20, "l3_ways": 16,
    }  # fmt: skip
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)
    assert "store_queue" not in found


def test_atomics_apart_are_as_those_at_once_unless_the_relative_tells_them_apart() -> None:
    found = parameters_of(facts(exactly(lock_add_chain=6, lock_add_lines=7))).estimates
    assert found["lock_again"].value == 7
    assert not found.keys() & {"lock_apart", "lock_overwritten"}


def test_atomics_and_fences_are_measured_among_other_instructions() -> None:
    points = exactly(lock_add_chain=18, lock_add_lines=21.5, lock_lines_apart=17.2)
    points |= exactly(lfence_many=4.3, lfence_apart=17.2, add_chain=1)
    found = {name: one.value for name, one in parameters_of(facts(points)).estimates.items()}
    assert (found["lock_interval"], found["lock_apart"]) == (21.5, 17.2)
    assert found["fence_load"] == pytest.approx(9.2)


@pytest.mark.parametrize(("both", "blocks"), [(32, 0), (50, 1)])
def test_loads_wait_for_an_atomic_if_a_chain_of_them_takes_longer_behind_it(both: float, blocks: int) -> None:
    points = exactly(lock_add_chain=18, load_chain=4, lock_then_load=both)
    assert parameters_of(facts(points)).estimates["lock_blocks_loads"].value == blocks


def test_a_decision_that_noise_can_turn_has_both_values_in_its_bounds() -> None:
    quiet = exactly(lock_add_chain=18, load_chain=4, lock_then_load=32, lock_after_store=30)
    quiet |= exactly(chase_local__4096=50, chase_firsts__4096=52)
    noisy = {name: point._replace(low=point.value * 0.7, high=point.value * 1.4) for name, point in quiet.items()}
    for name, value in (("lock_blocks_loads", 0), ("lock_drains_stores", 1), ("prefetch_adjacent", 0)):
        sure, unsure = (parameters_of(facts(points)).estimates[name] for points in (quiet, noisy))
        assert (sure.value, sure.low, sure.high) == (value, value, value)
        assert (unsure.value, unsure.low, unsure.high) == (value, 0, 1)


def test_lines_come_in_pairs_where_a_chase_through_both_of_each_is_quicker() -> None:
    for firsts, adjacent in ((52, 0), (90, 1)):
        points = exactly(chase_local__4096=50, chase_firsts__4096=firsts, chase_firsts__512=20)
        assert parameters_of(facts(points)).estimates["prefetch_adjacent"].value == adjacent


def test_strings_without_a_quick_start_have_no_short_ones() -> None:
    points = exactly(copy__64=30, copy__96=31, copy__128=31, copy__192=32, copy__256=33, copy__4096=131)
    assert parameters_of(facts(points)).estimates["rep_short_bytes"].value == 0


def test_copies_may_have_a_quick_start_and_fills_none() -> None:
    points = exactly(copy__64=9, copy__96=9, copy__128=31, copy__192=32, copy__256=32, copy__4096=131)
    points |= exactly(fill__64=30, fill__96=31, fill__128=31, fill__192=32, fill__256=33, fill__4096=131)
    found = parameters_of(facts(points)).estimates
    assert (found["rep_short_bytes"].value, found["rep_short_stores"].value) == (127, 0)


def test_lines_of_a_page_that_are_fetched_ahead_are_not_the_latency_of_the_third_level() -> None:
    near, far = dict.fromkeys((4096, 6144, 8192, 12288), 65.0), dict.fromkeys((49152, 65536, 131072), 245.0)
    points = exactly(**{f"chase_local__{kib}": cycles for kib, cycles in {**near, **far}.items()})
    known = facts(points | exactly(chase_huge__4096=124, chase_huge__131072=563), l3_mib=480)
    found = {name: one.value for name, one in parameters_of(known).estimates.items()}
    assert (found["l3_size"], found["l3_latency"], found["memory_latency"]) == (480 << 20, 124, 563)
    known = facts(points | exactly(chase_huge__4096=70, chase_huge__131072=260), l3_mib=480)
    found = {name: one.value for name, one in parameters_of(known).estimates.items()}
    assert (found["l3_latency"], found["memory_latency"]) == (65, 245)


def test_a_machine_without_renamed_stores_or_xadd_has_other_probes_for_the_same() -> None:
    found = parameters_of(facts(exactly(forward_chain=5, exclusive_add_chain=9))).estimates
    assert (found["store_forward"].value, found["lock_latency"].value) == (4, 9)
    assert "exclusive_add_chain" in found["lock_latency"].how


@pytest.mark.parametrize("name", sorted(timings()))
def test_a_timing_file_is_written_as_it_is_read(name: str) -> None:
    timing = timing_for(name)
    assert parse(timing_text(timing), name) == timing


def test_a_calibration_says_what_it_measured_and_marks_the_rest(probes: list[tuple[str, ...]]) -> None:
    done = whole.calibrate("mine", like="", repeats=3, fresh=False, tell=silent)
    timing = timing_for("mine")
    assert timing == done.timing and timing.calibrated and timing.machine is not None
    load, width = timing.parameters["l1d_latency"], timing.parameters["width"]
    assert (load.value, "6 samples in 3 repeats" in load.source) == (1, True)
    assert width.value == timing_for("zen4").parameters["width"].value
    assert width.source.startswith("not measured, as of zen4: ")
    assert "l1d_latency" in done.measured and "width" in done.left
    assert timing.machine.missing["invlpg"].startswith("privileged")
    assert (timing.machine.cpuinfo, timing.machine.hypervisor) == (CPUINFO, "KVMKVMKVM")
    assert timing.ghz.value == 4.0 and timing.interval.n == 0
    assert not list(done.path.parent.glob(".*.samples"))


def test_a_file_names_the_cpus_that_others_used_meanwhile(
    probes: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(others, "cpus_since", lambda before: 1.5)
    done = whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    assert done.others == 1.5 and timing_for("mine").summary.endswith("calibrated while others used 1.5 CPUs")


def test_values_of_a_busy_host_are_refused_with_its_load(
    probes: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def disturbed(words: tuple[str, ...], count: int) -> program.Output:
        text = "".join(f"s {word} 100 900000 10000\n" for word in words for _ in range(count))
        return program.parse(f"hz 2000000000\nreference 20000\nhypervisor KVMKVMKVM\n{text}")

    monkeypatch.setattr(program, "run", disturbed)
    monkeypatch.setattr(machine, "load", lambda: (5.25, 2))
    with pytest.raises(HostLacks, match=r"parameters\.\w+: .*5\.2 tasks on 2 CPUs") as refused:
        whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    assert "--fresh" in refused.value.remedy


def test_a_killed_calibration_goes_on_where_it_was(
    probes: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answering = program.run

    def killed(words: tuple[str, ...], count: int) -> program.Output:
        if len(probes) == 4:
            raise KeyboardInterrupt
        return answering(words, count)

    monkeypatch.setattr(program, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        whole.calibrate("mine", like="", repeats=2, fresh=False, tell=silent)
    monkeypatch.setattr(program, "run", answering)
    probes.clear()
    done = whole.calibrate("mine", like="", repeats=2, fresh=False, tell=silent)
    assert done.began == 3
    assert probes == [("add_chain",), ("mfence_many",)]


def test_a_journal_that_was_cut_in_a_line_loses_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "j"
    repeat = samples.Repeat(repeat=0, group="a", hz=1.0, points={}, refused={})
    assert samples.begin(path, HOST, "1") == []
    samples.add(path, repeat)
    with path.open("ab") as file:
        file.write(b'{"repeat":1,"gro')
    assert samples.begin(path, HOST, "1") == [repeat]
    samples.add(path, replace(repeat, repeat=1))
    assert len(samples.begin(path, HOST, "1")) == 2
    assert samples.begin(path, HOST, "2") == []
    with pytest.raises(BadInput, match="begun on another machine"):
        samples.begin(path, replace(HOST, cpuinfo={"model": "1"}), "2")


def test_a_name_of_kassays_and_a_file_of_another_machine_are_refused(
    probes: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="zen4: kassay has a timing file of that name"):
        whole.calibrate("zen4", like="", repeats=1, fresh=False, tell=silent)
    with pytest.raises(BadInput, match="no name for a timing file"):
        whole.calibrate("../x", like="", repeats=1, fresh=False, tell=silent)
    monkeypatch.setattr(machine, "host_machine", lambda hypervisor: replace(HOST, arch="arm64"))
    with pytest.raises(BadInput, match="a CPU of x86_64, and this machine is arm64"):
        whole.calibrate("mine", like="zen4", repeats=1, fresh=False, tell=silent)
    monkeypatch.setattr(machine, "host_machine", lambda hypervisor: HOST)
    whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    other = replace(HOST, cpuinfo={**CPUINFO, "model": "1"})
    monkeypatch.setattr(machine, "host_machine", lambda hypervisor: other)
    with pytest.raises(BadInput, match="calibrated on another machine: model: 17 in the file, 1 here"):
        whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    with pytest.raises(BadInput, match="calibrated on another machine: model: 17"):
        check("mine", silent)
    with pytest.raises(BadInput, match="not written by kassay calibrate"):
        check("zen4", silent)
    monkeypatch.setattr(machine, "host_machine", lambda hypervisor: replace(HOST, hypervisor=""))
    with pytest.raises(BadInput, match="another machine: hypervisor: KVMKVMKVM in the file, none here"):
        whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)


@pytest.mark.parametrize("name", ["zen4", "zen_4"])
def test_a_name_of_kassays_is_refused_with_out_as_well(
    name: str, probes: list[tuple[str, ...]], tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=f"{name}: kassay has a timing file of that name"):
        whole.calibrate(name, like="zen4", repeats=1, fresh=False, tell=silent, out=tmp_path / "mybox.toml")
    with pytest.raises(BadInput, match="no name for a timing file"):
        whole.calibrate("My Box", like="zen4", repeats=1, fresh=False, tell=silent, out=tmp_path / "mybox.toml")
    assert not probes and not (tmp_path / "mybox.toml").exists()


def test_host_is_refused_where_its_file_came_from_another_machine(probes: list[tuple[str, ...]]) -> None:
    whole.calibrate("host", like="", repeats=1, fresh=False, tell=silent)
    path = timings()["host"]
    path.write_text(path.read_text().replace('model = "17"', 'model = "99"'))
    timing_for.cache_clear()
    timings_for(["zen4", str(path)], "x86_64")
    for name in ("host", "Host", "h-ost"):
        with pytest.raises(BadInput, match="host: calibrated on another machine: "):
            timings_for(["zen4", name], "x86_64")


def test_a_check_names_what_is_no_longer_so(probes: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    done = whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    assert check("mine", silent).differing == []
    slow = replace(done.timing.parameters["l1d_latency"], value=9.0, low=9.0, high=9.0)
    changed = replace(done.timing, parameters={**done.timing.parameters, "l1d_latency": slow})
    done.path.write_text(timing_text(changed))
    timing_for.cache_clear()
    again = check("mine", silent)
    assert again.differing == [("l1d_latency", 9.0, 1.0)] and again.compared > 1


def test_a_check_compares_the_clock_and_system_instructions(probes: list[tuple[str, ...]]) -> None:
    done = whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    slow = replace(done.timing.ghz, value=1.5, low=1.4, high=1.6)
    fence = replace(done.timing.system["mfence"], value=50.0, low=49.0, high=51.0)
    changed = replace(done.timing, ghz=slow, system={**done.timing.system, "mfence": fence})
    done.path.write_text(timing_text(changed))
    timing_for.cache_clear()
    assert check("mine", silent).differing == [("ghz", 1.5, 4.0), ("mfence", 50.0, 1.0)]


def test_pairs_make_the_interval_of_their_own_file_and_of_no_other(
    probes: list[tuple[str, ...]], tmp_path: Path
) -> None:
    whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent)
    causes = (CauseTimes(cause="width", base_ns=100, head_ns=200),)
    pairs = tuple(Change(name=f"c{n}", base_ns=100, head_ns=200 * math.exp(n / 100), causes=causes) for n in range(12))
    path = tmp_path / "pairs.json"
    path.write_bytes(to_json(Changes(schema=SCHEMA, cpu="mine", pairs=pairs)))
    written, learned = learn_file("mine", path, None)
    assert timing_for("mine").interval == learned.table
    assert learned.table.n == 12 and learned.table.causes == {"width": 12}
    assert written.name == "mine.toml"
    again = whole.calibrate("mine", like="", repeats=1, fresh=False, tell=silent).timing.interval
    assert replace(again, source="") == replace(learned.table, source="") and "; learned with" in again.source
    path.write_bytes(to_json(Changes(schema=SCHEMA, cpu="zen3", pairs=pairs)))
    with pytest.raises(BadInput, match="predicted with the timing file 'zen3', not with 'mine'"):
        learn_file("mine", path, None)
    with pytest.raises(BadInput, match="zen3 is a file of kassay's own"):
        learn_file("zen3", path, None)
