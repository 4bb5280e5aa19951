# SPDX-License-Identifier: GPL-2.0-only
"""sleeping: boots nothing. A run waits as long as the kernel parameter sleep_s says, and counts what its job says.

For measurements of the cluster itself: such a run takes no CPU, so that many hosts fit on one machine, and its digits
depend on everything that a job carries, so that a job that was mixed up with another one shows.
"""

import re
import time
import zlib
from functools import cache
from pathlib import Path

from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.progress import Tell
from kassay.model.run import WallTime
from kassay.supply.arches import arches
from kassay.supply.machines import Ended, Job, Machine

_PAGES = 1000
_ASLEEP = re.compile(r"\bsleep_s=(\d+(?:\.\d+)?)")
_TASKS = tuple(("file", f"{moment}:kassay/tasks", b"9 mincore_scan\t5000 0 1\n") for moment in ("before", "after"))


def _cost(job: Job) -> int:
    """Ticks of a round: of all that the job says and the files that it names, but for where these are."""
    own = [path for path in sorted(Path(job.directory).iterdir()) if path.name != "initramfs"]
    content = [(path.name, zlib.crc32(path.read_bytes())) for path in own]
    content += [("", zlib.crc32(Path(str(job.initramfs)).read_bytes()))]
    content += [("", _large(path)) for path in (job.program[0], str(job.kernel))]
    words = repr((content, job.program[1:], job.cmdline, job.cpus, job.memory_bytes, job.seed))
    return _PAGES * 100 + zlib.crc32(words.encode()) % 10**8


@cache
def _large(path: str) -> int:
    """Files that no run changes: their beginning, so that they take no CPU, and their length."""
    with Path(path).open("rb") as file:
        return zlib.crc32(file.read(1 << 16), Path(path).stat().st_size)


def _word(job: Job, option: str) -> str:
    return job.program[job.program.index(option) + 1]


def _stream(cost: int, rounds: int) -> bytes:
    """Stream of a whole boot with the workload mincore_scan, as guest/emit.h defines it."""
    rows = "".join(f"{number * cost} {(number + 1) * cost}\n" for number in range(rounds))
    return b"".join(
        (
            _stage("ready"),
            _section("boot", ("file", "boot:kassay/quiescence", b"window 5\nstate quiet\n")),
            _stage("quiet"),
            _stage("measuring"),
            _section(
                "workload",
                ("workload", "mincore_scan", b""),
                ("clock", "-", b"clock tsc\nticks_per_second unknown\noverhead 0\n"),
                ("phase", "scan", b"operations %d" % _PAGES),
                ("rounds", "-", rows.encode()),
                ("file", "after:kassay/own", b"pid 9\n"),
                *_TASKS,
                ("check", "-", b"ok"),
            ),
            _stage("done"),
        )
    )


def _section(name: str, *records: tuple[str, str, bytes]) -> bytes:
    count = f"section={name} records={len(records)}".encode()
    return b"".join((_frame("begin", "-", count), *(_frame(*record) for record in records), _frame("end", "-", count)))


def _stage(name: str) -> bytes:
    return _frame("stage", name, b"0")


def _frame(kind: str, name: str, payload: bytes) -> bytes:
    head = f"{kind} {name} {len(payload)}".encode()
    return b"KASSAY %s %08x\n%s\n" % (head, zlib.crc32(head + b"\n" + payload), payload)


class Sleeping(Machine):
    """It waits, and invents counts."""

    name = "sleeping"
    summary = "boots nothing, for measurements of a cluster"
    clock = "icount"
    arches = tuple(arches())
    order = 900
    proven = True

    def probe(self, arch: str, tell: Tell) -> MachineProbe:
        return MachineProbe(name=self.name, usable=True, detail="it needs nothing")

    def identify(self, arch: str, cpus: int, boot: str) -> MachineIdentity:
        return MachineIdentity(arch=arch, clock="icount", accelerator="none", program="nothing", options=(), host="any")

    def run(self, job: Job, arch: str) -> Ended:
        asked = _ASLEEP.search(job.cmdline)
        seconds = float(asked[1]) if asked else 0.0
        time.sleep(seconds)
        return Ended(
            status=0, timed_out=False, detail="", stream=_stream(_cost(job), int(_word(job, "--rounds"))), console=b"",
            wall=WallTime(workload_s=seconds), argv=("sleep", str(seconds)),
        )  # fmt: skip

    def cmdline(self, arch: str, cpus: int, boot: str) -> str:
        return "quiet"


MACHINE = Sleeping()
