# SPDX-License-Identifier: GPL-2.0-only
"""Kernel paths by hand: "mprotect > do_mprotect_pkey > change_protection" with what the last function cost itself."""

from kassay.labs.notice.paths import KernelPath, KernelPaths


def paths(costs: dict[str, float], *, calls: dict[str, float] | None = None, total: float = 0) -> KernelPaths:
    """Before the first ">" stands the entry; its entry function is made of it. total: by default the sum."""
    made = []
    for text, cost in costs.items():
        entry, *functions = text.split(" > ")
        made.append(KernelPath(entry, ("do_syscall_64", f"__x64_sys_{entry}", *functions), 1, cost))
    return KernelPaths(tuple(made), calls or {}, total or sum(costs.values()))
