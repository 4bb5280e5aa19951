# SPDX-License-Identifier: GPL-2.0-only
"""The interface of every machine: it runs one job, and says exactly what it granted."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.progress import Tell
from kassay.model.reach import Reach
from kassay.model.records import Record
from kassay.model.run import WallTime
from kassay.supply.clocks import clock_of


class Job(Record, frozen=True, kw_only=True):
    """One run, ready to go. Paths are absolute.

    kernel: what the machine boots; None on a machine without a kernel of its own.
    initramfs: of the guest; None there. program: the workload's argv, up to and without
    "--out PATH". directory: where stream and console go; exists and holds only the job's own files.
    snapshot: hashes of kernel and initramfs, when the machine is to be saved once it is quiet and
    restored for each run, which gets its program then; its orders are in the file "job" of the directory.
    profile: what the emulator counts in the measured region (model/profile.MODES); None for nothing. The
    addresses it must know are then in the file "points" of the directory.
    cpu: as Machine.cpu names it; "" for the machine's default. nodes: of memory.
    shared_bytes: of memory that the guest sees as a device (ivshmem), and the host as the file "shared" of directory.
    further: archives that the kernel unpacks behind the initramfs; a machine that is restored has them unpacked.
    users: whether the profile takes every task that executes user code for the workload's own.
    rounds: that profile "trace" records, the first of a run is 1. trace_budget: most bytes of that.
    controls: "FILE VALUE" of what is set of the kernel, and modules: names of what it loads, on a machine elsewhere;
    others have both in the initramfs.
    """

    directory: str
    program: tuple[str, ...]
    kernel: str | None
    initramfs: str | None
    cmdline: str
    cpus: int
    memory_bytes: int
    seed: int
    timeout_s: int
    snapshot: str | None = None
    profile: str | None = None
    cpu: str = ""
    nodes: int = 1
    further: tuple[str, ...] = ()
    users: bool = False
    rounds: tuple[int, ...] = ()
    trace_budget: int = 0
    shared_bytes: int = 0
    controls: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class Ended(Record, frozen=True, kw_only=True):
    """How the job ended. status: the machine's exit status. detail: its own words, one line. profile: the
    counts of the region, as the emulator wrote them; empty when it wrote none. trace: the stream of chosen rounds.
    outcome: a word of model.run.OUTCOMES where the machine itself knows it; "" where stream and console tell."""

    status: int
    timed_out: bool
    detail: str
    stream: bytes
    console: bytes
    wall: WallTime
    argv: tuple[str, ...]
    profile: bytes = b""
    trace: bytes = b""
    outcome: str = ""


class KernelFiles(Record, frozen=True, kw_only=True):
    """A kernel for a machine that has a root file system of its own. Paths are absolute.

    banner: what it prints first, None where that is not known. modules: a compressed tar archive with lib/modules/;
    None for a kernel that has none.
    """

    ref: str
    release: str
    banner: str | None
    image: str
    image_sha256: str
    config: str | None = None
    modules: str | None = None


class Visit(Record, frozen=True, kw_only=True):
    """Everything that a remote machine needs for the runs of one experiment. id: of the directory of runs."""

    id: str
    directory: str
    arch: str
    kernels: tuple[KernelFiles, ...]
    reach: Reach


Run = Callable[[Job, str], Ended]
"""Runs one job for an architecture to its end."""


class Machine(Record, frozen=True, kw_only=True):
    """One backend: plain data and a few functions.

    clock: name of a file of supply/clocks; several machines may have the same. order: among these, which one is taken
    where only the clock is named. arches: that it knows. proven: whether it works wherever its program does; any other
    one is probed before each session, as it can be there and yet not run a kernel.
    can_profile(arch) sees to it that a run can be profiled, and raises HostLacks when it cannot; None: never.
    probe(arch) tries the machine for real. identify(arch, cpus, boot) says what would be granted.
    run(job, arch) runs one job to its end.
    cmdline(arch, cpus, boot) is the kernel command line, with the parameters that shorten
    the boot unless boot is "stock".
    nodes(cpus, memory_bytes, nodes) are the machine's own words for several nodes of memory; None: it has only one.
    cpu(name, arch) is what the machine itself calls a CPU of kassay.supply.cpus; None: its CPU cannot be chosen.
    at(address) is the machine with this address, for one that is elsewhere; None: it is here. visit(visit, tell) is
    then how its runs are made: the machine is left as it was found at the end of the block. steps(visit, jobs) are all
    commands that this would execute there, in words.
    """

    name: str
    summary: str
    clock: str
    arches: tuple[str, ...]
    probe: Callable[[str, Tell], MachineProbe]
    identify: Callable[[str, int, str], MachineIdentity]
    run: Run
    cmdline: Callable[[str, int, str], str]
    can_profile: Callable[[str], None] | None = None
    cpu: Callable[[str, str], str] | None = None
    nodes: Callable[[int, int, int], tuple[str, ...]] | None = None
    order: int = 100
    proven: bool = False
    at: Callable[[str], "Machine"] | None = None
    visit: Callable[[Visit, Tell], AbstractContextManager[Run]] | None = None
    steps: Callable[[Visit, str], str] | None = None

    @property
    def boots(self) -> bool:
        """True if it needs a kernel and an initramfs."""
        return not clock_of(self.clock).native

    @property
    def exclusive(self) -> bool:
        """True if a run must not share the host with another one, which would be part of the time."""
        return not clock_of(self.clock).exact


def read(path: Path) -> bytes:
    """A file's bytes; empty when the machine never made it (the caller sees that by the outcome)."""
    return path.read_bytes() if path.exists() else b""
