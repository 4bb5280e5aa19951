# SPDX-License-Identifier: GPL-2.0-only
"""kassay import: results of other tools, judged by kassay's rules.

The module's name is a keyword of Python, so only importlib can load it.
"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.clocks import listed
from kassay.commands import Command
from kassay.commands._show import say, showing
from kassay.errors import BadInput
from kassay.imports.importer import FORMATS
from kassay.registry import names


def _import(
    files: Annotated[
        list[str],
        Argument(metavar="[KERNEL=]FILE...", help="What another tool wrote; KERNEL= where the file does not name it."),
    ],
    as_: Annotated[
        str | None,
        Option("--as", metavar="FORMAT", help=f"{listed(names(FORMATS))}; docs/import.md.", show_default="recognised"),
    ] = None,
    metric: Annotated[
        str | None, Option(metavar="NAME", help="What the answer is about.", show_default="the tool's headline")
    ] = None,
    kernel_order: Annotated[
        str | None,
        Option("--kernel-order", metavar="A,B,...", help="All kernels, base first.", show_default="as found"),
    ] = None,
    out: Annotated[Path | None, Option(help="Directory to make.", show_default="by content")] = None,
) -> int:
    """Read results of another tool; `kassay report` then judges them by the rules of kassay's own runs.

    Reads CSV with kernel,metric,value, and what other tools write: benchmarks
    and the kernel test robot (LKP). --as names every format; it is recognised.

    What a file does not tell (state, image, order of boots) is unknown in the
    report. Values from one process or one boot are not independent: one file
    counts as one boot. For a verdict import several boots of each kernel.

    Two kernels, three boots each, from a tool that does not name the kernel:

      kassay import 6.12=a1 6.12=a2 6.12=a3 6.17=b1 6.17=b2 6.17=b3

    A mail of the robot:

      kassay import mail.txt --out DIR && kassay report DIR
    """
    from kassay.commands._experiment import content_directory
    from kassay.commands._imported import refusal, summary
    from kassay.imports.read import read
    from kassay.imports.store import save

    order = tuple(word.strip() for word in kernel_order.split(",")) if kernel_order is not None else ()
    try:
        with showing() as tell:
            name = out.name if out is not None else "import"
            samples, sources = read(files, name=name, format_name=as_, metric=metric, order=order, tell=tell)
            directory = out if out is not None else content_directory(samples.name, samples)
            save(directory, samples, sources)
    except BadInput as error:
        raise refusal(error) from error
    say(summary(samples, directory))
    return 0


COMMAND = Command(name="import", order=48, run=_import)
