# SPDX-License-Identifier: GPL-2.0-only
"""Call stacks as the page draws them: one tree for all kernels of a comparison, and the library that draws it."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from kassay.effects.files import derived_text
from kassay.model.report import KernelStacks
from kassay.model.texts import one_line
from kassay.report.document import Stacks

_Path = tuple[str, ...]


def icicle(stacks: Stacks) -> Mapping[str, Any]:
    """The drawing of one metric's call stacks.

    base, head: indexes of the kernels that it opens with. data: as JSON, safe inside a script element.
    """
    nodes = _tree(stacks.kernels)
    names = sorted({path[-1] for path in nodes if path})
    index = {path: number for number, path in enumerate(nodes)}
    name_of = {name: number for number, name in enumerate(names)}
    labels = tuple(one_line(kernel.kernel) for kernel in stacks.kernels)
    data = {
        "unit": one_line(stacks.kernels[0].unit),
        "kernels": labels,
        "operations": [kernel.operations for kernel in stacks.kernels],
        "names": [one_line(name) for name in names],
        "nodes": [[index[path[:-1]], name_of[path[-1]], counts] for path, counts in nodes.items() if path],
    }
    base = 0 if len(labels) > 1 else None
    opened = {"base": base, "head": len(labels) - 1}
    return {"title": stacks.title, "kernels": labels, **opened, "data": _inside_script(data)}


@cache
def library() -> str:
    """Vega with Vega-Embed (BSD-3-Clause), complete, as vl-convert ships them; sets window.vegaEmbed."""
    from importlib.metadata import version

    from kassay.report import drawing  # late: only pages with call stacks need it

    # Stored for each version of the package: to make it takes longer than the rest of a page.
    name = f"vega-embed-{version('vl-convert-python')}.js"
    return derived_text(name, lambda: drawing.library("window.vegaEmbed = vegaEmbed;"))


def library_notice() -> str:
    """The licences of library(), which must be delivered with it."""
    return (files("kassay.report") / "templates" / "vega-licences.txt").read_text("utf-8")


@cache
def program() -> str:
    """The page's own script, which ends with the drawing's specification."""
    templates = files("kassay.report") / "templates"
    specification = json.loads((templates / "icicle.vg.json").read_text("utf-8"))
    return (templates / "icicle.js").read_text("utf-8").replace("SPECIFICATION", _inside_script(specification))


def _tree(kernels: Sequence[KernelStacks]) -> dict[_Path, list[int]]:
    """Every path of any kernel with its own count on each, parents before children, the empty path first."""
    nodes: dict[_Path, list[int]] = {}
    for number, kernel in enumerate(kernels):
        for stack in kernel.stacks:
            for path in (stack.path[:length] for length in range(len(stack.path) + 1)):
                counts = nodes.setdefault(path, [0] * len(kernels))
            counts[number] += stack.count
    return dict(sorted(nodes.items(), key=lambda item: (len(item[0]), item[0])))


def _inside_script(value: object) -> str:
    """JSON without a character that could end the element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
