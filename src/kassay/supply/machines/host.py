# SPDX-License-Identifier: GPL-2.0-only
"""The host itself: the same static program on the running kernel, timed by its own clock."""

import platform
from pathlib import Path

from kassay.effects import clock, process
from kassay.model.kernel import KernelArtifact
from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.progress import Tell
from kassay.model.run import WallTime
from kassay.supply.arches import arches
from kassay.supply.clocks import profiling
from kassay.supply.machines._backend import Ended, Job, Machine, read
from kassay.supply.machines._host import container_words, host_arch, host_id, host_words


class Host(Machine):
    """The running kernel, on which a workload is an ordinary process."""

    name = "host"
    summary = "wall time on this machine and its running kernel"
    clock = "host"
    arches = tuple(arches())
    order = 10
    takes_initramfs = False
    logs_kernel = False
    isolated = False
    only_local = "executes programs on this host itself"

    def probe(self, arch: str, tell: Tell) -> MachineProbe:
        if arch != host_arch():
            return MachineProbe(name=self.name, usable=False, detail=f"this host is {host_arch()}, not {arch}",
                                remedy=f"use --clock {profiling()[0]} to emulate another arch")  # fmt: skip
        return MachineProbe(name=self.name, usable=True, detail=host_words())

    def identify(self, arch: str, cpus: int, boot: str) -> MachineIdentity:
        return MachineIdentity(
            arch=arch, clock=self.clock, accelerator="none", program=f"Linux {platform.release()}",
            options=(), host=host_words(), host_id=host_id(), container=container_words(),
        )  # fmt: skip

    def kernel_file(self, artifact: KernelArtifact) -> str | None:
        return None

    def run(self, job: Job, arch: str) -> Ended:
        directory = Path(job.directory)
        stream = directory / "stream"
        argv = (*job.program, "--out", str(stream))
        started = clock.monotonic_s()
        done = process.run(argv, timeout_s=job.timeout_s)
        return Ended(
            status=done.status,
            timed_out=done.timed_out,
            detail=(done.err.strip().splitlines() or [""])[-1],
            stream=read(stream),
            console=(done.out + done.err).encode(),
            wall=WallTime(workload_s=round(clock.monotonic_s() - started, 3)),
            argv=tuple(word.replace(job.directory, "DIR") for word in argv),
        )


MACHINE = Host()
