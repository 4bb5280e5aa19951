# SPDX-License-Identifier: GPL-2.0-only
"""All files of a site, in the order in which they may be published: what is linked to comes first."""

from collections.abc import Iterator
from pathlib import Path

from kassay.labs.site.model import Site
from kassay.labs.site.pages.addresses import matrix_path
from kassay.labs.site.pages.data import data
from kassay.labs.site.pages.entries import Book
from kassay.labs.site.pages.feed import feed
from kassay.labs.site.pages.home import home
from kassay.labs.site.pages.kernels import comparisons, kernels
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.matrix import matrices
from kassay.labs.site.pages.notes import notes
from kassay.labs.site.pages.publish import File, Published, check_place, publish, writing
from kassay.labs.site.pages.render import ASSETS, Renderer, asset
from kassay.labs.site.pages.revisions import Revised, published, revise
from kassay.labs.site.pages.rows import functions, workloads
from kassay.labs.site.pages.steps import step_list, step_pages
from kassay.model.progress import Progress, Tell, silent


def write_site(site: Site, directory: Path, tell: Tell = silent) -> Published:
    """Writes the site, and keeps every page that was published before.

    Raises BadInput for a directory with other files. Raises HostLacks if another kassay writes it at the moment, if the
    disk is full, or if a file cannot be written.
    """
    directory = directory.absolute()
    check_place(directory)
    with writing(directory):
        result = publish(files(site, published(directory)), directory)
    text = f"{result.files} files, {result.size / 1e6:.1f} MB; {result.changed} changed"
    tell(Progress(stage="site", subject=str(directory), text=text))
    return result


def files(site: Site, before: dict[str, Revised]) -> Iterator[File]:
    """Every file. before: step pages that the directory has."""
    lookup = Lookup(site)
    book = Book(lookup, revise(lookup, before))
    nav = [(matrix_path(arch), f"Matrix {arch}" if len(lookup.archs) > 1 else "Matrix") for arch in lookup.archs]
    nav += [("step", "Steps"), ("workload", "Workloads"), ("function", "Functions"), ("compare", "Compare"),
            ("status", "Status"), ("about", "About")]  # fmt: skip
    renderer = Renderer(site=site, nav=nav)
    for name in ASSETS:
        yield name, asset(name)
    yield from data(book)
    yield from step_pages(book, renderer)
    yield from functions(book, renderer)
    yield from workloads(book, renderer)
    yield from kernels(book, renderer)
    yield from comparisons(book, renderer)
    yield from matrices(book, renderer)
    yield step_list(book, renderer)
    yield from notes(book, renderer)
    yield feed(site, book.steps)
    yield home(book, renderer)
