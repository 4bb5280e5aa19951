# SPDX-License-Identifier: GPL-2.0-only
"""Facts that a machine reports about itself (scripts/inspect.sh), and reasons not to measure on it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kassay.model.machine import MachineIdentity
from kassay.supply.arches import arch_of, of_machine

SESSION = "kassay.session"
"""Kernel parameter of a kernel that an experiment has started; its value is the id of the experiment's directory."""
RUN = "kassay.run"
_ROOM_KB = 1 << 20
_BUSY_TICKS = 60  # of 200: inspect.sh has a share of it
_DEAD_S = 900
_SESSION = re.compile(r"([0-9a-f]{12}) (-?\d+) (\d+)(?: (.*))?")
POLICY = ("governor=performance", "turbo=off", "smt=off", "ksm=off", "numa_balancing=off", "nmi_watchdog=off",
          "timers=stopped", "interrupts=last CPU", "workload=CPU 0")  # fmt: skip
"""Things that are put in order, as part of the machine's identity."""


class Session(NamedTuple):
    """An experiment that has a directory on the machine."""

    id: str
    idle_s: int
    """Seconds since it last did something."""
    kb: int
    """Room that it takes there."""
    owner: str
    """Text "NODE BOOT PID" of its owner."""


class Facts(NamedTuple):
    """Lines of inspect.sh: of a name that comes once its value, and all values of one that comes more often."""

    values: dict[str, tuple[str, ...]]
    text: str

    def get(self, name: str) -> str:
        """The value; "" where the machine does not say."""
        return self.values.get(name, ("",))[0]

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a name."""
        return self.values.get(name, ())

    @property
    def words(self) -> dict[str, str]:
        """The parameters of the kernel that runs, those with a value."""
        return dict(word.split("=", 1) for word in self.get("cmdline").split() if "=" in word)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Directories of experiments on the machine."""
        rows = (_SESSION.fullmatch(value) for value in self.all("session"))
        return tuple(Session(row[1], int(row[2]), int(row[3]), row[4] or "") for row in rows if row)

    @property
    def is_busy(self) -> bool:
        """True if the CPUs do so much that no time can be measured."""
        return int(self.get("busy") or 0) > _BUSY_TICKS

    @property
    def kernel(self) -> str:
        """ "Linux 6.12.94 #1 SMP ...": the kernel that runs."""
        return f"Linux {self.get('release')} {self.get('version')}"


def facts(text: str) -> Facts:
    """Reads lines "NAME<TAB>VALUE"; others are left out."""
    values_by_name: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, tab, value = line.partition("\t")
        if tab:
            values_by_name.setdefault(name, []).append(value.strip())
    return Facts({name: tuple(values) for name, values in values_by_name.items()}, text)


def refusals(machine_facts: Facts, arch: str, started: bool, held_kb: int = 0) -> Iterator[tuple[str, str]]:
    """(why the machine cannot be measured on, what to do about it). started: by a command of the user, not by kexec.
    held_kb: room that the experiment has taken there already."""
    machine = of_machine(machine_facts.get("machine"))
    if machine is None or machine.name != arch:
        yield f"it is a {machine_facts.get('machine') or 'machine of an unknown kind'}, not {arch}", "name its --arch"
    if machine_facts.get("root") != "0":
        yield "no root by sudo", "let this user become root without a password (sudo -n)"
    if not started and not machine_facts.get("kexec"):
        yield "kexec is not there", "install kexec-tools on it, or give --start COMMAND"
    if not started and machine_facts.get("kexec_off") == "1":
        yield (
            "kexec is switched off (kernel.kexec_load_disabled)",
            "start it anew without that, or give --start COMMAND",
        )
    if not started and machine_facts.get("lockdown") not in ("", "none"):
        yield (
            f"kernel lockdown ({machine_facts.get('lockdown')}) lets kexec start signed kernels only",
            "see docs/reference/metal.md",
        )
    if not machine_facts.all("initrd_tool"):
        yield (
            "neither mkinitramfs nor dracut is there, so no initrd can be made",
            "install initramfs-tools or dracut on it",
        )
    if machine_facts.all("lacking"):
        yield (
            f"it lacks {', '.join(machine_facts.all('lacking'))}",
            "install what has them: kmod, util-linux, coreutils, tar",
        )
    if int(machine_facts.get("free_kb") or 0) + held_kb < _ROOM_KB:
        yield f"/var/tmp has {machine_facts.get('free_kb') or 0} kB left", "kassay needs 1 GB there"
    if machine_facts.is_busy:
        yield (
            f"other programs use it: its CPUs were busy for {int(machine_facts.get('busy')) / 2:g} % of one CPU",
            "stop them",
        )


def identity(machine_facts: Facts, arch: str, clock: str, host: str) -> MachineIdentity:
    """The machine, by what no kernel changes."""
    texts = [
        machine_facts.get("cpu") or f"unknown CPU ({arch_of(arch).uname})",
        f"microcode {machine_facts.get('microcode')}" if machine_facts.get("microcode") else "",
        f"CPUs {machine_facts.get('cpus')}",
        f"{int(machine_facts.get('memory') or 0) / (1 << 30):g} GiB",
        f"{machine_facts.get('maker')} {machine_facts.get('board')}",
        host,
    ]
    virtual = machine_facts.get("hypervisor") == "yes"
    return MachineIdentity(
        arch=arch,
        clock=clock,
        accelerator="a virtual machine" if virtual else "none",
        program=machine_facts.get("kexec_version") or "started by a command",
        options=POLICY,
        host=", ".join(re.sub(r"\s+", " ", word) for word in texts if word.strip()),
    )


def alive(session: Session, node: str, running: frozenset[int], boot: str) -> bool:
    """True if the kassay of a session may still be at work. node, boot, running: of this host; process ids."""
    fields = session.owner.split(" ")
    if len(fields) == 3 and (fields[0], fields[1]) == (node, boot) and fields[2].isdecimal():
        return int(fields[2]) in running
    return session.idle_s < _DEAD_S
