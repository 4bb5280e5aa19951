# SPDX-License-Identifier: GPL-2.0-only
"""A real machine, reached by ssh, that boots each kernel itself (docs/reference/metal.md)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.errors import HostLacks
from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.progress import Tell
from kassay.model.remote_machine import SshAddress, parse_ssh
from kassay.supply.arches import arches
from kassay.supply.machines._backend import Ended, Job, Machine, Visit
from kassay.supply.machines._metal.boots import run_on
from kassay.supply.machines._metal.facts import Facts, identity, refusals
from kassay.supply.machines._metal.steps import WORDS, dry_run
from kassay.supply.machines._metal.visit import Visited, connected, inspected, visiting

_SSH = "ssh: not found on this host"
_NAMELESS, _NAME = "no machine is named", "name one: --on ssh://USER@HOST"


class Metal(Machine):
    """A remote machine: none in particular, the one at an address, or that one during a visit."""

    name = "metal"
    summary = "wall time on a real machine that boots the kernels itself, reached by ssh"
    clock = "metal"
    arches = tuple(arches())
    order = 10
    takes_initramfs = False
    only_local = "is one host alone, which --on names"

    def __init__(self, address: SshAddress | None = None, visited: Visited | None = None) -> None:
        self._address, self._visited = address, visited

    def probe(self, arch: str, tell: Tell) -> MachineProbe:
        if self._address is None:
            refused = _refusal()
            return MachineProbe(name=self.name, usable=False, detail=refused.what, remedy=refused.remedy)
        machine_facts = _facts(self._address)
        problems = tuple(refusals(machine_facts, arch, started=True))
        detail = f"{self._address.text}: {problems[0][0]}" if problems else machine_facts.kernel
        remedy = problems[0][1] if problems else ""
        return MachineProbe(name=self.name, usable=not problems, detail=detail, remedy=remedy)

    def identify(self, arch: str, cpus: int, boot: str) -> MachineIdentity:
        if self._address is None:
            raise _refusal()
        named = self._address._replace(host=self._address.host.lower())  # one machine, however its name is written
        return identity(_facts(self._address), arch, self.clock, named.text)

    def run(self, job: Job, arch: str) -> Ended:
        """Boot the job's kernel and run its program there. Raises HostLacks outside of a session."""
        if self._visited is None:
            raise _refusal()
        return run_on(self._visited, job)

    def cmdline(self, arch: str, cpus: int, boot: str) -> str:
        return WORDS

    def at(self, address: str) -> "Metal":
        return Metal(parse_ssh(address))

    @contextmanager
    def session(self, visit: Callable[[], Visit], tell: Tell) -> Iterator["Machine"]:
        """The machine during a visit. It is left as it was found."""
        if self._address is None:
            raise _refusal()
        with visiting(self._address, visit(), tell) as visited:
            yield Metal(self._address, visited)

    def steps(self, visit: Callable[[], Visit], cmdline: str) -> str:
        return super().steps(visit, cmdline) if self._address is None else dry_run(visit(), self._address.text, cmdline)


def _refusal() -> HostLacks:
    return HostLacks(_SSH, install("openssh-client")) if process.find("ssh") is None else HostLacks(_NAMELESS, _NAME)


@cache
def _facts(address: SshAddress) -> Facts:
    """The machine's facts, read once for each process."""
    with connected(address) as link:
        return inspected(link)


MACHINE = Metal()
