# SPDX-License-Identifier: GPL-2.0-only
"""Shell completion from the names that are known on this host. Nothing is fetched, but a workload may be built."""

from collections.abc import Iterable

import typer

from kassay.errors import KassayError
from kassay.model.kinds import kinds
from kassay.report.formats import format_names
from kassay.spec.suites import suites as known_suites
from kassay.supply.arches import arches as known_arches
from kassay.supply.clocks import measuring
from kassay.supply.cpus import cpus_for


def workloads(incomplete: str) -> list[str]:
    """Names of workloads and applications."""
    from kassay.supply.applications import application_names
    from kassay.supply.guest import sources

    return _begun((*sources.workload_names(), *application_names()), incomplete)


def kernels(ctx: typer.Context, incomplete: str) -> list[str]:
    """Kernels of the archive's list as it was last read, oldest first, and the other kinds of references."""
    from kassay.supply.archive.index import load_index
    from kassay.supply.archive.versions import upstream_of, version_key

    arch = str(ctx.params.get("arch") or "x86_64")
    try:
        index = load_index(arch)
    except KassayError:
        index = None
    versions = {package.version for package in index.packages if package.is_kernel} if index is not None else set()
    listed = dict.fromkeys(f"debian:{upstream_of(version)}" for version in sorted(versions, key=version_key))
    others = (f"{name}:" for name, kind in kinds().items() if not kind.bare and name != "debian")
    return _begun((*listed, *others), incomplete)


def settings(ctx: typer.Context, incomplete: str) -> list[str]:
    """NAME= of the parameters of the workload that was named, and NAME=VALUE where the values are words."""
    from kassay.supply.guest import catalog

    # The parser stops at an option without a value; arguments before it are then in ctx.args only.
    workload = ctx.params.get("workload") or next(iter(ctx.args), "")
    try:
        chosen = catalog.workloads().get(str(workload))
    except KassayError:
        return []
    if chosen is None:
        return []
    name, equals, _ = incomplete.partition("=")
    for parameter in chosen.parameters:
        if equals and parameter.name == name:
            return _begun((f"{name}={value}" for value in parameter.choices or (parameter.default,)), incomplete)
    return _begun((f"{parameter.name}=" for parameter in chosen.parameters), incomplete)


def timings(incomplete: str) -> list[str]:
    """CPUs with a timing file; completes the last name of a list with commas."""
    from kassay.labs.predict.timing import timings as known_timings

    listed, comma, last = incomplete.rpartition(",")
    return [f"{listed}{comma}{name}" for name in _begun(known_timings(), last.replace("-", "_"))]


def suites(incomplete: str) -> list[str]:
    """Names of suites."""
    return _begun(known_suites(), incomplete)


def clocks(incomplete: str) -> list[str]:
    """Clocks that can measure."""
    return _begun(measuring(), incomplete)


def arches(incomplete: str) -> list[str]:
    """All architectures."""
    return _begun(known_arches(), incomplete)


def cpus(ctx: typer.Context, incomplete: str) -> list[str]:
    """CPUs of the architecture."""
    return _begun(cpus_for(str(ctx.params.get("arch") or "x86_64")), incomplete)


def formats(incomplete: str) -> list[str]:
    """Formats of a report."""
    return _begun(format_names(), incomplete)


def _begun(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
