# SPDX-License-Identifier: GPL-2.0-only
"""Pages of one kernel, of two kernels, and the page that compares any two."""

from collections.abc import Iterator, Sequence

import msgspec

from kassay.labs.site.model import SiteKernel
from kassay.labs.site.pages.addresses import compare_path, kernel_data, kernel_path, segment
from kassay.labs.site.pages.entries import Book, Entry
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.outcomes import counts_text
from kassay.labs.site.pages.render import Renderer


def comparisons(book: Book, renderer: Renderer) -> Iterator[tuple[str, bytes]]:
    """A page for each pair of book.neighbours, and the one that compares any two in the browser."""
    for arch, pairs in book.neighbours.items():
        for before, after in pairs:
            entries = _with_ids(book.comparison(arch, before.key, after.key))
            yield renderer.page(
                "compare.html.j2", compare_path(arch, before.key, after.key),
                heading=f"{before.name} → {after.name} on {arch}", kernel=None, before=before,
                links=[(kernel_path(arch, one.key), one.name) for one in (before, after)],
                json=f"{kernel_data(arch, after.key)}.json", entries=entries, others=[],
                confounders=book.confounders(arch, before.key, after.key),
                caption=f"All workloads on {before.name} and {after.name}, largest change first",
                counts=counts_text(entry.outcome for entry in entries),
            )  # fmt: skip
    neighbours = [
        (arch, [(compare_path(arch, a.key, b.key), f"{a.name} → {b.name}") for a, b in reversed(pairs)])
        for arch, pairs in book.neighbours.items() if pairs
    ]  # fmt: skip
    columns = []
    for arch in book.lookup.archs:
        left = {one: book.lookup.left(one) for one in book.lookup.kernels[arch]}
        columns += [
            (one, ",".join(book.kinds(arch, before.key, one.key)) if before else "") for one, before in left.items()
        ]
    yield renderer.page("choose.html.j2", "compare", archs=book.lookup.archs, kernels=columns, neighbours=neighbours)


def kernels(book: Book, renderer: Renderer) -> Iterator[tuple[str, bytes]]:
    """A page for each kernel: its facts, and its changes against the neighbour on its left."""
    lookup = book.lookup
    lists = []
    for arch, all_ in lookup.kernels.items():
        for kernel in all_:
            before = lookup.left(kernel)
            entries = _with_ids(book.comparison(arch, before.key, kernel.key)) if before else []
            others = [
                step for step in lookup.notable.values()
                if step.arch == arch and kernel.key in (step.before, step.after)
                and (step.arch, step.before, step.after) not in book.compared
            ]  # fmt: skip
            yield renderer.page(
                "compare.html.j2", kernel_path(arch, kernel.key), heading=f"Linux {kernel.name} on {arch}",
                kernel=kernel, before=before, links=_links(lookup, kernel), entries=entries,
                json=f"{kernel_data(arch, kernel.key)}.json", others=book.entries(others),
                confounders=book.confounders(arch, before.key, kernel.key) if before else (),
                caption=f"Changes of {kernel.name} against {before.name}, largest first" if before else "",
                counts=counts_text(entry.outcome for entry in entries),
            )  # fmt: skip
        items = [(kernel_path(arch, one.key), one.name, _note(one)) for one in reversed(all_)]
        lists.append((arch, items))
    yield renderer.page("list.html.j2", "kernel", heading="Kernels", text="Newest first.", groups=lists)


def _note(kernel: SiteKernel) -> str:
    return kernel.problem or ("" if kernel.column else "measured to narrow a step")


def _links(lookup: Lookup, kernel: SiteKernel) -> list[tuple[str, str]]:
    arch, found = kernel.arch, []
    if (before := lookup.left(kernel)) is not None:
        found += [(kernel_path(arch, before.key), f"← {before.name}")]
        found += [(compare_path(arch, before.key, kernel.key), f"{before.name} → {kernel.name}")]
    for after in (one for one in lookup.columns[arch] if lookup.left(one) == kernel):
        found += [(compare_path(arch, kernel.key, after.key), f"{kernel.name} → {after.name}")]
        found += [(kernel_path(arch, after.key), f"{after.name} →")]
    return found


def _with_ids(entries: Sequence[Entry]) -> list[Entry]:
    """Each row can be linked to."""
    return [msgspec.structs.replace(one, id=segment(one.series.key)) for one in entries]
