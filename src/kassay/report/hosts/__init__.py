# SPDX-License-Identifier: GPL-2.0-only
"""Formats of the answer of `kassay hosts`: one module of this package each, with a constant FORMAT."""

from typing import Any

from kassay.report.form import Form, form_named

HOSTS_FORMATS = "kassay.report.hosts"


class HostsFormat(Form[Any]):
    """A way to write an answer (model.across.HostsAnswer) down."""


def hosts_format(name: str) -> HostsFormat:
    """Raises BadInput that lists the formats."""
    return form_named(HOSTS_FORMATS, name, HostsFormat)
