# SPDX-License-Identifier: GPL-2.0-only
"""Pages of a site: whole, linked, within their limits, and the same as their JSON."""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import jsonschema
import msgspec
import pytest
from benchmarks.site import synthetic

from kassay.labs.site.model import FunctionCost, SiteFunction
from kassay.labs.site.pages.addresses import segment, step_path
from kassay.labs.site.pages.feed import feed
from kassay.labs.site.pages.outcomes import OUTCOMES, counts_text
from kassay.labs.site.pages.records import Change, StepFile
from kassay.labs.site.pages.revisions import Revised
from tests.site.made import content, first_shown, small_site, with_step, written

pytestmark = pytest.mark.slow  # seconds for the whole file

_ATOM = "{http://www.w3.org/2005/Atom}"


class _Page(HTMLParser):
    """Elements of a page, by what the tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.counts: dict[str, int] = {}
        self.heads_without_scope = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [values["href"]] if tag == "a" and "href" in values else []
        self.loaded += [values[name] for name in ("src", "href") if tag in ("script", "img", "link") and name in values]
        self.ids += [values["id"]] if "id" in values else []
        self.heads_without_scope += tag == "th" and "scope" not in values


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    return written(small_site(), tmp_path_factory.mktemp("pages") / "site")


@pytest.fixture(scope="module")
def pages(files: Mapping[str, bytes]) -> dict[str, _Page]:
    return {path: _Page(text.decode()) for path, text in files.items() if path.endswith(".html")}


def test_every_link_leads_to_a_file(files: Mapping[str, bytes], pages: dict[str, _Page]) -> None:
    missing = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or not parts.path:
                continue
            target = Path("/" + path).parent / unquote(parts.path)
            found = str(target.resolve()).lstrip("/")
            if found not in files or (parts.fragment and parts.fragment not in pages[found].ids):
                missing.append((path, link))
    assert not missing


def test_every_page_has_a_title_and_one_heading(pages: dict[str, _Page]) -> None:
    for path, page in pages.items():
        svg_titles = page.counts.get("svg", 0)
        assert page.counts["title"] - svg_titles == 1, path
        assert page.counts["h1"] == 1, path


def test_every_table_has_a_caption_and_scopes(pages: dict[str, _Page]) -> None:
    for path, page in pages.items():
        assert page.counts.get("caption", 0) == page.counts.get("table", 0), path
        assert page.heads_without_scope == 0, path


def test_no_page_loads_from_another_host(files: Mapping[str, bytes], pages: dict[str, _Page]) -> None:
    for path, page in pages.items():
        outside = [
            link for link in page.loaded if urlsplit(link).scheme and not link.startswith("https://example.org/")
        ]
        assert not outside, path
        assert b"default-src 'none'" in files[path]
        assert b"style=" not in files[path] and b"onclick" not in files[path]


def test_ids_are_unique(pages: dict[str, _Page]) -> None:
    for path, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), path


def test_pages_are_small(files: Mapping[str, bytes]) -> None:
    assert len(files["index.html"]) < 50 << 10
    assert max(len(text) for path, text in files.items() if path.endswith(".html")) < 300_000


def test_matrix_of_100_rows_is_below_its_limit(tmp_path: Path) -> None:
    files = written(synthetic(12, 100, ("x86_64",), 10), tmp_path / "site")
    assert 20_000 < len(files["matrix/x86_64/index.html"]) < 300_000


def test_json_fits_its_schema(files: Mapping[str, bytes]) -> None:
    schema = json.loads(files["data/schema.json"])
    kinds = {name: {**kind, "$defs": schema["$defs"]} for name, kind in schema["files"].items()}
    validators = {name: jsonschema.validators.validator_for(kind)(kind) for name, kind in kinds.items()}
    for validator in validators.values():
        validator.check_schema(validator.schema)
    seen = set()
    for path, text in files.items():
        if path.endswith(".json") and path != "data/schema.json":
            value = json.loads(text)
            seen.add(value["schema"])
            validators[value["schema"]].validate(value)
    assert seen == set(validators)


def test_costs_of_a_function_tell_equal_from_not_executed(tmp_path: Path) -> None:
    site = small_site()
    keys = [kernel.key for kernel in site.kernels if kernel.arch == "x86_64"][:5]
    row = next(series.key for series in site.series if series.arch == "x86_64")
    other = SiteFunction(name="other", costs=tuple(("x86_64", row, key, 1.0, 1.0) for key in keys))
    at = {0: 5.0, 1: 5.0, 3: 5.0, 4: 6.0}
    mine = SiteFunction(name="mine", costs=tuple(("x86_64", row, keys[n], own, 1.0) for n, own in at.items()))
    files = written(msgspec.structs.replace(site, functions=(other, mine)), tmp_path / "site")
    (found,) = json.loads(files["data/functions/mi.json"])["functions"]
    zero = [keys[2], 0.0, 0.0]
    assert found["costs"] == [["x86_64", row, [[keys[0], 5.0, 1.0], zero, [keys[3], 5.0, 1.0], [keys[4], 6.0, 1.0]]]]


def test_feed_has_an_entry_for_each_confirmed_state(files: Mapping[str, bytes]) -> None:
    feed = ElementTree.fromstring(files["feed.atom"])
    entries = feed.findall(f"{_ATOM}entry")
    assert entries
    for entry in entries:
        assert (entry.findtext(f"{_ATOM}id") or "").startswith("urn:uuid:")
        summary = entry.findtext(f"{_ATOM}summary") or ""
        assert "instructions/page" in summary and not re.search(r"\d\.\d{5}", summary)
    assert not any("found" in (entry.findtext(f"{_ATOM}title") or "") for entry in entries)


def test_feed_has_the_newest_kernels_first_in_one_turn() -> None:
    site = small_site()
    steps = {
        str(number): Revised(file=StepFile(
            schema="", address=str(number), revision=1, published_utc="", step=step, before=None, after=None,
            series=next(one for one in site.series if (one.arch, one.key) == (step.arch, step.series)),
            states=(Change(utc="2026-11-26T00:00:00Z", life="confirmed"),),
        ))
        for number, step in enumerate(site.steps[:90]) if step.arch == "x86_64"
    }  # fmt: skip
    titles = [one.findtext(f"{_ATOM}title") or "" for one in ElementTree.fromstring(feed(site, steps)[1])[6:]]
    order = [kernel.key for kernel in site.kernels if kernel.arch == "x86_64" and kernel.column]
    places = [order.index(re.findall(r" to (\S+) ", title)[0]) for title in titles]
    assert len(set(places)) > 2 and places == sorted(places, reverse=True)


def test_step_page_has_figures_with_unit_n_and_command(files: Mapping[str, bytes]) -> None:
    step = first_shown(small_site())
    text = files[f"{step_path(*step.pair)}/index.html"].decode()
    assert "instructions/page, n = 2 + 2" in text
    assert step.repeat[0] in text
    assert step.functions[0].function in text


def test_compilers_copy_leads_to_the_page_of_its_function(tmp_path: Path) -> None:
    site = small_site()
    step = first_shown(site)
    name = next(one.name for one in site.functions if "." not in one.name)
    site = with_step(site, step, functions=(FunctionCost(function=f"{name}.constprop.0", base=1.0, head=9.0),))
    files = written(site, tmp_path / "site")
    address = step_path(*step.pair)
    assert f'function/{name}/index.html">{name}.constprop.0</a>'.encode() in files[f"{address}/index.html"]
    assert f"{address}/index.html".encode() in files[f"function/{name}/index.html"]


def test_steps_of_other_lines_have_their_name_in_the_address(files: Mapping[str, bytes]) -> None:
    step = first_shown(small_site(), "arm64")
    assert f"step/arm64/{step.series}/{step.before}-{step.after}/index.html" in files


def test_step_between_releases_redirects(files: Mapping[str, bytes]) -> None:
    redirects = [path for path, text in files.items() if b'http-equiv="refresh"' in text]
    assert redirects
    assert all(re.search(r"/\d+\.\d+-\d+\.\d+/index\.html$", path) for path in redirects)


def test_comparison_of_the_first_and_the_last_kernel_names_functions(tmp_path: Path) -> None:
    site = small_site()
    keys = [kernel.key for kernel in site.kernels if kernel.arch == "x86_64" and kernel.column]
    whole = {cell.kernel for cell in site.cells if cell.arch == "x86_64" and cell.value is not None}
    assert {keys[0], keys[-1]} <= whole
    rows = [cell.series for cell in site.cells
            if (cell.arch, cell.kernel) == ("x86_64", keys[-1]) and cell.value is not None]  # fmt: skip
    costs = tuple(("x86_64", row, key, own, 1.0) for row in rows for key, own in ((keys[0], 5.0), (keys[-1], 12.0)))
    site = msgspec.structs.replace(site, functions=(SiteFunction(name="mine", costs=costs),))
    page = written(site, tmp_path / "site")[f"compare/x86_64/{keys[0]}-{keys[-1]}/index.html"].decode()
    assert "<code>mine</code> +7" in page


def test_list_of_steps_has_neighbours_before_distant_kernels(tmp_path: Path) -> None:
    site = small_site()
    keys = [kernel.key for kernel in site.kernels if kernel.arch == "x86_64"]
    far = msgspec.structs.replace(first_shown(site), before=keys[0], after=keys[-1], change=9.0, life="")
    near = [msgspec.structs.replace(step, life="") for step in site.steps]
    files = written(msgspec.structs.replace(site, steps=(far, *near)), tmp_path / "site")
    listed = re.findall(r'<td class="pair">(\S+) → (\S+?)<', files["step/index.html"].decode())
    assert listed[-1] == (keys[0], keys[-1])
    assert len(listed) > 1


def test_list_of_steps_has_the_newest_of_every_architecture_first(tmp_path: Path) -> None:
    site = small_site()
    pairs = {}
    for arch in ("x86_64", "arm64"):
        keys = [kernel.key for kernel in site.kernels if kernel.arch == arch and kernel.column]
        pairs[arch] = [(keys[-2], keys[-1]), (keys[-3], keys[-2])]
    model = first_shown(site)
    primary = {arch: next(one.key for one in site.series if one.arch == arch and one.primary) for arch in pairs}
    steps = tuple(
        msgspec.structs.replace(model, arch=arch, series=primary[arch], before=before, after=after, life="confirmed")
        for arch, both in pairs.items() for before, after in both
    )  # fmt: skip
    text = written(msgspec.structs.replace(site, steps=steps), tmp_path / "site")["step/index.html"].decode()
    listed = re.findall(r'<td class="pair">\S+ → (\S+?)<', text.split("<h2>not nominated")[0])
    assert set(listed[:2]) == {pairs["x86_64"][0][1], pairs["arm64"][0][1]}


def test_one_step_is_counted_as_one(tmp_path: Path) -> None:
    site = small_site()
    files = written(msgspec.structs.replace(site, steps=(first_shown(site),), cells=()), tmp_path / "site")
    assert "<p>1 step has a page." in files["step/index.html"].decode()


def test_steps_that_were_taken_back_are_listed_with_the_kernel(tmp_path: Path) -> None:
    site = small_site()
    step = first_shown(site)
    site = with_step(site, step, life="confirmed", life_text="regression, evidence exact; 9.9 takes 57 % of it back")
    files = written(site, tmp_path / "site")
    assert "</span>: 9.9 takes 57 % of it back</li>" in files["step/index.html"].decode()
    assert 'step/index.html#taken-back">' in files["index.html"].decode()


def test_status_lists_refused_comparisons_with_their_reason(files: Mapping[str, bytes]) -> None:
    text = files["status/index.html"].decode()
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', text)
    assert any("→" in row and "Other state: 512 pages were huge, then none." in row for row in rows)


def test_kernels_that_are_no_neighbours_have_every_further_difference(tmp_path: Path) -> None:
    site = small_site()
    keys = [kernel.key for kernel in site.kernels if kernel.arch == "x86_64" and kernel.column]
    mixed = ("configuration: LRU_GEN n, then y",)
    steps = tuple(
        msgspec.structs.replace(one, confounders=mixed) if (one.arch, one.after) == ("x86_64", keys[5]) else one
        for one in site.steps
    )
    files = written(msgspec.structs.replace(site, steps=steps), tmp_path / "site")
    text = files[f"compare/x86_64/{keys[0]}-{keys[-1]}/index.html"].decode()
    assert f"configuration: changed in {keys[5]}" in text
    assert 'data-kinds="configuration"' in files["compare/index.html"].decode()


def test_texts_are_escaped(tmp_path: Path) -> None:
    site = small_site()
    step = first_shown(site)
    bad = "<script>alert(1)</script>"
    site = with_step(site, step, sentence=bad, link="javascript:alert(1)", life="confirmed", mail=bad)
    for path, text in written(site, tmp_path / "site").items():
        if path.endswith((".html", ".atom")):
            assert b"<script>alert" not in text, path
            assert b'href="javascript:' not in text, path


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("foo.isra.0", "foo.isra.0"),
        ("a/b", "a@2fb"),
        ("..", "@2e@2e"),
        ("", "@"),
        ("6.17.13-1~bpo13+1", "6.17.13-1~bpo13+1"),
    ],
)
def test_segments_are_safe_and_stable(name: str, safe: str) -> None:
    assert segment(name) == safe


def test_long_names_are_cut_and_stay_different() -> None:
    assert segment("a" * 300) != segment("a" * 301)
    assert len(segment("a" * 300)) < 255


def test_counts_name_every_outcome() -> None:
    text = counts_text(list(OUTCOMES))
    assert text.startswith(
        "6 cells compared, 1 equal to the digit, 1 below the floor or the margin, 2 shown, 1 refused"
    )
    for part in ("1 inconclusive", "1 failed", "1 not measured"):
        assert part in text


def test_missing_cells_look_different_from_zero(files: Mapping[str, bytes]) -> None:
    text = files["matrix/x86_64/all/index.html"].decode()
    for cell in ("<td>=", "<td>≈", '<td class="absent">–', '<td class="first">'):
        assert cell in text, cell
    assert '<td class="refused"><a href=' in text
    assert '<td class="failed"><a href="../../../status/index.html#failed">' in text


def test_loads_and_stores_have_a_matrix_and_a_place_in_the_step(tmp_path: Path) -> None:
    step = first_shown(small_site())
    site = with_step(small_site(), step, accesses=(100.0, 150.0))
    files = written(site, tmp_path / "site")
    text = files["matrix/x86_64/accesses/index.html"].decode()
    row = next(line for line in text.splitlines() if f">{step.series}</a>" in line)
    assert "▲ +50.0\u00a0%" in row
    assert "100 loads and stores before, and 150 after" in files[f"{step_path(*step.pair)}/index.html"].decode()
    assert 'matrix/x86_64/accesses/index.html">loads and stores</a>' in files["matrix/x86_64/all/index.html"].decode()
    without = msgspec.structs.replace(site, steps=tuple(msgspec.structs.replace(s, accesses=None) for s in site.steps))
    assert "matrix/x86_64/accesses/index.html" not in written(without, tmp_path / "without")


def test_status_page_says_why_cells_failed(files: Mapping[str, bytes]) -> None:
    text = files["status/index.html"].decode()
    failed = next(cell for cell in small_site().cells if cell.state == "failed")
    row = re.search(rf"<tr><th scope=\"row\">{failed.kernel} .*?</tr>", text)
    assert row and failed.reason and failed.reason in row[0]


def test_home_page_names_the_architecture_of_a_change(tmp_path: Path) -> None:
    site = small_site()
    newest = [kernel.key for kernel in site.kernels if kernel.arch == "arm64" and kernel.column][-1]
    primary = {one.key for one in site.series if one.arch == "arm64" and one.primary}
    step = next(s for s in site.steps if (s.arch, s.after) == ("arm64", newest) and s.series in primary)
    site = with_step(site, step, change=0.5, verdict="regression", before_value=2.0, after_value=3.0)
    text = written(site, tmp_path / "site")["index.html"].decode()
    assert re.search(r"</a> on arm64 <span class=\"change worse", text)


def test_functions_are_sorted_by_their_share_of_the_row(files: Mapping[str, bytes]) -> None:
    name = next(path for path in sorted(files) if re.fullmatch(r"function/[^/]+/index.html", path))
    shares = re.findall(r'</a></th><td class="n">([\d.]+)\xa0%</td>', files[name].decode().split("</section>")[0])
    assert shares and [float(one) for one in shares] == sorted(map(float, shares), reverse=True)


def test_large_matrix_is_cut_into_pages_with_every_kernel_once(tmp_path: Path) -> None:
    files = written(synthetic(100, 60, ("x86_64",), 10), tmp_path / "site")
    parts = [path for path in files if path.startswith("matrix/x86_64/all/")]
    assert len(parts) > 1
    assert max(len(files[path]) for path in parts) < 300_000
    columns = [
        re.findall(r'<th scope="col"><a href="[^"]*/kernel/x86_64/([^/]+)/', files[path].decode()) for path in parts
    ]
    assert sorted(key for part in columns for key in part) == sorted(
        one.key for one in synthetic(100, 1, ("x86_64",), 1).kernels
    )
    assert files[parts[0]].count(b"aria-current") > 1


def test_workload_with_many_rows_keeps_its_steps_and_its_limit(tmp_path: Path) -> None:
    site = synthetic(100, 30, ("x86_64",), 10)
    site = msgspec.structs.replace(
        site, series=tuple(msgspec.structs.replace(series, workload="all") for series in site.series)
    )
    text = written(site, tmp_path / "site")["workload/all/index.html"].decode()
    assert len(text) < 300_000
    assert "older kernels without a step" in text
    assert all(f"/{step.before}-{step.after}/" in text for step in site.steps if step.verdict == "regression")


def test_site_without_steps_or_functions_is_whole(tmp_path: Path) -> None:
    site = msgspec.structs.replace(small_site(), steps=(), cells=(), functions=())
    assert b"No primary metric changed" in written(site, tmp_path / "site")["index.html"]


def test_unchanged_files_keep_their_time(tmp_path: Path) -> None:
    written(small_site(), tmp_path / "site")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*") if path.is_file()}
    written(small_site(), tmp_path / "site")
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*") if path.is_file()}
    assert before == after
    assert content(tmp_path / "site")
