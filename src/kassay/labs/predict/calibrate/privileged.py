# SPDX-License-Identifier: GPL-2.0-only
"""Costs of privileged instructions, and of the ways into the kernel and out of it, measured in a virtual machine.

The probes ring0_* and ring3_* of core/probes/privileged-x86_64.c run there. A frame is what an exception pushes.
"""

import contextlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from kassay.labs.predict.calibrate.facts import Estimate, Unmeasured
from kassay.labs.predict.calibrate.points import PRIVILEGED
from kassay.labs.predict.calibrate.samples import Measured

_EXIT = "ring0_cpuid"
"""Point of an instruction that every hypervisor takes over."""
_HOST_EXIT = "cpuid_many"
"""The same for the hypervisor under this host, if there is one: it may take over what this host's KVM does not."""


class _Points:
    """Measured points, with a list of the ones that a rule asked for."""

    def __init__(self, measured: Mapping[str, Measured]) -> None:
        self._measured = measured
        self.asked: list[str] = []

    def __call__(self, name: str) -> Measured:
        """A point. Raises Unmeasured with its name."""
        if name not in self._measured:
            raise Unmeasured(name)
        if name not in self.asked:
            self.asked.append(name)
        return self._measured[name]

    def covering(self, value: Measured, *others: Callable[["_Points"], Measured]) -> Measured:
        """A value whose bounds include those of other ways to measure it, as far as there are points for them."""
        for other in others:
            try:
                found = other(self)
            except Unmeasured:
                continue
            value = value._replace(low=min(value.low, found.low), high=max(value.high, found.high))
        return value


class _Rule(NamedTuple):
    """Rule for one cost."""

    how: str
    cost: Callable[[_Points], Measured]
    """Raises Unmeasured with the name of a point that is missing."""


def cost_of(name: str, measured: Mapping[str, Measured]) -> Estimate:
    """A cost by its name in [system], or the parameter exception_entry. Raises Unmeasured with the missing point."""
    points, rule = _Points(measured), _RULES[name]
    cost = rule.cost(points)
    return Estimate(*cost, f"{rule.how}, in a virtual machine ({', '.join(points.asked)})")


def costs(measured: Mapping[str, Measured]) -> dict[str, Estimate]:
    """Costs that the points give, by name as in cost_of()."""
    found = {}
    for name in _RULES:
        with contextlib.suppress(Unmeasured):
            found[name] = cost_of(name, measured)
    return found


def refusal(name: str, measured: Mapping[str, Measured], refused: Mapping[str, str]) -> str:
    """Reason why a cost was not measured; "" if no rule gives it or no probe was asked for it."""
    try:
        if name in _RULES:
            cost_of(name, measured)
    except Unmeasured as missing:
        return refused.get(str(missing), "")
    return ""


def split_exits(measured: Mapping[str, Measured], *, hypervisor: bool) -> tuple[dict[str, Measured], dict[str, str]]:
    """Points without those in which a hypervisor takes part, and the reason for each point that was left out.

    hypervisor: True if this host itself is a virtual machine.
    """
    exits = (_EXIT, _HOST_EXIT) if hypervisor else (_EXIT,)
    least = min((measured[name].value / 2 for name in exits if name in measured), default=0.0)
    left_out = {
        name: f"a hypervisor takes part in it: {point.value:.0f} cycles"
        for name, point in measured.items()
        if name.startswith(PRIVILEGED) and point.value >= least
    }
    return {name: point for name, point in measured.items() if name not in left_out}, left_out


def _less(whole: Measured, *parts: Measured) -> Measured:
    """A whole without its parts. A difference below zero counts as zero."""
    value = whole.value - sum(part.value for part in parts)
    low = whole.low - sum(part.high for part in parts) if value > 0 else 0.0
    high = whole.high - sum(part.low for part in parts)
    return Measured(max(0.0, value), max(0.0, low), max(0.0, high), whole.n)


def _plain(point: str, *others: str) -> _Rule:
    """Cost of an instruction over and over. others: points that its bounds include."""
    covered = [lambda points, name=name: points(name) for name in others]
    return _Rule("one after the other", lambda points: points.covering(points(point), *covered))


def _half_pair(points: _Points) -> Measured:
    value, low, high, n = points("ring0_stac_clac")
    return Measured(value / 2, low / 2, high / 2, n)


def _system_call(points: _Points) -> Measured:
    return _less(points("ring3_syscall"), points("ring3_clock"))


def _to_user(points: _Points) -> Measured:
    """IRET to ring 3."""
    return _less(points("ring3_syscall_iret"), _system_call(points), points("ring0_frame"))


def _to_kernel(points: _Points) -> Measured:
    """IRET to the same ring."""
    return _less(points("ring0_iret"), points("ring0_frame"))


def _entry(kind: str) -> Callable[[_Points], Measured]:
    """The way into ring 0 from ring 3. The bounds include the one from ring 0."""

    def cost(points: _Points) -> Measured:
        from_user = _less(points(f"ring3_{kind}"), _to_user(points))
        return points.covering(from_user, lambda points: _less(points(f"ring0_{kind}"), _to_kernel(points)))

    return cost


_RULES: Mapping[str, _Rule] = {
    "syscall": _Rule("SYSCALL between two readings of the clock, less those", _system_call),
    "sysret": _Rule("SYSCALL and SYSRET, less SYSCALL",
                    lambda points: _less(points("ring3_syscall_sysret"), _system_call(points))),
    "iret": _Rule("SYSCALL and a return by IRET, less SYSCALL and its frame",
                  lambda points: points.covering(_to_user(points), _to_kernel)),
    "exception_entry": _Rule("a page fault and its IRET, less IRET", _entry("fault")),
    "interrupt": _Rule("INT and IRET, less IRET", _entry("int")),
    "stac": _Rule("one after the other", lambda points: points.covering(points("ring0_stac"), _half_pair)),
    "clac": _Rule("one after the other", lambda points: points.covering(points("ring0_clac"), _half_pair)),
    "cli": _plain("ring0_cli"),
    "sti": _Rule("STI and CLI, less CLI", lambda points: _less(points("ring0_cli_sti"), points("ring0_cli"))),
    "swapgs": _plain("ring0_swapgs"),
    "rdmsr": _plain("ring0_rdmsr"), "wrmsr": _plain("ring0_wrmsr"), "invlpg": _plain("ring0_invlpg"),
    "invpcid": _plain("ring0_invpcid_page", "ring0_invpcid_pcid", "ring0_invpcid_all"),
    "mov_cr3": _plain("ring0_mov_cr3", "ring0_mov_cr3_keep"), "mov_cr": _plain("ring0_mov_cr4"),
    "read_cr": _plain("ring0_read_cr2", "ring0_read_cr3"), "mov_dr": _plain("ring0_read_dr"),
    "descriptor": _plain("ring0_lidt"),
}  # fmt: skip
