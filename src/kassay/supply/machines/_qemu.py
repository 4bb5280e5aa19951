# SPDX-License-Identifier: GPL-2.0-only
"""Runs QEMU for one job: start, watch the stream, end; and tells its version."""

import os
import re
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from kassay.effects import clock as host_clock
from kassay.effects import process
from kassay.effects.background import Once
from kassay.effects.distribution import install
from kassay.effects.files import disk_errors
from kassay.errors import HostLacks
from kassay.model.kernel import KernelArtifact
from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.profile import TRACE
from kassay.model.progress import Tell
from kassay.model.run import WallTime
from kassay.model.texts import listed
from kassay.supply.arches import arch_of, arches
from kassay.supply.clocks import clock_of
from kassay.supply.cpus import cpu_for
from kassay.supply.machines._argv import Emulation, argv, escape, kernel_cmdline, machine_options, node_options
from kassay.supply.machines._backend import Ended, Job, Machine, read
from kassay.supply.machines._host import container_words, host_id, host_words
from kassay.supply.machines._plugin import plugin, sources_sha256
from kassay.supply.machines._probe import probe_by_boot
from kassay.supply.machines._snapshot import (
    UNANNOUNCED,
    controlled,
    inherited_file_options,
    is_kept,
    save,
    snapshot_lock,
    snapshot_path,
    take,
)

_POLL_S = 0.02
_STAGES = ((b"ready", "boot_s"), (b"measuring", "quiescence_s"), (b"done", "workload_s"))


class Qemu(Machine):
    """A machine that QEMU emulates or virtualises."""

    def __init__(
        self, name: str, summary: str, clock: str, emulation: Emulation, *, arch_names: Iterable[str] | None = None,
        device: str = "", remedy: str = "see the QEMU installation", order: int = 10,
    ) -> None:  # fmt: skip
        """arch_names: architectures, all by default. device: a file of this host that it needs; without one it works
        wherever QEMU does. remedy: what to do where a kernel does not run."""
        self.name, self.summary, self.clock, self.order = name, summary, clock, order
        self.arches = tuple(arches() if arch_names is None else arch_names)
        self.proven = not device
        self._emulation, self._device, self._remedy = emulation, device, remedy

    def probe(self, arch: str, tell: Tell) -> MachineProbe:
        return probe_by_boot(self.name, self._device, self._remedy, arch, self.run, tell)

    def identify(self, arch: str, cpus: int, boot: str) -> MachineIdentity:
        """Identity of the machine: emulator version and every option that could change a count."""
        return MachineIdentity(
            arch=arch,
            clock=self.clock,
            accelerator=self._emulation.accelerator,
            program=f"QEMU {version(arch)}",
            options=machine_options(self._emulation, arch_of(arch), cpus, boot == "snapshot"),
            host=host_words(),
            host_id=host_id() if clock_of(self.clock).depends_on_host else msgspec.UNSET,
            container=container_words(),
        )

    def run(self, job: Job, arch: str) -> Ended:
        """Boot the job's kernel, or restore its snapshot, and wait for the guest's end: at most timeout_s."""
        return _run(self._emulation, job, arch)

    def kernel_file(self, artifact: KernelArtifact) -> str | None:
        return artifact.vmlinux if artifact.pvh else artifact.image

    def cmdline(self, arch: str, cpus: int, boot: str) -> str:
        return kernel_cmdline(self._emulation, arch_of(arch), cpus, boot)

    def check_profile(self, arch: str) -> None:
        if not clock_of(self.clock).profile_cpus:
            super().check_profile(arch)
        plugin(arch, version(arch))

    def plugin_sha256(self, arch: str) -> str:
        return sources_sha256(arch) if self._emulation.still_halts or clock_of(self.clock).profile_cpus else ""

    def cpu_option(self, name: str, arch: str) -> str:
        return super().cpu_option(name, arch) if self._emulation.cpu else cpu_option(name, arch)

    def node_options(self, cpus: int, memory_bytes: int, nodes: int) -> tuple[str, ...]:
        return node_options(cpus, memory_bytes, nodes)


@Once
def version(arch: str) -> str:
    """First line of QEMU's --version. Raises HostLacks with the package to install."""
    qemu = arch_of(arch).qemu
    if process.find(qemu.program) is None:
        raise HostLacks(f"{qemu.program}: not found on this host", f"install it: {install(qemu.package)}")
    return process.run((qemu.program, "--version")).out.partition("\n")[0].removeprefix("QEMU emulator version ")


def cpu_option(name: str, arch: str) -> str:
    """The value of -cpu for a CPU of supply/cpus: the first that the QEMU at hand has. Raises BadInput for a name
    that is not known for `arch`, HostLacks where QEMU has none of its models."""
    options = cpu_for(name, arch).models[arch]
    option_at_hand = next((option for option in options if option.partition(",")[0] in _models(arch)), None)
    if option_at_hand is None:
        models = listed(tuple(option.partition(",")[0] for option in options))
        raise HostLacks(f"cpu {name}: QEMU {version(arch)} has no model {models}", "install a newer QEMU")
    return option_at_hand


@cache
def _models(arch: str) -> frozenset[str]:
    """Every word of QEMU's own list of models."""
    program = arch_of(arch).qemu.program
    done = process.run((program, "-M", arch_of(arch).qemu.machine[1], "-cpu", "help"))
    return frozenset(done.out.split())


def _run(emulation: Emulation, job: Job, arch: str) -> Ended:
    qemu = version(arch)
    command = argv(job, emulation, arch_of(arch))
    counting = _plugged(emulation, job.profile, job, arch, qemu)
    if job.snapshot is None:
        _join(job)
        return _watched(emulation, job, (*command, *counting))
    uncounted = _plugged(emulation, None, job, arch, qemu)
    path = snapshot_path(job.snapshot, job.cmdline, str(job.seed), str(job.memory_bytes), qemu, _booting(uncounted),
                         *machine_options(emulation, arch_of(arch), job.cpus, True, job.cpu),
                         *node_options(job.cpus, job.memory_bytes, job.nodes))  # fmt: skip
    started = host_clock.monotonic_s()
    with snapshot_lock(path):
        problem = ""
        if not is_kept(path):
            _join(job)
            problem = save(job, (*_saving(job, emulation, arch), *uncounted), qemu, path)
        taken = None if problem else take(path)
    if taken is None:
        return _unmade(job, command, problem, host_clock.monotonic_s() - started)
    try:
        options, address = inherited_file_options(qemu, taken.state)
        restoring = (*command, *counting, *options, *UNANNOUNCED, "-incoming", address)
        ended = _watched(emulation, job, restoring, taken.state)
    finally:
        os.close(taken.state)
    if not ended.stream:  # a restored machine that says nothing: the next attempt makes a new snapshot
        path.unlink(missing_ok=True)
    return msgspec.structs.replace(ended, console=taken.console + ended.console)


def _booting(plugged: tuple[str, ...]) -> str:
    """The plugin that a boot runs with, and its values, as a part of the snapshot's name; wherever the cache is."""
    return "".join(plugged).rpartition("/")[2]


def _join(job: Job) -> None:
    """Puts what is to be unpacked behind the initramfs into its file."""
    if not job.further or job.initramfs is None:
        return
    with disk_errors(Path(job.directory)), Path(job.initramfs).open("ab") as out:
        for name in job.further:
            with Path(name).open("rb") as source:
                shutil.copyfileobj(source, out, 1 << 20)


def _saving(job: Job, emulation: Emulation, arch: str) -> tuple[str, ...]:
    """The command that boots up to the snapshot, without the run's program: the firmware sees how long it is."""
    return argv(msgspec.structs.replace(job, program=(f"{job.directory}/job",)), emulation, arch_of(arch))


def _plugged(emulation: Emulation, profile: str | None, job: Job, arch: str, qemu: str) -> tuple[str, ...]:
    """The plugin's options; it changes nothing in the guest, so it is no part of the machine's identity.

    Without a profile a host that cannot have the plugin goes on without it.
    """
    still = ("halts=still",) if emulation.still_halts else ()
    if profile is None:
        return _plugin_option(arch, qemu, ("mode=none", *still)) if still and _has_plugin(arch, qemu) else ()
    directory = escape(job.directory)
    values = (
        f"mode={profile}",
        f"out={directory}/profile",
        f"points={directory}/points",
        *(("users=own",) if job.users else ()),
        *(() if job.snapshot else ("boot=unseen",)),
        *(_tracing(job, directory) if profile == TRACE else ()),
    )
    return _plugin_option(arch, qemu, (*values, *still))


def _plugin_option(arch: str, qemu: str, values: tuple[str, ...]) -> tuple[str, ...]:
    return "-plugin", ",".join((escape(str(plugin(arch, qemu))), *values))


@cache
def _has_plugin(arch: str, qemu: str) -> bool:
    try:
        plugin(arch, qemu)
    except HostLacks:
        return False
    return True


def _tracing(job: Job, directory: str) -> tuple[str, ...]:
    rounds = ":".join(map(str, job.rounds))
    return f"trace={directory}/trace", f"rounds={rounds}", f"budget={job.trace_budget}"


def _watched(emulation: Emulation, job: Job, command: tuple[str, ...], state: int | None = None) -> Ended:
    """One QEMU from start to end. state: the open snapshot it goes on from."""
    directory = Path(job.directory)
    started = host_clock.monotonic_s()
    reached: dict[str, float] = {}
    timed_out = False
    with disk_errors(directory), (directory / "stderr").open("wb") as errors, controlled(state is not None) as control:
        inherited = (*control.fds, *(() if state is None else (state,)))
        child = process.start((*command, *control.options), out=errors, err=errors, pass_fds=inherited)
        control.handed_over()
        try:
            problem = control.go_on(job.timeout_s)
            if not problem:
                timed_out = not _wait(child, directory / "stream", started, job.timeout_s, reached)
        finally:
            process.end(child)
    printed = _errors(directory)
    return Ended(
        status=child.returncode,
        timed_out=timed_out,
        detail=problem or _last_words(printed),
        stream=read(directory / "stream"),
        console=read(directory / "console"),
        wall=_wall(reached, host_clock.monotonic_s() - started),
        argv=tuple(word.replace(job.directory, "DIR") for word in command),
        profile=read(directory / "profile"),
        trace=read(directory / "trace"),
        host_dependence=_host_dependence(emulation, command, printed),
    )


def _unmade(job: Job, command: tuple[str, ...], problem: str, elapsed: float) -> Ended:
    """The run of a machine that never came to its snapshot: what its boot printed is the run's evidence."""
    directory = Path(job.directory)
    return Ended(
        status=1, timed_out=elapsed > job.timeout_s, detail=f"{problem} {_last_words(_errors(directory))}".strip(),
        stream=read(directory / "stream"), console=read(directory / "console"),
        wall=_wall({}, elapsed), argv=tuple(word.replace(job.directory, "DIR") for word in command),
    )  # fmt: skip


_HOST_DEPENDENT = re.compile(r"^kassay-profile: warning: (.*): digits may depend on the host$", re.MULTILINE)


def _host_dependence(emulation: Emulation, command: tuple[str, ...], errors: str) -> str:
    """Reason for Ended.host_dependence. errors: what QEMU and its plugin printed."""
    if emulation.still_halts and "-plugin" not in command:
        return "QEMU ran without kassay's plugin"
    return "; ".join(_HOST_DEPENDENT.findall(errors))


def _errors(directory: Path) -> str:
    """Messages of QEMU and its plugin."""
    return read(directory / "stderr").decode("utf-8", "replace")


def _last_words(errors: str) -> str:
    messages = [line for line in errors.strip().splitlines() if ": warning: " not in line]
    return messages[-1] if messages else ""


def _wait(child: process.Child, stream: Path, started: float, timeout_s: int, reached: dict[str, float]) -> bool:
    """True when the child ended by itself; notes when each stage mark appeared in the stream."""
    while True:
        ended = process.wait(child, _POLL_S)
        elapsed = host_clock.monotonic_s() - started
        if len(reached) < len(_STAGES):
            _note_stages(read(stream), reached, elapsed)
        if ended:
            return True
        if elapsed > timeout_s:
            return False


def _note_stages(stream: bytes, reached: dict[str, float], elapsed: float) -> None:
    for mark, field in _STAGES:
        if field not in reached and b"KASSAY stage " + mark in stream:
            reached[field] = elapsed


def _wall(reached: dict[str, float], total: float) -> WallTime:
    stages: dict[str, float] = {}
    last = 0.0
    for _, field in _STAGES:
        if field in reached:
            stages[field] = round(reached[field] - last, 3)
            last = reached[field]
    return WallTime(**stages, shutdown_s=round(total - last, 3))
