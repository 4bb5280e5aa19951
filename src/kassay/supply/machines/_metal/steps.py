# SPDX-License-Identifier: GPL-2.0-only
"""The scripts that are executed on a machine, and in which order; --plan prints them."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from shlex import join, quote

from kassay.supply.machines._backend import KernelFiles, Visit
from kassay.supply.machines._metal.facts import RUN, SESSION

_SCRIPTS = Path(__file__).with_name("scripts")
BOOT_ID = "/proc/sys/kernel/random/boot_id"
WORDS = "nokaslr norandmaps panic=15"
"""Parameters of every kernel, behind the machine's own: two boots have one layout, as in the machines that count; and a
kernel that panics starts the machine anew."""


@cache
def script(name: str) -> str:
    """A script as it is sent, with what all of them share in front."""
    return (_SCRIPTS / "common.sh").read_text() + "\n" + (_SCRIPTS / f"{name}.sh").read_text()


def directory_of(visit: Visit) -> str:
    """kassay's directory on the machine."""
    return f"/var/tmp/kassay-{visit.id}"


def run_words(cmdline: str, visit: Visit, run: str) -> str:
    """Parameters of the kernel of one run, behind the machine's own."""
    return f"{cmdline} {SESSION}={visit.id} {RUN}={run}".strip()


def manner(visit: Visit) -> tuple[str, str]:
    """How a kernel of the experiment is started (boot.sh), and how the machine's own is (home.sh)."""
    return ("load", "reboot") if visit.reach.start else ("kexec", "kexec")


def dry_run(visit: Visit, host: str, cmdline: str) -> str:
    """Every command of a visit, in order; nothing is executed. cmdline: of a run."""
    return "\n".join(_dry_run(visit, host, cmdline)) + "\n"


def _dry_run(visit: Visit, host: str, cmdline: str) -> Iterator[str]:
    directory = directory_of(visit)
    start, home = manner(visit)
    yield f"# What kassay executes on {host}. Each step is ssh with: [sudo -n] sh -s -- WORDS, its script as the input."
    yield "# The scripts stand below the steps. ID of this directory of runs: " + visit.id
    yield "\n# Once"
    yield _step("inspect", (), "what the machine is; changes nothing; a reason to refuse it ends here")
    yield _step(
        "found", ("/var/tmp/kassay-ID",), "for each that is dead: home, restore and leave follow, as at the end"
    )
    yield _step("open", (directory, "NODE BOOT PID"), "the directory; the process of kassay that made it")
    yield f"store {directory}/found   # what inspect told, for the way back"
    for kernel in visit.kernels:
        yield f"\n# Kernel {kernel.ref} ({kernel.release})"
        yield _step("content", (directory, *(sha for _, sha in files(kernel))), "what is there already")
        yield from (f"store {directory}/content/{sha}   # {path}" for path, sha in files(kernel))
        yield _step("prepare", prepare_words(kernel, directory), "modules and initrd, below the directory only")
    yield "\n# Each run, of each of these kernels"
    words = run_words(cmdline, visit, "RUN")
    yield _step("boot", (directory, "IMAGE", words, start), "loads the kernel and starts it")
    if visit.reach.start:
        yield f"here: sh -c {quote(visit.reach.start)}   # which starts it"
    yield f"cat {BOOT_ID}   # again and again, until the machine answers from another boot"
    yield _step("inspect", (), "is it this kernel?")
    yield _step("crash", (directory,), "only when it is another kernel: the log of this one, if the firmware kept it")
    if visit.reach.reset:
        yield f"here: sh -c {quote(visit.reach.reset)}   # only when it does not answer within {visit.reach.limit_s} s"
    yield _step("order", (directory, "MODULES", "FILE VALUE"), "governor, turbo, hyperthreads, ...")
    yield f"store {directory}/content/PROGRAM   # the workload, once"
    yield _step("run", (directory, "RUN", "PROGRAM", "SECONDS", "ARGUMENTS"), "waits until it is quiet, starts it")
    yield _step("wait", (directory, "RUN", "SECONDS"), "asleep until it has ended")
    yield _step("state", (directory, "RUN"), "what is recorded of the boot")
    yield f"cat {directory}/runs/RUN/stream; dmesg   # the result, and the kernel log"
    yield "\n# At the end, or after an error"
    yield _step("home", (directory, home), "back to the kernel on which the machine was found")
    yield _step("restore", (directory,), "every setting as it was found")
    yield _step("leave", (directory,), "removes the directory")
    for name in ("common", *sorted(path.stem for path in _SCRIPTS.glob("*.sh") if path.stem != "common")):
        yield f"\n#### {name}.sh" + (" (in front of each of the others)" if name == "common" else "")
        yield (_SCRIPTS / f"{name}.sh").read_text().rstrip()


def _step(name: str, arguments: Sequence[str], why: str) -> str:
    return f"{join((name, *arguments))}   # {why}"


@cache
def files(kernel: KernelFiles) -> tuple[tuple[str, str], ...]:
    """Path and sha256 of everything of a kernel that travels."""
    return tuple((path, sha) for path, sha in zip(_paths(kernel), hashes(kernel), strict=True) if path is not None)


@cache
def hashes(kernel: KernelFiles) -> tuple[str, ...]:
    """sha256 of image, modules and configuration; "-" for one that there is not."""
    from kassay.effects.files import sha256_file

    return tuple("-" if path is None else sha256_file(Path(path)) for path in _paths(kernel))


def _paths(kernel: KernelFiles) -> tuple[str | None, ...]:
    return kernel.image, kernel.modules, kernel.config


def prepare_words(kernel: KernelFiles, directory: str) -> tuple[str, ...]:
    """Arguments of prepare.sh."""
    return (directory, kernel.release, *hashes(kernel))
