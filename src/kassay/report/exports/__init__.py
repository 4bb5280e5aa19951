# SPDX-License-Identifier: GPL-2.0-only
"""Definition of a profile export: one module of this package with a constant EXPORT of this class."""

from collections.abc import Callable
from dataclasses import dataclass

from kassay.errors import BadInput
from kassay.model.profile import Profile


@dataclass(frozen=True, kw_only=True)
class Export:
    """A way to write one profile for a viewer that people already have."""

    name: str
    """Name as in --export, equal to the module's name."""
    suffix: str
    """Suffix of a file, with its dot."""
    summary: str
    """One line for --help, with the viewer."""
    render: Callable[[Profile], str]
    """Function that makes the text. It is pure, and the text ends with a newline."""
    needs_stacks: bool = True
    """True if `render` is only called on a profile that has stacks."""


def exported(export: Export, profile: Profile) -> str:
    """`profile` as a file's text. Raises BadInput when it lacks the call stacks that this export is made of."""
    if export.needs_stacks and profile.stacks is None:
        raise BadInput(
            f"--export {export.name}: run {profile.run} of {profile.kernel} carries {profile.mode}, no call stacks",
            "measure again with --profile stacks (auto, the default, records them in the first plain run of a kernel)",
        )
    return export.render(profile)
