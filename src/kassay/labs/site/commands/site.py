# SPDX-License-Identifier: GPL-2.0-only
"""kassay site: a history as pages that any web server can serve."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from kassay.commands import Command


def _site(
    directory: Annotated[Path, Argument(metavar="DIR", help="Directory of the site. It is made if it is absent.")],
    history: Annotated[
        Path | None,
        Option("--from", metavar="HISTORY",
               help="File of the history. stock is the one that kassay brings: the kernels of the Debian archive.",
               show_default="history.duckdb in the data directory"),
    ] = None,
    steps: Annotated[
        Path | None, Option(metavar="FILE", help="steps.toml of a laboratory, with the state of each step.")
    ] = None,
    title: Annotated[
        str, Option(metavar="TEXT", help="Name of the site.", show_default="Costs of Linux memory management")
    ] = "",
    address: Annotated[
        str, Option(metavar="URL", help="Address of the served site. The feed and permanent links name it.")
    ] = "",
    serve: Annotated[bool, Option("--serve", help="Serve the site on this machine until interrupted.")] = False,
    port: Annotated[
        int, Option(min=0, max=65535, metavar="N", help="Port on 127.0.0.1 for --serve. 0 picks a free one.")
    ] = 0,
) -> int:  # fmt: skip
    """Write a history as static pages.

    The pages show workloads by kernels, and each step with its functions, its report and its bundle. Any web server can
    serve them, and they open without one. Figures that were published never change: corrected ones are a new revision.
    docs/reference/lab.md

    Example: kassay site public --address https://example.org/kassay/
    """
    from kassay.commands._inputs import check_directory, check_given
    from kassay.commands._show import say, showing
    from kassay.commands._together import check_together
    from kassay.effects.process import be_idle
    from kassay.errors import BadInput
    from kassay.labs.site.contents import read_site
    from kassay.labs.site.pages.build import write_site
    from kassay.labs.site.serve import serve as serve_site
    from kassay.labs.site.turn import steps_file
    from kassay.labs.site.turn.publish import with_lives
    from kassay.labs.site.turn.settings import WEB, Lab
    from kassay.model.texts import counted
    from kassay.tools.history.archive import default_path
    from kassay.tools.history.packed import named

    check_together({"--port": ("--serve",)})
    if address and not address.startswith(WEB):
        raise BadInput(f"--address {address}: not an address of a web server", "begin it with https://")
    check_directory(directory, "DIR")
    history = named(history) if history is not None else None
    check_given(history, "--from")
    check_given(steps, "--steps")
    if history is None and not default_path().is_file():
        raise BadInput(
            f"{default_path()}: there is no history yet",
            "add run directories with kassay history add DIR, or show the stock kernels with --from stock",
        )
    with showing() as tell:
        site = read_site(history or default_path(), title=title, address=address, tell=tell)
        if steps is not None:
            lab = Lab(outbox=str(steps.parent / "outbox"), site=str(directory), steps=str(steps))
            site = with_lives(site, steps_file.read(steps), lab)
        done = write_site(site, directory, tell)
    files = f"{counted(done.files, 'file')}, {done.size / 1e6:.1f} MB, {done.changed} changed"
    say(f"{directory / 'index.html'}: the first page; {files}\n")
    if serve:
        be_idle()
        serve_site(directory, port, lambda where: say(f"{where}\n"))
    return 0


COMMAND = Command(name="site", order=81, run=_site)
