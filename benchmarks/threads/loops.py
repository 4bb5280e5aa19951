# SPDX-License-Identifier: GPL-2.0-only
"""Instructions of a loop, read from a listing of `kassay codegen --format json`."""

import re
from typing import Any

_JUMP = re.compile(r"(?:j\w+|b|b\.\w+|cbn?z|tbn?z) (?:.*, )?(\.L\d+)")
_LEAVES = re.compile(r"(?:jmp|b|ret|retq|ud2|brk)\b(?!\.)")
_ONE = re.compile(r"movb \$1, |strb |(?:callq|bl) memset")
"""The store of a one for a present page: on arm64 a byte of a register, or a call of memset()."""


def loop(listing: list[dict[str, Any]]) -> float | None:
    """Fewest instructions that lead from a store of a one back to it. None if no way leads back.

    A call counts as one instruction: those of the called function are not in the listing.
    """
    labels = {line["label"]: number for number, line in enumerate(listing) if line.get("label")}
    after = [_after(number, line["text"], labels, len(listing)) for number, line in enumerate(listing)]
    stores = [number for number, line in enumerate(listing) if _ONE.match(line["text"])]
    lengths = [length for number in stores if (length := _round(number, after)) is not None]
    return min(lengths, default=None)


def _after(number: int, text: str, labels: dict[str, int], end: int) -> list[int]:
    jump = _JUMP.fullmatch(text)
    places = [labels[jump[1]]] if jump else []
    return places if _LEAVES.match(text) or number + 1 == end else [*places, number + 1]


def _round(start: int, after: list[list[int]]) -> float | None:
    lengths, queue = {start: 0}, [start]
    for number in queue:
        for following in after[number]:
            if following == start:
                return float(lengths[number] + 1)
            if following not in lengths:
                lengths[following] = lengths[number] + 1
                queue.append(following)
    return None
