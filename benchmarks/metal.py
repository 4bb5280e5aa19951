# SPDX-License-Identifier: GPL-2.0-only
"""`--clock metal` against a stand-in of a real machine: kernels started by kexec, and everything that goes wrong.

usage: python -m benchmarks.metal [--boots N] [--only session|dead|governor] [--out DIR]
A Debian in QEMU (tests/standin), itself emulated: what it times is no processor's time. About half an hour on 2 idle
cores, some of it to make the image. Ends with status 1 where something is not as it must be.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from tests.standin.host import StandIn, start
from tests.standin.image import image
from tests.standin.state import differences, state_of

from benchmarks._metal_events import Ended, MetalSession
from kassay.journal.directory import BESIDE
from kassay.model.progress import silent

OLD, NEW = "debian:6.12", "debian:6.17"
SMALL = ("--set", "size=1MiB", "--rounds", "6")
_DEAD = """\
schema = "kassay-experiment/1"
clock = "metal"
on = "{on}"
repeats = 1
retries = 0
control = false
flavour = "cloud"
rounds = 6

[[kernels]]
ref = "debian:6.12"
name = "panics"
cmdline = "rdinit=/none"

[[kernels]]
ref = "debian:6.12"
name = "hangs"
cmdline = "rdinit=/none panic=0"

[[workloads]]
name = "mprotect_toggle"
[workloads.set]
size = "1MiB"
"""
# As of firmware that lets nobody choose.
_FIXED = "/etc/systemd/system/standin-governor.service.d"
_READ_ONLY = r"[Service]\nExecStartPost=/bin/mount -o remount,ro /sys/devices/system/cpu/cpufreq\n"


class Show:
    """Runs the parts and prints what happens, with minutes since the start."""

    def __init__(self, standin: StandIn, directory: Path, boots: int, limit_s: int) -> None:
        self.standin = standin
        self._directory = directory
        self._boots = boots
        self._limit_s = limit_s
        self._began = time.monotonic()
        self._wrong = 0

    def say(self, text: str) -> None:
        """One line."""
        print(f"{(time.monotonic() - self._began) / 60:5.1f} min  {text}", flush=True)

    def session(self) -> None:
        """Two kernels in blocks of boots, disturbed twice."""
        directory = self._directory / "session"
        made = MetalSession(self.standin, directory / BESIDE / "journal.jsonl", self.say)
        words = ("compare", "mprotect_toggle", OLD, NEW, *SMALL, "--clock", "icount,metal", *self._there(), "--repeats",
                 str(self._boots), "--perturb", "0", "--profile", "none", "--out", str(directory))  # fmt: skip
        self.say(f"kassay {' '.join(words[:-2])}")
        first = made.command(*words, cut_after=1, kill_after=min(3, 2 * self._boots))
        self._check("kassay was killed", first.killed, first)
        last = made.command(*words, "--format", "json")
        self._check("the same command again ends with an answer", last.status == 0, last)
        print(made.command("report", str(directory)).out)
        times = Counter(run for run, outcome in made.outcomes() if outcome == "ok")
        self.say(f"runs: {len(times)} good; attempts: {dict(Counter(o for _, o in made.outcomes()))}")
        for why in made.failures():
            self.say(f"made again: {why}")
        self._check("no run was made twice", set(times.values()) == {1}, last)
        report = json.loads(last.out)
        self._check("counts and time stand side by side", bool(report.get("beside")), last)

    def dead(self) -> None:
        """A kernel that panics and starts the machine anew, and one that hangs: without --reset, and with it."""
        spec = self._directory / "dead.toml"
        spec.write_text(_DEAD.format(on=self.standin.address))
        directory = self._directory / "dead"
        made = MetalSession(self.standin, directory / "journal.jsonl", self.say)
        words = ("run", str(spec), "--boot-limit", str(self._limit_s), "--out", str(directory), "--format", "markdown")
        self.say("a kernel that panics, and one that hangs, without --reset")
        first = made.command(*words)
        self.say("; ".join(line.strip() for line in first.err.strip().splitlines()[-2:]))
        self._check("it ends with status 3 and names the machine",
                    first.status == 3 and self.standin.address in first.err, first)  # fmt: skip
        self.say("the machine is started by hand, and the command repeated with --reset")
        self.standin.reset()
        self._check("the machine is there", self.standin.answers(), first)
        switch = f"{Path.cwd()}/.venv/bin/python -m tests.standin reset {self.standin.directory}"
        last = made.command(*words, "--reset", switch)
        self.say(f"outcomes: {made.outcomes()}")
        ended = [outcome for _, outcome in made.outcomes()]
        self._check("both are outcomes", len(ended) == 2 and set(ended) <= {"no-boot", "panic"}, last)

    def governor(self) -> None:
        """A governor that cannot be chosen."""
        self.standin.ssh(
            f"sudo sh -c 'mkdir {_FIXED}; printf \"{_READ_ONLY}\" >{_FIXED}/fixed.conf; systemctl daemon-reload'"
        )
        directory = self._directory / "governor"
        made = MetalSession(self.standin, directory / "journal.jsonl", self.say)
        ran = made.command("compare", "mprotect_toggle", OLD, NEW, *SMALL, "--clock", "metal", *self._there(),
                           "--repeats", "1", "--out", str(directory))  # fmt: skip
        self.standin.ssh(f"sudo sh -c 'rm -r {_FIXED}; systemctl daemon-reload'")
        self.say(next((line for line in ran.err.splitlines() if "not in order" in line), "?").strip())
        self._check("it is refused", ran.status == 3 and "not in order" in ran.err, ran)

    def left(self, part: Callable[[], None]) -> None:
        """A part, and whether the machine is afterwards as it was."""
        before = state_of(self.standin)
        part()
        left = differences(before, state_of(self.standin))
        print("".join(f"           left: {line}\n" for line in left), end="")
        self._check(f"the machine is as it was ({len(before)} names compared)", not left, None)

    def ended(self) -> int:
        """The exit status."""
        self.say("all as it must be" if not self._wrong else f"{self._wrong} things are NOT as they must be")
        return 1 if self._wrong else 0

    def _there(self) -> tuple[str, ...]:
        return "--on", self.standin.address, "--flavour", "cloud", "--boot-limit", str(self._limit_s)

    def _check(self, what: str, holds: bool, ran: Ended | None) -> None:
        self.say(f"{'yes' if holds else 'NO '}: {what}")
        if not holds:
            self._wrong += 1
            if ran is not None:
                print(f"status {ran.status}\n{ran.out[-2000:]}\n{ran.err[-4000:]}", flush=True)


def main() -> int:
    """Starts a stand-in for all parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boots", type=int, default=4, help="of each kernel")
    parser.add_argument("--boot-limit", type=int, default=300, help="seconds in which a kernel comes up")
    parser.add_argument("--only", choices=("session", "dead", "governor"))
    parser.add_argument("--out", metavar="DIR", help="keep what was measured there; else it is removed")
    words = parser.parse_args()
    with nullcontext(words.out) if words.out else tempfile.TemporaryDirectory(prefix="metal-") as name:
        standin = start(Path(name, "standin"), image(silent), governor="powersave")
        try:
            show = Show(standin, Path(name), words.boots, words.boot_limit)
            if not standin.answers():
                print(standin.console[-4000:])
                return 1
            show.say(f"the stand-in answers: {standin.ssh('uname -sr').out.strip()}")
            for part in ("session", "dead", "governor"):
                if words.only in (None, part):
                    show.left(getattr(show, part))
            return show.ended()
        finally:
            standin.stop()


if __name__ == "__main__":
    raise SystemExit(main())
