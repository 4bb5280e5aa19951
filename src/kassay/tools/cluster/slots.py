# SPDX-License-Identifier: GPL-2.0-only
"""Choice of the slot for the next run.

This module has no engine and sends nothing: arrive() and leave() tell it which slots there are. A slot makes one run at
a time, so there are never more runs under way than slots. A host may be allowed fewer runs than it has slots: where its
memory is small, or where time is measured, when it makes one run at a time.
"""

import threading
from collections import Counter
from collections.abc import Callable, Collection
from typing import NamedTuple

from kassay.effects import clock

_LOOK_S = 0.5


class Slot(NamedTuple):
    """One place at which a host makes a run."""

    address: str
    """Address, as the engine has it."""
    host: str
    """Name that the host announced; all slots of one host share it."""


class NobodyThere(Exception):
    """There was no slot for as long as take() waits, or there will be none: the cluster was closed."""


class HostGone(Exception):
    """The host that began a sequence was away for as long as take() waits. Its argument is the host's name."""


class Slots:
    """Slots that are free or taken; safe to use from several threads. wait_s: how long take() waits while no slot can
    make the run. now: the clock in seconds; a simulation has its own."""

    def __init__(self, wait_s: float, now: Callable[[], float] = clock.monotonic_s) -> None:
        self._wait_s, self._now = wait_s, now
        self._changed = threading.Condition()
        self._there: dict[str, Slot] = {}
        self._taken: dict[str, Slot] = {}
        self._most: dict[str, int] = {}
        self._used: dict[str, int] = {}  # when a host was last given back, as a count
        self._sequences: dict[str, str] = {}
        self._uses = 0
        self._closed = False

    def arrive(self, slot: Slot, most: int) -> None:
        """most: runs at a time on this host, whatever its slots. A slot that left and comes back is another object: a
        run that it had before is none of its own."""
        with self._changed:
            if self._there.get(slot.address) != slot:
                self._there[slot.address] = Slot(*slot)
            self._most[slot.host] = most
            self._changed.notify_all()

    def leave(self, address: str) -> None:
        """The slot is gone, taken or not; nothing for one that is not there."""
        with self._changed:
            self._there.pop(address, None)
            self._taken.pop(address, None)
            self._changed.notify_all()

    def clear(self) -> None:
        """All of them are gone."""
        for address in self.addresses():
            self.leave(address)

    def close(self) -> None:
        """take() ends for everybody who waits in it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def addresses(self) -> tuple[str, ...]:
        """Addresses of all connected slots."""
        with self._changed:
            return tuple(self._there)

    def is_there(self, slot: Slot) -> bool:
        """True if this slot is still connected, and was all the time."""
        return self._there.get(slot.address) is slot

    def count(self) -> int:
        """Runs that can be under way at a time."""
        with self._changed:
            slots = Counter(slot.host for slot in self._there.values())
            return sum(min(number, self._most[host]) for host, number in slots.items())

    def assign(self, sequence: str, host: str) -> None:
        """A sequence has runs on this host already."""
        with self._changed:
            self._sequences[sequence] = host

    def take(self, sequence: str = "", apart: Collection[str] = ()) -> Slot:
        """A free slot, for one run; waits for it. sequence: its runs go to one host, that of the first; "" for none.
        apart: hosts that are taken only where no other one is free.

        Raises HostGone where the sequence's host is away; the next take() of the sequence begins it anew, on any host.
        Raises NobodyThere.
        """
        with self._changed:
            since = self._now()
            while not self._closed:
                slot = self._free(sequence, apart)
                if slot is not None:
                    self._taken[slot.address] = slot
                    if sequence:
                        self._sequences[sequence] = slot.host
                    return slot
                host = self._sequences.get(sequence, "") if sequence else ""
                if any(slot.host == host or not host for slot in self._there.values()):
                    since = self._now()  # busy, and not gone
                elif self._now() - since >= self._wait_s:
                    if host:
                        del self._sequences[sequence]
                        raise HostGone(host)
                    break
                self._changed.wait(_LOOK_S)
        raise NobodyThere

    def give_back(self, slot: Slot) -> None:
        """The run is over, however it ended."""
        with self._changed:
            if self._taken.get(slot.address) is slot:
                del self._taken[slot.address]
            self._uses += 1
            self._used[slot.host] = self._uses
            self._changed.notify_all()

    def _free(self, sequence: str, apart: Collection[str]) -> Slot | None:
        """Pick a free slot: the least busy host first, then the host that has been idle longest."""
        busy = Counter(self._there[address].host for address in self._taken)
        required = self._sequences.get(sequence) if sequence else None
        free: dict[str, Slot] = {}
        for address, slot in self._there.items():
            if address not in self._taken and busy[slot.host] < self._most[slot.host] and required in (None, slot.host):
                free.setdefault(slot.host, slot)
        if not free:
            return None
        host = min(free, key=lambda host: (host in apart, busy[host] / self._most[host], self._used.get(host, 0)))
        return free[host]
