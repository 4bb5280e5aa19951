# SPDX-License-Identifier: GPL-2.0-only
"""Charts as files: one for each result, readable anywhere, the same bytes each time."""

import re
import struct
import xml.etree.ElementTree as ET
from functools import cache

import pytest
from msgspec.structs import replace

from kassay.report.charts import charts, timed_spec
from kassay.report.series import groups
from tests.report.reports import SAMPLES


@cache
def _drawn(sample: str) -> dict[str, bytes]:
    return dict(charts(SAMPLES[sample]()))


def _texts(svg: bytes) -> list[str]:
    return [" ".join(element.itertext()) for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(("sample", "count"), [("compare", 1), ("timed", 1), ("refused", 0), ("robot", 0)])
def test_each_result_has_an_svg_and_a_png(sample: str, count: int) -> None:
    names = [f"report-{n}.{kind}" for n in range(1, count + 1) for kind in ("svg", "png")]
    assert list(_drawn(sample)) == names


def test_a_picture_is_twice_as_fine_as_the_drawing_is_large() -> None:
    found = _drawn("timed")
    root = ET.fromstring(found["report-1.svg"])
    width, height = struct.unpack(">II", found["report-1.png"][16:24])
    assert found["report-1.png"].startswith(b"\x89PNG\r\n")
    assert (width, height) == (2 * int(root.attrib["width"]), 2 * int(root.attrib["height"]))


def test_the_same_report_gives_the_same_bytes() -> None:
    assert dict(charts(SAMPLES["timed"]())) == _drawn("timed")


def test_no_colour_is_left_to_a_page() -> None:
    for name, data in (*_drawn("compare").items(), *_drawn("timed").items()):
        if name.endswith(".svg"):
            assert b"var(" not in data and not re.search(rb"#0([1-8])0\1", data)
            assert b'fill="#ffffff"' in data  # a dark page or mail program must not swallow it


def test_a_chart_says_what_it_shows_without_the_page() -> None:
    texts = _texts(_drawn("timed")["report-1.svg"])
    assert "mprotect iteration [ns/page], lower is better" in texts
    assert any("size=64MiB share=shared; x86_64, kvm, 1 CPU, 14GiB" in text for text in texts)
    assert any("+66.7 % (+61.7 % to +71.7 %)" in text for text in texts)
    assert {"346.8", "578.1"} <= set(texts)


def test_every_boot_is_a_dot_and_the_interval_stands_beside_the_changed_kernel() -> None:
    (group,) = groups(SAMPLES["timed"]())
    spec = timed_spec(group.lead)
    boots, values, ranges = (layer["data"]["values"] for layer in spec["layer"][:3])
    assert len(boots) == 20 and len(values) == 2
    (one,) = ranges
    assert one["kernel"] == "debian:6.17.13"
    assert (round(one["low"], 1), round(one["high"], 1)) == (560.8, 595.4)
    low, high = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < min(boot["value"] for boot in boots) and high > one["high"]


def test_boots_without_an_interval_are_drawn_without_one() -> None:
    report = SAMPLES["timed"]()
    bare = replace(report, findings=(replace(report.findings[0], interval=None, timing=None),))
    assert not any("red line" in text for text in _texts(dict(charts(bare))["report-1.svg"]))


def test_counts_keep_the_pages_bars_and_say_what_their_marks_are() -> None:
    texts = _texts(_drawn("compare")["report-1.svg"])
    assert "+123.0 %" in texts and any("a diamond: one with something moved" in text for text in texts)
