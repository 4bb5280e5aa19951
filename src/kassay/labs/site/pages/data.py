# SPDX-License-Identifier: GPL-2.0-only
"""JSON of the site. Beside a file that the compare page reads stands the same as a script, which file:// can load."""

from collections.abc import Iterator

import msgspec

from kassay.labs.site.model import SiteFunction
from kassay.labs.site.pages.addresses import function_data, kernel_data
from kassay.labs.site.pages.entries import Book
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.outcomes import COMPARED, SHOWN, outcome
from kassay.labs.site.pages.publish import File
from kassay.labs.site.pages.records import (
    FUNCTIONS_SCHEMA,
    INDEX_SCHEMA,
    KERNEL_SCHEMA,
    FunctionData,
    FunctionsFile,
    IndexFile,
    KernelFile,
    schemas,
)  # fmt: skip
from kassay.model.records import grouped, to_json


def data(book: Book) -> Iterator[File]:
    """All files below data/."""
    site = book.lookup.site
    yield "data/schema.json", msgspec.json.format(msgspec.json.encode(schemas()), indent=2) + b"\n"
    yield from _kernels(book)
    files = _functions(book.lookup)
    for address, one in files.items():
        content = to_json(one)
        yield f"{address}.json", content + b"\n"
        yield _script(address, content)
    index = IndexFile(
        schema=INDEX_SCHEMA, title=site.title, address=site.address, made_utc=site.made_utc,
        kassay_version=site.kassay_version, kernels=site.kernels, workloads=site.workloads, series=site.series,
        steps=tuple(f"{address}/" for address in book.steps), function_files=tuple(f"{one}.json" for one in files),
        mistakes=site.status.mistakes, status=site.status,
    )  # fmt: skip
    yield "data/site.json", to_json(index) + b"\n"
    rows = [[one.arch, one.key, one.unit, one.better, one.group, one.workload] for one in site.series]
    yield _script("data/rows", msgspec.json.encode(rows))
    names = {address: [function.name for function in one.functions] for address, one in files.items()}
    yield _script("data/functions/names", msgspec.json.encode(names))


def _script(address: str, content: bytes) -> File:
    """A script that hands the content to site.js."""
    return f"{address}.js", b"siteData(%s,%s);\n" % (msgspec.json.encode(address), content)


def _kernels(book: Book) -> Iterator[File]:
    lookup = book.lookup
    cells = grouped(((cell.arch, cell.kernel), cell) for cell in lookup.site.cells)
    into = grouped(
        ((placed.kernel.arch, placed.kernel.key), (placed.outcome, placed.step))
        for series in lookup.site.series for placed in lookup.row(series) if placed.step
    )  # fmt: skip
    verdicts: dict[tuple[str, str, str], dict[str, list[str | float | None]]] = {}
    for step in (*lookup.steps.values(), *(step for steps in into.values() for _, step in steps)):
        word = outcome(step, lookup.series[step.arch, step.series])
        if word in COMPARED:
            of_head = verdicts.setdefault((step.arch, step.series, step.after), {})
            of_head[step.before] = [word, step.before_value, step.after_value]
    pages: dict[tuple[str, str, str], dict[str, str]] = {}
    for address, page in book.steps.items():
        step = page.file.step
        pages.setdefault((step.arch, step.series, step.after), {})[step.before] = f"{address}/index.html"
    for (arch, key), kernel in lookup.kernel.items():
        steps = tuple(
            msgspec.structs.replace(step, mail="", functions=step.functions if word in SHOWN else ())
            for word, step in into.get((arch, key), ())
        )
        own = tuple(cells.get((arch, key), ()))
        units = {cell.series: lookup.series[arch, cell.series].unit for cell in own}
        file = KernelFile(schema=KERNEL_SCHEMA, kernel=kernel, units=units, cells=own, steps=steps)
        yield f"{kernel_data(arch, key)}.json", to_json(file) + b"\n"
        values = [
            [cell.series, cell.state, cell.value, cell.n, cell.floor, pages.get((arch, cell.series, key), {}),
             verdicts.get((arch, cell.series, key), {}), cell.group]
            for cell in own
        ]  # fmt: skip
        yield _script(kernel_data(arch, key), msgspec.json.encode(values))


def _functions(lookup: Lookup) -> dict[str, FunctionsFile]:
    by_file = grouped((function_data(function.name), function) for function in lookup.site.functions)
    return {
        address: FunctionsFile(schema=FUNCTIONS_SCHEMA, functions=tuple(_function(lookup, one) for one in ones))
        for address, ones in sorted(by_file.items())
    }


def _function(lookup: Lookup, function: SiteFunction) -> FunctionData:
    """Costs by row; a kernel whose figures equal those of the kernel before it is left out."""
    rows: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for arch, series, kernel, own, calls in function.costs:
        rows.setdefault((arch, series), {})[kernel] = own, calls
    costs = []
    for (arch, series), found in rows.items():
        kept: list[tuple[str, float, float]] = []
        last = (0.0, 0.0)
        for kernel in lookup.profiled[arch, series]:
            if (figures := found.get(kernel, (0.0, 0.0))) != last:
                kept.append((kernel, *figures))
            last = figures
        costs.append((arch, series, tuple(kept)))
    sizes: list[tuple[str, str, int]] = []
    for arch, kernel, size in function.sizes:
        if not sizes or (sizes[-1][0], sizes[-1][2]) != (arch, size):
            sizes.append((arch, kernel, size))
    return FunctionData(
        name=function.name, file=function.file, maintainers=function.maintainers, callers=function.callers,
        costs=tuple(costs), sizes=tuple(sizes),
    )  # fmt: skip
