# SPDX-License-Identifier: GPL-2.0-only
"""Machines: what is asked for, what a backend can do, and what was granted."""

from kassay.model.records import Record

SCOPES = {
    "icount": "instructions executed, emulated; not time",
    "tcg": "emulated time: screening only",
    "kvm": "time in a virtual machine",
    "host": "time on this machine",
    "imported": "measured elsewhere: the state and the identity of what was measured are not proven",
}
CLOCKS = tuple(name for name in SCOPES if name != "imported")
"""The clocks that kassay can measure with."""

UNITS = {"icount": "instructions", "tcg": "ns", "kvm": "ns", "host": "ns"}


class MachineUse(Record, frozen=True, kw_only=True):
    """One point of the machine matrix. clock: icount, tcg, kvm or host; "imported" for others' results, of which
    arch may be "unknown", and cpus and memory_bytes None."""

    arch: str
    clock: str
    cpus: int | None
    memory_bytes: int | None


class MachineIdentity(Record, frozen=True, kw_only=True):
    """The machine that was granted, as printed in every report and compared before two results are.

    program: emulator and version ("QEMU 7.2.22 (Debian ...)"), or the host kernel.
    options: everything about the machine that could move a count, in order.
    host: CPU and kernel of the host; informative under icount, where it cannot matter.
    """

    arch: str
    clock: str
    accelerator: str
    program: str
    options: tuple[str, ...]
    host: str


class Probe(Record, frozen=True, kw_only=True):
    """What doctor found for one machine: usable, or the reason and the way out."""

    name: str
    usable: bool
    detail: str
    remedy: str = ""
