# SPDX-License-Identifier: GPL-2.0-only
"""speedscope's own file format; the page https://www.speedscope.app opens it, without an upload."""

import json

from kassay import __version__
from kassay.model.profile import Profile
from kassay.model.texts import one_line
from kassay.report.exports import Export


def render(profile: Profile) -> str:
    """One sampled profile: a sample is a call path, its weight the path's own count."""
    stacks = [stack for stack in profile.stacks or () if stack.count]
    frames = {name: index for index, name in enumerate(dict.fromkeys(n for stack in stacks for n in stack.path))}
    name = one_line(f"{profile.phase} on {profile.kernel}")
    weights = [stack.count for stack in stacks]
    sampled = {
        "type": "sampled", "name": name, "unit": "none", "startValue": 0, "endValue": sum(weights),
        "samples": [[frames[n] for n in stack.path] for stack in stacks], "weights": weights,
    }  # fmt: skip
    whole = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": name,
        "exporter": f"kassay {__version__}",
        "activeProfileIndex": 0,
        "shared": {"frames": [{"name": one_line(frame)} for frame in frames]},
        "profiles": [sampled],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


EXPORT = Export(name="speedscope", suffix=".speedscope.json", summary="for https://www.speedscope.app", render=render)
