# SPDX-License-Identifier: GPL-2.0-only
"""A machine's state is chosen: init sets it, the audit reads it, requirements are checked, and it is read back."""

import pytest
from msgspec import structs

from kassay.model.guest import CapturedFile, GuestReport
from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.supply.guest import audit, state
from tests.analysis.plans import WORKLOAD

PLAIN = MachineUse(arch="x86_64", clock="icount", cpus=1, memory_bytes=1 << 30)
CHOSEN = MachineUse(
    arch="x86_64", clock="icount", cpus=2, memory_bytes=1 << 30, nodes=2, thp="never", mthp="4=always,2=never",
    swap="zram:64MiB", memcg="32MiB", dirty_ratio="10", percpu_high_fraction="800",
    sched="fifo", sampled="zoneinfo",
)  # fmt: skip
NOTHING: dict[str, dict[str, str | None]] = {"before": {}, "after": {}}
LATER: dict[str, str | None] = {"memcg.group": None, "sched.rt_runtime_us": "950000"}


def test_of_a_machine_as_it_is_nothing_is_set_read_or_required() -> None:
    assert (state.init_lines(PLAIN), state.program_words(PLAIN)) == ((), ())
    assert state.modules(WORKLOAD, (), PLAIN.swap) == ()
    assert state.requirements(PLAIN, NOTHING) == ()


def test_init_is_told_every_setting() -> None:
    thp = "/sys/kernel/mm/transparent_hugepage"
    assert state.init_lines(CHOSEN) == (
        f"control={thp}/enabled never",
        f"control={thp}/hugepages-64kB/enabled always",
        f"control={thp}/hugepages-16kB/enabled never",
        "control=/proc/sys/vm/dirty_ratio 10",
        "control=/proc/sys/vm/percpu_pagelist_high_fraction 800",
        f"swap_bytes={64 << 20}",
        f"memcg_bytes={32 << 20}",
        "fifo=1",
    )


def test_a_run_needs_the_modules_of_its_workload_and_of_its_swap_each_once() -> None:
    zram, held = (Setting(name="swap", value="zram"),), (Setting(name="holds", value="swap"),)
    for settings, swap in (((), CHOSEN.swap), (zram, ""), (zram, CHOSEN.swap), (held, "")):
        assert state.modules(structs.replace(WORKLOAD, modules=("dummy",)), settings, swap) == ("dummy", "zram")


def test_everything_that_is_set_must_be_found_before_and_after() -> None:
    captured = {"before": LATER, "after": LATER}
    wanted = {(one.moment, one.field, one.value) for one in state.requirements(CHOSEN, captured)}
    fields = {
        ("nodes.online", "0-1"), ("thp.enabled", "never"), ("thp.64kB", "always"), ("thp.16kB", "never"),
        ("swap.devices", "1"), ("zram.disksize", str(64 << 20)), ("memcg.max", str(32 << 20)),
        ("memcg.group", "/kassay"), ("vm.dirty_ratio", "10"), ("vm.percpu_pagelist_high_fraction", "800"),
        ("sched.policy", "fifo"), ("sched.rt_runtime_us", "-1"),
    }  # fmt: skip
    assert wanted == {(moment, *field) for field in fields for moment in ("before", "after")}


def test_a_run_of_an_earlier_version_need_not_have_what_it_did_not_capture() -> None:
    wanted = {one.field for one in state.requirements(CHOSEN, NOTHING)}
    assert {"memcg.max", "sched.policy"} <= wanted and wanted.isdisjoint(LATER)


def report(**files: str) -> GuestReport:
    captured = tuple(CapturedFile(moment="before", path=path, content=text) for path, text in files.items())
    return GuestReport(
        workload="w", clock="tsc", ticks_per_second=None, overhead_ticks=0, phases=(), requirements=(), files=captured,
        check="ok",
    )  # fmt: skip


def test_pages_are_counted_on_each_node_for_the_measured_range_alone() -> None:
    maps = (
        "00400000 default file=/workload mapped=10 N0=10 kernelpagesize_kB=4\n"
        "7f0000000000 bind:1 anon=5 dirty=5 N0=2 N1=3 kernelpagesize_kB=4\n"
        "7f0000005000 default anon=1 dirty=1 N1=1 kernelpagesize_kB=4\n"
        "not a line\n"
    )
    files = {"kassay/range": "start 0x7f0000000000 length 20480\n", "/proc/self/numa_maps": maps}
    found = audit.fields(report(**files), "before")
    assert {name: value for name, value in found.items() if name.startswith("numa.")} == {
        "numa.N0": "2", "numa.N1": "3", "numa.policy": "bind:1",
    }  # fmt: skip


def test_a_cgroup_is_read_with_its_events_and_the_group_of_the_workload() -> None:
    group = "/sys/fs/cgroup/kassay/"
    own = "1:name=systemd:/\n0::/inner/inner\n"
    files = {f"{group}memory.max": "4096\n", f"{group}memory.events": "max 3\noom 0\n", "/proc/self/cgroup": own}
    found = audit.fields(report(**files), "before")
    assert found["memcg.group"] == "/inner/inner"
    assert (found["memcg.max"], found["memcg.events.max"], found["memcg.events.oom"]) == ("4096", "3", "0")


@pytest.mark.parametrize(("number", "name"), [(0, "other"), (1, "fifo"), (4, None)])
def test_the_policy_of_a_task_is_found_behind_any_name(number: int, name: str | None) -> None:
    words = ["0"] * 52
    words[2 - 1], words[41 - 1] = "(a) b 1 (c)", str(number)
    assert audit.fields(report(**{"/proc/self/stat": " ".join(words) + "\n"}), "before")["sched.policy"] == name


@pytest.mark.parametrize("text", ["disk:64MiB", "zram:", "zram", "64MiB", "zram:much"])
def test_another_kind_of_swap_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        state.swap_bytes(text)
