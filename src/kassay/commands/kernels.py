# SPDX-License-Identifier: GPL-2.0-only
"""kassay kernels: list and fetch kernels, show their identity, check out their sources."""

from pathlib import Path
from typing import Annotated

import typer

from kassay.commands import Command
from kassay.commands._options import format_option
from kassay.commands._show import showing
from kassay.errors import BadInput
from kassay.report.answers import answer_formats
from kassay.supply.arches import arch_of, arches
from kassay.supply.clocks import listed

_app = typer.Typer(no_args_is_help=True, help="List, fetch and identify kernels, and check out their sources.")

_Arch = Annotated[str, typer.Option(metavar="ARCH", help=f"Architecture: {listed(arches())}.")]
_Flavour = Annotated[str, typer.Option(metavar="NAME", help="Flavour of archive kernels, e.g. cloud or generic.")]
_Format = Annotated[str, format_option(answer_formats())]
_Refresh = Annotated[bool, typer.Option("--refresh", help="Read the archive's package lists again.")]
_Refs = Annotated[
    list[str],
    typer.Argument(metavar="REF...", help="Kernels: 6.17, rpm:FILE, image:PATH, ... (docs/reference/kernels.md)."),
]


@_app.command("list")
def _list(
    arch: _Arch = "x86_64", flavour: _Flavour = "cloud", refresh: _Refresh = False, format_: _Format = "terminal"
) -> int:
    """List the kernels of the archive, oldest first, and which of them were fetched."""
    from kassay.commands._known_kernels import LISTED, KernelList
    from kassay.commands._show import say_answer
    from kassay.supply import kernels as kernel_store

    form = LISTED.form(format_)
    with showing() as tell:
        if refresh:
            kernel_store.refresh(arch_of(arch).name, tell)
        versions = kernel_store.versions("debian", arch_of(arch).name, flavour, tell)
    if not versions:
        raise BadInput(f"no kernels of flavour {flavour!r} for {arch}", "try --flavour cloud")
    say_answer(KernelList(arch=arch, flavour=flavour, kernels=tuple(versions)), form)
    return 0


@_app.command("fetch")
def _fetch(
    refs: Annotated[
        list[str] | None, typer.Argument(metavar="[REF...]", help="Kernels, named as in `kassay kernels show`.")
    ] = None,
    arch: _Arch = "x86_64",
    flavour: _Flavour = "cloud",
    spec: Annotated[
        Path | None, typer.Option("--for", metavar="SPEC.toml", help="Fetch all that this experiment needs into --out.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="With --for: directory to make.")] = None,
    with_python: Annotated[
        bool, typer.Option("--with-python", help="With --for: also kassay and the Python packages that it needs.")
    ] = False,
    with_qemu: Annotated[
        bool,
        typer.Option("--with-qemu", help="With --for: also QEMU and a compiler, as packages of this distribution."),
    ] = False,
) -> int:
    """Fetch kernels and show their identity. With --for, fetch an experiment for a machine without network.

    On that machine, `kassay kernels use DIR` takes the directory into the cache. docs/reference/kernels.md shows it.

    Example: kassay kernels fetch --for experiment.toml --out kit
    """
    if spec is not None and refs:
        raise BadInput("kassay kernels fetch: kernels and --for", "name kernels, or an experiment with --for, not both")
    if spec is None and not refs:
        raise BadInput("kassay kernels fetch: name kernels, or an experiment with --for", "kassay kernels fetch 6.17")
    if spec is None:
        if out is not None or with_python or with_qemu:
            raise BadInput("--out, --with-python and --with-qemu belong to --for", "name an experiment with --for")
        return _show(refs or [], arch, flavour)
    from kassay.commands._kit import fetch_kit

    return fetch_kit(spec, out, python=with_python, system=with_qemu)


@_app.command("use")
def _use(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A directory that `fetch --for` made.")],
) -> int:
    """Check every hash of a directory that `kassay kernels fetch --for` made, and copy its files into the cache."""
    from kassay.commands._kit import use_kit

    return use_kit(directory)


@_app.command("show")
def _show(refs: _Refs, arch: _Arch = "x86_64", flavour: _Flavour = "cloud", format_: _Format = "terminal") -> int:
    """Show the identity of kernels. Missing ones are fetched."""
    from kassay.commands._inputs import check_kernels
    from kassay.commands._known_kernels import SHOWN, KnownKernels
    from kassay.commands._show import say_answer
    from kassay.model.kernel import parse_ref
    from kassay.supply import kernels as kernel_store

    form = SHOWN.form(format_)
    parsed = [parse_ref(ref, arch_of(arch).name) for ref in refs]
    check_kernels(parsed, flavour)
    with showing() as tell:
        artifacts = kernel_store.fetch(parsed, flavour, tell)
    say_answer(KnownKernels(kernels=tuple(artifacts)), form)
    return 0


@_app.command("source")
def _source(
    ref: Annotated[str, typer.Argument(metavar="REF", help="A build: reference, such as build:debian-source:7.3.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Directory to make.")],
) -> int:
    """Check out the sources of a kernel as a git tree, to write a patch in.

    Commit a change there. Then review base..HEAD, or compare build:linux@base with build:linux.

    Example: kassay kernels source build:debian-source:7.3 --out linux
    """
    from kassay.commands._inputs import check_writable_place
    from kassay.model.build import parse_build
    from kassay.model.kernel import parse_ref
    from kassay.supply.building.checkout import BRANCH, check_out
    from kassay.supply.building.source import check_source

    parsed = parse_ref(ref)
    if parsed.kind != "build":
        raise BadInput(f"{ref}: names no sources", "write build:debian-source:7.3, or build:TREE@REV")
    build = parse_build(parsed.locator)
    check_source(build)
    check_writable_place(out)
    with showing() as tell:
        source = check_out(build, out, tell)
    typer.echo(f"{out}: Linux {source.version}; its branch {BRANCH} stays there")
    typer.echo(f"commit a change there, then: kassay review {BRANCH}..HEAD --tree {out}")
    typer.echo(f"or, of one workload: kassay compare WORKLOAD build:{out}@{BRANCH} build:{out}")
    return 0


COMMAND = Command(name="kernels", order=70, run=_app)
