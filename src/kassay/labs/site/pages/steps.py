# SPDX-License-Identifier: GPL-2.0-only
"""Pages of steps, their earlier revisions, redirects between releases, and the list of all."""

from collections.abc import Iterator

from kassay.labs.site.model import LIVES, Pair, SiteKernel, taken_back
from kassay.labs.site.pages.addresses import minor, step_path
from kassay.labs.site.pages.entries import Book, Entry
from kassay.labs.site.pages.home import was_taken_back
from kassay.labs.site.pages.outcomes import outcome
from kassay.labs.site.pages.publish import File
from kassay.labs.site.pages.records import StepFile
from kassay.labs.site.pages.render import Renderer
from kassay.labs.site.pages.revisions import Revised
from kassay.model.build import build_in
from kassay.model.profile import base_name
from kassay.model.records import grouped, to_indented_json

_RELATED = 10
_NAMING = 5
"""Functions of a step by which related steps are found."""
_LISTED = 60
"""Rows of one list; the page stays below its limit."""
_UNSTATED = "not nominated"
_NOT_NOMINATED = (
    "changed between two kernels, and has no entry of its own. A laboratory nominates exact changes of primary "
    "metrics, not those of phases; an entry covers its change between further kernels too"
)
_UNSURE = ("not confirmed", "undecided", "found")
"""States that stand behind the others in the list."""


def step_pages(book: Book, renderer: Renderer) -> Iterator[File]:
    """Revisions first, so that no page links to a revision that is not there."""
    for address, page in book.steps.items():
        places = [(f"{address}/r{old.revision}", old) for old in page.earlier]
        for place, file in (*places, (address, page.file)):
            yield f"{place}/index.json", to_indented_json(file).encode()
            yield _page(book, renderer, file, place, page)
    for (arch, series, before, after), (old_key, new_key) in _release_redirects(book).items():
        yield renderer.page(
            "redirect.html.j2", step_path(arch, series, before, after), name=f"{series}, {before} → {after}",
            target=step_path(arch, series, old_key, new_key), target_name=f"{old_key} → {new_key}",
        )  # fmt: skip


def _page(book: Book, renderer: Renderer, file: StepFile, address: str, page: Revised) -> File:
    step = file.step
    series = book.lookup.series.get((step.arch, step.series))
    word = outcome(step, file.series)
    is_web = step.link.startswith(("https://", "http://"))
    return renderer.page(
        "step.html.j2", address, file=file, word=word if word != "absent" else "inconclusive",
        superseded=file is not page.file, current=page.file, earlier=page.earlier if file is page.file else (),
        link=step.link if is_web else "", related=_related(book, file), chart=book.chart_of(series) if series else "",
        function_page=book.function_page, kernel_pages=book.lookup.kernel,
        compared=book.compared_href(step.arch, step.before, step.after), tree=_tree_of(file.after),
    )  # fmt: skip


def _release_redirects(book: Book) -> dict[Pair, tuple[str, str]]:
    """(arch, series, "6.16", "6.17") -> (before, after) of the newest step between kernels of these two."""
    found: dict[Pair, tuple[str, str]] = {}
    for page in book.steps.values():
        step = page.file.step
        before, after = minor(step.before), minor(step.after)
        if not before or not after or before == after or (before, after) == (step.before, step.after):
            continue
        short = (step.arch, step.series, before, after)
        old = found.get(short)
        if old is None or _places(book, step.arch, step.before, step.after) > _places(book, step.arch, *old):
            found[short] = (step.before, step.after)
    return found


def _places(book: Book, arch: str, before: str, after: str) -> tuple[int, int]:
    """Places of both kernels of a step in the order of releases, the later one first."""
    return book.lookup.place(arch, after), book.lookup.place(arch, before)


def _tree_of(kernel: SiteKernel | None) -> str:
    """Name of the git tree that a kernel was built from; "" for a kernel of the archive."""
    build = build_in(kernel.ref) if kernel is not None else None
    return build.tree if build is not None else ""


def _related(book: Book, file: StepFile) -> list[Entry]:
    """Steps of other workloads that name one of the step's largest functions; those of the same kernels first."""
    step = file.step
    found = {}
    for cost in step.functions[:_NAMING]:
        for other in book.lookup.steps_by_function.get(base_name(cost.function), ()):
            if book.lookup.series[other.arch, other.series].workload != file.series.workload:
                found[other.pair] = other
    kernels = (step.arch, step.before, step.after)
    ranked = sorted(found.values(), key=lambda one: ((one.arch, one.before, one.after) != kernels, -one.size))
    return [book.entry(one, arch=True) for one in ranked[:_RELATED]]


def _list_order(book: Book, file: StepFile) -> tuple[bool, bool, int, float]:
    """Neighbours first, then primary metrics, then the newest and largest."""
    step = file.step
    kernels = book.lookup.kernels.get(step.arch, [])
    newest = book.lookup.place(step.arch, kernels[-1].key) if kernels else 0
    age = newest - book.lookup.place(step.arch, step.after)
    return book.distance(step) > 1, not file.series.primary, age, -step.size


def step_list(book: Book, renderer: Renderer) -> File:
    """All steps by state; of steps that nobody nominated the newest and largest."""
    pages = [page.file for page in book.steps.values()]
    by_life = grouped((file.step.life or _UNSTATED, file) for file in pages)
    lives = []
    lives_ = sorted(LIVES.items(), key=lambda one: one[0] in _UNSURE)
    for life, meaning in (*lives_, (_UNSTATED, _NOT_NOMINATED)):
        if files := by_life.get(life):
            newest = sorted(files, key=lambda one: _list_order(book, one))
            entries = [book.entry(one.step, one.series, arch=True) for one in newest[:_LISTED]]
            more = f" The newest {_LISTED} of {len(files)} are listed." if len(files) > _LISTED else ""
            lives.append((life, f"{meaning[0].upper()}{meaning[1:]}.{more}", entries))
    listed = sum(len(entries) for _, _, entries in lives)
    found = [one for one in pages if was_taken_back(one.step)]
    gone = [
        (book.entry(one.step, one.series), taken_back(one.step.life_text) or one.step.life_text or one.step.link)
        for one in sorted(found, key=lambda one: _list_order(book, one))
    ]
    return renderer.page(
        "steps.html.j2", "step", total=len(pages), lives=lives, taken_back=gone,
        shown_text=f"{listed} of them are listed here; all are in the JSON." if listed < len(pages) else "",
    )  # fmt: skip
