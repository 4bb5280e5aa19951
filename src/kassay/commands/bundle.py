# SPDX-License-Identifier: GPL-2.0-only
"""kassay bundle: everything needed to check a claim, in one directory or archive."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from typer import Argument, Option

from kassay.commands import Command
from kassay.commands._options import ClusterOption
from kassay.commands._show import say, showing
from kassay.errors import BadInput
from kassay.model.units import format_bytes

_app = typer.Typer(
    no_args_is_help=True,
    help="Pack an answer with everything behind it, check such a bundle, or measure it again.",
)
_Path = Annotated[Path, Argument(metavar="PATH", help="Bundle: a directory or a .tar.zst file.")]
_Limit = Annotated[str, Option(metavar="SIZE", help="Largest unpacked size.")]


@_app.command("pack")
def _pack(
    directory: Annotated[
        Path, Argument(metavar="DIR", help="Directory that a measuring command or `kassay import` made.")
    ],
    out: Annotated[
        Path | None,
        Option(
            metavar="PATH", help="Bundle to write: a directory, or a file NAME.tar.zst.", show_default="DIR.tar.zst"
        ),
    ] = None,
    base: Annotated[
        str,
        Option(
            metavar="SOURCE",
            help="Public sources, such as debian-source:7.3, for kernels that were built from private ones. The bundle "
            "then has the whole difference.",
            show_default="the release, or the newest commit of a public remote",
        ),
    ] = "",
) -> int:
    """Pack a directory into a bundle that others can check.

    A bundle holds the experiment, journal, raw results, sources, a reproducer in one C file, and the report in all
    forms. For a kernel that was built, it holds the patch to public sources and the configuration. Paths of this host
    are replaced by their last part. The same directory gives the same bytes.

    Example: kassay bundle pack kassay-out/demo --out demo.tar.zst
    """
    from kassay.commands._inputs import check_writable_place
    from kassay.journal.directory import open_directory
    from kassay.tools.bundle.builds import not_built_again
    from kassay.tools.bundle.pack import kernel_files, pack
    from kassay.tools.imports.store import is_import

    whole = directory.resolve()
    # Paths such as "." and ".." have no name to replace. A link does: the bundle is beside it.
    place = whole if directory.name in ("", "..") else directory
    target = out or place.with_name(f"{whole.name}.tar.zst")
    check_writable_place(target)
    if not is_import(directory):
        open_directory(directory)
    with showing() as tell:
        manifest, builds = pack(directory, target, tell, base.removeprefix("build:"))
    size = format_size(sum(file.size for file in manifest.files))
    say(f"{target}: {len(manifest.files)} files, {size} unpacked\n")
    for absent in manifest.absent:
        say(f"  no {absent.form}: {absent.why}\n")
    for line in not_built_again(builds):
        say(f"  {line}\n    name public sources that they come from: --base debian-source:7.3\n")
    for kernel in kernel_files(directory):
        say(f"  {kernel} is a file, which a bundle does not hold: others need it to measure again\n")
    say(f"  sources: {manifest.sources}\nnext: kassay bundle verify {quote(str(target))}\n")
    return 0


@_app.command("verify")
def _verify(path: _Path, limit: _Limit = "4GiB") -> int:
    """Check the files of a bundle, and compute its findings again from the raw results.

    kassay measures nothing. The exit status is 2 if a file is damaged, missing or added, or if a finding differs.
    """
    from kassay.commands._inputs import size_in
    from kassay.tools.bundle.verify import verify

    with showing() as tell:
        verified = verify(path, size_in(limit, "--limit"), tell)
    files = len(verified.manifest.files)
    unchecked = f"; {len(verified.unchecked)} files were not checked" if verified.unchecked else ""
    findings = f"all {verified.findings} findings follow from the raw results"
    say(f"{path}: holds. {files} files are whole; {findings}{unchecked}.\n")
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
            help="Directory for the new runs. The same command again continues there.",
            show_default="kassay-out/NAME, named by the question",
        ),
    ] = None,
    limit: _Limit = "4GiB",
    cluster: ClusterOption = "",
    source: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Git tree or directory with the public sources of the kernels, if they cannot be fetched any more. "
            "Their hash must be the recorded one.",
        ),
    ] = None,
    compiler: Annotated[
        str,
        Option(
            metavar="NAME",
            help="Compiler for all kernels that are built: gcc, gcc-13, clang-18 or a path.",
            show_default="the recorded version",
        ),
    ] = "",
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 if the results differ.")] = False,
) -> int:
    """Measure the experiment of a bundle again on this host, and compare the results.

    Kernels that were built are built again, and their images are compared first. A build executes commands of its
    sources on this host: `report/` and `source/kernels/` show what you build. Exact counts must be the same to the
    digit. Times are compared by direction and interval.
    """
    from msgspec import structs

    from kassay.commands._experiment import directory_for
    from kassay.commands._inputs import check_directory, size_in
    from kassay.model.experiment import Experiment
    from kassay.tools.bundle.digits import repeated_text
    from kassay.tools.bundle.rebuild import Given, rebuilt_text
    from kassay.tools.bundle.verify import rerun

    def directory(experiment: Experiment) -> Path:
        """Not the directory of the packed runs: it has all runs already, and none would be made."""
        return directory_for(structs.replace(experiment, name=f"rerun-{experiment.name}"), out, fresh=False)

    check_directory(out)
    if source is not None and not source.is_dir():
        raise BadInput(f"--source {source}: no such directory", "give a git tree or a directory of kernel sources")
    with showing() as tell:
        again = rerun(path, directory, size_in(limit, "--limit"), tell, cluster, Given(source, compiler))
    for kernel in again.kernels:
        say(rebuilt_text(kernel))
    for result in again.results:
        say(repeated_text(result))
    say(f"report: kassay report {again.directory}\n")
    return 1 if exit_code and not all(result.same for result in again.results) else 0


def format_size(size: int) -> str:
    """For people: whole KiB or MiB."""
    unit = 1 << 20 if size >= 10 << 20 else 1 << 10
    return format_bytes(max(1, round(size / unit)) * unit)


COMMAND = Command(name="bundle", order=90, run=_app)
