# SPDX-License-Identifier: GPL-2.0-only
"""The interface of every machine: it runs one job, and says exactly what it granted."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kassay.effects.lock import host_locked
from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelArtifact
from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.progress import Tell
from kassay.model.records import Record
from kassay.model.remote_machine import RemoteOptions
from kassay.model.run import WallTime
from kassay.supply.clocks import clock_of


class Job(Record, frozen=True, kw_only=True):
    """One run, ready to go. Paths are absolute."""

    directory: str
    """Directory of stream and console. It exists and holds only the job's own files."""
    program: tuple[str, ...]
    """The workload's argv, up to and without "--out PATH"."""
    kernel: str | None
    """The file that the machine boots; None on a machine without a kernel of its own."""
    initramfs: str | None
    """Initramfs of the guest; None on a machine that takes none."""
    cmdline: str
    cpus: int
    memory_bytes: int
    seed: int
    timeout_s: int
    snapshot: str | None = None
    """Hashes of kernel and initramfs, when the machine is to be saved once it is quiet and restored for each run. A run
    then gets its program after it is restored, and its orders from the file "job" of the directory."""
    profile: str | None = None
    """Counts that the emulator makes in the measured region (model/profile.MODES); None for none. The addresses that
    it must know are in the file "points" of the directory."""
    cpu: str = ""
    """Name of the CPU as Machine.cpu_option() gives it; "" for the machine's default."""
    nodes: int = 1
    """Nodes of memory."""
    further: tuple[str, ...] = ()
    """Archives that the kernel unpacks behind the initramfs. A machine that is restored has them unpacked."""
    users: bool = False
    """True if the profile takes every task that executes user code for the workload's own."""
    rounds: tuple[int, ...] = ()
    """Rounds that profile "trace" records; the first of a run is 1."""
    trace_budget: int = 0
    """Most bytes of a trace."""
    shared_bytes: int = 0
    """Memory that the guest sees as a device (ivshmem), and the host as the file "shared" of the directory."""
    controls: tuple[str, ...] = ()
    """Text "FILE VALUE" for every file of the kernel that is set. Only a remote machine reads it; others have it in the
    initramfs."""
    modules: tuple[str, ...] = ()
    """Names of the kernel modules that it loads, for a remote machine as well."""


class Ended(Record, frozen=True, kw_only=True):
    """Result of a job."""

    status: int
    """The machine's exit status."""
    timed_out: bool
    detail: str
    """The machine's own words, one line."""
    stream: bytes
    console: bytes
    wall: WallTime
    argv: tuple[str, ...]
    profile: bytes = b""
    """Counts of the region, as the emulator wrote them; empty if it wrote none."""
    trace: bytes = b""
    """Stream of the chosen rounds."""
    outcome: str = ""
    """A word of model.run.OUTCOMES if the machine itself knows it; "" if stream and console tell."""
    host_dependence: str = ""
    """Reason why digits of an exact clock may depend on the host; "" if none is known."""


class KernelFiles(Record, frozen=True, kw_only=True):
    """A kernel for a machine that has a root file system of its own. Paths are absolute."""

    ref: str
    release: str
    banner: str | None
    """First text that it prints; None if that is not known."""
    image: str
    image_sha256: str
    config: str | None = None
    modules: str | None = None
    """A compressed tar archive with lib/modules/; None for a kernel that has none."""


class Visit(Record, frozen=True, kw_only=True):
    """Everything that a remote machine needs for the runs of one experiment."""

    id: str
    """Id of the directory of runs."""
    directory: str
    arch: str
    kernels: tuple[KernelFiles, ...]
    reach: RemoteOptions


class Machine(ABC):
    """Place where runs happen. A subclass is one way to run jobs; a file of this folder holds an instance of one.

    A machine measures with one clock. The methods that are not abstract do what a machine of this host does whose CPU
    and memory cannot be chosen.
    """

    name: str
    """Name of its file in this folder."""
    summary: str
    """Quantity that its runs measure, in one line."""
    clock: str
    """Name of a file of kassay.supply.clocks. Several machines may have the same clock."""
    arches: tuple[str, ...]
    """Architectures that it knows."""
    order: int = 100
    """Place among the machines of its clock: the lowest is taken where only the clock is named."""
    proven: bool = False
    """True if it works wherever its program does. Any other machine is probed before each session, because it can be
    there and yet not run a kernel."""
    takes_initramfs: bool = True
    """True if it starts from an initramfs that kassay makes. The initramfs then has the workload and all modules."""
    logs_kernel: bool = True
    """True if the console of a run is the log of the measured kernel."""
    isolated: bool = True
    """True if workloads run apart from this host, so that programs of others may run."""
    only_local: str = ""
    """Reason why no host of a cluster can make its runs, as the end of a sentence; "" if one can."""

    @property
    def exclusive(self) -> bool:
        """True if a run must not share the host with another one, which would be part of the time."""
        return clock_of(self.clock).depends_on_host

    @abstractmethod
    def probe(self, arch: str, tell: Tell) -> MachineProbe:
        """Try the machine for real."""

    @abstractmethod
    def identify(self, arch: str, cpus: int, boot: str) -> MachineIdentity:
        """The machine that would be granted. Raises HostLacks if its program is missing."""

    @abstractmethod
    def run(self, job: Job, arch: str) -> Ended:
        """Run one job to its end."""

    def kernel_file(self, artifact: KernelArtifact) -> str | None:
        """File of a kernel that the machine starts. None if it does not start kernels."""
        return artifact.image

    def cmdline(self, arch: str, cpus: int, boot: str) -> str:
        """Kernel parameters of every run, with those that shorten the boot unless `boot` is "stock". "" if it does not
        start kernels."""
        return ""

    def check_profile(self, arch: str) -> None:
        """See to it that a run can be profiled. Raises HostLacks if it cannot."""
        raise HostLacks(f"no profile: machine {self.name} cannot make one", "use --profile none")

    def plugin_sha256(self, arch: str) -> str:
        """Hash of the sources of kassay's plugin for the machine's program. "" if it takes none."""
        return ""

    def cpu_option(self, name: str, arch: str) -> str:
        """The machine's own name of a CPU of supply/cpus. Raises BadInput or HostLacks if it does not have that CPU."""
        raise BadInput(f"cpu: machine {self.name} runs on the CPU of this host",
                       "use a --clock that emulates the CPU, or leave --cpu away")  # fmt: skip

    def node_options(self, cpus: int, memory_bytes: int, nodes: int) -> tuple[str, ...]:
        """The machine's own words for several nodes of memory. Raises BadInput if it has only one node."""
        raise BadInput(f"nodes: machine {self.name} has one node, and not {nodes}", "use another --clock")

    def at(self, address: str) -> "Machine":
        """The machine with this address; itself if it has no address."""
        return self

    @contextmanager
    def session(self, visit: Callable[[], Visit], tell: Tell) -> Iterator["Machine"]:
        """The machine, ready for runs during the block. visit: makes what only a remote machine needs. This host is
        taken whole if time is measured."""
        with host_locked(timed=self.exclusive):
            yield self

    def steps(self, visit: Callable[[], Visit], cmdline: str) -> str:
        """Every command that a session would execute on a remote machine, in words. Raises BadInput if the machine is
        not remote."""
        raise BadInput("--plan: nothing is executed on another machine", "it is for --on ssh://USER@HOST")


def read(path: Path) -> bytes:
    """A file's bytes; empty when the machine never made it (the caller sees that by the outcome)."""
    return path.read_bytes() if path.exists() else b""
