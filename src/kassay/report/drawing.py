# SPDX-License-Identifier: GPL-2.0-only
"""Vega-Lite to SVG, PNG and a page's script, by vl-convert. Its JavaScript engine takes half a second to start, on
another CPU: who will need it calls start() while there is other work to do."""

import atexit
from functools import cache
from typing import Any

from kassay.effects.library_process import LibraryProcess
from kassay.effects.workers import cpus

Spec = dict[str, Any]
_SMALL: Spec = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.4.1.json",
    "mark": "point",
    "data": {"values": []},
}


def start() -> None:
    """Has the engine start where there is a CPU for it, and does not wait."""
    if cpus() > 1:
        _engine()


@cache
def _engine() -> LibraryProcess:
    engine = LibraryProcess("vl_convert")
    atexit.register(engine.close)
    engine.begin("vegalite_to_svg", _SMALL)
    return engine


def svg(spec: Spec) -> str:
    """A drawing as SVG; the same specification gives the same bytes."""
    drawn: str = _engine().call("vegalite_to_svg", spec)
    return drawn


def png(spec: Spec, scale: float) -> bytes:
    """A drawing as PNG. scale: pixels for one of the SVG."""
    drawn: bytes = _engine().call("vegalite_to_png", spec, scale=scale)
    return drawn


def library(program: str) -> str:
    """Vega with Vega-Embed and a JavaScript program that uses them, as one script."""
    bundle: str = _engine().call("javascript_bundle", program)
    return bundle
