# SPDX-License-Identifier: GPL-2.0-only
"""Small sites for tests of the pages."""

from pathlib import Path

import msgspec
from benchmarks.site import synthetic

from kassay.labs.site.model import Site, SiteStep
from kassay.labs.site.pages.build import write_site
from kassay.labs.site.pages.outcomes import SHOWN, outcome


def small_site(**more: str) -> Site:
    """A site of 14 kernels, 9 workloads and 2 architectures."""
    return synthetic(14, 9, ("x86_64", "arm64"), 40, seed=3, **more)


def written(site: Site, directory: Path) -> dict[str, bytes]:
    """Files of the site after it was written, by their paths."""
    write_site(site, directory)
    return content(directory)


def content(directory: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def first_shown(site: Site, arch: str = "x86_64") -> SiteStep:
    """A step that has a page."""
    series = {(one.arch, one.key): one for one in site.series}
    return next(one for one in site.steps if one.arch == arch and outcome(one, series[one.arch, one.series]) in SHOWN)


def with_step(site: Site, old: SiteStep, **changes: object) -> Site:
    """The same site with other fields in one step."""
    return msgspec.structs.replace(
        site,
        steps=tuple(msgspec.structs.replace(one, **changes) if one.pair == old.pair else one for one in site.steps),
    )
