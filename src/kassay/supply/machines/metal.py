# SPDX-License-Identifier: GPL-2.0-only
"""A real machine, reached by ssh, that boots each kernel itself (docs/how-to/metal.md)."""

from collections.abc import Callable
from functools import cache, partial

from kassay.effects import process
from kassay.errors import HostLacks
from kassay.model.machine import MachineIdentity, MachineProbe
from kassay.model.progress import Tell
from kassay.model.reach import SshAddress, parse_ssh
from kassay.supply.arches import arches
from kassay.supply.machines._backend import Ended, Job, Machine, Visit
from kassay.supply.machines._metal.boots import run_in
from kassay.supply.machines._metal.facts import Facts, identity, refusals
from kassay.supply.machines._metal.steps import WORDS, dry_run
from kassay.supply.machines._metal.visit import connected, inspected, visiting

_SSH, _INSTALL = "ssh: not found on this host", "apt install openssh-client"
_NAMELESS, _NAME = "no machine is named", "name one: --on ssh://USER@HOST"


def _probe(arch: str, _: Tell) -> MachineProbe:
    if process.find("ssh") is None:
        return MachineProbe(name="metal", usable=False, detail=_SSH, remedy=_INSTALL)
    return MachineProbe(name="metal", usable=False, detail=_NAMELESS, remedy=_NAME)


def _refuse() -> HostLacks:
    return HostLacks(_SSH, _INSTALL) if process.find("ssh") is None else HostLacks(_NAMELESS, _NAME)


def _identify(arch: str, cpus: int, boot: str) -> MachineIdentity:
    raise _refuse()


def _run(job: Job, arch: str) -> Ended:
    raise _refuse()


@cache
def _facts(address: SshAddress) -> Facts:
    """The machine's facts, read once for each process."""
    with connected(address) as link:
        return inspected(link)


def _probe_at(address: SshAddress, arch: str, tell: Tell) -> MachineProbe:
    machine_facts = _facts(address)
    problems = tuple(refusals(machine_facts, arch, started=True))
    detail = f"{address.text}: {problems[0][0]}" if problems else machine_facts.kernel
    return MachineProbe(name="metal", usable=not problems, detail=detail, remedy=problems[0][1] if problems else "")


def _identify_at(address: SshAddress, arch: str, cpus: int, boot: str) -> MachineIdentity:
    return identity(_facts(address), arch, "metal", address.text)


def _cmdline(arch: str, cpus: int, boot: str) -> str:
    return WORDS


def _at(text: str) -> Machine:
    address = parse_ssh(text)
    steps: Callable[[Visit, str], str] = lambda visit, cmdline: dry_run(visit, address.text, cmdline)  # noqa: E731
    return Machine(
        name=MACHINE.name, summary=MACHINE.summary, clock=MACHINE.clock, arches=MACHINE.arches, order=MACHINE.order,
        cmdline=_cmdline, at=_at, run=_run, probe=partial(_probe_at, address), identify=partial(_identify_at, address),
        visit=partial(visiting, address, run_in), steps=steps,
    )  # fmt: skip


MACHINE = Machine(
    name="metal", summary="wall time on a real machine that boots the kernels itself, reached by ssh", clock="metal",
    arches=tuple(arches()), order=10, probe=_probe, identify=_identify, run=_run, cmdline=_cmdline, at=_at,
)  # fmt: skip
