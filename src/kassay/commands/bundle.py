# SPDX-License-Identifier: GPL-2.0-only
"""kassay bundle: everything needed to check a claim, in one directory or archive."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._options import ClusterOption
from kassay.commands._show import say, showing
from kassay.errors import BadInput
from kassay.model.units import format_bytes, parse_bytes

_app = typer.Typer(
    no_args_is_help=True,
    help="Hand on an answer with all that it is made of: pack it, check one that you were given, or measure it again.",
)
_Path = Annotated[Path, Argument(metavar="PATH", help="A bundle: a directory, or a .tar.zst file.")]
_Limit = Annotated[str, Option(metavar="SIZE", help="What the bundle may unpack to.")]


@_app.command("pack")
def _pack(
    directory: Annotated[Path, Argument(metavar="DIR", help="A directory that run, compare, ladder or import made.")],
    out: Annotated[
        Path | None,
        Option(metavar="PATH", help="A directory, or a file NAME.tar.zst.", show_default="DIR.tar.zst"),
    ] = None,
) -> int:
    """Pack a directory: experiment, journal, raw results, sources, a one-file reproducer, the report in all forms.

    The same directory gives the same bytes.

    Example: kassay bundle pack kassay-out/demo --out demo.tar.zst
    """
    from kassay.bundle.pack import pack

    target = out if out is not None else directory.with_name(f"{directory.resolve().name}.tar.zst")
    with showing() as tell:
        manifest = pack(directory, target, tell)
    size = format_size(sum(file.size for file in manifest.files))
    say(f"{target}: {len(manifest.files)} files, {size} unpacked\n")
    for absent in manifest.absent:
        say(f"  no {absent.form}: {absent.why}\n")
    say(f"  sources: {manifest.sources}\nnext: kassay bundle verify {target}\n")
    return 0


@_app.command("verify")
def _verify(path: _Path, limit: _Limit = "4GiB") -> int:
    """Check every file of a bundle, then compute every finding again from its raw results; nothing is measured.

    Exit status 2 when anything is damaged, missing, added, or not what the runs give.
    """
    from kassay.bundle.verify import verify

    with showing() as tell:
        verified = verify(path, _bytes(limit), tell)
    files = len(verified.manifest.files)
    say(f"{path}: holds. {files} files are whole; all {verified.findings} findings follow from the raw results.\n")
    for note in verified.notes:
        say(f"  {note}\n")
    return 0


@_app.command("rerun")
def _rerun(
    path: _Path,
    out: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Directory of the new runs; the same command again resumes it.",
            show_default="by content",
        ),
    ] = None,
    limit: _Limit = "4GiB",
    cluster: ClusterOption = "",
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 when the results are not the same.")] = False,
) -> int:
    """Measure a bundle's experiment again on this host, and say whether exact counts are the same to the digit.

    Times are compared by direction and interval: they never repeat to the digit.
    """
    from msgspec import structs

    from kassay.bundle.digits import repeated_text
    from kassay.bundle.verify import rerun
    from kassay.commands._experiment import directory_for
    from kassay.model.experiment import Experiment

    def directory(experiment: Experiment) -> Path:
        """Not the directory of the packed runs: it has all runs already, and none would be made."""
        return directory_for(structs.replace(experiment, name=f"rerun-{experiment.name}"), out, fresh=False)

    with showing() as tell:
        new_runs, results = rerun(path, directory, _bytes(limit), tell, cluster)
    for result in results:
        say(repeated_text(result))
    say(f"report: kassay report {new_runs}\n")
    return 1 if exit_code and not all(result.same for result in results) else 0


def _bytes(text: str) -> int:
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise BadInput(f"--limit: {error}") from error


def format_size(size: int) -> str:
    """For people: whole KiB or MiB."""
    unit = 1 << 20 if size >= 10 << 20 else 1 << 10
    return format_bytes(max(1, round(size / unit)) * unit)


COMMAND = Command(name="bundle", order=90, run=_app)
