# SPDX-License-Identifier: GPL-2.0-only
"""Deferred work in a profile: rows and entries of its own, left out as a whole, and absent from files of version 1."""

import pytest

from kassay.evidence.profile.counters import DEFERRED, DeferredCount, ProfileError, RawProfile
from kassay.evidence.profile.deferred import ticks_without_deferred, without_deferred
from kassay.evidence.profile.deferring_functions import points
from kassay.evidence.profile.functions import profile_of, summary_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.model.kernel_share import SHARED, EntryCost
from kassay.model.profile import DeferredWork, Profile
from tests.profile.files import KERNEL, NOP, File, report, table

OTHER, WORK, RCU = 2, DEFERRED[0], DEFERRED[1]
NAMES = ("__x64_sys_read", "free_later")
TABLE = Symbols.load(
    [table(*((KERNEL + 16 * number, 16, name) for number, name in enumerate(NAMES))),
     table((0x401000, 16, "main"), place="program")], {},
)  # fmt: skip


def measured() -> RawProfile:
    """A system call of 10 instructions whose work item executes 4 and whose callback 3; another task executes 2."""
    file = File(mode="stacks", version=2)
    file.deferred = ["d work 2 1 1", "d rcu 5 5 0"]
    roots = [file.node(None, 0) for _ in range(8)]
    user = file.node(roots[0], 0x401000)
    read = file.node(user, KERNEL)
    later, foreign = file.node(read, KERNEL + 16), file.node(roots[OTHER], KERNEL + 16)
    file.count(file.entered(read), 3)
    blocks = [file.block(KERNEL, NOP), file.block(KERNEL + 16, NOP)]
    file.count(read, 10)
    file.count(blocks[0], 10)
    for slot, count in ((WORK, 4), (RCU, 3)):
        file.count(later, count, slot=slot)
        file.count(blocks[1], count, slot=slot)
    file.count(foreign, 2, slot=OTHER)
    file.count(blocks[1], 2, slot=OTHER)
    return parse(file.bytes())


def profile(raw: RawProfile, ticks: int) -> Profile:
    return profile_of(raw, TABLE, report(ticks), phase="work", rounds=(0,), kernel="k", run="r")


def test_deferred_work_has_rows_of_its_own_below_the_entry_that_queued_it() -> None:
    found = profile(measured(), 19)
    assert found.problem == ""
    rows = {(cost.function, cost.context): cost.instructions for cost in found.functions}
    assert rows == {
        ("__x64_sys_read", "kernel"): 10, ("free_later", "work-item"): 4, ("free_later", "rcu-callback"): 3,
        ("free_later", "other"): 2,
    }  # fmt: skip
    assert found.entries == (EntryCost(kind="system call", name="read", count=17, times=3, deferred=7),)
    assert found.stacks is not None and {(*cost.path, str(cost.count)) for cost in found.stacks} == {
        ("kernel", "main", "__x64_sys_read", "10"), ("work-item", "main", "__x64_sys_read", "free_later", "4"),
        ("rcu-callback", "main", "__x64_sys_read", "free_later", "3"), ("other", "free_later", "2"),
    }  # fmt: skip


def test_a_kworker_s_way_to_an_item_has_a_row_of_its_own() -> None:
    """It hangs below no entry of the workload, and is no entry code of it either."""
    file = File(mode="stacks", version=2)
    roots = [file.node(None, 0) for _ in range(8)]
    read = file.node(file.node(roots[0], 0x401000), KERNEL)
    way = file.node(roots[OTHER], KERNEL + 16)
    blocks = [file.block(KERNEL, NOP), file.block(KERNEL + 16, NOP)]
    for node, block, slot, count in ((read, blocks[0], 0, 10), (way, blocks[1], WORK, 5), (way, blocks[1], OTHER, 2)):
        file.count(node, count, slot=slot)
        file.count(block, count, slot=slot)
    found = profile(parse(file.bytes()), 17)
    assert found.problem == "" and found.entries is not None
    assert {(cost.kind, cost.name): (cost.count, cost.deferred) for cost in found.entries} == {
        ("system call", "read"): (10, 0), (SHARED, "kworkers"): (5, 5),
    }  # fmt: skip


def test_the_region_tells_how_much_was_done_and_what_is_outstanding() -> None:
    summary = summary_of(measured(), TABLE, report(19))
    assert dict(summary.counts) == {
        "user": 0, "kernel": 10, "interrupt": 0, "other": 2, "idle": 0, "work-item": 4, "rcu-callback": 3,
    }  # fmt: skip
    assert summary.deferred == (
        DeferredWork(context="work-item", count=4, queued=2, outstanding=1),
        DeferredWork(context="rcu-callback", count=3, queued=5, outstanding=0),
    )


def test_without_deferred_work_rows_and_ticks_still_add_up() -> None:
    raw = measured()
    assert ticks_without_deferred(report(19), raw).phases[0].ticks == (12,)
    found = profile(without_deferred(raw), 12)
    assert found.problem == "" and {cost.context for cost in found.functions} == {"kernel", "other"}
    assert found.entries == (EntryCost(kind="system call", name="read", count=10, times=3),)


def test_a_file_of_version_1_follows_no_kind() -> None:
    file = File()
    file.count(file.block(KERNEL, NOP), 5, slot=OTHER)
    raw = parse(file.bytes())
    assert raw.deferred == () and raw.sums([1], [0])[OTHER] == {0: 5}
    assert parse(File(version=2).bytes()).deferred == ()


def test_kinds_are_read_once_each() -> None:
    file = File(version=2)
    file.deferred = ["d irq_work 3 2 1"]
    assert parse(file.bytes()).deferred == (DeferredCount(DEFERRED[2], 3, 2, 1),)
    file.deferred *= 2
    with pytest.raises(ProfileError, match="'irq_work' appears twice"):
        parse(file.bytes())


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("queue_work_on", "work_queues 10 20\n"),
        ("__queue_work", "work_queued 10 11\n"),
        ("__call_rcu_common", "rcu_queues 10 20\nwork_queued 10 11\nrcu_queued 10 11\n"),
        ("process_one_work", "work_runs 10 20\n"),
        ("call_timer_fn", "timer_runs 10 20\n"),
        ("__cancel_work", "work_cancels 10 20\n"),
        ("vfs_read", ""),
    ],
)
def test_functions_that_defer_are_points_of_the_plugin(name: str, lines: str) -> None:
    assert "".join(points(0x10, 0x20, name)) == lines
