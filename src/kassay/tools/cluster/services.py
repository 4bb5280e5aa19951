# SPDX-License-Identifier: GPL-2.0-only
"""The two services of a cluster, each until it is stopped: the scheduler, and a worker with its slots."""

import asyncio
import signal
import socket
from contextlib import suppress

import dask
from distributed import Nanny, Scheduler

from kassay.errors import HostLacks
from kassay.model.host import Host
from kassay.model.progress import Progress, Tell
from kassay.model.records import to_json
from kassay.tools.cluster import work
from kassay.tools.cluster.address import Address
from kassay.tools.cluster.dask_engine import security_of

_AGAIN_S = 2.0
_START_S = 120  # of a slot, on a host that is busy
_END_S = 10  # of slots that are asked to end
_SETTINGS = {
    "distributed.scheduler.work-stealing": False,  # a run stays on the slot that it was given to
    "distributed.scheduler.allowed-failures": 1000,  # dask_engine.py counts failures itself
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.comm.timeouts.connect": "10s",  # to a worker that was killed a moment ago
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # no samples of a host that measures
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.tick.limit": "1h",  # no warning while a run keeps a worker's thread busy
}


def serve_scheduler(address: Address, dashboard: str, tell: Tell) -> None:
    """Until SIGINT or SIGTERM. dashboard: HOST:PORT of the engine's own status page; "" for none, and then no page of
    the engine is served. Raises HostLacks for an address that cannot be listened on."""
    if dashboard:  # the engine would take another port
        _check_address(f"--dashboard {dashboard}", *dashboard.rsplit(":", 1))
    _check_address(address.url, address.host, str(address.port))
    settings = _SETTINGS if dashboard else {**_SETTINGS, "distributed.scheduler.http.routes": []}
    with dask.config.set(settings):
        asyncio.run(_scheduler(address, dashboard, tell))


def _check_address(subject: str, host: str, port: str) -> None:
    try:
        family, _, _, _, where = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        socket.create_server(where, family=family).close()
    except OSError as error:
        raise HostLacks(f"{subject}: {error.strerror}", "give a free port, on an address of this host") from error


async def _scheduler(address: Address, dashboard: str, tell: Tell) -> None:
    stop = _stop_asked()
    try:
        scheduler = await Scheduler(
            host=address.host, port=address.port, protocol="tls" if address.encrypted else "tcp",
            security=security_of(address), dashboard=bool(dashboard), dashboard_address=dashboard or "127.0.0.1:0",
        )  # fmt: skip
    except (OSError, RuntimeError) as error:
        why = f"{address.url}: the scheduler does not start: {error.__cause__ or error}"
        raise HostLacks(why, "check the address and the certificates") from error
    async with scheduler:
        tell(Progress(stage="cluster", subject=scheduler.address, text="scheduler; workers: kassay worker ADDRESS"))
        await stop.wait()


def serve_worker(address: Address, slots: int, host: Host, tell: Tell) -> None:
    """Until SIGINT or SIGTERM; where the scheduler is gone it is looked for again. slots: runs at a time, each in a
    process of its own."""
    with dask.config.set(_SETTINGS):
        asyncio.run(_worker(address, slots, host, tell))


async def _worker(address: Address, slots: int, host: Host, tell: Tell) -> None:
    stop = _stop_asked()
    service = _Service(address, slots, host, tell, stop, asyncio.Semaphore(host.cpus))
    tasks = [asyncio.create_task(service.slot(number)) for number in range(slots)]
    await stop.wait()
    _, left = await asyncio.wait(tasks, timeout=_END_S)
    for task in left:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Service:
    """The slots of one worker. One that ends is started again, alone; the others and their runs go on."""

    def __init__(self, address: Address, slots: int, host: Host, tell: Tell, stop: asyncio.Event,
                 starting: asyncio.Semaphore) -> None:  # fmt: skip
        self._address, self._slots, self._host = address, slots, host
        self._tell, self._stop, self._starting = tell, stop, starting
        self._running = 0
        self._last_text = ""

    async def slot(self, number: int) -> None:
        """One process, which makes one run at a time, until the service is stopped."""
        while not self._stop.is_set():
            nanny = Nanny(
                self._address.url, nthreads=1, name=f"{self._host.name}#{number}", memory_limit=0, dashboard=False,
                env={work.HOST: to_json(self._host).decode()}, security=security_of(self._address),
                death_timeout=_START_S, quiet=True, silence_logs="CRITICAL",
            )  # fmt: skip
            try:
                async with self._starting:
                    await nanny
                await self._watch(nanny)
            except Exception as error:  # whatever the engine raises, this host goes on being a worker
                self._say(f"no scheduler at {self._address.url} ({type(error).__name__}); it is tried again")
            finally:
                with suppress(Exception):
                    await nanny.close()
            await self._wait()

    async def _watch(self, nanny: Nanny) -> None:
        self._running += 1
        if self._running == self._slots:
            self._say(f"{self._slots} slots at {self._address.url}")
        try:
            while not self._stop.is_set() and nanny.status.name == "running":
                await self._wait()
        finally:
            self._running -= 1

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), _AGAIN_S)

    def _say(self, text: str) -> None:
        """Shows a text once when several slots have the same."""
        if text != self._last_text:
            self._tell(Progress(stage="cluster", subject=self._host.name, text=text))
        self._last_text = text


def _stop_asked() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
