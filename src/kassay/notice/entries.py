# SPDX-License-Identifier: GPL-2.0-only
"""Where in a call path the kernel was entered, and what for."""

import re
from collections.abc import Sequence

_SYSCALL = re.compile(r"__(?:x64|arm64|do|se)_(?:compat_)?sys_(\w+)")
_FAULT = re.compile(r"(?:exc_page_fault|do_page_fault|do_mem_abort|el[01]_(?:da|ia))")


def entry_at(path: Sequence[str]) -> tuple[str, int]:
    """(what the kernel ran for, index of the function that began it); ("", length) where nothing of the kind is known.

    path: the context's word, then functions from the outermost inwards.
    """
    if path[0] == "interrupt":
        return "interrupt", 1
    for number, name in enumerate(path[1:], 1):
        if found := _SYSCALL.match(name):
            return found.group(1), number
        if _FAULT.match(name):
            return "page fault", number
    return "", len(path)
