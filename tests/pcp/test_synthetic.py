# SPDX-License-Identifier: GPL-2.0-only
"""Synthetic workloads: what a file may say, what may be set, and what is refused."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.pcp import engine
from kassay.labs.pcp.parameters import parameters
from kassay.labs.pcp.simulate import configured
from kassay.labs.pcp.synthetic import GROUP, MACHINE, ZONE, number, synthetic, synthetic_workloads

EACH = pytest.mark.parametrize("name", synthetic_workloads())


@EACH
def test_it_says_what_it_is_and_where_its_numbers_come_from(name: str) -> None:
    workload = synthetic(name)
    assert workload.summary and workload.source


@EACH
def test_every_policy_can_simulate_it(name: str) -> None:
    made = configured(synthetic(name), {"events": "20000", "warmup_events": "0", "duration_ns": "0", "memory": "1GiB"})
    for policy in engine.policies():
        done = engine.run(engine.Config(policy, made.run, made.zones, made.groups))
        assert done.counters["allocations"] + done.counters["frees"] >= 20000


def test_groups_know_every_parameter_of_the_simulator() -> None:
    words = (engine.sources() / "params.def").read_text().split("#ifdef GROUP")[1]
    names = {line[len("GROUP(") :].partition(",")[0] for line in words.splitlines() if line.startswith("GROUP(")}
    assert set(GROUP) == names


def test_every_parameter_that_is_listed_can_be_set_and_the_reverse() -> None:
    listed = {one.name: one for one in parameters()}
    assert len(listed) == len(parameters()) - len({"cpu_first", "cpu_count"}), "of zones and of tasks"
    assert set(listed) == {*MACHINE, *engine.RUN, *ZONE, *GROUP, "instruction_ps", "depth", "tasks_per_cpu"}
    assert all(one.meaning for one in listed.values())


def test_nodes_share_memory_and_cpus() -> None:
    made = configured(synthetic("depth"), {"cpus": "7", "nodes": "2", "memory": "8GiB"})
    assert [(zone["cpu_first"], zone["cpu_count"]) for zone in made.zones] == [(0, 4), (4, 3)]
    assert [(zone["start"], zone["pages"]) for zone in made.zones] == [(0, 1 << 20), (1 << 20, 1 << 20)]


def test_a_setting_reaches_every_group_or_the_one_named() -> None:
    made = configured(synthetic("kbuild"), {"remote": "7", "program.depth": "99"})
    assert [group["remote"] for group in made.groups] == [7, 7, 7]
    assert [(group["depth_min"], group["depth_max"]) for group in made.groups][1] == (99, 99)
    assert made.groups[0]["depth_min"] != 99


def test_costs_follow_from_the_time_of_an_instruction_unless_they_are_set() -> None:
    one = configured(synthetic("depth"), {"instruction_ps": "1000"})
    two = configured(synthetic("depth"), {"instruction_ps": "2000", "lock_ps": "5"})
    assert two.run["refill_block_ps"] == 2 * one.run["refill_block_ps"]
    assert two.run["lock_ps"] == 5
    assert "instruction_ps" not in one.run


def test_a_fraction_fixes_high_as_the_sysctl_does() -> None:
    (zone,) = configured(synthetic("depth"), {"high_fraction": "64"}).zones
    assert zone["high_min"] == zone["high_max"] == (16 << 30) // 4096 // 64 // 8


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cpu": "4"}, "did you mean cpus"),
        ({"cpus": "many"}, "not a whole number"),
        ({"cpus": "2", "nodes": "3"}, "not from 1 to the 2 CPUs"),
        ({"memory": "1MiB"}, "less than 16 MiB"),
        ({"high_fraction": "4"}, "refuses less than 8"),
        ({"events": "0"}, "would never end"),
        ({"warmup_events": "1e9"}, "not less than"),
    ],
)
def test_what_cannot_be_is_refused_with_the_way_out(settings: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput) as refused:
        configured(synthetic("depth"), settings)
    assert words in str(refused.value) and refused.value.remedy


def test_numbers_as_people_write_them() -> None:
    assert [number("n", text) for text in ("12", "1_000", "1e9", "2.5e3", "64KiB", "yes")] == [
        12, 1000, 10**9, 2500, 65536, 1,
    ]  # fmt: skip


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('summary = "s"\n[machine]\nmemory = "1GiB"\nevents = 5\n[[groups]]\nname = "a"\ndepth_max = 9\n')
    workload = synthetic(str(path))
    assert (workload.name, workload.machine["memory"], workload.groups["a"]["depth_max"]) == ("mine", 1 << 30, 9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no [[groups]]"),
        ("groups = 3", "no [[groups]]"),
        ("[[groups]]\ndepht_min = 3", "did you mean depth_min"),
        ('[[groups]]\nname = "a"\n[[groups]]\nname = "a"', "two of this name"),
        ("speed = 1\n[[groups]]", "unknown key 'speed'"),
        ("[[groups", "docs/how-to/pcp.md"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        synthetic(str(path))
    assert words in str(refused.value) and "mine.toml" in str(refused.value)


def test_an_unknown_workload_lists_those_that_there_are() -> None:
    with pytest.raises(BadInput, match="did you mean kbuild"):
        synthetic("kbild")
