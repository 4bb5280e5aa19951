# SPDX-License-Identifier: GPL-2.0-only
"""A timed session on several hosts, by the planner, the slots and the journal's rules, without QEMU and engine."""

import threading
from collections import Counter

from kassay.analysis.planned_looks import between_looks
from kassay.journal.host_blocks import LOST, counted_records, hosts_of_sequences, sequence_of
from kassay.model.plan import PlannedRun
from kassay.model.run import RunRecord, WallTime
from kassay.run.scheduler import owed, run_all
from kassay.tools.cluster.slots import HostGone, Slot, Slots
from tests.analysis.plans import plan_of

PLAN = plan_of(2, repeats=6, perturb=0, retries=1, clock="kvm")
SEQUENCE = sequence_of(PLAN)


class Hosts:
    """Two slots on each of three hosts, of which one may be used at a time. gone: a host that is there for so many
    runs."""

    def __init__(self, gone: tuple[str, int] = ("", 0)) -> None:
        self.slots, self._gone, self.made = Slots(wait_s=0), gone, Counter[str]()
        self._busy, self._lock = Counter[str](), threading.Lock()
        for host in "abc":
            for number in range(2):
                self.slots.arrive(Slot(f"{host}{number}", host), 1)

    def measure(self, run: PlannedRun, attempt: int) -> RunRecord:
        try:
            slot = self.slots.take(SEQUENCE(run))
        except HostGone as error:
            return record(run, attempt, str(error), LOST)
        with self._lock:
            self._busy[slot.host] += 1
            assert self._busy[slot.host] == 1
            self.made[slot.host] += 1
            if (slot.host, self.made[slot.host]) == self._gone:
                for number in range(2):
                    self.slots.leave(f"{slot.host}{number}")
            self._busy[slot.host] -= 1
        self.slots.give_back(slot)
        return record(run, attempt, slot.host)


def record(run: PlannedRun, attempt: int, host: str, outcome: str = "ok") -> RunRecord:
    return RunRecord(run=run.id, attempt=attempt, outcome=outcome, detail="", stream_sha256=None, console_sha256=None,
                     wall=WallTime(), argv=(), started_utc="", host=host)  # fmt: skip


def session(hosts: Hosts, records: tuple[RunRecord, ...] = ()) -> tuple[RunRecord, ...]:
    for sequence, host in hosts_of_sequences(PLAN, records).items():
        hosts.slots.assign(sequence, host)
    for stage in between_looks(PLAN):
        records = run_all(
            PLAN, records, hosts.measure, lambda _: None, lambda: max(1, hosts.slots.count()), stage, SEQUENCE
        )
    return records


def hosts_by_sequence(records: tuple[RunRecord, ...]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    sequences = {run.id: SEQUENCE(run) for run in PLAN.runs}
    for one in counted_records(PLAN, records):
        found.setdefault(sequences[one.run], set()).add(one.host or "")
    return found


def test_every_block_is_made_on_one_host_and_every_run_once() -> None:
    records = session(Hosts())
    assert sorted(one.run for one in records) == sorted(run.id for run in PLAN.runs)
    assert all(len(hosts) == 1 for hosts in hosts_by_sequence(records).values())
    assert len(hosts_by_sequence(records)) == 3


def test_the_blocks_of_a_host_that_goes_away_are_made_again_and_count_once() -> None:
    records = session(Hosts(gone=("a", 2)))
    assert [one.outcome for one in records].count(LOST) == 1
    assert owed(PLAN, records) == ()
    stands = counted_records(PLAN, records)
    assert sorted(one.run for one in stands) == sorted(run.id for run in PLAN.runs)
    assert {one.outcome for one in stands} == {"ok"} and {one.host for one in stands} == {"b", "c"}
    assert all(len(hosts) == 1 for hosts in hosts_by_sequence(records).values())


def test_a_session_that_was_killed_goes_on_where_each_block_was() -> None:
    whole = session(Hosts())
    for count in range(1, len(whole)):
        again = session(Hosts(), whole[:count])
        assert again[:count] == whole[:count] and len(again) == len(whole)
        assert all(len(hosts) == 1 for hosts in hosts_by_sequence(again).values())
