# SPDX-License-Identifier: GPL-2.0-only
"""One page that needs nothing: structure here, layout in a real browser."""

import html
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kassay.model.profile import StackCost
from tests.browser import title
from tests.report.rendering import pages, rendered, whole, without_library
from tests.report.reports import HOSTILE, KERNELS, SAMPLES

_VOID = {"meta", "br", "hr", "img", "input", "link"}
_MEASURE = """
const measured = frame => {
  const page = frame.contentDocument, view = frame.contentWindow;
  page.querySelectorAll("details").forEach(d => { d.open = true; });
  const shown = name => [...page.querySelectorAll("." + name)].some(e => view.getComputedStyle(e).display !== "none");
  const bar = page.querySelector("figure svg path[fill='var(--bar)']");
  return {
    width: page.documentElement.scrollWidth, wide: shown("wide"), narrow: shown("narrow"),
    paper: view.getComputedStyle(page.body).backgroundColor, bar: bar && view.getComputedStyle(bar).fill,
  };
};
onload = () => { document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(measured)); };
"""
# Opens the drawing, then does what people do with it; what is on the page after each step is the title.
_USE = """
const box = document.querySelector("details.icicle"), part = name => box.querySelector(`[data-part="${name}"]`);
const boxes = () => [...box.querySelectorAll(".mark-rect.role-mark path")];
const texts = () => [...box.querySelectorAll("svg text")].map(text => text.textContent);
const drawn = () => ({
  boxes: boxes().length,
  names: texts().filter(text => text),
  outlined: boxes().filter(path => path.getAttribute("stroke") === "var(--ink)").length,
  fills: new Set(boxes().map(path => path.getAttribute("fill"))).size,
  found: part("found").textContent, readout: part("readout").textContent,
  libraries: typeof vegaEmbed, before: box.querySelector("svg") !== null,
});
const pause = () => new Promise(done => setTimeout(done, 150));
const mouse = (name, type) => {
  const path = boxes()[texts().indexOf(name)], at = path.getBoundingClientRect();
  const where = {bubbles: true, clientX: at.x + 5, clientY: at.y + 5, view: window};
  path.dispatchEvent(new MouseEvent(type, where));
};
const steps = {};
(async () => {
  steps.closed = drawn();
  box.open = true;
  for (let i = 0; i < 40 && box.dataset.drawn !== "done"; i++) await pause();
  steps.opened = drawn();
  part("find").value = "PTE";
  part("find").dispatchEvent(new Event("input"));
  await pause();
  steps.searched = drawn();
  part("find").value = "";
  part("find").dispatchEvent(new Event("input"));
  await pause();
  mouse("change_pte_range", "mouseover");
  steps.hovered = drawn();
  mouse("change_pte_range", "click");
  await pause();
  steps.zoomed = drawn();
  part("whole").click();
  await pause();
  steps.whole = drawn();
  part("base").value = "";
  part("base").dispatchEvent(new Event("change"));
  await pause();
  steps.alone = drawn();
  part("head").value = "0";
  part("head").dispatchEvent(new Event("change"));
  await pause();
  steps.other = drawn();
})().catch(e => { steps.error = String(e.stack); }).then(() => { document.title = JSON.stringify(steps); });
"""


class _Balance(HTMLParser):
    """Fails on a tag that closes what is not open; keeps every attribute value that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [v or "" for k, v in attrs if k in ("src", "href", "xlink:href", "srcset", "data", "action")]
        assert not any(k.startswith("on") for k, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_everything_that_a_page_could_load_is_seen() -> None:
    parser = _Balance()
    parser.feed('<p><a href="http://a/">a</a><img src="b.png"><svg><image href="c.svg"/></svg></p>')
    assert (parser.open, parser.loads) == ([], ["http://a/", "b.png", "c.svg"])


@pytest.mark.parametrize("sample", pages())
def test_the_page_is_well_formed_and_loads_nothing_and_runs_only_what_draws_stacks(sample: str) -> None:
    page = rendered("html", sample)
    parser = _Balance()
    parser.feed(whole(page))
    assert parser.open == []
    assert [value for value in parser.loads if not value.startswith("#")] == []
    assert not parser.tags & {"link", "iframe", "img", "object", "embed", "base"}
    assert ("script" in parser.tags) == bool(SAMPLES[sample]().stacks)
    assert "url(" not in page and "@import" not in page and "fetch(" not in page


@pytest.mark.parametrize("sample", pages())
def test_the_page_forbids_itself_the_network(sample: str) -> None:
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', rendered("html", sample))
    assert len(policy) == 1
    rules = dict(rule.strip().split(" ", 1) for rule in policy[0].split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("style-src") == "'unsafe-inline'"
    assert rules == ({"script-src": "'unsafe-inline' 'unsafe-eval'"} if SAMPLES[sample]().stacks else {})


def test_style_and_script_are_those_of_their_files() -> None:
    style, script = ((files("kassay.report") / "templates" / name).read_text() for name in ("report.css", "icicle.js"))
    page = rendered("html", "compare")
    assert style in page and all(part in page for part in script.split("SPECIFICATION"))
    assert style in rendered("html", "refused")


def test_a_page_with_its_library_is_small_enough_to_mail() -> None:
    assert len(whole(rendered("html", "compare")).encode()) < 2_500_000


def test_no_name_ends_the_data_it_stands_in() -> None:
    report = SAMPLES["compare"]()
    hostile = StackCost(path=("kernel", "</script><script>alert(1)</script>", HOSTILE), count=3)
    first = msgspec.structs.replace(report.stacks[0], kernel=HOSTILE, stacks=(*report.stacks[0].stacks, hostile))
    page = without_library("html", msgspec.structs.replace(report, stacks=(first, report.stacks[1])))
    assert "alert(1)</script>" not in page and page.count("<script") == 3
    data = re.search(r'data-part="data">(.*?)</script>', page)
    assert data is not None
    assert "</script><script>alert(1)</script>" in json.loads(data.group(1))["names"]


@pytest.mark.parametrize("sample", pages())
def test_no_colour_of_the_chart_is_fixed(sample: str) -> None:
    drawn = "".join(re.findall(r"(?s)<svg.*?</svg>", rendered("html", sample)))
    assert "#" not in re.sub(r">[^<]*<", "><", drawn)
    assert "white" not in drawn and " id=" not in drawn


def test_the_chart_shows_every_run_and_every_value_in_order() -> None:
    wide = re.findall(r"(?s)<svg.*?</svg>", rendered("html", "ladder"))[0]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", wide)
    assert [t for t in texts if t in KERNELS] == list(KERNELS)
    assert [t for t in texts if re.fullmatch(r"\d{3}\.\d", t)] == ["301.6", "301.6", "672.6", "698.8", "703.0"]
    assert [t for t in texts if "%" in t] == ["+123.0 %", "+3.9 %"]
    assert wide.count('stroke="var(--point)"') == 5 * 4


def test_without_any_value_a_sentence_stands_in_for_the_chart() -> None:
    page = rendered("html", "refused")
    assert "<svg" not in page
    assert "No kernel has an admitted value, so there is no chart." in page


def test_without_call_stacks_the_way_to_them_is_said() -> None:
    page = rendered("html", "ladder")
    assert "No run carries call stacks: measure with --profile stacks" in page
    assert 'class="icicle"' not in page


def test_where_every_comparison_is_refused_runs_are_not_said_to_lack_call_stacks() -> None:
    page = rendered("html", "refused")
    assert "No call stacks are shown: there is no verdict" in page and "No run carries" not in page


def test_a_hostile_name_is_text() -> None:
    page = rendered("html", "hostile")
    assert "<script" not in page
    assert HOSTILE.partition("\n")[0] in html.unescape(page)


Measured = dict[tuple[str, int], dict[str, Any]]


def _browse(pages: Sequence[tuple[str, int]], directory: Path, *, dark: bool = False) -> Measured:
    """Each sample in a frame of so many pixels (a window cannot be that narrow), measured with everything unfolded.

    All in one browser, whose start takes longer than anything that it does here.
    """
    frames = (
        f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(whole(rendered("html", name)))}">'
        "</iframe>"
        for name, width in pages
    )
    text = f"<!doctype html><meta charset=utf-8>{''.join(frames)}<script>{_MEASURE}</script>"
    return dict(zip(pages, title(text, directory, dark=dark), strict=True))


@pytest.fixture(scope="module")
def by_day(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    pages = [(sample, width) for sample in SAMPLES for width in (400, 1400)]
    return _browse([*pages, *(("ladder", width) for width in (640, 641, 800))], tmp_path_factory.mktemp("day"))


@pytest.mark.browser
def test_no_page_scrolls_sideways(by_day: Measured) -> None:
    assert [page for page, measured in by_day.items() if measured["width"] > page[1]] == []


@pytest.mark.browser
def test_one_chart_is_shown_the_one_that_fits(by_day: Measured) -> None:
    for width, wide in ((400, False), (640, False), (641, True), (1400, True)):
        measured = by_day["ladder", width]
        assert (measured["wide"], measured["narrow"]) == (wide, not wide), width


@pytest.mark.browser
def test_night_turns_the_page_and_its_chart(by_day: Measured, tmp_path: Path) -> None:
    day, night = by_day["ladder", 800], _browse([("ladder", 800)], tmp_path, dark=True)["ladder", 800]
    assert day["paper"] != night["paper"]
    assert day["bar"] != night["bar"]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Steps that the drawing of call stacks shows."""
    page = whole(rendered("html", "compare")) + f"<script>{_USE}</script>"
    steps: dict[str, Any] = title(page, tmp_path_factory.mktemp("icicle"))
    assert "error" not in steps, steps["error"]
    return steps


@pytest.mark.browser
def test_call_stacks_are_drawn_only_when_they_are_opened(used: dict[str, Any]) -> None:
    assert (used["closed"]["boxes"], used["closed"]["before"]) == (0, False)
    assert used["opened"]["boxes"] == 12  # every path of the two kernels, and the one of all
    assert {"all", "change_protection", "prot_commit_flush_ptes"} <= set(used["opened"]["names"])
    assert used["opened"]["readout"].startswith("all: 301.6 → 672.6 (+371) instructions/page")


@pytest.mark.browser
def test_a_search_outlines_what_it_found_and_adds_it_up(used: dict[str, Any]) -> None:
    assert used["opened"]["outlined"] == 0
    assert used["searched"]["outlined"] == 3  # change_pte_range, prot_commit_flush_ptes, pte_val
    assert used["searched"]["found"] == "3 found, together 0 → 641.4 instructions/page"


@pytest.mark.browser
def test_a_function_under_the_mouse_shows_its_figures(used: dict[str, Any]) -> None:
    path = "kernel › do_syscall_64 › do_mprotect_pkey › change_protection › change_pte_range"
    figures = "0 → 641.4 (+641.4) instructions/page, of it itself 0 → 244.2 (+244.2)"
    assert used["hovered"]["readout"] == f"{path}: {figures}"


@pytest.mark.browser
def test_a_click_shows_a_part_alone_until_all_is_asked_for(used: dict[str, Any]) -> None:
    assert used["zoomed"]["boxes"] < used["opened"]["boxes"]
    assert "measure" not in used["zoomed"]["names"] and "change_pte_range" in used["zoomed"]["names"]
    assert used["whole"]["boxes"] == used["opened"]["boxes"]


@pytest.mark.browser
def test_one_kernel_alone_is_shown_with_its_own_functions_and_figures(used: dict[str, Any]) -> None:
    assert used["alone"]["readout"] == "all: 672.6 instructions/page, of it itself 0"
    assert used["other"]["readout"] == "all: 301.6 instructions/page, of it itself 0"
    assert "change_pte_range" not in used["other"]["names"] and "change_protection" in used["other"]["names"]
    assert used["alone"]["fills"] == 3  # all, kernel, user
