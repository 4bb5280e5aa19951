# SPDX-License-Identifier: GPL-2.0-only
"""Pages in a real browser: keyboard, no scripts, filters, comparison of two kernels, sizes, colours, accessibility."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from kassay.labs.site.pages.addresses import function_path, step_path, workload_path
from kassay.labs.site.pages.build import write_site
from kassay.labs.site.pages.lookup import Lookup
from kassay.labs.site.pages.outcomes import SHOWN
from tests.devtools import Tab, tab
from tests.site.made import first_shown, small_site

pytestmark = pytest.mark.browser
_STEP = first_shown(small_site())
_FUNCTION = function_path(_STEP.functions[0].function)
_PAGES = (
    "", "matrix/x86_64", "matrix/x86_64/all", "matrix/x86_64/time-skylake_sp", "matrix/x86_64/accesses",
    workload_path(_STEP.series),
    step_path(*_STEP.pair), "compare", "function", _FUNCTION, "workload",
    "kernel", "step", "status", "corrections", "about", f"kernel/x86_64/{_STEP.after}",
    f"compare/x86_64/{_STEP.before}-{_STEP.after}",
)  # fmt: skip
_SHOWN = "[...document.querySelectorAll('table.filtered tbody tr:not(.group)')].filter(r => r.offsetParent).length"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("browser") / "site"
    write_site(small_site(), directory)
    return directory


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with tab(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@pytest.fixture
def page(browser: Tab) -> Tab:
    browser.scripts(True)
    browser.dark(False)
    browser.size(1400)
    return browser


def _address(site: Path, path: str, query: str = "") -> str:
    return f"file://{site}/{path + '/' if path else ''}index.html{query}"


@pytest.mark.parametrize("path", _PAGES)
def test_no_serious_finding_of_axe_in_light_and_dark(page: Tab, site: Path, path: str) -> None:
    where = importlib.util.find_spec("axe_playwright_python")
    if where is None or where.origin is None:
        pytest.skip("axe-playwright-python is not installed")
    axe = (Path(where.origin).parent / "axe.min.js").read_text()
    for dark in (False, True):
        page.dark(dark)
        page.open(_address(site, path))
        page.run(axe + ";1")
        found = json.loads(page.run("axe.run().then(r => JSON.stringify(r.violations))"))
        bad = [
            (one["id"], one["impact"], one["nodes"][0]["html"][:200])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert not bad, (path, dark)


@pytest.mark.parametrize("path", _PAGES)
@pytest.mark.parametrize("width", [400, 700, 1600])
def test_no_page_is_wider_than_the_window(page: Tab, site: Path, path: str, width: int) -> None:
    page.size(width)
    page.open(_address(site, path))
    assert page.run("document.documentElement.scrollWidth <= innerWidth")


def test_dark_and_light_differ(page: Tab, site: Path) -> None:
    colours = []
    for dark in (False, True):
        page.dark(dark)
        page.open(_address(site, ""))
        colours.append(page.run("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]


def test_style_and_script_load_from_a_disk(page: Tab, site: Path) -> None:
    page.open(_address(site, "matrix/x86_64"))
    assert page.run("document.documentElement.classList.contains('js')")
    assert page.run("getComputedStyle(document.querySelector('.skip')).position") == "absolute"


def test_keyboard_reaches_content_switch_and_cells(page: Tab, site: Path) -> None:
    page.open(_address(site, "matrix/x86_64"))
    page.press("Tab")
    assert page.run("document.activeElement.className") == "skip"
    page.press("Enter")
    assert page.run("document.activeElement.id") == "main"
    before = page.run(_SHOWN)
    page.run("document.getElementById('all').focus()")
    page.press(" ")
    assert page.wait(_SHOWN) > before
    seen = set()
    for _ in range(80):
        page.press("Tab")
        seen.add(page.run("document.activeElement.closest('td') ? document.activeElement.closest('td').className : ''"))
    assert seen & {"worse", "better"}


def test_without_scripts_the_page_and_its_switch_work(page: Tab, site: Path) -> None:
    page.scripts(False)
    page.open(_address(site, "matrix/x86_64"))
    page.scripts(True)  # the test itself asks by script; the page's own was not executed
    assert not page.run("document.documentElement.classList.contains('js')")
    assert page.run("getComputedStyle(document.querySelector('.filters')).display") == "none"
    few = page.run(_SHOWN)
    page.run("document.getElementById('all').focus()")
    page.press(" ")
    assert page.run(_SHOWN) > few
    page.scripts(False)
    page.open(_address(site, "compare"))
    page.scripts(True)
    assert page.run("document.querySelectorAll('main ul a').length") > 10


def test_filters_stand_in_the_address_and_survive_links(page: Tab, site: Path) -> None:
    page.open(_address(site, "matrix/x86_64"))
    page.run("document.querySelector('[name=q]').focus()")
    page.type("protect")
    assert page.wait("location.search") == "?q=protect"
    assert page.run(_SHOWN) < page.run("document.querySelectorAll('table.filtered tbody tr:not(.group)').length")
    page.run("[...document.querySelectorAll('nav a')].find(a => a.textContent === 'Steps').focus()")
    page.press("Enter")
    page.wait("location.pathname.endsWith('/step/index.html') && document.readyState === 'complete'")
    assert page.wait("location.search") == "?q=protect"
    names = page.run("[...document.querySelectorAll('table.filtered tbody tr')].filter(r => r.offsetParent)"
                     ".map(r => r.querySelector('th').textContent)")  # fmt: skip
    assert names and all("protect" in name for name in names)


def test_filters_by_size_and_direction(page: Tab, site: Path) -> None:
    page.open(_address(site, "step", "?min=20&way=worse"))
    rows = page.run("[...document.querySelectorAll('table.filtered tbody tr')].filter(r => r.offsetParent)"
                    ".map(r => [parseFloat(r.dataset.c), r.dataset.o])")  # fmt: skip
    assert rows
    assert all(change >= 0.2 and word == "worse" for change, word in rows)


def test_any_two_kernels_are_compared_from_a_disk(page: Tab, site: Path) -> None:
    query = f"?arch=x86_64&a={_STEP.before}&b={_STEP.after}"
    page.open(_address(site, "compare", query))
    count = page.wait("document.querySelectorAll('#compared tbody tr').length")
    assert "cells compared" in page.run("document.querySelector('[data-part=counts]').textContent")
    find = f"find(row => row.textContent.includes('{_STEP.series}')).textContent"
    text = page.run(f"[...document.querySelectorAll('#compared tbody tr')].{find}")
    assert f"{(_STEP.change or 0) * 100:+.1f} %" in text
    links = page.run("[...document.querySelectorAll('#compared td a')].map(link => link.getAttribute('href'))")
    assert f"../{step_path(*_STEP.pair)}/index.html" in links
    function = next(one for one in small_site().functions if any(cost[0] == "x86_64" for cost in one.costs))
    page.open(_address(site, "compare", f"{query}&function={function.name}"))
    fewer = page.wait("document.querySelectorAll('#compared tbody tr').length")
    assert fewer < count
    page.open(_address(site, "compare", f"{query}&function={function.name[2:]}"))
    assert fewer <= page.wait("document.querySelectorAll('#compared tbody tr').length") < count


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_kernels_whose_comparison_was_refused_have_no_verdict(page: Tab, tmp_path: Path, order: str) -> None:
    whole = small_site()
    row = next(one for one in whole.series if (one.arch, one.key) == (_STEP.arch, _STEP.series))
    cells = tuple(one for one in whole.cells if (one.arch, one.series) == (row.arch, row.key))
    first, *_, last = (one.kernel for one in cells if one.value is not None)
    refused = structs.replace(_STEP, before=first, after=last, change=None, verdict="state-mismatch", life="")
    write_site(structs.replace(whole, series=(row,), cells=cells, steps=(refused,), functions=()), tmp_path / "site")
    names = f"{order[0]}={first}&{order[1]}={last}"
    page.open(_address(tmp_path / "site", "compare", f"?arch=x86_64&{names}"))
    counts = page.wait("document.querySelector('[data-part=counts]').textContent")
    assert counts.startswith("1 cell compared") and " 1 refused" in counts


def test_comparison_of_neighbours_has_their_verdicts(page: Tab, site: Path) -> None:
    lookup = Lookup(small_site())
    before, after = (one.key for one in lookup.columns["x86_64"][-2:])
    row = next(one for one in lookup.rows["x86_64"] if lookup.row(one)[-2].cell and lookup.row(one)[-1].step)
    words = [lookup.row(one)[-1] for one in lookup.rows["x86_64"]]
    shown = sum(one.outcome in SHOWN and one.step is not None and one.step.before == before for one in words)
    page.open(_address(site, "compare", f"?arch=x86_64&a={before}&b={after}"))
    page.wait(f"[...document.querySelectorAll('#compared a')].some(one => one.textContent === {row.key!r})")
    assert f" {shown} shown" in page.run("document.querySelector('[data-part=counts]').textContent")


def test_comparison_takes_the_newest_kernel_of_a_release_and_names_one_that_is_missing(page: Tab, site: Path) -> None:
    keys = [one.key for one in small_site().kernels if one.arch == "x86_64" and one.column]
    release = keys[3].rpartition(".")[0]
    page.open(_address(site, "compare", f"?arch=x86_64&a={release}&b=9.99"))
    text = page.wait("document.querySelector('[data-part=counts]').textContent")
    assert "No kernel of x86_64 is called 9.99." in text
    newest = [key for key in keys if key.startswith(f"{release}.")][-1]
    assert page.run("document.querySelector('[name=a]').value") == newest


def test_function_filter_of_an_absent_function_shows_none(page: Tab, site: Path) -> None:
    page.open(_address(site, "compare", "?function=no_such_function"))
    assert page.wait("document.querySelector('[data-part=counts]').textContent.startsWith('0 cells')")
