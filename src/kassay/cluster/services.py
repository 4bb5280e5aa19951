# SPDX-License-Identifier: GPL-2.0-only
"""The two services of a cluster, each until it is stopped: the scheduler, and a worker with its slots."""

import asyncio
import signal
from contextlib import AsyncExitStack, suppress

import dask
from distributed import Nanny, Scheduler

from kassay.cluster import work
from kassay.cluster.address import Address
from kassay.cluster.dask_engine import security_of
from kassay.model.host import Host
from kassay.model.progress import Progress, Tell
from kassay.model.records import to_json

_AGAIN_S = 2.0
_DEATH_S = 60  # for a slot's process to start on a busy host, and without a scheduler
_SETTINGS = {
    "distributed.scheduler.work-stealing": False,  # a run stays on the slot that it was given to
    "distributed.scheduler.allowed-failures": 1000,  # who is suspect is decided where runs are submitted
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.worker.profile.enabled": False,  # no samples of a host that measures
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.tick.limit": "1h",  # a run takes a worker's thread for long, which is no news
}


def serve_scheduler(address: Address, dashboard: str, tell: Tell) -> None:
    """Until SIGINT or SIGTERM. dashboard: HOST:PORT of the engine's own status page; "" for none."""
    dask.config.set(_SETTINGS)
    asyncio.run(_scheduler(address, dashboard, tell))


async def _scheduler(address: Address, dashboard: str, tell: Tell) -> None:
    stop = _stop_asked()
    async with Scheduler(
        host=address.host, port=address.port, protocol="tls" if address.encrypted else "tcp",
        security=security_of(address), dashboard=bool(dashboard), dashboard_address=dashboard or "127.0.0.1:0",
    ) as scheduler:  # fmt: skip
        tell(Progress(stage="cluster", subject=scheduler.address, text="scheduler; workers: kassay worker ADDRESS"))
        await stop.wait()


def serve_worker(address: Address, slots: int, host: Host, tell: Tell) -> None:
    """Until SIGINT or SIGTERM; where the scheduler is gone it is looked for again. slots: runs at a time, each in a
    process of its own."""
    dask.config.set(_SETTINGS)
    asyncio.run(_worker(address, slots, host, tell))


async def _worker(address: Address, slots: int, host: Host, tell: Tell) -> None:
    stop = _stop_asked()
    name, own = host.name, {work.HOST: to_json(host).decode()}
    told = ""
    while not stop.is_set():
        try:
            async with AsyncExitStack() as stack:
                nannies = [
                    await stack.enter_async_context(
                        Nanny(address.url, nthreads=1, name=f"{name}#{slot}", memory_limit=0, dashboard=False, env=own,
                              security=security_of(address), death_timeout=_DEATH_S, quiet=True, silence_logs="ERROR")
                    )
                    for slot in range(slots)
                ]  # fmt: skip
                tell(Progress(stage="cluster", subject=name, text=f"{slots} slots at {address.url}"))
                told = ""
                while not stop.is_set() and all(nanny.status.name == "running" for nanny in nannies):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), _AGAIN_S)
        except (OSError, TimeoutError, RuntimeError, ValueError, AssertionError) as error:  # the last: of the engine
            text = f"no scheduler at {address.url} ({type(error).__name__}); it is tried again"
            if text != told:
                tell(Progress(stage="cluster", subject=name, text=text))
            told = text
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _AGAIN_S)


def _stop_asked() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop
