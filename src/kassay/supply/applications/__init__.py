# SPDX-License-Identifier: GPL-2.0-only
"""Applications by name: unmodified programs of the archive as workloads.

One file each: applications/NAME.py holds APPLICATION, an Application whose name is NAME (model/application.py).
docs/reference/applications.md says how to use and how to write them.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from kassay.errors import BadInput
from kassay.model.application import Application
from kassay.registry import load, names


@cache
def application_names() -> tuple[str, ...]:
    """Names of all applications, in order; none of their files is read."""
    return names("kassay.supply.applications")


def is_application(name: str) -> bool:
    """True if a workload's name is the name of an application."""
    return name in application_names()


@cache
def application(name: str) -> Application:
    """The application of application_names(). Raises BadInput when its name is not that of its file."""
    app = load("kassay.supply.applications", name, "APPLICATION", Application)
    if app.name != name:
        raise BadInput(f"applications/{name}.py: its application is named {app.name!r}", "give both the same name")
    return app


def applications() -> Mapping[str, Application]:
    """Every application by name."""
    return MappingProxyType({name: application(name) for name in application_names()})
