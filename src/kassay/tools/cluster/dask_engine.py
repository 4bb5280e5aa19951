# SPDX-License-Identifier: GPL-2.0-only
"""Dask.distributed as the engine: it transports messages and lists workers; slots.py decides which worker makes a run.

Known traps of the engine, and what is done about each. Resources are checked against capacity, not use (#6467), and
subprocesses are not seen (#4446): never more is submitted than there are slots, each to one named worker. Late workers
stay idle (#1851): workers are looked up every second. A scheduler that dies forgets everything: whatever was not
delivered is submitted again. A worker that comes back may finish a run that was given to another one: only the
delivery that was waited for counts, and each run is the same wherever it is made.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import distributed
from distributed import Client

from kassay.effects import clock
from kassay.errors import HostLacks
from kassay.model.host import Host
from kassay.model.machine import MachineIdentity
from kassay.model.progress import Progress, Tell
from kassay.model.records import from_json
from kassay.supply.machines import Ended, Job
from kassay.tools.cluster import store, work
from kassay.tools.cluster.address import Address, certificates_directory
from kassay.tools.cluster.executor import HostRequirements, RunOnHost
from kassay.tools.cluster.parcel import Delivery, Packed, delivery_from, packed, to_bytes
from kassay.tools.cluster.slots import HostGone, NobodyThere, Slot, Slots
from kassay.tools.cluster.suitability import most_at_a_time, reason_unsuitable

_MOVES = 5  # of one run from a slot that is lost to another one
_WAIT_S = 120.0  # for a first slot, or for a host or a scheduler that is gone
_REFUSED_S = 10.0  # for a first slot where all that are there are refused
_LOOK_S = 1.0
_UNANSWERED = (OSError, TimeoutError, RuntimeError)
_LOST_S = 30.0  # without an answer of the scheduler
_GRACE_S = 60  # beyond the time that a run may take on its own host
_BUSY_S, _BUSY_AT_MOST_S = 5.0, 3600.0  # for a host on which somebody else measures time


class _Lost(Exception):
    """The slot is lost, or the connection to it."""


def security_of(address: Address) -> Any:
    """Certificates for the engine; None where nothing is encrypted."""
    if not address.encrypted:
        return None
    ca, cert, key = (str(certificates_directory() / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    options = {f"tls_{role}_{kind}": path for role in ("client", "worker", "scheduler")
               for kind, path in (("cert", cert), ("key", key))}  # fmt: skip
    return distributed.Security(tls_ca_file=ca, require_encryption=True, **options)


@contextmanager
def connected(address: Address, wanted: HostRequirements, tell: Tell) -> Iterator["DaskCluster"]:
    """Opens a cluster for the runs of one experiment. Raises HostLacks where there is no scheduler, or no host that can
    make them."""
    cluster = DaskCluster(address, wanted, tell)
    try:
        cluster.wait_for_slots()
        yield cluster
    finally:
        cluster.close()


class DaskCluster:
    """A Cluster (cluster.executor)."""

    def __init__(self, address: Address, wanted: HostRequirements, tell: Tell) -> None:
        self._address, self._wanted, self._tell = address, wanted, tell
        self._slots = Slots(_WAIT_S)
        self._hosts: dict[str, Host] = {}
        self._refused: dict[str, str] = {}  # by the slot's address: the host, and why
        self._lock = threading.Lock()
        self._sent: dict[str, set[str]] = {}
        self._sending: dict[tuple[str, str], threading.Lock] = {}
        self._closed = False
        self._client = self._connect(10)
        self._look()
        threading.Thread(target=self._watch, daemon=True).start()

    def wait_for_slots(self) -> None:
        """Returns once a run can be made. Raises HostLacks."""
        begun = clock.monotonic_s()
        while not self._slots.count():
            waited = clock.monotonic_s() - begun
            if waited > (_REFUSED_S if self._refused else _WAIT_S):
                raise self._nobody("no worker there can make these runs")
            clock.sleep(_LOOK_S / 4)

    def close(self) -> None:
        """Leaves the cluster; what it still runs for this experiment is forgotten there."""
        self.stop()
        self._client.close(timeout=5)

    def stop(self) -> None:
        """No run is waited for any more."""
        self._closed = True
        self._slots.close()
        self._slots.clear()

    def slots(self) -> int:
        """Runs that can be made at a time now, at least 1."""
        return max(1, self._slots.count())

    def assign(self, sequence: str, host: str) -> None:
        """A sequence has runs on this host already."""
        self._slots.assign(sequence, host)

    def run(self, job: Job, arch: str, sequence: str = "", apart: Collection[str] = ()) -> RunOnHost:
        """One run; moved to another slot where one is lost, in a sequence to one of the same host."""
        machine = self._wanted.machine
        parcel = packed(machine.clock, machine.name, arch, job)
        lost: list[str] = []
        while len(lost) <= _MOVES:
            try:
                slot = self._slots.take(sequence, apart)
            except HostGone as error:
                host = self._hosts.get(str(error))
                if host is None:  # an earlier session had it: once a run is made elsewhere, its runs do not count
                    text = "is not in the cluster; its block is made again on another host"
                    self._tell(Progress(stage="cluster", subject=str(error), text=text))
                    continue
                return RunOnHost(None, host, f"{host.name} is gone{': ' if lost else ''}{'; '.join(lost)}")
            except NobodyThere:
                raise self._nobody("no worker is left") from None
            try:
                return RunOnHost(self._run_on(slot, parcel), self._hosts[slot.host])
            except _Lost as error:
                if self._client.status == "running":
                    lost.append(f"{slot.host}: {error}")
                else:  # the scheduler is gone, not the slot: this is not counted as a move of the run
                    self._slots.clear()
                if not self._closed:
                    self._tell(Progress(stage="cluster", subject=slot.host, text=f"{error}; its run is made again"))
            finally:
                self._slots.give_back(slot)
            clock.sleep(_LOOK_S)  # by then the lost workers are known
        raise HostLacks(f"a run was lost {len(lost)} times: {'; '.join(lost)}", "see the workers' own output")

    def _nobody(self, problem: str) -> HostLacks:
        why = "; ".join(dict.fromkeys(self._refused.values()))
        remedy = "`kassay worker ADDRESS` on a host makes it one; the same command again goes on where this one was"
        return HostLacks(f"{self._address.url}: {problem}{': ' if why else ''}{why}", remedy)

    def _run_on(self, slot: Slot, parcel: Packed) -> Ended:
        data, client = to_bytes(parcel.parcel), self._client
        end = clock.monotonic_s() + _BUSY_AT_MOST_S
        try:
            while clock.monotonic_s() < end:
                self._send(slot, parcel)
                delivery = self._asked(slot, data, parcel.parcel.job.timeout_s + _GRACE_S)
                if delivery.ended is not None:
                    return delivery.ended
                self._not_yet(slot, delivery)
            raise _Lost("it is busy for an hour")
        except HostLacks as error:
            self._refuse(slot, str(error))
            raise _Lost(str(error)) from error
        except (ValueError, TypeError, store.WrongContent) as error:
            self._refuse(slot, f"it gave something else than a run's result ({error})")
            raise _Lost(str(error)) from error
        except _UNANSWERED as error:
            raise _Lost(f"{type(error).__name__}: {error}") from error
        except Exception as error:  # a client that was closed meanwhile fails wherever it happens to be
            if client.status == "running":
                raise
            raise _Lost(f"{type(error).__name__}: {error}") from error

    def _not_yet(self, slot: Slot, delivery: Delivery) -> None:
        """Files were deleted there, which are sent again; or the host is in use, and is asked again later."""
        with self._lock:
            self._sent.get(slot.host, set()).difference_update(delivery.missing)
        if delivery.busy:
            self._tell(Progress(stage="cluster", subject=slot.host, text=f"in use: {delivery.busy}; waiting"))
            clock.sleep(_BUSY_S)

    def _asked(self, slot: Slot, data: bytes, limit_s: float) -> Delivery:
        """A key of its own for each try: the engine would give an old result for an old key."""
        future = self._client.submit(
            work.run, data, key=f"kassay-{uuid4().hex}", workers=[slot.address], allow_other_workers=False, pure=False,
            retries=0,
        )  # fmt: skip
        loop: Any = self._client.loop
        waiting = asyncio.run_coroutine_threadsafe(_result(future), loop.asyncio_loop)
        end = clock.monotonic_s() + limit_s
        try:
            while not concurrent.futures.wait((waiting,), _LOOK_S).done:
                if not self._slots.is_there(slot):
                    raise _Lost("the worker is gone")
                if clock.monotonic_s() > end:
                    self._refuse(slot, f"no answer within {limit_s:.0f} s")
                    raise _Lost("no answer in time")
            return delivery_from(bytes(waiting.result()), data)
        except (concurrent.futures.CancelledError, distributed.scheduler.KilledWorker) as error:
            raise _Lost(f"{type(error).__name__}: {error}") from error
        finally:
            waiting.cancel()
            with suppress(Exception):  # of a scheduler that is gone
                future.release()

    def _send(self, slot: Slot, parcel: Packed) -> None:
        """Send the files that the host lacks. Two slots of one host wait for each other."""
        with self._lock:
            sent = self._sent.setdefault(slot.host, set())
            new = [sha for sha in sorted(parcel.sources) if sha not in sent]
            locks = [self._sending.setdefault((slot.host, sha), threading.Lock()) for sha in new]
        for sha, lock in zip(new, locks, strict=True):
            with lock:
                if sha not in sent and self._call(slot, work.missing, [sha]):
                    self._send_file(slot, sha, parcel.sources[sha])
                with self._lock:
                    sent.add(sha)

    def _send_file(self, slot: Slot, sha256: str, path: Path) -> None:
        sender, size, offset = uuid4().hex, path.stat().st_size, 0
        with path.open("rb") as file:
            while part := file.read(store.PART_BYTES):
                self._call(slot, work.keep, sha256, sender, offset, part, size)
                offset += len(part)

    def _call(self, slot: Slot, function: Any, *arguments: object) -> Any:
        answers = self._client.run(function, *arguments, workers=[slot.address], on_error="raise")
        if slot.address not in answers:
            raise _Lost("the worker is gone")
        return answers[slot.address]

    def _refuse(self, slot: Slot, why: str) -> None:
        self._refused[slot.address] = f"{slot.host}: {why}"
        self._slots.leave(slot.address)
        self._tell(Progress(stage="cluster", subject=slot.host, text=f"not used: {why}"))

    def _connect(self, limit_s: float) -> Client:
        end, waiting = clock.monotonic_s() + limit_s, False
        while True:
            try:
                return Client(self._address.url, security=security_of(self._address), timeout=5, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                if clock.monotonic_s() > end or self._closed:
                    raise HostLacks(f"{self._address.url}: no scheduler answers ({type(error).__name__})",
                                    "`kassay cluster scheduler` starts one") from error  # fmt: skip
            if not waiting:
                self._tell(Progress(stage="cluster", subject=self._address.url, text="waiting for the scheduler"))
            waiting = True
            clock.sleep(_LOOK_S)

    def _watch(self) -> None:
        """Looks for new and for lost workers, until close()."""
        while not self._closed:
            clock.sleep(_LOOK_S)
            try:
                self._look()
            except (OSError, TimeoutError, RuntimeError, ValueError) as error:
                self._reconnect(f"{type(error).__name__}: {error}")

    def _reconnect(self, why: str) -> None:
        """The scheduler is gone, and all that it knew. Runs that wait for a result see their slots go."""
        self._slots.clear()
        if self._closed:
            return
        self._tell(Progress(stage="cluster", subject=self._address.url, text=f"the scheduler is gone ({why})"))
        with suppress(HostLacks):
            old, self._client = self._client, self._connect(_WAIT_S)
            with suppress(Exception):
                old.close(timeout=1)

    def _look(self) -> None:
        # Not scheduler_info(): the client's own look, which asks for no workers, may overwrite what it returns.
        scheduler: Any = self._client.scheduler
        if scheduler is None or self._client.status != "running":
            raise OSError("the scheduler is gone")
        info = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=_LOST_S)["workers"]
        present = self._slots.addresses()
        for address in set(present) - info.keys():
            self._slots.leave(address)
        new = {
            address: Slot(address, str(about.get("name", address)).rpartition("#")[0] or address)
            for address, about in info.items()
            if address not in present and address not in self._refused
        }
        if new:
            self._ask_who_they_are(new)

    def _ask_who_they_are(self, new: Mapping[str, Slot]) -> None:
        """Asks all new workers at once, as a host may have to build its plugin first. Those that do not answer are
        asked again."""
        wanted = self._wanted
        machine = wanted.machine
        words = (machine.clock, machine.name, wanted.arch, wanted.cpus, wanted.boot, wanted.profiled,
                 machine.plugin_sha256(wanted.arch))  # fmt: skip
        answers = self._client.run(work.identity, *words, workers=list(new), on_error="return")
        for address, answer in answers.items():
            if isinstance(answer, OSError | TimeoutError):
                continue
            try:
                self._welcome(new[address], *answer)
            except (ValueError, TypeError) as error:
                self._refuse(new[address], f"it does not say what it is ({answer!r:.200}: {error})")

    def _welcome(self, slot: Slot, about: bytes, identity: bytes, why: str) -> None:
        """A run goes only where its machine is the one that the plan has."""
        host = from_json(about, Host)
        if why := reason_unsuitable(
            self._wanted, host, from_json(identity, MachineIdentity) if identity else None, why
        ):
            self._refuse(slot, why)
            return
        if slot.host not in self._hosts:
            self._tell(Progress(stage="cluster", subject=slot.host, text=f"{host.cpu}, {host.cpus} CPUs"))
        if self._hosts.setdefault(slot.host, host) != host:  # blocks and the agreement know hosts by name
            self._refuse(
                slot,
                "a host with other properties has this name, or had it before; start this worker with another --name",
            )
            return
        self._slots.arrive(slot, most_at_a_time(self._wanted, host))


async def _result(future: Any) -> Any:
    """The whole result, however long its transfer takes: result(timeout) would request it again each time."""
    return await future
