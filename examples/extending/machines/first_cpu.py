# SPDX-License-Identifier: GPL-2.0-only
"""first_cpu: this host, with the workload on its first CPU alone."""

from msgspec import structs

from kassay.supply.machines.host import Host

PREFIX = ("taskset", "--cpu-list", "0")


class FirstCpu(Host):
    name = "first_cpu"
    summary = "wall time on the first CPU of this machine"
    order = 20  # host, with 10, stays the machine of the clock

    def identify(self, arch, cpus, boot):
        return structs.replace(super().identify(arch, cpus, boot), options=PREFIX)

    def run(self, job, arch):
        return super().run(structs.replace(job, program=(*PREFIX, *job.program)), arch)


MACHINE = FirstCpu()
