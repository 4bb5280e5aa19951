# SPDX-License-Identifier: GPL-2.0-only
"""The QEMU command line and the kernel's: pure functions, every option with its reason."""

from kassay.machines._backend import Job

PROGRAMS = {"x86_64": "qemu-system-x86_64", "arm64": "qemu-system-aarch64"}
PACKAGES = {"x86_64": "qemu-system-x86", "arm64": "qemu-system-arm"}

# Versioned machine types: the unversioned name changes its devices with every QEMU release.
# qemu64 is the smallest model all kernels boot on; RDRAND draws from QEMU's seeded generator,
# without it the kernel spends 126 M instructions of each boot on gathering entropy.
_MACHINES = {
    "x86_64": ("-M", "pc-q35-7.2", "-bios", "qboot.rom"),
    "arm64": ("-M", "virt-7.2",),
}  # fmt: skip
# cntfrq: the generic timer at 1 GHz: under icount its counter then goes on by one an instruction, as the TSC does.
_CPUS = {"x86_64": "qemu64,+rdrand", "arm64": "cortex-a57,cntfrq=1000000000"}
_ACCELERATORS = {
    "icount": ("-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"),
    "tcg": ("-accel", "tcg"),
    "kvm": ("-accel", "kvm"),
}
# No network card, no host directory, no human monitor, no default device; and QEMU itself may
# neither start programs nor change its privileges.
_CONFINED = (
    "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-no-reboot",
    "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
)  # fmt: skip
_CONSOLES = {"x86_64": "ttyS0", "arm64": "ttyAMA0"}
# QEMU's machine "virt" has one port; the second is a card. guest/initramfs.py says what the guest calls it.
_STREAMS = {"x86_64": ("-serial", "chardev:stream"), "arm64": ("-device", "pci-serial,chardev=stream")}

# What makes two boots the same: no address randomisation in the kernel or of the workload.
DETERMINISTIC = ("nokaslr", "norandmaps")
# What shortens the boot. The self-tests of the crypto manager run on after boot, in the
# measured region; the three initcalls gather jitter entropy, sort trace event strings and
# load certificates; DAMON's statistics (6.17 and later) sample, and clear accessed bits,
# for as long as the machine runs. `kassay` lists them in every report, and `--boot stock` leaves them out.
SHORTENING = (
    "cryptomgr.notests=1",
    "initcall_blacklist=jent_mod_init,trace_eval_init,load_system_certificate_list",
    "damon_stat.enabled=0",
)


# Where a snapshot is taken (pvpanic, which pauses the machine) and how a restored run learns its job.
_SAVING = ("-device", "pvpanic", "-action", "panic=pause")


def machine_options(clock: str, arch: str, cpus: int, snapshot: bool) -> tuple[str, ...]:
    """The options that decide what the guest sees, in order; part of the machine's identity."""
    cpu = "host" if clock == "kvm" else _CPUS[arch]
    return (
        *_MACHINES[arch],
        *("-cpu", cpu),
        *_ACCELERATORS[clock],
        *("-smp", str(cpus)),
        *(("-rtc", "base=2026-01-01,clock=vm") if clock == "icount" else ()),
        *(_SAVING if snapshot else ()),
    )


def kernel_cmdline(clock: str, arch: str, cpus: int, boot: str) -> str:
    """The kernel's command line before the experiment's own parameters."""
    words = [f"console={_CONSOLES[arch]}", "quiet", "panic=-1", "reboot=t", *DETERMINISTIC]
    if clock == "tcg" and arch == "x86_64":
        # The kernel waits for ticks as long as so many instructions take, and panics on a host too busy to send them.
        words.append("no_timer_check")
    if boot != "stock":
        words += SHORTENING
        # Calibrating the local APIC timer busy-waits 100 ms of guest time, 2.6 s of host time
        # under icount; with one CPU the HPET's tick serves as well.
        if clock == "icount" and arch == "x86_64" and cpus == 1:
            words.append("nolapic_timer")
    return " ".join(words)


def argv(job: Job, clock: str, arch: str) -> tuple[str, ...]:
    """The whole command line of one run; console and result stream go to files of the job's directory.

    Files, not pipes: a pipe that the host empties slowly would make the guest's serial
    port retry, at moments that depend on the host.
    """
    assert job.kernel is not None and job.initramfs is not None
    return (
        PROGRAMS[arch],
        *machine_options(clock, arch, job.cpus, job.snapshot is not None),
        *(("-fw_cfg", f"name=opt/kassay/job,file={escape(job.directory)}/job") if job.snapshot else ()),
        *("-m", f"size={job.memory_bytes >> 10}k"),
        *("-seed", str(job.seed)),
        *_CONFINED,
        *("-chardev", f"file,id=console,path={escape(job.directory)}/console", "-serial", "chardev:console"),
        *("-chardev", f"file,id=stream,path={escape(job.directory)}/stream", *_STREAMS[arch]),
        *("-kernel", job.kernel, "-initrd", job.initramfs, "-append", job.cmdline),
    )


def escape(path: str) -> str:
    """A path as a value among QEMU's options."""
    return path.replace(",", ",,")
