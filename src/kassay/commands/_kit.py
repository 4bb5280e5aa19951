# SPDX-License-Identifier: GPL-2.0-only
"""kassay kernels fetch --for and kassay kernels use: an experiment on a machine without network."""

from pathlib import Path

import typer

from kassay.commands._exit import Passing
from kassay.commands._inputs import check_given, check_writable_place
from kassay.commands._show import showing
from kassay.effects import process
from kassay.errors import BadInput, HostLacks


def fetch_kit(spec: Path, out: Path | None, *, python: bool, system: bool) -> int:
    """Puts everything that an experiment needs into a directory."""
    from kassay.commands._experiment import experiment_in
    from kassay.effects.second_cache import cache_in
    from kassay.tools.offline import further, kit

    check_given(spec, "--for")
    if out is None:
        raise BadInput("kassay kernels fetch --for: no directory", "name the directory to make with --out DIR")
    if system and process.find("apt-get") is None:
        raise HostLacks("--with-qemu: this host has no apt, which fetches the packages",
                        "leave it away, and install QEMU and a compiler there by other means")  # fmt: skip
    kit.check_kit(out)
    check_writable_place(out)
    with cache_in(out, "apt", "archive"):
        experiment = experiment_in(spec, Passing(False), "")
        with showing() as tell:
            kit.fill(experiment, out, tell)
    with showing() as tell:
        packages = further.fetch_python(out / "python", tell) if python else ""
        release = further.fetch_system(experiment.arch, out / "system", tell) if system else ""
        total = kit.seal(out, tell, python=packages, release=release)
    typer.echo(f"{out}: {total >> 20} MiB. On the other machine: kassay kernels use {out.resolve().name}")
    return 0


def use_kit(directory: Path) -> int:
    """Takes such a directory into the cache."""
    from kassay.tools.offline.kit import EXPERIMENT
    from kassay.tools.offline.use import use

    with showing() as tell:
        number = use(directory, tell)
    typer.echo(f"{directory}: every hash is right; {number} files are new in the cache")
    typer.echo(f"measure: kassay run {directory / EXPERIMENT} --out runs")
    return 0
