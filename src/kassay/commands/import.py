# SPDX-License-Identifier: GPL-2.0-only
"""kassay import: results of other tools, judged by kassay's rules.

The module's name is a keyword of Python, so only importlib can load it.
"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._show import say, showing
from kassay.errors import BadInput
from kassay.registry import names
from kassay.supply.clocks import listed
from kassay.tools.imports.importer import FORMATS


def _import(
    files: Annotated[
        list[str],
        Argument(metavar="[KERNEL=]FILE...", help="Result files. KERNEL= names the kernel if the file does not."),
    ],
    as_: Annotated[
        str | None,
        Option(
            "--as",
            metavar="FORMAT",
            help=f"Format of the files: {listed(names(FORMATS))}. docs/reference/import.md",
            show_default="recognised",
        ),
    ] = None,
    metric: Annotated[
        str | None, Option(metavar="NAME", help="Metric that the answer is about.", show_default="the tool's headline")
    ] = None,
    kernel_order: Annotated[
        str | None,
        Option("--kernel-order", metavar="A,B,...", help="All kernels, base first.", show_default="as found"),
    ] = None,
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Directory to write.", show_default="kassay-out/NAME, named by the content"),
    ] = None,
) -> int:
    """Read the results of another tool, to judge them with `kassay report`.

    kassay recognises the format of a file: CSV with kernel,metric,value, output
    of several benchmarks, and results of the kernel test robot (LKP).

    State, image and order of boots are unknown in the report if the file does
    not contain them. Values from one boot are not independent, so one file
    counts as one boot. A verdict needs several boots of each kernel.

    Two kernels, three boots each, from a tool that does not name the kernel:

      kassay import 6.12=a1 6.12=a2 6.12=a3 6.17=b1 6.17=b2 6.17=b3

    A mail of the robot:

      kassay import mail.txt --out DIR && kassay report DIR
    """
    from kassay.commands._experiment import content_directory
    from kassay.commands._imported import refusal, summary
    from kassay.commands._inputs import check_directory
    from kassay.tools.imports.read import read
    from kassay.tools.imports.store import save

    check_directory(out)
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
