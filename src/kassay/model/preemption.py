# SPDX-License-Identifier: GPL-2.0-only
"""Preemption models: which of them a kernel can boot with, and which one it has under its parameters.

Source: sched_dynamic_mode() in kernel/sched/core.c of 6.1 to 7.3.
"""

import re
from collections.abc import Sequence

from msgspec import structs

from kassay.model.kernel import KernelIdentity
from kassay.model.records import Setting

_SYMBOLS = {"none": "PREEMPT_NONE", "voluntary": "PREEMPT_VOLUNTARY", "full": "PREEMPT", "lazy": "PREEMPT_LAZY"}
"""Value of the parameter preempt= -> the symbol of a kernel that was built so."""
_OPTION = "preemption"
_LAZY_SINCE = (6, 13)
_OLD_MODELS_UNTIL = (7, 0)
_PREEMPT = re.compile(r"(?:^|\s)preempt=(\w+)(?=\s|$)")


def boot_models(kernel: KernelIdentity) -> tuple[str, ...]:
    """The models that a kernel can boot with, its own first. Empty if its configuration is not known."""
    values = {item.name: item.value for item in kernel.configuration or ()}
    own = tuple(model for model, symbol in _SYMBOLS.items() if symbol == values.get(_OPTION))
    release = re.match(r"(\d+)\.(\d+)", kernel.release)
    if not own or values.get("PREEMPT_DYNAMIC") != "y" or values.get("PREEMPT_RT") == "y" or release is None:
        return own
    version = (int(release[1]), int(release[2]))
    old = ("none", "voluntary") if version < _OLD_MODELS_UNTIL else ()
    lazy = ("lazy",) if version >= _LAZY_SINCE and kernel.arch == "x86_64" else ()
    return tuple(dict.fromkeys((*own, "full", *old, *lazy)))


def booted(kernel: KernelIdentity, cmdline: str) -> tuple[Setting, ...] | None:
    """The kernel's configuration, with the model that its parameters choose if the kernel obeys them."""
    chosen = _PREEMPT.findall(cmdline)[-1:]
    if kernel.configuration is None or not chosen or chosen[0] not in boot_models(kernel):
        return kernel.configuration
    return tuple(
        structs.replace(item, value=_SYMBOLS[chosen[0]]) if item.name == _OPTION else item
        for item in kernel.configuration
    )


def common_model(models: Sequence[tuple[str, ...]]) -> str:
    """The model that most kernels can boot with; among equals, the one that the first kernels were built with. "" if
    none is known."""
    every = [model for possible in models for model in possible]
    return max(dict.fromkeys(every), key=every.count, default="")
