# SPDX-License-Identifier: GPL-2.0-only
"""The outcome of a run, one word and one line: read from its stream, its kernel log and how its machine ended."""

import re

from kassay.model.plan import Cell
from kassay.supply.guest import audit, protocol
from kassay.supply.machines import Ended
from kassay.supply.measured import Measured

# Kernel messages start a line, after the time stamp that printk puts there.
_START = rb"^(?:\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? )?"
_PANIC = re.compile(_START + rb"(Kernel panic - not syncing: [^\r\n]*)", re.MULTILINE)
_OOPS = re.compile(
    _START + rb"((?:BUG:|Oops:|Oops |general protection fault|stack segment:|invalid opcode:|divide error:|"
    rb"Unable to handle kernel|kernel BUG at |Internal error: |Bad mode in |INFO: task |INFO: rcu|"
    rb"watchdog: BUG|rcu: INFO|KASAN:|UBSAN:|WARNING: )[^\r\n]*)",
    re.MULTILINE,
)


_KILLED = re.compile(_START + rb"(Memory cgroup out|Out) of memory: Killed process \d+ \(([^)]*)\)", re.MULTILINE)


def console_problem(console: bytes) -> tuple[str, str] | None:
    """("panic" | "oops", the kernel's own line), or None when the log shows neither."""
    if panic := _PANIC.search(console):
        return "panic", _words(panic.group(1))
    if oops := _OOPS.search(console):
        return "oops", _words(oops.group(1))
    return None


def killed_for_memory(console: bytes, limit: str) -> str:
    """The first task that the kernel's log says was killed for want of memory, in words with a way out; "" for none.

    limit: --memcg of the machine, "" without one. The cgroup is then one of the program itself.
    """
    killed = _KILLED.search(console)
    if killed is None:
        return ""
    if killed[1] == b"Out":
        why = "out of memory; give more with --memory"
    else:
        why = "out of memory in its cgroup" + ("; give more with --memcg" if limit else "")
    return f"the kernel had killed {_words(killed[2])}: {why}"


def classify(*, console: bytes, stream_problem: tuple[str, str] | None, status: int, timed_out: bool,
             machine_words: str) -> tuple[str, str]:  # fmt: skip
    """(outcome, detail) of one run; the most serious reason decides, and a damaged stream is never ok."""
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


def quiescence_outcome(ended: Ended) -> tuple[str, str]:
    """The outcome of a timed boot: "busy" where the guest never became quiet. Not for exact counts: another try would
    give the same digits, and the gate refuses them."""
    quiet = audit.fields(protocol.parse(ended.stream), "boot").get("boot.quiescence") or ""
    return ("busy", f"the guest never became quiet: {quiet}") if quiet.startswith("busy") else ("ok", "")


def outcome_of(ended: Ended, measured: Measured, cell: Cell, *, logs_kernel: bool) -> tuple[str, str]:
    """Outcome and detail as in a RunRecord. logs_kernel: True if the console is the log of the measured kernel."""
    problem: tuple[str, str] | None = None
    killed = killed_for_memory(ended.console, cell.machine.memcg) if logs_kernel else ""
    if ended.outcome:
        who = killed.partition("; give more")[0]  # a machine has the memory that it has
        return console_problem(ended.console) or (ended.outcome, f"{ended.detail}; {who}" if who else ended.detail)
    try:
        report = protocol.parse(ended.stream)
        guest_outcome = protocol.outcome(report)
        problem = guest_outcome if guest_outcome[0] != "ok" else measured.problem(report, ended.profile, cell.settings)
    except protocol.StreamError as error:
        problem = (error.kind, error.detail)
    if killed and problem is not None and problem[0] != "ok":
        problem = problem[0], f"{problem[1]}; {killed}"
    return classify(
        console=ended.console if logs_kernel else b"", stream_problem=problem, status=ended.status,
        timed_out=ended.timed_out, machine_words=ended.detail,
    )  # fmt: skip
