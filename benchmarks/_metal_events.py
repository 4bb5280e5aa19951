# SPDX-License-Identifier: GPL-2.0-only
"""Events in a session on the stand-in while it runs: its network is cut, and kassay is killed."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.standin.host import StandIn

from benchmarks._kassay import argv
from kassay.errors import BadInput, HostLacks
from kassay.journal.journal import read_journal

Say = Callable[[str], None]


class Ended(NamedTuple):
    """A command that ended. killed: by us."""

    status: int
    out: str
    err: str
    killed: bool = False


class MetalSession:
    """One command of kassay on a stand-in, as often as it takes. journal: of the runs that it makes there."""

    def __init__(self, standin: StandIn, journal: Path, say: Say) -> None:
        self._standin = standin
        self._journal = journal
        self._say = say

    def outcomes(self) -> list[tuple[str, str]]:
        """(run, outcome) of what is in the journal."""
        try:
            return [(record.run, record.outcome) for record in read_journal(self._journal)]
        except (BadInput, HostLacks, OSError):
            return []

    def failures(self) -> list[str]:
        """Why attempts failed, in the journal's words."""
        return [
            f"{record.outcome}: {record.detail}" for record in read_journal(self._journal) if record.outcome != "ok"
        ]

    def command(self, *words: str, cut_after: int = -1, kill_after: int = -1, cut_s: float = 30) -> Ended:
        """Runs it. cut_after: after so many runs the network is cut for cut_s. kill_after: kassay is killed then."""
        err, out = (self._standin.directory / name for name in ("command.err", "command.out"))
        env = {**os.environ, "PATH": self._standin.path}
        with err.open("wb") as errors, out.open("wb") as answer:
            child = subprocess.Popen(argv(*words), stdout=answer, stderr=errors, env=env)
            try:
                killed = self._watch(child, cut_after, kill_after, cut_s)
            finally:
                child.kill()
                child.wait()
        return Ended(child.returncode, out.read_text(), err.read_text(), killed)

    def _watch(self, child: "subprocess.Popen[bytes]", cut_after: int, kill_after: int, cut_s: float) -> bool:
        made = len(self.outcomes())
        while child.poll() is None:
            if (now := len(self.outcomes())) != made:
                made = now
                self._say(f"{made} runs are there")
            if made == cut_after:
                cut_after = -1
                time.sleep(10)
                self._say(f"the network is cut for {cut_s:g} s, in the middle of the next run")
                self._standin.link(up=False)
                time.sleep(cut_s)
                self._standin.link(up=True)
            if made == kill_after:
                time.sleep(15)
                child.send_signal(signal.SIGKILL)
                self._say("kassay is killed (SIGKILL), in the middle of the next run")
                return True
            time.sleep(0.5)
        return False
