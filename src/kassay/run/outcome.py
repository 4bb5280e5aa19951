# SPDX-License-Identifier: GPL-2.0-only
"""How a run ended, told from its exit status, its console and its stream; no I/O."""

import re

# Each line is looked for at the start of a kernel message. Panic first: it ends with a trace of its own.
_PANIC = re.compile(rb"Kernel panic - not syncing: ([^\r\n]*)")
_OOPS = re.compile(
    rb"(?:(?:BUG|Oops|general protection fault|stack segment|invalid opcode|divide error|"
    rb"Unable to handle kernel|INFO: task|watchdog: BUG|rcu: INFO|KASAN|UBSAN|WARNING): ?[^\r\n]*)"
)


def console_problem(console: bytes) -> tuple[str, str] | None:
    """("panic" | "oops", the kernel's own line), or None when the log shows neither."""
    if panic := _PANIC.search(console):
        return "panic", _words(panic.group(0))
    if oops := _OOPS.search(console):
        return "oops", _words(oops.group(0))
    return None


def classify(*, console: bytes, stream_problem: tuple[str, str] | None, status: int, timed_out: bool,
             machine_words: str) -> tuple[str, str]:  # fmt: skip
    """(outcome, detail) of one run; the gravest reason wins, and a damaged stream is never explained away."""
    problem = console_problem(console)
    if problem is not None:
        return problem
    if timed_out:
        return "timeout", "no end within the allowed time" + (f"; {machine_words}" if machine_words else "")
    if status != 0 and (stream_problem is None or stream_problem[0] in ("no-boot", "torn-output")):
        by = f"signal {-status}" if status < 0 else f"status {status}"
        return "machine-died", f"ended by {by}" + (f": {machine_words}" if machine_words else "")
    return stream_problem if stream_problem is not None else ("ok", "")


def _words(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()[:200]
