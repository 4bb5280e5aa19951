# SPDX-License-Identifier: GPL-2.0-only
"""The QEMU command line and the kernel's: pure functions, every option with its reason."""

from kassay.model.records import Record
from kassay.supply.arches import Arch
from kassay.supply.machines._backend import Job

# No network card, no host directory, no human monitor, no default device; and QEMU itself may
# neither start programs nor change its privileges.
_CONFINED = (
    "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-no-reboot",
    "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
)  # fmt: skip

# What makes two boots the same: no address randomisation in the kernel or of the workload.
DETERMINISTIC = ("nokaslr", "norandmaps")
# What shortens the boot. The self-tests of the crypto manager run on after boot, in the
# measured region; DAMON's statistics (6.17 and later) sample, and clear accessed bits,
# for as long as the machine runs. `kassay` lists them in every report, and `--boot stock` leaves them out.
SHORTENING = ("cryptomgr.notests=1", "damon_stat.enabled=0")
# Left out: gathering jitter entropy, sorting trace event strings, loading certificates, looking for weak functions
# among traced ones, and looking up types of schedulers, congestion controls, queues and tests written in BPF.
_INITCALLS = (
    "jent_mod_init", "trace_eval_init", "load_system_certificate_list", "ftrace_check_for_weak_functions",
    "scx_init", "bpf_tcp_ca_kfunc_init", "bpf_qdisc_kfunc_init", "bpf_dummy_struct_ops_init",
)  # fmt: skip

# Where a snapshot is taken, by a watchdog that pauses the machine, before a restored run gets its job and program.
_SAVING = ("-device", "ib700", "-action", "watchdog=pause")


_NODE_STEP = 128 << 20  # a kernel's section of memory: a node begins at one
_DISTANCE = 20  # of another node, where the own is 10: what firmware says of two sockets


class Emulation(Record, frozen=True, kw_only=True):
    """Options of QEMU that one machine needs on every architecture."""

    accelerator: str
    """Name of the accelerator in reports."""
    options: tuple[str, ...]
    """Options that choose the accelerator."""
    clock_options: tuple[str, ...] = ()
    """Options of the guest's clocks."""
    cpu: str | None = None
    """Model for every architecture, which cannot be changed; None for the model of the architecture."""
    emulated_time: bool = False
    """True if emulated CPUs are timed by the host's clock, so that a busy host would fail the guest's own checks of its
    timers."""
    one_cpu: bool = False
    """True if the kernel parameters are used that shorten the boot of one CPU."""
    translated_mib: int = 0
    """Memory for translated code. 0 is QEMU's choice: an eighth of the host's memory, at most 1024 MiB. When it is
    full, all is dropped. Then the turn of a CPU ends, and code that is translated again has accessed bits set.
    It is no part of the machine's identity: earlier runs had 1024 MiB on each host with 8 GiB. A boot needs 53 MiB."""
    still_halts: bool = False
    """True if a CPU may halt only while QEMU's main loop sleeps, without which guest time depends on the host
    (plugin/halt.h)."""


def machine_options(emulation: Emulation, arch: Arch, cpus: int, snapshot: bool, cpu: str = "") -> tuple[str, ...]:
    """The options that decide what the guest sees, in order; part of the machine's identity. cpu: a value of QEMU's
    option, "" for the default."""
    return (
        *arch.qemu.machine,
        *("-cpu", cpu or emulation.cpu or arch.qemu.cpu),
        *emulation.options,
        *("-smp", str(cpus)),
        *emulation.clock_options,
        *(_SAVING if snapshot else ()),
    )


_UNRESERVED = 8 << 30
"""Memory from which on nothing is reserved on the host. It is the same on each host, so that machines are."""


def _with_translated(options: tuple[str, ...], emulation: Emulation) -> tuple[str, ...]:
    if not emulation.translated_mib:
        return options
    at = options.index("-accel") + 1
    return (*options[:at], f"{options[at]},tb-size={emulation.translated_mib}", *options[at + 1 :])


def node_options(cpus: int, memory_bytes: int, nodes: int) -> tuple[str, ...]:
    """Nodes of equal memory, but for what is missing of the last; CPUs in blocks, and all as far from each other as
    neighbours are. One node has options only if it is large: Linux refuses a mapping that is larger than the host's
    memory unless nothing is reserved for it."""
    if nodes == 1:
        backend = f"memory-backend-ram,id=memory,size={memory_bytes >> 10}k,reserve=off"
        return () if memory_bytes < _UNRESERVED else ("-object", backend, "-machine", "memory-backend=memory")
    options: list[str] = []
    whole = -(-memory_bytes // nodes // _NODE_STEP) * _NODE_STEP
    for node in range(nodes):
        size = whole if node < nodes - 1 else memory_bytes - whole * (nodes - 1)
        own = [cpu for cpu in range(cpus) if cpu * nodes // max(cpus, nodes) == node]
        options += ["-object", f"memory-backend-ram,id=node{node},size={size >> 10}k"]
        options += ["-numa", ",".join((f"node,nodeid={node},memdev=node{node}", *(f"cpus={cpu}" for cpu in own)))]
    for source in range(nodes):
        options += [
            w for to in range(source + 1, nodes) for w in ("-numa", f"dist,src={source},dst={to},val={_DISTANCE}")
        ]
    return tuple(options)


def kernel_cmdline(emulation: Emulation, arch: Arch, cpus: int, boot: str) -> str:
    """The kernel's command line before the experiment's own parameters."""
    parameters = [f"console={arch.qemu.console}", "quiet", "panic=-1", "reboot=t", *DETERMINISTIC, *arch.qemu.many]
    parameters += arch.qemu.busy_host if emulation.emulated_time else ()
    if boot != "stock":
        parameters += (*SHORTENING, f"initcall_blacklist={','.join((*_INITCALLS, *arch.qemu.initcalls))}")
        parameters += (word for word in arch.qemu.shortening if word not in parameters)
        parameters += arch.qemu.one_cpu if emulation.one_cpu and cpus == 1 else ()
    return " ".join(parameters)


def argv(job: Job, emulation: Emulation, arch: Arch) -> tuple[str, ...]:
    """The whole command line of one run; console and result stream go to files of the job's directory.

    Files, not pipes: a pipe that the host empties slowly would make the guest's serial
    port retry, at moments that depend on the host.
    """
    assert job.kernel is not None and job.initramfs is not None
    return (
        arch.qemu.program,
        *_with_translated(machine_options(emulation, arch, job.cpus, job.snapshot is not None, job.cpu), emulation),
        *(restored_files(f"{job.directory}/job", job.program[0]) if job.snapshot else ()),
        *node_options(job.cpus, job.memory_bytes, job.nodes),
        *("-m", f"size={job.memory_bytes >> 10}k"),
        *_shared(job),
        *("-seed", str(job.seed)),
        *_CONFINED,
        *("-chardev", f"file,id=console,path={escape(job.directory)}/console", "-serial", "chardev:console"),
        *("-chardev", f"file,id=stream,path={escape(job.directory)}/stream", *arch.qemu.stream),
        *("-kernel", job.kernel, "-initrd", job.initramfs, "-append", job.cmdline),
    )


def _shared(job: Job) -> tuple[str, ...]:
    """Memory that the guest finds in a device, and this host in a file, which has holes where nothing was written."""
    if not job.shared_bytes:
        return ()
    backend = f"memory-backend-file,id=shared,share=on,size={job.shared_bytes},mem-path={escape(job.directory)}/shared"
    return "-object", backend, "-device", "ivshmem-plain,memdev=shared"


def restored_files(job: str, program: str) -> tuple[str, ...]:
    """Paths of the files that a restored run is given: its job and its program."""
    files = (("job", job), ("program", program))
    return tuple(word for name, path in files for word in ("-fw_cfg", f"name=opt/kassay/{name},file={escape(path)}"))


def escape(path: str) -> str:
    """A path as a value among QEMU's options."""
    return path.replace(",", ",,")
