# SPDX-License-Identifier: GPL-2.0-only
"""One page that needs nothing: structure here, layout in a real browser."""

import html
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.report.rendering import rendered
from tests.report.reports import HOSTILE, KERNELS, SAMPLES

_VOID = {"meta", "br", "hr", "img", "input", "link"}
_MEASURE = """
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  page.querySelectorAll("details").forEach(d => { d.open = true; });
  const shown = name => [...page.querySelectorAll("." + name)].some(e => view.getComputedStyle(e).display !== "none");
  const bar = page.querySelector("figure svg path[fill='var(--bar)']");
  document.title = JSON.stringify({
    width: page.documentElement.scrollWidth, wide: shown("wide"), narrow: shown("narrow"),
    paper: view.getComputedStyle(page.body).backgroundColor, bar: bar && view.getComputedStyle(bar).fill,
  });
};
"""


class _Balance(HTMLParser):
    """Fails on a tag that closes what is not open; keeps every attribute value that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [v or "" for k, v in attrs if k in ("src", "href", "xlink:href", "srcset", "data", "action")]
        assert not any(k.startswith("on") for k, _ in attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_page_is_well_formed_and_loads_and_runs_nothing(sample: str) -> None:
    page = rendered("html", sample)
    parser = _Balance()
    parser.feed(page)
    assert parser.open == []
    assert all(value.startswith("#") for value in parser.loads)
    assert not parser.tags & {"script", "link", "iframe", "img", "object", "embed", "base"}
    assert "url(" not in page and "@import" not in page


@pytest.mark.parametrize("sample", SAMPLES)
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


def test_a_hostile_name_is_text() -> None:
    page = rendered("html", "hostile")
    assert "<script" not in page
    assert HOSTILE.partition("\n")[0] in html.unescape(page)


def _browse(page: str, width: int, directory: Path, *, dark: bool = False) -> dict[str, Any]:
    """The page in a frame of `width` pixels (a window cannot be that narrow), measured with everything unfolded."""
    frame = f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(page)}"></iframe>'
    (directory / "frame.html").write_text(f"<!doctype html><meta charset=utf-8>{frame}<script>{_MEASURE}</script>")
    switches = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --virtual-time-budget=5000 --window-size=1500,1000 --dump-dom "
        f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    )
    argv = ["chromium", *switches.split(), f"--user-data-dir={directory / 'profile'}", f"file://{directory}/frame.html"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True)
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title is not None, done.stderr[-500:]
    measured: dict[str, Any] = json.loads(html.unescape(title.group(1)))
    return measured


@pytest.mark.browser
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_never_scrolls_sideways(sample: str, width: int, tmp_path: Path) -> None:
    assert _browse(rendered("html", sample), width, tmp_path)["width"] <= width


@pytest.mark.browser
@pytest.mark.parametrize(("width", "wide"), [(400, False), (640, False), (641, True), (1400, True)])
def test_one_chart_is_shown_the_one_that_fits(width: int, wide: bool, tmp_path: Path) -> None:
    measured = _browse(rendered("html", "ladder"), width, tmp_path)
    assert (measured["wide"], measured["narrow"]) == (wide, not wide)


@pytest.mark.browser
def test_night_turns_the_page_and_its_chart(tmp_path: Path) -> None:
    page = rendered("html", "ladder")
    day, night = _browse(page, 800, tmp_path), _browse(page, 800, tmp_path, dark=True)
    assert day["paper"] != night["paper"]
    assert day["bar"] != night["bar"]
