# SPDX-License-Identifier: GPL-2.0-only
"""One line per call path with its own count, as FlameGraph's stackcollapse scripts write them."""

import re

from kassay.model.profile import Profile
from kassay.model.texts import one_line
from kassay.report.exports import Export

_SPECIAL = re.compile(r"[;\s]")


def render(profile: Profile) -> str:
    """ "kernel;do_syscall_64;change_protection 270300" for each path that cost anything, in order."""
    stacks = sorted((s for s in profile.stacks or () if s.count), key=lambda s: s.path)
    return "".join(f"{';'.join(map(_frame, stack.path))} {stack.count}\n" for stack in stacks)


def _frame(name: str) -> str:
    """A name without the two characters that separate frames and counts."""
    return _SPECIAL.sub("_", one_line(name))


EXPORT = Export(
    name="folded", suffix=".folded", summary="collapsed stacks, for flamegraph.pl and its relatives", render=render
)
