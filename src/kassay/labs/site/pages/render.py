# SPDX-License-Identifier: GPL-2.0-only
"""Templates -> pages."""

from functools import cache
from typing import Any

from kassay.labs.site.model import LIVES
from kassay.labs.site.pages import addresses
from kassay.labs.site.pages.outcomes import OUTCOMES
from kassay.model.units import format_change, format_number, format_numbers, format_signed, places_of

ASSETS = ("site.css", "site.js")


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("kassay.labs.site.pages", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["number"] = format_number
    environment.filters["change"] = lambda change: format_change(change).replace(" %", "\u00a0%")
    environment.filters["part"] = lambda part: f"{part * 100:.3g}\u00a0%"
    environment.filters["signed"] = lambda value: format_signed(value, places_of(value))
    environment.filters["pair"] = format_numbers
    environment.filters["day"] = lambda utc: utc[:10]
    environment.globals["OUTCOMES"] = OUTCOMES
    environment.globals["LIVES"] = LIVES
    environment.globals["at"] = addresses
    return environment


@cache
def _template(name: str) -> Any:
    return _environment().get_template(name)


def asset(name: str) -> bytes:
    """A file that pages load."""
    source, _, _ = _environment().loader.get_source(_environment(), name)
    return str(source).encode()


class Renderer:
    """Renders pages of one site."""

    def __init__(self, **common: Any) -> None:
        self._common = common

    def page(self, template: str, path: str, **values: Any) -> tuple[str, bytes]:
        """File of the page at this address."""
        depth = path.count("/") + 1 if path else 0
        prefix = "../" * depth

        def to(address: str) -> str:
            return f"{prefix}{address}/index.html" if address else f"{prefix}index.html"

        text = _template(template).render(
            self._common, to=to, root=prefix, path=path, canonical=f"{path}/" if path else "", **values
        )
        return (f"{path}/index.html" if path else "index.html"), text.encode()
