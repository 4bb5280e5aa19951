# SPDX-License-Identifier: GPL-2.0-only
"""What a shell offers for a word: names that this host knows; nothing is fetched, only a workload is built."""

from collections.abc import Iterable

import typer

from kassay.arches import arches as known_arches
from kassay.clocks import measuring
from kassay.cpus import cpus_for
from kassay.errors import KassayError
from kassay.registry import names
from kassay.report.formats import FORMATS
from kassay.spec.suites import suites as known_suites


def workloads(incomplete: str) -> list[str]:
    """By the names of their files."""
    from kassay.applications import application_names
    from kassay.guest import sources

    return _begun((*sources.workload_names(), *application_names()), incomplete)


def kernels(ctx: typer.Context, incomplete: str) -> list[str]:
    """Of the archive's list as it was last read, oldest first, and the other kinds of references."""
    from kassay.archive.index import load_index
    from kassay.archive.versions import upstream_of, version_key

    arch = str(ctx.params.get("arch") or "x86_64")
    try:
        index = load_index(arch)
    except KassayError:
        index = None
    found = {package.version for package in index.packages if package.is_kernel} if index is not None else set()
    listed = dict.fromkeys(f"debian:{upstream_of(version)}" for version in sorted(found, key=version_key))
    return _begun((*listed, "image:", "build:"), incomplete)


def settings(ctx: typer.Context, incomplete: str) -> list[str]:
    """NAME= of the parameters of the workload that was named, and NAME=VALUE where the values are words."""
    from kassay.guest import catalog

    # The parser stops at an option whose value is not written yet, and leaves the arguments before it unnamed.
    workload = ctx.params.get("workload") or next(iter(ctx.args), "")
    try:
        known = catalog.workloads().get(str(workload))
    except KassayError:
        return []
    name, equals, _ = incomplete.partition("=")
    for parameter in known.parameters if known is not None else ():
        if equals and parameter.name == name:
            return _begun((f"{name}={value}" for value in parameter.choices or (parameter.default,)), incomplete)
    return _begun((f"{one.name}=" for one in known.parameters), incomplete) if known is not None else []


def timings(incomplete: str) -> list[str]:
    """CPUs whose time can be predicted, the last of a list with commas."""
    from kassay.predict.timing import timings as known_timings

    listed, comma, last = incomplete.rpartition(",")
    return [f"{listed}{comma}{name}" for name in _begun(known_timings(), last.replace("-", "_"))]


def suites(incomplete: str) -> list[str]:
    """Lists of workloads."""
    return _begun(known_suites(), incomplete)


def clocks(incomplete: str) -> list[str]:
    """Those that can be measured with."""
    return _begun(measuring(), incomplete)


def arches(incomplete: str) -> list[str]:
    """All that are known."""
    return _begun(known_arches(), incomplete)


def cpus(ctx: typer.Context, incomplete: str) -> list[str]:
    """Those of the architecture."""
    return _begun(cpus_for(str(ctx.params.get("arch") or "x86_64")), incomplete)


def formats(incomplete: str) -> list[str]:
    """Of a report."""
    return _begun(names(FORMATS), incomplete)


def _begun(known: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in known if name.startswith(incomplete)]
