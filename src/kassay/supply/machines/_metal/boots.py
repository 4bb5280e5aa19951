# SPDX-License-Identifier: GPL-2.0-only
"""One run: a boot of one kernel on the machine, the workload on it, and its results."""

import re
from pathlib import Path

from kassay.effects import clock, process
from kassay.effects.files import sha256_file
from kassay.effects.ssh import ConnectionLost
from kassay.errors import HostLacks
from kassay.model.run import WallTime
from kassay.supply.machines._backend import Ended, Job, KernelFiles
from kassay.supply.machines._metal import steps
from kassay.supply.machines._metal.facts import RUN, Facts, facts
from kassay.supply.machines._metal.stream import captured, since_the_run, with_boot
from kassay.supply.machines._metal.visit import StepFailed, Visited, checked

_KILLED = 137  # by timeout(1) after the time that scripts/run.sh gives, or before that by the kernel
_STOLEN_TICKS = 4  # of all CPUs in a run; from 2 s on 2 % of one CPU, as before a run (scripts/run.sh)
_LATE_S = 0.1  # of two readings of the clock
_SETTLES_S = 300  # until nobody else works there, as scripts/run.sh waits for it


def run_on(visited: Visited, job: Job) -> Ended:
    """Boot the job's kernel and run its program there. Raises HostLacks where nothing can be measured any more."""
    if not visited.begun:
        visited.begin()
    kernel = next(kernel for kernel in visited.visit.kernels if kernel.image == job.kernel)
    number = re.sub(r"[^A-Za-z0-9]", "", Path(job.directory).name)
    started = clock.monotonic_s()
    words = steps.run_words(job.cmdline, visited.visit, number)
    visited.tell(f"booting {kernel.ref}")
    before = _start(visited, kernel, words)
    now = visited.came_up(before)
    booted = clock.monotonic_s() - started
    if now is None:
        return _never_came(visited, kernel, words, booted)
    if now.words.get(RUN) != number:
        problem = f"the machine came back by itself on {now.get('release')}"
        return _other_kernel(visited, kernel, problem, words, booted)
    if not _is_kernel(now, kernel):
        return _other_kernel(visited, kernel, f"another image runs: {now.get('banner')}", words, booted)
    return _measured(visited, job, number, now.get("boot"), words, booted)


def _start(visited: Visited, kernel: KernelFiles, words: str) -> str:
    """Starts the kernel; returns the id of the boot that ends with it."""
    assert visited.now is not None  # begin() has looked
    start = visited.visit.reach.start
    asked = (visited.directory, steps.hashes(kernel)[0], words, steps.manner(visited.visit)[0])

    def load() -> Facts:
        return facts(visited.patiently(lambda: checked(visited.link, "boot", asked)))

    try:
        answer = load()
    except StepFailed:  # as by a kernel of the last run that has no kexec
        if RUN not in visited.now.words:
            raise
        visited.go_home()
        answer = load()
    before = visited.now.get("boot")
    if start:
        env = {f"KASSAY_{name.upper()}": answer.get(name) for name in ("image", "initrd", "cmdline")}
        done = process.run(("sh", "-c", start), timeout_s=visited.visit.reach.limit_s,
                           env={**env, "KASSAY_HOST": visited.link.name})  # fmt: skip
        if done.status:
            why = (done.err.strip().splitlines() or [f"status {done.status}"])[-1]
            raise HostLacks(f"{visited.link.name}: --start failed: {why}", "correct the command")
    return before


def _is_kernel(now: Facts, kernel: KernelFiles) -> bool:
    """True if this image runs, judged by the banner that was compiled into it."""
    if kernel.banner is None:
        return now.get("release") == kernel.release
    return _without_number(now.get("banner")) == _without_number(kernel.banner)


def _without_number(banner: str) -> list[str]:
    """The banner's words. An image has the banner twice, and only one of them with the number of the build ("#1")."""
    return re.sub(r" #\d* ", " # ", banner).split()


def _never_came(visited: Visited, kernel: KernelFiles, words: str, elapsed: float) -> Ended:
    """The outcome of a kernel that does not answer, once the machine is there again. Raises HostLacks if it is not."""
    problem = f"{kernel.ref} did not come up"
    visited.reset(problem)
    return _ended(words, "no-boot", f"{problem} within {visited.visit.reach.limit_s} s; reset by command",
                  _crash_log(visited), elapsed)  # fmt: skip


def _other_kernel(visited: Visited, kernel: KernelFiles, problem: str, words: str, elapsed: float) -> Ended:
    """The machine came up with a kernel that it was not asked for, as after a panic."""
    return _ended(words, "no-boot", f"{kernel.ref} was started, and {problem}", _crash_log(visited), elapsed)


def _crash_log(visited: Visited) -> bytes:
    """The log that a kernel that crashed has left in the firmware's memory (pstore); empty where there is none."""
    try:
        return checked(visited.link, "crash", (visited.directory,)).encode()
    except (ConnectionLost, StepFailed):
        return b""


def _ended(words: str, outcome: str, detail: str, console: bytes, elapsed: float) -> Ended:
    return Ended(
        status=1, timed_out=False, detail=detail, stream=b"", console=console, argv=("kexec", words),
        wall=WallTime(boot_s=round(elapsed, 3)), outcome=outcome,
    )  # fmt: skip


def _measured(visited: Visited, job: Job, number: str, boot: str, words: str, booted: float) -> Ended:
    link, directory = visited.link, visited.directory
    limit = visited.visit.reach.limit_s
    order = (directory, " ".join(job.modules), *job.controls)
    answer = facts(visited.patiently(lambda: checked(link, "order", order)))
    if answer.all("refused"):
        raise HostLacks(
            f"{link.name}: not in order: {answer.get('refused')}", "docs/reference/metal.md says what it needs"
        )
    program = sha256_file(Path(job.program[0]))
    visited.patiently(lambda: visited.store(((job.program[0], program),), "the workload"))
    visited.tell("waiting until it is quiet, then measuring")
    started = clock.monotonic_s()
    begin = (directory, number, program, str(job.timeout_s), *job.program[1:])
    visited.patiently(lambda: checked(link, "run", begin))
    ends = job.timeout_s + _SETTLES_S
    asked = (directory, number, str(ends))
    answer = facts(visited.patiently(lambda: checked(link, "wait", asked, timeout_s=ends + 60)))
    elapsed = clock.monotonic_s() - started
    if answer.get("boot") != boot:
        detail = f"the machine started anew by itself in the middle of the run; limit of an answer {limit} s"
        return _ended(words, "machine-died", detail, _crash_log(visited), booted)
    state = visited.patiently(lambda: checked(link, "state", (directory, number)))
    stream = visited.patiently(lambda: link.fetch(("cat", f"{directory}/runs/{number}/stream")))
    log = visited.patiently(lambda: link.fetch(("dmesg",)))
    wall = WallTime(boot_s=round(booted, 3), workload_s=round(elapsed, 3))
    return _whole(answer, state, stream, log, words, wall, job.timeout_s)


def _whole(answer: Facts, state: str, stream: bytes, log: bytes, words: str, wall: WallTime, limit_s: float) -> Ended:
    files = captured(state)
    took_s = float(answer.get("elapsed") or limit_s)
    quiescence = dict(files).get("kassay/quiescence", "")
    status = int(answer.get("status") or 1)
    timed_out = answer.get("running") == "yes" or (status == _KILLED and took_s + _LATE_S >= limit_s)
    outcome, detail = "", answer.get("detail")
    if quiescence.startswith("state busy"):
        outcome, detail = "busy", f"the machine never became quiet: {' '.join(quiescence.split()[3:])} ticks of 200"
    elif (stolen := int(answer.get("stolen") or 0)) > max(_STOLEN_TICKS, 2 * took_s):
        outcome, detail = "busy", f"the hypervisor ran other guests for {stolen} ticks of the run's {took_s:g} s"
    elif int(answer.get("throttled") or 0) > 0:
        outcome, detail = "throttled", f"{answer.get('throttled')} times, for temperature or power"
    elif status == _KILLED and not timed_out:
        outcome, detail = "guest-error", f"the workload was killed by signal 9 after {took_s:g} s"
    return Ended(
        status=status, timed_out=timed_out, detail=detail,
        stream=with_boot(stream, files, float(facts(state).get("uptime") or 0)), console=since_the_run(log),
        wall=wall, argv=("kexec", words), outcome=outcome,
    )  # fmt: skip
