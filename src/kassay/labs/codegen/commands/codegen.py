# SPDX-License-Identifier: GPL-2.0-only
"""kassay codegen: what compilers made of one function, and what that costs."""

from typing import Annotated

from typer import Argument

from kassay.commands import Command
from kassay.commands._with_options import with_options
from kassay.labs.codegen.commands._options import Comparing


@with_options
def _codegen(
    function: Annotated[str, Argument(metavar="FUNCTION", help="Name of the function in the source.")],
    refs: Annotated[list[str], Argument(metavar="REF...", help="Kernels. With --source these are build: references.")],
    comparing: Comparing,
) -> int:
    """Do compilers generate the same code for a function?

    The answer has the size of each variant, the classes of equal code, and the instructions that each executes.
    Addresses, relocations and alignment do not count as differences. Kernel images need no source.

    Example: kassay codegen mincore_pte_range debian:6.16 debian:6.19 --show A,B

    Example: kassay codegen mincore_pte_range build:linux@v6.16 build:linux@v6.16+fix.patch
    --source mm/mincore.c --cc gcc-11,gcc-12,clang-16 --measure mincore_scan --out codegen.html
    """
    from kassay.labs.codegen.commands._answer import answer

    answer(function, refs, comparing)
    return 0


COMMAND = Command(name="codegen", order=46, run=_codegen)
