# SPDX-License-Identifier: GPL-2.0-only
"""The ten functions that cost most, a line each."""

from kassay.model.texts import one_line
from kassay.report.exports import Export


def render(profile):
    rows = sorted(profile.functions, key=lambda row: -row.instructions)[:10]
    return "".join(f"{row.instructions} {one_line(row.function)}\n" for row in rows) or "nothing\n"


EXPORT = Export(name="top", suffix=".txt", summary="ten lines of text", render=render, needs_stacks=False)
