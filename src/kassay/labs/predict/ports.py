# SPDX-License-Identifier: GPL-2.0-only
"""Execution ports of an instruction, as text: "33x1/4x2" is one cycle on one of four ports, two on another.

A mask is hexadecimal, bit 0 the first port of the file's list.
"""

import re
from functools import lru_cache

_GROUP = re.compile(r"([0-9a-f]+)x([1-9]\d*)")
MOST_GROUPS = 4
"""Largest number of groups that the core model takes for one instruction."""


@lru_cache(maxsize=1024)  # a file has hundreds of instructions with the same ports
def groups_of(spec: str) -> tuple[tuple[int, int], ...]:
    """(mask, cycles) of each group. Raises ValueError for text that is none."""
    if spec in ("", "-"):
        return ()
    groups = []
    for part in spec.split("/"):
        match = _GROUP.fullmatch(part)
        if match is None or int(match[1], 16) == 0:
            raise ValueError(f"{spec!r} is not MASKxCYCLES/MASKxCYCLES")
        groups.append((int(match[1], 16), int(match[2])))
    if len(groups) > MOST_GROUPS:
        raise ValueError(f"{spec!r} has more than {MOST_GROUPS} groups of ports")
    return tuple(groups)


def spec_of(groups: tuple[tuple[int, int], ...]) -> str:
    """The text of groups_of()."""
    return "/".join(f"{mask:x}x{cycles}" for mask, cycles in groups)


def problem_of(spec: str, ports: int) -> str:
    """Mistake in a text for a CPU with so many ports; "" for none."""
    try:
        groups = groups_of(spec)
    except ValueError as error:
        return str(error)
    return f"{spec}: there are {ports} ports" if any(mask >> ports for mask, _ in groups) else ""
