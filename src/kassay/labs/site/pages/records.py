# SPDX-License-Identifier: GPL-2.0-only
"""JSON of the site. Names and meanings are a contract; data/schema.json is made from these records."""

from typing import Any

import msgspec

from kassay.labs.site.model import Mistake, SiteCell, SiteKernel, SiteSeries, SiteStatus, SiteStep, SiteWorkload
from kassay.model.records import Record

INDEX_SCHEMA = "kassay-site/1"
KERNEL_SCHEMA = "kassay-site-kernel/1"
STEP_SCHEMA = "kassay-site-step/1"
FUNCTIONS_SCHEMA = "kassay-site-functions/1"


class Change(Record, frozen=True, kw_only=True):
    """One state in the life of a step."""

    utc: str
    """Time at which the site first showed it."""
    life: str
    text: str = ""
    link: str = ""


class StepFile(Record, frozen=True, kw_only=True):
    """A step page's index.json: everything that the page shows."""

    schema: str
    address: str
    """Directory of the page below the site."""
    revision: int
    """Number of the revision: 1 for the first figures that were published. Each correction adds one."""
    published_utc: str
    """Time at which these figures were first published."""
    step: SiteStep
    series: SiteSeries
    before: SiteKernel | None
    after: SiteKernel | None
    states: tuple[Change, ...] = ()
    """Changes of its life, oldest first."""


class KernelFile(Record, frozen=True, kw_only=True):
    """Cells of a kernel, and the steps into it from its left neighbour."""

    schema: str
    kernel: SiteKernel
    units: dict[str, str]
    """Unit of each series."""
    cells: tuple[SiteCell, ...]
    steps: tuple[SiteStep, ...]


class FunctionData(Record, frozen=True, kw_only=True):
    """A kernel function over workloads and kernels."""

    name: str
    file: str
    maintainers: tuple[str, ...]
    callers: tuple[str, ...]
    costs: tuple[tuple[str, str, tuple[tuple[str, float, float], ...]], ...]
    """Costs: (arch, series, ((kernel, own instructions per operation, calls per operation), ...)). A kernel whose
    figures equal those of the profiled kernel before it is left out. Zeros: it was not executed, as before the first
    entry."""
    sizes: tuple[tuple[str, str, int], ...]
    """Sizes: (arch, kernel, bytes of machine code)."""


class FunctionsFile(Record, frozen=True, kw_only=True):
    """Functions whose names begin with the same two letters or digits."""

    schema: str
    functions: tuple[FunctionData, ...]


class IndexFile(Record, frozen=True, kw_only=True):
    """data/site.json: what the site has, without cells."""

    schema: str
    title: str
    address: str
    made_utc: str
    kassay_version: str
    kernels: tuple[SiteKernel, ...]
    workloads: tuple[SiteWorkload, ...]
    series: tuple[SiteSeries, ...]
    steps: tuple[str, ...]
    """Addresses of the step pages."""
    function_files: tuple[str, ...]
    """Addresses of the files of functions."""
    mistakes: tuple[Mistake, ...]
    status: SiteStatus


def schemas() -> dict[str, Any]:
    """JSON Schema (2020-12) of each file, by the name that its `schema` field has."""
    kinds = {
        INDEX_SCHEMA: IndexFile, KERNEL_SCHEMA: KernelFile, STEP_SCHEMA: StepFile, FUNCTIONS_SCHEMA: FunctionsFile,
    }  # fmt: skip
    found, definitions = msgspec.json.schema_components(kinds.values(), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions,
        "files": dict(zip(kinds, found, strict=True)),
    }
