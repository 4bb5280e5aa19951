# SPDX-License-Identifier: GPL-2.0-only
"""How a run ended, told from its exit status, its console and its stream; no I/O."""

import re

# Kernel messages start a line, after the time stamp that printk puts there.
_START = rb"^(?:\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? )?"
_PANIC = re.compile(_START + rb"(Kernel panic - not syncing: [^\r\n]*)", re.MULTILINE)
_OOPS = re.compile(
    _START + rb"((?:BUG:|Oops:|Oops |general protection fault|stack segment:|invalid opcode:|divide error:|"
    rb"Unable to handle kernel|INFO: task |INFO: rcu|watchdog: BUG|rcu: INFO|KASAN:|UBSAN:|WARNING: )[^\r\n]*)",
    re.MULTILINE,
)


def console_problem(console: bytes) -> tuple[str, str] | None:
    """("panic" | "oops", the kernel's own line), or None when the log shows neither."""
    if panic := _PANIC.search(console):
        return "panic", _words(panic.group(1))
    if oops := _OOPS.search(console):
        return "oops", _words(oops.group(1))
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
