# SPDX-License-Identifier: GPL-2.0-only
"""Which slot makes the next run: spread over hosts, one at a time where time is measured, sequences on one host."""

import threading

import pytest

from kassay.tools.cluster.slots import HostGone, NobodyThere, Slot, Slots


def slots_of(**hosts: int) -> Slots:
    """Slots named HOST0, HOST1 ...; a negative number: as many, of which one may be taken at a time."""
    slots = Slots(wait_s=0)
    for host, number in hosts.items():
        for index in range(abs(number)):
            slots.arrive(Slot(f"{host}{index}", host), number if number > 0 else 1)
    return slots


def test_the_least_busy_host_is_next_and_no_slot_is_taken_twice() -> None:
    slots = slots_of(a=2, b=1)
    taken = [slots.take() for _ in range(3)]
    assert [slot.host for slot in taken] == ["a", "b", "a"]
    assert len({slot.address for slot in taken}) == 3 == slots.count()
    slots.give_back(taken[1])
    assert slots.take() == taken[1]


def test_who_waits_gets_the_slot_that_is_given_back() -> None:
    slots = slots_of(a=1)
    first, found = slots.take(), list[Slot]()
    waiting = threading.Thread(target=lambda: found.append(slots.take()))
    waiting.start()
    slots.give_back(first)
    waiting.join(10)
    assert found == [first]


def test_a_host_that_is_timed_makes_one_run_at_a_time() -> None:
    slots = slots_of(a=-4, b=-4)
    assert slots.count() == 2
    assert {slots.take().host, slots.take().host} == {"a", "b"}


def test_a_sequence_stays_on_its_host_until_that_is_gone() -> None:
    slots = slots_of(a=-2, b=-1)
    first = slots.take("block 0")
    slots.give_back(first)
    other = slots.take("block 1")
    assert other.host != first.host
    slots.give_back(other)
    again = slots.take("block 0")
    assert again.host == first.host
    slots.give_back(again)
    for address in (f"{first.host}0", f"{first.host}1"):
        slots.leave(address)
    with pytest.raises(HostGone, match=first.host):
        slots.take("block 0")
    assert slots.take("block 0").host == other.host


def test_a_sequence_of_an_earlier_session_goes_on_where_it_was() -> None:
    slots = slots_of(a=-1, b=-1)
    slots.assign("block 0", "b")
    assert slots.take("block 0").host == "b"


def test_hosts_that_should_be_apart_are_taken_last() -> None:
    slots = slots_of(a=2, b=2)
    assert [slots.take(apart=("a",)).host for _ in range(3)] == ["b", "b", "a"]


def test_a_slot_that_is_gone_is_not_taken_and_may_come_back() -> None:
    slots = slots_of(a=1)
    slot = slots.take()
    slots.leave(slot.address)
    slots.give_back(slot)
    assert slots.count() == 0 and not slots.is_there(slot)
    with pytest.raises(NobodyThere):
        slots.take()
    slots.arrive(slot, 1)
    assert slots.take() == slot


def test_run_of_an_earlier_connection_gives_back_nothing_that_a_later_run_has() -> None:
    slots = slots_of(a=1)
    earlier = slots.take()
    slots.clear()
    slots.arrive(earlier, 1)
    assert not slots.is_there(earlier)
    later = slots.take()
    slots.give_back(earlier)
    assert slots.is_there(later)
    slots.arrive(later, 1)
    assert slots.is_there(later)
    waiting = threading.Thread(target=slots.take)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    slots.give_back(later)
    waiting.join(10)
    assert not waiting.is_alive()


def test_who_waits_when_the_cluster_is_closed_is_told() -> None:
    slots = slots_of(a=1)
    slots.take()
    slots.close()
    with pytest.raises(NobodyThere):
        slots.take()
