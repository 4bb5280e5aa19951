# SPDX-License-Identifier: GPL-2.0-only
"""A machine elsewhere, as its scripts would see it: what boots, what lies in /var/tmp, what a script answers."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from kassay.effects.files import sha256_bytes
from kassay.effects.process import Completed
from kassay.effects.ssh import ConnectionLost
from kassay.model.progress import silent
from kassay.model.remote_machine import RemoteOptions
from kassay.supply.machines import Ended, Job, Machine, Visit, machine_for
from kassay.supply.machines._metal import steps

ADDRESS = "ssh://root@fake"
ID = "0123456789ab"
OWN = "Linux version 6.12.1-own (gcc) #1 SMP Debian"
NAMES = ("inspect", "open", "found", "content", "prepare", "boot", "crash", "home", "order", "run", "wait", "state",
         "restore", "leave")  # fmt: skip


class FakeHost:
    """Stands in for a machine and for the connection to it.

    ends: kernels (by sha256 of the image) and what becomes of them: "dead", "panic", "not started", else they come up.
    without_kexec: those that cannot start another kernel. lost: how many of the next calls of a step find no
    connection. idle_s, held_kb: of every directory of an experiment.
    """

    name = "ssh://root@fake"

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.boots = 1
        self.banner, self.cmdline = OWN, "BOOT_IMAGE=/vmlinuz root=/dev/sda1"
        self.files: dict[str, bytes] = {}
        self.banners: dict[str, str] = {}
        self.ends: dict[str, str] = {}
        self.lost: dict[str, int] = {}
        self.facts: dict[str, str] = {}
        self.order = self.crash = ""
        self.ended = "status\t0\nelapsed\t1.50\n"
        self.quiescence = "state quiet\nwaited 6\n"
        self.stream, self.log = b"", b"[    1.0] boots\n"
        self.idle_s = self.held_kb = 0
        self.without_kexec: set[str] = set()
        self.answers = True
        self.restarts_in_run = False
        self.resets_after = 0
        """Answers that it still gives until a reset takes place."""

    @property
    def steps(self) -> list[str]:
        """Names of the scripts that were executed, in order."""
        return [call[0] for call in self.calls]

    def reset(self) -> None:
        """Reset it like a power switch."""
        self.answers = True
        self._booted(OWN, "BOOT_IMAGE=/vmlinuz root=/dev/sda1")

    def script(self, text: str, words: Sequence[str] = (), *, timeout_s: float = 0) -> Completed:
        name = next(name for name in NAMES if steps.script(name) == text)
        self.calls.append((name, *words))
        if self.lost.get(name, 0) > 0:
            self.lost[name] -= 1
            raise ConnectionLost("cut")
        if not self.answers:
            raise ConnectionLost("no route to host")
        out = getattr(self, f"_{name}")(*words)
        return Completed(1, "", out) if out.startswith("kassay: ") else Completed(0, out, "")

    def send(self, data: bytes | Path, to: str, *, timeout_s: float = 0) -> None:
        self.files[to] = data if isinstance(data, bytes) else data.read_bytes()

    def fetch(self, words: Sequence[str], *, timeout_s: float = 0) -> bytes:
        if not self.answers:
            raise ConnectionLost("no route to host")
        if self.resets_after:
            self.resets_after -= 1
            if not self.resets_after:
                self.reset()
        if words[-1].endswith("boot_id"):
            return f"boot{self.boots}\n".encode()
        return self.stream if words[0] == "cat" else self.log

    def drop(self) -> None:
        pass

    def _booted(self, banner: str, cmdline: str) -> None:
        self.boots += 1
        self.banner, self.cmdline = banner, cmdline

    def _inspect(self) -> str:
        release = self.banner.split()[2]
        known = {
            "release": release, "version": "#1", "banner": self.banner, "boot": f"boot{self.boots}",
            "machine": "x86_64", "cmdline": self.cmdline, "cpu": "Fake CPU", "cpus": "0-3", "root": "0",
            "memory": str(8 << 30),
            "kexec": "/sbin/kexec", "initrd_tool": "mkinitramfs", "free_kb": str(8 << 20), "busy": "1", **self.facts,
        }  # fmt: skip
        owners = {
            found[1]: owner.decode()
            for path, owner in self.files.items()
            if (found := re.fullmatch("/var/tmp/kassay-([0-9a-f]{12})/owner", path))
        }
        owned = [f"session\t{name} {self.idle_s} {self.held_kb} {owners[name]}\n" for name in sorted(owners)]
        return "".join(f"{name}\t{value}\n" for name, value in known.items()) + "".join(owned)

    def _open(self, directory: str, owner: str) -> str:
        self.files[f"{directory}/owner"] = owner.encode()
        return ""

    def _found(self, directory: str) -> str:
        return self.files.get(f"{directory}/found", b"kassay: not there").decode()

    def _content(self, directory: str, *hashes: str) -> str:
        have = (sha for sha in hashes if sha256_bytes(self.files.get(f"{directory}/content/{sha}", b"")) == sha)
        return "".join(f"have\t{sha}\n" for sha in have)

    def _prepare(self, *words: str) -> str:
        return ""

    def _boot(self, directory: str, image: str, words: str, manner: str) -> str:
        if any(self.banner == self.banners[one] for one in self.without_kexec):
            return "kassay: kexec: syscall kexec_file_load not available."
        end = self.ends.get(image, "")
        if end == "dead":
            self.answers = False
        elif end == "panic":
            self.reset()
        elif end != "not started":
            self._booted(self.banners[image], f"root=/dev/sda1 {words}")
        return f"image\t{directory}/kernels/{image}/image\n"

    def _crash(self, directory: str) -> str:
        return self.crash

    def _home(self, directory: str, manner: str) -> str:
        self._booted(OWN, "root=/dev/sda1")
        return ""

    def _order(self, directory: str, modules: str, *asked: str) -> str:
        return self.order

    def _run(self, *words: str) -> str:
        if self.restarts_in_run:
            self.reset()
        return ""

    def _wait(self, *words: str) -> str:
        return f"boot\tboot{self.boots}\n{self.ended}{self._told('throttled')}{self._told('stolen')}"

    def _told(self, name: str) -> str:
        return f"{name}\t{self.facts.get(name, '0')}\n"

    def _state(self, *words: str) -> str:
        lines = "".join(f"file\tkassay/quiescence\t{line}\n" for line in self.quiescence.splitlines())
        return lines + f"file\t/proc/cmdline\t{self.cmdline}\nuptime\t12.5\n"

    def _restore(self, directory: str) -> str:
        return ""

    def _leave(self, directory: str) -> str:
        self.files = {path: data for path, data in self.files.items() if not path.startswith(f"{directory}/")}
        return ""


def reached(visit: Visit, **reach: object) -> Visit:
    """The visit, with what a user gives."""
    options = RemoteOptions(limit_s=60, **reach)  # type: ignore[arg-type]
    return msgspec.structs.replace(visit, reach=options)


def job(visit: Visit, kernel: int, number: int = 1) -> Job:
    directory = Path(visit.directory)
    return Job(
        directory=str(directory / f"run-{number}"), program=(str(directory / "program"), "--run"), initramfs=None,
        kernel=visit.kernels[kernel].image, cmdline="nokaslr", cpus=1, memory_bytes=0, seed=1, timeout_s=5,
    )  # fmt: skip


def session(visit: Visit) -> AbstractContextManager[Machine]:
    return machine_for("metal", "", ADDRESS).session(lambda: visit, silent)


def runs(visit: Visit, *kernels: int) -> list[Ended]:
    with session(visit) as machine:
        return [machine.run(job(visit, kernel, number), "x86_64") for number, kernel in enumerate(kernels)]
