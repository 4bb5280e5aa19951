# SPDX-License-Identifier: GPL-2.0-only
"""Sets of CPUs as people write them: "0-3,8".

intspan 1.6.1 was tried and refused: it accepts "-5" and "1,,2", and needs gigabytes for "0-99999999".
"""

import re

from kassay.errors import BadInput

_PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def numbers(text: str) -> tuple[int, ...]:
    """The CPUs of a set in order; none of "". Raises BadInput."""
    cpus: set[int] = set()
    for part in text.split(",") if text else ():
        match = _PART.fullmatch(part.strip())
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else -1
        if last < first:
            raise BadInput(f"{text!r}: not a set of CPUs", "write numbers and ranges, such as 0-3,8")
        cpus |= set(range(first, last + 1))
    return tuple(sorted(cpus))
