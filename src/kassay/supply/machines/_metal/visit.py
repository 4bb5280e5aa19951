# SPDX-License-Identifier: GPL-2.0-only
"""A visit to a machine: from how it was found, over the boots of an experiment, back to how it was found."""

import contextlib
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from kassay.effects import clock, process
from kassay.effects.files import write_atomic
from kassay.effects.ssh import ConnectionLost, Ssh, last_line
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell
from kassay.model.remote_machine import SshAddress
from kassay.supply.machines._backend import KernelFiles, Visit
from kassay.supply.machines._metal import steps
from kassay.supply.machines._metal.facts import RUN, SESSION, Facts, Session, alive, facts, refusals

NOTE = "metal.txt"
"""In a directory of runs: how the machine was found, as long as it is not back in that state."""

_INSPECT_S, _ANSWER_S = 300, 60
_PAUSE_S = 2.0
_SETTLES_S = 120

T = TypeVar("T")


class StepFailed(HostLacks):
    """A script failed; the text is its own error."""


@contextlib.contextmanager
def connected(address: SshAddress) -> Iterator[Ssh]:
    """A connection for the time of the block."""
    with tempfile.TemporaryDirectory(prefix="kassay-") as directory:
        link = Ssh(address, Path(directory))
        try:
            yield link
        finally:
            link.drop()


def inspected(link: Ssh) -> Facts:
    """Facts that the machine reports about itself. Raises HostLacks if it does not answer."""
    try:
        return _inspect(link)
    except ConnectionLost as lost:
        remedy = (
            f"try: ssh {link.name}" if "Permission" not in str(lost) else "give ssh a key that this machine accepts"
        )
        raise HostLacks(f"{link.name} does not answer: {lost}", remedy) from lost


def _inspect(link: Ssh) -> Facts:
    return facts(checked(link, "inspect", (), timeout_s=_INSPECT_S))


def checked(link: Ssh, name: str, arguments: Sequence[str], *, timeout_s: float = 120) -> str:
    """Output of a script. Raises ConnectionLost, or StepFailed with the script's own error message."""
    done = link.script(steps.script(name), arguments, timeout_s=timeout_s)
    if done.status:
        why = last_line(done.err).removeprefix("kassay: ") or f"status {done.status}"
        raise StepFailed(f"{link.name}: {why}", f"step: {name}; docs/reference/metal.md says what a machine needs")
    return done.out


class Visited:
    """The machine during a visit. Nothing is changed there before begin()."""

    def __init__(self, link: Ssh, visit: Visit, tell: Tell) -> None:
        self.link = link
        self.visit = visit
        self.directory = steps.directory_of(visit)
        self.now: Facts | None = None
        self.begun = False
        self._tell = tell
        self._original: Facts | None = None

    def tell(self, text: str) -> None:
        """Shows what is being done there."""
        self._tell(Progress(stage="metal", subject=self.link.name, text=text))

    def patiently(self, call: Callable[[], T]) -> T:
        """The result of a call, which is repeated when the connection is lost; it must be safe to make it twice."""
        until = clock.monotonic_s() + self.visit.reach.limit_s
        while True:
            try:
                return call()
            except ConnectionLost as lost:
                if clock.monotonic_s() > until:
                    self.begun = False
                    what = f"{self.link.name} was lost and did not answer again: {lost}"
                    remedy = "repeat the command when it is there: it goes on, and brings it back"
                    raise HostLacks(what, remedy) from lost
                self.tell(f"the connection is lost ({lost}): trying again")
                self.link.drop()
                clock.sleep(_PAUSE_S)

    def begin(self) -> None:
        """Notes how the machine is found, brings the kernels, makes their initrds. Raises HostLacks."""
        self.patiently(self._begin)

    def _begin(self) -> None:
        self.tell("looking at it")
        found = now = _inspect(self.link)
        for session in found.sessions:
            self._check_dead(session)
        resumed = None
        for session in found.sessions:
            if session.id == self.visit.id:
                resumed = session
            else:
                now = self._cleaned_up(session, now)
        original = self._first_found(resumed, now)
        if original is not None:
            self._open(original)
            now = self._home(self.directory, original, now)
        elif SESSION in now.words:
            now = self._rebooted(now)
        if now.get("boot") != found.get("boot"):
            now = self._settled(now)
        held_kb = resumed.kb if resumed else 0
        if problems := tuple(refusals(now, self.visit.arch, bool(self.visit.reach.start), held_kb)):
            raise HostLacks(f"{self.link.name}: {problems[0][0]}", problems[0][1])
        self.begun, self.now = True, now
        self._original = original or now
        self._open(self._original)
        write_atomic(self._note, f"{self.link.name}\n{self._original.text}".encode())
        for kernel in self.visit.kernels:
            self._bring(kernel)

    def _open(self, original: Facts) -> None:
        self._script("open", f"{platform.node()} {this_boot()} {os.getpid()}")
        self.link.send(original.text.encode(), f"{self.directory}/found")

    @property
    def _note(self) -> Path:
        return Path(self.visit.directory, NOTE)

    def _first_found(self, resumed: Session | None, now: Facts) -> Facts | None:
        """How the machine was found when this experiment began; None if it begins now, or if every note is lost."""
        original = self._noted(self.directory) if resumed else None
        if original is None and SESSION in now.words and self._note.exists():
            original = facts(self._note.read_text("utf-8"))
        return original

    def _noted(self, directory: str) -> Facts | None:
        """How the machine was found, by the note on it; None where kassay was killed before it was written."""
        done = self.link.script(steps.script("found"), (directory,))
        return facts(done.out) if not done.status and "boot\t" in done.out else None

    def _check_dead(self, session: Session) -> None:
        """Raises HostLacks if the kassay of a session may still run."""
        node = platform.node()
        if session.id == self.visit.id and session.owner.split(" ")[0] in ("", node):
            return  # of this directory of runs, which this process has locked
        running = frozenset(int(path.name) for path in Path("/proc").glob("[0-9]*"))
        if alive(session, node, running, this_boot()):
            what = f"{self.link.name} is in use by another experiment ({session.owner or 'of an unknown owner'})"
            raise HostLacks(what, "wait for it to end; one that has done nothing for 15 minutes is taken for dead")

    def _cleaned_up(self, session: Session, now: Facts) -> Facts:
        """The machine without what a killed kassay left there."""
        directory = f"/var/tmp/kassay-{session.id}"
        self.tell(f"an experiment that was killed left {directory}: cleaning up")
        original = self._noted(directory)
        if original is not None:
            now = self._home(directory, original, now)
        checked(self.link, "leave", (directory,))
        return now

    def _rebooted(self, now: Facts) -> Facts:
        """The machine on the kernel of its boot loader. It runs one of kassay's, and no note tells how it was found."""
        self.tell("a killed experiment left its kernel and no note: rebooting")
        checked(self.link, "home", (self.directory, "reboot"))
        now = self.came_up(now.get("boot")) or self.reset("its own kernel did not come up")
        if SESSION in now.words:
            what = f"{self.link.name} is on {now.kernel}, which kassay has started"
            raise HostLacks(what, "start the machine's own kernel by hand")
        return now

    def _settled(self, now: Facts) -> Facts:
        """The machine when its boot keeps it busy no longer, or after two minutes."""
        until = clock.monotonic_s() + _SETTLES_S
        while now.is_busy and clock.monotonic_s() < until:
            clock.sleep(_PAUSE_S)
            now = _inspect(self.link)
        return now

    def _bring(self, kernel: KernelFiles) -> None:
        self.store(steps.files(kernel), kernel.ref)
        self.tell(f"making an initrd for {kernel.ref}")
        checked(self.link, "prepare", steps.prepare_words(kernel, self.directory), timeout_s=1800)

    def store(self, files: Sequence[tuple[str, str]], name: str) -> None:
        """Brings files that are not there yet, by content. Raises HostLacks for one that arrives damaged."""
        hashes = [sha for _, sha in files]
        have = facts(self._script("content", *hashes)).all("have")
        for path, sha in files:
            if sha not in have:
                self.tell(f"sending {name} ({Path(path).stat().st_size >> 10} KiB)")
                self.link.send(Path(path), f"{self.directory}/content/{sha}")
        if set(hashes) - set(facts(self._script("content", *hashes)).all("have")):
            raise HostLacks(f"{self.link.name}: {name} arrives damaged", "check its disk and memory")

    def _script(self, name: str, *arguments: str) -> str:
        return checked(self.link, name, (self.directory, *arguments))

    def came_up(self, before: str) -> Facts | None:
        """The machine after a boot: it answers, and not from boot `before`. None when that takes too long."""
        self.link.drop()
        until = clock.monotonic_s() + self.visit.reach.limit_s
        while clock.monotonic_s() < until:
            clock.sleep(_PAUSE_S)
            with contextlib.suppress(ConnectionLost, StepFailed):  # sshd answers before all that is asked can be done
                if self._boot() not in ("", before):
                    self.now = _inspect(self.link)
                    return self.now
            self.link.drop()
        return None

    def _boot(self) -> str:
        """The id of the boot that answers, "" if none does."""
        with contextlib.suppress(ConnectionLost):
            return self.link.fetch(("cat", steps.BOOT_ID), timeout_s=_ANSWER_S).decode("ascii", "replace").strip()
        return ""

    def reset(self, problem: str) -> Facts:
        """The machine after the user's command for one that does not answer. Raises HostLacks without one."""
        command, limit = self.visit.reach.reset, self.visit.reach.limit_s
        if not command:
            self.begun = False
            problem = f"{self.link.name}: {problem} within {limit} s; the machine is left as it is"
            raise HostLacks(problem, "start it by hand and repeat the command, which goes on; or give --reset COMMAND")
        self.tell(f"{problem}; resetting: {command}")
        before = self._boot()  # which may answer for a while after the command
        done = process.run(("sh", "-c", command), timeout_s=limit, env={"KASSAY_HOST": self.link.name})
        now = self.came_up(before) if done.status == 0 else None
        if now is None:
            self.begun = False
            why = f"status {done.status}: {last_line(done.err)}" if done.status else f"no answer within {limit} s"
            raise HostLacks(f"{self.link.name}: {problem}, and --reset did not help: {why}", "start it by hand")
        return now

    def end(self) -> None:
        """Back to the kernel and the settings that were found; nothing is left there. Raises HostLacks."""
        if not self.begun or self._original is None:
            return
        self.begun = False
        try:
            now = inspected(self.link)
            self._home(self.directory, self._original, now)
            checked(self.link, "leave", (self.directory,))
        except ConnectionLost as lost:
            what = f"{self.link.name} was lost on its way back to {self._original.get('release')}: {lost}"
            raise HostLacks(what, "repeat the command: it brings the machine back") from lost
        self._note.unlink(missing_ok=True)

    def go_home(self) -> None:
        """Brings the machine to its own kernel during the visit: that of the last run cannot start another one."""
        assert self._original is not None  # begin() has noted it
        original = self._original
        self.now = self.patiently(lambda: self._home(self.directory, original, _inspect(self.link)))

    def _home(self, directory: str, original: Facts, now: Facts) -> Facts:
        if now.kernel != original.kernel or SESSION in now.words or RUN in now.words:
            self.tell(f"back to {original.get('release')}")
            answer = facts(checked(self.link, "home", (directory, steps.manner(self.visit)[1])))
            if answer.get("reboots"):
                self.tell(f"{answer.get('reboots')}; it reboots instead")
            what = f"its own kernel {original.get('release')} did not come up"
            now = self.came_up(now.get("boot")) or self.reset(what)
            if now.kernel != original.kernel:
                what = f"{self.link.name} is on {now.kernel}, and was found on {original.kernel}"
                raise HostLacks(what, f"start that kernel by hand; {directory} there is what is left")
        answer = facts(checked(self.link, "restore", (directory,)))
        for text in answer.all("differs"):
            self.tell(f"cannot be put back: {text}")
        return now


def this_boot() -> str:
    """The id of this host's boot."""
    return Path(steps.BOOT_ID).read_text().strip()


@contextlib.contextmanager
def visiting(address: SshAddress, visit: Visit, tell: Tell) -> Iterator[Visited]:
    """A visit, which begins with the first run, or at once where a killed kassay left the machine changed. It ends with
    the block."""
    with connected(address) as link:
        visited = Visited(link, visit, tell)
        try:
            if Path(visit.directory, NOTE).exists():
                visited.begin()
            yield visited
        finally:
            visited.end()
