# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels -> what else differs between them and may be part of the result.

To add one: a function (base, head) -> confounders in _CHECKS, and its code in model.confounder.CONFOUNDERS. Every
format names it beside the verdict.
"""

import re
from collections.abc import Callable

from kassay.model.configuration import differences
from kassay.model.finding import Confounder
from kassay.model.kernel import KernelIdentity, name_and_version
from kassay.model.plan import Cell

Check = Callable[[KernelIdentity, KernelIdentity], tuple[Confounder, ...]]


def confounders(base: KernelIdentity, head: KernelIdentity) -> tuple[Confounder, ...]:
    """Everything that is known to differ, in the order of CONFOUNDERS; what is not recorded is left out."""
    return tuple(confounder for check in _CHECKS for confounder in check(base, head))


def compilers(base: str | None, head: str | None) -> tuple[Confounder, ...]:
    """Difference between two compilers, as images name them. The linker after a comma is not compared."""
    if not base or not head:
        return ()
    whole = [text.partition(", ")[0] for text in (base, head)]
    short = [name_and_version(text) for text in whole]
    if whole[0] == whole[1] or (short[0] == short[1] and _vendor(whole[0]) == _vendor(whole[1])):
        return ()
    shown = whole if short[0] == short[1] else short  # one version of two vendors: the whole text tells them apart
    return (Confounder(code="compiler", base=shown[0], head=shown[1]),)


def _compilers(base: KernelIdentity, head: KernelIdentity) -> tuple[Confounder, ...]:
    return compilers(base.compiler, head.compiler)


def _vendor(text: str) -> str:
    """Text in the first brackets. A cross compiler has another prefix there and is the same compiler."""
    match = re.search(r"\(([^()]*)\)", text)
    return match[1] if match else ""


def _configurations(base: KernelIdentity, head: KernelIdentity) -> tuple[Confounder, ...]:
    """Options that differ between two configurations. If a file was not read, one row says which of the two is
    known."""
    if base.configuration is not None and head.configuration is not None:
        options = differences(base.configuration, head.configuration)
        return tuple(Confounder(code="configuration", name=o.name, base=o.base, head=o.head) for o in options)
    if base.config_sha256 is not None and base.config_sha256 == head.config_sha256:
        return ()
    if base.image_sha256 is None and head.image_sha256 is None:  # kernels of imported results
        return ()
    known = [None if kernel.configuration is None else "known" for kernel in (base, head)]
    return (Confounder(code="configuration", base=known[0], head=known[1]),)


def of_cpus(base: Cell, head: Cell) -> tuple[Confounder, ...]:
    """Difference between the CPUs of two cells, each of which may name a CPU of its own."""
    names = [cell.cpu or cell.machine.cpu or "the default" for cell in (base, head)]
    return (Confounder(code="cpu", base=names[0], head=names[1]),) if names[0] != names[1] else ()


def of_parameters(base: Cell, head: Cell) -> tuple[Confounder, ...]:
    """Difference between the kernel parameters of two cells. A cell does not have the padding of perturbed runs."""
    if base.cmdline.split() == head.cmdline.split():
        return ()
    return (Confounder(code="parameters", base=base.cmdline or "none", head=head.cmdline or "none"),)


_CHECKS: tuple[Check, ...] = (_compilers, _configurations)
