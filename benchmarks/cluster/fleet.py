# SPDX-License-Identifier: GPL-2.0-only
"""kassay on the hosts of a network: a scheduler, workers with caches of their own, and who asks for runs.

What is fetched and built is the user's own for who asks, and nothing of it for a worker: everything travels. All hosts
have the same certificates, as they are beyond loopback.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.cluster.network import Network, network
from kassay.journal.journal import read_journal
from kassay.model.run import RunRecord

HUB, DESK = "hub", "desk"
"""Host names: of the scheduler, and of who asks."""

KASSAY = (sys.executable, "-c", "from kassay.cli import main; main()")
SLEEPING = Path(__file__).parent / "extension"
_LIAR = Path(__file__).parent / "liar"
_PORT = 8786
_POLL_S = 0.1
_READY_S = 600

_ASLEEP = """
name = "asleep"
question = "value"
kernels = [{{ref = "{kernel}", cmdline = "sleep_s={seconds}"}}]
machine = "sleeping"
profile = "none"
rounds = 3
repeats = {repeats}
perturb = {perturb}
[[workloads]]
name = "mincore_scan"
"""

Child = subprocess.Popen[bytes]


def asleep(kernel: str, seconds: float, repeats: int, perturb: int = 0) -> str:
    """An experiment file whose runs sleep so long; for fleets with the extension SLEEPING. perturb: further runs, of
    which no two are alike."""
    return _ASLEEP.format(kernel=kernel, seconds=seconds, repeats=repeats, perturb=perturb)


class Asked:
    """A kassay that asks the cluster for runs, and what it has kept so far."""

    def __init__(self, child: Child, out: Path, log: Path) -> None:
        self.child, self.out, self.log = child, out, log

    def records(self) -> tuple[RunRecord, ...]:
        """Records of the journal, which may still be written."""
        journal = self.out / "journal.jsonl"
        return read_journal(journal) if journal.exists() else ()

    def wait_for(self, runs: int, limit_s: float = 300) -> None:
        """Until so many runs are kept. Raises AssertionError where it ends before, or takes too long."""
        self._until(lambda: len(self.records()) >= runs, f"{runs} runs", limit_s)

    def wait_for_text(self, text: str, limit_s: float = 300) -> None:
        """Until it has said this."""
        self._until(lambda: text in self.text, repr(text), limit_s)

    def _until(self, there: Callable[[], bool], what: str, limit_s: float) -> None:
        end = time.monotonic() + limit_s
        while not there():
            assert self.child.poll() is None, f"it ended before {what}: {self.text[-2000:]}"
            assert time.monotonic() < end, f"{what}: not within {limit_s:.0f} s: {self.text[-2000:]}"
            time.sleep(_POLL_S)

    def ended(self, limit_s: float = 600) -> int:
        """Its exit status."""
        return self.child.wait(limit_s)

    @property
    def text(self) -> str:
        """All that it has said."""
        return self.log.read_text("utf-8", "replace")


class Fleet:
    """Processes by the name of their host."""

    def __init__(self, hosts: Network, directory: Path, extension: Path | None = None) -> None:
        self.network = hosts
        self.directory = directory
        self.address = f"tcp://{hosts.hosts[HUB].address}:{_PORT}"
        self._extension = {"KASSAY_PATH": str(extension)} if extension else {}
        self._started: dict[str, Child] = {}
        self._logs = 0
        if not (directory / "data").exists():
            subprocess.run((*KASSAY, "cluster", "certificates"), env=self.environment(DESK), check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip

    def scheduler(self) -> None:
        """Starts it on its host."""
        self._start(HUB, self.environment(HUB), "cluster", "scheduler", self.address)

    def worker(self, name: str, slots: int = 1, **environment: str) -> None:
        """Starts a worker with the cache that this host had before, if any."""
        self._start(name, {**self.environment(name), **environment}, "worker", self.address, "--slots", str(slots))

    def liar(self, name: str, lie: str) -> None:
        """Starts a worker that lies, as liar/sitecustomize.py says; it has to get all files anew."""
        shutil.rmtree(self.directory / name / "kassay" / "travelled", ignore_errors=True)
        path = os.pathsep.join(filter(None, (str(_LIAR), os.environ.get("PYTHONPATH"))))
        self.worker(name, KASSAY_LIE=lie, PYTHONPATH=path)

    def asks(self, *words: str, out: str) -> Asked:
        """kassay with --cluster and --out, on the host of who asks."""
        where = self.directory / out
        log = self._start(DESK, self.environment(DESK), *words, "--cluster", self.address, "--out", str(where))
        return Asked(self._started[DESK], where, log)

    def asks_python(self, module: str, *words: str) -> Asked:
        """A program of ours on that host."""
        log = self._started_with(DESK, self.environment(DESK), (sys.executable, "-m", module, *words))
        return Asked(self._started[DESK], self.directory, log)

    def wait_for_workers(self, *names: str) -> None:
        """Until each of these has said that its slots are there."""
        end = time.monotonic() + _READY_S
        while not all("slots at" in self.log(name) for name in names):
            assert time.monotonic() < end, "\n".join(self.log(name) for name in names)
            time.sleep(_POLL_S)

    def log(self, name: str) -> str:
        """All that the processes of a host have said."""
        return "".join(path.read_text("utf-8", "replace") for path in sorted(self.directory.glob(f"*-{name}.log")))

    def send(self, name: str, number: signal.Signals) -> None:
        """A signal to the processes of a host, waited for where it is SIGKILL."""
        os.killpg(self._started[name].pid, number)
        if number == signal.SIGKILL:
            self._started.pop(name).wait()

    def stop(self, *names: str) -> None:
        """Ends the processes of these hosts (all by default) as a user would."""
        chosen = [self._started.pop(name) for name in names or tuple(self._started)]
        for child in chosen:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGTERM)
        for child in chosen:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()

    def _start(self, host: str, environment: Mapping[str, str], *words: str) -> Path:
        return self._started_with(host, environment, (*KASSAY, *words))

    def _started_with(self, host: str, environment: Mapping[str, str], argv: tuple[str, ...]) -> Path:
        self._logs += 1
        log = self.directory / f"{self._logs:03}-{host}.log"
        with log.open("wb") as file:
            self._started[host] = self.network.hosts[host].start(argv, environment, file)
        return log

    def environment(self, host: str) -> dict[str, str]:
        """Environment of the processes of a host."""
        own = {**os.environ, **self._extension, "XDG_DATA_HOME": str(self.directory / "data")}
        if host == DESK:
            return own
        cache = self.directory / host
        cache.mkdir(exist_ok=True)
        return {**own, "XDG_CACHE_HOME": str(cache)}


@contextlib.contextmanager
def fleet(directory: Path, *workers: str, extension: Path | None = None) -> Iterator[Fleet]:
    """A network with a scheduler that runs, and hosts of these names, on which no worker is started yet."""
    with network(HUB, DESK, *workers) as hosts:
        made = Fleet(hosts, directory, extension)
        try:
            made.scheduler()
            yield made
        finally:
            made.stop()
